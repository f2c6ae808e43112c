# What users bring, as what the core takes: x a double matrix or dgCMatrix, y in {-1, +1}.

formula_columns <- 5000

# list(x, names, encoding): encoding says how new data of the same kind become columns.
encode_x <- function(x) {
  if (inherits(x, "zeronorm_x")) return(x)
  encoding <- NULL
  if (is.data.frame(x)) {
    encoding <- list(levels = factor_levels(x))
    x <- encode_frame(x, encoding$levels)
  } else {
    x <- encode_matrix(x, "x")
  }
  if (ncol(x) == 0) stop_zeronorm("x", "has no columns.", "Give at least one feature.")
  if (nrow(x) < 2) {
    stop_zeronorm("x", paste0("has ", if (nrow(x)) "one row." else "no rows."),
                  "Give two observations or more, one per row.")
  }
  structure(class = "zeronorm_x", list(x = x, names = colnames(x), encoding = encoding))
}

# Without a copy where x is a double matrix or a dgCMatrix.
encode_matrix <- function(x, argument) {
  if (is.matrix(x) && (is.numeric(x) || is.logical(x))) {
    if (!is.double(x)) storage.mode(x) <- "double"
    return(x)
  }
  if (inherits(x, "dgCMatrix")) return(x)
  if (inherits(x, "denseMatrix")) return(encode_matrix(as.matrix(x), argument))
  if (inherits(x, "Matrix")) return(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
  advice <- "Use a numeric matrix, a sparse Matrix or a data frame with observations in rows."
  if (is.numeric(x) && is.null(dim(x))) {
    advice <- "Use a matrix: x[, j, drop = FALSE] keeps one column, x[i, , drop = FALSE] one row."
  }
  found <- if (is.matrix(x)) paste("is a", typeof(x), "matrix.") else paste0("is ", describe(x), ".")
  stop_zeronorm(argument, found, advice)
}

factor_levels <- function(data) {
  factors <- vapply(data, is.factor, NA)
  lapply(unclass(data)[factors], levels)
}

# Numeric and logical columns as they are; a factor as one 0/1 column for each level after its first.
encode_frame <- function(data, levels, argument = "x") {
  usable <- vapply(data, function(v) is_number_column(v) || is.factor(v), NA)
  if (!all(usable)) {
    column <- data[[which(!usable)[1]]]
    kind <- if (is.null(dim(column))) paste("of class", class(column)[1]) else "a matrix itself"
    stop_zeronorm(argument, paste0("column ", enumerate(names(data)[!usable]), " is ", kind, "."),
                  "Turn it into a number or, with factor(), into categories; or leave it out.")
  }
  missing <- vapply(data, anyNA, NA)
  if (any(missing)) stop_missing(argument, names(data)[missing])
  bind_columns(unclass(data), levels, argument, nrow(data))
}

# Columns that are all numbers need no encoding one by one.
bind_columns <- function(columns, levels, argument, n) {
  if (all(vapply(columns, is_number_column, NA))) {
    values <- as.double(unlist(columns, use.names = FALSE))
    return(matrix(values, n, length(columns), dimnames = list(NULL, names(columns))))
  }
  do.call(cbind, unname(Map(encode_column, columns, names(columns), list(levels), argument)))
}

is_number_column <- function(v) is.null(dim(v)) && (is.numeric(v) || is.logical(v))

encode_column <- function(v, name, levels, argument) {
  if (!is.factor(v)) return(matrix(as.double(v), length(v), 1, dimnames = list(NULL, name)))
  check_levels(v, name, levels[[name]], argument)
  later <- levels[[name]][-1]
  matrix(as.double(outer(as.character(v), later, "==")), length(v), length(later),
         dimnames = list(NULL, paste0(name, later, recycle0 = TRUE)))
}

check_levels <- function(v, name, known, argument) {
  unknown <- setdiff(as.character(unique(v)), c(known, NA))
  if (!length(unknown)) return(invisible())
  stop_zeronorm(argument, paste0("column '", name, "' has the level ", enumerate(unknown),
                                 ", unknown to the fit."), paste0("Known are ", enumerate(known), "."))
}

# The model frame of a formula as list(x, names, encoding, y, intercept).
encode_formula <- function(formula, data) {
  variables <- all.vars(formula)
  wide <- length(variables) > formula_columns ||
    (!is.null(data) && "." %in% variables && ncol(data) > formula_columns)
  if (wide) {
    stop_zeronorm("x", paste("is a formula with more than", formula_columns, "columns."),
                  "Pass the features as a matrix or data frame `x` and the labels as `y`.")
  }
  if (length(formula) != 3) {
    stop_zeronorm("x", "is a formula without a response.", "Write label ~ features.")
  }
  absent <- setdiff(variables, c(".", names(data)))
  absent <- absent[!vapply(absent, exists, NA, envir = environment(formula))]
  if (length(absent)) {
    stop_zeronorm("data", paste0("has no column ", enumerate(absent), "."), "The formula names it.")
  }
  arguments <- c(list(formula, na.action = stats::na.pass), if (!is.null(data)) list(data = data))
  frame <- evaluate_frame(arguments, "x")
  check_frame(frame)
  y <- model.response(frame)
  predictors <- delete.response(terms(frame))
  # A fit keeps no environment of its caller.
  environment(predictors) <- globalenv()
  categories <- vapply(frame[-1], function(v) is.factor(v) || is.character(v), NA)
  x <- formula_matrix(frame, terms(frame), NULL)
  encoded <- encode_x(x$x)
  encoded$encoding <- list(terms = predictors, contrasts = x$contrasts,
                           levels = lapply(frame[-1][categories], function(v) levels(factor(v))))
  encoded$y <- y
  encoded$intercept <- attr(predictors, "intercept") == 1
  encoded
}

# model.frame() with errors that name `argument`.
evaluate_frame <- function(arguments, argument) {
  tryCatch(do.call(model.frame, arguments, quote = TRUE), error = function(e) {
    stop_zeronorm(argument, paste0("cannot be evaluated: ", conditionMessage(e), "."),
                  "Check the terms of the formula; functions in them must be found where they are used.")
  })
}

# What model.matrix() would drop, ignore or stop at.
check_frame <- function(frame) {
  missing <- vapply(frame[-1], anyNA, NA)
  if (any(missing)) stop_missing("data", names(missing)[missing])
  described <- terms(frame)
  if (!is.null(attr(described, "offset"))) {
    stop_zeronorm("x", "has an offset, which no method takes.", "Leave it out.")
  }
  factors <- attr(described, "factors")
  if (length(factors) && any(factors[1, ] > 0)) {
    stop_zeronorm("x", paste0("has the response '", names(frame)[1], "' among the features."),
                  "Leave it out.")
  }
  single <- vapply(frame[-1], function(v) (is.factor(v) || is.character(v)) && nlevels(factor(v)) < 2, NA)
  if (any(single)) {
    stop_zeronorm("data", paste0("column ", enumerate(names(single)[single]), " has one level only."),
                  "Leave it out.")
  }
}

# list(x, contrasts); names of variables are without backticks.
formula_matrix <- function(frame, terms, contrasts) {
  x <- model.matrix(terms, frame, contrasts.arg = contrasts)
  contrasts <- attr(x, "contrasts")
  x <- x[, colnames(x) != "(Intercept)", drop = FALSE]
  dimnames(x) <- list(NULL, sub("^`([^`]*)`([^`]*)$", "\\1\\2", colnames(x)))
  list(x = x, contrasts = contrasts)
}

# New rows as a matrix or dgCMatrix that has at least the columns the fit can use by name.
encode_newx <- function(newx, encoding) {
  if (inherits(newx, "zeronorm_x")) return(newx$x)
  if (!is.data.frame(newx)) return(encode_matrix(newx, "newx"))
  if (!is.null(encoding$terms)) {
    absent <- setdiff(all.vars(encoding$terms), names(newx))
    if (length(absent)) stop_absent(absent)
    for (name in intersect(names(encoding$levels), names(newx))) {
      check_levels(newx[[name]], name, encoding$levels[[name]], "newx")
    }
    frame <- evaluate_frame(list(encoding$terms, newx, na.action = stats::na.pass, xlev = encoding$levels),
                            "newx")
    return(formula_matrix(frame, encoding$terms, encoding$contrasts)$x)
  }
  known <- names(newx) %in% names(encoding$levels)
  text <- known & vapply(newx, is.character, NA)
  newx[text] <- lapply(newx[text], factor)
  usable <- vapply(newx, is_number_column, NA) | (known & vapply(newx, is.factor, NA))
  if (!any(usable)) stop_zeronorm("newx", "has no usable column.", "Give the features of the fit.")
  bind_columns(unclass(newx)[usable], encoding$levels, "newx", nrow(newx))
}

# newx cut to the columns `needed` (indices into the fit's features).
match_columns <- function(newx, names, needed, d) {
  given <- colnames(newx)
  if (is.null(names) || is.null(given) || identical(names, given)) {
    if (ncol(newx) != d) {
      stop_zeronorm("newx", paste("has", ncol(newx), "columns, the fit", d, "features."),
                    "Without column names on both sides the numbers must agree.")
    }
    return(newx[, needed, drop = FALSE])
  }
  wanted <- names[needed]
  doubtful <- unique(c(wanted[wanted %in% names[duplicated(names)]],
                       wanted[wanted %in% given[duplicated(given)]]))
  if (length(doubtful)) {
    stop_zeronorm("newx", paste0("the column name ", enumerate(doubtful), " occurs more than once."),
                  "Make column names unique, or give exactly the columns of the training data.")
  }
  position <- match(wanted, given)
  if (anyNA(position)) stop_absent(wanted[is.na(position)])
  newx[, position, drop = FALSE]
}

stop_absent <- function(columns) {
  stop_zeronorm("newx", paste0("has no column ", enumerate(columns), "."),
                "Give every selected feature under the name it had in training.")
}

stop_missing <- function(argument, columns) {
  stop_zeronorm(argument, paste0("missing values in column ", enumerate(columns), "."),
                "Remove or impute them first.")
}

# Called only once an entry is known to be not finite, so its cost does not matter.
stop_not_finite <- function(x, argument) {
  bad <- if (inherits(x, "dgCMatrix")) {
    rep(seq_len(ncol(x)), diff(x@p))[!is.finite(x@x)]
  } else {
    which(colSums(!is.finite(x)) > 0)
  }
  columns <- unique(bad)
  labels <- if (is.null(colnames(x))) columns else colnames(x)[columns]
  stop_zeronorm(argument, paste0("missing or infinite values in column ", enumerate(labels), "."),
                "Remove or impute them first.")
}

# list(y in {-1, +1}, levels): the second level is +1.
encode_y <- function(y, n) {
  if (is.list(y) || is.function(y) || !is.null(dim(y)) && NCOL(y) != 1) {
    stop_zeronorm("y", paste0("is ", describe(y), "."), "Use a vector with one label for every row of `x`.")
  }
  if (length(y) != n) {
    stop_zeronorm("y", paste0("has ", length(y), if (length(y) == 1) " label" else " labels", " but `x` has ",
                              n, " rows."),
                  "Give one label for every row; observations are rows.")
  }
  if (anyNA(y)) stop_zeronorm("y", "has missing labels.", "Remove those observations.")
  if (is.numeric(y) && !is.factor(y)) return(encode_numeric_y(as.vector(y)))
  if (!is.factor(y) && !is.logical(y) && !is.character(y)) {
    stop_zeronorm("y", paste0("is ", describe(y), "."), "Use factor(y) with two levels.")
  }
  # The order of strings must not depend on the locale.
  y <- if (is.factor(y)) droplevels(y) else factor(as.vector(y), levels = sort(unique(y), method = "radix"))
  check_classes(levels(y))
  list(y = 2 * as.double(as.integer(y)) - 3, levels = levels(y))
}

encode_numeric_y <- function(y) {
  if (any(is.infinite(y))) stop_zeronorm("y", "has infinite labels.", "Remove those observations.")
  values <- sort(unique(y))
  check_classes(values, regression = TRUE)
  if (!identical(as.double(values), c(-1, 1)) && !identical(as.double(values), c(0, 1))) {
    stop_zeronorm("y", paste0("is numeric with the values ", values[1], " and ", values[2], "."),
                  "Use -1 and +1, 0 and 1, or factor(y).")
  }
  list(y = ifelse(y == values[2], 1, -1), levels = as.character(values))
}

check_classes <- function(values, regression = FALSE) {
  if (length(values) == 1) {
    stop_zeronorm("y", paste0("has one class only: '", values, "'."), "Give observations of two classes.")
  }
  if (length(values) == 2) return(invisible())
  if (regression && (length(values) > 20 || any(values != round(values)))) {
    stop_zeronorm("y", "is numeric, which means regression: not among the methods yet available.",
                  "Use two classes: a factor with two levels, -1/+1 or 0/1.")
  }
  stop_zeronorm("y", paste0("has ", length(values), " classes: multi-class is not among the methods yet ",
                            "available."), "Keep two classes, or join classes into two.")
}

check_weights <- function(weights, y) {
  if (is.null(weights)) return(rep(1, length(y)))
  if (is.numeric(weights) && length(weights) != length(y)) {
    stop_zeronorm("weights", paste0("has length ", length(weights), " but `x` has ", length(y), " rows."),
                  "Give one weight for every row.")
  }
  weights <- check_numbers(weights, "weights")
  if (sum(weights[y > 0]) == 0 || sum(weights[y < 0]) == 0) {
    stop_zeronorm("weights", "are all zero in one class.", "Give both classes some weight.")
  }
  weights
}

# One factor per observation.
check_class_weights <- function(class_weights, y, levels, weights) {
  if (is.null(class_weights)) return(rep(1, length(y)))
  if (identical(class_weights, "balanced")) {
    share <- c(sum(weights[y < 0]), sum(weights[y > 0])) / sum(weights)
    class_weights <- 0.5 / share
  } else {
    if (length(class_weights) != 2 || !setequal(names(class_weights), levels)) {
      stop_zeronorm("class_weights", paste0("is ", describe(class_weights), "."),
                    paste0("Use \"balanced\" or numbers named ", enumerate(levels), "."))
    }
    class_weights <- check_numbers(class_weights[levels], "class_weights", open_lower = TRUE)
  }
  class_weights[(y > 0) + 1]
}

# Stratified fold numbers; the only place that draws random numbers.
draw_folds <- function(y, folds) {
  fold <- integer(length(y))
  used <- 0
  for (class in c(-1, 1)) {
    rows <- which(y == class)
    # The second class goes on where the first stopped, which keeps the folds of nearly equal size.
    labels <- (used + seq_along(rows) - 1) %% folds + 1
    fold[rows[sample.int(length(rows))]] <- as.integer(labels)
    used <- used + length(rows)
  }
  fold
}

check_folds <- function(foldid, y) {
  advice <- "Give one whole number for every row."
  if (!is.numeric(foldid)) stop_zeronorm("foldid", paste0("is ", describe(foldid), "."), advice)
  if (length(foldid) != length(y)) {
    stop_zeronorm("foldid", paste0("has length ", length(foldid), " but `x` has ", length(y), " rows."),
                  advice)
  }
  if (!all(is.finite(foldid)) || any(foldid != round(foldid))) {
    stop_zeronorm("foldid", "has values that are missing or not whole.", advice)
  }
  fold <- match(foldid, sort(unique(foldid)))
  if (max(fold) < 2) stop_zeronorm("foldid", "names one fold only.", "Use two folds or more.")
  for (k in seq_len(max(fold))) {
    if (length(unique(y[fold != k])) < 2) {
      stop_zeronorm("foldid", paste0("leaves one class only when fold ", foldid[match(k, fold)],
                                     " is held out."), "Spread both classes over the folds.")
    }
  }
  fold
}

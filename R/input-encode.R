# What users bring, as what the core takes: x a double matrix or dgCMatrix, y in {-1, +1}.

formula_columns <- 5000

# list(x, names, encoding): encoding describes how new data of the same kind become columns, and which variable
# each column comes from.  gaps: whether values may be missing.
encode_x <- function(x, gaps = FALSE) {
  if (inherits(x, "zeronorm_x")) return(x)
  encoding <- NULL
  if (is.data.frame(x)) {
    encoding <- list(levels = factor_levels(x), variables = variables_of(x))
    x <- encode_frame(x, encoding$levels, gaps = gaps)
  } else {
    x <- encode_matrix(x, "x")
  }
  if (ncol(x) == 0) stop_zeronorm("x", "has no columns.", "Give at least one feature.")
  if (anyNA(colnames(x))) {
    stop_zeronorm("x", "has column names that are missing.", "Name every column, or none.")
  }
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
  if (inherits(x, "dgCMatrix") || is_delayed(x)) return(x)
  if (inherits(x, "denseMatrix")) return(encode_matrix(as.matrix(x), argument))
  if (inherits(x, "Matrix")) return(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
  advice <- "Use a numeric matrix, a sparse Matrix or a data frame with observations in rows."
  if (is.numeric(x) && is.null(dim(x))) {
    advice <- "Use a matrix: x[, j, drop = FALSE] keeps one column, x[i, , drop = FALSE] one row."
  }
  found <- if (is.matrix(x)) paste("is a", typeof(x), "matrix.") else paste0("is ", describe(x), ".")
  stop_zeronorm(argument, found, advice)
}

# The variable behind each column of encode_frame().
variables_of <- function(data) {
  rep(names(data), vapply(data, function(v) if (is.factor(v)) max(0L, nlevels(v) - 1L) else 1L, 0L))
}

# Columns by their own names or by those of the variables that they come from, indices or logical mask ->
# sorted indices.
check_variables <- function(columns, argument, x) {
  variables <- x$encoding$variables
  if (is.character(columns) && !is.null(variables)) {
    behind <- setdiff(intersect(columns, variables), x$names)
    columns <- c(setdiff(columns, behind), x$names[variables %in% behind])
  }
  check_columns(columns, argument, x$names, ncol(x$x))
}

factor_levels <- function(data) {
  factors <- vapply(data, is.factor, NA)
  lapply(unclass(data)[factors], levels)
}

# Numeric and logical columns as they are; a factor as one 0/1 column for each level after its first.
encode_frame <- function(data, levels, argument = "x", gaps = FALSE) {
  usable <- vapply(data, function(v) is_number_column(v) || is.factor(v), NA)
  if (!all(usable)) {
    column <- data[[which(!usable)[1]]]
    kind <- if (is.null(dim(column))) paste("of class", class(column)[1]) else "a matrix itself"
    stop_zeronorm(argument, paste0("column ", enumerate(names(data)[!usable]), " is ", kind, "."),
                  "Turn it into a number or, with factor(), into categories; or leave it out.")
  }
  missing <- vapply(data, anyNA, NA)
  if (any(missing) && !gaps) stop_missing(argument, names(data)[missing])
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

# A formula as list(x, y, intercept), x as encode_x() gives it.
encode_formula <- function(formula, data, gaps = FALSE) {
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
  check_frame(frame, gaps)
  y <- model.response(frame)
  predictors <- delete.response(terms(frame))
  # A fit keeps no environment of its caller.
  environment(predictors) <- globalenv()
  categories <- vapply(frame[-1], function(v) is.factor(v) || is.character(v), NA)
  x <- formula_matrix(frame, terms(frame), NULL)
  encoded <- encode_x(x$x, gaps)
  described <- stats::formula(terms(frame))
  environment(described) <- globalenv()
  encoded$encoding <- list(formula = described, terms = predictors, contrasts = x$contrasts, imputes = gaps,
                           levels = lapply(frame[-1][categories], function(v) levels(factor(v))),
                           variables = x$variables)
  list(x = encoded, y = y, intercept = attr(predictors, "intercept") == 1)
}

# model.frame() with errors that name `argument`.
evaluate_frame <- function(arguments, argument) {
  tryCatch(do.call(model.frame, arguments, quote = TRUE), error = function(e) {
    stop_zeronorm(argument, paste0("cannot be evaluated: ", conditionMessage(e), "."),
                  "Check the terms of the formula; functions in them must be found where they are used.")
  })
}

# What model.matrix() would drop, ignore or stop at.
check_frame <- function(frame, gaps = FALSE) {
  missing <- vapply(frame[-1], anyNA, NA)
  if (any(missing) && !gaps) stop_missing("data", names(missing)[missing])
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

# list(x, contrasts, variables), variables: the term behind each column; names are without backticks.
formula_matrix <- function(frame, terms, contrasts) {
  x <- model.matrix(terms, frame, contrasts.arg = contrasts)
  contrasts <- attr(x, "contrasts")
  kept <- colnames(x) != "(Intercept)"
  variables <- c("", attr(terms, "term.labels"))[attr(x, "assign") + 1L]
  x <- x[, kept, drop = FALSE]
  bare <- function(names) sub("^`([^`]*)`([^`]*)$", "\\1\\2", names)
  dimnames(x) <- list(NULL, bare(colnames(x)))
  list(x = x, contrasts = contrasts, variables = bare(variables[kept]))
}

# New rows as a matrix or dgCMatrix that has at least the columns the fit can use by name; argument: what the user
# calls them.
encode_newdata <- function(newdata, encoding, argument = "newdata") {
  if (inherits(newdata, "zeronorm_x")) return(newdata$x)
  if (is_experiment(newdata)) newdata <- encode_new_experiment(newdata, encoding, argument)
  if (!is.data.frame(newdata)) return(encode_matrix(newdata, argument))
  if (!is.null(encoding$terms)) {
    newdata <- with_absent_variables(newdata, encoding, argument)
    for (name in intersect(names(encoding$levels), names(newdata))) {
      check_levels(newdata[[name]], name, encoding$levels[[name]], argument)
    }
    frame <- evaluate_frame(list(encoding$terms, newdata, na.action = stats::na.pass, xlev = encoding$levels),
                            argument)
    return(formula_matrix(frame, encoding$terms, encoding$contrasts)$x)
  }
  known <- names(newdata) %in% names(encoding$levels)
  text <- known & vapply(newdata, is.character, NA)
  newdata[text] <- lapply(newdata[text], factor)
  usable <- vapply(newdata, is_number_column, NA) | (known & vapply(newdata, is.factor, NA))
  if (!any(usable)) stop_zeronorm(argument, "has no usable column.", "Give the features of the fit.")
  bind_columns(unclass(newdata)[usable], encoding$levels, argument, nrow(newdata))
}

# newdata cut to the columns `needed` (indices into the fit's features); load: in memory.
match_columns <- function(newdata, names, needed, d, argument = "newdata", load = TRUE) {
  position <- column_positions(newdata, names, needed, d, argument)
  if (!identical(position, seq_len(ncol(newdata)))) newdata <- newdata[, position, drop = FALSE]
  if (load) in_memory(newdata) else newdata
}

# Where newdata has these columns.
column_positions <- function(newdata, names, needed, d, argument = "newdata") {
  given <- colnames(newdata)
  if (is.null(names) || is.null(given) || identical(names, given)) {
    if (ncol(newdata) != d) {
      stop_zeronorm(argument, paste("has", ncol(newdata), "columns, the fit", d, "features."),
                    "Without column names on both sides the numbers must agree.")
    }
    return(as.integer(needed))
  }
  wanted <- names[needed]
  doubtful <- unique(c(wanted[wanted %in% names[duplicated(names)]],
                       wanted[wanted %in% given[duplicated(given)]]))
  if (length(doubtful)) {
    stop_zeronorm(argument, paste0("the column name ", enumerate(doubtful), " occurs more than once."),
                  "Make column names unique, or give exactly the columns of the training data.")
  }
  position <- match(wanted, given)
  if (anyNA(position)) stop_absent(wanted[is.na(position)], argument)
  position
}

stop_absent <- function(columns, argument) {
  stop_zeronorm(argument, paste0("has no column ", enumerate(columns), "."),
                paste("Give every selected feature under the name it had in training; a fit with `impute` would",
                      "complete it."))
}

stop_missing <- function(argument, columns) {
  stop_zeronorm(argument, paste0("missing values in column ", enumerate(columns), "."), gap_advice(argument))
}

# A fit that fills gaps in training fills those of new data.
gap_advice <- function(argument) {
  if (argument == "x") "Remove or impute them first, or use zeronorm(impute = \"median\")."
  else "Remove or impute them first; a fit with impute = \"median\" does so by itself."
}

# Called only once an entry is known to be not finite, so its cost does not matter.
stop_not_finite <- function(x, argument) {
  missing <- columns_with(x, is.na)
  infinite <- columns_with(x, is.infinite)
  columns <- sort(union(missing, infinite))
  found <- c("missing", "infinite")[lengths(list(missing, infinite)) > 0]
  labels <- if (is.null(colnames(x))) columns else colnames(x)[columns]
  stop_zeronorm(argument, paste0(paste(found, collapse = " or "), " values in column ", enumerate(labels), "."),
                if (length(missing)) gap_advice(argument)
                else "Remove or replace them; `impute` fills missing values only.")
}

# Columns that have an entry of a kind.
columns_with <- function(x, is) {
  if (is_delayed(x)) return(which(delayed_columns(x, function(block) colSums(is(block)) > 0)))
  if (inherits(x, "dgCMatrix")) return(unique(rep(seq_len(ncol(x)), diff(x@p))[is(x@x)]))
  which(colSums(is(x)) > 0)
}

# What y is, as the core takes it: list(task, y, levels, class).
#   two-class: y in {-1, +1}, the second level +1;   k-class: a column of -1/+1 for every level;
#   multi-label: a column of -1/+1 for every label;  regression: y itself, no levels.
# class: code of each observation's class, for strata and weights (one code for all where there is none).
encode_y <- function(y, n, task = "auto", takes = "two-class") {
  if (is.data.frame(y) && ncol(y) > 1 && all(vapply(y, is_number_column, NA))) y <- as.matrix(y)
  if (is_label_matrix(y, task)) return(encode_label_matrix(y, n))
  if (is.list(y) || is.function(y) || !is.null(dim(y)) && NCOL(y) != 1) {
    stop_zeronorm("y", paste0("is ", describe(y), "."), "Use a vector with one label for every row of `x`.")
  }
  if (length(y) != n) {
    stop_zeronorm("y", paste0("has ", length(y), if (length(y) == 1) " label" else " labels", " but `x` has ",
                              n, " rows."),
                  "Give one label for every row; if observations are columns, use t(x).")
  }
  if (anyNA(y)) stop_zeronorm("y", "has missing labels.", "Remove those observations.")
  if (is.numeric(y) && !is.factor(y)) return(encode_numeric_y(as.vector(y), task, takes))
  if (task == "regression") {
    stop_zeronorm("y", paste0("is ", describe(y), "."), "Regression needs a number for every row of `x`.")
  }
  if (!is.factor(y) && !is.logical(y) && !is.character(y)) {
    stop_zeronorm("y", paste0("is ", describe(y), "."), "Use factor(y).")
  }
  # The order of strings must not depend on the locale.
  y <- if (is.factor(y)) droplevels(y) else factor(as.vector(y), levels = sort(unique(y), method = "radix"))
  encode_classes(as.integer(y), levels(y))
}

encode_classes <- function(class, levels) {
  if (length(levels) == 1) {
    stop_zeronorm("y", paste0("has one class only: '", levels, "'."), "Give observations of two classes.")
  }
  if (length(levels) == 2) return(list(task = "two-class", y = 2 * class - 3, levels = levels, class = class))
  list(task = "k-class", y = outer(class, seq_along(levels), function(a, b) ifelse(a == b, 1, -1)),
       levels = levels, class = class)
}

# Numbers are classes where they are -1 and +1, or 0 and 1, or where classes were asked for; else values.
encode_numeric_y <- function(y, task, takes) {
  if (any(is.infinite(y))) stop_zeronorm("y", "has infinite values.", "Remove those observations.")
  values <- sort(unique(y))
  signs <- identical(as.double(values), c(-1, 1)) || identical(as.double(values), c(0, 1))
  guessed <- task == "auto" && (length(values) == 1 || signs && "two-class" %in% takes)
  if (task == "classification" || guessed) return(encode_classes(match(y, values), as.character(values)))
  if (task == "auto") {
    if (!"regression" %in% takes) stop_numeric(values)
    inform("y is numeric: regression.")
  }
  list(task = "regression", y = as.double(y), levels = NULL, class = rep(1L, length(y)))
}

stop_numeric <- function(values) {
  few <- length(values) <= 20 && all(values == round(values))
  stop_zeronorm("y", paste0("is numeric with ", length(values), " values, which means regression."),
                paste0(if (few) "Use factor(y) where they are classes; for regression use"
                       else "For regression use", " a method such as arom(epsilon = 0.1)."))
}

is_label_matrix <- function(y, task) {
  is.matrix(y) && ncol(y) > 1 && (is.logical(y) || is.numeric(y)) && all(y %in% c(0, 1, NA)) &&
    task != "regression"
}

# 0/1, a column for every label; an observation may have several or none.
encode_label_matrix <- function(y, n) {
  if (nrow(y) != n) {
    stop_zeronorm("y", paste("has", nrow(y), "rows but `x` has", n, "rows."),
                  "Give one row of labels for every row of `x`.")
  }
  if (anyNA(y)) stop_zeronorm("y", "has missing labels.", "Remove those observations.")
  levels <- if (is.null(colnames(y))) as.character(seq_len(ncol(y))) else colnames(y)
  void <- colMeans(y) %in% c(0, 1)
  if (any(void)) {
    stop_zeronorm("y", paste0("has one class only in label ", enumerate(levels[void]), "."),
                  "Leave that label out.")
  }
  list(task = "multi-label", y = unname(2 * y - 1), levels = levels, class = rep(1L, n))
}

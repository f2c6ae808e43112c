#' Predictions
#'
#' Columns are matched by name: order does not matter, further columns are ignored, and only features with
#' a nonzero weight are needed (a fit by formula needs all its variables). Without names on both sides
#' columns go by position, and their number must agree.
#'
#' @param object a fit of [zeronorm()].
#' @param newdata new observations in rows, of any kind [zeronorm()] takes; for a fit by formula a data frame;
#'   a [Bioconductor object][zeronorm-bioconductor].
#'   For a kernel matrix, the kernel values between new rows and all training rows.
#' @param type `"class"`: a factor with the levels of y, the second where the decision value is above 0, of
#'   several classes the first with the largest decision value; for several labels a 0/1 matrix.
#'   `"link"`: the decision value, of several classes or labels a matrix with a column for each; in regression
#'   the prediction. A value that is not larger than the rounding error of its own sum is 0, and decision values
#'   of several classes that differ by less than theirs are equal. `"prob"`: probabilities, once the fit is
#'   calibrated, see [calibrate_zeronorm()]: of two classes
#'   that of the second level, else a matrix. `"features"`: the selected features, for which no data are needed.
#'   NULL: `"class"`, or in regression `"link"`.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param newx another name for `newdata`.
#' @param cutoff what decides about the class: `"link"`, the sign of the decision value; or, once the fit is
#'   calibrated, `"calibrated"`, the larger probability, which agrees with `type = "prob"`.
#' @param ... unused, and an error if given.
#' @return For one solution a factor, a numeric vector, or a vector of features; for several a data frame of
#'   factors, a matrix, or a list. Where one solution is a matrix, several are a list of matrices. Solutions
#'   that failed are NA.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' predict(fit, x[1:3, ], type = "link")
#' predict(fit, x[1:3, ], s = 1)
#' @export
predict.zeronorm <- function(object, newdata, type = NULL, nonzero = NULL, s = NULL, index = NULL, newx,
                             cutoff = "link", ...) {
  check_unused(...)
  check_result(object)
  if (missing(newdata) && !missing(newx)) newdata <- newx
  regression <- object$task == "regression"
  if (is.null(type)) type <- if (regression) "link" else "class"
  type <- check_type(type, c(if (!regression) c("class", "prob"), "link", "features"))
  cutoff <- check_cutoff(object, cutoff, type)
  picked <- pick(object, nonzero, s, index)
  if (type == "features") return(selected(object, index = picked))
  if (missing(newdata)) stop_without_data("newdata", "Use predict(fit, newdata).")
  if (type == "prob") check_calibrated(object)
  f <- decision_values(object, newdata, picked)
  if (type == "class") return(classify(object, f, picked, cutoff))
  if (type == "prob") return(predicted_probabilities(object, f, picked))
  if (is.null(object$outputs)) return(if (length(picked) == 1) structure(as.vector(f), names = rownames(f)) else f)
  one_or_list(lapply(seq_along(picked), output_values, fit = object, f = f), object$labels[picked])
}

# What decides about the class.
check_cutoff <- function(fit, cutoff, type) {
  cutoff <- check_choice(cutoff, "cutoff", c("link", "calibrated"))
  if (cutoff == "link") return(cutoff)
  if (type != "class") {
    stop_zeronorm("cutoff", paste0("is \"calibrated\" with type = \"", type, "\"."), "Only classes have a cutoff.")
  }
  check_calibrated(fit, "cutoff", "calibrated")
  cutoff
}

# Words of other packages are pointed to ours.
check_type <- function(type, types) {
  ours <- c(response = if ("prob" %in% types) "prob" else "link", probability = "prob", posterior = "prob",
            probabilities = "prob", raw = "link", decision = "link", nonzero = "features",
            coefficients = "features")
  if (is.character(type) && length(type) == 1 && type %in% names(ours)) {
    stop_zeronorm("type", paste0("is \"", type, "\", which is called \"", ours[[type]], "\" here."),
                  paste0("Use one of ", paste0("\"", types, "\"", collapse = ", "), "."))
  }
  check_choice(type, "type", types)
}

# Decision values -> factors, or 0/1 matrices of labels; cutoff: "link" by the decision values, "calibrated" by the
# probabilities that they stand for.
classify <- function(fit, f, picked, cutoff = "link") {
  calibrated <- cutoff == "calibrated"
  k <- max(1L, length(fit$outputs))
  values <- if (calibrated) picked_probabilities(fit, f, picked)
            else lapply(seq_along(picked), function(s) f[, (s - 1) * k + seq_len(k), drop = FALSE])
  least <- if (calibrated) 0.5 else 0
  if (fit$task == "multi-label") {
    labels <- lapply(values, function(v) structure((v > least) + 0L, dimnames = list(rownames(f), fit$outputs)))
    return(one_or_list(labels, fit$labels[picked]))
  }
  classes <- lapply(values, function(v) {
    code <- if (is.null(fit$outputs)) (v[, 1] > least) + 1L else predicted_code(v, if (!calibrated) fit$pairs)
    factor(fit$levels[code], levels = fit$levels)
  })
  if (length(picked) == 1) return(structure(classes[[1]], names = rownames(f)))
  structure(classes, names = fit$labels[picked], class = "data.frame",
            row.names = if (is.null(rownames(f))) seq_len(nrow(f)) else rownames(f))
}

predicted_code <- function(values, pairs) if (is.null(pairs)) largest_output(values) else vote(values, pairs)

# The first of the largest in each row; NA where there are none.
largest_output <- function(values) {
  values[is.na(values)] <- -Inf
  code <- max.col(values, "first")
  replace(code, rowSums(is.finite(values)) == 0, NA)
}

# Columns of f that belong to its solution s, named by output.
output_values <- function(fit, f, s) {
  k <- length(fit$outputs)
  values <- f[, (s - 1) * k + seq_len(k), drop = FALSE]
  colnames(values) <- fit$outputs
  values
}

one_or_list <- function(items, labels) {
  if (length(items) == 1) items[[1]] else structure(items, names = labels)
}

# Rows of newdata x solutions; a column for each output of each solution where there are several.
decision_values <- function(fit, newdata, picked) {
  decisions(fit, encode_newdata(newdata, fit$encoding), picked)
}

# The same of data that are encoded.
decisions <- function(fit, newdata, picked) {
  decide <- if (!is.null(fit$networks)) network_decisions
            else if (!is_kernel_machine(fit)) linear_decisions
            else if (isTRUE(fit$machine$scaled)) scaled_decisions else kernel_decisions
  f <- by_rows(newdata, function(rows) decide(fit, rows, picked))
  outputs <- max(1, length(fit$outputs))
  f[, rep(!is_optimal(fit)[picked], each = outputs)] <- NA
  dimnames(f) <- list(rownames(newdata), rep(fit$labels[picked], each = outputs))
  f
}

linear_decisions <- function(fit, newdata, picked) {
  columns <- output_columns(fit, picked)
  w <- fit$coefficients[, columns, drop = FALSE]
  needed <- sort(unique(w@i[w@x != 0])) + 1L
  if (is.null(fit$polynomial) && is.null(fit$imputation) && !is_delayed(newdata)) {
    # Nothing of the data is copied.
    position <- column_positions(newdata, fit$features, needed, fit$d)
  } else {
    newdata <- needed_columns(fit, newdata, needed)
    position <- seq_along(needed)
  }
  f <- decision_sums(newdata, position, as.matrix(w[needed, , drop = FALSE]), fit$intercept[columns],
                     competing(fit))
  # Every column has a coefficient in one of the solutions, so that a value that is not finite shows.
  if (!all(is.finite(f))) check_finite(newdata[, position, drop = FALSE])
  f
}

# How many decision values of a solution are compared with each other.
competing <- function(fit) if (fit$task == "k-class" && is.null(fit$pairs)) length(fit$outputs) else 1L

# Products of values with coefficients and intercepts, a column for each solution and output.
combine_values <- function(fit, values, coefficients, intercept) {
  decision_sums(values, seq_len(ncol(values)), coefficients, intercept, competing(fit))
}

# What the coefficients at `needed` multiply.
needed_columns <- function(fit, newdata, needed) {
  if (!is.null(fit$polynomial)) return(needed_monomials(fit, newdata, needed))
  newdata <- fit_columns(fit, newdata, needed)
  check_finite(newdata)
  newdata
}

# The columns of fit$coefficients that belong to solutions.
output_columns <- function(fit, picked) {
  k <- max(1L, length(fit$outputs))
  as.vector(outer(seq_len(k), (picked - 1L) * k, "+"))
}

# At the cost of the support vectors of the solutions picked.
kernel_decisions <- function(fit, newdata, picked) {
  machine <- fit$machine
  columns <- output_columns(fit, picked)
  alpha <- machine$alpha[, columns, drop = FALSE]
  if (machine$kernel$kind == "matrix") {
    newdata <- match_columns(newdata, machine$training_rows, machine$rows, fit$n)
    check_finite(newdata)
    return(combine_values(fit, newdata, alpha, fit$intercept[columns]))
  }

  newdata <- fit_columns(fit, newdata, seq_len(fit$d))
  check_finite(newdata)
  newdata <- standardize_rows(as.matrix(newdata), machine)
  if (!is.null(machine$expansion)) return(projected_decisions(fit, newdata, picked))
  used <- which(rowSums(alpha != 0, na.rm = TRUE) > 0)
  points <- machine$x[used, , drop = FALSE]
  # In blocks of rows whose kernel values are some megabytes.
  rows <- max(1, floor(2^18 / max(1, length(used))))
  f <- matrix(0, nrow(newdata), length(columns))
  for (first in seq(1, by = rows, length.out = ceiling(nrow(newdata) / rows))) {
    block <- seq(first, min(first + rows - 1, nrow(newdata)))
    values <- kernel_values(machine$kernel, newdata[block, , drop = FALSE], points)
    f[block, ] <- combine_values(fit, values, alpha[used, , drop = FALSE], fit$intercept[columns])
  }
  f
}

# The observations that a fit gets wrong of the data it was trained on, for each solution: in classification those
# whose predicted class is another one, in regression those further away than the half width of its tube.
training_errors <- function(fit, request, kernel_values = NULL) {
  errors <- rep(NA_integer_, nrow(fit$certificate))
  solved <- which(is_optimal(fit))
  tube <- fit$method$model$epsilon
  if (!length(solved) || fit$task == "regression" && is.null(tube)) return(errors)
  f <- decisions(fit, if (is.null(kernel_values)) request$x$x else kernel_values, solved)
  y <- request$labels$y
  errors[solved] <- if (fit$task == "regression") {
    as.integer(colSums(abs(f - y) > tube + 1e-6 * max(abs(y) + tube)))
  } else {
    vapply(seq_along(solved), function(s) {
      wrong <- if (is.null(fit$outputs)) (f[, s] > 0) != (y > 0)
               else if (fit$task == "multi-label") rowSums((output_values(fit, f, s) > 0) != (y > 0)) > 0
               else predicted_code(output_values(fit, f, s), fit$pairs) != request$labels$class
      sum(wrong)
    }, 0L)
  }
  errors
}

check_finite <- function(newdata) if (!all_finite(newdata)) stop_not_finite(newdata, "newdata")

all_finite <- function(x) all(is.finite(if (is.matrix(x)) x else x@x))

#' Other verbs of a fit
#'
#' `update()` fits again with changed arguments, of [zeronorm()] or of the method; it takes the data, as the
#' fit has none. For the same reason `fitted()` and `residuals()` are errors that say what to do: fitted
#' values are `predict(fit, x)`, the residuals of a regression `y - predict(fit, x)`, and those of a
#' classification the slacks `pmax(0, 1 - sign * predict(fit, x, "link"))`, with a sign of 1 for the second
#' level and -1 for the first. There are no standard errors, as none hold after a selection; see
#' [stability_selection()] and [permutation_test()] for what takes their place.
#'
#' @param object,x a fit of [zeronorm()]; for `update()` `x` and `y` are data, as in [zeronorm()], with a
#'   formula `y` is the data frame.
#' @param y data, see `x`.
#' @param ... changed arguments.
#' @return `update()`: a new fit; `nobs()`: the number of observations of the training data; `formula()`: the
#'   formula of a fit that was made of one, a dot in it written out.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm())
#' update(fit, x, y, C = 0.2, standardize = FALSE)
#' nobs(fit)
#' formula(zeronorm(am ~ ., mtcars, l1_svm()))
#' @name zeronorm-verbs
NULL

#' @rdname zeronorm-verbs
#' @export
fitted.zeronorm <- function(object, ...) {
  stop_zeronorm("object", "keeps no training data.", "Use predict(fit, x).")
}

#' @rdname zeronorm-verbs
#' @export
residuals.zeronorm <- function(object, ...) {
  stop_zeronorm("object", "keeps no training data.", "Use y - predict(fit, x) in regression.")
}

#' @rdname zeronorm-verbs
#' @export
nobs.zeronorm <- function(object, ...) check_result(object)$n

#' @rdname zeronorm-verbs
#' @export
formula.zeronorm <- function(x, ...) {
  check_result(x, "x")
  encoding <- if (is.null(x$encoding$covariates)) x$encoding else x$encoding$covariates
  if (is.null(encoding$formula)) stop_zeronorm("x", "was not fitted by a formula.", "See x$method.")
  encoding$formula
}

#' @rdname zeronorm-verbs
#' @method update zeronorm
#' @export
update.zeronorm <- function(object, x, y, ...) {
  check_result(object)
  changes <- list(...)
  if (missing(x)) {
    if (is.null(object$encoding$formula) || is.null(changes$data)) {
      stop_without_data("x", "Use update(fit, x, y, ...).")
    }
    x <- object$encoding$formula
    y <- changes$data
    changes$data <- NULL
  } else if (missing(y)) {
    stop_without_data("y", "Use update(fit, x, y, ...).")
  }
  parameters <- intersect(names(changes), names(object$method$args))
  settings <- object$settings
  settings$method <- object$method
  if (length(parameters)) settings$method <- change_method(object$method, changes[parameters])
  n <- if (inherits(x, "formula")) nrow(y) else if (is_experiment(x)) ncol(x) else nrow(x)
  for (name in setdiff(c("weights", "foldid"), names(changes))) {
    settings[name] <- list(values_of_fit(object[[name]], n, name))
  }
  changes <- changes[setdiff(names(changes), parameters)]
  settings[names(changes)] <- changes
  if (is_experiment(x)) NULL else settings$assay <- NULL
  do.call(zeronorm, c(list(x, y), settings), quote = TRUE)
}

# The decision values of machines that each scale features in their own way.
scaled_decisions <- function(fit, newdata, picked) {
  machine <- fit$machine
  theta <- fit$coefficients[machine$columns, , drop = FALSE]
  newdata <- fit_columns(fit, newdata, machine$columns)
  check_finite(newdata)
  x <- standardize_rows(as.matrix(newdata), machine)
  each <- lapply(picked, function(k) {
    used <- which(theta[, k] > 0)
    values <- scaled_values(machine$kernel, x[, used, drop = FALSE], machine$x[, used, drop = FALSE],
                            theta[used, k])
    combine_values(fit, values, machine$alpha[, k, drop = FALSE], fit$intercept[k])
  })
  do.call(cbind, each)
}

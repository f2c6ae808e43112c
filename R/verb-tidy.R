#' A fit as tables
#'
#' The verbs of package generics, as broom and tidymodels use them. `tidy()`: a row for each coefficient of
#' each solution. `glance()`: one row for the whole fit. `augment()`: new observations with predictions beside
#' them.
#'
#' @param x a fit of [zeronorm()], or a result of [cv_zeronorm()].
#' @param return_zeros whether `tidy()` also lists features with a zero weight.
#' @param newdata new observations, of any kind [predict.zeronorm()] takes.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()]; `augment()` needs one, which is the choice
#'   `s = "1se"` of a cross-validation by default.
#' @param ... unused, and an error if given.
#' @return Tibbles where package tibble is installed, else data frames.
#'
#'   `tidy()`: `term` (a feature, or the number or name of the row of a support vector), `level` (of several
#'   classes or labels), `estimate` (on the scale of `x`), `importance` (of terms with a weight), the number
#'   of the `solution` and its tuning parameters. A solution that failed has one row, with an NA.
#'
#'   `glance()`: one row with `method`, `task`, `nobs`, `features` (the number of columns), `solutions`, how
#'   many of them `failed`, the smallest and the largest size (`nonzero_min`, `nonzero_max`), the kind of
#'   certificate, the largest `gap`, and `seconds`. [certificate()] has a row for each solution.
#'
#'   `augment()`: the columns of `newdata` (of a Bioconductor object `.rownames`, the names of the samples,
#'   and the sample data), then `.pred_class`, `.pred_<level>` where the fit is
#'   calibrated (see [calibrate_zeronorm()]), and `.fitted`, the decision value; of several
#'   classes `.fitted_<level>`, of several labels also `.pred_<label>`; in regression `.fitted` alone.
#'   Of a cross-validation `tidy()` has its summary, a row for each solution, with the columns `solution` and
#'   `chosen` (the choices that are this one), and `glance()` one row.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40, dimnames = list(NULL, paste0("g", 1:20)))
#' y <- factor(ifelse(x[, 1] - x[, 2] > 0, "up", "down"))
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' tidy(fit, s = 0.1)
#' glance(fit)
#' augment(fit, x[1:3, ], s = 1)
#' @name tidy.zeronorm
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' @rdname tidy.zeronorm
#' @export
tidy.zeronorm <- function(x, return_zeros = FALSE, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(x, "x")
  check_flag(return_zeros, "return_zeros")
  picked <- pick(x, nonzero, s, index)
  parts <- lapply(picked, function(k) solution_terms(x, k, return_zeros))
  rows <- rep(picked, vapply(parts, nrow, 0L))
  terms <- list2DF(bind_lists(parts))
  as_table(c(terms, list(solution = rows), tuning_columns(x, rows)))
}

# list(term, level, estimate, importance) of solution k, as a data frame.
solution_terms <- function(fit, k, return_zeros) {
  weights <- coef(fit, index = k)
  outputs <- if (is.list(weights)) names(weights)
  if (is.null(outputs)) weights <- list(weights)
  importance <- if (has_features(fit) && !is_kernel_machine(fit)) output_importance(fit, k)
  parts <- lapply(seq_along(weights), function(j) {
    w <- weights[[j]]
    shown <- return_zeros | ifelse(is.na(w), seq_along(w) == 1, w != 0)
    part <- list(term = names(w)[shown], level = rep(outputs[j], sum(shown)), estimate = unname(w)[shown])
    if (is.null(outputs)) part$level <- NULL
    if (!is.null(importance)) part$importance <- c(NA, importance[, j])[shown]
    list2DF(part)
  })
  list2DF(bind_lists(parts))
}

# Features x outputs of one solution: weights on the standardised scale, without their signs.
output_importance <- function(fit, k) {
  columns <- output_columns(fit, k)
  w <- fit$coefficients
  w@x <- fit$magnitude
  values <- as.matrix(w[, columns, drop = FALSE])
  if (!is_optimal(fit)[k]) values[] <- NA
  values
}

# Columns of data frames of the same columns, one below the other.
bind_lists <- function(parts) {
  fields <- names(parts[[1]])
  structure(lapply(fields, function(field) unlist(lapply(parts, `[[`, field))), names = fields)
}

tuning_columns <- function(fit, rows) as.list(fit$certificate[rows, fit$tuning, drop = FALSE])

# Columns of the same length as a tibble, or as a data frame if package tibble is not installed.
as_table <- function(columns, as_tibble = requireNamespace("tibble", quietly = TRUE)) {
  n <- if (length(columns)) NROW(columns[[1]]) else 0L
  if (as_tibble) return(tibble::new_tibble(as.list(columns), nrow = n))
  structure(as.list(columns), class = "data.frame", row.names = .set_row_names(n))
}

#' @rdname tidy.zeronorm
#' @export
glance.zeronorm <- function(x, ...) {
  check_unused(...)
  check_result(x, "x")
  table <- x$certificate
  ok <- is_optimal(x)
  extreme <- function(of, values) if (any(ok)) of(values[ok]) else NA
  as_table(list(
    method = x$method$name, task = x$task, nobs = x$n, features = x$d, solutions = nrow(table),
    failed = sum(!ok), nonzero_min = extreme(min, table$nonzero), nonzero_max = extreme(max, table$nonzero),
    kind = paste(unique(table$kind[ok]), collapse = ", "), gap = extreme(max, table$gap), seconds = x$seconds
  ))
}

#' @rdname tidy.zeronorm
#' @export
augment.zeronorm <- function(x, newdata, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(x, "x")
  if (missing(newdata)) stop_without_data("newdata", "Use augment(fit, newdata).")
  k <- one_solution(x, nonzero, s, index, "augment()")
  as_table(c(data_columns(newdata), prediction_columns(x, newdata, k)))
}

# Of a Bioconductor object the names of the samples and their data, which are what predictions belong to.
data_columns <- function(newdata) {
  if (is_experiment(newdata)) {
    names <- colnames(newdata)
    return(c(if (!is.null(names)) list(.rownames = names), as.list(open_experiment(newdata)$samples())))
  }
  as.list(if (is.data.frame(newdata)) newdata else as.data.frame(as.matrix(newdata)))
}

# Class, probabilities where the fit is calibrated, and decision values.
prediction_columns <- function(fit, newdata, k) {
  f <- decision_values(fit, newdata, k)
  if (fit$task == "regression") return(list(.fitted = unname(f[, 1])))
  class <- classify(fit, f, k)
  if (is.null(fit$outputs)) {
    return(c(list(.pred_class = unname(class)), probability_columns(fit, f, k),
             list(.fitted = unname(f[, 1]))))
  }
  link <- output_values(fit, f, 1)
  classes <- if (is.matrix(class)) named_columns(".pred_", class) else list(.pred_class = unname(class))
  c(classes, probability_columns(fit, f, k), named_columns(".fitted_", link))
}

# .pred_<level> for each class, where the fit is calibrated.
probability_columns <- function(fit, f, k) {
  if (is.null(fit$calibration) || !fit$task %in% c("two-class", "k-class")) return(NULL)
  named_columns(".pred_", level_probabilities(fit, predicted_probabilities(fit, f, k)))
}

# A column for each level; p: what predict(type = "prob") gives.
level_probabilities <- function(fit, p) {
  if (is.matrix(p)) unname_rows(p) else structure(unname(cbind(1 - p, p)), dimnames = list(NULL, fit$levels))
}

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

named_columns <- function(prefix, values) {
  structure(lapply(seq_len(ncol(values)), function(j) unname(values[, j])),
            names = paste0(prefix, colnames(values)))
}

#' @rdname tidy.zeronorm
#' @export
tidy.zeronorm_cv <- function(x, ...) {
  check_unused(...)
  check_result(x, "x")
  solution <- seq_len(nrow(x$summary))
  chosen <- vapply(solution, function(k) paste(names(x$best)[x$best == k], collapse = ", "), "")
  as_table(c(list(solution = solution), as.list(x$summary), list(chosen = chosen)))
}

#' @rdname tidy.zeronorm
#' @export
glance.zeronorm_cv <- function(x, ...) {
  check_unused(...)
  check_result(x, "x")
  least <- x$summary[x$best[["min"]], ]
  sparse <- x$summary[x$best[["1se"]], ]
  as_table(list(
    measure = x$measure, min = x$best[["min"]], mean_min = least$mean, nonzero_min = least$nonzero,
    `1se` = x$best[["1se"]], mean_1se = sparse$mean, nonzero_1se = sparse$nonzero, splits = length(x$splits),
    nobs = x$fit$n
  ))
}

#' @rdname tidy.zeronorm
#' @export
augment.zeronorm_cv <- function(x, newdata, s = "1se", nonzero = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(x, "x")
  augment(x$fit, newdata, index = pick_cv(x, s, nonzero, index))
}

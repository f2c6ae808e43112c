#' Calibrated probabilities
#'
#' Fits a sigmoid \eqn{P(y = 1 | f) = 1 / (1 + e^{-(a f + b)})} (Platt 2000) to decision values of
#' observations that were held out, so that `predict(type = "prob")` works on the fit. The held-out values
#' come from a cross-validation with the method and arguments of the fit, selection inside every fold. Of
#' several classes the sigmoids of the classes are normalised to sum to one. Results of [cv_zeronorm()] are
#' calibrated already.
#'
#' @param object a fit of [zeronorm()].
#' @param x,y the data it was fitted to.
#' @param folds,repeats,foldid,block,BPPARAM as in [cv_zeronorm()].
#' @param weights as in [zeronorm()]; left out, those of the fit.
#' @return The fit, with `$calibration`.
#' @references
#' Platt, J. (2000). Probabilities for SV machines. In *Advances in Large Margin Classifiers*, 61-74. MIT
#' Press.
#'
#' Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector
#' machines. *Machine Learning* 68, 267-276.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60)
#' y <- x[, 1] - x[, 2] + rnorm(60) > 0
#' fit <- calibrate_zeronorm(zeronorm(x, y, l1_svm(C = 0.3)), x, y)
#' predict(fit, x[1:3, ], type = "prob")
#' @export
calibrate_zeronorm <- function(object, x, y, folds = 10, repeats = 1, foldid = NULL, block = NULL, weights,
                               BPPARAM = NULL) {
  if (!inherits(object, "zeronorm")) {
    stop_zeronorm("object", paste0("is ", describe(object), "."), "Use a fit of zeronorm().")
  }
  check_result(object)
  if (object$task == "regression") {
    stop_zeronorm("object", "is a regression.", "Only classes have probabilities.")
  }
  request <- request_of(object, x, y, weights, block = block)
  if (observations(request) != object$n) {
    stop_zeronorm("x", paste("has", observations(request), "rows, but the fit saw", object$n, "observations."),
                  "Give the data of the fit.")
  }
  tasks <- draw_streams(fold_tasks(fold_columns(request, folds, repeats, foldid)))
  solutions <- nrow(object$certificate)
  results <- values_of(run_tasks(tasks, function(task) judge_fold(request, task, solutions),
                                 BPPARAM = BPPARAM))
  object$calibration <- calibrate_solutions(gather_links(tasks, results, request, object), request, object)
  object
}

check_calibrated <- function(fit) {
  if (!is.null(fit$calibration)) return(invisible())
  stop_zeronorm("type", "is \"prob\", but the fit is not calibrated on held-out decision values.",
                "Use calibrate_zeronorm(object, x, y), or predict from cv_zeronorm().")
}

# Decision values of the picked solutions as probabilities.
calibrated_values <- function(fit, f, picked) {
  k <- max(1L, length(fit$outputs))
  for (s in seq_along(picked)) {
    columns <- (s - 1) * k + seq_len(k)
    f[, columns] <- probabilities(f[, columns, drop = FALSE], fit$calibration[[picked[s]]], fit$task)
  }
  f
}

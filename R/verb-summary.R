#' Summary of a fit
#'
#' @param object a fit of [zeronorm()].
#' @param nonzero,s,index which solution's features are shown, as in [coef.zeronorm()]; needed only where there
#'   are several solutions and features are wanted.
#' @param most number of features shown.
#' @param ... unused, and an error if given.
#' @return An object of class `summary.zeronorm`: a list of `header`, the `certificate`, `shown`, the number of
#'   the solution, and `features`, a data frame with its features, weights, importance and the class that larger
#'   values of a feature speak for, `towards` (NULL for kernel machines, and where no solution was pointed at).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' summary(fit)
#' summary(fit, s = 1)
#' @method summary zeronorm
#' @export
summary.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, most = 20, ...) {
  check_unused(...)
  check_result(object)
  pointed <- !is.null(nonzero) || !is.null(s) || !is.null(index) || !is.null(object$asked)
  k <- if (pointed || nrow(object$certificate) == 1) one_solution(object, nonzero, s, index, "summary()")
  structure(class = "summary.zeronorm", list(
    header = header(object), certificate = object$certificate, shown = k, most = most,
    features = if (has_features(object) && !is.null(k)) feature_table(object, k),
    certain = how_certain(object), by_features = has_features(object)
  ))
}

# One column of weights, or one for each class or label, and the class that larger values of the feature speak for.
feature_table <- function(fit, k) {
  used <- solution_features(fit, k)
  order <- order(-used$importance, used$column)
  weights <- used$weight[order, , drop = FALSE]
  dimnames(weights) <- list(NULL, if (is.null(fit$outputs)) "weight" else fit$outputs)
  table <- data.frame(feature = feature_labels(fit)[used$column[order]], weights,
                      importance = used$importance[order], check.names = FALSE)
  table$towards <- class_of_weights(fit, weights)
  table
}

# NULL where features do not speak for a class: in regression, for labels, and for pairs of classes.
class_of_weights <- function(fit, weights) {
  if (fit$task == "two-class") return(fit$levels[1 + (weights[, 1] > 0)])
  if (fit$task == "k-class" && is.null(fit$pairs)) fit$levels[max.col(weights, "first")]
}

#' @method print summary.zeronorm
#' @export
print.summary.zeronorm <- function(x, digits = 2, ...) {
  cat(x$header, x$certain, sep = "\n")
  cat("\nSolutions\n")
  left_out <- c("primal", "dual", "fallback", "kind", if (x$by_features) "support_vectors" else "nonzero")
  print(x$certificate[setdiff(names(x$certificate), left_out)], digits = digits)
  if (is.null(x$features)) return(invisible(x))
  cat("\nFeatures of solution", x$shown, "\n")
  print(head(x$features, x$most), digits = digits, row.names = FALSE)
  if (nrow(x$features) > x$most) cat("... and", nrow(x$features) - x$most, "more: see selected()\n")
  invisible(x)
}

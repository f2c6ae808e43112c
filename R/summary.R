#' Summary of a fit
#'
#' @param object a fit of [zeronorm()].
#' @param most number of features shown per solution.
#' @param ... unused, and an error if given.
#' @return An object of class `summary.zeronorm`: a list of `header`, the `certificate` and `features`, a
#'   data frame with the selected features, weights and importance of the sparsest solution with fewest
#'   training errors (NULL for kernel machines).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' summary(zeronorm(x, y, l1_svm(C = c(0.1, 1))))
#' @method summary zeronorm
#' @export
summary.zeronorm <- function(object, most = 20, ...) {
  check_unused(...)
  check_seal(object)
  structure(class = "summary.zeronorm", list(
    header = header(object), certificate = object$certificate, shown = shown_solution(object), most = most,
    features = if (has_features(object)) feature_table(object, shown_solution(object)),
    certain = how_certain(object)
  ))
}

# The sparsest among the solutions with fewest training errors.
shown_solution <- function(fit) {
  table <- fit$certificate
  ok <- which(is_optimal(fit))
  ok[order(table$errors[ok], table$nonzero[ok])[1]]
}

# One column of weights, or one for each class or label.
feature_table <- function(fit, k) {
  used <- solution_features(fit, k)
  order <- order(-used$importance, used$column)
  weights <- used$weight[order, , drop = FALSE]
  dimnames(weights) <- list(NULL, if (is.null(fit$outputs)) "weight" else fit$outputs)
  data.frame(feature = feature_labels(fit)[used$column[order]], weights,
             importance = used$importance[order], check.names = FALSE)
}

#' @method print summary.zeronorm
#' @export
print.summary.zeronorm <- function(x, digits = 2, ...) {
  cat(x$header, x$certain, sep = "\n")
  cat("\nSolutions\n")
  left_out <- c("primal", "dual", "fallback", "kind",
                if (is.null(x$features)) "nonzero" else "support_vectors")
  print(x$certificate[setdiff(names(x$certificate), left_out)], digits = digits)
  if (is.null(x$features)) return(invisible(x))
  cat("\nFeatures of solution", x$shown, "\n")
  print(head(x$features, x$most), digits = digits, row.names = FALSE)
  if (nrow(x$features) > x$most) cat("... and", nrow(x$features) - x$most, "more: see selected()\n")
  invisible(x)
}

#' Multiplicative update
#'
#' Another name of [arom()] for data that need not be separable: `arom("l2", errors = "l2")`. A machine is
#' trained on the features times their scales, \eqn{z_j \leftarrow z_j |w_j|}, and so on, with quadratic
#' errors: this minimises
#' \eqn{\sum_j \ln |w_j|} with the slacks of \eqn{\frac12 |w|^2 + \frac{\lambda^2}{2} \sum_i \xi_i^2} at the
#' fixed point.
#'
#' @inheritParams arom
#' @inheritParams fsv
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] + 0.3 * rnorm(40) > 0
#' selected(zeronorm(x, y, multiplicative_update(nonzero = 2)))
#' @concept methods by a concave penalty
#' @export
multiplicative_update <- function(nonzero = NULL, lambda = 1, epsilon = NULL, multiclass = "joint",
                                  refit = "l2", refit_C = Inf, refit_multiclass = "m_svm", stop = NULL) {
  args <- arguments()
  method <- do.call(arom, c(list("l2", errors = "l2"), args[names(args) != "stop"]))
  method["folds"] <- list(validation_folds(stop, nonzero = nonzero))
  method$name <- "multiplicative_update"
  method$label <- "multiplicative update"
  method$args <- args
  method$declares$blocks <- character()
  method
}

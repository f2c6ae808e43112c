#' Support vector machine with the l1 norm
#'
#' \deqn{\min_{w,b} \sum_j c_j |w_j| + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i (w'x_i + b))}
#' A linear programme; many of its weights are exactly zero. `C = Inf` asks for a hard margin and is an
#' error where the classes are not separable.
#'
#' @param C cost parameter: the penalty on margin violations; a vector is a path, fitted with warm starts.
#' @param costs price \eqn{c_j} of each feature, in the order of the columns or named; NULL means 1. An
#'   unpenalised feature is better named in `zeronorm(unpenalized = )`.
#' @param stop NULL, or `"validation"`: of the path only the solution is kept whose mean slack on held-out
#'   observations is least, fitted to the others; see [lasso()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- ifelse(x[, 1] - x[, 2] > 0, "up", "down")
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' certificate(fit)
#' @concept methods by the l1 norm
#' @export
l1_svm <- function(C = 1, costs = NULL, stop = NULL) {
  args <- arguments()
  C <- check_C(C)
  new_method("l1_svm", "l1-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 1, 0),
             reference = "Bradley and Mangasarian (1998)", model = new_model(costs = check_costs(costs)),
             folds = validation_folds(stop, hard = any(is.infinite(C))), declares = declare(blocks = "two-class"))
}

#' Support vector machine with the maximum norm
#'
#' \deqn{\min_{w,b} \max_j |w_j| + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i (w'x_i + b))}
#' A linear programme. All but about as many weights as there are observations are of the same size, and none
#' is zero: it is the opposite of a sparse machine. `C = Inf` asks for a hard margin and is an error where the
#' classes are not separable.
#'
#' @inheritParams l1_svm
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 10), 40)
#' y <- x[, 1] - x[, 2] > 0
#' coef(zeronorm(x, y, linf_svm(C = 0.1)))
#' @concept methods without selection
#' @export
linf_svm <- function(C = 1) {
  args <- arguments()
  C <- check_C(C)
  new_method("linf_svm", "linf-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 1, 0),
             reference = "Bradley and Mangasarian (1998)", model = new_model(sharing = "all"))
}

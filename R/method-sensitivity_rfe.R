#' Recursive elimination by the sensitivity of the decision function
#'
#' As [svm_rfe()], but features are scored by how much the decision function changes with them at the
#' observations,
#' \deqn{t_{jk} = \frac{\partial f}{\partial x_j}(x_k), \qquad \sum_k |t_{jk}| \quad \mbox{or} \quad
#'   \Big(\sum_k t_{jk}^2\Big)^{1/2},}
#' derivatives by the standardised features. For the linear kernel \eqn{t_{jk} = w_j} at every observation, so
#' that both norms put the features in the order of [svm_rfe()]. Observations of weight c count c times.
#'
#' @param norm norm of the slopes over the observations: `"l2"` or `"l1"`.
#' @inheritParams svm_rfe
#' @param kernel `"linear"`, [gaussian_kernel()] or [poly_kernel()]; the classifier is the kernel machine on
#'   the features that stayed. The default width of the Gaussian is that for all features.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Leray, P. and Gallinari, P. (1999). Feature selection with neural networks. *Behaviormetrika* 26, 145-166.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 10), 60)
#' y <- rowSums(x[, 1:2]^2) > 1.4
#' fit <- zeronorm(x, y, sensitivity_rfe(nonzero = 2, C = 10, kernel = gaussian_kernel(2)))
#' selected(fit)
#' @concept methods by dropping features
#' @export
sensitivity_rfe <- function(norm = "l2", nonzero = NULL, step = 0.5, C = Inf, kernel = "linear",
                            groups = NULL, group_score = "sum", refit = "l2", refit_C = Inf) {
  args <- arguments()
  norm <- check_choice(norm, "norm", c("l2", "l1"))
  kernel <- as_kernel(kernel)
  if (!is.null(kernel)) check_kernel_rfe(kernel, refit, refit_C, c("gaussian", "poly"))
  C <- check_C(C)
  new_elimination("sensitivity_rfe", "sensitivity RFE", args, tuning = data.frame(C = C),
                  steps = steps_of_C(C, 0, 1), reference = "Leray and Gallinari (1999)", kernel = kernel,
                  selection = new_selection(args, path = TRUE, search_C = TRUE),
                  core = list(judge = if (is.null(kernel)) "weight" else norm))
}

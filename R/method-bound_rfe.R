#' Recursive elimination by bounds on the leave-one-out error
#'
#' Trains a machine, drops the features without which a bound on its leave-one-out error rises least, and
#' repeats. The bounds are
#' \deqn{4 R^2 |w|^2 \qquad \mbox{and} \qquad \sum_k \alpha_k S_k^2, \quad S_k^2 = 1 / (\tilde K^{-1})_{kk},
#'   \quad \tilde K = \left(\begin{array}{cc} K_{SV} & 1 \\ 1' & 0 \end{array}\right),}
#' R the radius of the smallest ball around the observations and \eqn{S_k} the distance of a support vector
#' from the affine hull of the others. `rounds()` has the bound of every round as its objective.
#'
#' The machine has a hard margin (`C = Inf`), or squared slacks, \eqn{\frac12 |w|^2 + \frac{C}{2} \sum_i
#' \xi_i^2}, which are a hard margin with the ridge 1/C on the kernel matrix. With `C = Inf` the first round
#' whose features do not separate the classes, or so narrowly that no hard margin is found, brings a ridge, a
#' tenth of the mean squared distance of the observations from their mean, which stays; [certificate()] then
#' has its C. An observation of weight c is c observations.
#'
#' With `order = 0` the score of a feature is the rise of the bound without it. `retrain = TRUE` trains a
#' machine without each feature (or group). Otherwise the multipliers \eqn{\alpha} of the machine are used
#' again: for the radius-margin bound weak duality makes \eqn{2 \sum_k \alpha_k - W_{-j}^2(\alpha)},
#' \eqn{W_{-j}^2} the norm of w without the feature, a bound on the new \eqn{|w|^2}, and the centre of the
#' ball stays; for the span estimate the multipliers are stretched by \eqn{\sum_k \alpha_k /
#' W_{-j}^2(\alpha)}, the best multiple of them. Multipliers used as they are would say of the very features
#' that separate the classes that the bound falls without them.
#'
#' With `order = 1` the score is \eqn{|\partial\, bound / \partial \sigma_j|} at \eqn{\sigma = 1}, features
#' times \eqn{\sigma}. This is cheap, and ranks poorly at times: the slope is large as well for features that
#' do harm.
#'
#' @param bound `"radius_margin"` or `"span"`.
#' @param order 0: the rise of the bound without the feature; 1: its slope in the scale of the feature.
#' @param retrain for `order = 0`: whether machines are trained without each feature.
#' @inheritParams svm_rfe
#' @param C cost parameter: the penalty on squared margin violations; Inf is a hard margin.
#' @param kernel `"linear"`, [gaussian_kernel()], [poly_kernel()] or [chi2_kernel()]. The default width of the
#'   Gaussian is that for all features.
#' @param groups group of each feature, as in [svm_rfe()]: the features of a group are dropped together.
#' @param refit the machine trained on the selected features: `"l2"` or `"l1"`, with a kernel `"l2"`.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Rakotomamonjy, A. (2003). Variable selection using SVM-based criteria. *JMLR* 3, 1357-1370.
#'
#' Vapnik, V. and Chapelle, O. (2000). Bounds on error expectation for support vector machines. *Neural
#' Computation* 12, 2013-2036.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, bound_rfe("span", nonzero = c(10, 2)))
#' selected(fit, nonzero = 2)
#' rounds(fit, nonzero = 2)
#' @concept methods by dropping features
#' @export
bound_rfe <- function(bound = "radius_margin", order = 0, retrain = FALSE, nonzero = NULL, step = 0.5,
                      C = Inf, kernel = "linear", groups = NULL, group_score = "sum", refit = "l2",
                      refit_C = Inf) {
  args <- arguments()
  retrain <- check_flag(retrain, "retrain")
  order <- check_order(order, retrain)
  kernel <- as_kernel(kernel)
  if (!is.null(kernel)) check_scalable(kernel, c("gaussian", "poly", "chi2"))
  check_kernel_refit(refit, kernel)
  new_elimination("bound_rfe", "bound RFE", args, tuning = data.frame(row.names = 1L),
                  steps = new_steps(0, 1, 1), reference = "Rakotomamonjy (2003)", family = "bound_elimination",
                  kernel = kernel, selection = new_selection(args, c("l2", "l1"), path = TRUE),
                  core = list(bound = check_choice(bound, "bound", c("radius_margin", "span")), order = order,
                              C = check_number(C, "C", open_lower = TRUE, infinite = TRUE)))
}

check_order <- function(order, retrain) {
  order <- check_count(order, "order", lower = 0)
  if (order > 1) stop_zeronorm("order", paste0("is ", order, "."), "Use 0 or 1.")
  if (order == 1 && retrain) {
    stop_zeronorm("retrain", "is TRUE with order = 1, where slopes are taken of one machine.",
                  "Use order = 0, or leave it out.")
  }
  order
}

#' Scales of features by the radius-margin criterion
#'
#' Scales every feature by \eqn{\sigma_j} so that
#' \deqn{R^2(\sigma)\, |w(\sigma)|^2}
#' is least, which bounds the leave-one-out error of the machine trained on the scaled features: w is the
#' hard-margin machine, R the radius of the smallest ball around the observations. Then the features that
#' matter least are discarded. With a finite `step` the scales of the rest are set anew, and so on down to the
#' smallest number of features asked for. The final classifier is trained on the selected features without
#' scales.
#'
#' With the linear kernel the minimum over scales is a global one: `rounds()` shows in each round the least
#' \eqn{R^2 |w|^2}, the number of features it was found for and its relative distance from a lower bound.
#' Many scales are exactly 0 there.
#'
#' Two other criteria estimate the error itself. The span estimate is
#' \deqn{\sum_k \alpha_k S_k^2, \quad S_k^2 = \frac{1}{(\tilde K + D)^{-1}_{kk}} - D_{kk}, \quad
#'   \tilde K = \left(\begin{array}{cc} K_{SV} & 1 \\ 1' & 0 \end{array}\right), \quad D_{kk} =
#'   0.1 / \alpha_k,}
#' where D makes it continuous as support vectors come and go, see [bound_rfe()]. The validation error is the
#' mean of \eqn{1 / (1 + e^{5 y f})} over a third of the observations, drawn at random from each class alike,
#' for the machine trained on the others; with `zeronorm(foldid = )` nothing is drawn, and the fold of the
#' smallest number is held out. The final classifier is trained on all observations. Both have many local
#' minima and slopes that jump: the search starts at equal scales and may end where they do. The gap in
#' `rounds()` is the largest slope left, here and with a kernel.
#'
#' A finite `C` adds a ridge 1/C to the kernel matrix in both factors, which makes the margin soft (squared
#' slacks, \eqn{|w|^2 + C \sum_i \xi_i^2}), and scales lie within 0 and 1. With `C = Inf` the margin is
#' hard as long as the features left separate the classes; from where they do not, there is a ridge, whose
#' size is chosen by the criterion like a scale. [certificate()] then has the last C in use.
#'
#' @param nonzero exact target numbers of features, `"path"`: all, half of them, a quarter, ..., 1, or NULL:
#'   the features whose scale is not 0. Features named `keep` or `unpenalized` in [zeronorm()] count.
#' @param criterion `"radius_margin"`; `"variance"`: in the place of \eqn{R^2} the mean squared distance from
#'   the mean; `"span"`: the span estimate of the leave-one-out error; `"validation"`: the smoothed error on
#'   observations held out.
#' @param discard which features matter least: `"scale"`, those of smallest \eqn{\sigma_j}; `"retrain"`, those
#'   without which the criterion, the machine trained again, rises least; `"second_order"`, those of smallest
#'   \eqn{\sigma_j^2\, \partial^2 T / \partial \sigma_j^2}, T the criterion.
#' @param kernel_parameters whether the criterion chooses the size of the ridge too (with a kernel only where
#'   `C` is finite), and the scales within a kernel have no upper bound, so that its width is chosen as well.
#' @param kernel `"linear"`, [gaussian_kernel()], [poly_kernel()] or [chi2_kernel()], in which features are
#'   scaled; with a kernel the minimum is a local one.
#' @param C cost parameter: the penalty on squared margin violations; Inf is a hard margin.
#' @param step features discarded before scales are set anew: a share of those left (below 1), or their
#'   number. Inf: scales are set once and every number of features is read off them, which is what the tables
#'   of Weston et al. (2003) agree with; 0.5 selects better there.
#' @param refit the machine trained on the selected features: `"l2"` or `"l1"`.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Weston, J., Mukherjee, S., Chapelle, O., Pontil, M., Poggio, T. and Vapnik, V. (2001). Feature selection
#' for SVMs. *NIPS* 13, 668-674.
#'
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#'
#' Chapelle, O., Vapnik, V., Bousquet, O. and Mukherjee, S. (2002). Choosing multiple parameters for support
#' vector machines. *Machine Learning* 46, 131-159.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, r2w2(nonzero = c(10, 2)))
#' selected(fit, nonzero = 2)
#' rounds(fit, nonzero = 2)
#' @concept methods by scales and posteriors
#' @export
r2w2 <- function(nonzero = NULL, criterion = "radius_margin", discard = "scale", kernel_parameters = FALSE,
                 kernel = "linear", C = Inf, step = Inf, refit = "l2", refit_C = Inf) {
  args <- arguments()
  scaling <- list(
    criterion = check_choice(criterion, "criterion", c("radius_margin", "variance", "span", "validation")),
    discard = check_choice(discard, "discard", c("scale", "retrain", "second_order")),
    tune = check_flag(kernel_parameters, "kernel_parameters"),
    C = check_number(C, "C", open_lower = TRUE, infinite = TRUE), step = check_rounds_step(step)
  )
  kernel <- as_kernel(kernel)
  if (!is.null(kernel)) check_scalable(kernel, c("gaussian", "poly", "chi2"))
  check_kernel_refit(refit, kernel)
  new_method("r2w2", "R2W2", args, tuning = data.frame(row.names = 1L), steps = new_steps(0, 1, 1),
             reference = "Weston, Mukherjee, Chapelle, Pontil, Poggio and Vapnik (2001)", family = "r2w2",
             model = new_model(kernel = kernel, scaled = !is.null(kernel)),
             selection = new_selection(args, c("l2", "l1")), core = scaling,
             folds = if (criterion == "validation") 3L,
             declares = declare(certificate = "stationarity", descends = FALSE))
}

prepare_problem.zeronorm_r2w2 <- function(method, problem) {
  if (method$core$criterion == "validation") check_validation(problem)
  problem
}

# A share below 1, a whole number, or Inf.
check_rounds_step <- function(step) {
  step <- check_number(step, "step", open_lower = TRUE, infinite = TRUE)
  if (step < 1 || step == round(step)) return(step)
  stop_zeronorm("step", paste0("is ", describe(step), "."), "Use a share below 1, a whole number, or Inf.")
}

core_options.zeronorm_r2w2 <- function(method, problem, steps) c(method$core, list(folds = problem$folds))

#' Adaptive scaling of features
#'
#' Scales every feature by \eqn{\sigma_j \ge 0}, the scales as parameters of the machine itself:
#' \deqn{\min_{\sigma \ge 0,\, \|\sigma\|_p = \sigma_0}\; \max_{0 \le \alpha \le C,\, y'\alpha = 0}\;
#'   \sum_i \alpha_i - \frac12 \sum_{i,k} \alpha_i \alpha_k y_i y_k\, k(\sigma * x_i, \sigma * x_k)}
#' which is the least value of the machine trained on the scaled features. The closer p is to 0, the fewer
#' scales are not 0. The classifier is that machine.
#'
#' With the linear kernel the weights w of the features as they were minimise
#' \deqn{\frac{1}{2 \sigma_0^2} \Big(\sum_j |w_j|^r\Big)^{2/r} + C \sum_i \xi_i, \quad r = \frac{2p}{p + 2},
#'   \qquad \sigma_j \propto |w_j|^{2/(p + 2)}}
#' so that p = 2 is the squared l1 norm. For \eqn{p \ge 2} the problem is convex in \eqn{\sigma^2}, the
#' minimum a global one, and the gap in [certificate()] its distance from a lower bound. For \eqn{p < 2},
#' where the search starts at the scales for p = 2, and with a kernel it is a local minimum; the gap is then
#' how much the value would fall if it fell everywhere as it does there.
#'
#' @param p exponent of the norm; several make a grid, as do several `sigma0` and `C`.
#' @param sigma0 norm of the scales; NULL means 1, or with a kernel \eqn{d^{1/p}}, the norm of d scales of 1.
#' @param C cost parameter: the penalty on margin violations. Inf asks for a hard margin, an error where the
#'   classes are not separable.
#' @param kernel `"linear"`, [gaussian_kernel()], [poly_kernel()] or [chi2_kernel()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()]. With a kernel, [feature_importance()]
#'   has \eqn{\sigma_j^2}. Features named `keep` in [zeronorm()] have the scale \eqn{\sigma_0}, outside the
#'   norm.
#' @references
#' Grandvalet, Y. and Canu, S. (2003). Adaptive scaling for feature selection in SVMs. *NIPS* 15, 553-560.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, adaptive_scaling(p = c(1, 2), C = 10))
#' certificate(fit)
#' selected(fit, index = 1)
#' @concept methods by scales and posteriors
#' @export
adaptive_scaling <- function(p = 2, sigma0 = NULL, C = 1, kernel = "linear") {
  args <- arguments()
  p <- check_numbers(p, "p", open_lower = TRUE)
  sigma0 <- if (is.null(sigma0)) NA_real_ else check_numbers(sigma0, "sigma0", open_lower = TRUE)
  kernel <- as_kernel(kernel)
  if (!is.null(kernel)) check_scalable(kernel, c("gaussian", "poly", "chi2"))
  tuning <- expand.grid(p = p, sigma0 = sigma0, C = check_C(C), KEEP.OUT.ATTRS = FALSE)
  convex <- is.null(kernel) && all(p >= 2)
  new_method("adaptive_scaling", "adaptive scaling", args,
             tuning = tuning[c(TRUE, !anyNA(sigma0), TRUE)],
             steps = cbind(steps_of_C(tuning$C, 0, 1), tuning[c("p", "sigma0")]),
             reference = "Grandvalet and Canu (2003)", family = "adaptive_scaling",
             model = new_model(kernel = kernel, scaled = !is.null(kernel)),
             declares = declare(certificate = if (convex) "gap" else "stationarity"))
}

core_options.zeronorm_adaptive_scaling <- function(method, problem, steps) {
  free <- if (is.null(problem$machine)) 1 else problem$d^(1 / steps$p)
  list(p = steps$p, sigma0 = ifelse(is.na(steps$sigma0), free, steps$sigma0))
}

#' Joint classifier and feature optimisation
#'
#' Scales \eqn{\sigma \ge 0} of the features within a kernel are learned together with the classifier
#' \deqn{f(x) = \sum_k a_k\, k(\sigma * x, \sigma * x_k) + b,}
#' a probit model, \eqn{P(y = 1 \mid x) = \Phi(f(x))}, with Laplace priors on the coefficients and the scales,
#' so that both are sparse: the largest posterior is the least of
#' \deqn{-\sum_i \ln \Phi(y_i f(x_i)) + \gamma_1 \sum_k |a_k| + \gamma_2 \sum_j \sigma_j}
#' (the paper's \eqn{\sqrt{\gamma_1}} and \eqn{\sqrt{\gamma_2}} are the prices here).
#'
#' For given scales the best a and b are those of a convex problem, which is solved exactly where the paper
#' takes steps of the EM algorithm; the scales are found by a projected quasi-Newton method from
#' \eqn{\sigma = 1}. A local optimum; no round lowers the posterior. Once a scale is 0 it stays so. Where the
#' prices are too high nothing is left.
#'
#' @param gamma1 price of the coefficients, above 0.
#' @param gamma2 price of the scales. Vectors of both make a grid.
#' @param kernel `"linear"`, [gaussian_kernel()] or [poly_kernel()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()]. In the fit, [selected()] has
#'   the features whose scale is not 0 in the order of \eqn{\sigma_j}, [feature_importance()] the \eqn{\sigma_j}, and
#'   [coef.zeronorm()] the coefficients of the observations that are used.
#' @references
#' Krishnapuram, B., Hartemink, A. J., Carin, L. and Figueiredo, M. A. T. (2004). A Bayesian approach to joint
#' feature selection and classifier design. *IEEE Transactions on Pattern Analysis and Machine Intelligence*
#' 26, 1105-1111.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 6), 60)
#' y <- rowSums(x[, 1:2]^2) > 1.4
#' fit <- zeronorm(x, y, jcfo(gamma1 = 0.1, gamma2 = 1, kernel = gaussian_kernel(1)))
#' feature_importance(fit)
#' @concept methods by scales and posteriors
#' @export
jcfo <- function(gamma1 = 0.1, gamma2 = 0.1, kernel = "linear") {
  args <- arguments()
  tuning <- expand.grid(gamma1 = check_numbers(gamma1, "gamma1", open_lower = TRUE),
                        gamma2 = check_numbers(gamma2, "gamma2"), KEEP.OUT.ATTRS = FALSE)
  kernel <- as_kernel(kernel)
  if (is.null(kernel)) kernel <- poly_kernel(1)
  new_method("jcfo", "joint classifier and feature optimisation", args, tuning,
             steps = cbind(new_steps(0, 1, 1), tuning[c("gamma1", "gamma2")]),
             reference = "Krishnapuram, Hartemink, Carin and Figueiredo (2004)", family = "jcfo",
             model = new_model(kernel = check_scalable(kernel, c("gaussian", "poly")), scaled = TRUE),
             declares = declare(sparse = FALSE, certificate = "stationarity"))
}

core_options.zeronorm_jcfo <- function(method, problem, steps) {
  list(gamma1 = steps$gamma1, gamma2 = steps$gamma2)
}

#' Maximum entropy discrimination with feature selection
#'
#' A feature is switched on with prior probability \eqn{p_0}, weights are Gaussian, and the distribution over
#' both that comes nearest to the prior and keeps the margins in the mean is sought:
#' \deqn{\max_{0 \le \lambda_i < C,\; \sum_i \lambda_i y_i = 0}\;
#'   \sum_i \left[\lambda_i + \ln(1 - \lambda_i / C)\right] -
#'   \sum_j \ln\left(1 - p_0 + p_0 e^{W_j^2 / 2}\right), \quad W_j = \sum_i \lambda_i y_i x_{ij}}
#' The decision value is that of the mean weights,
#' \deqn{f(x) = \sum_j p_j W_j x_j + b, \quad p_j = 1 / \left(1 + \frac{1 - p_0}{p_0} e^{-W_j^2 / 2}\right)}
#' and \eqn{p_j} is the posterior probability of feature j: [feature_importance()] gives it. Features of small
#' \eqn{W_j} are next to ignored, but no weight is exactly zero; `nonzero` keeps those of the largest
#' \eqn{|W_j|} and trains a machine on them. With \eqn{p_0 = 1} nothing is switched off.
#'
#' Solved by Newton's method on the dual problem, a linear machine with smooth loss and regulariser;
#' [certificate()] has the gap between both. Without an intercept the constraint \eqn{\sum_i \lambda_i y_i =
#' 0} is left out. Features named `unpenalized` have no prior, those named `keep` are never switched off.
#'
#' @param p0 prior probability of a feature, above 0 and at most 1.
#' @param C bound of the multipliers, above 1. Vectors of `p0` and `C` make a grid.
#' @param nonzero exact target numbers of features, `"path"`: all, half of them, a quarter, ..., 1, or NULL:
#'   the machine of all features. Features named `keep` or `unpenalized` count.
#' @param refit where `nonzero` is given, the machine trained on the selected features: `"l2"`, `"l1"` or
#'   `"none"`, which leaves the weights as they are.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Jebara, T. and Jaakkola, T. (2000). Feature selection and dualities in maximum entropy discrimination.
#' *UAI* 16, 291-300.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, med_svm(p0 = 0.01))
#' head(feature_importance(fit))
#' selected(zeronorm(x, y, med_svm(p0 = 0.01, nonzero = 2)))
#' @concept methods by scales and posteriors
#' @export
med_svm <- function(p0 = 0.1, C = 10, nonzero = NULL, refit = "l2", refit_C = Inf) {
  args <- arguments()
  tuning <- expand.grid(p0 = check_numbers(p0, "p0", open_lower = TRUE, upper = 1),
                        C = check_numbers(C, "C", lower = 1, open_lower = TRUE), KEEP.OUT.ATTRS = FALSE)
  new_method("med_svm", "maximum entropy discrimination", args,
             tuning = tuning[c("p0", if (length(C) > 1) "C")],
             steps = cbind(new_steps(0, 0, 1), tuning[c("p0", "C")]), reference = "Jebara and Jaakkola (2000)",
             family = "med_svm", selection = new_selection(args))
}

core_options.zeronorm_med_svm <- function(method, problem, steps) list(p0 = steps$p0, C = steps$C)

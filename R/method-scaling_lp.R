#' Scales of features by a linear programme
#'
#' The scales \eqn{\sigma} of the features, \eqn{\sum_j \sigma_j^2 = 1}, that give the linear machine the
#' largest margin,
#' \deqn{\min_\sigma \max_{\alpha \ge 0,\, \sum_i \alpha_i y_i = 0} \sum_i \alpha_i -
#'   \frac12 \sum_{ik} \alpha_i \alpha_k y_i y_k \sum_j \sigma_j^2 x_{ij} x_{kj},}
#' which is the variance form of the radius-margin criterion ([r2w2()]) for standardised features. Its dual is
#' the linear programme
#' \deqn{\max_\alpha \sum_i \alpha_i \quad \mbox{subject to} \quad \alpha \ge 0, \quad
#'   \sum_i \alpha_i y_i = 0, \quad -1 \le \sum_i \alpha_i y_i x_{ij} \le 1,}
#' whose multipliers are \eqn{\sigma_j^2} up to a factor. That is the dual of [l1_svm()] with `C = Inf`, and
#' so \eqn{\sigma_j^2 = |w_j| / \sum_k |w_k|} with the weights w of that machine: this is one call of it. The
#' machine of the features so scaled has the weights w as well. [feature_importance()] gives the \eqn{|w_j|}. An error
#' where the classes are not separable.
#'
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#'
#' Peleg, D. and Meir, R. (2004). A feature selection algorithm based on the global minimization of a
#' generalization error bound. *NIPS* 17, 1065-1072.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, scaling_lp())
#' head(sqrt(feature_importance(fit) / sum(feature_importance(fit))))
#' @concept methods by the l1 norm
#' @export
scaling_lp <- function() {
  new_method("scaling_lp", "scales by a linear programme", list(), tuning = data.frame(row.names = 1L),
             steps = steps_of_C(Inf, 1, 0), reference = "Lal, Chapelle, Weston and Elisseeff (2006)",
             declares = declare(soft = "Use l1_svm() with a finite C."))
}

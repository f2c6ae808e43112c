#' Grafting
#'
#' \deqn{\min_{w,b} \frac1n \sum_i L(y_i, f(x_i)) + \lambda_2 |w|_2^2 + \lambda_1 |w|_1 + \lambda_0 |w|_0}
#' in a greedy forward way: of the features outside the working set the one of the largest
#' \eqn{|\partial L / \partial w_j|} joins it, the objective is minimised over the working set, and so on,
#' until none of these slopes exceeds \eqn{\lambda_1}, or until the next feature would not lower the
#' objective although
#' \eqn{\lambda_0} counts.
#'
#' Without \eqn{\lambda_0} the result is the global minimum over all features: that of the elastic net, and
#' without \eqn{\lambda_2} of `generalized_lasso(lambda = n * lambda1)`. [certificate()] grades it on all
#' features then, and along a path each working set starts with the features of the solution before.
#'
#' The losses are \eqn{\ln(1 + e^{-yf})}, \eqn{(y - f)^2 / 2} and \eqn{\max(0, 1 - yf)^2 / 2}; the mean is
#' weighted where there are weights. Of several classes, or labels, each has weights of its own against the
#' rest, the objectives are summed, and a feature joins for all of them.
#'
#' @param lambda1 price of the l1 norm; a vector is a path.
#' @param lambda2 price of the l2 norm.
#' @param lambda0 price of each feature.
#' @param loss `"logistic"`, `"squared"` or `"squared_hinge"`.
#' @param l2 the l2 norm is `"squared"`, or as it stands in Perkins et al. and Lal et al., `"norm"`:
#'   \eqn{\lambda_2 |w|_2}, for two classes or regression. The first feature then has to exceed
#'   \eqn{\lambda_1 + \lambda_2}.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Perkins, S., Lacker, K. and Theiler, J. (2003). Grafting: fast, incremental feature selection by gradient
#' descent in function space. *JMLR* 3, 1333-1356.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- x[, 1] - x[, 2] + rnorm(60) > 0
#' fit <- zeronorm(x, y, grafting(lambda1 = c(0.05, 0.1, 0.2)))
#' certificate(fit)[c("lambda1", "nonzero", "errors")]
#' rounds(fit, s = 0.1)[c("round", "objective", "nonzero")]
#' @concept methods by the l1 norm
#' @export
grafting <- function(lambda1, lambda2 = 0, lambda0 = 0, loss = "logistic", l2 = "squared") {
  args <- arguments(c(lambda1 = "Give the price of the l1 norm, such as 0.1."))
  lambda1 <- check_numbers(lambda1, "lambda1")
  lambda2 <- check_number(lambda2, "lambda2")
  lambda0 <- check_number(lambda0, "lambda0")
  loss <- check_choice(loss, "loss", c("logistic", "squared", "squared_hinge"))
  squared <- check_choice(l2, "l2", c("squared", "norm")) == "squared"
  classes <- c("two-class", if (squared) c("k-class", "multi-label"))
  exact <- lambda0 == 0 && (squared || lambda2 == 0)
  new_method("grafting", "grafting", args, tuning = data.frame(lambda1 = lambda1),
             steps = new_steps(lambda1, if (squared) 2 * lambda2 else 0, 1),
             reference = "Perkins, Lacker and Theiler (2003)", family = "grafting",
             model = new_model(loss = loss, average = "mean"),
             core = list(l0 = lambda0, norm = if (squared) 0 else lambda2),
             declares = declare(all_tasks, c(classes, if (loss == "squared") "regression"),
                                certificate = if (exact) "gap" else "stationarity",
                                descends = squared || lambda2 == 0))
}

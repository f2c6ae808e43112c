#' Potential support vector machine
#'
#' \deqn{\min_a \frac12 a'X'Xa - y'Xa + \epsilon \sum_j c_j |a_j| \quad \mbox{subject to} \quad |a_j| \le C}
#' The products \eqn{x_j'(y - Xa)} of the features with what is left of y are kept within a tube of half width
#' \eqn{\epsilon c_j}, a step outside of it costing C; the features on or beyond the border have a weight.
#' The decision value is \eqn{f(x) = \sum_j a_j x_j + b}. Intercept and features named `unpenalized` are
#' unknowns without cost and bound. Features named `keep` cost nothing but are bounded. Classes are -1 and +1.
#'
#' With `C = Inf` this is the [lasso()] with \eqn{\lambda = \epsilon}. Otherwise the machine solved is the
#' dual, a tube machine with an observation for each feature and a coefficient for each observation.
#'
#' @param epsilon half width of the tube, and price of the norm, above 0.
#' @param C bound of each coefficient. Vectors of `epsilon` and `C` make a grid.
#' @inheritParams l1_svm
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Hochreiter, S. and Obermayer, K. (2006). Support vector machines for dyadic data. *Neural Computation* 18,
#' 1472-1510.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, p_svm(epsilon = c(20, 10), C = 0.3))
#' coef(fit, s = 20)[1:5]
#' @concept methods by the l1 norm
#' @export
p_svm <- function(epsilon = 1, C = Inf, costs = NULL) {
  args <- arguments()
  tuning <- expand.grid(epsilon = check_numbers(epsilon, "epsilon", open_lower = TRUE), C = check_C(C),
                        KEEP.OUT.ATTRS = FALSE)
  new_method("p_svm", "potential SVM", args, tuning = tuning[c("epsilon", if (!identical(C, Inf)) "C")],
             steps = new_steps(tuning$epsilon, 0, 1, lambda = tuning$C),
             reference = "Hochreiter and Obermayer (2006)", family = "p_svm",
             model = new_model(loss = "squared", costs = check_costs(costs), multiclass = "ovr"),
             declares = declare(all_tasks))
}

core_options.zeronorm_p_svm <- function(method, problem, steps) list(box = steps$lambda)

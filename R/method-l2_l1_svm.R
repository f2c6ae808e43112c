#' Support vector machine with both norms
#'
#' \deqn{\min_{w,b} \frac{\mu}{n} \sum_i \xi_i + \frac12 |w|^2 + \nu \sum_j c_j |w_j|}
#'
#' @param mu price of the mean slack.
#' @param nu price of the l1 norm. Vectors of `mu` and `nu` make a grid.
#' @inheritParams l1_svm
#' @param degree above 1: the machine is trained on all monomials of the standardised features up to this
#'   degree, see [quadratic_fsv()]; a monomial has the largest of the prices `costs` of its features.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l2_l1_svm(mu = 10, nu = c(0.1, 0.5)))
#' certificate(fit)[c("mu", "nu", "nonzero")]
#' @concept methods by the l1 norm
#' @export
l2_l1_svm <- function(mu, nu, costs = NULL, degree = 1) {
  args <- arguments(c(mu = "Give the price of the mean slack, such as 10.",
                      nu = "Give the price of the l1 norm, such as 0.1."))
  tuning <- expand.grid(mu = check_numbers(mu, "mu", open_lower = TRUE), nu = check_numbers(nu, "nu"),
                        KEEP.OUT.ATTRS = FALSE)
  degree <- expansion_degree(degree)
  new_method("l2_l1_svm", "l2-l1-SVM", args, tuning, steps = new_steps(tuning$nu, 1, tuning$mu),
             reference = "Neumann, Schnoerr and Steidl (2005)",
             model = new_model(average = "mean", costs = check_costs(costs), degree = degree),
             declares = declare(max_features = most_expandable(degree)))
}

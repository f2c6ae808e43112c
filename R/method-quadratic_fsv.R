#' Feature selection concave on monomials
#'
#' Feature selection for a polynomial decision function: [fsv()] on the monomials
#' \eqn{\phi(x) = (x^a: 1 \le |a| \le degree)}, with the penalty on the features behind them,
#' \deqn{\min_{w,b,v} (1 - \lambda) L(\xi) + \lambda \sum_j (1 - e^{-\alpha v_j}), \quad
#' -v_j \le w_a \le v_j \mbox{ for every feature j in monomial a}}
#' so that a feature is gone with all its monomials. \eqn{x_1 x_2} is bounded by both \eqn{v_1} and \eqn{v_2}.
#' Each round solves a linear programme with the slopes of the penalty at the last v as prices, and the
#' objective never rises. A local minimum, which depends on `start`.
#'
#' The monomials are those of the standardised features; they are not standardised again, and a sparse x
#' becomes dense. [coef()] gives the weights of the monomials, named such as `"g1"`, `"g1^2"`, `"g1*g2"`;
#' [selected()] and [feature_importance()] are about the features. Features named `unpenalized` or `keep` in
#' [zeronorm()] have no price: a monomial is free where all its features are.
#'
#' @inheritParams fsv
#' @param alpha steepness of the penalty.
#' @param penalty a penalty in place of `exp_penalty(alpha)`, see [penalties].
#' @param degree of the monomials. 1 is [fsv()] itself.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(64 * 4), 64, dimnames = list(NULL, paste0("g", 1:4)))
#' y <- x[, 1]^2 + x[, 2]^2 > 1.4
#' fit <- zeronorm(x, y, quadratic_fsv(lambda = 0.1))
#' selected(fit)
#' coef(fit)
#' @concept methods by a concave penalty
#' @export
quadratic_fsv <- function(lambda, alpha = 5, penalty = NULL, degree = 2, average = "mean", start = 1) {
  args <- arguments(c(lambda = "Give the weight of the penalty, such as 0.1."))
  lambda <- check_lambda(lambda)
  default <- exp_penalty(alpha)
  penalty <- if (is.null(penalty)) default else as_penalty(penalty)
  degree <- check_degree(degree)
  new_reweighting("quadratic_fsv", "quadratic FSV", args, tuning = data.frame(lambda = lambda),
                  steps = new_steps(lambda, 0, 1 - lambda), reference = "Neumann, Schnoerr and Steidl (2005)",
                  penalty = penalty,
                  model = new_model(average = check_choice(average, "average", c("mean", "sum", "class_mean")),
                                    degree = degree, sharing = "feature"),
                  max_features = most_features(degree, most_linked))
}

# Monomials beyond which a round takes minutes.
most_linked <- 1e4

#' LASSO and generalised LASSO
#'
#' `lasso()` minimises the squared loss, `generalized_lasso()` the logistic loss, with few features. In the
#' constrained form
#' \deqn{\min_{w,b} \sum_i L(y_i, f(x_i)) \quad \mbox{subject to} \quad \sum_j c_j |w_j| \le s, \qquad
#'   f(x) = w'x + b}
#' and in the Lagrangian form
#' \deqn{\min_{w,b} \sum_i L(y_i, f(x_i)) + \lambda \sum_j c_j |w_j|}
#' where \eqn{L(y, f) = (y - f)^2 / 2} for `lasso()` and \eqn{\ln(1 + e^{-y f})} for `generalized_lasso()`.
#' `lasso()` takes numbers y (regression) as well as classes, which are -1 and +1 to it;
#' `generalized_lasso()` takes classes. Several classes, or labels, are learned each against the rest, each
#' with an s or \eqn{\lambda} of its own.
#'
#' The two forms have the same solutions. For s the multiplier \eqn{\lambda} is searched for; [certificate()]
#' has it beside s, together with the gap of the constrained problem. The norm is never more than s, and less
#' only where the loss has a minimum inside or falls by rounding alone. Weights are those of standardised
#' features where `zeronorm(standardize = TRUE)`; features named `unpenalized` or `keep` do not count in the
#' norm.
#'
#' With neither `s` nor `lambda` a path of 30 values of \eqn{\lambda} is made, from the smallest that selects
#' nothing down to a hundredth of it.
#'
#' @param s bound of the norm; a vector is a path.
#' @param lambda price of the norm; a vector is a path. Not both.
#' @param costs price \eqn{c_j} of each feature, in the order of the columns or named; NULL means 1.
#' @param stop NULL: every value of the path is a solution. `"validation"`: a third of the observations, drawn
#'   at random from each class alike, is held out (with `zeronorm(foldid = )` nothing is drawn: the fold of
#'   the smallest number is held out). The path is fitted to the others, and the solution whose mean loss on
#'   those held out is least is kept as it is.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. *Journal of the Royal Statistical
#' Society B* 58, 267-288.
#'
#' Roth, V. (2004). The generalized LASSO. *IEEE Transactions on Neural Networks* 15, 16-28.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] + rnorm(40)
#' fit <- zeronorm(x, y, lasso(s = c(0.5, 1, 2)))
#' certificate(fit)[c("s", "lambda", "nonzero", "gap")]
#' coef(zeronorm(x, y > 0, generalized_lasso(lambda = 4)))[1:4]
#' selected(zeronorm(x, y, lasso(stop = "validation")))
#' @concept methods by the l1 norm
#' @export
lasso <- function(s = NULL, lambda = NULL, costs = NULL, stop = NULL) {
  args <- arguments()
  new_lasso("lasso", "LASSO", args, "squared", all_tasks, reference = "Tibshirani (1996)")
}

#' @rdname lasso
#' @export
generalized_lasso <- function(s = NULL, lambda = NULL, costs = NULL, stop = NULL) {
  args <- arguments()
  new_lasso("generalized_lasso", "generalised LASSO", args, "logistic", class_tasks, reference = "Roth (2004)")
}

new_lasso <- function(name, label, args, loss, tasks, reference) {
  constrained <- !is.null(args$s)
  if (constrained && !is.null(args$lambda)) {
    stop_zeronorm("lambda", "is given together with `s`.", "Use the bound or the price of the norm.")
  }
  path <- if (constrained) constrained_path(args$s) else if (!is.null(args$lambda)) lasso_path(args$lambda)
  new_method(name, label, args, tuning = path$tuning, steps = path$steps, reference = reference,
             family = if (constrained) "norm_constrained" else "convex",
             model = new_model(loss = loss, costs = check_costs(args$costs), multiclass = "ovr"),
             folds = validation_folds(args$stop),
             declares = declare(tasks, descends = FALSE, chooses = if (constrained) "lambda" else "C"))
}

lasso_path <- function(lambda) {
  lambda <- check_numbers(lambda, "lambda")
  list(tuning = data.frame(lambda = lambda), steps = new_steps(lambda, 0, 1))
}

constrained_path <- function(s) {
  s <- check_numbers(s, "s")
  list(tuning = data.frame(s = s), steps = new_steps(1, 0, 1, lambda = s))
}

# The path of a method that was given none: downwards from where nothing is selected. A constrained search for
# the norm 0 finds that value of lambda.
complete_path.zeronorm_convex <- function(method, problem, settings) {
  if (!is.null(method$steps)) return(method)
  nothing <- new_lasso(method$name, method$label, list(s = 0), method$model$loss, method$declares$tasks, "")
  each <- if (is.null(problem$outputs)) list(problem)
          else lapply(seq_along(problem$outputs), output_problem, problem = problem)
  largest <- max(0, vapply(each, function(one) solve_problem(one, nothing, settings)$C, 0), na.rm = TRUE)
  if (largest == 0) largest <- 1
  method[c("tuning", "steps")] <- lasso_path(largest * 10^seq(0, -2, length.out = 30))
  method
}

core_options.zeronorm_norm_constrained <- function(method, problem, steps) list(bounds = steps$lambda)

#' Feature selection concave
#'
#' \deqn{\min_{w,b} (1 - \lambda) L(\xi) + \lambda \sum_j \phi(|w_j|)}
#' with a concave penalty, by successive linearisation: each round solves the linear programme whose prices
#' are the slopes \eqn{\phi'(|w_j|)} at the last solution, and the objective never rises. A local minimum,
#' which depends on `start`.
#'
#' @param lambda weight of the penalty, from 0 up to but not including 1; a vector is a path.
#' @param penalty a penalty, see [penalties].
#' @param average L: `"mean"` of the slacks, their `"sum"`, or `"class_mean"`, the sum of the means of both
#'   classes.
#' @param start magnitudes of the weights at which the slopes of the first round are taken: 1 or 0 for all, or
#'   one for each feature (on the standardised scale, as [feature_importance()] gives them), in the order of the
#'   columns or named. With a kernel one for each observation.
#' @param nonzero exact target numbers of features, or `"path"`: all, half of them, a quarter, ..., 1.
#'   The largest weights of the last round with more features are kept and the classifier is refitted. Where no
#'   round has as many, those join whose reduced costs are least: nearest to being worth their price.
#'   Features named `keep` or `unpenalized` in [zeronorm()] count.
#' @param refit where `nonzero` is given, the machine trained on the selected features: `"l2"`, `"l1"` or
#'   `"none"`, which leaves the weights of the search.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @param stop NULL, or `"validation"`: rounds are run on all but a third of the observations, drawn at random
#'   from each class alike (with `zeronorm(foldid = )` the fold of the smallest number), and the round is kept
#'   whose solution predicts that third with the least error, of equals the last. Not with `nonzero`.
#' @param kernel `"linear"`, or a kernel as in [l2_svm()]: then the penalty is on the coefficients of the
#'   expansion \eqn{f(x) = \sum_i a_i k(x_i, x) + b}, and few of the observations are used (minimal kernel
#'   classifier). There is no quadratic term, and the kernel need not be positive definite.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, fsv(lambda = 0.05))
#' selected(fit)
#' rounds(fit)
#' @concept methods by a concave penalty
#' @export
fsv <- function(lambda = 0.05, penalty = exp_penalty(5), average = "mean", start = 1, nonzero = NULL,
                refit = "l2", refit_C = Inf, kernel = "linear", stop = NULL) {
  args <- arguments()
  lambda <- check_lambda(lambda)
  new_reweighting("fsv", "FSV", args, tuning = data.frame(lambda = lambda),
                  steps = new_steps(lambda, 0, 1 - lambda), reference = "Bradley and Mangasarian (1998)",
                  model = new_model(average = check_choice(average, "average", c("mean", "sum", "class_mean")),
                                    kernel = as_kernel(kernel), expansion = TRUE),
                  folds = validation_folds(stop, nonzero = nonzero))
}

check_lambda <- function(lambda) {
  lambda <- check_numbers(lambda, "lambda")
  if (all(lambda < 1)) return(lambda)
  stop_zeronorm("lambda", paste0("is ", describe(lambda), "."),
                "Use values below 1: the loss has weight 1 - lambda.")
}

#' Recursive feature elimination with logistic regression
#'
#' The elimination of [svm_rfe()] with penalised logistic regression in place of the support vector machine,
#' \deqn{\min_{w,b} \sum_i \ln(1 + e^{-y_i f(x_i)}) + \lambda |w|^2}
#' The features of smallest \eqn{|w_j|} on the standardised columns go in each round; with several classes,
#' or labels, each is a machine of its own against the rest, and \eqn{w_j^2} is summed over them.
#'
#' @param lambda price of the squared norm; a vector gives an elimination for each value.
#' @inheritParams svm_rfe
#' @param refit the machine trained on the selected features: `"none"`, which takes that of the round, or a
#'   support vector machine `"l2"` or `"l1"`.
#' @param refit_C the C of that; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Zhu, J. and Hastie, T. (2004). Classification of gene microarrays by penalized logistic regression.
#' *Biostatistics* 5, 427-443.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, logistic_rfe(lambda = 0.1, nonzero = 2))
#' selected(fit)
#' plogis(predict(fit, x[1:3, ], "link"))
#' @concept methods by dropping features
#' @export
logistic_rfe <- function(lambda, nonzero = NULL, step = 0.5, groups = NULL, group_score = "sum",
                         refit = "none", refit_C = Inf, refit_multiclass = "ovr") {
  args <- arguments(c(lambda = "Give the price of the squared norm, such as 0.1."))
  ridge_elimination("logistic_rfe", "logistic RFE", args, "Zhu and Hastie (2004)", loss = "logistic",
                    core = list(judge = "weight"), tasks = class_tasks)
}

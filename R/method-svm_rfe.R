#' Recursive feature elimination
#'
#' Trains a support vector machine, drops the features of least weight, and repeats: features are scored by
#' \eqn{|w_j|} of the l2 machine on the standardised columns that are left, for which
#' \eqn{w_j^2} is the change of \eqn{|w|^2} when feature j goes and nothing else changes. The order in
#' which features go is a ranking, see [feature_ranking()].
#'
#' `C = Inf` is the hard margin where the features left separate the classes, else its limit: the smallest
#' sum of slacks first, then the smallest norm. So no round fails. The number of features after a round
#' is \eqn{\lfloor (1 - step) m \rfloor} of m for a share, \eqn{m - step} for a count, but never less than
#' the next number in `nonzero`. Constant columns go first; of equal scores the last column goes first.
#'
#' With several classes, or the labels of a 0/1 matrix, each round trains a machine of each against the rest
#' on the same features, whose score is \eqn{(\sum_k w_{kj}^2)^{1/2}}.
#'
#' @param nonzero target numbers of features, `"path"`: all, half of them, a quarter, ..., 1, or NULL, which
#'   is the same. Features named `keep` or `unpenalized` in [zeronorm()] count and are never dropped. With
#'   `groups` a solution has the fewest features that are at least as many.
#' @param step below 1 the share of the present features that a round drops, else their number: 1 drops
#'   one at a time.
#' @param C cost parameter of the rounds: the penalty on margin violations; a vector gives an elimination for
#'   each value.
#' @param kernel `"linear"`, or one of [gaussian_kernel()], [poly_kernel()] and [chi2_kernel()]. Features are
#'   then scored by the root of the change of \eqn{|w|^2 = \sum_{ik} a_i a_k y_i y_k k(x_i, x_k)} without the
#'   feature, multipliers as they are; the classifier is the kernel machine on the features that stayed. The
#'   default width of the Gaussian is that for all features.
#' @param groups group of each feature, a factor or numbers, in the order of the columns or named: the
#'   features of a group are dropped together. A group with a feature that is kept stays whole. The same as
#'   `groups` of [zeronorm()].
#' @param group_score score of a group: the `"sum"` or the `"mean"` of the scores of its features.
#' @param retrain whether each round trains a machine without each of its features (or groups) and drops
#'   those whose loss changes \eqn{|w|^2} least; where the margin is hard, those that cost no slacks first. As
#'   many machines as features in every round.
#' @param refit the machine trained on the selected features: `"l2"`, `"l1"`, or `"none"`, which takes that of
#'   the round.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm, NULL
#'   the `C` of
#'   the rounds.
#' @param refit_multiclass for several classes: `"ovr"`, each against the rest, or `"m_svm"`, see [m_svm()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer classification using
#' support vector machines. *Machine Learning* 46, 389-422.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, svm_rfe(nonzero = c(10, 2), step = 1))
#' selected(fit, nonzero = 2)
#' head(feature_ranking(fit))
#' @concept methods by dropping features
#' @export
svm_rfe <- function(nonzero = NULL, step = 0.5, C = Inf, kernel = "linear", groups = NULL,
                    group_score = "sum", retrain = FALSE, refit = "l2", refit_C = Inf,
                    refit_multiclass = "ovr") {
  args <- arguments()
  kernel <- as_kernel(kernel)
  if (!is.null(kernel)) check_kernel_rfe(kernel, refit, refit_C)
  C <- check_C(C)
  new_elimination("svm_rfe", "SVM-RFE", args, tuning = data.frame(C = C), steps = steps_of_C(C, 0, 1),
                  reference = "Guyon, Weston, Barnhill and Vapnik (2002)", kernel = kernel,
                  selection = new_selection(args, path = TRUE, search_C = TRUE), core = list(judge = "weight"),
                  tasks = class_tasks, takes = if (is.null(kernel)) class_tasks else "two-class")
}

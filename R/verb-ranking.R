#' Ranking of all features
#'
#' The order of the features by methods that rank them: for [svm_rfe()], [logistic_rfe()] and [obd()] those
#' that stayed to the end, by weight, then the others from the last dropped to the first; for
#' [correlation_filter()] and [top_weights()] by score; for [ranking_filter()] by the weights of its first
#' machine; for [tree_importance()] by importance; for [forward_ls()] and [gram_schmidt()] as they joined,
#' then by their scores in the end. Features that cannot be dropped come first.
#'
#' @param object a fit of [zeronorm()].
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()]; those of one search share its ranking.
#' @param ... unused, and an error if given.
#' @return Names of all features (indices where `x` had no names), the best first; a list where several
#'   searches were made.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' feature_ranking(zeronorm(x, y, svm_rfe()))
#' @export
feature_ranking <- function(object, ...) UseMethod("feature_ranking")

#' @rdname feature_ranking
#' @export
feature_ranking.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  if (is.null(object$ranking)) {
    stop_zeronorm("object", paste0("is a fit of ", object$method$name, "(), which ranks no features."),
                  "feature_importance() gives their weights.")
  }
  if (!is.list(object$ranking)) return(object$ranking)
  searches <- unique(object$search[pick(object, nonzero, s, index)])
  if (length(searches) == 1) object$ranking[[searches]] else object$ranking[searches]
}

# As a vector, or a list for several searches; NULL where nothing was ranked.
name_rankings <- function(rankings, problem, tuning) {
  if (!any(lengths(rankings))) return(NULL)
  names <- ranked_names(problem)
  if (!is.null(names)) rankings <- lapply(rankings, function(order) names[order])
  if (length(rankings) == 1) rankings[[1]] else structure(rankings, names = solution_labels(tuning))
}

ranked_names <- function(problem) {
  if (is.null(problem$monomials)) return(problem$names)
  names <- problem$names
  monomial_names(problem$monomials, if (is.null(names)) paste0("x", seq_len(problem$d)) else names)
}

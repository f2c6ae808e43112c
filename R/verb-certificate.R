#' How certain a fit is
#'
#' Recomputed from the data and the solution after every fit, never taken from the engine's word: primal and
#' dual value of the last convex problem, their gap (relative to the larger of them, and where both are near
#' zero to a ten-thousandth of the price of one slack per observation), and the largest relative violation of
#' the optimality conditions, all features priced.
#'
#' @param object a fit of [zeronorm()].
#' @param ... unused, and an error if given.
#' @return A data frame with a row per solution: first the tuning parameters and, where sizes were asked
#'   for, `target`, and the C that
#'   [fs_svmcp()] or [r2w2()] chose; then `status` (`"optimal"` or why not), `stop` (why the
#'   rounds ended), `engine`, `fallback` (whether that engine stood in for another), `rounds`, `kind`
#'   (`"gap"`: how far the solution can be from the global optimum; `"stationarity"`: the same for the last
#'   convex problem of a concave one; `"none"`: weights of a search cut to the size asked for), `primal`,
#'   `dual`, `gap`, `kkt`, `nonzero`, `support_vectors`, `errors` (the observations of the
#'   training data whose class [predict()][predict.zeronorm()] gets wrong).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' certificate(zeronorm(x, y, l1_svm(C = c(0.1, 1))))
#' @export
certificate <- function(object, ...) UseMethod("certificate")

#' @rdname certificate
#' @export
certificate.zeronorm <- function(object, ...) {
  check_unused(...)
  check_result(object)
  object$certificate
}

#' Iterations of a fit
#'
#' The objective and the number of features after each iteration (round) of the outer loop.
#'
#' @param object a fit of [zeronorm()], or a result of [min_support()], [sparse_code()] or [codebook()].
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param ... unused, and an error if given.
#' @return A data frame with a row per iteration: `solution` (row of [certificate()]), `round`, `objective`,
#'   `nonzero`, `gap`, `engine`.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' rounds(zeronorm(x, y, fsv()))
#' @export
rounds <- function(object, ...) UseMethod("rounds")

#' @rdname rounds
#' @export
rounds.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  trace_table(object$trace, pick(object, nonzero, s, index))
}

trace_table <- function(trace, picked) {
  rounds <- lapply(picked, function(k) c(list(solution = rep(k, length(trace[[k]]$round))), trace[[k]]))
  fields <- names(rounds[[1]])
  columns <- lapply(fields, function(field) unlist(lapply(rounds, `[[`, field)))
  list2DF(structure(columns, names = fields))
}

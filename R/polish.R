# Fits with fewer features, by the tools of certify.R.

#' The same with fewer features
#'
#' Takes features out of a fitted linear machine for as long as what is left separates the training data as
#' well as before: with no more observations on the wrong side. Features go one at a time, then one takes the
#' place of two, and where all single features, pairs or triples can be looked at, the best of these. The
#' machine is then fitted again on what is left. Never more features than before.
#'
#' @param object a fit of [zeronorm()]: a linear machine of two classes.
#' @param x,y its training data.
#' @param nonzero,s,index which solution, as in [coef.zeronorm()].
#' @param seconds when to stop; the best so far is the answer.
#' @param largest all sets of up to so many features are looked at, as far as time allows.
#' @param ... unused, and an error if given.
#' @return A fit of one solution, as [zeronorm()] gives it, with the element `polish`: `before` and `after`,
#'   the numbers of features, and `errors`, the observations that were and may be on the wrong side.
#' @seealso [certify_zero_norm()] for what is proven about the number of features.
#' @examples
#' x <- log(colon$x)
#' fit <- zeronorm(x, colon$y, fsv(lambda = 0.05))
#' polish(fit, x, colon$y, largest = 2)
#' @export
polish <- function(object, x, y, nonzero = NULL, s = NULL, index = NULL, seconds = 60, largest = 3, ...) {
  check_unused(...)
  if (!inherits(object, "zeronorm")) {
    stop_zeronorm("object", paste0("is ", describe(object), "."), "Give a fit of zeronorm().")
  }
  fit <- check_result(object)
  k <- one_solution(fit, nonzero, s, index, "polish()")
  check_polishable(fit, "polish()")
  seconds <- check_number(seconds, "seconds", open_lower = TRUE)
  errors <- training_errors(fit, x, y, k)
  columns <- selected_columns(fit, k)
  task <- new_proof_task(x, y, min(errors, smaller_class(y) - 1), NULL)
  fewer <- in_memory_left(fewest_known(task, columns, seconds, check_largest(largest)))
  refitted <- refit_on(fit, x, y, fewer, k)
  if (training_errors(refitted, x, y, 1) > errors) refitted <- refit_on(fit, x, y, columns, k)
  refitted$polish <- list(before = length(columns), after = refitted$certificate$nonzero, errors = errors)
  refitted
}

smaller_class <- function(y) min(table(as.vector(y)))

fewest_known <- function(task, columns, seconds, largest) {
  task <- c(task, list(start = list(columns), largest = largest, seconds = seconds, most = 1000L))
  state <- list2env(list(clock = proc.time()[[3]], lower = 1, upper = Inf, sets = list(), scans = list()))
  improve_upper(state, task$start)
  tryCatch({
    if (fits(task, list(columns)) == "yes") {
      improve_upper(state, list(shrink_core(core_task(task), columns, seconds)$set))
    }
    bound_above(task, state)
    scan_sizes(task, state)
  }, interrupt = function(e) NULL)
  margin <- proof_margins(state$sets, state)
  state$sets[[which.max(replace(margin, is.na(margin), -1))]]
}

# A machine on these columns alone, as a fit of all.
refit_on <- function(fit, x, y, columns, k) {
  C <- fit$method$refit_C
  if (is.null(C)) C <- fit$certificate$C[k]
  method <- correlation_filter(nonzero = length(columns), refit_C = if (is.null(C)) Inf else C)
  settings <- fit$settings
  refitted <- zeronorm(x, y, method, standardize = settings$standardize, intercept = settings$intercept,
                       keep = columns,
                       class_weights = settings$class_weights, control = settings$control)
  refitted$method$label <- paste0(fit$method$label, ", polished")
  refitted$method[c("name", "args")] <- fit$method[c("name", "args")]
  refitted
}

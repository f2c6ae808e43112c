# Fits with fewer features, by the tools of certify.R.

#' Fit again with fewer features
#'
#' Searches for fewer features that classify the training data as well as a linear fit does, with no more
#' observations on the wrong side, and trains a linear SVM on them. Use it after a fit whose number of
#' features matters more than its exact features: with as many training errors, fewer features are easier to
#' measure and to explain. It does not look at held-out errors; cross-validate the result.
#'
#' Features are dropped one at a time, then one feature takes the place of two, and where time allows all
#' single features, pairs or triples are looked at. Features that the fit was told to `keep`, and
#' `unpenalized` ones, stay. The SVM on the remaining features has the settings of the fit: its weights of
#' observations and classes, standardisation, intercept, imputation and cost parameter C. Where it has more
#' training errors than the fit had, larger values of C and larger sets are tried. If none is as good, the fit
#' is returned as it is, reduced to the chosen solution: there are never more training errors and never more
#' features than before.
#'
#' @param object a fit of [zeronorm()]: a linear model of two classes.
#' @param x,y its training data. A fit by formula finds its labels in `x`.
#' @param nonzero,s,index which solution, as in [coef.zeronorm()].
#' @param seconds time limit; the best result found by then is returned.
#' @param largest all sets of up to so many features are looked at, as far as time allows.
#' @param ... unused, and an error if given.
#' @return A fit of one solution, as [zeronorm()] gives it, with the element `polish`: `before` and `after`,
#'   the numbers of features, `errors`, the training errors of the returned fit, and `C`, the cost parameter
#'   of the SVM on the remaining features (`NA` where the fit is returned as it was).
#' @seealso [certify_zero_norm()] for what is proven about the number of features.
#' @examples
#' x <- log(colon$x)
#' fit <- zeronorm(x, colon$y, fsv(lambda = 0.05))
#' polish(fit, x, colon$y, largest = 2)
#' @export
polish <- function(object, x, y, nonzero = NULL, s = NULL, index = NULL, seconds = 60, largest = 3, ...) {
  check_unused(...)
  clock <- new_clock(check_number(seconds, "seconds", open_lower = TRUE))
  if (!inherits(object, "zeronorm")) {
    stop_zeronorm("object", paste0("is ", describe(object), "."), "Give a fit of zeronorm().")
  }
  fit <- check_result(object)
  k <- one_solution(fit, nonzero, s, index, "polish()")
  check_polishable(fit, k, "polish()")
  largest <- check_largest(largest)
  data <- proof_data(fit, x, y)
  own <- own_solution(fit, k, data)
  sets <- in_memory_left(smaller_sets(fit, data, own, largest, clock))
  # What was found deserves a fit, also where the search took all the time.
  polished <- in_memory_left(first_as_good(fit, k, data, own, sets, new_clock(max(0.8, seconds_left(clock)))))
  after <- own_solution(polished, 1, data)
  polished$polish <- list(before = length(own$columns), after = length(after$columns),
                          errors = length(after$errors), C = polished$polish$C)
  polished
}

# Sets of columns to be tried in turn: for each size below that of the fit the one of the widest margin, then
# the fit's.
smaller_sets <- function(fit, data, own, largest, clock) {
  keep <- check_variables(fit$settings$keep, "keep", data$features)
  always <- sort(union(data$unpenalized, keep))
  keep <- setdiff(keep, data$unpenalized)
  errors <- min(length(own$errors), smaller_class(data$y) - 1)
  if (!length(own$columns) || length(always) == ncol(data$x)) return(list(own$columns))
  task <- new_proof_task(data, errors, NULL, always)
  columns <- as_core_columns(own$columns, task)
  task <- c(task, list(start = list(columns), given = found_by_weights(task, own), largest = largest,
                       most = 1000L))
  state <- new_state(clock)
  note_bounds(state, least_size(task))
  tryCatch({
    improve_upper(state, task$given)
    if (length(task$given) && length(columns)) {
      fewer <- shrink_core(core_task(task), columns, seconds_left(clock) / 3)$set
      improve_upper(state, separating(task, list(fewer), 0.2))
    }
    climb(task, state)
  }, interrupt = function(e) NULL)
  sizes <- lengths(lapply(state$known, `[[`, "set"))
  order <- order(sizes, -vapply(state$known, `[[`, 0, "margin"))
  found <- state$known[order[!duplicated(sizes[order])]]
  sets <- lapply(found, function(one) c(keep, task$columns[one$set]))
  c(sets[lengths(sets) < length(own$columns)], list(own$columns))
}

# The first SVM on one of the sets that has no more errors and features than the fit, or the fit itself.
first_as_good <- function(fit, k, data, own, sets, clock) {
  C <- fit$method$selection$refit_C
  if (is.null(C)) C <- fit$certificate$C[k]
  if (is.null(C) || is.na(C)) C <- Inf
  for (set in sets[lengths(sets) > 0]) {
    for (other in unique(c(C * 10^c(0:3, -1, -2), Inf))) {
      if (seconds_left(clock) == 0) return(solution_alone(fit, k))
      refitted <- try_fit(refit_on(fit, data$request, set, other), clock)
      if (is.null(refitted) || !is_optimal(refitted)[1]) next
      after <- own_solution(refitted, 1, data)
      if (length(after$errors) <= length(own$errors) && length(after$columns) <= length(own$columns)) {
        refitted$polish$C <- other
        return(refitted)
      }
    }
  }
  solution_alone(fit, k)
}

# An SVM on these columns, and the unpenalised ones, by the request that made the fit.
refit_on <- function(fit, request, columns, C) {
  request$method <- correlation_filter(nonzero = length(columns), refit_C = C)
  request$settings[c("keep", "groups")] <- list(columns, NULL)
  request$foldid <- NULL
  refitted <- fit_request(request)
  refitted$method$label <- paste0(fit$method$label, ", polished")
  refitted$method[c("name", "args")] <- fit$method[c("name", "args")]
  refitted[c("settings", "foldid")] <- fit[c("settings", "foldid")]
  refitted
}

# A fit of its solution k alone.
solution_alone <- function(fit, k) {
  fit$polish$C <- NA_real_
  if (nrow(fit$certificate) == 1) return(fit)
  columns <- output_columns(fit, k)
  fit$magnitude <- fit$magnitude[column_entries(fit$coefficients, columns)]
  fit$coefficients <- fit$coefficients[, columns, drop = FALSE]
  fit$intercept <- fit$intercept[columns]
  fit$certificate <- list2DF(lapply(fit$certificate, `[`, k))
  for (name in c("trace", "note", "search", "calibration")) fit[[name]] <- fit[[name]][k]
  fit$labels <- "1"
  fit
}

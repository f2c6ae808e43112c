# The ladder of sizes: bounds from below by scans of all sets of a size, and from above by sets that fits have found.

# The state is kept aside, so that whatever stops the work leaves the bounds so far.
prove <- function(task, clock) {
  state <- new_state(clock)
  tryCatch({
    if (needs_no_feature(task)) {
      note_bounds(state, 0, 0)
    } else {
      note_bounds(state, least_size(task))
      climb(task, state)
    }
    if (!is.null(task[["box"]])) state$box <- bound_in_box(task, state)
    if (!is.null(task$ridge)) state$ridge <- prove_with_ridge(task, state)
    state$calibration <- calibrate_labels(task, state)
  }, interrupt = function(e) state$stopped <- "interrupted")
  recheck(task, state)
  new_proof(task, state)
}

# Quick scans first, which may settle all; then sets from above, and what time allows of the longer scans.
climb <- function(task, state) {
  quick <- if (task$hinge > 0) 0 else if (task$errors > 0) 1 else 2
  scan_sizes(task, state, min(quick, task$largest), share_of(state$clock, 0.25), last = FALSE)
  if (state$lower < state$upper) bound_above(task, state)
  scan_sizes(task, state)
}

# known: sets that separate, with what proves it; lower: what is proven; scanned: the part of it that scans
# proved; listed: whether all sets of the upper size were looked at.
new_state <- function(clock) {
  list2env(list(clock = clock, lower = 0, upper = Inf, known = list(), scans = list(), scanned = 0,
                listed = FALSE))
}

note_bounds <- function(state, lower = state$lower, upper = state$upper) {
  state$lower <- lower
  state$upper <- upper
  now <- data.frame(seconds = elapsed(state$clock), lower = lower, upper = upper)
  state$history <- rbind(state$history, now)
}

improve_upper <- function(state, found) {
  if (!length(found)) return(invisible())
  state$known <- c(state$known, found)
  least <- min(lengths(lapply(found, `[[`, "set")))
  if (least < state$upper) note_bounds(state, upper = least)
}

# Sets from several methods, without the features that they can do without. Half of the time is for the scans.
bound_above <- function(task, state) {
  clock <- share_of(state$clock, 0.5)
  improve_upper(state, task$given)
  improve_upper(state, separating(task, task$start, seconds_left(clock), nodes = 1000))
  for (method in searches(task)) {
    if (seconds_left(clock) == 0) return(state$stopped <- "time")
    fit <- try_fit(zeronorm(task$x, task$y, method, unpenalized = seq_len(task$always)), clock)
    if (is.null(fit)) {
      refute_all(task, state, clock)
      if (state$lower == Inf) return(invisible())
      next
    }
    good <- smallest_separating(task, fit, clock)
    improve_upper(state, good)
    if (!length(good) || state$upper <= 1) next
    fewer <- shrink_core(core_task(task), good[[1]]$set, min(10, seconds_left(clock)))$set
    if (length(fewer) < length(good[[1]]$set)) improve_upper(state, separating(task, list(fewer)))
  }
}

searches <- function(task) {
  soft <- task$errors > 0 || task$hinge > 0
  sizes <- unique(pmin(count_features(task), c(2^(0:6), nrow(task$x))))
  if (soft) {
    list(fsv(lambda = c(0.02, 0.05, 0.1, 0.2, 0.3)), l1_svm(C = c(0.1, 1, 10, 1000)),
         arom("l2", nonzero = sizes, errors = "l2"))
  } else {
    list(l1_svm(C = Inf), arom("l1"), fw1(), arom("l2", nonzero = sizes))
  }
}

# The solution of a fit with the fewest features that separate, as a list of one or none.
smallest_separating <- function(task, fit, clock) {
  sets <- lapply(which(is_optimal(fit)), selected_columns, fit = fit)
  sets <- unique(sets[lengths(sets) > 0])
  for (set in sets[order(lengths(sets))]) {
    good <- separating(task, list(sort(set)), seconds_left(clock), nodes = 1000)
    if (length(good)) return(good)
  }
  list()
}

# The known sets of the smallest size.
smallest_known <- function(state) {
  sizes <- lengths(lapply(state$known, `[[`, "set"))
  state$known[sizes == min(Inf, sizes)]
}

# Whether all features together separate, asked once: only a checked conflict says that they do not.
refute_all <- function(task, state, clock) {
  if (!is.null(state$all)) return(invisible())
  state$all <- decide(task, list(every_feature(task)), seconds_left(clock), nodes = 1000)[[1]]
  if (state$all$answer == "yes") improve_upper(state, list(state$all))
  if (state$all$answer == "no") note_bounds(state, lower = Inf)
}

# From the smallest size up that was not scanned yet, until a set separates, or the bounds meet and listing
# the sets would take long. last: whether what time does not allow now will not be tried again.
scan_sizes <- function(task, state, largest = task$largest, clock = state$clock, last = TRUE) {
  d <- count_features(task)
  rate <- 1e-8 * (1 + task$errors)
  size <- max(least_size(task), state$scanned)
  done <- function() state$listed || !is.null(state$unclear) || state$lower == Inf
  while (!done() && size <= min(state$upper, largest, d)) {
    expected <- choose(d, size) * rate * if (size > 2) 4 else 1
    met <- state$lower == state$upper
    left <- seconds_left(clock)
    if (expected > left || met && expected > 10) {
      if (!met && last) state$stopped <- if (left > 0) "too long" else "time"
      return(invisible())
    }
    if (expected > 2) {
      inform("zeronorm: ", said_count(choose(d, size)), " sets of ", size, " features: about ",
             format(round(expected)), " s.")
    }
    scan <- scan_size(task, size, max(1000, task$most), left)
    if (scan$complete || last) state$scans[[size + 1]] <- scan
    improve_upper(state, Filter(function(one) one$answer == "yes", scan$found))
    if (isTRUE(scan$interrupted)) signal_interrupt()
    if (!scan$complete) {
      if (last) state$stopped <- "time"
      return(invisible())
    }
    if (scan$separating > 0) state$listed <- TRUE
    else if (scan$unclear > 0) state$unclear <- size
    if (done()) return(invisible())
    state$scanned <- min(d, size + 1)
    note_bounds(state, lower = if (size == d) Inf else size + 1)
    if (size > 1) rate <- scan$seconds / scan$sets
    size <- size + 1
  }
}

scan_size <- function(task, size, most, seconds) {
  progress <- fit_progress(paste("sets of", plural(size, "feature")))
  if (!is.null(progress)) on.exit(progress$close())
  scan_core(core_task(task), as.integer(size), as.integer(most), seconds, progress$tell)
}

check_largest <- function(value) {
  if (identical(value, Inf)) value else check_count(value, "largest", lower = 0)
}

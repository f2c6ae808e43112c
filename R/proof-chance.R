# How many features would separate random labels of the same data.

# How many sets of the size found would separate random labels.
calibrate_labels <- function(task, state) {
  if (state$lower == Inf || needs_no_feature(task)) return(NULL)
  size <- if (is.finite(state$upper)) state$upper else NA
  list(size = size, expected = expected_by_chance(task, size), permuted = permuted_labels(task, state))
}

# For points in general position; every choice of the forgiven observations counts, which can only add.
expected_by_chance <- function(task, size) {
  if (is.na(size) || task$hinge > 0) return(NA_real_)
  n <- nrow(task$x)
  always <- max(0, task$always)
  # The logarithm of the share of labellings that are separable, by Cover's count.
  log_share <- function(n) log(2) * (1 - n) + log(sum(choose(n - 1, 0:min(size + always, n - 1))))
  e <- 0:task$errors
  exp(lchoose(ncol(task$x) - always, size) + log(sum(exp(lchoose(n, e) + vapply(n - e, log_share, 0)))))
}

# How often a single feature or a pair separates permuted labels.
permuted_labels <- function(task, state) {
  clock <- state$clock
  pairs <- state$scans[3][[1]]
  cost <- if (is.null(pairs)) 1e-8 * choose(ncol(task$x), 2) * (1 + task$errors) else pairs$seconds
  affordable <- floor(min(60, seconds_left(clock)) / max(cost, 1e-3))
  times <- min(task$permutations, affordable)
  if (times < 1 || task$hinge > 0) return(NULL)
  separated <- NULL
  for (k in seq_len(times)) {
    here <- permuted_once(core_task(task, sample(task$y)), seconds_left(clock))
    if (is.null(here)) break
    separated <- c(separated, here)
  }
  if (!length(separated)) return(NULL)
  list(times = as.double(length(separated)), asked = task$permutations, one = sum(separated == 1),
       two = sum(separated <= 2))
}

# The size that separates, Inf above two; NULL where time was up.
permuted_once <- function(task, seconds) {
  for (size in 1:2) {
    scan <- scan_core(task, size, 1L, seconds, NULL)
    if (scan$interrupted) signal_interrupt()
    if (!scan$complete) return(NULL)
    if (scan$separating > 0) return(size)
  }
  Inf
}

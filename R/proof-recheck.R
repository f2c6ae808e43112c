# Every claim is checked a second time before it is returned.

# Checks every claim again before it is returned, and withdraws what fails: sets by their weights, the lower
# bound by new conflicts of smaller sets. What time does not allow to be checked again stays as it was proven
# first.
recheck <- function(task, state) {
  if (needs_no_feature(task)) return(invisible())
  state$known <- state$known[proven_by_weights(task, state$known)]
  upper <- min(Inf, lengths(lapply(state$known, `[[`, "set")))
  lower <- state$lower
  # A set that separates and a proof that none of its size does contradict each other, and the set is certain.
  if (lower > upper) lower <- least_size(task)
  while (lower > least_size(task)) {
    size <- if (lower == Inf) count_features(task) else lower - 1
    found <- decide(task, sets_of_size(task, state, size), seconds_to_recheck(state), precise = TRUE)
    if (all(answers(found) %in% c("no", "time"))) break
    good <- found[answers(found) == "yes"]
    state$known <- c(state$known, good)
    if (length(good)) upper <- size
    lower <- if (lower == Inf) state$scanned else size
  }
  state$withdrawn <- if (lower < state$lower) state$lower
  if (lower != state$lower || upper != state$upper) note_bounds(state, lower, upper)
}

seconds_to_recheck <- function(state) min(2, max(0.2, 0.05 * elapsed(state$clock)))

# At most 1,000 sets of a size: all of them, or parts of the known sets and others from everywhere.
sets_of_size <- function(task, state, size, most = 1000) {
  features <- every_feature(task)
  d <- length(features)
  if (choose(d, size) <= most) return(utils::combn(d, size, function(set) features[set], simplify = FALSE))
  known <- Filter(function(set) length(set) > size && choose(length(set), size) <= 100,
                  lapply(state$known, `[[`, "set"))
  parts <- unlist(lapply(utils::head(known, 5), utils::combn, size, simplify = FALSE), recursive = FALSE)
  unique(c(parts, spread_sets(features, size, most - length(parts))))
}

# About so many sets that are spread evenly: multiples of square roots of primes fill the cube of positions.
spread_sets <- function(features, size, most) {
  primes <- c(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
  if (size > length(primes)) return(list())
  at <- 1 + floor(length(features) * (outer(seq_len(most), sqrt(primes[seq_len(size)])) %% 1))
  at <- matrix(at[order(row(at), at)], ncol = size, byrow = TRUE)
  distinct <- rowSums(at[, -1, drop = FALSE] == at[, -size, drop = FALSE]) == 0
  lapply(which(distinct), function(k) features[at[k, ]])
}

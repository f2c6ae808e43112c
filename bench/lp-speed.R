# Claim: the weighted l1-SVM (1 - lambda)/n * hinges + lambda |w|_1, lambda = 0.05, standardised columns,
# cold and after reweighting as FSV does (alpha = 5, six rounds): the simplex against HiGHS, engine time
# against engine time, set-up included when cold.  Ratios are medians over repetitions in one run.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
lambda <- 0.05

# Cold solve and six reweightings by one engine: c(cold, per reweighting) in ms.
run <- function(data, engine, highs = list(), rounds) {
  s <- solve_with(data, rounds, engine, fsv_cost(data, lambda), highs = highs)
  stopifnot(vapply(s, `[[`, "", "status") == "optimal", vapply(s, `[[`, 0, "gap") < 1e-8)
  seconds <- vapply(s, `[[`, 0, "seconds")
  1e3 * c(seconds[1] + s[[1]]$setup, mean(seconds[-1]))
}

medians <- function(times, ...) {
  x <- vapply(seq_len(times), function(k) run(...), c(0, 0))
  apply(x, 1, median)
}

full <- function(...) list(column_generation = FALSE, ...)

# A row of the table: c(cold, per reweighting) of both sides and the ratios claimed for them.
row <- function(name, against, ours, theirs, claimed) {
  data.frame(data = name, against = against, ours_cold = ours[1], theirs_cold = theirs[1],
             cold = theirs[1] / ours[1], claimed_cold = claimed[1], ours_again = ours[2],
             theirs_again = theirs[2], again = theirs[2] / ours[2], claimed_again = claimed[2])
}

compare <- function(name, data, with_full, targets, times = 21) {
  rounds <- fsv_rounds(data, lambda)
  ours <- medians(times, data, "simplex", list(), rounds)
  # The fastest of HiGHS's configurations, cold and warm each on its own.
  fastest <- function(times, configurations) {
    apply(sapply(configurations, function(h) medians(times, data, "highs", h, rounds)), 1, min)
  }
  generation <- fastest(5, lapply(c(0, 1, 4), function(strategy) list(simplex_strategy = strategy)))
  rows <- row(name, "HiGHS column generation, our pricing", ours, generation, targets[1:2])
  if (!with_full) return(rows)
  whole <- fastest(3, list(full(simplex_strategy = 0), full(simplex_strategy = 1), full(simplex_strategy = 4),
                           full(simplex_strategy = 1, presolve = "on")))
  rbind(rows, row(name, "HiGHS full programme, best configuration", ours, whole, targets[3:4]))
}

table <- rbind(compare("colon 62 x 2000", colon(), TRUE, c(5, 8, 40, 300)),
               compare("leukemia 72 x 7129", leukemia(), TRUE, c(5, 8, 80, 300)),
               compare("simulated 200 x 20000", simulated(200, 20000), FALSE, c(3, 5), times = 9))
claims <- rbind(
  do.call(rbind, Map(function(data, against, ratio, bound) {
    claim(paste0(data, ", l1-SVM cold: time of ", against, " / ours"), ratio, at_least = bound)
  }, table$data, table$against, table$cold, table$claimed_cold)),
  do.call(rbind, Map(function(data, against, ratio, bound) {
    claim(paste0(data, ", l1-SVM reweighted: time of ", against, " / ours"), ratio, at_least = bound)
  }, table$data, table$against, table$again, table$claimed_again))
)
names(table) <- c("data", "against", "cold ms", "theirs ms", "ratio", "claimed", "reweighted ms", "theirs ms",
                  "ratio", "claimed")

overhead <- function(data) {
  x <- data$x
  y <- factor(data$y)
  fit <- zeronorm(x, y, l1_svm())
  calls <- vapply(1:21, function(k) {
    start <- Sys.time()
    fit <- zeronorm(x, y, l1_svm())
    1e3 * (as.numeric(Sys.time() - start, units = "secs") - fit$seconds)
  }, 0)
  median(calls)
}
outside <- data.frame(data = c("colon", "leukemia"), ms = c(overhead(colon()), overhead(leukemia())))
names(outside) <- c("data", "zeronorm() beside its engine, ms")
report("lp-speed", "The simplex against HiGHS on weighted l1-SVMs", list(table, outside),
       paste("For the full programme presolve on and off, dual and primal simplex were tried, for column",
             "generation three strategies; the fastest counts."), claims)

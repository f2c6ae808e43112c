# Claim: FSV on leukemia over 11 values of lambda, every round of every value, whole R call, takes less time
# than HiGHS's dual simplex needs for one of these linear programmes, all columns at once and cold.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
data <- leukemia()
lambdas <- 2^seq(-6, -1, by = 0.5)
n <- nrow(data$x)
programme <- function(lambda) {
  full <- list(column_generation = FALSE, presolve = "off", simplex_strategy = 1)
  s <- solve_with(data, list(list(l1 = rep(lambda, ncol(data$x)))), "highs", rep((1 - lambda) / n, n),
                  highs = full)[[1]]
  stopifnot(s$status == "optimal")
  s$seconds + s$setup
}
ours <- theirs <- numeric(5)
for (k in seq_along(ours)) {
  start <- Sys.time()
  fit <- zeronorm(data$x, data$y, fsv(lambda = lambdas))
  ours[k] <- as.numeric(Sys.time() - start, units = "secs")
  theirs[k] <- programme(0.05)
}
facts <- certificate(fit)
rows <- data.frame(what = c("zeronorm(x, y, fsv(lambda = 11 values)), whole call",
                            "HiGHS, dual simplex, the full programme at lambda = 0.05, cold"),
                   ms = 1e3 * c(median(ours), median(theirs)))
report("fsv-path", "A path of FSV against one linear programme on leukemia, 72 x 7129", list(rows),
       sprintf("Ratio of medians of 5: %.1f. %d rounds, %s features, largest gap %.1g.",
               median(theirs) / median(ours), sum(facts$rounds),
               paste(facts$nonzero, collapse = ", "), max(facts$gap)),
       claim("leukemia: time of a path of FSV / one linear programme by HiGHS", median(ours) / median(theirs),
             below = 1))

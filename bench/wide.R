# Claims: n = 100, d = 1,000,000, dense and sparse: a certified l1-SVM in the time of at most 12 passes over x, and
# each reweighting as FSV does it in at most 2.  Smaller d are shown beside them: below some hundred thousand columns a
# pass is so short that what does not depend on d counts as well.
#
# A pass is X'v by base R (dense) or Matrix (sparse), which read x once.  The first time is that of the whole call of
# zeronorm(), columns as they are; the reweightings are those of the engine, six rounds, each certified by its own
# pricing of all columns.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sizes <- as.numeric(strsplit(Sys.getenv("ZERONORM_BENCH_SIZES", "1e4,1e5,1e6"), ",")[[1]])
makers <- list(dense = function(d) simulated(100, d), `sparse, 5 %` = function(d) sparse(100, d, relevant = 20))

judge <- function(fit) {
  table <- certificate(fit)
  list(`core alone, s` = fit$seconds, gap = table$gap, features = table$nonzero)
}

reweighted <- function(data) {
  rounds <- fsv_rounds(data)
  again <- replicate(5, mean(vapply(solve_with(data, rounds, "simplex", fsv_cost(data))[-1], `[[`, 0, "seconds")))
  stats::median(again)
}

row <- function(kind, d) {
  data <- in_fork(function() makers[[kind]](d))  # made apart, so that no free memory is left here
  v <- as.double(data$y)
  pass <- stats::median(measure(function() Matrix::crossprod(data$x, v))$warm)
  again <- in_fork(function() reweighted(data))
  out <- timed(sprintf("%s, d = %s", kind, format(d, scientific = FALSE)),
               function() zeronorm(data$x, data$y, l1_svm(), standardize = FALSE), judge)
  out$`pass, s` <- pass
  out$passes <- out$seconds / pass
  out$`reweighting, s` <- again
  out$`passes of a reweighting` <- again / pass
  out$`memory / x` <- out$MB * 1e6 / as.numeric(utils::object.size(data$x))
  out
}

rows <- stacked(lapply(names(makers), function(kind) lapply(sizes, function(d) row(kind, d))))
claims <- do.call(rbind, lapply(which(grepl("d = 1000000$", rows$what)), function(k) {
  rbind(claim(paste0("l1-SVM, n = 100, ", rows$what[k], ": passes over x"), rows$passes[k], at_most = 12),
        claim(paste0("reweighting, n = 100, ", rows$what[k], ": passes over x"), rows$`passes of a reweighting`[k],
              at_most = 2))
}))
report("wide", "Certified l1-SVMs in passes over the data, n = 100", list(printed(rows)), character(), claims)

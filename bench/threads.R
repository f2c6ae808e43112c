# Claim: two threads give the answer of one, to the last bit.  What they gain is shown, by the clock on the wall, on a
# machine that should have nothing else to do: medians of five calls.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

cases <- list(
  "l1_svm(), 100 x 1,000,000 dense" = list(make = function() simulated(100, 1e6), method = l1_svm()),
  "l2_svm(), 2000 x 2000 dense" = list(make = square, method = l2_svm()),
  "l1_svm() of 50 genes, 20,000 cells" = list(make = function() cells(20000), method = l1_svm(0.0025)),
  "arom(\"l2\", errors = \"l2\") to 50 genes, 20,000 cells" =
    list(make = function() cells(20000), method = arom("l2", errors = "l2", nonzero = 50))
)

row <- function(name) {
  case <- cases[[name]]
  data <- in_fork(case$make)
  tol <- if (grepl("cells", name)) 1e-3 else 1e-8
  fit <- function(threads) {
    zeronorm(data$x, data$y, case$method, standardize = FALSE, control = zeronorm_control(tol = tol, threads = threads))
  }
  # By turns, so that both see the same of what else the machine does.
  times <- matrix(NA, 2, 5)
  same <- TRUE
  for (k in 1:5) {
    fits <- lapply(1:2, fit)
    times[, k] <- vapply(fits, `[[`, 0, "seconds")
    same <- same && identical(coef(fits[[1]]), coef(fits[[2]]))
  }
  one <- stats::median(times[1, ])
  two <- stats::median(times[2, ])
  data.frame(what = name, `one thread, s` = one, `two threads, s` = two, gain = one / two, same = same,
             check.names = FALSE)
}

rows <- do.call(rbind, lapply(names(cases), row))
claims <- claim("cases of four in which two threads give another answer than one", sum(!rows$same), at_most = 0)
report("threads", "One thread and two", list(rows), character(), claims)

# Claim: n = 100, d from 1e4 to 1e6: time of l1_svm() and arom("l2", nonzero = 20) grows no faster than
# d^1.1, and peak memory beyond the loaded x stays below twice the size of x.  Each d in its own process.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sizes <- c(1e4, 3e4, 1e5, 3e5, 1e6)

measure <- function(d, method, times = 5) {
  data <- simulated(100, d)
  y <- factor(data$y)
  loaded <- restart_peak()
  seconds <- vapply(seq_len(times), function(k) elapsed(zeronorm(data$x, y, method)), 0)
  c(seconds = median(seconds), memory = (memory("VmHWM") - loaded) * 1e6 / (8 * 100 * d))
}

methods <- list(l1_svm = l1_svm(), arom = arom("l2", nonzero = 20))
child <- commandArgs(trailingOnly = TRUE)
if (length(child) == 2) {
  cat(measure(as.numeric(child[1]), methods[[child[2]]]), "\n")
  quit(status = 0)
}

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
rows <- do.call(rbind, lapply(names(methods), function(name) do.call(rbind, lapply(sizes, function(d) {
  out <- system2(file.path(R.home("bin"), "Rscript"), c(shQuote(script), format(d, scientific = FALSE), name),
                 stdout = TRUE)
  values <- scan(text = out[length(out)], quiet = TRUE)
  data.frame(method = name, d = d, seconds = values[1], `memory / x` = values[2], check.names = FALSE)
}))))
slope <- sapply(names(methods), function(name) {
  r <- rows[rows$method == name, ]
  coef(lm(log(seconds) ~ log(d), r))[[2]]
})
rows$d <- format(rows$d, scientific = FALSE)
report("scaling", "Time and memory in the number of features, n = 100", list(rows),
       "Medians of 5 fits.",
       rbind(claim("n = 100, d to 1e6: slope of log time on log d, l1_svm()", slope[["l1_svm"]], at_most = 1.1),
             claim("n = 100, d to 1e6: slope of log time on log d, l2-AROM", slope[["arom"]], at_most = 1.1),
             claim("n = 100, d from 1e5: memory beyond x / x", max(rows$`memory / x`[as.numeric(rows$d) >= 1e5]),
                   at_most = 2)))

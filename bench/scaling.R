# Claim: n = 100, d from 1e4 to 1e6: time of l1_svm() and arom("l2", nonzero = 20) grows no faster than
# d^1.1, and peak memory beyond the loaded x stays below twice the size of x.  Each d in its own process.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sizes <- c(1e4, 3e4, 1e5, 3e5, 1e6)

status <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

measure <- function(d, method, times = 5) {
  data <- simulated(100, d)
  y <- factor(data$y)
  invisible(gc())
  writeLines("5", "/proc/self/clear_refs")  # the peak starts here
  loaded <- status("VmRSS")
  seconds <- vapply(seq_len(times), function(k) elapsed(zeronorm(data$x, y, method)), 0)
  c(seconds = median(seconds), memory = (status("VmHWM") - loaded) * 2^20 / (8 * 100 * d))
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
       c(sprintf("%s: slope of log time on log d %.2f (at most 1.1 claimed).", names(slope), slope), "",
         sprintf("Largest memory beyond x, from d = 1e5 on: %.2f times x (at most 2 claimed). Medians of 5 fits.",
                 max(rows$`memory / x`[as.numeric(rows$d) >= 1e5]))))

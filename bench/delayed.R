# Claim: a DelayedMatrix of 20,000 features x 5,000 samples in an HDF5 file (0.8 GB as doubles) is fitted
# within 0.5 GB above the loaded packages, and so is one of 40,000 x 5,000 (1.6 GB).  Each fit in its own
# process; the files are made in tempdir(), with the chunks that HDF5Array chooses.  Passes count the file in
# whole readings.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
suppressPackageStartupMessages(library(SummarizedExperiment))
suppressPackageStartupMessages(library(HDF5Array))
samples <- 5000L
sizes <- c(20000L, 40000L)
methods <- c("l1_svm(C = 0.002)", "l1_svm(C = 1)", "arom(\"l2\", errors = \"l2\")",
             "arom(\"l2\", errors = \"l2\", nonzero = 20)", "correlation_filter(nonzero = 20)",
             "top_weights(nonzero = 20)")

# The first 20 features are shifted by half the label.
make_file <- function(d, file) {
  set.seed(1)
  y <- rep(c(-1, 1), length.out = samples)
  sink <- HDF5RealizationSink(c(d, samples), filepath = file, name = "x")
  for (from in seq(1, samples, by = chunkdim(sink)[2])) {
    columns <- from:min(samples, from + chunkdim(sink)[2] - 1)
    block <- matrix(rnorm(d * length(columns)), d)
    block[1:20, ] <- block[1:20, ] + rep(0.5 * y[columns], each = 20)
    DelayedArray::write_block(sink, DelayedArray::ArrayViewport(c(d, samples),
      IRanges::IRanges(c(1, from), width = c(d, length(columns)))), block)
  }
  DelayedArray::close(sink)
}

# Counts the numbers read of the matrix.
count_reading <- function() {
  count <- new.env()
  count$numbers <- 0
  original <- zeronorm:::as_blocks
  counting <- function(x, tile) {
    blocks <- original(x, tile)
    read <- blocks$read
    blocks$read <- function(row, rows, col, cols) {
      count$numbers <- count$numbers + as.double(rows) * cols
      read(row, rows, col, cols)
    }
    blocks
  }
  utils::assignInNamespace("as_blocks", counting, "zeronorm")
  count
}

measure <- function(file, method) {
  x <- HDF5Array(file, "x")
  y <- rep(c("a", "b"), length.out = samples)
  se <- SummarizedExperiment(list(x = x), colData = DataFrame(y = y))
  invisible(DelayedArray::extract_array(x, list(1:2, 1:2)))
  count <- count_reading()
  loaded <- restart_peak()
  time <- system.time(fit <- zeronorm(se, "y", method))
  table <- certificate(fit)
  c(memory("VmHWM") - loaded, count$numbers / length(x), sum(time[1:2]), table$nonzero[1], table$gap[1],
    mean(selected(fit, index = 1) <= 20))
}

child <- commandArgs(trailingOnly = TRUE)
if (length(child) == 2) {
  cat(measure(child[1], eval(parse(text = child[2]))), "\n")
  quit(status = 0)
}

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
rows <- do.call(rbind, lapply(sizes, function(d) {
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  make_file(d, file)
  do.call(rbind, lapply(methods, function(method) {
    arguments <- c(shQuote(script), file, shQuote(method))
    out <- system2(file.path(R.home("bin"), "Rscript"), arguments, stdout = TRUE)
    values <- scan(text = out[length(out)], quiet = TRUE)
    data.frame(features = d, GB = 8 * d * samples / 1e9, method = method, `peak MB` = values[1],
               passes = values[2], `CPU seconds` = values[3], nonzero = values[4], gap = values[5],
               `share of the 20` = values[6], check.names = FALSE)
  }))
}))
report("delayed", "Data on a disk: memory above the loaded packages, passes over the file", list(rows),
       sprintf("Largest peak: %.0f MB above the loaded packages (at most 500 claimed).", max(rows$`peak MB`)),
       claim("a matrix on disk, 0.8 and 1.6 GB: peak memory above the packages", max(rows$`peak MB`),
             at_most = 500, unit = "MB"))

# Rscript test.R core: runs the core's tests. Rscript test.R package [FILE ...]: those of the installed package, or of
# some files, two at the same time. The last line counts them; the exit status is not zero where one failed. All run in
# processes of their own: a crash is a failure.
core_tests <- function(program) {
  output <- suppressWarnings(system2(program, stdout = TRUE, stderr = TRUE,
                                     env = "UBSAN_OPTIONS=print_stacktrace=1"))
  writeLines(output)
  number <- function(pattern) sum(as.integer(sub(pattern, "\\1", grep(pattern, output, value = TRUE))))
  counts <- c(passed = number("^All tests passed \\(.* in ([0-9]+) test cases?\\)$") +
                number("^test cases:.*\\| +([0-9]+) passed.*$"),
              failed = number("^test cases:.*\\| +([0-9]+) failed.*$"), skipped = 0L)
  crashed <- !is.null(attr(output, "status")) && counts[["failed"]] == 0L
  counts + c(0L, as.integer(crashed || sum(counts) == 0L), 0L)
}

package_tests <- function(files) {
  if (!length(files)) files <- list.files("tests/testthat", "^test-.*[.]R$", full.names = TRUE)
  taken <- file.path(tempdir(), "taken")
  dir.create(taken)
  # What takes longest comes first, then the largest files, so that no process is left alone with one of them.
  slow <- match(basename(files), paste0("test-", c("faults", "contract", "request", "torture", "study-verbs", "engine",
                                                   "proof-certify", "sparse"), ".R"))
  writeLines(files[order(slow, -file.size(files))], file.path(taken, "files"))
  run <- paste(shQuote(file.path(R.home("bin"), "Rscript")), "tools/package_tests.R", shQuote(taken))
  processes <- min(2L, length(files), parallel::detectCores())
  parallel::mclapply(seq_len(processes), function(process) system(run), mc.cores = processes)
  counts_of <- function(file) {
    counts <- file.path(taken, basename(file), "counts.rds")
    if (file.exists(counts)) return(readRDS(counts))
    cat(file, ": the process of this file ended early.\n", sep = "")
    data.frame(passed = 0L, failed = 1L, skipped = 0L, seconds = NA)
  }
  counts <- do.call(rbind, lapply(files, counts_of))
  longest <- utils::head(order(-counts$seconds), 10)
  cat("Longest: ", paste0(basename(files)[longest], " ", round(counts$seconds[longest]), " s", collapse = ", "),
      "\n", sep = "")
  colSums(counts[c("passed", "failed", "skipped")])
}

arguments <- commandArgs(trailingOnly = TRUE)
counts <- if (arguments[1] == "core") core_tests("build/cpp/run") + core_tests("build/cpp/run_clones") else
  package_tests(arguments[-1])
cat(do.call(sprintf, c("%.0f passed, %.0f failed, %.0f skipped\n", as.list(unname(counts)))))
quit(status = as.integer(counts[["failed"]] > 0))

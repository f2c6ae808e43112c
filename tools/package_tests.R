# Rscript package_tests.R DIRECTORY: runs files of the tests of the installed package as long as there are any that no
# other process has taken. A file is taken by making its directory below DIRECTORY, where its counts are left.
taken <- commandArgs(trailingOnly = TRUE)[1]
# CI: testthat is not to delete the pictures of tests that are skipped where vdiffr is missing.
Sys.setenv(NOT_CRAN = "true", CI = "true")
suppressPackageStartupMessages(library(zeronorm))

run_file <- function(file) {
  report <- utils::capture.output({
    reporter <- testthat::SummaryReporter$new(max_reports = Inf, show_praise = FALSE)
    result <- as.data.frame(testthat::test_file(file, package = "zeronorm", load_package = "installed",
                                                reporter = reporter, stop_on_failure = FALSE))
  })
  cat(report[nzchar(report)], sep = "\n")
  failed <- result$failed > 0 | result$error
  skipped <- !failed & result$skipped
  data.frame(passed = sum(!failed & !skipped), failed = sum(failed), skipped = sum(skipped),
             seconds = sum(result$real))
}

for (file in readLines(file.path(taken, "files"))) {
  own <- file.path(taken, basename(file))
  if (dir.create(own, showWarnings = FALSE)) saveRDS(run_file(file), file.path(own, "counts.rds"))
}

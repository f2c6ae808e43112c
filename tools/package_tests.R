# Runs the tests of the installed package and leaves their counts in the file ZERONORM_COUNTS.
Sys.setenv(NOT_CRAN = "true")
suppressPackageStartupMessages(library(zeronorm))
reporter <- testthat::SummaryReporter$new(max_reports = Inf, show_praise = FALSE)
result <- as.data.frame(testthat::test_dir("tests/testthat", package = "zeronorm", load_package = "installed",
                                           reporter = reporter, stop_on_failure = FALSE))
failed <- result$failed > 0 | result$error
skipped <- !failed & result$skipped
saveRDS(c(passed = sum(!failed & !skipped), failed = sum(failed), skipped = sum(skipped)),
        Sys.getenv("ZERONORM_COUNTS"))

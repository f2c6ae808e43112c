# Rscript package_tests.R [FILE ...]: runs the tests of the installed package, or those of some files, and
# leaves their counts in the file ZERONORM_COUNTS.
files <- sub("^test-(.*)[.]R$", "\\1", commandArgs(trailingOnly = TRUE))
filter <- if (length(files)) paste0("^(", paste(files, collapse = "|"), ")$")
# CI: testthat is not to delete the pictures of tests that are skipped where vdiffr is missing.
Sys.setenv(NOT_CRAN = "true", CI = "true")
suppressPackageStartupMessages(library(zeronorm))
reporter <- testthat::SummaryReporter$new(max_reports = Inf, show_praise = FALSE)
result <- as.data.frame(testthat::test_dir("tests/testthat", package = "zeronorm", load_package = "installed",
                                           reporter = reporter, stop_on_failure = FALSE,
                                           filter = filter))
failed <- result$failed > 0 | result$error
skipped <- !failed & result$skipped
saveRDS(c(passed = sum(!failed & !skipped), failed = sum(failed), skipped = sum(skipped)),
        Sys.getenv("ZERONORM_COUNTS"))

# Runs the core's tests and the tests of the installed package.  The last line counts the tests of both;
# the exit status is not zero where one failed.  Each part runs in a process of its own: a crash is a failure.
core_tests <- function() {
  said <- suppressWarnings(system2("build/cpp/run", stdout = TRUE, stderr = TRUE,
                                   env = "UBSAN_OPTIONS=print_stacktrace=1"))
  writeLines(said)
  number <- function(pattern) sum(as.integer(sub(pattern, "\\1", grep(pattern, said, value = TRUE))))
  counts <- c(passed = number("^All tests passed \\(.* in ([0-9]+) test cases?\\)$") +
                number("^test cases:.*\\| +([0-9]+) passed.*$"),
              failed = number("^test cases:.*\\| +([0-9]+) failed.*$"), skipped = 0L)
  crashed <- !is.null(attr(said, "status")) && counts[["failed"]] == 0L
  counts + c(0L, as.integer(crashed || sum(counts) == 0L), 0L)
}

package_tests <- function() {
  counts <- tempfile(fileext = ".rds")
  script <- sprintf('
    suppressPackageStartupMessages(library(zeronorm))
    reporter <- testthat::SummaryReporter$new(max_reports = Inf, show_praise = FALSE)
    result <- as.data.frame(testthat::test_dir("tests/testthat", package = "zeronorm",
      load_package = "installed", reporter = reporter, stop_on_failure = FALSE))
    failed <- result$failed > 0 | result$error
    skipped <- !failed & result$skipped
    saveRDS(c(passed = sum(!failed & !skipped), failed = sum(failed), skipped = sum(skipped)), "%s")', counts)
  system2(file.path(R.home("bin"), "Rscript"), "-", input = script, env = "NOT_CRAN=true")
  if (file.exists(counts)) readRDS(counts) else c(passed = 0L, failed = 1L, skipped = 0L)
}

counts <- core_tests() + package_tests()
cat(do.call(sprintf, c("%d passed, %d failed, %d skipped\n", as.list(unname(counts)))))
quit(status = as.integer(counts[["failed"]] > 0))

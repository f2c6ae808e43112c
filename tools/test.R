# Runs the core's tests and the tests of the installed package.  The last line counts the tests of both;
# the exit status is not zero where one failed.  Each part runs in a process of its own: a crash is a failure.
core_tests <- function(program) {
  said <- suppressWarnings(system2(program, stdout = TRUE, stderr = TRUE,
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
  settings <- paste0("ZERONORM_COUNTS=", counts)
  system2(file.path(R.home("bin"), "Rscript"), "tools/package_tests.R", env = settings)
  if (file.exists(counts)) readRDS(counts) else c(passed = 0L, failed = 1L, skipped = 0L)
}

counts <- core_tests("build/cpp/run") + core_tests("build/cpp/run_clones") + package_tests()
cat(do.call(sprintf, c("%d passed, %d failed, %d skipped\n", as.list(unname(counts)))))
quit(status = as.integer(counts[["failed"]] > 0))

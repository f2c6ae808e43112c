test_that("control holds checked settings", {
  control <- zeronorm_control(tol = 1e-6, max_rounds = 10, threads = 2, column_generation = FALSE)
  expect_identical(unclass(control),
                   list(tol = 1e-6, max_rounds = 10L, threads = 2L, column_generation = FALSE))
  expect_zeronorm_error(zeronorm_control(tol = 0), "tol")
  expect_zeronorm_error(zeronorm_control(max_rounds = 0), "max_rounds")
  expect_zeronorm_error(zeronorm_control(threads = "two"), "threads")
  expect_zeronorm_error(zeronorm_control(column_generation = NA), "column_generation")
  expect_output(print(control), "tol = 1e-06")
})

test_that("what ends at the round limit warns, can be silenced, and says so for good", {
  data <- planted(40, 20, noise = 1)
  fit_at <- function(rounds) {
    zeronorm(data$x, data$y, fsv(lambda = 0.05), control = zeronorm_control(max_rounds = rounds))
  }
  expect_warning(fit <- fit_at(1), "stopped at the round limit", class = "zeronorm_warning")
  expect_identical(certificate(fit)$stop, "round limit")
  expect_identical(nrow(rounds(fit)), 1L)
  expect_silent(suppressWarnings(fit_at(1), classes = "zeronorm_warning"))
  expect_silent(enough <- fit_at(100))
  expect_false(certificate(enough)$stop == "round limit")
})

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

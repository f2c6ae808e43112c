test_that("an error names its argument, what was found and what to do", {
  error <- expect_zeronorm_error(stop_zeronorm("C", "is -1.", "Use a number above 0."), "C")
  expect_identical(conditionMessage(error), "`C`: is -1. Use a number above 0.")
  expect_s3_class(error, c("zeronorm_error", "error", "condition"), exact = TRUE)
})

test_that("numbers are checked for kind, range and length", {
  expect_identical(check_numbers(1:2, "C"), c(1, 2))
  expect_identical(check_numbers(Inf, "C", infinite = TRUE), Inf)
  for (bad in list(NULL, "1", NA_real_, -1, Inf, numeric(), list(1), matrix(1))) {
    expect_zeronorm_error(check_numbers(bad, "C"), "C")
  }
  expect_zeronorm_error(check_numbers(0, "C", open_lower = TRUE), "C", "above 0")
  expect_zeronorm_error(check_number(c(1, 2), "C"), "C", "one number")
  expect_identical(check_count(3, "folds"), 3L)
  expect_zeronorm_error(check_count(2.5, "folds"), "folds", "whole")
})

test_that("flags and choices are checked", {
  for (bad in list(NA, 1, c(TRUE, FALSE), NULL)) {
    expect_zeronorm_error(check_flag(bad, "intercept"), "intercept")
  }
  expect_identical(check_choice("l2", "norm", c("l1", "l2")), "l2")
  for (bad in list("L2", NULL, 2, c("l1", "l2"))) {
    expect_zeronorm_error(check_choice(bad, "norm", c("l1", "l2")), "norm", "\"l1\", \"l2\"")
  }
})

test_that("sizes are whole numbers, once each", {
  expect_null(check_nonzero(NULL))
  expect_identical(check_nonzero("path"), "path")
  expect_identical(check_nonzero(c(5, 2, 5)), c(5L, 2L))
  for (bad in list(0, 1.5, -1, NA, "all", Inf, numeric())) {
    expect_zeronorm_error(check_nonzero(bad), "nonzero")
  }
})

test_that("columns come by name, index or mask", {
  names <- c("a", "b", "c")
  expect_identical(check_columns(NULL, "keep", names, 3), integer())
  expect_identical(check_columns(c("c", "a"), "keep", names, 3), c(1L, 3L))
  expect_identical(check_columns(c(3, 3, 2), "keep", NULL, 3), 2:3)
  expect_identical(check_columns(c(TRUE, FALSE, TRUE), "keep", NULL, 3), c(1L, 3L))
  expect_zeronorm_error(check_columns("z", "keep", names, 3), "keep", "'z'")
  expect_zeronorm_error(check_columns(4, "keep", names, 3), "keep", "1 to 3")
})

test_that("arguments that a verb does not know are errors", {
  data <- planted(20, 5)
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  expect_identical(predict(fit, newx = data$x), predict(fit, data$x))
  expect_zeronorm_error(predict(fit, data = data$x), "data", "`newdata`")
  expect_zeronorm_error(predict(fit, data$x, C = 1), "C")
  for (verb in list(coef, selected, feature_importance, rounds, certificate, summary)) {
    expect_zeronorm_error(verb(fit, lambda = 1), "lambda", "not an argument")
  }
})

test_that("what is wrong with one of several numbers is said", {
  expect_zeronorm_error(check_numbers(c(1, -2), "weights"), "weights", "holds the value -2")
  expect_zeronorm_error(check_numbers(c(1, NA), "weights"), "weights", "holds the value NA")
  expect_zeronorm_error(check_count(1e10, "max_rounds"), "max_rounds")
  expect_zeronorm_error(check_nonzero(1e10), "nonzero")
})

test_that("a name that two columns share points at neither", {
  expect_zeronorm_error(check_columns("a", "keep", c("a", "a"), 2), "keep", "more than once")
  expect_identical(check_columns(2, "keep", c("a", "a"), 2), 2L)
})

advice_for <- function(x, names = colnames(x), ...) {
  problem <- list(x = x, names = names, case_weights = rep(1, nrow(x)))
  zeronorm:::failure_advice(problem, utils::modifyList(list(standardize = TRUE, intercept = TRUE), list(...)))
}

test_that("a failure says which columns are to blame", {
  x <- with_stream(1, matrix(rnorm(200), 40, dimnames = list(NULL, paste0("g", 1:5))))
  expect_match(advice_for(x), "Try another engine", fixed = TRUE)
  far <- scale(x)[, ]
  far[, 3] <- far[, 3] - 3e7
  expect_match(advice_for(far, intercept = FALSE), "mean of column 'g3' is 3e+07 times", fixed = TRUE)
  expect_match(advice_for(as(far, "CsparseMatrix")), "mean of column 'g3'", fixed = TRUE)
  expect_match(advice_for(far), "Try another engine", fixed = TRUE)
  units <- sweep(x, 2, 10^c(0, 0, 9, 0, 0), "*")
  expect_match(advice_for(units, standardize = FALSE), "use standardize = TRUE", fixed = TRUE)
  expect_match(advice_for(units), "Try another engine", fixed = TRUE)
  twin <- cbind(x, u = -1e3 * x[, 2] * (1 + 1e-8 * with_stream(2, rnorm(40))))
  expect_match(advice_for(twin), "Columns 'g2' and 'u' of `x` are the same to [78] digits")
  expect_match(advice_for(unname(twin), names = NULL), "Columns 2 and 6 of", fixed = TRUE)
  # A copy is no trouble, a constant no twin.
  expect_match(advice_for(cbind(x, x[, 2], 5, 7)), "Try another engine", fixed = TRUE)
})

test_that("a response far from zero is to blame where an intercept could have been zero", {
  x <- with_stream(1, matrix(rnorm(40), 10))
  y <- c(-1, 1)[1 + 1:10 %% 2]
  advice <- function(y, task, intercept, weights = rep(1, 10)) {
    problem <- list(x = x, y = matrix(y), task = task, case_weights = weights)
    zeronorm:::failure_advice(problem, list(standardize = TRUE, intercept = intercept))
  }
  expect_identical(advice(y + 3e8, "regression", TRUE),
                   "The mean of `y` is 3e+08 times its spread: subtract it.")
  expect_match(advice(y + 3e6, "regression", TRUE), "Try another engine", fixed = TRUE)
  expect_match(advice(y + 3e8, "regression", FALSE), "Try another engine", fixed = TRUE)
  expect_match(advice(y, "two-class", TRUE), "Try another engine", fixed = TRUE)
  # Rows without weight are no part of it.
  expect_match(advice(c(y[1:8], 1e12, -1e13), "regression", TRUE, c(rep(1, 8), 0, 0)), "Try another engine",
               fixed = TRUE)
})

test_that("the advice is in the error", {
  data <- planted(40, 6, noise = 1)
  expect_zeronorm_error(zeronorm(data$x + 1e9, data$y, generalized_lasso(lambda = 1), intercept = FALSE),
                        "method", "The mean of column 'g[1-6]' is .* subtract such means")
})

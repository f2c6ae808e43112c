# Reference of p_svm: each coefficient in turn to its minimum within the box, until none moves; glmnet with
# limits of the coefficients.

exact_potential <- function(x, y, epsilon, C) {
  a <- numeric(ncol(x))
  repeat {
    before <- a
    for (j in seq_along(a)) {
      pull <- sum(x[, j] * (y - x[, -j, drop = FALSE] %*% a[-j]))
      best <- sign(pull) * max(abs(pull) - epsilon, 0) / sum(x[, j]^2)
      a[j] <- min(max(best, -C), C)
    }
    if (max(abs(a - before)) < 1e-14) return(a)
  }
}

potential_cost <- function(x, y, a, epsilon) {
  sum((x %*% a)^2) / 2 - sum(y * x %*% a) + epsilon * sum(abs(a))
}

test_that("it is the quadratic programme with a box", {
  data <- planted(30, 6, noise = 1)
  y <- ifelse(data$y == "up", 1, -1)
  for (C in c(0.02, 0.15, 10)) {
    fit <- zeronorm(data$x, data$y, p_svm(c(8, 2), C), standardize = FALSE, intercept = FALSE)
    for (k in 1:2) {
      epsilon <- c(8, 2)[k]
      a <- unname(coef(fit, index = k)[-1])
      expect_lte(max(abs(a)), C)
      expect_equal(certificate(fit)$primal[k], potential_cost(data$x, y, a, epsilon), tolerance = 1e-9)
      expect_equal(a, exact_potential(data$x, y, epsilon, C), tolerance = 1e-7)
    }
    expect_true(all(certificate(fit)$gap <= 1e-8))
  }
})

test_that("with an intercept and weights, tall and wide, it is glmnet with limits", {
  skip_if_not_installed("glmnet")
  for (d in c(8, 60)) {
    data <- planted(40, d)
    y <- with_stream(5, as.vector(data$x[, 1:2] %*% c(2, -1)) + rnorm(40) + 2)
    weights <- rep(1:2, 20)
    fit <- zeronorm(data$x, y, p_svm(8, 0.8), standardize = FALSE, weights = weights)
    peer <- glmnet::glmnet(data$x, y, weights = weights, lambda = 8 / 60, standardize = FALSE, thresh = 1e-20,
                           maxit = 1e7, lower.limits = -0.8, upper.limits = 0.8)
    expect_equal(unname(coef(fit)), as.vector(coef(peer)), tolerance = 1e-6)
    expect_gt(sum(abs(coef(fit)[-1]) > 0.8 - 1e-12), 0)
  }
})

test_that("without a bound it is the LASSO", {
  data <- planted(30, 50, noise = 1)
  fit <- zeronorm(data$x, data$y, p_svm(c(10, 3)))
  lasso <- zeronorm(data$x, data$y, lasso(lambda = c(10, 3)))
  for (k in 1:2) expect_equal(coef(fit, index = k), coef(lasso, index = k), tolerance = 1e-8)
  far <- zeronorm(data$x, data$y, p_svm(3, 1e6))
  expect_equal(coef(far), coef(lasso, s = 3), tolerance = 1e-8)
  free <- zeronorm(data$x, data$y, p_svm(10), unpenalized = "g5")
  expect_equal(coef(free), coef(zeronorm(data$x, data$y, lasso(lambda = 10), unpenalized = "g5")),
               tolerance = 1e-7)
})

test_that("many features, equal and constant ones, sparse x", {
  data <- planted(30, 3000, noise = 1)
  fit <- zeronorm(data$x, data$y, p_svm(10, 0.01))
  expect_lte(certificate(fit)$gap, 1e-6)
  expect_lte(max(feature_importance(fit)), 0.01)
  x <- cbind(data$x[, 1:5], constant = 1, again = data$x[, 1])
  fit <- zeronorm(x, data$y, p_svm(5, 0.1))
  expect_equal(coef(fit)[["g1"]], coef(fit)[["again"]], tolerance = 1e-8)
  expect_identical(coef(fit)[["constant"]], 0)
  sparse <- zeronorm(as(x, "dgCMatrix"), data$y, p_svm(5, 0.1))
  expect_equal(coef(sparse), coef(fit), tolerance = 1e-7)
  expect_zeronorm_error(p_svm(0), "epsilon")
  expect_zeronorm_error(p_svm(C = -1), "C")
})

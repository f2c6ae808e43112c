# Reference of multiplicative_update: Algorithm 4 of Lal et al. written out with quadprog.

test_that("it is arom with quadratic errors", {
  data <- planted(40, 20, noise = 1)
  for (nonzero in list(NULL, c(5, 2))) {
    one <- zeronorm(data$x, data$y, multiplicative_update(nonzero = nonzero, lambda = 2))
    other <- zeronorm(data$x, data$y, arom("l2", nonzero = nonzero, errors = "l2", lambda = 2))
    expect_identical(coef(one), coef(other))
    expect_identical(certificate(one), certificate(other))
  }
  expect_identical(format(multiplicative_update(nonzero = 3)), "multiplicative_update(nonzero = 3)")
  regression <- zeronorm(data$x, data$x[, 1] * 2, multiplicative_update(epsilon = 0.1))
  expect_identical(selected(regression)[1], "g1")
})

test_that("it is the algorithm of the chapter", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 6, noise = 2)
  x <- scale(data$x)
  y <- ifelse(data$y == "up", 1, -1)
  n <- 24
  z <- rep(1, 6)
  for (round in 1:400) {
    k <- tcrossprod(sweep(x, 2, z, "*")) + diag(n)
    a <- quadprog::solve.QP(k * tcrossprod(y) + 1e-12 * diag(n), rep(1, n), cbind(y, diag(n)), rep(0, n + 1),
                            meq = 1)$solution
    w <- as.vector(z * crossprod(x, a * y))
    z <- z * abs(w)
    if (max(abs(abs(w[z > 1e-8]) - 1)) < 1e-7) break
  }
  fit <- zeronorm(data$x, data$y, multiplicative_update())
  expect_setequal(selected(fit), colnames(data$x)[z > 1e-6])
  expect_equal(importance(fit)[colnames(data$x)], z, tolerance = 1e-4, ignore_attr = TRUE)
})

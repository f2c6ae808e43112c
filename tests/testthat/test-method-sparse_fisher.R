# Reference of sparse_fisher: quadprog on split variables with the constraints of both classes.

exact_fisher <- function(k, y, C, weights = rep(1, length(y))) {
  m <- ncol(k)
  split <- cbind(k, -k, 1)
  p <- ncol(split)
  means <- rbind(colSums((weights * split)[y > 0, ]), colSums((weights * split)[y < 0, ]))
  at <- c(sum(weights[y > 0]), -sum(weights[y < 0]))
  bounds <- rbind(means, cbind(diag(2 * m), 0))
  q <- 2 * crossprod(split, weights * split) + 1e-8 * diag(p)
  found <- quadprog::solve.QP(q, 2 * crossprod(split, weights * y) - c(rep(1, 2 * m), 0) / C, t(bounds),
                              c(at, rep(0, 2 * m)), meq = 2)
  a <- found$solution[1:m] - found$solution[m + 1:m]
  b <- found$solution[p]
  list(a = a, b = b, value = C * sum(weights * (as.vector(k %*% a) + b - y)^2) + sum(abs(a)))
}

test_that("it is the quadratic programme, linear and with a kernel", {
  skip_if_not_installed("quadprog")
  data <- planted(30, 6, noise = 1)
  y <- ifelse(data$y == "up", 1, -1)
  weights <- rep(1:3, 10)
  C <- 1 / c(0.5, 5, 40)
  fit <- zeronorm(data$x, data$y, sparse_fisher(C = C), standardize = FALSE, weights = weights)
  for (k in 1:3) {
    exact <- exact_fisher(data$x, y, C[k], weights)
    expect_equal(unname(coef(fit, index = k)), c(exact$b, exact$a), tolerance = 1e-5)
    expect_equal(certificate(fit)$primal[k], exact$value, tolerance = 1e-5)
    expect_lte(certificate(fit)$primal[k], exact$value * (1 + 1e-9))
  }
  expect_true(all(certificate(fit)$gap <= 1e-8))
  f <- predict(fit, data$x, "link")
  expect_equal(colSums((weights * f)[y > 0, ]) / sum(weights[y > 0]), rep(1, 3), tolerance = 1e-8,
               ignore_attr = TRUE)
  expect_equal(colSums((weights * f)[y < 0, ]) / sum(weights[y < 0]), rep(-1, 3), tolerance = 1e-8,
               ignore_attr = TRUE)
  x <- scale(data$x[, 1:2])
  kernel <- exp(-as.matrix(stats::dist(x))^2 / 2)
  exact <- exact_fisher(kernel, y, 1)
  fit <- zeronorm(data$x[, 1:2], data$y, sparse_fisher(1, gaussian_kernel(1)))
  expect_equal(certificate(fit)$primal, exact$value, tolerance = 1e-5)
  expect_equal(as.vector(predict(fit, data$x[, 1:2], "link")), as.vector(kernel %*% exact$a) + exact$b,
               tolerance = 1e-3)
  expect_lt(length(coef(fit)), 31)
})

test_that("without an intercept only b is left out", {
  data <- planted(30, 6, noise = 1)
  with <- zeronorm(data$x, data$y, sparse_fisher(0.2))
  without <- zeronorm(data$x, data$y, sparse_fisher(0.2), intercept = FALSE)
  expect_equal(coef(without)[-1], coef(with)[-1])
  expect_identical(coef(without)[[1]], 0)
  expect_identical(certificate(without)$errors, sum(predict(without, data$x) != data$y))
})

test_that("classes of the same means cannot be told apart", {
  x <- cbind(c(1, -1, 1, -1), c(2, -2, 2, -2))
  expect_zeronorm_error(zeronorm(x, c(1, 1, -1, -1), sparse_fisher(1)), "method", "class means")
  expect_zeronorm_error(zeronorm(x, c(1, 1, -1, -1), sparse_fisher(1), weights = c(1, 1, 0, 0)), "weights")
  expect_zeronorm_error(sparse_fisher(C = 0), "C")
})

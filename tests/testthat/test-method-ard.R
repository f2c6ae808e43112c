# Reference of ard: the fixed point equation from the coefficients alone, and the plain iteration of MacKay
# with Newton's method and explicit inverses.

# The equation at the weights w and intercept b: beta by the balance of the posterior, gamma by an explicit
# inverse.  Largest |beta w^2 - gamma|.
equation <- function(x, y, w, b, weights = rep(1, nrow(x)), noise = NULL) {
  used <- which(w != 0)
  f <- drop(x %*% w + b)
  p <- 1 / (1 + exp(-f))
  force <- if (is.null(noise)) weights * ((y + 1) / 2 - p) else weights * (y - f) / noise
  curve <- if (is.null(noise)) weights * p * (1 - p) else weights / noise
  beta <- drop(crossprod(x[, used, drop = FALSE], force)) / w[used]
  with_ones <- cbind(x[, used, drop = FALSE], 1)
  hessian <- crossprod(with_ones, curve * with_ones) + diag(c(beta, 0), length(used) + 1)
  gamma <- 1 - beta * diag(solve(hessian))[seq_along(used)]
  list(residual = max(abs(beta * w[used]^2 - gamma)), gamma = gamma, beta = beta)
}

plain_iteration <- function(x, y, rounds = 2000) {
  d <- ncol(x)
  beta <- rep(1, d)
  on <- seq_len(d)
  w <- numeric(d + 1)
  for (round in seq_len(rounds)) {
    A <- cbind(x[, on, drop = FALSE], 1)
    prior <- c(beta[on], 0)
    v <- w[c(on, d + 1)]
    hessian <- function(p) crossprod(A, p * (1 - p) * A) + diag(prior, length(prior))
    for (step in 1:30) {
      p <- 1 / (1 + exp(-drop(A %*% v)))
      move <- solve(hessian(p), drop(crossprod(A, (y + 1) / 2 - p)) - prior * v)
      v <- v + move
      if (max(abs(move)) < 1e-11) break
    }
    inverse <- diag(solve(hessian(1 / (1 + exp(-drop(A %*% v))))))[seq_along(on)]
    new <- (1 - beta[on] * inverse) / v[seq_along(on)]^2
    changed <- max(abs(log(new / beta[on])))
    beta[on] <- new
    w[] <- 0
    w[c(on, d + 1)] <- v
    w[on[new > 1e9]] <- 0
    on <- on[new <= 1e9]
    if (changed < 1e-8) break
  }
  w
}

noisy <- function(n, d, seed) {
  with_stream(seed, {
    x <- scale(matrix(rnorm(n * d), n))
    list(x = x, y = ifelse(x[, 1] - x[, 2] + 0.7 * rnorm(n) > 0, 1, -1))
  })
}

test_that("ard ends where the plain iteration does", {
  for (size in list(c(60, 10, 2), c(100, 20, 3), c(40, 60, 5))) {
    data <- noisy(size[1], size[2], size[3])
    fit <- zeronorm(data$x, data$y, ard(), standardize = FALSE)
    expect_equal(unname(coef(fit)), plain_iteration(data$x, data$y)[c(size[2] + 1, seq_len(size[2]))],
                 tolerance = 1e-5)
    expect_true(all(1:2 %in% selected(fit)))
  }
})

test_that("the fixed point equation holds, more columns than rows or less, with weights", {
  for (d in c(8, 150)) {
    data <- noisy(50, d, 7)
    weights <- rep(c(1, 2, 0.5, 0, 1), 10)
    fit <- zeronorm(data$x, data$y, ard(), standardize = FALSE, weights = weights)
    at <- equation(data$x, data$y, coef(fit)[-1], coef(fit)[1], weights)
    expect_lte(at$residual, 1e-6)
    expect_lte(certificate(fit)$kkt, 1e-6)
    expect_true(all(at$beta > 0 & at$beta < 1e9))
    expect_lte(certificate(fit)$gap, 1e-8)
  }
})

test_that("the relevance vector machine solves it for the columns of the kernel matrix", {
  skip_if_not_installed("MASS")
  rows <- seq(1, 250, by = 3)
  x <- as.matrix(MASS::synth.tr[rows, 1:2])
  y <- MASS::synth.tr$yc[rows]
  K <- exp(-as.matrix(dist(x))^2 / (2 * 0.5^2))
  fit <- zeronorm(x, factor(y), ard(gaussian_kernel(0.5)), standardize = FALSE)
  w <- replace(numeric(length(y)), fit$machine$rows, coef(fit)[-1])
  expect_lte(equation(K, 2 * y - 1, w, coef(fit)[1])$residual, 1e-6)
  expect_lte(certificate(fit)$support_vectors, 8)
  expect_identical(certificate(fit)$support_vectors, length(selected(fit)))
  expect_equal(predict(fit, x, "link"), drop(K %*% w) + coef(fit)[[1]], ignore_attr = TRUE)
  test <- MASS::synth.te
  expect_lte(mean(predict(fit, as.matrix(test[1:2])) != test$yc), 0.12)
})

test_that("regression: the equation holds, and the noise is what the residuals leave", {
  data <- with_stream(1, {
    x <- scale(matrix(rnorm(80 * 15), 80))
    list(x = x, y = 3 * x[, 2] - 2 * x[, 5] + 0.5 * rnorm(80) + 7)
  })
  fit <- suppressMessages(zeronorm(data$x, data$y, ard(), standardize = FALSE))
  expect_identical(selected(fit)[1:2], c(2L, 5L))
  residual <- data$y - predict(fit, data$x)
  w <- coef(fit)[-1]
  # The noise that solves its own equation.
  gap <- function(noise) {
    at <- equation(data$x, data$y, w, coef(fit)[1], noise = noise)
    sum(residual^2) / (80 - sum(at$gamma) - 1) - noise
  }
  noise <- stats::uniroot(gap, c(0.05, 1), tol = 1e-12)$root
  expect_lte(equation(data$x, data$y, w, coef(fit)[1], noise = noise)$residual, 1e-6)
  # Any units.
  other <- suppressMessages(zeronorm(data$x * 1e5, data$y * 1e-4, ard(), standardize = FALSE))
  expect_equal(predict(other, data$x * 1e5) * 1e4, predict(fit, data$x), tolerance = 1e-8)
})

test_that("regression with more columns than rows keeps the noise from vanishing", {
  data <- with_stream(4, {
    x <- matrix(rnorm(30 * 100), 30)
    list(x = x, y = 2 * x[, 1] - x[, 3] + 0.1 * rnorm(30))
  })
  fit <- suppressMessages(zeronorm(data$x, data$y, ard()))
  expect_setequal(selected(fit)[1:2], c(1, 3))
  expect_lte(length(selected(fit)), 6)
})

test_that("free features have no prior, those to keep are kept", {
  data <- noisy(80, 12, 9)
  fit <- zeronorm(data$x, data$y, ard(), unpenalized = 3, keep = 4, standardize = FALSE)
  expect_true(all(coef(fit)[1 + 3:4] != 0))
  f <- predict(fit, data$x, "link")
  force <- (data$y + 1) / 2 - 1 / (1 + exp(-f))
  expect_lte(max(abs(crossprod(cbind(1, data$x[, 3]), force))), 1e-6)
})

test_that("several classes and labels, and nothing to find", {
  x <- as.matrix(iris[1:4])
  fit <- zeronorm(x, iris$Species, ard())
  expect_lte(certificate(fit)$errors, 8)
  alone <- zeronorm(x, iris$Species == "virginica", ard())
  expect_equal(predict(fit, x, "link")[, 3], predict(alone, x, "link"), tolerance = 1e-6)
  pairs <- zeronorm(x, iris$Species, ard(multiclass = "ovo"))
  expect_lte(certificate(pairs)$errors, 8)
  kernels <- zeronorm(x, iris$Species, ard(gaussian_kernel(2), "ovo"))
  expect_lte(certificate(kernels)$errors, 8)
  expect_lte(certificate(kernels)$support_vectors, 20)
  expect_identical(certificate(kernels)$support_vectors, length(selected(kernels)))
  none <- zeronorm(matrix(rep(c(1, 2, 2, 1), each = 10)), rep(c("a", "b"), 20), ard())
  expect_length(selected(none), 0)
})

test_that("observations of weight zero are no points of the expansion", {
  data <- noisy(60, 3, 11)
  weights <- rep(c(1, 0, 1), 20)
  some <- weights > 0
  all <- zeronorm(data$x, data$y, ard(gaussian_kernel(1)), weights = weights)
  rest <- zeronorm(data$x[some, ], data$y[some], ard(gaussian_kernel(1)))
  expect_equal(predict(all, data$x, "link"), predict(rest, data$x, "link"), tolerance = 1e-6)
})

# Reference of jcfo: the definition and its finite differences; for given scales stats::optim on split
# variables.

# Minus the log posterior, from the definition.
jcfo_value <- function(sigma, a, b, x, y, kernel, gamma1, gamma2, weights = rep(1, length(y))) {
  z <- sweep(x, 2, sigma, "*")
  f <- as.vector(kernel(z) %*% a) + b
  -sum(weights * stats::pnorm(y * f, log.p = TRUE)) + gamma1 * sum(abs(a)) + gamma2 * sum(sigma)
}

bell <- function(width) function(z) exp(-as.matrix(stats::dist(z))^2 / (2 * width^2))

# Scales, expansion and intercept of a fit to x without names of rows.
jcfo_parts <- function(fit, n, features) {
  u <- coef(fit)
  list(sigma = unname(feature_importance(fit)[features]), a = replace(numeric(n), as.integer(names(u)[-1]), u[-1]),
       b = u[[1]])
}

check_stationary <- function(fit, x, y, kernel, gamma1, gamma2, weights = rep(1, length(y))) {
  n <- nrow(x)
  p <- jcfo_parts(fit, n, colnames(x))
  value <- function(sigma = p$sigma, a = p$a, b = p$b) {
    jcfo_value(sigma, a, b, x, y, kernel, gamma1, gamma2, weights)
  }
  expect_equal(certificate(fit)$primal, value(), tolerance = 1e-9)
  h <- 1e-5
  slope <- function(move) (move(h) - move(-h)) / (2 * h)
  for (j in which(p$sigma > 1e-3)) {
    expect_lt(abs(slope(function(t) value(sigma = replace(p$sigma, j, p$sigma[j] + t)))), 2e-5)
  }
  for (k in which(abs(p$a) > 1e-3)) {
    expect_lt(abs(slope(function(t) value(a = replace(p$a, k, p$a[k] + t)))), 1e-6)
  }
  # At the kinks no direction goes down.
  for (k in which(p$a == 0 & weights > 0)) {
    for (sign in c(-1, 1)) expect_gt((value(a = replace(p$a, k, sign * h)) - value()) / h, -1e-6)
  }
  for (j in which(p$sigma == 0)) expect_gt(value(sigma = replace(p$sigma, j, 1e-4)) - value(), -1e-9)
  expect_lt(abs(slope(function(t) value(b = p$b + t))), 1e-6)
}

test_that("the gradient of the definition vanishes off the kinks and the posterior never falls", {
  ring <- planted(60, 5)
  y <- ifelse(rowSums(ring$x[, 1:2]^2) > 1.4, 1, -1)
  x <- scale(ring$x)
  fit <- zeronorm(ring$x, y, jcfo(0.2, 1, gaussian_kernel(1)))
  expect_setequal(selected(fit), c("g1", "g2"))
  expect_true(all(diff(rounds(fit)$objective) <= 1e-9))
  expect_lte(certificate(fit)$gap, 1e-6)
  check_stationary(fit, x, y, bell(1), 0.2, 1)
  weights <- rep(0:2, 20)
  weighted <- zeronorm(ring$x, y, jcfo(0.5, 0.5, gaussian_kernel(1)), weights = weights, standardize = FALSE)
  check_stationary(weighted, ring$x, y, bell(1), 0.5, 0.5, weights)
  linear <- planted(50, 6, noise = 1)
  y <- ifelse(linear$y == "up", 1, -1)
  fit <- zeronorm(linear$x, linear$y, jcfo(0.5, 1))
  check_stationary(fit, scale(linear$x), y, tcrossprod, 0.5, 1)
  expect_setequal(selected(fit)[1:2], c("g1", "g2"))
  squares <- zeronorm(ring$x, rowSums(ring$x[, 1:2]^2) > 1.4, jcfo(0.2, 1, poly_kernel(2, "power")))
  y <- ifelse(rowSums(ring$x[, 1:2]^2) > 1.4, 1, -1)
  check_stationary(squares, x, y, function(z) (tcrossprod(z) + 1)^2, 0.2, 1)
})

test_that("for the scales found nothing is left to the expansion", {
  data <- planted(20, 2, noise = 1)
  y <- ifelse(data$y == "up", 1, -1)
  x <- scale(data$x)
  fit <- zeronorm(data$x, data$y, jcfo(0.5, 0.1, gaussian_kernel(1)))
  p <- jcfo_parts(fit, 20, colnames(x))
  # Split variables make the kinks bounds.
  k <- bell(1)(sweep(x, 2, p$sigma, "*"))
  value <- function(u) {
    f <- as.vector(k %*% (u[1:20] - u[21:40])) + u[41]
    -sum(stats::pnorm(y * f, log.p = TRUE)) + 0.5 * sum(u[1:40])
  }
  slope <- function(u) {
    f <- as.vector(k %*% (u[1:20] - u[21:40])) + u[41]
    push <- y * exp(stats::dnorm(f, log = TRUE) - stats::pnorm(y * f, log.p = TRUE))
    g <- as.vector(k %*% push)
    c(0.5 - g, 0.5 + g, -sum(push))
  }
  found <- stats::optim(numeric(41), value, slope, method = "L-BFGS-B", lower = c(numeric(40), -Inf),
                        control = list(factr = 10, maxit = 10000))
  expect_equal(certificate(fit)$primal - 0.1 * sum(p$sigma), found$value, tolerance = 1e-8)
})

test_that("prices decide how much is left", {
  data <- planted(40, 8, noise = 1)
  fit <- zeronorm(data$x, data$y, jcfo(gamma1 = c(0.1, 1), gamma2 = c(0.1, 3)))
  table <- certificate(fit)
  expect_identical(nrow(table), 4L)
  expect_lt(table$nonzero[3], table$nonzero[1] + 1)
  expect_identical(table$nonzero, lengths(selected(fit), use.names = FALSE))
  nothing <- zeronorm(data$x, data$y, jcfo(100, 1))
  expect_identical(certificate(nothing)$nonzero, 0L)
  expect_true(all(is.finite(predict(nothing, data$x, "link"))))
  p <- predict(fit, data$x[3:5, 8:1], "link", index = 1)
  expect_equal(p, predict(fit, data$x, "link", index = 1)[3:5])
  expect_zeronorm_error(jcfo(0), "gamma1")
  expect_zeronorm_error(jcfo(kernel = chi2_kernel()), "kernel", "gaussian_kernel")
})

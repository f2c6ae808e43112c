# Reference of adaptive_scaling: quadprog on the whole problem of the squared l1 norm; the value of the
# machine by quadprog, minimised over scales by optim().

# min (sum_j |w_j|)^2 / (2 sigma0^2) + C sum xi over (w+, w-, b, xi).
squared_l1 <- function(x, y, sigma0, C, weights = rep(1, nrow(x))) {
  n <- nrow(x)
  d <- ncol(x)
  l1 <- rep(c(1, 0), c(2 * d, n + 1))
  rows <- rbind(cbind(y * x, -y * x, y, diag(n)),
                cbind(diag(2 * d), matrix(0, 2 * d, n + 1)), cbind(matrix(0, n, 2 * d + 1), diag(n)))
  u <- quadprog::solve.QP(tcrossprod(l1) / sigma0^2 + 1e-9 * diag(length(l1)),
                          c(rep(0, 2 * d + 1), -C * weights), t(rows), rep(c(1, 0), c(n, 2 * d + n)))$solution
  w <- u[1:d] - u[d + 1:d]
  sum(abs(w))^2 / (2 * sigma0^2) + C * sum(weights * pmax(0, 1 - y * (x %*% w + u[2 * d + 1])))
}

# max sum a - 1/2 a'YKYa, 0 <= a <= C, y'a = 0.
machine_value <- function(k, y, C) {
  n <- length(y)
  -quadprog::solve.QP(k * tcrossprod(y) + 1e-9 * diag(n), rep(1, n), cbind(y, diag(n), -diag(n)),
                      c(rep(0, n + 1), rep(-C, n)), meq = 1)$value
}

test_that("the linear machine with p = 2 is that of the squared l1 norm", {
  skip_if_not_installed("quadprog")
  data <- planted(30, 8, noise = 1)
  x <- scale(data$x)
  for (C in c(0.1, 1, 10)) for (sigma0 in c(0.5, 1, 3)) {
    fit <- zeronorm(data$x, data$y, adaptive_scaling(2, sigma0, C))
    reference <- squared_l1(x, sign_of(data$y), sigma0, C)
    expect_equal(certificate(fit)$primal, reference, tolerance = 1e-6)
    expect_lte(certificate(fit)$dual, reference * (1 + 1e-7))
    expect_lte(certificate(fit)$gap, 1e-6)
    expect_identical(certificate(fit)$kind, "gap")
    w <- coef(fit)[-1] * apply(data$x, 2, stats::sd)
    own <- sum(abs(w))^2 / (2 * sigma0^2) +
      C * sum(pmax(0, 1 - sign_of(data$y) * predict(fit, data$x, "link")))
    expect_equal(own, reference, tolerance = 1e-6)
  }
})

test_that("with a hard margin it is the hard l1 machine", {
  data <- separated(30, 60)
  fit <- zeronorm(data$x, data$y, adaptive_scaling(2, 1.5, Inf))
  l1 <- zeronorm(data$x, data$y, l1_svm(Inf))
  expect_equal(certificate(fit)$primal, certificate(l1)$primal^2 / (2 * 1.5^2), tolerance = 1e-6)
  expect_setequal(selected(fit), selected(l1))
  expect_equal(predict(fit, data$x, "link"), predict(l1, data$x, "link"), tolerance = 1e-4)
  noisy <- planted(40, 3, noise = 3)
  expect_zeronorm_error(zeronorm(noisy$x, noisy$y, adaptive_scaling(C = Inf)), "y", "not separable")
})

test_that("for any p the weights minimise a power norm", {
  data <- planted(40, 6, noise = 1)
  x <- scale(data$x)
  y <- sign_of(data$y)
  for (p in c(1, 1.5, 2, 3, 8)) {
    fit <- zeronorm(data$x, data$y, adaptive_scaling(p, 2, 0.5))
    r <- 2 * p / (p + 2)
    value <- function(u) {
      sum(abs(u[-1])^r)^(2 / r) / (2 * 2^2) + 0.5 * sum(pmax(0, 1 - y * (x %*% u[-1] + u[1])))
    }
    w <- coef(fit)[-1] * apply(data$x, 2, stats::sd)
    u <- c(coef(fit)[1] + sum(coef(fit)[-1] * colMeans(data$x)), w)
    expect_equal(value(u), certificate(fit)$primal, tolerance = 1e-6)
    nearby <- with_stream(1, replicate(300, value(u + 10^-sample(3, 1) * stats::rnorm(7) * (u != 0))))
    expect_gte(min(nearby), value(u) * (1 - 1e-9))
    if (p < 2) next
    found <- with_stream(1, min(replicate(5, stats::optim(u + 0.1 * stats::rnorm(7), value,
                                                          control = list(maxit = 5000))$value)))
    expect_gte(found, value(u) * (1 - 1e-9))
    expect_lte(certificate(fit)$gap, 1e-6)
  }
  sizes <- certificate(zeronorm(data$x, data$y, adaptive_scaling(1:3)))$nonzero
  expect_true(all(diff(sizes) >= 0))
})

test_that("scales within a kernel are a minimum on their sphere", {
  skip_if_not_installed("quadprog")
  data <- planted(30, 3, noise = 0.5)
  x <- scale(data$x)
  y <- sign_of(data$y)
  for (p in c(1, 2, 4)) for (kernel in list(gaussian_kernel(1), poly_kernel(4, "power"))) {
    fit <- zeronorm(data$x, data$y, adaptive_scaling(p, 1.2, 2, kernel))
    values <- function(sigma) {
      z <- sweep(x, 2, sigma, "*")
      if (kernel$kind == "poly") (tcrossprod(z) + 1)^4 else exp(-as.matrix(stats::dist(z))^2 / 2)
    }
    value <- function(u) machine_value(values(1.2 * abs(u) / sum(abs(u)^p)^(1 / p)), y, 2)
    sigma <- sqrt(feature_importance(fit)[colnames(x)])
    expect_equal(sum(sigma^p)^(1 / p), 1.2, tolerance = 1e-8)
    expect_equal(value(sigma), certificate(fit)$primal, tolerance = 1e-6)
    expect_identical(certificate(fit)$kind, "stationarity")
    expect_lte(certificate(fit)$gap, 1e-6)
    found <- stats::optim(pmax(sigma, 1e-3), value, control = list(reltol = 1e-10))
    expect_gte(found$value, value(sigma) * (1 - 1e-6))
  }
})

test_that("tuning values make a grid", {
  data <- planted(40, 6, noise = 1)
  fit <- zeronorm(data$x, data$y, adaptive_scaling(c(1, 2), c(0.5, 2), c(0.1, 1)))
  expect_identical(nrow(certificate(fit)), 8L)
  for (k in 1:8) {
    row <- certificate(fit)[k, ]
    one <- zeronorm(data$x, data$y, adaptive_scaling(row$p, row$sigma0, row$C))
    expect_equal(coef(one), coef(fit, index = k), tolerance = 1e-5)
  }
  expect_identical(names(certificate(fit))[1:3], c("p", "sigma0", "C"))
  # The default norm in a kernel is that of scales of one.
  fit <- zeronorm(data$x, data$y, adaptive_scaling(p = c(1, 2), kernel = gaussian_kernel()))
  expect_equal(sum(sqrt(feature_importance(fit, index = 1))), 6, tolerance = 1e-8)
  expect_equal(sum(feature_importance(fit, index = 2)), 6, tolerance = 1e-8)
})

test_that("weights count, covariates are free, features that are kept have the largest scale", {
  skip_if_not_installed("quadprog")
  data <- planted(30, 6, noise = 1)
  weights <- rep(c(0, 1, 2.5), 10)
  fit <- zeronorm(data$x, data$y, adaptive_scaling(2, 1, 1), weights = weights, standardize = FALSE)
  expect_equal(certificate(fit)$primal, squared_l1(data$x, sign_of(data$y), 1, 1, weights), tolerance = 1e-6)
  x <- scale(data$x)
  y <- sign_of(data$y)
  value <- function(u, free, kept) {
    l1 <- sum(abs(u[-c(1, 1 + free, 1 + kept)]))
    l1^2 / 2 + sum(u[1 + kept]^2) / 2 + sum(pmax(0, 1 - y * (x %*% u[-1] + u[1])))
  }
  fit <- zeronorm(x, data$y, adaptive_scaling(2, 1, 1), unpenalized = 5, keep = 6)
  u <- coef(fit)
  expect_equal(value(u, 5, 6), certificate(fit)$primal, tolerance = 1e-6)
  found <- with_stream(1, replicate(400, value(u + 10^-sample(3, 1) * stats::rnorm(7), 5, 6)))
  expect_gte(min(found), value(u, 5, 6) * (1 - 1e-9))
  expect_true(all(c("g5", "g6") %in% in_model(fit)))
})

test_that("wrong arguments are refused", {
  data <- planted(20, 5)
  expect_zeronorm_error(adaptive_scaling(0), "p")
  expect_zeronorm_error(adaptive_scaling(Inf), "p")
  expect_zeronorm_error(adaptive_scaling(sigma0 = 0), "sigma0")
  expect_zeronorm_error(adaptive_scaling(C = -1), "C")
  expect_zeronorm_error(adaptive_scaling(kernel = function(x, z) sum(x * z)), "kernel")
  expect_zeronorm_error(zeronorm(data$x, data$y, adaptive_scaling(), engine = "highs"), "engine", "dual")
})

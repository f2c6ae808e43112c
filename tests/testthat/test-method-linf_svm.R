noisy <- function(n, d, seed = 1) {
  data <- planted(n, max(d, 2), noise = 2, seed = seed)
  data$x <- scale(data$x)[, seq_len(d), drop = FALSE]
  data
}

linf_value <- function(fit, data, C, weights = 1, penalised = TRUE) {
  w <- coef(fit)[-1]
  slacks <- pmax(0, 1 - ifelse(data$y == "up", 1, -1) * predict(fit, data$x, "link"))
  max(abs(w[penalised])) + C * sum(weights * slacks)
}

# Reference of linf_svm: an l1 machine on all sign patterns, whose convex hull is the ball of the norm.
test_that("linf_svm is the l1 machine on sign patterns", {
  for (n in c(10, 40)) for (d in c(1, 2, 6)) {
    data <- noisy(n, d, seed = n + d)
    for (C in c(0.003, 0.02, 0.3, 20)) {
      fit <- zeronorm(data$x, data$y, linf_svm(C), standardize = FALSE)
      atoms <- atomic_machine(data$x, data$y, rep(list(1), d), 1, C)
      expect_equal(certificate(fit)$primal, atoms$value, tolerance = 1e-7)
      expect_equal(linf_value(fit, data, C), atoms$value, tolerance = 1e-7)
      expect_lte(certificate(fit)$gap, 1e-8)
    }
  }
})

test_that("linf_svm does so with weights, without an intercept, and with unpenalised features", {
  data <- noisy(30, 5)
  weights <- rep(c(0, 1, 2), 10)
  fit <- zeronorm(data$x, data$y, linf_svm(0.05), weights = weights, standardize = FALSE)
  atoms <- atomic_machine(data$x, data$y, rep(list(1), 5), 1, 0.05, weights = weights)
  expect_equal(linf_value(fit, data, 0.05, weights), atoms$value, tolerance = 1e-7)
  fit <- zeronorm(data$x, data$y, linf_svm(0.05), standardize = FALSE, intercept = FALSE)
  atoms <- atomic_machine(data$x, data$y, rep(list(1), 5), 1, 0.05, intercept = FALSE)
  expect_equal(linf_value(fit, data, 0.05), atoms$value, tolerance = 1e-7)
  fit <- zeronorm(data$x, data$y, linf_svm(0.05), standardize = FALSE, unpenalized = c(1, 4))
  atoms <- atomic_machine(data$x, data$y, replace(rep(list(1), 5), c(1, 4), list(integer())), 1, 0.05)
  expect_equal(linf_value(fit, data, 0.05, penalised = c(2, 3, 5)), atoms$value, tolerance = 1e-7)
  expect_equal(unname(coef(fit)[-1]), atoms$w, tolerance = 1e-6)
})

test_that("between two points the margin is twice over their l1 distance", {
  x <- rbind(c(1, 5, -2), c(2, 1, 0))
  fit <- zeronorm(x, c(-1, 1), linf_svm(Inf), standardize = FALSE)
  expect_equal(unname(coef(fit)[-1]), 2 / 7 * c(1, -1, 1))
  expect_equal(unname(predict(fit, x, "link")), c(-1, 1))
  expect_equal(certificate(fit)$primal, 2 / 7)
  # And with slacks, until a unit of margin costs more than the slacks it saves: max |w| = 2/7 against 2 C.
  value <- function(C) certificate(zeronorm(x, c(-1, 1), linf_svm(C), standardize = FALSE))$primal
  expect_equal(value(0.1), 0.2)
  expect_equal(value(0.2), 2 / 7)
})

test_that("a hard margin is the limit of large C, and an error where there is none", {
  data <- separated(40, 60)
  hard <- zeronorm(data$x, data$y, linf_svm(Inf))
  soft <- zeronorm(data$x, data$y, linf_svm(1))
  expect_equal(certificate(hard)$primal, certificate(soft)$primal, tolerance = 1e-7)
  expect_identical(certificate(hard)$errors, 0L)
  data <- noisy(60, 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, linf_svm(Inf)), "y", "not separable")
})

test_that("a path is its solutions one by one", {
  data <- noisy(30, 40)
  C <- c(0.3, 0.01, 1e-4, 0.03)
  path <- certificate(zeronorm(data$x, data$y, linf_svm(C)))
  single <- vapply(C, function(c) certificate(zeronorm(data$x, data$y, linf_svm(c)))$primal, 0)
  expect_equal(path$primal, single, tolerance = 1e-7)
  expect_identical(path$C, C)
})

test_that("at most as many weights as observations are below the maximum", {
  data <- noisy(20, 2000)
  fit <- zeronorm(data$x, data$y, linf_svm(1), standardize = FALSE)
  w <- abs(coef(fit)[-1])
  expect_lte(sum(w < max(w) * (1 - 1e-9)), 20)
  expect_lte(certificate(fit)$gap, 1e-8)
})

test_that("constant and removed columns have no weight, other units no influence", {
  data <- noisy(30, 6)
  x <- cbind(data$x, constant = 2, zero = 0)
  fit <- zeronorm(x, data$y, linf_svm(0.1))
  expect_identical(unname(coef(fit)[c("constant", "zero")]), c(0, 0))
  units <- 10^c(-8, 8, 0, 3, -3, 5)
  other <- zeronorm(sweep(data$x, 2, units, "*"), data$y, linf_svm(0.1))
  expect_equal(unname(coef(other)[-1]) * units, unname(coef(fit)[2:7]), tolerance = 1e-6)
})

test_that("engines without linking rows say so", {
  data <- noisy(20, 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, linf_svm(), engine = "simplex"), "engine", "linking rows")
  expect_zeronorm_error(zeronorm(data$x, data$y, linf_svm(), engine = "dual"), "engine", "groups")
})

# Reference of bound_rfe: |w|^2 and R^2 by quadprog; the span estimate by machines retrained without each
# support vector; slopes by finite differences of both.

linear <- poly_kernel(1)  # as a kernel, whose fits tell the scores

# Features whose inner products are those of x times sigma, with the ridge 1/C.
ridged <- function(x, C, sigma = rep(1, ncol(x))) {
  cbind(sweep(x, 2, sigma, "*"), if (is.finite(C)) diag(nrow(x)) / sqrt(C))
}

value_of <- function(x, y, bound, ...) {
  x <- ridged(x, ...)
  if (bound == "span") reference_span(x, y) else 4 * ball(x) * sum(exact_svm(x, y)$w^2)
}

# min t + |c|^2 subject to t + 2 c'x_i >= |x_i|^2.
ball <- function(x) {
  squares <- rowSums(x^2)
  quadratic <- diag(c(rep(2, ncol(x)), 1e-9))
  quadprog::solve.QP(quadratic, c(rep(0, ncol(x)), -1), t(cbind(2 * x, 1)), squares)$value
}

# How far the margins of support vectors fall when they are left out.
reference_span <- function(x, y) {
  whole <- exact_svm(x, y)
  margin <- function(machine, i) y[i] * (sum(machine$w * x[i, ]) + machine$b)
  support <- which(abs(vapply(seq_along(y), margin, 0, machine = whole) - 1) < 1e-6)
  sum(vapply(support, function(i) {
    margin(whole, i) - margin(exact_svm(x[-i, , drop = FALSE], y[-i]), i)
  }, 0))
}

one_bound <- function(data, ...) {
  rounds(zeronorm(data$x, data$y, bound_rfe(..., nonzero = ncol(data$x))))$objective
}

scores <- function(data, ..., kernel = linear) {
  fit <- zeronorm(data$x, data$y, bound_rfe(..., nonzero = ncol(data$x), kernel = kernel))
  unname(feature_importance(fit)[colnames(data$x)])
}

test_that("the radius-margin bound is that of quadprog", {
  skip_if_not_installed("quadprog")
  for (d in c(5, 40)) {
    data <- separated(24, d)
    x <- scale(data$x)
    for (C in c(Inf, 10, 0.1)) {
      expect_equal(one_bound(data, C = C), value_of(x, sign_of(data$y), "radius_margin", C), tolerance = 1e-6)
    }
  }
})

test_that("the span estimate is that of retrained machines where the support vectors stay", {
  skip_if_not_installed("quadprog")
  # With a large ridge every point is a support vector.
  data <- planted(14, 5, noise = 1)
  for (C in c(0.003, 0.03)) {
    expect_equal(one_bound(data, "span", C = C), value_of(scale(data$x), sign_of(data$y), "span", C),
                 tolerance = 1e-6)
  }
  # Hard margins in many dimensions.
  data <- planted(8, 200, seed = 2)
  expect_equal(one_bound(data, "span"), value_of(scale(data$x), sign_of(data$y), "span", Inf),
               tolerance = 1e-6)
})

test_that("first-order scores are slopes", {
  skip_if_not_installed("quadprog")
  data <- planted(14, 5, noise = 1)
  x <- scale(data$x)
  slopes <- function(at, h) {
    vapply(1:5, function(j) {
      one <- function(s) at(replace(rep(1, 5), j, s))
      (8 * (one(1 + h) - one(1 - h)) - one(1 + 2 * h) + one(1 - 2 * h)) / (12 * h)
    }, 0)
  }
  for (bound in c("radius_margin", "span")) {
    C <- if (bound == "span") 0.01 else 1
    slope <- slopes(function(sigma) value_of(x, sign_of(data$y), bound, C, sigma), 1e-2)
    expect_equal(scores(data, bound, order = 1, C = C), abs(slope), tolerance = 1e-5)
    # Of the bound itself, whose values are those of quadprog.
    for (kernel in list(linear, gaussian_kernel(2), poly_kernel(2, "power"))) for (C in c(0.01, 2)) {
      own <- function(sigma) {
        scaled <- list(x = sweep(x, 2, sigma, "*"), y = data$y)
        rounds(zeronorm(scaled$x, scaled$y, bound_rfe(bound, nonzero = 5, C = C, kernel = kernel),
                       standardize = FALSE))$objective
      }
      expect_equal(scores(data, bound, order = 1, C = C, kernel = kernel), abs(slopes(own, 1e-4)),
                   tolerance = 1e-6)
    }
  }
})

test_that("scores by retraining are rises of the bound", {
  skip_if_not_installed("quadprog")
  data <- planted(14, 5, noise = 1)
  x <- scale(data$x)
  for (bound in c("radius_margin", "span")) {
    C <- if (bound == "span") 0.01 else 1
    value <- function(columns) value_of(x[, columns, drop = FALSE], sign_of(data$y), bound, C)
    rise <- vapply(1:5, function(j) value(-j) - value(1:5), 0)
    expect_equal(scores(data, bound, retrain = TRUE, C = C), rise, tolerance = 1e-5)
  }
})

test_that("scores with the same multipliers are what they are said to be", {
  skip_if_not_installed("quadprog")
  data <- planted(14, 5, noise = 1)
  x <- scale(data$x)
  y <- sign_of(data$y)
  C <- 0.01
  kernel_of <- function(columns) tcrossprod(x[, columns, drop = FALSE]) + diag(14) / C
  k <- kernel_of(1:5)
  v <- y * quadprog::solve.QP(k * tcrossprod(y), rep(1, 14), cbind(y, diag(14)), rep(0, 15), meq = 1)$solution
  b <- quadprog::solve.QP(2 * k, diag(k), cbind(1, diag(14)), c(1, rep(0, 14)), meq = 1)$solution
  spans <- function(k) 1 / diag(solve(rbind(cbind(k, 1), c(rep(1, 14), 0))))[1:14]
  by_radius <- function(k) {
    4 * (sum(b * diag(k)) - sum(b * (k %*% b))) * (2 * sum(abs(v)) - sum(v * (k %*% v)))
  }
  by_span <- function(k) sum(abs(v) * spans(k)) * sum(abs(v)) / sum(v * (k %*% v))
  rise <- function(value) vapply(1:5, function(j) value(kernel_of(-j)) - value(k), 0)
  expect_equal(scores(data, C = C), rise(by_radius), tolerance = 1e-6)
  expect_equal(scores(data, "span", C = C), rise(by_span), tolerance = 1e-6)
})

test_that("the linear machine and the kernel of degree one agree", {
  data <- planted(24, 12, noise = 0.5)
  for (bound in c("radius_margin", "span")) for (C in c(Inf, 1)) for (retrain in c(FALSE, TRUE)) {
    for (order in if (retrain) 0 else 0:1) {
      fit <- function(...) zeronorm(data$x, data$y, bound_rfe(bound, order, retrain, 1, 1, C, ...))
      expect_identical(feature_ranking(fit()), feature_ranking(fit(linear)))
      expect_equal(rounds(fit())$objective, rounds(fit(linear))$objective, tolerance = 1e-6)
      expect_identical(rounds(fit(linear))$nonzero, 12:1)
    }
  }
})

test_that("kernels find what no line tells apart", {
  data <- planted(60, 6)
  y <- rowSums(data$x[, 1:2]^2) > 1.4
  for (kernel in list(gaussian_kernel(2), poly_kernel(2, "power"))) {
    for (bound in c("radius_margin", "span")) for (retrain in c(FALSE, TRUE)) {
      method <- bound_rfe(bound, retrain = retrain, nonzero = 2, step = 1, C = 10, kernel = kernel)
      expect_setequal(selected(zeronorm(data$x, y, method)), c("g1", "g2"))
    }
  }
})

test_that("where no margin is hard there is a ridge", {
  data <- planted(40, 6, noise = 3)
  fit <- zeronorm(data$x, data$y, bound_rfe(nonzero = c(3, 1), step = 1))
  # A tenth of the mean squared distance, 6 * 39 / 40.
  expect_equal(certificate(fit)$C, rep(1 / (0.1 * 6 * 39 / 40), 2))
  same <- zeronorm(data$x, data$y, bound_rfe(nonzero = c(3, 1), step = 1, C = certificate(fit)$C[1]))
  expect_identical(feature_ranking(same), feature_ranking(fit))
  for (retrain in c(FALSE, TRUE)) {
    later <- planted(12, 20)
    fit <- zeronorm(later$x, later$y, bound_rfe(nonzero = "path", step = 1, retrain = retrain))
    expect_identical(certificate(fit)$status, rep("optimal", 5))
    expect_true(all(is.finite(rounds(fit, index = 5)$objective)))
    expect_identical(rounds(fit, index = 5)$nonzero, 20:1)
  }
})

test_that("weights count rows", {
  data <- planted(24, 6, noise = 1)
  weights <- rep(c(1, 2, 0), 8)
  rows <- rep(1:24, weights)
  for (bound in c("radius_margin", "span")) for (order in 0:1) for (C in c(Inf, 1)) {
    method <- bound_rfe(bound, order, nonzero = 1, step = 1, C = C)
    weighted <- zeronorm(data$x, data$y, method, weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
    expect_equal(rounds(weighted)$objective, rounds(repeated)$objective, tolerance = 1e-6)
    expect_identical(feature_ranking(weighted), feature_ranking(repeated))
  }
})

test_that("groups, features that are kept and covariates are as in svm_rfe()", {
  data <- planted(30, 12)
  pairs <- rep(1:6, each = 2)
  for (retrain in c(FALSE, TRUE)) {
    fit <- zeronorm(data$x, data$y, bound_rfe(nonzero = 3, retrain = retrain, groups = pairs), keep = 11)
    chosen <- match(selected(fit), colnames(data$x))
    expect_length(chosen, 4)
    expect_true(all(11:12 %in% chosen))
  }
  for (bound in c("radius_margin", "span")) {
    fit <- zeronorm(data$x, data$y, bound_rfe(bound, nonzero = 3, step = 1), unpenalized = "g7")
    expect_true("g7" %in% in_model(fit))
    expect_identical(feature_ranking(fit)[1], "g7")
  }
})

test_that("a wide problem is quick, one at a time too", {
  data <- planted(30, 600)
  for (bound in c("radius_margin", "span")) for (order in 0:1) {
    fit <- zeronorm(data$x, data$y, bound_rfe(bound, order, nonzero = "path"))
    expect_identical(certificate(fit)$nonzero, as.integer(600 %/% 2^(0:9)))
    expect_lte(max(certificate(fit)$gap), 1e-6)
  }
  # Sparse equals dense.
  x <- data$x * (abs(data$x) > 0.8)
  dense <- zeronorm(x, data$y, bound_rfe(nonzero = 5))
  sparse <- zeronorm(as(x, "dgCMatrix"), data$y, bound_rfe(nonzero = 5))
  expect_identical(feature_ranking(sparse), feature_ranking(dense))
})

test_that("wrong arguments are refused", {
  data <- planted(20, 5)
  expect_zeronorm_error(bound_rfe("margin"), "bound")
  expect_zeronorm_error(bound_rfe(order = 2), "order")
  expect_zeronorm_error(bound_rfe(order = "first"), "order")
  expect_zeronorm_error(bound_rfe(order = 1, retrain = TRUE), "retrain")
  expect_zeronorm_error(bound_rfe(C = 0), "C")
  expect_zeronorm_error(bound_rfe(refit = "none"), "refit")
  expect_zeronorm_error(bound_rfe(kernel = "gaussian", refit = "l1"), "refit", "kernel")
  expect_zeronorm_error(zeronorm(data$x, data$y, bound_rfe(), engine = "highs"), "engine", "dual")
})

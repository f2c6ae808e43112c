# Reference of r2w2: R^2 and |w|^2 by quadprog on the whole problem, their product by brute force over scales;
# the variance form by the hard l1 machine; what is discarded by retraining with quadprog; the span estimate
# by bordered inverses and the error on observations held out by quadprog's machine, both over a grid.

reference_variance <- function(k) mean(diag(k)) - mean(k)

reference_criterion <- function(x, y, sigma, ridge = 0, spread = reference_radius2) {
  k <- tcrossprod(sweep(x, 2, sigma, "*")) + ridge * diag(nrow(x))
  spread(k) * reference_norm2(k, y)
}

first_value <- function(fit) rounds(fit, index = 1)$objective[1]

test_that("the minimum over the scales of two features is that of a grid", {
  skip_if_not_installed("quadprog")
  data <- separated(20, 2)
  y <- sign_of(data$y)
  x <- scale(data$x)
  for (spread in list(reference_radius2, reference_variance)) {
    criterion <- if (identical(spread, reference_variance)) "variance" else "radius_margin"
    fit <- zeronorm(data$x, data$y, r2w2(1, criterion = criterion))
    grid <- vapply(seq(0, pi / 2, length.out = 200)[-200], function(angle) {
      reference_criterion(x, y, c(cos(angle), sin(angle)), spread = spread)
    }, 0)
    expect_lte(first_value(fit), min(grid) * (1 + 1e-6))
    expect_gte(first_value(fit), min(grid) * 0.99)
    expect_lte(rounds(fit)$gap[1], 1e-6)
  }
})

test_that("with a finite C the ridge is in both factors and scales stay within 0 and 1", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 3, noise = 2)
  y <- sign_of(data$y)
  x <- scale(data$x)
  for (C in c(0.01, 1, 100)) {
    fit <- zeronorm(data$x, data$y, r2w2(1, C = C))
    expect_identical(certificate(fit)$C, C)
    value <- function(sigma) log(reference_criterion(x, y, sigma, 1 / C))
    found <- optim(rep(0.7, 3), value, method = "L-BFGS-B", lower = 0, upper = 1)
    expect_equal(first_value(fit), exp(found$value), tolerance = 1e-4)
    expect_lte(first_value(fit), exp(found$value) * (1 + 1e-6))
  }
  # Chosen by the criterion, it does no worse than any.
  free <- zeronorm(data$x, data$y, r2w2(1, C = 1, kernel_parameters = TRUE))
  expect_lte(first_value(free), first_value(fit) * (1 + 1e-7))
})

test_that("the variance form is the hard l1 machine", {
  data <- planted(30, 60)
  l1 <- zeronorm(data$x, data$y, l1_svm(C = Inf))
  fit <- zeronorm(data$x, data$y, r2w2(criterion = "variance"))
  expect_equal(first_value(fit), certificate(l1)$primal^2 * 29 / 30, tolerance = 1e-6)
  expect_setequal(selected(fit), selected(l1))
  three <- zeronorm(data$x, data$y, r2w2(3, criterion = "variance"))
  expect_setequal(selected(three), selected(l1)[1:3])
})

test_that("what is discarded is what the rules say", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 4)
  data$y <- factor(ifelse(data$x %*% c(2, -1.5, 1.2, -1) > 0, "up", "down"))
  y <- sign_of(data$y)
  x <- scale(data$x)
  value <- function(sigma) reference_criterion(x, y, sigma, 1)
  found <- optim(rep(0.7, 4), function(sigma) log(value(sigma)), method = "L-BFGS-B", lower = 0, upper = 1,
                 control = list(factr = 10))
  sigma <- found$par
  expect_true(all(sigma > 1e-3))
  without <- vapply(1:4, function(j) value(replace(sigma, j, 0)), 0)
  h <- 1e-3
  bend <- vapply(1:4, function(j) {
    sigma[j]^2 * (value(replace(sigma, j, sigma[j] * (1 + h))) - 2 * value(sigma) +
                    value(replace(sigma, j, sigma[j] * (1 - h)))) / (h * sigma[j])^2
  }, 0)
  order_of <- function(discard) feature_ranking(zeronorm(data$x, data$y, r2w2(4, discard = discard, C = 1)))
  by <- function(worth) colnames(x)[order(-worth)]
  expect_identical(order_of("scale"), by(sigma))
  expect_identical(order_of("retrain"), by(without))
  expect_identical(order_of("second_order"), by(bend))
})

test_that("steps go down to every size, and without steps all sizes are read off the first scales", {
  data <- planted(40, 30, noise = 0.5)
  once <- zeronorm(data$x, data$y, r2w2(c(8, 3, 1)))
  expect_identical(certificate(once)$rounds, rep(1L, 3))
  expect_identical(certificate(once)$nonzero, c(8L, 3L, 1L))
  expect_setequal(selected(once, nonzero = 3), feature_ranking(once)[1:3])
  halves <- zeronorm(data$x, data$y, r2w2(c(8, 3, 1), step = 0.5))
  rounds <- rounds(halves, index = 1)
  expect_true(all(diff(rounds$nonzero) < 0))
  expect_true(all(rounds$gap <= 1e-6))
  expect_true(all(selected(halves, nonzero = 3) %in% selected(halves, nonzero = 8)))
  expect_setequal(feature_ranking(halves), colnames(data$x))
  path <- zeronorm(data$x, data$y, r2w2("path", step = 1))
  expect_identical(certificate(path)$target, c(30L, 15L, 7L, 3L, 1L))
})

test_that("the classifier is the machine on the features alone", {
  data <- planted(40, 12, noise = 1)
  fit <- zeronorm(data$x, data$y, r2w2(3, refit_C = 1))
  alone <- zeronorm(data$x[, selected(fit)], data$y, l2_svm(1))
  expect_equal(predict(fit, data$x, "link"), predict(alone, data$x, "link"), tolerance = 1e-6)
  l1 <- zeronorm(data$x, data$y, r2w2(3, refit = "l1", refit_C = 1))
  alone <- zeronorm(data$x[, selected(fit)], data$y, l1_svm(1))
  expect_equal(predict(l1, data$x, "link"), predict(alone, data$x, "link"), tolerance = 1e-6)
})

test_that("inseparable classes get a ridge, by the criterion", {
  data <- planted(60, 5, noise = 6)
  fit <- zeronorm(data$x, data$y, r2w2(2))
  expect_lt(certificate(fit)$C, Inf)
  same <- zeronorm(data$x, data$y, r2w2(2, C = certificate(fit)$C))
  expect_equal(first_value(same), first_value(fit), tolerance = 1e-6)
  expect_identical(selected(same), selected(fit))
})

test_that("features forced in, outside the regulariser, constant or repeated are treated apart", {
  data <- planted(40, 10, noise = 0.5)
  x <- cbind(data$x, constant = 1, again = data$x[, 1])
  fit <- zeronorm(x, data$y, r2w2(3), keep = "g9")
  expect_true("g9" %in% selected(fit))
  fit <- zeronorm(x, data$y, r2w2(c(10, 3)), unpenalized = c("g9", "g8"))
  expect_true(all(c("g9", "g8") %in% feature_ranking(fit)[1:2]))
  expect_identical(tail(feature_ranking(fit), 1), "constant")
  expect_identical(certificate(fit)$status, rep("optimal", 2))
  # A covariate that explains the classes leaves nothing to scale.
  batch <- cbind(data$x, batch = ifelse(data$y == "up", 1, -1))
  alone <- zeronorm(batch, data$y, r2w2(2), unpenalized = "batch")
  expect_identical(certificate(alone)$errors, 0L)
  expect_identical(rounds(alone)$objective, 0)
})

test_that("weights count rows, and sparse x gives the same", {
  data <- planted(30, 8, noise = 1)
  weights <- rep(c(0, 1, 3), 10)
  rows <- rep(1:30, weights)
  for (criterion in c("radius_margin", "variance")) {
    weighted <- zeronorm(data$x, data$y, r2w2(3, criterion, C = 2), weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], r2w2(3, criterion, C = 2))
    expect_equal(first_value(weighted), first_value(repeated), tolerance = 1e-6)
    expect_equal(predict(weighted, data$x, "link"), predict(repeated, data$x, "link"), tolerance = 1e-5)
  }
  x <- data$x * (abs(data$x) > 0.7)
  sparse <- zeronorm(as(x, "dgCMatrix"), data$y, r2w2(c(4, 2)))
  dense <- zeronorm(x, data$y, r2w2(c(4, 2)))
  expect_equal(first_value(sparse), first_value(dense), tolerance = 1e-6)
  expect_equal(coef(sparse), coef(dense), tolerance = 1e-6)
})

test_that("units of the features do not matter where they are not standardised", {
  data <- planted(30, 8)
  unit <- 10^(-4:3)
  fit <- zeronorm(data$x, data$y, r2w2(3), standardize = FALSE)
  other <- zeronorm(sweep(data$x, 2, unit, "*"), data$y, r2w2(3), standardize = FALSE)
  expect_equal(first_value(other), first_value(fit), tolerance = 1e-5)
})

# Multipliers y a of the machine with the ridge in k.
ridged_multipliers <- function(k, y) {
  n <- length(y)
  y * quadprog::solve.QP(k * tcrossprod(y), rep(1, n), cbind(y, diag(n)), rep(0, n + 1), meq = 1)$solution
}

smoothed_span <- function(k, y) {
  v <- ridged_multipliers(k, y)
  support <- which(abs(v) > 1e-8 * max(abs(v)))
  a <- abs(v[support])
  d <- 0.1 / a
  border <- rbind(cbind(k[support, support] + diag(d), 1), c(rep(1, length(a)), 0))
  sum(a * (1 / diag(solve(border))[seq_along(a)] - d))
}

smoothed_error <- function(k, y, judge) {
  v <- ridged_multipliers(k[!judge, !judge], y[!judge])
  at <- which.max(abs(v))
  b <- y[!judge][at] - sum(k[!judge, !judge][at, ] * v)
  mean(1 / (1 + exp(5 * y[judge] * (k[judge, !judge] %*% v + b))))
}

test_that("the estimates are at most those at equal scales and at least those on a grid", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 2, noise = 1.5)
  y <- sign_of(data$y)
  x <- scale(data$x)
  judge <- rep(c(TRUE, FALSE, FALSE), 8)
  gram <- function(sigma) tcrossprod(sweep(x, 2, sigma, "*")) + diag(24)
  values <- list(span = function(sigma) smoothed_span(gram(sigma), y),
                 validation = function(sigma) smoothed_error(gram(sigma), y, judge))
  grid <- as.matrix(expand.grid(0:20 / 20, 0:20 / 20))
  for (criterion in names(values)) {
    fit <- zeronorm(data$x, data$y, r2w2(2, criterion, C = 1), foldid = 2 - judge)
    expect_identical(certificate(fit)$C, 1)
    least <- min(apply(grid, 1, values[[criterion]]))
    expect_gte(first_value(fit), least * 0.99)
    # Local minima: the span's is the least here.
    above <- if (criterion == "span") least else values[[criterion]](c(1, 1))
    expect_lte(first_value(fit), above * (1 + 1e-6))
  }
})

test_that("with one feature the estimates are those of its machine", {
  skip_if_not_installed("quadprog")
  data <- planted(30, 2, noise = 1)
  data$x <- data$x[, 1, drop = FALSE]
  y <- sign_of(data$y)
  k <- tcrossprod(scale(data$x)) + diag(30) / 3
  judge <- rep(c(TRUE, FALSE, FALSE), 10)
  # No longer scale than 1 within a fixed ridge.
  span <- first_value(zeronorm(data$x, data$y, r2w2(1, "span", C = 3)))
  expect_lte(span, smoothed_span(k, y) * (1 + 1e-7))
  error <- first_value(zeronorm(data$x, data$y, r2w2(1, "validation", C = 3), foldid = 2 - judge))
  expect_lte(error, smoothed_error(k, y, judge) * (1 + 1e-7))
})

test_that("the estimates choose what the classes differ by", {
  data <- planted(60, 8, noise = 0.5)
  circle <- planted(90, 6)
  ring <- rowSums(circle$x[, 1:2]^2) > 1.4
  for (criterion in c("span", "validation")) {
    foldid <- rep(1:3, 20)
    # With a hard margin noise decides: rounding alone can change the choice.
    method <- r2w2(c(4, 2), criterion, step = 1, C = 1)
    expect_warning(fit <- zeronorm(data$x, data$y, method, foldid = foldid), NA)
    expect_setequal(selected(fit, nonzero = 2), c("g1", "g2"))
    for (discard in c("retrain", "second_order")) {
      fit <- zeronorm(data$x, data$y, r2w2(2, criterion, discard, C = 1), foldid = foldid)
      expect_setequal(selected(fit), c("g1", "g2"))
    }
    objective <- vapply(c(FALSE, TRUE), function(tune) {
      method <- r2w2(2, criterion, kernel = gaussian_kernel(3), C = 1, kernel_parameters = tune)
      fit <- zeronorm(circle$x, ring, method, foldid = rep(1:3, 30))
      expect_setequal(selected(fit), c("g1", "g2"))
      first_value(fit)
    }, 0)
    expect_lt(objective[2], objective[1])
  }
})

test_that("weights count rows in the estimates", {
  data <- planted(30, 6, noise = 1)
  weights <- rep(c(0, 1, 3), 10)
  rows <- rep(1:30, weights)
  foldid <- rep(1:3, each = 10)
  for (criterion in c("span", "validation")) {
    weighted <- zeronorm(data$x, data$y, r2w2(3, criterion, C = 2), weights = weights, foldid = foldid)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], r2w2(3, criterion, C = 2), foldid = foldid[rows])
    expect_equal(first_value(weighted), first_value(repeated), tolerance = 1e-5)
  }
})

test_that("a third is held out from the stream of the user", {
  data <- planted(30, 6, noise = 1)
  draw <- function(seed) {
    with_stream(seed, {
      before <- .Random.seed
      list(value = first_value(zeronorm(data$x, data$y, r2w2(3, "validation", C = 1))),
           moved = !identical(before, .Random.seed))
    })
  }
  expect_true(draw(1)$moved)
  expect_identical(draw(1), draw(1))
  expect_false(identical(draw(1)$value, draw(2)$value))
  expect_zeronorm_error(zeronorm(data$x, data$y, r2w2(3, "validation"), weights = rep(0:1, 15),
                                 foldid = rep(1:2, 15)), "weights", "validation")
})

test_that("kernels are scaled inside", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 2, noise = 0.3)
  y <- sign_of(data$y)
  x <- scale(data$x)
  fit <- zeronorm(data$x, data$y, r2w2(1, kernel = gaussian_kernel(1), refit_C = 1))
  value <- function(theta) {
    k <- exp(-as.matrix(stats::dist(sweep(x, 2, sqrt(theta), "*")))^2 / 2)
    reference_radius2(k) * reference_norm2(k, y)
  }
  found <- optim(c(0.9, 0.9), function(theta) log(value(theta)), method = "L-BFGS-B", lower = 0, upper = 1)
  expect_equal(first_value(fit), exp(found$value), tolerance = 1e-4)
  expect_length(selected(fit), 1)
  both <- zeronorm(data$x, data$y, r2w2(2, kernel = gaussian_kernel(1), refit_C = 1))
  machine <- zeronorm(data$x, data$y, l2_svm(1, gaussian_kernel(1)))
  expect_equal(predict(both, data$x, "link"), predict(machine, data$x, "link"), tolerance = 1e-6)
  circle <- planted(80, 6)
  ring <- rowSums(circle$x[, 1:2]^2) > 1.4
  for (kernel in list(poly_kernel(2), gaussian_kernel())) {
    expect_setequal(selected(zeronorm(circle$x, ring, r2w2(2, kernel = kernel))), c("g1", "g2"))
  }
})

test_that("weston2003's toy problem comes out about as printed", {
  draw <- function(n, y) {
    x <- matrix(rnorm(n * 100), n)
    first <- runif(n) < 0.7
    x[first, 1:3] <- (y * sweep(x[, 1:3], 2, 1:3, "+"))[first, ]
    x[!first, 4:6] <- (y * sweep(x[, 4:6], 2, 1:3, "+"))[!first, ]
    x
  }
  errors <- with_stream(1, vapply(1:60, function(trial) {
    y <- rep(c(-1, 1), 15)
    x <- draw(30, y)
    test <- rep(c(-1, 1), 250)
    fit <- zeronorm(x, y, r2w2(2))
    mean(predict(fit, draw(500, test)) != test)
  }, 0))
  # Printed: 7.8 % with a standard error of 0.61.
  expect_lt(abs(mean(errors) - 0.078), 0.03)
})

test_that("wrong arguments are refused", {
  data <- planted(20, 5)
  expect_zeronorm_error(r2w2(criterion = "margin"), "criterion")
  expect_zeronorm_error(r2w2(discard = "all"), "discard")
  expect_zeronorm_error(r2w2(step = 1.5), "step")
  expect_zeronorm_error(r2w2(step = 0), "step")
  expect_zeronorm_error(r2w2(C = 0), "C")
  expect_zeronorm_error(r2w2(C = c(1, 2)), "C")
  expect_zeronorm_error(r2w2(refit = "none"), "refit")
  expect_zeronorm_error(r2w2(kernel = function(x, z) sum(x * z)), "kernel", "gaussian_kernel")
  expect_zeronorm_error(r2w2(kernel = "gaussian", refit = "l1"), "refit", "kernel")
  expect_zeronorm_error(zeronorm(data$x, data$y, r2w2(9)), "nonzero")
  expect_zeronorm_error(zeronorm(data$x, data$y, r2w2(2), engine = "highs"), "engine", "dual")
})

sign_of <- function(y) ifelse(y == levels(y)[2], 1, -1)

# min sum weights_i ln(1 + exp(-y f)) + lambda |w|^2 by Newton's method on the whole Hessian: list(w, b).
exact_logistic <- function(x, y, lambda, weights = rep(1, length(y))) {
  z <- cbind(1, x)
  u <- numeric(ncol(z))
  for (round in 1:100) {
    f <- as.vector(z %*% u)
    p <- 1 / (1 + exp(y * f))
    gradient <- crossprod(z, -weights * y * p) + 2 * lambda * c(0, u[-1])
    hessian <- crossprod(z, weights * p * (1 - p) * z) + 2 * lambda * diag(c(0, rep(1, ncol(x))))
    step <- solve(hessian, gradient)
    u <- u - as.vector(step)
    if (max(abs(step)) < 1e-13) break
  }
  list(w = u[-1], b = u[1])
}

# One feature at a time: the order in which they stay.
eliminate <- function(x, train, score = function(w) rowSums(as.matrix(w)^2)) {
  present <- seq_len(ncol(x))
  dropped <- integer()
  while (length(present) > 1) {
    worst <- which.min(score(train(x[, present, drop = FALSE])))
    dropped <- c(present[worst], dropped)
    present <- present[-worst]
  }
  c(present, dropped)
}

# Reference of logistic_rfe: Newton's method on the whole problem of each round, in R.
test_that("features go in the order of exact machines", {
  for (lambda in c(0.05, 2)) for (seed in 1:2) {
    data <- planted(40, 10, noise = 1, seed = seed)
    x <- scale(data$x)
    y <- sign_of(data$y)
    order <- eliminate(x, function(z) exact_logistic(z, y, lambda)$w)
    fit <- zeronorm(data$x, data$y, logistic_rfe(lambda, c(5, 1), step = 1))
    expect_identical(feature_ranking(fit), colnames(x)[order])
    plain <- zeronorm(x, data$y, logistic_rfe(lambda, 5, step = 1), standardize = FALSE)
    exact <- exact_logistic(x[, sort(order[1:5])], y, lambda)
    expect_equal(unname(coef(plain)[coef(plain) != 0]), c(exact$b, exact$w), tolerance = 1e-7)
    f <- predict(plain, x, "link")
    expect_equal(certificate(plain)$primal, sum(log1p(exp(-y * f))) + lambda * sum(exact$w^2),
                 tolerance = 1e-9)
    expect_lte(certificate(plain)$gap, 1e-9)
  }
})

test_that("several classes are machines of each against the rest", {
  clouds <- three_clouds(45, 8, shift = 1)
  x <- scale(clouds$x)
  order <- eliminate(x, function(z) {
    vapply(levels(clouds$y), function(k) exact_logistic(z, ifelse(clouds$y == k, 1, -1), 0.5)$w,
           numeric(ncol(z)))
  }, function(w) rowSums(matrix(w, ncol = 3)^2))
  fit <- zeronorm(clouds$x, clouds$y, logistic_rfe(0.5, c(4, 1), step = 1))
  expect_identical(feature_ranking(fit), colnames(x)[order])
  expect_identical(certificate(fit)$nonzero, c(4L, 1L))
})

test_that("several lambda, groups, forced features, weights and refits work as in svm_rfe()", {
  data <- planted(40, 12, noise = 1)
  both <- zeronorm(data$x, data$y, logistic_rfe(c(0.01, 10), c(6, 2)))
  expect_identical(certificate(both)$lambda, rep(c(0.01, 10), each = 2))
  for (k in 1:2) {
    one <- zeronorm(data$x, data$y, logistic_rfe(c(0.01, 10)[k], c(6, 2)))
    expect_identical(feature_ranking(both, s = c(0.01, 10)[k]), feature_ranking(one))
  }
  pairs <- rep(1:6, each = 2)
  grouped <- zeronorm(data$x, data$y, logistic_rfe(0.1, 4, groups = pairs))
  kept <- match(selected(grouped), colnames(data$x))
  expect_identical(sort(kept), which(pairs %in% pairs[kept]))
  forced <- zeronorm(data$x, data$y, logistic_rfe(0.1, 3), keep = "g9", unpenalized = "g10")
  expect_true(all(c("g9", "g10") %in% in_model(forced)))
  weights <- with_stream(2, sample(0:3, 40, TRUE))
  rows <- rep(1:40, weights)
  expect_equal(coef(zeronorm(data$x, data$y, logistic_rfe(0.1, 3), weights = weights)),
               coef(zeronorm(data$x[rows, ], data$y[rows], logistic_rfe(0.1, 3))), tolerance = 1e-6)
  svm <- zeronorm(data$x, data$y, logistic_rfe(0.1, 3, refit = "l2", refit_C = 1))
  columns <- sort(match(selected(svm), colnames(data$x)))
  alone <- coef(zeronorm(data$x[, columns], data$y, l2_svm(C = 1)))
  expect_equal(coef(svm)[names(alone)], alone, tolerance = 1e-7)
  expect_zeronorm_error(logistic_rfe(), "lambda", "missing")
  expect_zeronorm_error(logistic_rfe(0), "lambda")
})

sign_of <- function(y) ifelse(y == levels(y)[2], 1, -1)

# The residual sum of squares of all targets on some columns, by lm(); weights count rows.
rss <- function(x, y, columns, weights = rep(1, NROW(y)), intercept = TRUE) {
  design <- cbind(if (intercept) rep(1, NROW(y)), x[, columns])
  if (is.null(design)) return(colSums(weights * as.matrix(y)^2))
  colSums(weights * as.matrix(stats::lm.wfit(design, as.matrix(y), weights)$residuals)^2)
}

# Stepwise least squares: every candidate is tried in a regression.
stepwise <- function(x, y, size, start = integer(), ...) {
  chosen <- start
  while (length(chosen) < size) {
    candidates <- setdiff(seq_len(ncol(x)), chosen)
    before <- rss(x, y, chosen, ...)
    gains <- vapply(candidates, function(j) sum(1 - rss(x, y, c(chosen, j), ...) / before), 0)
    chosen <- c(chosen, candidates[which.max(gains)])
  }
  chosen
}

# Orthogonal matching pursuit: residuals against the columns themselves.
pursuit <- function(x, y, size, intercept = TRUE) {
  atoms <- if (intercept) scale(x, scale = FALSE) else x
  chosen <- integer()
  while (length(chosen) < size) {
    design <- cbind(if (intercept) rep(1, length(y)), x[, chosen])
    r <- if (is.null(design)) y else qr.resid(qr(design), y)
    score <- abs(crossprod(atoms, r)) / sqrt(colSums(atoms^2))
    score[chosen] <- -1
    chosen <- c(chosen, which.max(score))
  }
  chosen
}

correlated <- function(n = 40, d = 12, seed = 1) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n) %*% (diag(d) + 0.5 * matrix(rnorm(d * d), d))
    colnames(x) <- paste0("g", seq_len(d))
    list(x = x, y = as.vector(x %*% rnorm(d) + 3 * rnorm(n)) + 7)
  })
}

fit_numbers <- function(...) suppressMessages(zeronorm(...))

# Reference of gram_schmidt: lm() with every candidate at every step.
test_that("gram_schmidt is stepwise least squares", {
  for (seed in 1:4) for (intercept in c(TRUE, FALSE)) {
    data <- correlated(seed = seed)
    order <- stepwise(data$x, data$y, 8, intercept = intercept)
    fit <- fit_numbers(data$x, data$y, gram_schmidt(8:1), intercept = intercept)
    expect_identical(feature_ranking(fit)[1:8], colnames(data$x)[order])
    for (size in c(8, 3)) {
      expect_setequal(selected(fit, nonzero = size), colnames(data$x)[order[seq_len(size)]])
      chosen <- sort(order[seq_len(size)])
      exact <- stats::lm.fit(cbind(if (intercept) 1, data$x[, chosen]), data$y)$coefficients
      found <- coef(fit, nonzero = size)
      expect_equal(unname(found[c(if (intercept) 1, chosen + 1)]), unname(exact), tolerance = 1e-8)
    }
    errors <- vapply(0:8, function(k) rss(data$x, data$y, order[seq_len(k)], intercept = intercept), 0)
    expect_equal(rounds(fit, index = 1)$objective, errors, tolerance = 1e-9)
    expect_identical(rounds(fit, index = 1)$nonzero, 0:8)
  }
})

# Reference of forward_ls: orthogonal matching pursuit with qr() in R.
test_that("forward_ls is orthogonal matching pursuit, which differs", {
  differ <- FALSE
  for (seed in 1:6) for (intercept in c(TRUE, FALSE)) {
    data <- correlated(seed = seed)
    order <- pursuit(data$x, data$y, 7, intercept)
    fit <- fit_numbers(data$x, data$y, forward_ls(c(7, 2)), intercept = intercept)
    expect_identical(feature_ranking(fit)[1:7], colnames(data$x)[order])
    differ <- differ || !identical(order, stepwise(data$x, data$y, 7, intercept = intercept))
  }
  expect_true(differ)
  # After the first column y has q2 left: all that is left of the third, little of it as it is.
  q <- qr.Q(qr(cbind(1, with_stream(1, matrix(rnorm(60), 20, 3)))))[, -1]
  x <- cbind(q[, 1], q[, 2] + 2 * q[, 3], 0.3 * q[, 2] - q[, 1])
  y <- 2 * q[, 1] + q[, 2]
  expect_identical(feature_ranking(fit_numbers(x, y, gram_schmidt(2)))[1:2], c(1L, 3L))
  expect_identical(feature_ranking(fit_numbers(x, y, forward_ls(2)))[1:2], c(1L, 2L))
  expect_identical(stepwise(x, y, 2), c(1L, 3L))
  expect_identical(pursuit(x, y, 2), c(1L, 2L))
})

test_that("two classes are -1 and +1, several each against the rest", {
  data <- planted(40, 20, noise = 1)
  y <- sign_of(data$y)
  fit <- zeronorm(data$x, data$y, gram_schmidt(5))
  expect_identical(feature_ranking(fit)[1:5], colnames(data$x)[stepwise(data$x, y, 5)])
  exact <- stats::coef(stats::lm(y ~ data$x[, sort(stepwise(data$x, y, 5))]))
  expect_equal(unname(coef(fit)[coef(fit) != 0]), unname(exact), tolerance = 1e-8)
  expect_identical(certificate(fit)$kind, "gap")
  clouds <- three_clouds(45, 10, shift = 1.5)
  targets <- outer(as.integer(clouds$y), 1:3, function(a, b) ifelse(a == b, 1, -1))
  fit <- zeronorm(clouds$x, clouds$y, gram_schmidt(4))
  order <- stepwise(clouds$x, targets, 4)
  expect_identical(feature_ranking(fit)[1:4], colnames(clouds$x)[order])
  exact <- stats::lm.fit(cbind(1, clouds$x[, sort(order)]), targets)$coefficients
  for (k in 1:3) {
    found <- coef(fit)[[k]]
    expect_equal(unname(found[c(1, sort(order) + 1)]), unname(exact[, k]), tolerance = 1e-8)
  }
  labels <- (targets[, 1:2] > 0) + 0
  expect_identical(feature_ranking(zeronorm(clouds$x, labels, gram_schmidt(3)))[1:3],
                   colnames(clouds$x)[stepwise(clouds$x, targets[, 1:2], 3)])
})

test_that("weights count rows, features can be forced, sparse equals dense", {
  data <- correlated()
  weights <- with_stream(2, sample(0:3, 40, TRUE))
  rows <- rep(1:40, weights)
  order <- stepwise(data$x, data$y, 5, weights = weights)
  for (stop in c("none", "probe", "fisher", "loo")) {
    method <- gram_schmidt(5, stop = stop, level = 0.3)
    weighted <- fit_numbers(data$x, data$y, method, weights = weights)
    if (stop == "none") expect_identical(feature_ranking(weighted)[1:5], colnames(data$x)[order])
    repeated <- fit_numbers(data$x[rows, ], data$y[rows], method)
    expect_equal(coef(weighted), coef(repeated), tolerance = 1e-7)
  }
  forced <- fit_numbers(data$x, data$y, gram_schmidt(6), keep = "g9", unpenalized = "g4")
  expect_identical(feature_ranking(forced)[1:6],
                   colnames(data$x)[stepwise(data$x, data$y, 6, start = c(9, 4))])
  x <- data$x * (abs(data$x) > 1.5)
  x[, 3] <- x[, 3] + 1e3
  for (method in list(gram_schmidt(c(6, 2)), forward_ls(c(6, 2)), gram_schmidt(stop = "loo"))) {
    for (intercept in c(TRUE, FALSE)) {
      dense <- fit_numbers(x, data$y, method, intercept = intercept)
      sparse <- fit_numbers(as(x, "dgCMatrix"), data$y, method, intercept = intercept)
      expect_identical(feature_ranking(sparse), feature_ranking(dense))
      expect_equal(as.matrix(coef(sparse)), as.matrix(coef(dense)), tolerance = 1e-8)
    }
  }
})

test_that("scales, duplicated and spanned columns are of no account", {
  data <- correlated()
  order <- colnames(data$x)[stepwise(data$x, data$y, 12)]
  scaled <- sweep(data$x, 2, 10^seq(-6, 5), "*") + 3
  for (standardize in c(TRUE, FALSE)) {
    fit <- fit_numbers(scaled, data$y, gram_schmidt(12), standardize = standardize)
    expect_identical(feature_ranking(fit), order)
  }
  x <- cbind(data$x, again = -2 * data$x[, order[1]], one = 1, sum = data$x[, order[1]] + data$x[, order[2]])
  fit <- fit_numbers(x, data$y, gram_schmidt(c(15, 12)))
  expect_identical(head(feature_ranking(fit), 12), order)
  # Nothing is left to join: the number of features is that of the columns that are not spanned.
  expect_identical(certificate(fit)$nonzero, c(12L, 12L))
  for (method in list(gram_schmidt("path"), forward_ls("path"))) {
    wide <- fit_numbers(t(data$x), data$x[1, ] * 0 + 1:12, method)
    expect_lte(max(certificate(wide)$nonzero), 11L)
    expect_lte(max(abs(predict(wide, t(data$x), index = 1) - 1:12)), 1e-6)
  }
})

tail_of <- function(x, y, order) {
  n <- length(y)
  vapply(seq_along(order), function(k) {
    before <- rss(x, y, order[seq_len(k - 1)])
    cosine <- 1 - rss(x, y, order[seq_len(k)]) / before
    stats::pbeta(cosine, 0.5, (n - 1 - (k - 1) - 1) / 2, lower.tail = FALSE)
  }, 0)
}

test_that("the tests stop where pbeta() and pf() say", {
  data <- correlated(n = 60)
  order <- stepwise(data$x, data$y, 12)
  p <- tail_of(data$x, data$y, order)
  chance <- 1 - cumprod(1 - p)
  steps <- function(...) certificate(fit_numbers(data$x, data$y, gram_schmidt(...)))$nonzero
  for (level in c(1e-8, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.9)) {
    expect_identical(steps(stop = "probe", level = level), sum(cumsum(chance > level) == 0))
    expect_identical(steps(stop = "fisher", level = level), sum(cumsum(p > level) == 0))
  }
  expect_identical(steps(2, stop = "fisher", level = 1), 2L)
  # The p-value of drop-one F tests.
  last <- stats::lm(data$y ~ data$x[, order[1:2]] + data$x[, order[3]])
  expect_equal(p[3], stats::drop1(last, test = "F")[3, "Pr(>F)"], tolerance = 1e-9)
  expect_identical(certificate(fit_numbers(data$x, data$y, gram_schmidt(stop = "probe")))$stop, "converged")
})

# Squared cosines of columns z with the residual of y, both without what the columns of x explain.
cosines <- function(x, y, z, columns) {
  rest <- function(v) qr.resid(qr(cbind(1, x[, columns])), as.matrix(v))
  as.vector(crossprod(rest(z), rest(y))^2) / (colSums(rest(z)^2) * sum(rest(y)^2))
}

test_that("a probe has the squared cosine of a beta variable, and drawn ones stop where their share says", {
  data <- correlated(n = 60)
  order <- stepwise(data$x, data$y, 12)
  p <- tail_of(data$x, data$y, order)
  m <- 2000
  z <- with_stream(3, matrix(rnorm(60 * m), 60))
  above <- vapply(seq_along(order), function(k) {
    before <- order[seq_len(k - 1)]
    cosines(data$x, data$y, z, before) >= cosines(data$x, data$y, data$x[, order[k], drop = FALSE], before)
  }, logical(m))
  # Within five standard errors of their probabilities.
  expect_true(all(abs(colMeans(above) - p) <= 5 * sqrt(p * (1 - p) / m) + 1 / m))
  share <- vapply(seq_along(order), function(k) mean(rowSums(above[, seq_len(k), drop = FALSE]) > 0), 0)
  drawn <- function(level) {
    with_stream(3, {
      fit <- fit_numbers(data$x, data$y, gram_schmidt(stop = "probe", level = level, probes = m))
      certificate(fit)$nonzero
    })
  }
  for (level in c(0, 0.01, 0.05, 0.2, 0.5, 0.9)) {
    expect_identical(drawn(level), sum(cumsum(share > level) == 0))
  }
  expect_identical(drawn(1), 12L)
  clouds <- three_clouds(60, 10)
  fit <- with_stream(4, zeronorm(clouds$x, clouds$y, gram_schmidt(stop = "probe", probes = 100)))
  expect_setequal(selected(fit), c("g1", "g2"))
  noise <- with_stream(5, matrix(rnorm(400), 40))
  none <- zeronorm(noise, rep(c("a", "b"), 20), gram_schmidt(stop = "probe", level = 1e-6))
  expect_identical(certificate(none)$nonzero, 0L)
  expect_identical(certificate(none)$status, "optimal")
})

# The mean squared residual of rows that were left out.
left_out <- function(x, y, columns) {
  mean(vapply(seq_along(y), function(i) {
    beta <- stats::lm.fit(cbind(1, x[-i, columns, drop = FALSE]), y[-i])$coefficients
    (y[i] - sum(c(1, x[i, columns]) * beta))^2
  }, 0))
}

test_that("leave-one-out is that of regressions without the row", {
  for (seed in 1:3) {
    data <- correlated(seed = seed)
    order <- stepwise(data$x, data$y, 12)
    errors <- vapply(0:12, function(k) left_out(data$x, data$y, order[seq_len(k)]), 0)
    fit <- fit_numbers(data$x, data$y, gram_schmidt(stop = "loo"))
    expect_identical(certificate(fit)$nonzero, which(c(diff(errors), Inf) >= 0)[1] - 1L)
  }
})

# Backward elimination with every feature left out in turn.
shrink <- function(x, y, chosen, more) {
  while (length(chosen)) {
    after <- vapply(seq_along(chosen), function(k) rss(x, y, chosen[-k]), 0)
    k <- which.min(after)
    if (!more(chosen, chosen[-k])) break
    chosen <- chosen[-k]
  }
  chosen
}

test_that("features are dropped again by F tests and leave-one-out errors", {
  for (seed in 1:3) {
    data <- correlated(seed = seed)
    order <- stepwise(data$x, data$y, 10)
    by_loo <- shrink(data$x, data$y, order,
                     function(now, less) left_out(data$x, data$y, less) <= left_out(data$x, data$y, now))
    by_f <- shrink(data$x, data$y, order, function(now, less) {
      rise <- rss(data$x, data$y, less) / rss(data$x, data$y, now) - 1
      stats::pf(rise * (40 - 1 - length(now)), 1, 40 - 1 - length(now), lower.tail = FALSE) > 0.1
    })
    found <- function(backward) {
      selected(fit_numbers(data$x, data$y, gram_schmidt(10, level = 0.1, backward = backward)))
    }
    expect_setequal(found("loo"), colnames(data$x)[by_loo])
    expect_setequal(found("fisher"), colnames(data$x)[by_f])
  }
})

test_that("monomials are features", {
  x <- with_stream(1, matrix(rnorm(60 * 4), 60, dimnames = list(NULL, letters[1:4])))
  y <- x[, 1] * x[, 2] + 0.5 * x[, 3]^2 + with_stream(2, 0.01 * rnorm(60))
  fit <- fit_numbers(x, y, gram_schmidt(c(6, 2), degree = 2), standardize = FALSE, intercept = FALSE)
  z <- x[, rep(1:4, 4:1)] * x[, c(1:4, 2:4, 3:4, 4)]
  colnames(z) <- c("a^2", "a*b", "a*c", "a*d", "b^2", "b*c", "b*d", "c^2", "c*d", "d^2")
  z <- cbind(x, z)
  expect_identical(feature_ranking(fit)[1:6], colnames(z)[stepwise(z, y, 6, intercept = FALSE)])
  expect_setequal(selected(fit, nonzero = 2), c("a*b", "c^2"))
  expect_equal(unname(predict(fit, x, index = 1)),
               unname(stats::lm.fit(z[, selected(fit, index = 1)], y)$fitted.values), tolerance = 1e-7)
})

test_that("a support vector machine can be trained on the features", {
  data <- planted(40, 20, noise = 1)
  fit <- zeronorm(data$x, data$y, gram_schmidt(4, refit = "l2", refit_C = 2))
  alone <- coef(zeronorm(data$x[, sort(match(selected(fit), colnames(data$x)))], data$y, l2_svm(C = 2)))
  expect_equal(coef(fit)[names(alone)], alone, tolerance = 1e-7)
  ridge <- fit_numbers(data$x, data$x[, 1], forward_ls(2, refit = "l2", refit_C = 0.1))
  expect_lt(abs(coef(ridge)[["g1"]]), 1)
})

test_that("arguments that do not go together are refused by name", {
  expect_zeronorm_error(forward_ls(), "nonzero", "missing")
  expect_zeronorm_error(gram_schmidt(), "nonzero", "missing")
  expect_zeronorm_error(gram_schmidt(2, stop = "aic"), "stop")
  expect_zeronorm_error(gram_schmidt(2, level = 2), "level")
  expect_zeronorm_error(gram_schmidt(2:3, stop = "loo"), "nonzero")
  expect_zeronorm_error(gram_schmidt(2, refit = "none"), "refit")
  clouds <- three_clouds()
  expect_zeronorm_error(zeronorm(clouds$x, clouds$y, gram_schmidt(stop = "fisher")), "y", "3 classes")
})

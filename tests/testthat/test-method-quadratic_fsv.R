circle <- function(n = 40, d = 2, seed = 1, noise = 0) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- x[, 1]^2 + x[, 2]^2 + noise * rnorm(n)
    list(x = x, y = factor(ifelse(f > 1.4, "up", "down"), levels = c("down", "up")))
  })
}

squares <- function(x) {
  pairs <- which(upper.tri(diag(ncol(x)), diag = TRUE), arr.ind = TRUE)
  pairs <- pairs[order(pairs[, 1]), , drop = FALSE]
  list(x = unname(cbind(x, x[, pairs[, 1]] * x[, pairs[, 2]])),
       features = c(as.list(seq_len(ncol(x))), lapply(seq_len(nrow(pairs)), function(k) unique(pairs[k, ]))))
}

bounds <- function(w, features, d) {
  vapply(seq_len(d), function(j) max(abs(w[vapply(features, function(f) j %in% f, NA)])), 0)
}

# The method as it is defined, its linear programmes as l1 machines on atoms.
literal_quadratic <- function(x, y, lambda, phi, slope, start = 1, rounds = 20) {
  map <- squares(x)
  v <- rep(start, ncol(x))
  last <- Inf
  for (round in seq_len(rounds)) {
    found <- atomic_machine(map$x, y, map$features, lambda * slope(v), (1 - lambda) / length(y))
    v <- bounds(found$w, map$features, ncol(x))
    slacks <- pmax(0, 1 - ifelse(y == "up", 1, -1) * (map$x %*% found$w + found$b))
    value <- (1 - lambda) * mean(slacks) + lambda * sum(phi(v))
    if (value > last - 1e-9) break
    last <- value
  }
  list(w = found$w, b = found$b, v = v, value = value)
}

# Reference of quadratic_fsv: its definition, the linear programmes solved in atoms.
test_that("quadratic FSV is what its definition says", {
  phi <- function(v) 1 - exp(-5 * v)
  slope <- function(v) 5 * exp(-5 * v)
  for (noise in c(0, 0.5)) for (lambda in c(0.05, 0.3)) for (start in 0:1) {
    data <- circle(noise = noise)
    fit <- zeronorm(data$x, data$y, quadratic_fsv(lambda, start = start), standardize = FALSE)
    literal <- literal_quadratic(data$x, data$y, lambda, phi, slope, start)
    expect_equal(tail(rounds(fit)$objective, 1), literal$value, tolerance = 1e-6)
    expect_equal(unname(coef(fit)[-1]), literal$w, tolerance = 1e-4)
    expect_equal(unname(feature_importance(fit)[c("g1", "g2")]), literal$v, tolerance = 1e-4)
  }
})

test_that("other penalties and losses are those of fsv", {
  data <- circle(noise = 0.5)
  phi <- function(v) log(0.1 + v)
  fit <- zeronorm(data$x, data$y, quadratic_fsv(0.1, penalty = log_penalty(0.1)), standardize = FALSE)
  literal <- literal_quadratic(data$x, data$y, 0.1, phi, function(v) 1 / (0.1 + v))
  expect_equal(tail(rounds(fit)$objective, 1), literal$value, tolerance = 1e-6)
  objectives <- function(...) rounds(zeronorm(data$x, data$y, quadratic_fsv(...)))$objective
  expect_equal(objectives(0.1, alpha = 3), objectives(0.1, penalty = exp_penalty(3)))
  # A mean over 40 observations of weight 1 - lambda is a sum of weight 1 - mu.
  mu <- 0.1 * 40 / (0.9 + 0.1 * 40)
  first <- objectives(0.1)
  expect_equal(objectives(mu, average = "sum") / first, rep(mu / 0.1, length(first)), tolerance = 1e-6)
})

test_that("one degree is fsv", {
  data <- planted(40, 12, noise = 1)
  quadratic <- zeronorm(data$x, data$y, quadratic_fsv(c(0.05, 0.2), degree = 1))
  linear <- zeronorm(data$x, data$y, fsv(c(0.05, 0.2)))
  expect_equal(certificate(quadratic)$primal, certificate(linear)$primal, tolerance = 1e-6)
  expect_equal(feature_importance(quadratic), feature_importance(linear), tolerance = 1e-5)
})

test_that("one linear programme is solved with every degree", {
  data <- circle(20, noise = 0.5)
  for (degree in 2:3) {
    table <- monomial_table(2, degree)
    features <- apply(table, 1, function(row) unique(row[row > 0]), simplify = FALSE)
    # Bounds at a penalty that is linear: one round.
    fit <- zeronorm(data$x, data$y, quadratic_fsv(0.02, penalty = l1_penalty(), degree = degree),
                    standardize = FALSE)
    atoms <- atomic_machine(monomial_values(data$x, table), data$y, features, rep(0.02, 2), 0.98 / 20)
    expect_equal(certificate(fit)$primal, atoms$value, tolerance = 1e-7)
    expect_lte(certificate(fit)$gap, 1e-8)
  }
})

test_that("features without signal go, with all their monomials", {
  data <- circle(64, 5)
  fit <- zeronorm(data$x, data$y, quadratic_fsv(lambda = c(0.05, 0.1, 0.3)))
  for (k in 1:3) expect_setequal(selected(fit, index = k), c("g1", "g2"))
  expect_identical(certificate(fit)$nonzero, rep(2L, 3))
  expect_identical(tail(rounds(fit)$nonzero, 1), 2L)
  used <- names(which(coef(fit, index = 2)[-1] != 0))
  expect_false(any(grepl("g[345]", used)))
  expect_true(all(diff(rounds(fit, index = 1)$objective) <= 1e-9))
  expect_identical(names(feature_importance(fit, index = 1)[1:2]), selected(fit, index = 1))
  expect_equal(predict(fit, data$x[, 2:1], index = 2), predict(fit, data$x, index = 2))
  expect_output(print(fit), "5 features, 20 monomials")
  expect_zeronorm_error(coef(fit, nonzero = 1), "nonzero", "smallest")
})

test_that("all features go where the penalty is all that counts", {
  data <- circle(30, 3)
  fit <- zeronorm(data$x, data$y, quadratic_fsv(0.95))
  expect_length(selected(fit), 0)
  expect_identical(certificate(fit)$nonzero, 0L)
})

test_that("features without a price free the monomials made of them", {
  data <- circle(30, noise = 0.5)
  map <- squares(data$x)
  atoms <- atomic_machine(map$x, data$y, lapply(map$features, setdiff, 2), 0.1, 0.9 / 30)
  for (argument in c("unpenalized", "keep")) {
    named <- structure(list("g2"), names = argument)
    fit <- do.call(zeronorm, c(list(data$x, data$y, quadratic_fsv(0.1, penalty = l1_penalty()),
                                    standardize = FALSE), named))
    expect_equal(certificate(fit)$primal, atoms$value, tolerance = 1e-6)
    expect_true("g2" %in% selected(fit))
  }
})

test_that("weights count observations", {
  data <- circle(20, noise = 0.5)
  rows <- rep(1:20, rep(c(1, 3), 10))
  weighted <- zeronorm(data$x, data$y, quadratic_fsv(0.1), weights = rep(c(1, 3), 10))
  repeated <- zeronorm(data$x[rows, ], data$y[rows], quadratic_fsv(0.1))
  expect_equal(rounds(weighted)$objective, rounds(repeated)$objective, tolerance = 1e-7)
})

test_that("arguments and sizes out of range are refused", {
  expect_zeronorm_error(quadratic_fsv(), "lambda", "missing")
  expect_zeronorm_error(quadratic_fsv(1), "lambda", "below 1")
  expect_zeronorm_error(quadratic_fsv(0.1, alpha = -1), "alpha")
  expect_zeronorm_error(quadratic_fsv(0.1, degree = 0), "degree")
  expect_zeronorm_error(quadratic_fsv(0.1, average = "max"), "average")
  most <- quadratic_fsv(0.1)$declares$max_features
  data <- planted(10, most + 1)
  expect_zeronorm_error(zeronorm(data$x, data$y, quadratic_fsv(0.1)), "x", "at most")
})

test_that("features left out of a round come back where the next prices want them", {
  for (seed in c(47, 58, 94)) {
    data <- with_stream(seed, {
      x <- matrix(rnorm(30 * 4), 30)
      list(x = x, y = x[, 1] * x[, 2] + x[, 3] + rnorm(30) > 0)
    })
    facts <- certificate(zeronorm(data$x, data$y, quadratic_fsv(c(0.02, 0.05, 0.1, 0.2))))
    expect_true(all(facts$status == "optimal"))
    expect_lt(max(facts$gap), 1e-6)
  }
})

# Fewest nonzeros over polyhedra, against vertices and supports enumerated one by one.

feasible <- function(A, v, lower, upper, tol = 1e-8) {
  row <- as.vector(A %*% v)
  all(row >= lower - tol * (1 + abs(row)) & row <= upper + tol * (1 + abs(row)))
}

# Vertices of the arrangement of the bounds and the planes v_j = 0 that keep the bounds, one per row.
vertices <- function(A, lower, upper) {
  d <- ncol(A)
  planes <- rbind(A, A, diag(d))
  level <- c(lower, upper, numeric(d))
  planes <- planes[is.finite(level), , drop = FALSE]
  level <- level[is.finite(level)]
  found <- combn(nrow(planes), d, function(k) {
    if (abs(det(planes[k, , drop = FALSE])) < 1e-9) return(rep(NA_real_, d))
    v <- solve(planes[k, , drop = FALSE], level[k])
    v[abs(v) < 1e-10] <- 0
    if (feasible(A, v, lower, upper)) v else rep(NA_real_, d)
  })
  t(matrix(found[, !is.na(found[1, ])], d))
}

# Successive linearisation on the vertices.
by_hand <- function(V, slope) {
  costs <- rep(slope(0), ncol(V))
  for (round in 1:50) {
    best <- V[which.min(abs(V) %*% costs), ]
    new <- slope(abs(best))
    if (isTRUE(all.equal(new, costs))) break
    costs <- new
  }
  best
}

random_polyhedron <- function(seed, d = 4, m = 4) {
  with_stream(seed, {
    A <- matrix(rnorm(m * d), m)
    middle <- rnorm(m)
    width <- rexp(m) * (runif(m) > 0.3)
    lower <- middle - width
    upper <- middle + width
    lower[runif(m) < 0.2] <- -Inf
    upper[runif(m) < 0.2] <- Inf
    list(A = A, lower = lower, upper = upper, V = vertices(A, lower, upper))
  })
}

test_that("rounds follow the definition, and the polyhedra that are empty are refused", {
  empty <- 0
  for (seed in 1:40) {
    p <- random_polyhedron(seed, m = if (seed %% 2) 4 else 6)
    if (!nrow(p$V)) {
      empty <- empty + 1
      expect_zeronorm_error(min_support(p$A, p$lower, p$upper), "lower", "no v")
      next
    }
    for (alpha in c(1, 5)) {
      fit <- min_support(p$A, p$lower, p$upper, exp_penalty(alpha))
      expect_equal(unname(coef(fit)), by_hand(p$V, function(t) alpha * exp(-alpha * t)), tolerance = 1e-6,
                   info = seed)
      expect_lte(certificate(fit)$violation, 1e-9)
      expect_lte(certificate(fit)$gap, 1e-8)
    }
  }
  expect_gt(empty, 2)
})

test_that("no result has fewer nonzeros than the best of all vertices, and most have as few", {
  extra <- vapply(1:40, function(seed) {
    p <- random_polyhedron(seed + 100)
    if (!nrow(p$V)) return(NA)
    fit <- min_support(p$A, p$lower, p$upper)
    expect_true(feasible(p$A, coef(fit), p$lower, p$upper))
    length(fit$support) - min(rowSums(p$V != 0))
  }, 0)
  expect_true(all(extra >= 0, na.rm = TRUE))
  expect_gte(mean(extra == 0, na.rm = TRUE), 0.75)
})

test_that("planted solutions of equations are found, whatever the units", {
  for (seed in 1:5) with_stream(seed, {
    A <- matrix(rnorm(30 * 80), 30, dimnames = list(NULL, paste0("v", 1:80)))
    set <- sample(80, 8)
    b <- drop(A[, set] %*% rnorm(8))
    fit <- min_support(A, b, b)
    expect_setequal(fit$support, set)
    expect_setequal(selected(fit), paste0("v", set))
    for (factor in c(1e-6, 1e6)) {
      other <- min_support(factor * A, b, b)
      expect_identical(other$support, fit$support)
      expect_equal(factor * coef(other), coef(fit), tolerance = 1e-6)
      rows <- 10^with_stream(1, runif(30, -5, 5))
      expect_equal(coef(min_support(rows * A, rows * b, rows * b)), coef(fit), tolerance = 1e-6)
    }
    expect_equal(coef(min_support(as(A, "dgCMatrix"), b, b)), coef(fit), tolerance = 1e-6)
  })
})

test_that("signs of v are rows like any other", {
  with_stream(3, {
    content <- matrix(rexp(6 * 30), 6)
    fit <- min_support(rbind(content, diag(30)), c(rep(10, 6), rep(0, 30)))
    v <- coef(fit)
    expect_true(all(v >= -1e-9))
    expect_true(all(content %*% v >= 10 - 1e-7))
    # Dropping any one of them leaves no way to reach the amounts.
    expect_lte(length(fit$support), 6)
    expect_identical(fit$support, which(v != 0))
  })
})

test_that("where zero is allowed it is the answer", {
  A <- matrix(c(1, 2, 3, 4), 2)
  for (bounds in list(c(-1, 1), c(0, 0), c(-Inf, Inf), c(-Inf, 0), c(0, Inf))) {
    fit <- min_support(A, bounds[1], bounds[2])
    expect_identical(coef(fit), c(0, 0))
    expect_identical(certificate(fit)$kind, "gap")
    expect_identical(certificate(fit)$nonzero, 0L)
    expect_length(selected(fit), 0)
    expect_identical(nrow(rounds(fit)), 0L)
    expect_output(print(fit), "0 of 2 nonzero")
  }
})

test_that("degenerate rows and columns do no harm", {
  with_stream(5, {
    A <- matrix(rnorm(8 * 20), 8)
    b <- drop(A[, c(3, 7)] %*% c(2, -1))
    fit <- min_support(A, b, b)
    expect_identical(fit$support, c(3L, 7L))
    again <- min_support(rbind(A, A, 0), c(b, b, -1), c(b, b, 1))
    expect_equal(coef(again), coef(fit), tolerance = 1e-7)
    twins <- min_support(cbind(A, 0, A), b, b)
    expect_identical(twins$support, c(3L, 7L))
    apart <- c(b, b[1] + 1)
    expect_zeronorm_error(min_support(rbind(A, A[1, ]), apart, apart), "lower", "contradict")
    expect_zeronorm_error(min_support(rbind(A, 0), c(b, 1), c(b, 2)), "lower")
    expect_zeronorm_error(min_support(rbind(A[1, ], -A[1, ]), upper = -1), "upper", "contradict")
    one <- min_support(matrix(2), 3, Inf)
    expect_equal(coef(one), 1.5)
    expect_identical(min_support(t(c(1, 4)), 2)$support, 2L)
  })
})

test_that("the certificate, the rounds and the print say what happened", {
  p <- random_polyhedron(2)
  fit <- min_support(p$A, p$lower, p$upper)
  table <- certificate(fit)
  expect_identical(table$status, "optimal")
  expect_identical(table$kind, "stationarity")
  expect_identical(table$nonzero, length(fit$support))
  expect_identical(nrow(rounds(fit)), table$rounds)
  expect_output(print(fit), "<min_support>")
  expect_output(print(fit), "stationary")
  for (engine in c("simplex", "highs")) {
    expect_equal(coef(min_support(p$A, p$lower, p$upper, engine = engine)), coef(fit), tolerance = 1e-6)
  }
  short <- zeronorm_control(max_rounds = 1)
  expect_warning(min_support(p$A, p$lower, p$upper, control = short), "round limit")
  with_stream(7, {
    before <- .Random.seed
    min_support(p$A, p$lower, p$upper)
    expect_identical(.Random.seed, before)
  })
})

test_that("bad input is refused by name", {
  A <- diag(3)
  expect_zeronorm_error(min_support("a", 1), "A")
  expect_zeronorm_error(min_support(A[, 0], 1), "A", "no columns")
  expect_zeronorm_error(min_support(A[0, ], 1), "A", "no rows")
  expect_zeronorm_error(min_support(replace(A, 2, NA), 1), "A")
  expect_zeronorm_error(min_support(A, 1:2), "lower", "3 rows")
  expect_zeronorm_error(min_support(A, c(1, NA, 1)), "lower", "missing")
  expect_zeronorm_error(min_support(A, upper = "1"), "upper")
  expect_zeronorm_error(min_support(A, 2, 1), "lower", "row 1")
  expect_zeronorm_error(min_support(A, Inf), "lower")
  expect_zeronorm_error(min_support(A, upper = -Inf), "lower")
  expect_zeronorm_error(min_support(A, 1, unit = 0), "unit")
  expect_zeronorm_error(min_support(A, 1, penalty = 3), "penalty")
  expect_zeronorm_error(min_support(A, 1, start = -1), "start")
  expect_zeronorm_error(min_support(A, 1, engine = "cplex"), "engine")
  expect_zeronorm_error(min_support(A, 1, engine = "dual"), "engine")
  expect_zeronorm_error(min_support(A, 1, control = 1), "control")
  expect_zeronorm_error(coef(min_support(A, 1), s = 1), "s")
})

# Sparse codes, against pseudo-inverses, quadprog and all supports of small dictionaries.

signal <- function(seed, m = 50, p = 200, k = 5, unit = FALSE) {
  with_stream(seed, {
    D <- matrix(rnorm(m * p), m)
    if (unit) D <- sweep(D, 2, sqrt(colSums(D^2)), "/")
    atoms <- sample(p, k)
    weights <- rnorm(k)
    list(D = D, atoms = atoms, weights = weights, x = drop(D[, atoms, drop = FALSE] %*% weights))
  })
}

# The l2 update by its formula, the inverse a pseudo-inverse.
by_formula <- function(D, x, z = rep(1, ncol(D))) {
  for (round in 1:100) {
    on <- which(z > 0)
    s <- svd(D[, on, drop = FALSE] * rep(z[on], each = nrow(D)))
    k <- s$d > 1e-13 * s$d[1]
    c <- replace(0 * z, on, z[on] * (s$v[, k] %*% ((t(s$u[, k]) %*% x) / s$d[k])))
    new <- ifelse(abs(c) > 1e-12 * max(abs(c)), abs(c), 0)
    if (max(abs(new[on] / z[on] - 1)) < 1e-6) break
    z <- new
  }
  c
}

test_that("five planted atoms of 200 are found", {
  for (unit in c(FALSE, TRUE)) {
    found <- vapply(1:50, function(seed) {
      s <- signal(seed, unit = unit)
      fit <- sparse_code(s$x, s$D)
      expect_lte(max(abs(s$x - fitted(fit))), 1e-8 * max(abs(s$x)))
      setequal(fit$support, s$atoms)
    }, NA)
    expect_gte(mean(found), 0.9)
  }
})

test_that("l2 codes follow the formula", {
  for (seed in 1:12) {
    s <- signal(seed, unit = TRUE)
    expected <- by_formula(s$D, s$x)
    fit <- sparse_code(s$x, s$D, norm = "l2")
    expect_identical(fit$support, which(expected != 0))
    expect_equal(coef(fit), expected, tolerance = 1e-6)
    s <- signal(seed)
    raw <- sparse_code(s$x, s$D, norm = "l2", standardize = FALSE)
    expect_equal(coef(raw), by_formula(s$D, s$x), tolerance = 1e-6)
    expect_equal(coef(sparse_code(s$x, s$D, norm = "l2")), by_formula(s$D, s$x, 1 / sqrt(colSums(s$D^2))),
                 tolerance = 1e-6)
  }
})

test_that("with a tolerance an l2 round is the quadratic programme", {
  skip_if_not_installed("quadprog")
  s <- signal(1, m = 8, p = 12, k = 3)
  tol <- 0.1
  z <- rep(1, 12)
  for (rounds in 1:4) {
    G <- s$D * rep(z, each = 8)
    u <- quadprog::solve.QP(diag(12), rep(0, 12), t(rbind(G, -G)), c(s$x - tol, -s$x - tol))$solution
    z <- abs(z * u)
    fit <- suppressWarnings(sparse_code(s$x, s$D, tol, norm = "l2", standardize = FALSE,
                                        control = zeronorm_control(max_rounds = rounds)))
    expect_equal(abs(coef(fit)), z, tolerance = 1e-5)
  }
})

test_that("no code has fewer atoms than the best of all supports; where few are needed most have as few", {
  fewest <- function(D, x) {
    for (k in seq_len(ncol(D))) {
      fits <- combn(ncol(D), k, function(set) max(abs(qr.resid(qr(D[, set, drop = FALSE]), x))) < 1e-9)
      if (any(fits)) return(k)
    }
  }
  extra <- vapply(1:20, function(seed) {
    s <- signal(seed, m = 6, p = 9, k = 1 + seed %% 3)
    length(sparse_code(s$x, s$D)$support) - fewest(s$D, s$x)
  }, 0)
  expect_true(all(extra >= 0))
  expect_gte(mean(extra == 0), 0.75)
})

test_that("codes stay within the tolerance, and a larger one needs fewer atoms", {
  s <- signal(4)
  x <- s$x + with_stream(1, 0.01 * rnorm(50))
  for (norm in c("l1", "l2")) {
    sizes <- vapply(c(0.02, 0.05, 0.5, 2), function(tol) {
      fit <- sparse_code(x, s$D, tol, norm)
      expect_lte(max(abs(x - fitted(fit))), tol * (1 + 1e-7))
      expect_lte(certificate(fit)$gap, 1e-6)
      length(fit$support)
    }, 0)
    expect_true(all(diff(sizes) <= 0))
  }
  expect_true(all(s$atoms[abs(s$weights) > 0.1] %in% sparse_code(x, s$D, 0.05)$support))
  expect_identical(coef(sparse_code(x, s$D, 2 * max(abs(x)))), numeric(200))
})

test_that("a matrix of signals gives a column for each", {
  s <- signal(6, m = 20, p = 60, k = 2)
  x <- cbind(a = s$x, b = 0, c = s$D[, 5] - s$D[, 9])
  colnames(s$D) <- paste0("atom", 1:60)
  fit <- sparse_code(x, s$D)
  expect_s4_class(coef(fit), "dgCMatrix")
  expect_identical(dimnames(coef(fit)), list(colnames(s$D), colnames(x)))
  expect_equal(unname(fitted(fit)), unname(x), tolerance = 1e-8)
  expect_setequal(selected(fit)$c, c("atom5", "atom9"))
  expect_length(fit$support$b, 0)
  expect_identical(nrow(certificate(fit)), 3L)
  expect_equal(as.vector(coef(fit)[, 1]), unname(coef(sparse_code(s$x, s$D))))
  expect_output(print(fit), "3 solutions with 0 to 2 of 60 nonzero")
  expect_identical(unique(rounds(fit)$solution), c(1L, 3L))
  sparse <- sparse_code(as(x, "dgCMatrix"), as(s$D, "dgCMatrix"))
  expect_equal(coef(sparse), coef(fit), tolerance = 1e-7)
})

test_that("units of signal and atoms do not matter", {
  s <- signal(8, m = 20, p = 60, k = 3)
  fit <- sparse_code(s$x, s$D)
  for (factor in c(1e-7, 1e7)) {
    expect_equal(coef(sparse_code(factor * s$x, s$D)) / factor, coef(fit), tolerance = 1e-7)
    lengths <- 10^with_stream(1, runif(60, -3, 3))
    for (norm in c("l1", "l2")) {
      expect_equal(coef(sparse_code(s$x, s$D * rep(lengths, each = 20), norm = norm)) * lengths,
                   coef(sparse_code(s$x, s$D, norm = norm)), tolerance = 1e-6)
    }
  }
})

test_that("degenerate dictionaries do no harm", {
  s <- signal(9, m = 15, p = 30, k = 2)
  wide <- sparse_code(s$x, cbind(s$D, 0, s$D))
  expect_identical(wide$support, sort(s$atoms))
  tall <- sparse_code(rep(s$x, 3), rbind(s$D, s$D, s$D))
  expect_identical(tall$support, sort(s$atoms))
  low <- with_stream(1, s$D[, 1:4] %*% matrix(rnorm(4 * 30), 4))
  flat <- sparse_code(low[, 3] - low[, 8], low)
  expect_lte(length(flat$support), 4)
  expect_identical(sparse_code(3, matrix(2))$support, 1L)
})

test_that("what the atoms cannot reach is refused, or missing among several", {
  D <- diag(4)[, 1:2]
  expect_zeronorm_error(sparse_code(c(1, 2, 3, 0), D), "tol", "no combination")
  expect_identical(sparse_code(c(1, 2, 3, 0), D, tol = 3)$support, integer())
  expect_warning(fit <- sparse_code(cbind(c(1, 2, 0, 0), c(1, 2, 3, 0)), D), "1 of 2 failed")
  expect_identical(certificate(fit)$status, c("optimal", "infeasible"))
  expect_true(all(is.na(coef(fit)[, 2])))
  expect_equal(as.vector(coef(fit)[, 1]), c(1, 2))
})

test_that("bad input is refused by name", {
  D <- diag(3)
  expect_zeronorm_error(sparse_code(1:2, D), "x", "atoms have 3")
  expect_zeronorm_error(sparse_code(c(1, NA, 2), D), "x")
  expect_zeronorm_error(sparse_code("a", D), "x")
  expect_zeronorm_error(sparse_code(1:3, "D"), "dictionary")
  expect_zeronorm_error(sparse_code(1:3, D[, 0]), "dictionary", "no columns")
  expect_zeronorm_error(sparse_code(1:3, D / 0), "dictionary")
  expect_zeronorm_error(sparse_code(1:3, D, tol = -1), "tol")
  expect_zeronorm_error(sparse_code(1:3, D, norm = "l0"), "norm")
  expect_zeronorm_error(sparse_code(1:3, D, standardize = NA), "standardize")
  expect_zeronorm_error(sparse_code(1:3, D, engine = "dual"), "engine")
})

test_that("a data frame of signals is a matrix of them", {
  s <- signal(10, m = 12, p = 30, k = 2)
  fit <- sparse_code(data.frame(u = s$x, v = s$D[, 1]), as.data.frame(s$D))
  expect_identical(colnames(coef(fit)), c("u", "v"))
  expect_setequal(fit$support$u, s$atoms)
  expect_identical(unname(fit$support$v), 1L)
})

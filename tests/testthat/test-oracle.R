# Brute force for few features and observations.  In every problem here the objective is, on each cell of
# the arrangement of the planes w_j = 0 and y_i f(x_i) = 1, linear or concave and bounded from below: its
# minimum is at a vertex of the arrangement, and all of them can be listed.  The same holds for the fewest
# nonzeros under margin constraints.  Problems with a ridge go to quadprog.

# Vertices as columns (b, w): for every support, every set of as many margins as there are unknowns.
vertices_of_support <- function(x, y, support, intercept) {
  d <- ncol(x)
  rows <- y * cbind(if (intercept) 1, x[, support, drop = FALSE])
  unknowns <- ncol(rows)
  if (unknowns == 0) return(matrix(0, d + 1, 1))
  if (unknowns > nrow(rows)) return(matrix(0, d + 1, 0))
  place <- c(if (intercept) 1, 1 + support)
  found <- utils::combn(nrow(rows), unknowns, simplify = FALSE, FUN = function(tight) {
    solution <- tryCatch(solve(rows[tight, , drop = FALSE], rep(1, unknowns)), error = function(e) NULL)
    if (!is.null(solution)) replace(numeric(d + 1), place, solution)
  })
  matrix(unlist(found), d + 1)
}

supports_of <- function(d, size) if (size == 0) list(integer()) else utils::combn(d, size, simplify = FALSE)

all_vertices <- function(x, y, intercept = TRUE) {
  supports <- unlist(lapply(0:ncol(x), supports_of, d = ncol(x)), recursive = FALSE)
  do.call(cbind, lapply(supports, function(support) vertices_of_support(x, y, support, intercept)))
}

# Slacks of solutions (b, w) in columns.
slacks_of <- function(x, y, solutions) pmax(1 - y * (cbind(1, x) %*% solutions), 0)

without_slack <- function(x, y, solutions) {
  solutions[, colSums(slacks_of(x, y, solutions) > 1e-9) == 0, drop = FALSE]
}

# The smallest number of features that separate, and every support of that size that does.
fewest_features <- function(x, y) {
  for (size in seq_len(ncol(x))) {
    separates <- Filter(function(support) {
      ncol(without_slack(x, y, vertices_of_support(x, y, support, TRUE))) > 0
    }, supports_of(ncol(x), size))
    if (length(separates)) return(list(size = size, supports = separates))
  }
  list(size = Inf, supports = list())
}

# min 1/2 |w|^2 + nu |w|_1 + price sum xi (or price/2 sum xi^2, or hard) over (b, w+, w-, xi); what has no
# ridge gets one of 1e-9, and the value returned is that of the problem itself.
ridge_minimum <- function(x, y, price, nu = 0, squared = FALSE, intercept = TRUE) {
  n <- nrow(x)
  d <- ncol(x)
  hard <- is.infinite(price)
  # u = |w| as a variable of its own: u >= w, u >= -w.
  slack <- if (squared) c(quadratic = price, linear = 0) else c(quadratic = 1e-9, linear = price)
  repeated <- function(value) if (!hard) rep(value, n)
  quadratic <- diag(c(if (intercept) 1e-9, rep(1, d), rep(1e-9, d), repeated(slack[["quadratic"]])))
  linear <- c(if (intercept) 0, rep(0, d), rep(nu, d), repeated(slack[["linear"]]))
  margins <- cbind(if (intercept) y, y * x, matrix(0, n, d), if (!hard) diag(n))
  bounds <- rbind(cbind(-diag(d), diag(d)), cbind(diag(d), diag(d)))
  bounds <- cbind(if (intercept) 0, bounds, if (!hard) matrix(0, 2 * d, n))
  positive <- if (!hard) cbind(matrix(0, n, 2 * d + intercept), diag(n))
  constraints <- rbind(margins, bounds, positive)
  least <- rep(1:0, c(n, nrow(constraints) - n))
  solution <- quadprog::solve.QP(quadratic, -linear, t(constraints), least)$solution
  w <- solution[intercept + seq_len(d)]
  b <- if (intercept) solution[1] else 0
  xi <- slacks_of(x, y, c(b, w))
  sum(w^2) / 2 + nu * sum(abs(w)) + if (hard) 0 else price * if (squared) sum(xi^2) / 2 else sum(xi)
}

oracle_data <- function(n, d, noise, seed) {
  data <- planted(n, d, noise, seed = seed)
  c(data, list(sign = ifelse(data$y == "up", 1, -1)))
}

# Raw columns, so that the oracle needs no scaling.
oracle_fit <- function(data, method, ...) zeronorm(data$x, data$y, method, standardize = FALSE, ...)

fitted_slacks <- function(data, fit, ...) slacks_of(data$x, data$sign, coef(fit, ...))

expect_same_value <- function(value, oracle, info) {
  expect_lte(abs(value - oracle), 1e-7 * max(1, abs(oracle)), label = paste(info, "excess"))
}

soft_cases <- list(oracle_data(12, 4, 3, 1), oracle_data(14, 3, 4, 2), oracle_data(18, 2, 3, 3),
                   oracle_data(9, 5, 2, 4))
hard_cases <- list(oracle_data(8, 6, 2, 5), oracle_data(10, 5, 0, 6), oracle_data(12, 4, 0, 7),
                   oracle_data(7, 7, 4, 8))

# Reference of l1_svm: all vertices.
test_that("l1_svm is the best vertex", {
  for (intercept in c(TRUE, FALSE)) for (data in soft_cases) {
    vertices <- all_vertices(data$x, data$sign, intercept)
    l1 <- colSums(abs(vertices[-1, , drop = FALSE]))
    loss <- colSums(slacks_of(data$x, data$sign, vertices))
    for (C in c(0.05, 0.3, 5)) {
      fit <- oracle_fit(data, l1_svm(C), intercept = intercept)
      value <- sum(abs(coef(fit)[-1])) + C * sum(fitted_slacks(data, fit))
      expect_same_value(value, min(l1 + C * loss), format(l1_svm(C)))
      expect_equal(certificate(fit)$primal, value, tolerance = 1e-9)
    }
  }
  for (data in hard_cases) {
    vertices <- without_slack(data$x, data$sign, all_vertices(data$x, data$sign))
    fit <- oracle_fit(data, l1_svm(Inf))
    expect_lte(max(fitted_slacks(data, fit)), 1e-8)
    expect_same_value(sum(abs(coef(fit)[-1])), min(colSums(abs(vertices[-1, , drop = FALSE]))), "l1_svm(Inf)")
  }
})

# Reference of rlp: all vertices.
test_that("rlp has the smallest sum of slacks, then the smallest |w|_1", {
  for (data in c(soft_cases, hard_cases)) for (loss in c("sum", "class_mean")) {
    weights <- if (loss == "sum") rep(1, length(data$y)) else 1 / as.vector(table(data$y)[data$y])
    vertices <- all_vertices(data$x, data$sign)
    losses <- colSums(weights * slacks_of(data$x, data$sign, vertices))
    l1 <- colSums(abs(vertices[-1, , drop = FALSE]))
    fit <- oracle_fit(data, rlp(loss))
    expect_same_value(sum(weights * fitted_slacks(data, fit)), min(losses), format(rlp(loss)))
    expect_equal(sum(abs(coef(fit)[-1])), min(l1[losses <= min(losses) + 1e-9]), tolerance = 1e-6)
  }
})

# Reference of l2_l1_svm: quadprog.
test_that("machines with a ridge agree with quadprog", {
  skip_if_not_installed("quadprog")
  for (intercept in c(TRUE, FALSE)) for (data in soft_cases) {
    for (C in c(0.05, 0.5, 5)) for (loss in c("hinge", "squared_hinge")) {
      squared <- loss == "squared_hinge"
      method <- l2_svm(C, loss = loss)
      fit <- oracle_fit(data, method, intercept = intercept)
      xi <- fitted_slacks(data, fit)
      value <- sum(coef(fit)[-1]^2) / 2 + C * if (squared) sum(xi^2) / 2 else sum(xi)
      expect_same_value(value, ridge_minimum(data$x, data$sign, C, 0, squared, intercept), format(method))
      expect_equal(certificate(fit)$primal, value, tolerance = 1e-7)
    }
    n <- length(data$sign)
    for (nu in c(0.05, 0.5)) {
      method <- l2_l1_svm(mu = 8, nu = nu)
      fit <- oracle_fit(data, method, intercept = intercept)
      value <- sum(coef(fit)[-1]^2) / 2 + nu * sum(abs(coef(fit)[-1])) + 8 / n * sum(fitted_slacks(data, fit))
      expect_same_value(value, ridge_minimum(data$x, data$sign, 8 / n, nu, FALSE, intercept), format(method))
    }
  }
  for (data in hard_cases) {
    fit <- oracle_fit(data, l2_svm(Inf))
    expect_lte(max(fitted_slacks(data, fit)), 1e-7)
    expect_same_value(sum(coef(fit)[-1]^2) / 2, ridge_minimum(data$x, data$sign, Inf), "l2_svm(Inf)")
  }
})

# Reference of fsv: all vertices.
test_that("fsv ends at a vertex, never below the global minimum", {
  for (data in soft_cases) {
    vertices <- all_vertices(data$x, data$sign)
    concave <- colSums(1 - exp(-5 * abs(vertices[-1, , drop = FALSE])))
    loss <- colMeans(slacks_of(data$x, data$sign, vertices))
    for (lambda in c(0.01, 0.05, 0.2)) {
      values <- (1 - lambda) * loss + lambda * concave
      for (start in 0:1) {
        fit <- oracle_fit(data, fsv(lambda, start = start))
        penalty <- sum(1 - exp(-5 * abs(coef(fit)[-1])))
        value <- (1 - lambda) * mean(fitted_slacks(data, fit)) + lambda * penalty
        expect_gte(value, min(values) - 1e-9)
        expect_lte(min(abs(value - values)), 1e-8)
        expect_equal(tail(rounds(fit)$objective, 1), value, tolerance = 1e-7)
      }
    }
  }
})

# Reference of fw1: all vertices.
test_that("fw1 ends at a vertex without slack, never below the global minimum", {
  for (data in hard_cases) {
    vertices <- without_slack(data$x, data$sign, all_vertices(data$x, data$sign))
    for (penalty in list(exp_penalty(5), log_penalty(0.01))) for (start in 0:1) {
      phi <- if (penalty$kind == "exp") function(t) 1 - exp(-5 * t) else function(t) log(0.01 + t)
      values <- colSums(phi(abs(vertices[-1, , drop = FALSE])))
      fit <- oracle_fit(data, fw1(penalty, start))
      expect_lte(max(fitted_slacks(data, fit)), 1e-8)
      value <- sum(phi(abs(coef(fit)[-1])))
      expect_gte(value, min(values) - 1e-8)
      expect_lte(min(abs(value - values)), 1e-6)
    }
  }
})

zero_norm_methods <- function(...) {
  list(fw1(..., start = 0), fw1(..., start = 1), fw1(log_penalty(1e-3), ...), arom("l1", ...),
       arom("l2", ...), arom("l2-l1", ..., switch = 2))
}

test_that("nobody separates with fewer features than can separate", {
  for (data in hard_cases) {
    fewest <- fewest_features(data$x, data$sign)$size
    for (method in zero_norm_methods()) {
      fit <- oracle_fit(data, method)
      expect_lte(max(fitted_slacks(data, fit)), 1e-6, label = paste(format(method), "slack"))
      expect_gte(certificate(fit)$nonzero, fewest, label = format(method))
    }
    # Fewer are found by asking for them, and then some slack is left.
    sizes <- seq_len(ncol(data$x))
    for (method in zero_norm_methods(nonzero = sizes)) {
      fit <- oracle_fit(data, method)
      exact <- vapply(sizes, function(r) max(fitted_slacks(data, fit, nonzero = r)) <= 1e-6, NA)
      expect_gte(min(certificate(fit)$nonzero[exact]), fewest, label = format(method))
    }
  }
  for (data in soft_cases) {
    fewest <- fewest_features(data$x, data$sign)$size
    for (method in list(fsv(1e-4), l1_svm(1e4), arom("l2", errors = "zero"), fs_svmcp(C_grid = 100))) {
      fit <- oracle_fit(data, method, foldid = rep_len(1:2, length(data$y)))
      if (max(fitted_slacks(data, fit)) <= 1e-6) expect_gte(certificate(fit)$nonzero, fewest)
    }
    expect_identical(is.finite(fewest), tryCatch({
      oracle_fit(data, fw1())
      TRUE
    }, zeronorm_error = function(error) FALSE))
  }
})

# Two features of eight separate with a wide gap: their difference, which little of either shows.
gapped <- function(seed, n = 16, d = 8) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    sign <- rep(c(-1, 1), length.out = n)
    half <- sign * (1 + abs(x[, 2])) / 2
    common <- 2 * x[, 1]
    x[, 1] <- common + half
    x[, 2] <- common - half
    list(x = x, y = factor(sign, labels = c("down", "up")), sign = sign)
  })
}

test_that("a unique and clear minimum is found", {
  for (seed in c(1, 3, 4)) {
    data <- gapped(seed)
    expect_identical(fewest_features(data$x, data$sign), list(size = 2L, supports = list(1:2)))
    finds <- function(method, ...) setequal(selected(oracle_fit(data, method), ...), c("g1", "g2"))
    expect_true(any(vapply(zero_norm_methods(), finds, NA)))
    expect_true(any(vapply(zero_norm_methods(nonzero = 2), finds, NA, nonzero = 2)))
  }
})

# AROM on data that cannot be separated, as its definition says it: columns e_i / lambda beside x, hard-margin
# machines on scaled columns, quadprog for l2 and the full linear programme for l1.

hard_l2 <- function(x, y, scale) {
  on <- scale > 0
  rows <- y * cbind(x[, on] * rep(scale[on], each = length(y)), 1)
  d <- sum(on)
  u <- quadprog::solve.QP(diag(c(rep(1, d), 1e-9)), rep(0, d + 1), t(rows), rep(1, length(y)))$solution
  replace(numeric(length(scale)), which(on), u[seq_len(d)] * scale[on])
}

hard_l1 <- function(x, y, scale) {
  on <- scale > 0
  method <- l1_svm(C = Inf, costs = 1 / scale[on])
  fit <- zeronorm(x[, on], y, method, standardize = FALSE, engine = "highs",
                  control = zeronorm_control(column_generation = FALSE))
  replace(numeric(length(scale)), which(on), coef(fit)[-1])
}

by_hand <- function(x, y, norm, features, errors, lambda, slack_form, rounds) {
  n <- length(y)
  d <- ncol(x)
  literal <- slack_form == "literal" || errors != "zero"
  extended <- cbind(x, diag(n) / if (literal) lambda else 1)
  weight <- c(rep(1, d), rep(if (literal) 1 else lambda, n))
  rescaled <- c(rep(features == "zero", d), rep(errors == "zero", n))
  z <- rep(1, d + n)
  for (round in seq_len(rounds)) {
    w <- if (norm == "l2") hard_l2(extended, y, z / sqrt(weight)) else hard_l1(extended, y, z / weight)
    new <- ifelse(abs(w) > 1e-12 * max(abs(w)), abs(w), 0)
    z[rescaled] <- new[rescaled]
  }
  w[seq_len(d)]
}

cases <- expand.grid(norm = c("l2", "l1"), form = c("0,0 literal", "0,0 weighted", "0,1", "0,2", "2,0"),
                     lambda = c(0.5, 2), stringsAsFactors = FALSE)

test_that("every (p, q) and both norms follow the definition", {
  skip_if_not_installed("quadprog")
  data <- planted(25, 6, noise = 2, seed = 4)
  x <- scale(data$x)
  sign <- ifelse(data$y == "up", 1, -1)
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    features <- if (case$form == "2,0") "norm" else "zero"
    errors <- switch(case$form, "0,1" = "l1", "0,2" = "l2", "zero")
    slack_form <- if (case$form == "0,0 weighted") "weighted" else "literal"
    method <- arom(case$norm, features = features, errors = errors, lambda = case$lambda,
                   slack_form = slack_form)
    for (rounds in c(1, 3)) {
      fit <- suppressWarnings(zeronorm(x, data$y, method, standardize = FALSE,
                                       control = zeronorm_control(max_rounds = rounds)))
      if (certificate(fit)$rounds < rounds) next
      expected <- by_hand(x, sign, case$norm, features, errors, case$lambda, slack_form, rounds)
      expect_equal(unname(coef(fit)[-1]), expected, tolerance = 1e-5,
                   info = paste(case$norm, case$form, case$lambda, rounds))
    }
  }
})

test_that("(2, 0) leaves fewer points inside the margin than the machine it starts from", {
  inside <- function(data, fit) {
    sum(ifelse(data$y == "up", 1, -1) * predict(fit, data$x, "link") < 1 - 1e-6)
  }
  for (seed in 1:5) for (norm in c("l1", "l2")) {
    data <- planted(60, 4, noise = 3, seed = seed)
    fewest <- zeronorm(data$x, data$y, arom(norm, features = "norm", errors = "zero"))
    start <- zeronorm(data$x, data$y, if (norm == "l2") l2_svm(1, loss = "squared_hinge") else l1_svm(1))
    expect_lte(inside(data, fewest), inside(data, start))
  }
})

test_that("a loose tolerance makes rounds loose that move far, not the answer", {
  set.seed(7)
  n <- 500
  x <- matrix(rnorm(n * 1200), n)  # so many columns that a gap is no smaller than asked for
  y <- ifelse(x[, 1:6] %*% rep(c(1, -1), 3) + rnorm(n) > 0, 1, -1)
  fitted <- function(tol, nonzero, engine = "newton") {
    zeronorm(x, y, arom("l2", errors = "l2", nonzero = nonzero), engine = engine,
             control = zeronorm_control(tol = tol))
  }
  gaps <- function(fit) rounds(fit)$gap
  loose <- fitted(1e-3, NULL)
  expect_gt(max(gaps(loose)), 1e-3)
  expect_lt(max(gaps(loose)), 0.1)
  expect_lte(certificate(loose)$gap, 1e-3)
  expect_lte(max(gaps(fitted(1e-6, NULL))), 1e-6)
  exact <- fitted(1e-8, NULL, "dual")
  expect_setequal(selected(loose), selected(exact))
  expect_equal(coef(loose), coef(exact), tolerance = 0.05)
  expect_setequal(selected(fitted(1e-3, 6)), selected(fitted(1e-8, 6, "dual")))
  expect_lte(certificate(fitted(1e-3, 6))$gap, 1e-3)
})

test_that("the switch of l2-l1 AROM is a size or a round", {
  expect_identical(arom("l2-l1")$core$switch, list(features = 100L, round = 0L))
  expect_identical(arom("l2-l1", switch = 20)$core$switch, list(features = 20L, round = 0L))
  expect_identical(arom("l2-l1", switch = list(round = 3))$core$switch, list(features = 0L, round = 3L))
})

# Reference of arom: the fixed point of its definition.
test_that("l2-AROM ends where the machine on scaled features has weights of one", {
  data <- planted(30, 80)
  fit <- zeronorm(data$x, data$y, arom("l2"))
  z <- feature_importance(fit)[selected(fit)]
  scaled <- scale(data$x)[, selected(fit), drop = FALSE] * rep(z, each = 30)
  again <- zeronorm(scaled, data$y, l2_svm(C = Inf), standardize = FALSE)
  expect_equal(unname(abs(coef(again)[-1])), rep(1, length(z)), tolerance = 1e-5)
})

test_that("l2-AROM with soft errors does so with squared slacks", {
  data <- planted(60, 20, noise = 1)
  fit <- zeronorm(data$x, data$y, arom("l2", errors = "l2", lambda = 2),
                  control = zeronorm_control(max_rounds = 1000))
  z <- feature_importance(fit)[selected(fit)]
  scaled <- scale(data$x)[, selected(fit), drop = FALSE] * rep(z, each = 60)
  again <- zeronorm(scaled, data$y, l2_svm(C = 4, loss = "squared_hinge"), standardize = FALSE)
  expect_equal(unname(abs(coef(again)[-1])), rep(1, length(z)), tolerance = 1e-5)
})

# Reference of multiplicative_update: Algorithm 4 of Lal et al. written out with quadprog.

test_that("it is arom with quadratic errors", {
  data <- planted(40, 20, noise = 1)
  for (nonzero in list(NULL, c(5, 2))) {
    one <- zeronorm(data$x, data$y, multiplicative_update(nonzero = nonzero, lambda = 2))
    other <- zeronorm(data$x, data$y, arom("l2", nonzero = nonzero, errors = "l2", lambda = 2))
    expect_identical(coef(one), coef(other))
    expect_identical(certificate(one), certificate(other))
  }
  expect_identical(format(multiplicative_update(nonzero = 3)), "multiplicative_update(nonzero = 3)")
  regression <- zeronorm(data$x, data$x[, 1] * 2, multiplicative_update(epsilon = 0.1))
  expect_identical(selected(regression)[1], "g1")
})

test_that("it is the algorithm of the chapter", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 6, noise = 2)
  x <- scale(data$x)
  y <- ifelse(data$y == "up", 1, -1)
  n <- 24
  z <- rep(1, 6)
  for (round in 1:400) {
    k <- tcrossprod(sweep(x, 2, z, "*")) + diag(n)
    a <- quadprog::solve.QP(k * tcrossprod(y) + 1e-12 * diag(n), rep(1, n), cbind(y, diag(n)), rep(0, n + 1),
                            meq = 1)$solution
    w <- as.vector(z * crossprod(x, a * y))
    z <- z * abs(w)
    if (max(abs(abs(w[z > 1e-8]) - 1)) < 1e-7) break
  }
  fit <- zeronorm(data$x, data$y, multiplicative_update())
  expect_setequal(selected(fit), colnames(data$x)[z > 1e-6])
  expect_equal(feature_importance(fit)[colnames(data$x)], z, tolerance = 1e-4, ignore_attr = TRUE)
})

test_that("stopped early it is the round that predicts held-out observations best", {
  data <- planted(60, 30, noise = 2)
  fold <- rep(c(1, 2, 3, 2), 15)
  trained <- fold > 1
  clouds <- three_clouds(60, 10, shift = 1)
  cases <- list(
    list(data$x, data$y, multiplicative_update, list()), list(data$x, data$y, fsv, list(lambda = 0.1)),
    list(data$x, data$x[, 1] + 0.3 * data$x[, 2]^2, multiplicative_update, list(epsilon = 0.3)),
    list(clouds$x, clouds$y, multiplicative_update, list())
  )
  for (case in cases) {
    x <- case[[1]]
    y <- case[[2]]
    numbers <- is.numeric(y)
    task <- if (numbers) "regression" else "auto"
    fit <- function(..., rows = TRUE, rounds = 100, foldid = NULL) {
      zeronorm(x[rows, ], y[rows], do.call(case[[3]], c(case[[4]], ...)), foldid = foldid, task = task,
               control = zeronorm_control(max_rounds = rounds))
    }
    last <- certificate(fit(rows = trained))$rounds
    rounds <- lapply(seq_len(last), function(k) suppressWarnings(fit(rows = trained, rounds = k)))
    error <- vapply(rounds, function(one) {
      f <- predict(one, x[!trained, ])
      if (numbers) mean((f - y[!trained])^2) else mean(as.character(f) != as.character(y[!trained]))
    }, 0)
    best <- rounds[[max(which(error <= min(error) * (1 + 1e-9)))]]
    stopped <- fit(stop = "validation", foldid = fold)
    expect_identical(nrow(rounds(stopped)), last)
    expect_equal(predict(stopped, x, "link"), predict(best, x, "link"), tolerance = 1e-6)
    expect_identical(certificate(stopped)$status, "optimal")
  }
  moved <- function() {
    with_stream(1, {
      before <- .Random.seed
      fit <- zeronorm(data$x, data$y, fsv(0.1, stop = "validation"))
      list(coef(fit), !identical(before, .Random.seed))
    })
  }
  expect_true(moved()[[2]])
  expect_identical(moved(), moved())
  expect_zeronorm_error(fsv(0.1, nonzero = 3, stop = "validation"), "stop", "nonzero")
  expect_zeronorm_error(multiplicative_update(stop = "never"), "stop")
})

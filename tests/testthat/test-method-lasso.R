# Reference of lasso: glmnet in the Lagrangian form, quadprog on split variables in the constrained one.
# Reference of generalized_lasso: glmnet in the Lagrangian form; for s the conditions of optimality, by hand.

numbers <- function(n, d, seed = 1, noise = 1) {
  data <- planted(n, d, seed = seed)
  data$y <- with_stream(seed + 100, as.vector(3 + 2 * data$x[, 1] - data$x[, 2] + noise * rnorm(n)))
  data
}

signs <- function(y) ifelse(y == "up", 1, -1)

squared_cost <- function(x, y, u, lambda, weights = 1) {
  sum(weights * (y - u[1] - as.vector(x %*% u[-1]))^2) / 2 + lambda * sum(abs(u[-1]))
}

logistic_cost <- function(x, y, u, lambda, weights = 1) {
  sum(weights * log1p(exp(-y * (u[1] + as.vector(x %*% u[-1]))))) + lambda * sum(abs(u[-1]))
}

test_that("the Lagrangian form is glmnet's", {
  skip_if_not_installed("glmnet")
  for (size in list(c(40, 8), c(30, 60))) {
    data <- numbers(size[1], size[2])
    n <- size[1]
    weights <- with_stream(2, sample(1:3, n, TRUE))
    lambda <- c(40, 10, 1)
    fit <- zeronorm(data$x, data$y, lasso(lambda = lambda), standardize = FALSE, weights = weights)
    peer <- glmnet::glmnet(data$x, data$y, weights = weights, lambda = lambda / sum(weights),
                           standardize = FALSE, thresh = 1e-18, maxit = 1e7)
    for (k in 1:3) {
      ours <- coef(fit, index = k)
      theirs <- as.vector(coef(peer)[, k])
      value <- squared_cost(data$x, data$y, ours, lambda[k], weights)
      expect_equal(certificate(fit)$primal[k], value, tolerance = 1e-12)
      expect_equal(value, squared_cost(data$x, data$y, theirs, lambda[k], weights), tolerance = 1e-9)
      expect_equal(unname(ours), theirs, tolerance = 1e-6)
      expect_lte(certificate(fit)$gap[k], 1e-9)
    }
    classes <- planted(size[1], size[2], noise = 1)
    y <- signs(classes$y)
    lambda <- c(5, 2, 0.5)
    fit <- zeronorm(classes$x, classes$y, generalized_lasso(lambda = lambda), standardize = FALSE)
    peer <- glmnet::glmnet(classes$x, classes$y, family = "binomial", lambda = lambda / n,
                           standardize = FALSE,
                           thresh = 1e-18, maxit = 1e7)
    for (k in 1:3) {
      ours <- coef(fit, index = k)
      theirs <- as.vector(coef(peer)[, k])
      value <- logistic_cost(classes$x, y, ours, lambda[k])
      expect_equal(certificate(fit)$primal[k], value, tolerance = 1e-12)
      expect_equal(value, logistic_cost(classes$x, y, theirs, lambda[k]), tolerance = 1e-9)
      expect_equal(unname(ours), theirs, tolerance = 1e-6)
    }
  }
})

test_that("the constrained form is a quadratic programme's", {
  skip_if_not_installed("quadprog")
  for (intercept in c(TRUE, FALSE)) {
    data <- numbers(30, 6)
    s <- c(0.3, 1, 2.5)
    fit <- zeronorm(data$x, data$y, lasso(s = s), standardize = FALSE, intercept = intercept)
    for (k in 1:3) {
      split <- cbind(data$x, -data$x, if (intercept) 1)
      p <- ncol(split)
      bounds <- rbind(cbind(diag(12), if (intercept) 0), -c(rep(1, 12), if (intercept) 0))
      exact <- quadprog::solve.QP(crossprod(split) + 1e-9 * diag(p), crossprod(split, data$y), t(bounds),
                                  c(rep(0, 12), -s[k]))$solution
      w <- exact[1:6] - exact[7:12]
      expect_equal(unname(coef(fit, index = k)[-1]), w, tolerance = 1e-6)
      if (intercept) expect_equal(coef(fit, index = k)[[1]], exact[13], tolerance = 1e-6)
    }
    expect_equal(colSums(feature_importance(fit)), s, tolerance = 1e-9, ignore_attr = TRUE)
    expect_true(all(certificate(fit)$gap <= 1e-9))
  }
})

test_that("s meets the norm and the multiplier is the price of the other form", {
  for (data in list(planted(40, 10, noise = 1), planted(30, 200, noise = 1))) {
    fit <- zeronorm(data$x, data$y, generalized_lasso(s = c(2, 0.5, 1)))
    table <- certificate(fit)
    expect_equal(colSums(feature_importance(fit)), table$s, tolerance = 1e-8, ignore_attr = TRUE)
    expect_true(all(table$gap <= 1e-9))
    same <- zeronorm(data$x, data$y, generalized_lasso(lambda = table$lambda[3]))
    expect_equal(coef(same), coef(fit, s = 1), tolerance = 1e-7)
    # By hand: slopes of the loss are lambda on what is selected, and at most that elsewhere.
    x <- scale(data$x)
    y <- signs(data$y)
    f <- predict(fit, data$x, "link", s = 1)
    slopes <- as.vector(crossprod(x, y / (1 + exp(y * f))))
    weights <- coef(fit, s = 1)[-1]
    used <- weights != 0
    expect_equal(slopes[used], table$lambda[3] * unname(sign(weights[used])), tolerance = 1e-7)
    expect_true(all(abs(slopes) <= table$lambda[3] * (1 + 1e-8)))
    expect_equal(sum(y / (1 + exp(y * f))), 0, tolerance = 1e-8)
  }
})

test_that("a bound that does not bind leaves the minimum of the loss", {
  data <- numbers(40, 5)
  free <- stats::lm.fit(cbind(1, data$x), data$y)$coefficients
  fit <- zeronorm(data$x, data$y, lasso(s = 100))
  expect_equal(coef(fit), free, tolerance = 1e-8, ignore_attr = TRUE)
  expect_lte(certificate(fit)$gap, 1e-9)
  # More features than observations: nothing is left of the loss.
  wide <- numbers(20, 50)
  fit <- zeronorm(wide$x, wide$y, lasso(s = 1e4), task = "regression")
  expect_lte(certificate(fit)$primal, 1e-8)
  expect_lte(certificate(fit)$gap, 1e-6)
  nothing <- zeronorm(data$x, data$y, lasso(s = 0))
  expect_identical(certificate(nothing)$nonzero, 0L)
  expect_equal(coef(nothing)[[1]], mean(data$y))
  # Overlapping classes have a logistic optimum, others none.
  classes <- planted(60, 3, noise = 4)
  y <- signs(classes$y)
  exact <- stats::glm.fit(cbind(1, classes$x), y > 0, family = stats::binomial(),
                          control = list(epsilon = 1e-14))$coefficients
  fit <- zeronorm(classes$x, classes$y, generalized_lasso(s = 1e3))
  expect_equal(unname(coef(fit)), unname(exact), tolerance = 1e-7)
  apart <- separated(30, 5)
  expect_equal(sum(feature_importance(zeronorm(apart$x, apart$y, generalized_lasso(s = 20)))), 20, tolerance = 1e-8)
  expect_zeronorm_error(zeronorm(apart$x, apart$y, generalized_lasso(lambda = 0)), "method", "no minimum")
})

test_that("equal columns, costs, free columns and sparse x", {
  data <- numbers(30, 6)
  x <- cbind(data$x, again = data$x[, 1], constant = 2)
  twice <- zeronorm(x, data$y, lasso(s = 1))
  once <- zeronorm(data$x, data$y, lasso(s = 1))
  expect_equal(predict(twice, x), predict(once, data$x), tolerance = 1e-8)
  expect_equal(sum(feature_importance(twice)), 1, tolerance = 1e-8)
  costs <- c(1, 2, 1, 1, 3, 1)
  priced <- zeronorm(data$x, data$y, lasso(s = 2, costs = costs), standardize = FALSE)
  expect_equal(sum(costs * abs(coef(priced)[-1])), 2, tolerance = 1e-9)
  scaled <- zeronorm(sweep(data$x, 2, costs, "/"), data$y, lasso(s = 2), standardize = FALSE)
  expect_equal(predict(scaled, sweep(data$x, 2, costs, "/")), predict(priced, data$x), tolerance = 1e-7)
  free <- zeronorm(data$x, data$y, lasso(s = 0.5), unpenalized = "g1", standardize = FALSE)
  expect_equal(sum(abs(coef(free)[-(1:2)])), 0.5, tolerance = 1e-9)
  residual <- data$y - predict(free, data$x)
  expect_equal(sum(residual * data$x[, 1]), 0, tolerance = 1e-7)
  sparse <- zeronorm(as(data$x, "dgCMatrix"), data$y, lasso(s = 1))
  expect_equal(coef(sparse), coef(once), tolerance = 1e-8)
})

test_that("several classes and labels are learned each against the rest", {
  clouds <- three_clouds(45, 6)
  fit <- zeronorm(clouds$x, clouds$y, generalized_lasso(s = 1))
  alone <- zeronorm(clouds$x, clouds$y == "b", generalized_lasso(s = 1))
  expect_equal(coef(fit)$b, coef(alone), tolerance = 1e-10)
  expect_gt(mean(predict(fit, clouds$x) == clouds$y), 0.9)
  expect_gt(nrow(certificate(zeronorm(clouds$x, clouds$y, lasso()))), 5)
})

test_that("without values the path goes down from the empty model", {
  data <- numbers(40, 20)
  fit <- zeronorm(data$x, data$y, lasso())
  table <- certificate(fit)
  expect_identical(nrow(table), 30L)
  expect_lte(table$nonzero[1], 1L)
  x <- scale(data$x)
  expect_equal(table$lambda[1], max(abs(crossprod(x, data$y - mean(data$y)))), tolerance = 1e-10)
  expect_gt(table$nonzero[30], 2)
})

test_that("validation keeps the best iterate on the rows held out", {
  data <- numbers(60, 30)
  fold <- rep(1:3, 20)
  lambda <- c(80, 30, 10, 3, 1)
  for (loss in c("squared", "logistic")) {
    y <- if (loss == "squared") data$y else factor(data$y > 3)
    make <- if (loss == "squared") lasso else generalized_lasso
    fit <- zeronorm(data$x, y, make(lambda = lambda, stop = "validation"), foldid = fold)
    path <- zeronorm(data$x[fold > 1, ], y[fold > 1], make(lambda = lambda))
    f <- predict(path, data$x[fold == 1, ], "link")
    target <- if (loss == "squared") y[fold == 1] else ifelse(y[fold == 1] == "TRUE", 1, -1)
    judged <- colMeans(if (loss == "squared") (target - f)^2 else log1p(exp(-target * f)))
    expect_identical(certificate(fit)$lambda, lambda[which.min(judged)])
    expect_equal(coef(fit), coef(path, index = which.min(judged)), tolerance = 1e-8)
  }
  draw <- function() {
    with_stream(3, {
      before <- .Random.seed
      fit <- zeronorm(data$x, data$y, lasso(stop = "validation"))
      list(coef(fit), moved = !identical(before, .Random.seed))
    })
  }
  expect_true(draw()$moved)
  expect_identical(draw(), draw())
})

test_that("a path of l1 machines is validated by its slacks", {
  data <- planted(60, 30, noise = 2)
  fold <- rep(1:3, 20)
  C <- c(0.02, 0.1, 0.5, 5)
  fit <- zeronorm(data$x, data$y, l1_svm(C, stop = "validation"), foldid = fold)
  path <- zeronorm(data$x[fold > 1, ], data$y[fold > 1], l1_svm(C))
  f <- predict(path, data$x[fold == 1, ], "link")
  slack <- colMeans(pmax(1 - signs(data$y[fold == 1]) * f, 0))
  expect_identical(certificate(fit)$C, C[which.min(slack)])
  expect_equal(coef(fit), coef(path, index = which.min(slack)), tolerance = 1e-6)
  expect_zeronorm_error(l1_svm(c(1, Inf), stop = "validation"), "stop", "hard margin")
})

test_that("wrong arguments are refused", {
  expect_zeronorm_error(lasso(s = 1, lambda = 1), "lambda", "together")
  expect_zeronorm_error(lasso(s = -1), "s")
  expect_zeronorm_error(lasso(stop = "early"), "stop")
  expect_zeronorm_error(generalized_lasso(lambda = NA), "lambda")
})

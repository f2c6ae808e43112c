sign_of <- function(y) ifelse(y == levels(y)[2], 1, -1)

objective <- function(loss, x, y, w, b, lambda) {
  f <- as.vector(x %*% w) + b
  each <- switch(loss, logistic = log1p(exp(-y * f)), squared = (y - f)^2 / 2)
  sum(each) + lambda * sum(w^2)
}

# h_jj w_j^2 / 2 with the second derivative by finite differences.
saliency <- function(loss, x, y, w, b, lambda, step = 1e-3) {
  vapply(seq_along(w), function(j) {
    value <- function(h) objective(loss, x, y, replace(w, j, w[j] + h), b, lambda)
    w[j]^2 / 2 * (value(step) - 2 * value(0) + value(-step)) / step^2
  }, 0)
}

train <- function(loss, x, y, lambda) {
  f <- function(u) objective(loss, x, y, u[-1], u[1], lambda)
  g <- function(u) {
    f <- as.vector(x %*% u[-1]) + u[1]
    push <- switch(loss, logistic = -y / (1 + exp(y * f)), squared = f - y)
    c(sum(push), crossprod(x, push) + 2 * lambda * u[-1])
  }
  u <- stats::optim(numeric(ncol(x) + 1), f, g, method = "BFGS",
                    control = list(reltol = 1e-15, maxit = 1000))$par
  list(w = u[-1], b = u[1])
}

# Reference of obd: second derivatives by finite differences of the objective that optim() minimises.
test_that("features of least saliency go", {
  for (loss in c("logistic", "squared")) for (lambda in c(0.05, 3)) {
    data <- planted(40, 8, noise = 1, seed = 2)
    # Columns of unlike scale, so that saliencies and weights disagree.
    x <- sweep(scale(data$x), 2, c(1, 1, 0.2, 3, 0.5, 2, 1, 0.1), "*")
    y <- sign_of(data$y)
    present <- 1:8
    dropped <- integer()
    while (length(present) > 1) {
      machine <- train(loss, x[, present, drop = FALSE], y, lambda)
      worth <- saliency(loss, x[, present, drop = FALSE], y, machine$w, machine$b, lambda)
      dropped <- c(present[which.min(worth)], dropped)
      present <- present[-which.min(worth)]
    }
    fit <- zeronorm(x, data$y, obd(nonzero = 1, step = 1, loss = loss, lambda = lambda), standardize = FALSE)
    expect_identical(feature_ranking(fit), colnames(x)[c(present, dropped)])
    expect_identical(certificate(fit)$kind, "gap")
    rfe <- zeronorm(x, data$y, logistic_rfe(lambda, 1, step = 1), standardize = FALSE)
    expect_false(identical(feature_ranking(rfe), feature_ranking(fit)))
  }
})

test_that("the hinge loss makes it recursive feature elimination", {
  data <- planted(40, 12, noise = 1)
  for (lambda in c(0.05, 1)) {
    fit <- zeronorm(data$x, data$y, obd(nonzero = c(5, 2), step = 1, loss = "hinge", lambda = lambda))
    rfe <- zeronorm(data$x, data$y,
                    svm_rfe(nonzero = c(5, 2), step = 1, C = 1 / (2 * lambda), refit = "none"))
    expect_identical(feature_ranking(fit), feature_ranking(rfe))
    expect_equal(as.matrix(coef(fit)), as.matrix(coef(rfe)), tolerance = 1e-6)
  }
})

test_that("regression, several classes, refits and forced features", {
  data <- planted(40, 8)
  y <- data$x[, 1] - 2 * data$x[, 2] + 0.3 * with_stream(3, rnorm(40))
  fit <- suppressMessages(zeronorm(data$x, y, obd(nonzero = 2, loss = "squared")))
  expect_setequal(selected(fit), c("g1", "g2"))
  clouds <- three_clouds(45, 8)
  for (hidden in c(0, 2)) {
    fit <- with_stream(1, zeronorm(clouds$x, clouds$y, obd(hidden, nonzero = 2, step = 1)))
    expect_setequal(selected(fit), c("g1", "g2"))
  }
  forced <- zeronorm(data$x, data$y, obd(nonzero = 3, refit = "l2"), keep = "g5", unpenalized = "g6")
  expect_true(all(c("g5", "g6") %in% in_model(forced)))
  expect_zeronorm_error(zeronorm(data$x, y, obd(nonzero = 2)), "y", "regression")
  expect_zeronorm_error(obd(hidden = 2, loss = "hinge"), "loss")
  expect_zeronorm_error(obd(hidden = -1), "hidden")
  expect_identical(format(obd(hidden = 0)), "obd()")
})

test_that("a network finds what no linear machine does, and repeats with the seed", {
  x <- with_stream(1, matrix(rnorm(120 * 8), 120))
  y <- x[, 3] * x[, 6] > 0
  for (hessian in c("exact", "gauss_newton")) {
    find <- function(seed) {
      with_stream(seed, {
        feature_ranking(zeronorm(x, y, obd(hidden = 4, nonzero = 2, step = 1, hessian = hessian)))
      })
    }
    expect_setequal(find(1)[1:2], c(3, 6))
    expect_identical(find(1), find(1))
  }
  fit <- with_stream(1, zeronorm(x, y, obd(hidden = 4, nonzero = c(4, 2), step = 1)))
  expect_identical(certificate(fit)$kind, rep("stationarity", 2))
  expect_identical(certificate(fit)$errors, vapply(1:2, function(k) sum(predict(fit, x, index = k) != y), 0L))
  expect_lte(certificate(fit)$errors[2], 6L)
  expect_identical(names(feature_importance(fit, index = 2))[1:2], as.character(selected(fit, index = 2)))
  expect_zeronorm_error(coef(fit), "object", "network")
  svm <- with_stream(1, zeronorm(x, y, obd(hidden = 4, nonzero = 2, step = 1, refit = "l2", refit_C = 1)))
  expect_equal(coef(svm)[c(1, 4, 7)], coef(zeronorm(x[, c(3, 6)], y, l2_svm(C = 1))), ignore_attr = TRUE,
               tolerance = 1e-6)
  weights <- rep(c(1, 2, 0), 40)
  rows <- rep(1:120, weights)
  weighted <- with_stream(2, zeronorm(x, y, obd(hidden = 3, nonzero = 2), weights = weights))
  repeated <- with_stream(2, zeronorm(x[rows, ], y[rows], obd(hidden = 3, nonzero = 2)))
  expect_equal(rounds(weighted)$objective, rounds(repeated)$objective, tolerance = 1e-5)
  # In the user's units: the objective at the network's own values, outside the core.
  z <- sweep(x, 2, 10^(1:8), "*") + 5
  for (task in c("classes", "numbers", "three")) {
    target <- switch(task, classes = y, numbers = x[, 3] * x[, 6],
                     three = factor(1 + (x[, 3] > 0) + (x[, 6] > 0)))
    method <- obd(hidden = 3, nonzero = 3, lambda = 0.2,
                  loss = if (task == "numbers") "squared" else "logistic")
    fit <- suppressMessages(with_stream(3, zeronorm(z, target, method)))
    net <- fit$networks[[1]]
    expect_length(net$columns, 3)
    w <- net$W * apply(z, 2, stats::sd)[net$columns]
    f <- predict(fit, z, "link")
    signs <- if (task == "three") outer(as.integer(target), 1:3, function(a, b) 2 * (a == b) - 1)
             else if (task == "classes") 2 * target - 1
    loss <- if (task == "numbers") sum((target - f)^2) / 2 else sum(log1p(exp(-signs * f)))
    expect_equal(certificate(fit)$primal, loss + 0.2 * (sum(w^2) + sum(net$V^2)), tolerance = 1e-8)
    expect_lte(certificate(fit)$gap, 1e-6)
  }
})

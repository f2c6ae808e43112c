sign_of <- function(y) ifelse(y == levels(y)[2], 1, -1)

mean_loss <- function(loss, y, f, weights = rep(1, length(y))) {
  each <- switch(loss, logistic = pmax(-y * f, 0) + log1p(exp(-abs(f))), squared = (y - f)^2 / 2,
                 squared_hinge = pmax(0, 1 - y * f)^2 / 2)
  sum(weights * each) / sum(weights)
}

slopes <- function(loss, x, y, f) {
  push <- switch(loss, logistic = -y / (1 + exp(y * f)), squared = f - y,
                 squared_hinge = -y * pmax(0, 1 - y * f))
  colMeans(push * x)
}

# The method written down: optim() on the working set, each weight split into its positive and negative part.
grafted <- function(x, y, l1, l2 = 0, l0 = 0, loss = "logistic") {
  train <- function(set) {
    z <- cbind(1, x[, set, drop = FALSE])
    k <- length(set)
    objective <- function(u) {
      w <- u[seq_len(k)] - u[k + seq_len(k)]
      mean_loss(loss, y, as.vector(z %*% c(u[2 * k + 1], w))) + l1 * sum(u[seq_len(2 * k)]) + l2 * sum(w^2)
    }
    gradient <- function(u) {
      w <- u[seq_len(k)] - u[k + seq_len(k)]
      g <- slopes(loss, z, y, as.vector(z %*% c(u[2 * k + 1], w)))
      c(g[-1] + l1 + 2 * l2 * w, -g[-1] + l1 - 2 * l2 * w, g[1])
    }
    found <- stats::optim(rep(0, 2 * k + 1), objective, gradient, method = "L-BFGS-B",
                          lower = c(rep(0, 2 * k), -Inf),
                          control = list(factr = 1, pgtol = 1e-12, maxit = 5000))
    u <- found$par
    w <- replace(numeric(ncol(x)), set, u[seq_len(k)] - u[k + seq_len(k)])
    list(w = w, b = u[2 * k + 1], value = found$value)
  }
  set <- integer()
  now <- train(set)
  repeat {
    slope <- replace(abs(slopes(loss, x, y, as.vector(x %*% now$w) + now$b)), set, 0)
    j <- which.max(slope)
    if (slope[j] <= l1 + 1e-7) break
    more <- train(c(set, j))
    if (l0 > 0 && more$value + l0 >= now$value) break
    set <- c(set, j)
    now <- more
  }
  c(now, list(set = set))
}

# Reference of grafting: glmnet for the global minimum, optim() on ever larger working sets.
test_that("without a price of features the end is that of the generalised LASSO", {
  skip_if_not_installed("glmnet")
  for (data in list(planted(60, 20, noise = 1), planted(30, 50, noise = 1))) {
    x <- scale(data$x)
    y <- sign_of(data$y)
    path <- c(0.2, 0.1, 0.03)
    fit <- zeronorm(x, data$y, grafting(path), standardize = FALSE)
    expect_identical(certificate(fit)$kind, rep("gap", 3))
    expect_lte(max(certificate(fit)$gap), 1e-9)
    squared <- suppressMessages(zeronorm(x, y + 0.1, grafting(path, loss = "squared"), standardize = FALSE))
    for (k in 1:3) {
      g <- glmnet::glmnet(x, data$y, "binomial", lambda = path[k], standardize = FALSE, thresh = 1e-14)
      exact <- as.vector(stats::coef(g))
      expect_equal(unname(coef(fit, index = k)), exact, tolerance = 1e-6)
      value <- mean_loss("logistic", y, x %*% exact[-1] + exact[1]) + path[k] * sum(abs(exact[-1]))
      expect_equal(certificate(fit)$primal[k], value, tolerance = 1e-9)
      g <- glmnet::glmnet(x, y + 0.1, lambda = path[k], standardize = FALSE, thresh = 1e-16)
      expect_equal(unname(coef(squared, index = k)), as.vector(stats::coef(g)), tolerance = 1e-6)
    }
    same <- zeronorm(x, data$y, generalized_lasso(lambda = nrow(x) * path[2]), standardize = FALSE)
    expect_equal(coef(fit, index = 2), coef(same), tolerance = 1e-6)
    # The elastic net of glmnet: lambda (1 - alpha) / 2 is our lambda2.
    net <- zeronorm(x, data$y, grafting(0.06, lambda2 = 0.02), standardize = FALSE)
    g <- glmnet::glmnet(x, data$y, "binomial", lambda = 0.1, alpha = 0.6, standardize = FALSE, thresh = 1e-14)
    expect_equal(unname(coef(net)), as.vector(stats::coef(g)), tolerance = 1e-6)
  }
})

test_that("features join by the steepest slope", {
  data <- planted(50, 15, noise = 1)
  x <- scale(data$x)
  y <- sign_of(data$y)
  for (loss in c("logistic", "squared", "squared_hinge")) for (l2 in c(0, 0.05)) {
    exact <- grafted(x, y, 0.08, l2, loss = loss)
    fit <- zeronorm(x, data$y, grafting(0.08, l2, loss = loss), standardize = FALSE)
    expect_equal(unname(coef(fit)), c(exact$b, exact$w), tolerance = 1e-5)
    expect_identical(nrow(rounds(fit)), length(exact$set) + 1L)
    expect_equal(certificate(fit)$primal, exact$value, tolerance = 1e-9)
    expect_true(all(diff(rounds(fit)$objective) <= 1e-12))
  }
})

test_that("a feature has to be worth its price", {
  for (seed in 1:4) for (l0 in c(0.003, 0.01, 0.03, 1)) {
    data <- planted(50, 15, noise = 1, seed = seed)
    x <- scale(data$x)
    exact <- grafted(x, sign_of(data$y), 0.02, l0 = l0)
    fit <- zeronorm(x, data$y, grafting(0.02, lambda0 = l0), standardize = FALSE)
    expect_setequal(selected(fit), colnames(x)[exact$set])
    expect_equal(unname(coef(fit)), c(exact$b, exact$w), tolerance = 1e-5)
    expect_identical(nrow(rounds(fit)), length(exact$set) + 1L)
    expect_equal(tail(rounds(fit)$objective, 1), exact$value + l0 * length(exact$set), tolerance = 1e-8)
    expect_identical(certificate(fit)$kind, "stationarity")
  }
  path <- zeronorm(x, data$y, grafting(c(0.05, 0), 0.01, 0.02), standardize = FALSE)
  expect_identical(certificate(path)$status, c("optimal", "optimal"))
})

test_that("the l2 norm may stand without its square", {
  for (seed in 1:3) {
    data <- planted(50, 10, noise = 1, seed = seed)
    x <- scale(data$x)
    y <- sign_of(data$y)
    fit <- zeronorm(x, data$y, grafting(0.02, 0.1, l2 = "norm"), standardize = FALSE)
    w <- coef(fit)[-1]
    f <- predict(fit, x, "link")
    value <- mean_loss("logistic", y, f) + 0.1 * sqrt(sum(w^2)) + 0.02 * sum(abs(w))
    expect_equal(tail(rounds(fit)$objective, 1), value, tolerance = 1e-9)
    # Stationary: slopes and subgradients balance.
    g <- -slopes("logistic", x, y, f) - 0.1 * w / sqrt(sum(w^2))
    expect_equal(unname(g[w != 0]), unname(0.02 * sign(w[w != 0])), tolerance = 1e-6)
    expect_lte(max(abs(g)), 0.02 + 1e-7)
    expect_lte(abs(slopes("logistic", matrix(1, 50), y, f)), 1e-8)
  }
  # The first feature has to exceed both prices.
  steepest <- max(abs(slopes("logistic", x, y, rep(0, 50))))
  size <- function(l2) certificate(zeronorm(x, data$y, grafting(0.02, l2, l2 = "norm")))$nonzero
  expect_identical(zeronorm(x, data$y, grafting(0.02, steepest, l2 = "norm"))$certificate$nonzero, 0L)
  expect_gte(size(0.9 * steepest - 0.02), 1L)
})

test_that("several classes have weights of their own, and features of all", {
  clouds <- three_clouds(60, 8, shift = 1)
  fit <- zeronorm(clouds$x, clouds$y, grafting(0.05))
  expect_identical(certificate(fit)$kind, "gap")
  expect_lte(certificate(fit)$gap, 1e-8)
  for (k in 1:3) {
    alone <- zeronorm(clouds$x, clouds$y == levels(clouds$y)[k], grafting(0.05))
    expect_equal(coef(fit)[[k]], coef(alone), tolerance = 1e-6)
  }
})

test_that("weights count rows, features can be forced, sparse equals dense", {
  data <- planted(40, 10, noise = 1)
  weights <- with_stream(2, sample(0:3, 40, TRUE))
  rows <- rep(1:40, weights)
  method <- grafting(c(0.2, 0.05), 0.01, 0.001)
  expect_equal(coef(zeronorm(data$x, data$y, method, weights = weights)),
               coef(zeronorm(data$x[rows, ], data$y[rows], method)), tolerance = 1e-6)
  forced <- zeronorm(data$x, data$y, grafting(0.3), unpenalized = "g7", keep = "g8")
  expect_setequal(in_model(forced), c("g7", "g8"))
  glm <- stats::glm((sign_of(data$y) + 1) / 2 ~ data$x[, c("g7", "g8")], family = stats::binomial())
  expect_equal(unname(coef(forced)[c("(Intercept)", "g7", "g8")]), unname(stats::coef(glm)), tolerance = 1e-6)
  x <- data$x * (abs(data$x) > 0.7)
  for (intercept in c(TRUE, FALSE)) {
    dense <- zeronorm(x, data$y, method, intercept = intercept)
    sparse <- zeronorm(as(x, "dgCMatrix"), data$y, method, intercept = intercept)
    expect_equal(coef(sparse), coef(dense), tolerance = 1e-6)
  }
})

test_that("prices outside their range are refused by name", {
  expect_zeronorm_error(grafting(), "lambda1", "missing")
  expect_zeronorm_error(grafting(-1), "lambda1")
  expect_zeronorm_error(grafting(1, lambda0 = c(1, 2)), "lambda0")
  expect_zeronorm_error(grafting(1, loss = "hinge"), "loss")
  clouds <- three_clouds()
  expect_zeronorm_error(zeronorm(clouds$x, clouds$y, grafting(1, 1, l2 = "norm")), "y", "3 classes")
})

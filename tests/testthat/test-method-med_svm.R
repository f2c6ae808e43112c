# Reference of med_svm: the definition, maximised by stats::optim over lambda; one feature in closed form;
# finite differences.

med_value <- function(lambda, x, y, p0, C, weights = rep(1, length(y))) {
  W <- as.vector(crossprod(x, weights * lambda * y))
  sum(weights * (lambda + log(1 - lambda / C))) - sum(log(1 - p0 + p0 * exp(W^2 / 2)))
}

# Posterior means times features.
med_link <- function(fit, x, lambda, y, p0, weights = rep(1, length(y))) {
  W <- as.vector(crossprod(x, weights * lambda * y))
  as.vector(x %*% (W / (1 + (1 - p0) / p0 * exp(-W^2 / 2))))
}

test_that("two observations of one feature by hand", {
  # x = +-1 without intercept: both multipliers are equal, W = 2 lambda, and the derivative of the definition,
  # 2 - 2 / (C - lambda) - 2 p W, is zero.
  for (p0 in c(1, 0.3, 0.01)) {
    C <- 4
    posterior <- function(W) 1 / (1 + (1 - p0) / p0 * exp(-W^2 / 2))
    slope <- function(l) 1 - 1 / (C - l) - posterior(2 * l) * 2 * l
    lambda <- stats::uniroot(slope, c(0, C - 1), tol = 1e-14)$root
    fit <- zeronorm(cbind(g = c(1, -1)), c(1, -1), med_svm(p0, C), standardize = FALSE, intercept = FALSE)
    expect_equal(coef(fit)[["g"]], posterior(2 * lambda) * 2 * lambda, tolerance = 1e-8)
    expect_equal(feature_importance(fit)[["g"]], posterior(2 * lambda), tolerance = 1e-8)
    expect_equal(certificate(fit)$primal, med_value(rep(lambda, 2), cbind(c(1, -1)), c(1, -1), p0, C),
                 tolerance = 1e-9)
  }
  # p0 = 1: lambda solves a quadratic equation, 2 l (4 - l) = 3 - l.
  lambda <- (9 - sqrt(81 - 24)) / 4
  fit <- zeronorm(cbind(g = c(1, -1)), c(1, -1), med_svm(1, 4), standardize = FALSE, intercept = FALSE)
  expect_equal(coef(fit)[["g"]], 2 * lambda, tolerance = 1e-10)
})

test_that("it maximises the definition", {
  data <- planted(24, 4, noise = 1)
  x <- scale(data$x)
  y <- ifelse(data$y == "up", 1, -1)
  weights <- rep(1:2, 12)
  for (p0 in c(0.9, 0.05)) {
    found <- stats::optim(rep(0.1, 24), function(l) -med_value(l, data$x, y, p0, 3, weights),
                          method = "L-BFGS-B",
                          lower = 0, upper = 3 - 1e-6, control = list(factr = 1, maxit = 10000))
    fit <- zeronorm(data$x, data$y, med_svm(p0, 3), standardize = FALSE, intercept = FALSE, weights = weights)
    expect_lte(certificate(fit)$gap, 1e-9)
    expect_gte(certificate(fit)$dual, -found$value - 1e-9)
    expect_equal(certificate(fit)$dual, -found$value, tolerance = 1e-6)
    expect_equal(as.vector(predict(fit, data$x, "link")), med_link(fit, data$x, found$par, y, p0, weights),
                 tolerance = 1e-3)
  }
  # With an intercept the multipliers of the classes balance; W by hand from the decision values.
  fit <- zeronorm(data$x, data$y, med_svm(0.05, 3))
  margin <- y * predict(fit, data$x, "link")
  lambda <- pmax(0, 3 - 1 / (1 - pmin(margin, 1 - 1e-12)))
  expect_equal(sum(lambda * y), 0, tolerance = 1e-7)
  W <- as.vector(crossprod(x, lambda * y))
  posterior <- 1 / (1 + 19 * exp(-W^2 / 2))
  expect_equal(feature_importance(fit)[colnames(x)], posterior, tolerance = 1e-7, ignore_attr = TRUE)
  expect_equal(unname(coef(fit)[-1] * attr(x, "scaled:scale")), posterior * W, tolerance = 1e-7)
  expect_equal(certificate(fit)$primal, med_value(lambda, x, y, 0.05, 3), tolerance = 1e-8)
  # The gradient of the definition by finite differences is b y on the multipliers within their bounds.
  inside <- which(lambda > 0.05)
  b <- coef(fit)[[1]] + sum(coef(fit)[-1] * attr(x, "scaled:center"))
  h <- 1e-5
  gradient <- vapply(inside, function(i) {
    (med_value(replace(lambda, i, lambda[i] + h), x, y, 0.05, 3) -
       med_value(replace(lambda, i, lambda[i] - h), x, y, 0.05, 3)) / (2 * h)
  }, 0)
  expect_equal(gradient, b * y[inside], tolerance = 1e-6)
})

test_that("features of large W are kept, and small priors switch the others off", {
  data <- planted(60, 200, noise = 0.5)
  fit <- zeronorm(data$x, data$y, med_svm(p0 = c(0.5, 0.01)))
  expect_true(all(certificate(fit)$gap <= 1e-8))
  expect_setequal(selected(fit, index = 2)[1:2], c("g1", "g2"))
  expect_lt(mean(feature_importance(fit)[, 2]), mean(feature_importance(fit)[, 1]))
  two <- zeronorm(data$x, data$y, med_svm(0.01, nonzero = c(10, 2), refit_C = 1))
  expect_setequal(selected(two, nonzero = 2), c("g1", "g2"))
  expect_identical(feature_ranking(two)[1:10], feature_ranking(two)[order(match(feature_ranking(two),
                                                                selected(fit, index = 2)))][1:10])
  machine <- zeronorm(data$x[, c("g1", "g2")], data$y, l2_svm(1))
  expect_equal(predict(two, data$x, "link", nonzero = 2), predict(machine, data$x, "link"), tolerance = 1e-6)
  forced <- zeronorm(data$x, data$y, med_svm(0.01, nonzero = 3), keep = "g9", unpenalized = "g7")
  expect_true(all(c("g9", "g7") %in% in_model(forced)))
  kept <- zeronorm(data$x, data$y, med_svm(0.01), keep = "g9")
  expect_identical(feature_importance(kept)[["g9"]], 1)
})

test_that("tiny priors and large C are solved as well", {
  for (size in list(c(40, 6), c(30, 100))) {
    data <- planted(size[1], size[2], noise = 2)
    for (p0 in c(1e-8, 1)) for (C in c(1.01, 1e4)) {
      fit <- zeronorm(data$x, data$y, med_svm(p0, C))
      expect_identical(certificate(fit)$status, "optimal")
      expect_lte(certificate(fit)$gap, 1e-7)
    }
  }
  expect_zeronorm_error(med_svm(C = 1), "C")
  expect_zeronorm_error(med_svm(p0 = 0), "p0")
  expect_zeronorm_error(med_svm(p0 = 1.5), "p0")
})

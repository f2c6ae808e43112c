# y = 3 x1 - 2 x2 + x3 - 2 x4 + 3 x5 + 1, exactly or with noise.
planted_line <- function(n = 40, d = 60, noise = 0, seed = 5) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    w <- c(3, -2, 1, -2, 3)
    list(x = x, w = w, y = drop(x[, 1:5] %*% w) + 1 + noise * rnorm(n))
  })
}

test_that("regression recovers a planted support of five", {
  found <- vapply(1:10, function(seed) {
    data <- planted_line(seed = seed)
    fit <- zeronorm(data$x, data$y, arom("l2", epsilon = 0.01), task = "regression")
    setequal(selected(fit), paste0("g", 1:5))
  }, NA)
  expect_gte(sum(found), 9)
  for (method in list(arom("l1", epsilon = 0.01), arom("l2", epsilon = 0.01, nonzero = 5),
                      arom("l1", epsilon = 0.01, nonzero = 5), arom("l2-l1", epsilon = 0.01),
                      arom("l2", epsilon = 0.01, errors = "l2", lambda = 10))) {
    data <- planted_line()
    fit <- zeronorm(data$x, data$y, method, task = "regression")
    expect_setequal(selected(fit), paste0("g", 1:5))
    expect_equal(unname(coef(fit)[2:6]), data$w, tolerance = 0.05)
    expect_lte(max(abs(predict(fit, data$x) - data$y)), 0.2)
  }
})

test_that("the tube is kept and counted", {
  data <- planted_line(noise = 0.5)
  fit <- zeronorm(data$x, data$y, arom("l2", epsilon = 0.2), task = "regression",
                  control = zeronorm_control(max_rounds = 1000))
  expect_lte(max(abs(predict(fit, data$x) - data$y)), 0.2 + 1e-6)
  expect_identical(certificate(fit)$errors, 0L)
  soft <- zeronorm(data$x, data$y, arom("l2", epsilon = 0.2, errors = "l2", nonzero = 8), task = "regression")
  residuals <- abs(predict(soft, data$x) - data$y)
  expect_identical(certificate(soft)$errors, sum(residuals > 0.2 + 1e-5))
})

# The first machine of l2-AROM on scaled features: quadprog on  1/2 |w|^2, |y - f| <= epsilon.
test_that("l2-AROM for regression ends at its fixed point", {
  skip_if_not_installed("quadprog")
  data <- planted_line(20, 30, noise = 0.2)
  fit <- zeronorm(data$x, data$y, arom("l2", epsilon = 0.1), standardize = FALSE, task = "regression",
                  control = zeronorm_control(max_rounds = 500))
  z <- feature_importance(fit)[selected(fit)]
  x <- cbind(data$x[, selected(fit)] * rep(z, each = 20), 1)
  d <- ncol(x)
  solution <- quadprog::solve.QP(diag(c(rep(1, d - 1), 1e-9)), rep(0, d), t(rbind(x, -x)),
                                 c(data$y - 0.1, -data$y - 0.1))$solution
  expect_equal(abs(solution[-d]), rep(1, d - 1), tolerance = 1e-4)
})

test_that("regression knows its verbs and refuses what it cannot", {
  data <- planted_line()
  expect_message(fit <- zeronorm(data$x, data$y, arom(epsilon = 0.1, nonzero = "path")), "regression")
  expect_output(print(fit), "regression")
  expect_identical(dim(predict(fit, data$x)), c(40L, nrow(certificate(fit))))
  expect_zeronorm_error(predict(fit, data$x, "class"), "type")
  expect_zeronorm_error(zeronorm(data$x, factor(data$y > 0), arom(epsilon = 0.1)), "y", "regression")
  expect_zeronorm_error(zeronorm(data$x, data$y, arom()), "y", "epsilon")
  expect_zeronorm_error(zeronorm(data$x, data$y, l2_svm()), "y", "regression")
  tall <- planted_line(200, 5, noise = 1)
  expect_zeronorm_error(zeronorm(tall$x, tall$y, arom(epsilon = 0.01), task = "regression"), "y", "epsilon")
  sparse <- zeronorm(as(data$x, "dgCMatrix"), data$y, arom(epsilon = 0.1, nonzero = 5), task = "regression")
  dense <- zeronorm(data$x, data$y, arom(epsilon = 0.1, nonzero = 5), task = "regression")
  expect_equal(coef(sparse), coef(dense), tolerance = 1e-6)
})

# The digits of y beside its mean are all that a fit has to go by; y - 3 * 2^30 is exact.
test_that("where y lies makes no difference but to the intercept", {
  data <- planted_line(d = 8, noise = 0.5)
  kernel <- gaussian_kernel(2)
  methods <- list(arom("l1", epsilon = 0.5, errors = "l1"), forward_ls(3), gram_schmidt(3), lasso(s = 3),
                  arom("l2", nonzero = 4, epsilon = 0.5, errors = "l2"), lasso(lambda = c(1, 5)), p_svm(1),
                  dca("squared"), dca("epsilon_insensitive"), dca("squared", kernel = kernel), ard(),
                  ard(kernel = kernel), grafting(0.1, loss = "squared"), obd(nonzero = 3, loss = "squared"),
                  norm_svm(1, kernel = kernel, epsilon = 0.3))
  weights <- rep(c(1, 0.5, 2, 0), 10)
  for (far in 3 * 2^c(30, 38)) for (method in methods) {
    y <- data$y + far
    y[4] <- -1e15
    fit <- zeronorm(data$x, y, method, task = "regression", weights = weights)
    near <- zeronorm(data$x, y - far, method, task = "regression", weights = weights)
    info <- paste(format(method), far)
    expect_true(all(certificate(fit)$status == "optimal"), info = info)
    expect_identical(certificate(fit)$nonzero, certificate(near)$nonzero, info = info)
    apart <- abs(predict(fit, data$x) - far - predict(near, data$x))
    expect_lte(max(apart), 1e-5 + 2 * far * .Machine$double.eps, label = info)
    expect_equal(certificate(fit)$primal, certificate(near)$primal, tolerance = 1e-5, info = info)
  }
})

test_that("the unit of y makes no difference where prices have it too", {
  data <- planted_line(d = 8, noise = 0.5)
  methods <- function(unit) {
    list(lasso(s = 3 * unit), lasso(lambda = 5 * unit), p_svm(3 * unit), forward_ls(3), gram_schmidt(3),
         ard(), grafting(0.1 * unit, loss = "squared"), dca("squared", l1_penalty(), C = 1 / unit, tol = 0))
  }
  one <- lapply(methods(1), function(method) zeronorm(data$x, data$y, method, task = "regression"))
  for (unit in c(1e-100, 1e-20, 1e20, 1e100)) {
    many <- methods(unit)
    for (k in seq_along(many)) {
      fit <- zeronorm(data$x, unit * data$y, many[[k]], task = "regression")
      expect_identical(certificate(fit)$status, "optimal")
      expect_equal(predict(fit, data$x) / unit, predict(one[[k]], data$x), tolerance = 1e-6,
                   info = paste(format(many[[k]]), unit))
    }
  }
})

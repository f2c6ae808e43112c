x <- matrix(c(1, 2, 0, 3, 0.5, 1), 3)
z <- matrix(c(0, 1, 2, 0.5), 2)

by_pairs <- function(k) {
  outer(1:3, 1:2, Vectorize(function(i, j) k(x[i, ], z[j, ])))
}

test_that("kernels have their values", {
  expect_equal(kernel_values(gaussian_kernel(0.7), x, z),
               by_pairs(function(a, b) exp(-sum((a - b)^2) / (2 * 0.7^2))))
  expect_equal(kernel_values(gaussian_kernel(), x, z),
               by_pairs(function(a, b) exp(-sum((a - b)^2) / (2 * (sqrt(2) / 2)^2))))
  expect_equal(kernel_values(poly_kernel(3), x, z),
               by_pairs(function(a, b) sum(a * b) + sum(a * b)^2 + sum(a * b)^3))
  expect_equal(kernel_values(poly_kernel(3, "power"), x, z), by_pairs(function(a, b) (sum(a * b) + 1)^3))
  chi2 <- function(a, b) exp(-0.3 * sum(ifelse(a + b == 0, 0, (a - b)^2 / (a + b))))
  expect_equal(kernel_values(chi2_kernel(0.3), x, z), by_pairs(chi2))
  expect_equal(kernel_values(as_kernel(function(a, b) sum(abs(a - b))), x, z),
               by_pairs(function(a, b) sum(abs(a - b))))
})

test_that("kernels of kernlab are taken", {
  skip_if_not_installed("kernlab")
  expect_equal(kernel_values(as_kernel(kernlab::rbfdot(sigma = 0.4)), x, z),
               unclass(kernlab::kernelMatrix(kernlab::rbfdot(sigma = 0.4), x, z))[, ], ignore_attr = TRUE)
})

test_that("names stand for defaults, linear for no kernel", {
  expect_null(as_kernel("linear"))
  expect_identical(as_kernel("gaussian"), gaussian_kernel())
  expect_identical(as_kernel("poly"), poly_kernel())
  expect_identical(as_kernel("chi2"), chi2_kernel())
  expect_zeronorm_error(as_kernel("rbf"), "kernel", "\"gaussian\"")
})

test_that("bad kernels are refused", {
  expect_zeronorm_error(gaussian_kernel(0), "width")
  expect_zeronorm_error(poly_kernel(0), "degree")
  expect_zeronorm_error(poly_kernel(2, "both"), "form")
  expect_zeronorm_error(chi2_kernel(-1), "rho")
  expect_zeronorm_error(kernel_values(chi2_kernel(), -x, z), "kernel", "negative")
  expect_zeronorm_error(as_kernel(matrix(1:6, 2)), "kernel", "square")
  expect_zeronorm_error(as_kernel(matrix(c(1, 2, 3, 4), 2)), "kernel", "symmetric")
})

test_that("columns are standardised before a kernel sees them, weights counting as rows", {
  machine <- kernel_machine(poly_kernel(), x, c(1, 1, 1), TRUE)
  expect_equal(machine$x, scale(x), ignore_attr = TRUE)
  twice <- kernel_machine(poly_kernel(), x, c(2, 1, 1), TRUE)
  rows <- kernel_machine(poly_kernel(), x[c(1, 1, 2, 3), ], rep(1, 4), TRUE)
  expect_equal(twice[c("center", "scale")], rows[c("center", "scale")])
  expect_identical(kernel_machine(poly_kernel(), x, c(1, 1, 1), FALSE)$x, x)
  constant <- kernel_machine(poly_kernel(), cbind(x, 7), c(1, 1, 1), TRUE)
  expect_identical(constant$x[, 3], c(0, 0, 0))
  expect_identical(standardize_rows(cbind(x, 8), constant)[, 3], c(0, 0, 0))
})

test_that("a kernel machine predicts from its support vectors", {
  data <- planted(60, 2)
  fit <- zeronorm(data$x, data$y, l2_svm(C = c(1, 10), kernel = gaussian_kernel(1)))
  standard <- scale(data$x)
  k <- exp(-as.matrix(stats::dist(standard))^2 / 2)
  rows <- as.integer(rownames(coef(fit))[-1])
  f <- k[, rows] %*% coef(fit)[-1, ] + rep(coef(fit)[1, ], each = 60)
  expect_equal(predict(fit, data$x, "link"), f, ignore_attr = TRUE)
  expect_gt(mean(predict(fit, data$x, s = 10) == data$y), 0.9)
  expect_equal(predict(fit, data$x[, 2:1], "link"), predict(fit, data$x, "link"))
  expect_zeronorm_error(selected(fit), "object", "kernel")
  expect_zeronorm_error(predict(fit, data$x, nonzero = 2), "nonzero", "kernel")
  expect_zeronorm_error(zeronorm(data$x, data$y, l2_svm(kernel = "gaussian"), keep = 1), "keep", "kernel")
})

test_that("what an engine leaves of zero is no support vector", {
  data <- with_stream(3, {
    x <- matrix(rnorm(480), 60)
    list(x = x, y = x[, 1] + x[, 2] + rnorm(60) / 4 > 0.5)
  })
  for (engine in c("auto", "osqp")) {
    fit <- suppressMessages(zeronorm(data$x, data$y, l2_svm(C = 10, kernel = "poly"), engine = engine))
    expect_identical(sum(fit$machine$alpha != 0), certificate(fit)$support_vectors, label = engine)
    expect_gt(min(abs(fit$machine$alpha)), 1e-9)
  }
})

test_that("a matrix of kernel values predicts from values with the training rows", {
  data <- planted(40, 5)
  k <- tcrossprod(data$x)
  fit <- zeronorm(data$x, data$y, l2_svm(kernel = k))
  linear <- zeronorm(data$x, data$y, l2_svm(kernel = poly_kernel(1)), standardize = FALSE)
  expect_equal(predict(fit, k[1:7, ], "link"), predict(linear, data$x[1:7, ], "link"), tolerance = 1e-6)
  expect_zeronorm_error(predict(fit, k[1:7, 1:5]), "newdata")
  expect_zeronorm_error(zeronorm(data$x[1:9, ], data$y[1:9], l2_svm(kernel = k)), "kernel", "rows")
  expect_zeronorm_error(update(fit, data$x, data$y, C = 2), "kernel", "again")
})

test_that("kernels that are none are said", {
  data <- planted(20, 3)
  fit <- function(kernel) zeronorm(data$x, data$y, l2_svm(kernel = kernel))
  expect_zeronorm_error(fit(function(x) 1), "kernel", "cannot be evaluated")
  expect_zeronorm_error(fit(function(x, z) x * z), "kernel", "3 values")
  expect_identical(as_kernel(gaussian_kernel), gaussian_kernel())
  expect_zeronorm_error(check_semidefinite(diag(c(1, -1))), "kernel", "semidefinite")
})

test_that("a kernel is printed as the call that makes it", {
  for (kernel in list(gaussian_kernel(), gaussian_kernel(2.5), poly_kernel(3), chi2_kernel(0.5))) {
    expect_identical(eval(parse(text = format(kernel))), kernel)
    expect_output(expect_identical(print(kernel), kernel), format(kernel), fixed = TRUE)
  }
})

# Training errors by predict(), of any solution.
errors_of <- function(fit, x, y, ...) sum(predict(fit, x, ...) != y)

# What polish() promises, for any fit.
expect_polished <- function(polished, fit, x, y, index = 1) {
  before <- errors_of(fit, x, y, index = index)
  after <- errors_of(polished, x, y)
  expect_lte(after, before)
  expect_lte(length(selected(polished)), length(selected(fit, index = index)))
  expect_identical(polished$polish[-4], list(before = length(selected(fit, index = index)),
                                             after = length(selected(polished)), errors = after))
  expect_identical(nrow(certificate(polished)), 1L)
}

test_that("polish keeps the errors and never takes more features", {
  data <- planted(40, 60, noise = 0.5, seed = 2)
  for (method in list(arom("l2", nonzero = c(20, 5)), fsv(lambda = 0.05), fs_svmcp(), l1_svm(),
                      arom("l2", nonzero = 12))) {
    fit <- with_stream(1, zeronorm(data$x, data$y, method))
    polished <- with_stream(1, polish(fit, data$x, data$y, index = 1))
    expect_polished(polished, fit, data$x, data$y)
    expect_lte(certificate(polished)$gap, 1e-8)
    expect_output(print(polished), "polished")
    expect_identical(sign(predict(polished, data$x, "link") > 0), sign(predict(polished, data$x) == "up"))
  }
})

test_that("never more training errors than before, whatever the labels and the method", {
  with_stream(7, for (k in 1:12) {
    n <- sample(20:40, 1)
    x <- matrix(rnorm(n * 8), n)
    y <- x[, 1] - x[, 2] + rnorm(n) * sample(c(0.3, 1, 3), 1) > 0
    if (min(table(y)) < 4) next
    methods <- list(l1_svm(0.3), l1_svm(0.05), fsv(lambda = 0.1), dca(),
                    arom("l2", nonzero = 3, errors = "l2"))
    method <- methods[[k %% 5 + 1]]
    fit <- suppressWarnings(zeronorm(x, y, method))
    expect_polished(polish(fit, x, y, largest = 1, seconds = 1), fit, x, y)
  })
  # The SVM on one feature less has 12 errors for every C, the fit 10.
  data <- with_stream(56, {
    x <- matrix(rnorm(400), 40)
    list(x = x, y = x[, 1] - x[, 2] + rnorm(40) > 0)
  })
  fit <- zeronorm(data$x, data$y, l1_svm(0.3))
  expect_polished(polish(fit, data$x, data$y, largest = 1), fit, data$x, data$y)
})

test_that("the solution that is chosen comes back alone where nothing is as good", {
  data <- planted(30, 10, noise = 1)
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.05, 0.5, 5)))
  for (k in 1:3) {
    alone <- solution_alone(fit, k)
    expect_equal(coef(alone), coef(fit, index = k))
    expect_identical(predict(alone, data$x), predict(fit, data$x, index = k))
    expect_identical(selected(alone), selected(fit, index = k))
    expect_equal(unlist(certificate(alone)), unlist(certificate(fit)[k, ]), ignore_attr = TRUE)
    expect_output(print(alone), "SVM")
    expect_polished(polish(fit, data$x, data$y, index = k, largest = 1), fit, data$x, data$y, k)
  }
})

test_that("features to keep and unpenalised ones stay", {
  data <- planted(40, 12, noise = 0.5)
  fit <- zeronorm(data$x, data$y, l1_svm(0.3), keep = "g7", unpenalized = c("g9", "g3"))
  polished <- polish(fit, data$x, data$y)
  expect_polished(polished, fit, data$x, data$y)
  expect_true("g7" %in% selected(polished))
  expect_true(all(coef(polished)[c("g9", "g3")] != 0))
  expect_false(any(c("g9", "g3") %in% selected(polished)))
  expect_identical(polished$settings, fit$settings)
})

# Reference: the SVM on the same columns, fitted by hand with the settings of the fit.
test_that("the SVM on the remaining features has the settings of the fit", {
  data <- planted(40, 8, noise = 0.3)
  data$x[1:3, 1] <- NA
  weights <- rep(c(1, 3), 20)
  fit <- zeronorm(data$x, data$y, l1_svm(0.5), impute = "median", weights = weights, intercept = FALSE,
                  class_weights = c(up = 2, down = 1), standardize = FALSE, unpenalized = "g8")
  polished <- polish(fit, data$x, data$y)
  expect_polished(polished, fit, data$x, data$y)
  kept <- c(selected(polished), "g8")
  method <- l2_svm(C = min(1e6, polished$polish$C))
  by_hand <- zeronorm(data$x[, kept], data$y, method, impute = "median", weights = weights,
                      intercept = FALSE, class_weights = c(up = 2, down = 1), standardize = FALSE,
                      unpenalized = "g8")
  expect_equal(coef(polished)[kept], coef(by_hand)[kept], tolerance = 1e-4)
  expect_identical(coef(polished)[["(Intercept)"]], 0)
  expect_identical(polished$weights, weights)
  expect_identical(predict(polished, data$x[1:3, ]), predict(polished, data$x)[1:3])
})

test_that("classes 1 and 2, a fit without features, and one by formula", {
  data <- planted(30, 6, noise = 0.5)
  y <- as.integer(data$y)
  fit <- zeronorm(data$x, y, l1_svm(1), task = "classification")
  expect_polished(polish(fit, data$x, y), fit, data$x, y)
  empty <- zeronorm(data$x, data$y, l1_svm(1e-6))
  expect_polished(polish(empty, data$x, data$y), empty, data$x, data$y)
  frame <- data.frame(y = data$y, data$x)
  fit <- zeronorm(y ~ ., frame, l1_svm(1))
  polished <- polish(fit, frame)
  expect_polished(polished, fit, frame, data$y)
  expect_identical(polished$encoding, fit$encoding)
})

test_that("polish says what it does not take", {
  data <- planted(20, 5)
  expect_zeronorm_error(polish(1, data$x, data$y), "object")
  kernel <- zeronorm(data$x, data$y, l2_svm(kernel = gaussian_kernel(1)))
  expect_zeronorm_error(polish(kernel, data$x, data$y), "object")
  fit <- zeronorm(data$x, data$y, l1_svm())
  fit$certificate$status <- "numerical trouble"
  expect_zeronorm_error(polish(fit, data$x, data$y), "object", "failed")
  expect_zeronorm_error(certify_zero_norm(fit, data$x, data$y), "object", "failed")
  data$x[2, 3] <- NA
  fit$certificate$status <- "optimal"
  expect_zeronorm_error(polish(fit, data$x, data$y), "x", "g3")
})

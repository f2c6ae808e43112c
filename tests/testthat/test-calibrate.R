# Reference of calibrate: the same folds in cv_zeronorm().
test_that("a fit is calibrated with the folds of a cross-validation", {
  data <- gene_data()
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  expect_error(predict(fit, data$x, type = "prob"), "calibrate", class = "zeronorm_error")
  calibrated <- with_stream(2, calibrate_zeronorm(fit, data$x, data$y, folds = 4))
  cv <- with_stream(2, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4))
  expect_equal(predict(calibrated, data$x, type = "prob", s = 1), predict(cv, data$x, type = "prob", s = 1))
  expect_error(calibrate_zeronorm(fit, data$x[-1, ], data$y[-1]), class = "zeronorm_error")
})

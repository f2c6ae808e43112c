data <- planted(40, 20, noise = 0.5)

test_that("a summary shows certificate and features of one solution", {
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.05, 0.2)))
  expect_null(summary(fit)$features)
  k <- 2L
  summary <- summary(fit, s = 0.2, most = 1)
  expect_s3_class(summary, "summary.zeronorm")
  expect_identical(summary$features$feature, selected(fit, index = k))
  expect_equal(summary$features$weight, unname(coef(fit, index = k)[selected(fit, index = k)]))
  expect_output(print(summary), "Features of solution")
})

test_that("a kernel machine has a summary without features", {
  summary <- summary(zeronorm(data$x, data$y, l2_svm(kernel = "gaussian")))
  expect_null(summary$features)
  expect_output(print(summary), "Solutions")
})

test_that("a summary says which class a feature speaks for", {
  fit <- zeronorm(data$x, data$y, arom(nonzero = 2, errors = "l2"))
  table <- summary(fit)$features
  expect_identical(table$towards, levels(data$y)[1 + (table$weight > 0)])
  clouds <- three_clouds(45, 6)
  three <- zeronorm(clouds$x, clouds$y, svm_rfe(nonzero = 3, C = 1))
  table <- summary(three)$features
  weights <- as.matrix(table[levels(factor(clouds$y))])
  expect_identical(table$towards, colnames(weights)[max.col(weights)])
})

test_that("the share of folds of a single feature is there", {
  x <- planted(30, 2)$x[, 1, drop = FALSE]
  cv <- with_stream(1, cv_zeronorm(x, x[, 1] > 0, l1_svm(C = 1), folds = 3))
  expect_equal(summary(cv)$features[["share of folds"]], 1)
})

data <- planted(40, 20)

test_that("selected features come in decreasing importance", {
  fit <- zeronorm(data$x, data$y, arom(nonzero = 4, errors = "l2"))
  weight <- coef(fit)[-1]
  expect_setequal(selected(fit), names(weight)[weight != 0])
  expect_false(is.unsorted(rev(feature_importance(fit)[selected(fit)])))
  expect_identical(names(feature_importance(fit))[1:4], selected(fit))
  expect_length(feature_importance(fit), 20)
})

test_that("importance is the weight on the standardised scale", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  expected <- abs(coef(fit)[-1]) * apply(data$x, 2, stats::sd)
  expect_equal(feature_importance(fit)[colnames(data$x)], expected, tolerance = 1e-8)
  raw <- zeronorm(data$x, data$y, l1_svm(), standardize = FALSE)
  expect_equal(feature_importance(raw)[colnames(data$x)], abs(coef(raw)[-1]))
})

test_that("features without names are given by index, several solutions as a list", {
  fit <- zeronorm(unname(data$x), data$y, arom(nonzero = c(4, 2), errors = "l2"))
  sets <- selected(fit)
  expect_identical(names(sets), c("nonzero = 4", "nonzero = 2"))
  expect_type(sets[[2]], "integer")
  expect_length(selected(fit, nonzero = 2), 2)
  expect_identical(dim(feature_importance(fit)), c(20L, 2L))
})

test_that("a size comes with all smaller ones that may be asked for", {
  expect_identical(smaller_sizes(3), c(3, 2, 1))
  expect_identical(smaller_sizes(500, c(200, 400, 800))[1:4], c(500, 400, 200, 100))
})

# The numbers of a resampling, done by hand.
by_hand <- function(x, y, folds, method) {
  shares <- vapply(folds, function(train) {
    fit <- zeronorm(x[train, ], y[train], method)
    mean(predict(fit, x[-train, ]) == y[-train])
  }, 0)
  mean(shares)
}

test_that("caret tunes the number of features", {
  skip_if_not_installed("caret")
  data <- planted(60, 20, noise = 2)
  folds <- lapply(1:3, function(k) which(rep_len(1:3, 60) != k))
  control <- caret::trainControl("cv", index = folds)
  fit <- with_stream(1, caret::train(data$x, data$y, caret_zeronorm(svm_rfe(), c(1, 4, 9), C = 0.5),
                                     trControl = control))
  expect_identical(fit$results$nonzero, c(1L, 4L, 9L))
  for (size in c(1L, 4L, 9L)) {
    expect_equal(fit$results$Accuracy[fit$results$nonzero == size],
                 by_hand(data$x, data$y, folds, svm_rfe(nonzero = size, C = 0.5)))
  }
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = fit$bestTune$nonzero, C = 0.5))
  expect_identical(predict(fit, data$x), unname(predict(own, data$x)))
  expect_setequal(caret::predictors(fit), selected(own))
  importance <- caret::varImp(fit, scale = FALSE)$importance
  expect_equal(sort(importance[, "Overall"], decreasing = TRUE), unname(feature_importance(own)))
  expect_identical(rownames(importance), colnames(data$x))
})

test_that("caret gets probabilities where it asks for them", {
  skip_if_not_installed("caret")
  data <- planted(60, 10, noise = 1)
  control <- caret::trainControl("cv", number = 3, classProbs = TRUE,
                                 summaryFunction = caret::twoClassSummary)
  skip_if_not_installed("pROC")
  fit <- with_stream(1, caret::train(data$x, data$y, caret_zeronorm("svm_rfe", c(1, 3), C = 1, prob = TRUE),
                                     metric = "ROC", trControl = control))
  expect_identical(nrow(fit$results), 2L)
  p <- predict(fit, data$x, type = "prob")
  expect_named(p, c("down", "up"))
  expect_equal(p$up, unname(predict(fit$finalModel, data$x, "prob", index = fit$finalModel$asked)))
})

test_that("caret takes formulas, weights and several classes", {
  skip_if_not_installed("caret")
  data <- three_clouds(60, 8)
  frame <- data.frame(data$x, y = data$y)
  weights <- rep_len(c(1, 2), 60)
  fit <- with_stream(1, caret::train(y ~ ., frame, caret_zeronorm(), tuneLength = 3, weights = weights,
                                     trControl = caret::trainControl("cv", number = 3)))
  expect_identical(fit$results$nonzero, c(1, 2, 4))
  own <- zeronorm(data$x, data$y, arom(errors = "l2", nonzero = fit$bestTune$nonzero), weights = weights)
  expect_identical(predict(fit, frame), unname(predict(own, data$x)))
  random <- with_stream(1, caret::train(data$x, data$y, caret_zeronorm("svm_rfe"), tuneLength = 2,
                                        trControl = caret::trainControl("cv", number = 3, search = "random")))
  expect_identical(nrow(random$results), 2L)
})

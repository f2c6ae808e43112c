# What a user of caret would write, from the partition to the selected features.

test_that("a classifier is tuned by its ROC curve and judged on held-out data", {
  skip_if_not_installed("caret")
  skip_if_not_installed("pROC")
  data <- planted(100, 30, noise = 1)
  train <- with_stream(1, caret::createDataPartition(data$y, p = 0.7, list = FALSE)[, 1])
  control <- caret::trainControl("cv", number = 4, classProbs = TRUE, savePredictions = "final",
                                 summaryFunction = caret::twoClassSummary)
  fit <- with_stream(2, caret::train(data$x[train, ], data$y[train], caret_zeronorm("svm_rfe", C = c(0.1, 1)),
                                     metric = "ROC", tuneLength = 4, preProcess = c("center", "scale"),
                                     trControl = control))
  expect_identical(nrow(fit$results), 8L)
  expect_setequal(fit$results$nonzero, c(1, 2, 4, 8))
  expect_true(all(is.finite(fit$results$ROC)))
  genes <- caret::predictors(fit)
  expect_length(genes, fit$bestTune$nonzero)
  predicted <- predict(fit, data$x[-train, ])
  chances <- predict(fit, data$x[-train, ], type = "prob")
  expect_equal(rowSums(chances), rep(1, nrow(chances)), ignore_attr = TRUE)
  table <- caret::confusionMatrix(predicted, data$y[-train])
  # The same by hand.
  center <- colMeans(data$x[train, ])
  spread <- apply(data$x[train, ], 2, stats::sd)
  scaled <- function(rows) scale(data$x[rows, ], center, spread)
  best <- fit$bestTune
  own <- zeronorm(scaled(train), data$y[train], svm_rfe(nonzero = best$nonzero, C = best$C))
  expect_setequal(genes, selected(own))
  held_out <- scaled(setdiff(seq_along(data$y), train))
  expect_equal(table$overall[["Accuracy"]], mean(predict(own, held_out) == data$y[-train]))
  importance <- caret::varImp(fit)$importance
  expect_setequal(rownames(importance)[importance$Overall > 0], genes)
})

test_that("models are compared on the same resamples, regressions too", {
  skip_if_not_installed("caret")
  data <- planted(80, 12)
  frame <- data.frame(data$x, y = data$x[, 1] - 2 * data$x[, 2] + data$x[, 3] / 10)
  folds <- with_stream(1, caret::createFolds(frame$y, 4, returnTrain = TRUE))
  control <- caret::trainControl("cv", index = folds)
  sparse <- caret::train(y ~ ., frame, caret_zeronorm(sizes = c(1, 2)), trControl = control)
  linear <- caret::train(y ~ ., frame, "lm", trControl = control)
  both <- caret::resamples(list(zeronorm = sparse, lm = linear))
  expect_identical(dim(both$values), c(4L, 7L))
  expect_equal(sparse$bestTune$nonzero, 2)
  expect_setequal(caret::predictors(sparse), c("g1", "g2"))
  expect_lt(caret::RMSE(predict(sparse, frame), frame$y), 0.2)
})

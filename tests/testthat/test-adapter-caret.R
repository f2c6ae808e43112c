test_that("a size comes with all smaller ones that may be asked for", {
  x <- encode_x(matrix(0, 2, 900, dimnames = list(NULL, paste0("g", 1:900))))
  sizes <- function(nonzero, smaller, ...) sizes_to_fit(nonzero, smaller, x, list(...))
  expect_equal(sizes(3, 1:100), c(3, 2, 1))
  expect_equal(sizes(500, c(200, 400, 800, 1:100))[1:4], c(500, 400, 200, 100))
  expect_equal(sizes(4, 1:100, keep = c("g1", "g2")), c(4, 3, 2))
  expect_equal(sizes(4, 1:100, keep = c("g1", "g2"), unpenalized = "g2"), 4:1)
  expect_equal(sizes(c(4, 2), 1:100), c(4, 2))
  expect_equal(sizes(5000, NULL, unpenalized = 1:10), 890)
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
  fit <- with_stream(1, caret::train(data$x, data$y, caret_zeronorm("svm_rfe", c(1, 3), C = 1),
                                     metric = "ROC", trControl = control))
  expect_identical(nrow(fit$results), 2L)
  expect_true(all(is.finite(fit$results$ROC)))
  p <- predict(fit, data$x, type = "prob")
  expect_named(p, c("down", "up"))
  expect_equal(p$up, unname(predict(fit$finalModel, data$x, "prob", nonzero = fit$bestTune$nonzero)))
  plain <- caret::train(data$x, data$y, caret_zeronorm("svm_rfe", 2), trControl = caret::trainControl("none"))
  expect_zeronorm_error(predict(plain, data$x, type = "prob"), "type", "classProbs")
})

test_that("caret tunes C of methods without sizes, both where both are asked for, or nothing", {
  skip_if_not_installed("caret")
  data <- planted(60, 12, noise = 2)
  folds <- lapply(1:3, function(k) which(rep_len(1:3, 60) != k))
  train <- function(model, ...) {
    control <- caret::trainControl("cv", index = folds)
    with_stream(1, caret::train(data$x, data$y, model, trControl = control, ...))
  }
  fit <- train(caret_zeronorm("l1_svm", C = c(0.05, 0.5)))
  expect_identical(fit$results$C, c(0.05, 0.5))
  expect_equal(fit$results$Accuracy[2], by_hand(data$x, data$y, folds, l1_svm(C = 0.5)))
  expect_setequal(caret::predictors(fit), selected(zeronorm(data$x, data$y, l1_svm(C = fit$bestTune$C))))
  expect_equal(train(caret_zeronorm("l1_svm"), tuneLength = 2)$results$C, c(0.01, 10))
  both <- train(caret_zeronorm("svm_rfe", c(1, 4), C = c(0.1, 1)))$results
  expect_identical(nrow(both), 4L)
  expect_equal(both$Accuracy[both$C == 1 & both$nonzero == 4],
               by_hand(data$x, data$y, folds, svm_rfe(nonzero = 4, C = 1)))
  expect_equal(both$Accuracy[both$C == 0.1 & both$nonzero == 1],
               by_hand(data$x, data$y, folds, svm_rfe(nonzero = 1, C = 0.1)))
  none <- train(caret_zeronorm(rlp()))
  expect_equal(none$results$Accuracy, by_hand(data$x, data$y, folds, rlp()))
  expect_zeronorm_error(caret_zeronorm("l1_svm", sizes = 3), "nonzero", "no argument")
  expect_zeronorm_error(caret_zeronorm("fw1", C = 1), "C", "no argument")
  expect_zeronorm_error(caret_zeronorm(C = 1), "C", "no argument")
})

test_that("caret fits regressions, missing values and covariates", {
  skip_if_not_installed("caret")
  data <- planted(60, 12)
  y <- data$x[, 1] - 2 * data$x[, 2]
  folds <- lapply(1:3, function(k) which(rep_len(1:3, 60) != k))
  control <- caret::trainControl("cv", index = folds)
  fit <- with_stream(1, caret::train(data$x, y, caret_zeronorm(sizes = c(1, 2)), trControl = control))
  errors <- vapply(folds, function(train) {
    own <- zeronorm(data$x[train, ], y[train], arom(errors = "l2", epsilon = 0.1, nonzero = 1))
    sqrt(mean((predict(own, data$x[-train, ]) - y[-train])^2))
  }, 0)
  expect_equal(fit$results$RMSE[1], mean(errors))
  expect_setequal(caret::predictors(fit), c("g1", "g2"))
  expect_type(predict(fit, data$x), "double")
  frame <- data.frame(data$x, y = data$y, batch = factor(rep_len(c("p", "q"), 60)))
  frame$g4[1:3] <- NA
  model <- caret_zeronorm("svm_rfe", 2, impute = "median", unpenalized = "batch")
  whole <- caret::train(frame[-13], frame$y, model, trControl = caret::trainControl("none"))
  own <- zeronorm(y ~ ., frame, svm_rfe(nonzero = 2), impute = "median", unpenalized = "batch")
  expect_setequal(caret::predictors(whole), selected(own))
  expect_identical(predict(whole, frame, na.action = stats::na.pass), unname(predict(own, frame)))
})

test_that("caret takes formulas, weights and several classes", {
  skip_if_not_installed("caret")
  data <- three_clouds(60, 8)
  frame <- data.frame(data$x, y = data$y)
  weights <- rep_len(c(1, 2), 60)
  fit <- with_stream(1, caret::train(y ~ ., frame, caret_zeronorm(), tuneLength = 3, weights = weights,
                                     trControl = caret::trainControl("cv", number = 3)))
  expect_equal(fit$results$nonzero, c(1, 2, 4))
  own <- zeronorm(data$x, data$y, arom(errors = "l2", nonzero = fit$bestTune$nonzero), weights = weights)
  expect_identical(predict(fit, frame), unname(predict(own, data$x)))
  random <- with_stream(1, caret::train(data$x, data$y, caret_zeronorm("svm_rfe"), tuneLength = 2,
                                        trControl = caret::trainControl("cv", number = 3, search = "random")))
  expect_identical(nrow(random$results), 2L)
})

# What a user of mlr3 would write, from the partition to the selected features.

quiet_mlr3 <- function() for (name in c("mlr3", "bbotk")) lgr::get_logger(name)$set_threshold("warn")

test_that("a learner is trained, judged on held-out data and compared", {
  skip_if_not_installed("mlr3")
  quiet_mlr3()
  data <- planted(100, 20, noise = 1)
  frame <- data.frame(data$x, site = factor(rep_len(c("p", "q", "r"), 100)), y = data$y)
  frame$g3[5:8] <- NA
  task <- mlr3::as_task_classif(frame, target = "y", positive = "up")
  split <- with_stream(1, mlr3::partition(task))
  learner <- mlr3::lrn("classif.zeronorm", method = "svm_rfe", nonzero = 3, unpenalized = "site",
                       predict_type = "prob")
  with_stream(2, learner$train(task, split$train))
  prediction <- learner$predict(task, split$test)
  scores <- prediction$score(mlr3::msrs(c("classif.acc", "classif.auc", "classif.logloss")))
  expect_true(all(is.finite(scores)))
  own <- zeronorm(y ~ ., frame[split$train, ], svm_rfe(nonzero = 3), unpenalized = "site", impute = "median")
  expect_equal(scores[["classif.acc"]], mean(predict(own, frame[split$test, ]) == data$y[split$test]))
  expect_setequal(learner$selected_features(), selected(own))
  expect_identical(names(learner$importance())[1:2], names(sort(-abs(learner$importance())))[1:2])
  grid <- mlr3::benchmark_grid(task, list(learner, mlr3::lrn("classif.featureless", predict_type = "prob")),
                               mlr3::rsmp("cv", folds = 3))
  table <- with_stream(3, mlr3::benchmark(grid))$aggregate(mlr3::msr("classif.auc"))
  expect_gt(table$classif.auc[1], table$classif.auc[2])
})

test_that("the number of features is tuned", {
  skip_if_not_installed("mlr3tuning")
  skip_if_not_installed("paradox")
  quiet_mlr3()
  data <- planted(80, 15, noise = 1)
  task <- mlr3::as_task_classif(data.frame(data$x, y = data$y), target = "y")
  learner <- mlr3::lrn("classif.zeronorm", method = "svm_rfe", nonzero = paradox::to_tune(c(1, 2, 8)),
                       C = paradox::to_tune(c(0.1, 1)))
  tuner <- mlr3tuning::auto_tuner(mlr3tuning::tnr("grid_search"), learner, mlr3::rsmp("cv", folds = 3),
                                  mlr3::msr("classif.ce"))
  with_stream(1, tuner$train(task))
  best <- tuner$tuning_result
  expect_true(best$nonzero %in% c("1", "2", "8"))
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = as.integer(best$nonzero), C = as.numeric(best$C)))
  expect_setequal(tuner$learner$selected_features(), selected(own))
  expect_identical(tuner$predict(task)$response, unname(predict(own, data$x)))
})

test_that("a regression is resampled with weights", {
  skip_if_not_installed("mlr3")
  quiet_mlr3()
  data <- planted(80, 12)
  weights <- rep_len(c(1, 3), 80)
  y <- data$x[, 1] - 2 * data$x[, 2] + with_stream(5, stats::rnorm(80)) / 5
  task <- mlr3::as_task_regr(data.frame(data$x, y = y, w = weights), target = "y")
  task$set_col_roles("w", "weights_learner")
  learner <- mlr3::lrn("regr.zeronorm", nonzero = 2)
  test <- split(1:80, rep_len(1:4, 80))
  folds <- mlr3::rsmp("custom")
  folds$instantiate(task, lapply(test, function(rows) setdiff(1:80, rows)), test)
  scores <- mlr3::resample(task, learner, folds)$score(mlr3::msr("regr.mse"))$regr.mse
  expect_equal(scores, unname(vapply(test, function(rows) {
    fit <- zeronorm(data$x[-rows, ], y[-rows], arom(errors = "l2", epsilon = 0.1, nonzero = 2),
                    weights = weights[-rows])
    mean((predict(fit, data$x[rows, ]) - y[rows])^2)
  }, 0)))
})

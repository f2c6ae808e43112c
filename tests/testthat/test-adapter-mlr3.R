task_of <- function(data, ...) mlr3::as_task_classif(data.frame(data$x, y = data$y, ...), target = "y")

test_that("the learner fits, predicts and names its features as zeronorm() does", {
  skip_if_not_installed("mlr3")
  data <- planted(60, 15, noise = 1)
  task <- task_of(data)
  learner <- mlr3::lrn("classif.zeronorm", method = "svm_rfe", nonzero = 4, C = 0.5)
  expect_identical(class(learner)[1], "LearnerClassifZeronorm")
  expect_error(learner$importance(), class = "zeronorm_error")
  learner$train(task)
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = 4, C = 0.5))
  expect_identical(learner$predict(task)$response, unname(predict(own, data$x)))
  expect_identical(learner$selected_features(), selected(own))
  expect_equal(learner$importance()[colnames(data$x)], feature_importance(own)[colnames(data$x)])
  expect_false(is.unsorted(-learner$importance()))
  turned <- task_of(list(x = data$x[, 15:1], y = data$y))
  expect_identical(learner$predict(turned)$response, unname(predict(own, data$x)))
  learner$predict_type <- "prob"
  with_stream(3, learner$train(task))
  calibrated <- with_stream(3, calibrate_zeronorm(own, data$x, data$y))
  p <- predict(calibrated, data$x, "prob")
  expect_equal(learner$predict(task)$prob[, c("down", "up")], cbind(down = 1 - p, up = p), ignore_attr = TRUE)
  expect_identical(learner$predict(task)$response, unname(predict(own, data$x)))
  again <- LearnerClassifZeronorm$new()
  expect_setequal(again$properties, c("twoclass", "multiclass", "weights", "missings", "importance",
                                       "selected_features"))
})

test_that("weights and several classes pass through mlr3", {
  skip_if_not_installed("mlr3")
  data <- three_clouds(60, 6, shift = 1)
  weights <- rep_len(c(1, 4), 60)
  task <- task_of(data, w = weights)
  task$set_col_roles("w", "weights_learner")
  learner <- mlr3::lrn("classif.zeronorm", nonzero = 2, method = svm_rfe(C = 1))
  learner$train(task)
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2, C = 1), weights = weights)
  expect_equal(coef(learner$model, nonzero = 2), coef(own))
  expect_identical(learner$predict(task)$response, unname(predict(own, data$x)))
})

test_that("numbers, factors, missing values and all arguments pass through mlr3", {
  skip_if_not_installed("mlr3")
  data <- planted(60, 8)
  batch <- factor(rep_len(c("p", "q", "r"), 60))
  y <- data$x[, 1] - 2 * data$x[, 2] + as.integer(batch)
  frame <- data.frame(batch, data$x)
  task <- mlr3::as_task_regr(data.frame(frame, y = y), target = "y")
  learner <- mlr3::lrn("regr.zeronorm", nonzero = 2, epsilon = 0.2, unpenalized = "batch")
  learner$train(task)
  own <- zeronorm(frame, y, arom(errors = "l2", epsilon = 0.2, nonzero = 2), unpenalized = "batch")
  expect_setequal(learner$selected_features(), c("g1", "g2"))
  expect_equal(learner$predict(task)$response, unname(predict(own, frame)))
  expect_setequal(names(learner$importance()), task$feature_names)
  frame$g5[2:4] <- NA
  frame$batch[5:6] <- NA
  gaps <- mlr3::as_task_classif(data.frame(frame, y = data$y), target = "y")
  learner <- mlr3::lrn("classif.zeronorm", method = "svm_rfe", nonzero = 2, groups = rep(1:5, 2), keep = "g8",
                       control = zeronorm_control(tol = 1e-8), class_weights = "balanced", impute = "mean")
  learner$train(gaps)
  own <- zeronorm(frame, data$y, svm_rfe(nonzero = 2), groups = rep(1:5, 2), keep = "g8", impute = "mean",
                  control = zeronorm_control(tol = 1e-8), class_weights = "balanced")
  expect_identical(coef(learner$model), coef(own))
  expect_identical(learner$predict(gaps)$response, unname(predict(own, frame)))
  learner$param_set$set_values(impute = NULL)
  expect_error(learner$train(gaps), "missing values", class = "zeronorm_error")
  # The default completes missing values.
  plain <- mlr3::lrn("classif.zeronorm", nonzero = 3)
  expect_s3_class(plain$train(gaps)$predict(gaps), "PredictionClassif")
  own <- zeronorm(frame, data$y, arom(errors = "l2", nonzero = 3), impute = "median")
  expect_identical(plain$predict(gaps)$response, unname(predict(own, frame)))
  expect_true(all(plain$selected_features() %in% gaps$feature_names))
})

test_that("mlr3 resamples the learner, selection inside", {
  skip_if_not_installed("mlr3")
  data <- planted(60, 15, noise = 1)
  task <- task_of(data)
  folds <- mlr3::rsmp("custom")
  test <- split(1:60, rep_len(1:3, 60))
  folds$instantiate(task, lapply(test, function(rows) setdiff(1:60, rows)), test)
  learner <- mlr3::lrn("classif.zeronorm", nonzero = 3)
  found <- mlr3::resample(task, learner, folds)$score(mlr3::msr("classif.ce"))$classif.ce
  expected <- vapply(test, function(rows) {
    fit <- zeronorm(data$x[-rows, ], data$y[-rows], arom(errors = "l2", nonzero = 3))
    mean(predict(fit, data$x[rows, ]) != data$y[rows])
  }, 0)
  expect_equal(found, unname(expected))
})

test_that("the learner passes mlr3's own checks", {
  skip_if_not_installed("mlr3")
  skip_if(Sys.getenv("ZERONORM_TEST_ALL") == "", "heavy")
  helpers <- list.files(system.file("testthat", package = "mlr3"), "^helper.*[.]R$", full.names = TRUE)
  skip_if(!length(helpers), "mlr3 came without its checks")
  skip_if_not_installed("checkmate", "2.1.0")
  here <- new.env(parent = asNamespace("mlr3"))
  for (file in helpers) sys.source(file, here)
  quiet <- lgr::get_logger("mlr3")
  before <- quiet$threshold
  quiet$set_threshold("error")
  on.exit(quiet$set_threshold(before))
  for (name in c("classif.zeronorm", "regr.zeronorm")) {
    result <- here$run_autotest(mlr3::lrn(name, nonzero = 2), N = 30)
    expect_true(result, info = result$error)
  }
})

# What a user of tidymodels would write, from the split to the selected features.

tidymodels_parts <- c("parsnip", "recipes", "rsample", "tune", "workflows", "yardstick", "dials", "hardhat")

skip_without_tidymodels <- function() for (package in tidymodels_parts) skip_if_not_installed(package)

patients <- function(n = 90, d = 25, noise = 1) {
  data <- planted(n, d, noise)
  data.frame(data$x, batch = factor(rep_len(c("p", "q", "r"), n)), outcome = data$y)
}

test_that("a classifier is tuned, finalised and judged on held-out data", {
  skip_without_tidymodels()
  data <- patients()
  split <- with_stream(1, rsample::initial_split(data, strata = "outcome"))
  train <- rsample::training(split)
  folds <- with_stream(2, rsample::vfold_cv(train, 4, strata = "outcome"))
  plan <- recipes::recipe(outcome ~ ., train)
  plan <- recipes::step_normalize(plan, recipes::all_numeric_predictors())
  plan <- recipes::step_dummy(plan, "batch")
  model <- parsnip::svm_linear("classification", cost = hardhat::tune())
  model <- parsnip::set_engine(model, "zeronorm", nonzero = hardhat::tune(), method = "svm_rfe",
                               unpenalized = "batch")
  work <- workflows::workflow(plan, model)
  sizes <- c(1L, 2L, 5L, 10L)
  tuned <- with_stream(3, tune::tune_grid(
    work, folds, grid = expand.grid(nonzero = sizes, cost = c(0.1, 1)),
    metrics = yardstick::metric_set(yardstick::roc_auc, yardstick::accuracy, yardstick::mn_log_loss)
  ))
  expect_identical(nrow(tune::collect_notes(tuned)), 0L)
  metrics <- tune::collect_metrics(tuned)
  expect_identical(nrow(metrics), 24L)
  expect_true(all(is.finite(metrics$mean)))
  best <- tune::select_best(tuned, metric = "roc_auc")
  final <- tune::finalize_workflow(work, best)
  judged <- with_stream(4, tune::last_fit(final, split))
  expect_identical(nrow(tune::collect_notes(judged)), 0L)
  held_out <- tune::collect_metrics(judged)
  trained <- tune::extract_workflow(judged)

  # The same by hand.
  baked <- recipes::prep(plan, train)
  x <- function(rows) as.matrix(recipes::bake(baked, rows, recipes::all_predictors()))
  own <- zeronorm(x(train), train$outcome, svm_rfe(nonzero = best$nonzero, C = best$cost),
                  unpenalized = c("batch_q", "batch_r"))
  test <- rsample::testing(split)
  expect_identical(selected(trained), selected(own))
  expect_length(selected(trained), best$nonzero)
  expect_identical(predict(trained, test)$.pred_class, unname(predict(own, x(test))))
  accuracy <- held_out$.estimate[held_out$.metric == "accuracy"]
  expect_equal(accuracy, mean(predict(own, x(test)) == test$outcome))
  expect_setequal(tidy(trained)$term, c("(Intercept)", selected(own), "batch_q", "batch_r"))

  chances <- predict(trained, test, type = "prob")
  expect_equal(chances$.pred_down + chances$.pred_up, rep(1, nrow(test)))
  added <- augment(trained, test)
  expect_identical(added$.pred_up, chances$.pred_up)
  curve <- yardstick::roc_curve(added, "outcome", ".pred_down")
  expect_gt(nrow(curve), 2)
})

test_that("defaults of tune_grid() need no further words", {
  skip_without_tidymodels()
  data <- patients(60, 12)
  model <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = hardhat::tune(),
                               method = "svm_rfe")
  work <- workflows::workflow(outcome ~ ., model)
  folds <- with_stream(1, rsample::vfold_cv(data, 3))
  tuned <- with_stream(1, suppressMessages(tune::tune_grid(work, folds, grid = 4)))
  expect_identical(nrow(tune::collect_notes(tuned)), 0L)
  expect_true(all(is.finite(tune::collect_metrics(tuned)$mean)))
  expect_s3_class(tune::show_best(tuned, metric = "roc_auc"), "tbl_df")
})

test_that("the step selects inside a resampling, for a model of another package", {
  skip_without_tidymodels()
  data <- patients(90, 20, noise = 3)
  folds <- with_stream(1, rsample::vfold_cv(data, 3, strata = "outcome"))
  plan <- step_select_zeronorm(recipes::recipe(outcome ~ ., data), recipes::all_predictors(),
                               nonzero = hardhat::tune(), method = "svm_rfe",
                               options = list(unpenalized = "batch"))
  work <- workflows::workflow(plan, parsnip::logistic_reg())
  tuned <- with_stream(1, tune::tune_grid(work, folds, grid = data.frame(nonzero = c(1L, 3L))))
  metrics <- tune::collect_metrics(tuned)
  of_three <- metrics$mean[metrics$nonzero == 3 & metrics$.metric == "accuracy"]
  by_hand <- vapply(folds$splits, function(split) {
    train <- rsample::analysis(split)
    test <- rsample::assessment(split)
    genes <- selected(zeronorm(outcome ~ ., train, svm_rfe(nonzero = 3), unpenalized = "batch"))
    fit <- stats::glm(outcome ~ ., stats::binomial(), train[c(genes, "batch", "outcome")])
    mean((predict(fit, test) > 0) == (test$outcome == "up"))
  }, 0)
  expect_equal(of_three, mean(by_hand))
  trained <- generics::fit(tune::finalize_workflow(work, data.frame(nonzero = 3L)), data)
  table <- tidy(workflows::extract_recipe(trained), number = 1)
  expect_identical(sum(table$selected), 4L)
  expect_true("batch" %in% table$terms[table$selected])
})

test_that("a regression is fitted with weights and missing values", {
  skip_without_tidymodels()
  data <- patients(80, 15)
  data$outcome <- 3 * data$g1 - 2 * data$g2
  data$g3[c(4, 50)] <- NA
  data$batch <- NULL
  split <- with_stream(1, rsample::initial_split(data))
  train <- rsample::training(split)
  train$w <- hardhat::importance_weights(rep_len(c(1, 2), nrow(train)))
  model <- parsnip::set_engine(parsnip::svm_linear("regression", margin = 0.05), "zeronorm", nonzero = 2,
                               impute = "median")
  work <- workflows::add_case_weights(workflows::workflow(outcome ~ ., model), "w")
  fit <- generics::fit(work, train)
  expect_setequal(selected(fit), c("g1", "g2"))
  test <- rsample::testing(split)
  own <- zeronorm(train[1:15], train$outcome, arom(errors = "l2", epsilon = 0.05, nonzero = 2),
                  weights = as.double(train$w), impute = "median")
  expect_equal(predict(fit, test)$.pred, unname(predict(own, test)))
  expect_gt(yardstick::rsq(augment(fit, test), "outcome", ".pred")$.estimate, 0.99)
})

test_that("sizes and C reach the method", {
  data <- planted(40, 12)
  fit <- svm_linear_zeronorm(data$x, data$y, nonzero = 4)
  expect_identical(certificate(fit)$target, 4:1)
  expect_identical(fit$asked, 1L)
  forced <- svm_linear_zeronorm(data$x, data$y, nonzero = 3, keep = c("g4", "g5"))
  expect_identical(certificate(forced)$target, 3:2)
  expect_identical(certificate(svm_linear_zeronorm(data$x, data$y, C = 0.3))$C, 0.3)
  rfe <- svm_linear_zeronorm(data$x, data$y, C = 2, nonzero = c(8, 2), method = svm_rfe(step = 1))
  expect_identical(format(rfe$method), format(svm_rfe(nonzero = c(8, 2), step = 1, C = 2)))
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, nonzero = 2, method = "l1_svm"), "nonzero")
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, C = 2, method = "fw1"), "C")
})

test_that("the engine of parsnip fits and predicts as zeronorm() does", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12)
  frame <- data.frame(data$x, y = data$y, batch = factor(rep(c("p", "q"), 20)))
  model <- generics::fit(parsnip::set_engine(parsnip::svm_linear("classification", cost = 0.5), "zeronorm"),
                         y ~ ., frame)
  dense <- cbind(data$x, batchq = rep(0:1, 20))
  own <- zeronorm(dense, data$y, l1_svm(C = 0.5))
  expect_equal(coef(model$fit), coef(own))
  expect_identical(predict(model, frame)$.pred_class, predict(own, dense))
  expect_equal(unname(predict(model, frame, type = "raw")), predict(own, dense, "link"))
  expect_identical(predict(model, frame[5:1, rev(names(frame))])$.pred_class, predict(own, dense)[5:1])
  expect_identical(tidy(model), tidy(model$fit))
})

test_that("probabilities are calibrated where they are asked for", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  fitted <- function(...) {
    spec <- parsnip::set_engine(parsnip::svm_linear("classification", cost = 0.2), "zeronorm", ...)
    with_stream(2, generics::fit(spec, y ~ ., frame))
  }
  found <- predict(fitted(prob = TRUE), frame, type = "prob")
  own <- with_stream(2, calibrate_zeronorm(zeronorm(data$x, data$y, l1_svm(C = 0.2)), data$x, data$y))
  expect_named(found, c(".pred_down", ".pred_up"))
  expect_equal(found$.pred_up, unname(predict(own, data$x, "prob")))
  plain <- fitted()
  expect_warning(missing <- predict(plain, frame, type = "prob"), "prob = TRUE")
  expect_named(missing, c(".pred_down", ".pred_up"))
  expect_true(all(is.na(missing)))
  expect_warning(added <- augment(plain, frame), "prob = TRUE")
  expect_identical(added$.pred_class, predict(plain, frame)$.pred_class)
})

test_that("submodels are the fits of their size", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12, noise = 1)
  spec <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = 6)
  model <- generics::fit_xy(spec, as.data.frame(data$x), data$y)
  expect_true(parsnip::has_multi_predict(model))
  found <- parsnip::multi_predict(model, as.data.frame(data$x), nonzero = c(6, 2))
  expect_identical(nrow(found), 40L)
  expect_named(found$.pred[[1]], c("nonzero", ".pred_class"))
  for (size in c(6, 2)) {
    own <- zeronorm(data$x, data$y, arom(errors = "l2", nonzero = size))
    class <- vapply(found$.pred, function(row) as.character(row$.pred_class[row$nonzero == size]), "")
    expect_identical(class, as.character(predict(own, data$x)))
  }
  expect_identical(as.character(predict(model, as.data.frame(data$x))$.pred_class),
                   as.character(predict(model$fit, data$x, nonzero = 6)))
})

test_that("sparse data, several classes and weights pass through parsnip", {
  skip_if_not_installed("parsnip")
  data <- three_clouds(45, 12)
  spec <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = 4)
  dense <- generics::fit_xy(spec, as.data.frame(data$x), data$y)
  expect_identical(levels(predict(dense, as.data.frame(data$x))$.pred_class), c("a", "b", "c"))
  sparse <- generics::fit_xy(spec, as(data$x, "dgCMatrix"), data$y)
  expect_equal(coef(sparse$fit, nonzero = 4)$b, coef(dense$fit, nonzero = 4)$b, tolerance = 1e-4)
  skip_if_not_installed("hardhat", "1.0.0")
  frame <- data.frame(data$x, y = data$y)
  weights <- rep(c(1, 3, 2), 15)
  weighted <- generics::fit(parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm",
                                                method = svm_rfe(nonzero = 3, C = 1)),
                            y ~ ., frame, case_weights = hardhat::importance_weights(weights))
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, C = 1), weights = weights)
  expect_equal(coef(weighted$fit)$a, coef(own)$a)
})

test_that("cost and nonzero can be tuned", {
  skip_if_not_installed("parsnip")
  skip_if_not_installed("dials")
  spec <- parsnip::set_engine(parsnip::svm_linear("classification", cost = parsnip::tune()), "zeronorm",
                              nonzero = parsnip::tune(), method = "svm_rfe")
  table <- generics::tunable(spec)
  expect_setequal(table$name, c("cost", "nonzero", "method"))
  set <- hardhat::extract_parameter_set_dials(spec)
  expect_setequal(set$id, c("cost", "nonzero"))
  range <- hardhat::extract_parameter_dials(spec, "nonzero")$range
  expect_identical(unlist(range), c(lower = 1L, upper = 100L))
  skip_if(Sys.getenv("ZERONORM_TEST_ALL") == "", "heavy")
  skip_if_not_installed("tune")
  skip_if_not_installed("workflows")
  data <- planted(60, 20, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  folds <- with_stream(1, rsample::vfold_cv(frame, 3, strata = "y"))
  work <- workflows::add_model(workflows::add_formula(workflows::workflow(), y ~ .), spec)
  grid <- expand.grid(cost = c(0.1, 1), nonzero = c(2L, 5L))
  tuned <- with_stream(1, tune::tune_grid(work, folds, grid = grid,
                                          metrics = yardstick::metric_set(yardstick::accuracy)))
  found <- tune::collect_metrics(tuned)
  expect_identical(nrow(found), 4L)
  share <- vapply(seq_len(3), function(k) {
    train <- rsample::analysis(folds$splits[[k]])
    test <- rsample::assessment(folds$splits[[k]])
    fit <- zeronorm(as.matrix(train[1:20]), train$y, svm_rfe(nonzero = 2, C = 0.1))
    mean(predict(fit, as.matrix(test[1:20])) == test$y)
  }, 0)
  expect_equal(found$mean[found$cost == 0.1 & found$nonzero == 2], mean(share))
})

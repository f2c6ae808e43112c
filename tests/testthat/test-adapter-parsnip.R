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

test_that("probabilities are calibrated unless that is declined", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  fitted <- function(...) {
    spec <- parsnip::set_engine(parsnip::svm_linear("classification", cost = 0.2), "zeronorm", ...)
    with_stream(2, generics::fit(spec, y ~ ., frame))
  }
  expect_warning(found <- predict(fitted(), frame, type = "prob"), NA)
  own <- with_stream(2, calibrate_zeronorm(zeronorm(data$x, data$y, l1_svm(C = 0.2)), data$x, data$y))
  expect_named(found, c(".pred_down", ".pred_up"))
  expect_equal(found$.pred_up, unname(predict(own, data$x, "prob")))
  plain <- fitted(prob = FALSE)
  expect_warning(missing <- predict(plain, frame, type = "prob"), "prob = FALSE")
  expect_named(missing, c(".pred_down", ".pred_up"))
  expect_true(all(is.na(missing)))
  expect_warning(added <- augment(plain, frame), "prob = FALSE")
  expect_identical(added$.pred_class, predict(plain, frame)$.pred_class)
})

test_that("a model shows the solution that was asked for", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12)
  frame <- data.frame(data$x, y = data$y)
  spec <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = 5,
                              method = "svm_rfe")
  model <- generics::fit(spec, y ~ ., frame)
  own <- zeronorm(data$x, data$y, svm_rfe(nonzero = 5))
  expect_identical(tidy(model)$term, tidy(own)$term)
  expect_identical(selected(model), selected(own))
  expect_identical(selected(model, nonzero = 2), selected(zeronorm(data$x, data$y, svm_rfe(nonzero = 2))))
  expect_identical(feature_importance(model), feature_importance(own))
  expect_identical(coef(model$fit), coef(own))
  expect_output(print(model), "shown is that of nonzero = 5")
  expect_identical(nrow(summary(model$fit)$features), 5L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_length(plot(model$fit), 5)
  expect_identical(ncol(plot(model$fit, "path")), 5L)
  other <- model
  other$fit <- stats::lm(age ~ 1, data.frame(age = 1:3))
  expect_zeronorm_error(selected(other), "object", "engine")
  # A path without a size, or of another parameter, has no favourite.
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, method = "svm_rfe"), "nonzero", "nonzero = 10")
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, method = l1_svm(C = c(0.1, 1))), "method", "'C'")
  one <- svm_linear_zeronorm(data$x, data$y, method = arom("l2", errors = "l2", nonzero = c(6, 3)))
  expect_length(selected(one), 6)
})

test_that("regression is a mode of its own", {
  skip_if_not_installed("parsnip")
  data <- planted(60, 12)
  frame <- data.frame(data$x, y = data$x[, 1] - 2 * data$x[, 2])
  spec <- parsnip::svm_linear("regression", cost = 3, margin = 0.05)
  model <- generics::fit(parsnip::set_engine(spec, "zeronorm"), y ~ ., frame)
  own <- zeronorm(data$x, frame$y, dca("epsilon_insensitive", l1_penalty(), C = 3, epsilon = 0.05))
  expect_equal(predict(model, frame)$.pred, unname(predict(own, data$x)))
  expect_equal(augment(model, frame)$.pred, unname(predict(own, data$x)))
  expect_equal(unname(predict(model, frame, type = "raw")), unname(predict(own, data$x)))
  sparse <- parsnip::set_engine(parsnip::svm_linear("regression"), "zeronorm", nonzero = 2)
  model <- generics::fit(sparse, y ~ ., frame)
  expect_setequal(selected(model), c("g1", "g2"))
  found <- parsnip::multi_predict(model, frame, nonzero = c(2, 1))
  expect_named(found$.pred[[1]], c("nonzero", ".pred"))
  one <- zeronorm(data$x, frame$y, arom(errors = "l2", epsilon = 0.1, nonzero = 1))
  expect_equal(vapply(found$.pred, function(row) row$.pred[2], 0), unname(predict(one, data$x)))
  # Two numbers are numbers in this mode.
  frame$y <- rep(0:1, 30)
  expect_identical(generics::fit(sparse, y ~ ., frame)$fit$task, "regression")
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
  # Calibrated fits have probabilities of every size, and sizes above the number of features mean all.
  chances <- parsnip::multi_predict(model, as.data.frame(data$x), type = "prob", nonzero = c(50, 2, 60))
  expect_equal(vapply(chances$.pred, function(row) row$.pred_up[2], 0),
               unname(predict(model$fit, data$x, "prob", nonzero = 2)))
  expect_equal(vapply(chances$.pred, function(row) row$.pred_up[1], 0),
               unname(predict(model$fit, data$x, "prob", nonzero = 6)))
  expect_identical(parsnip::multi_predict(model, as.data.frame(data$x))$.pred[[1]]$nonzero, 6:1)
})

test_that("defaults fit the labels, and what cannot be calibrated is refused", {
  three <- three_clouds(45, 6)
  fit <- with_stream(1, svm_linear_zeronorm(three$x, three$y))
  expect_identical(format(fit$method), format(m_svm("l1", C = 1)))
  expect_identical(ncol(predict(fit, three$x, "prob")), 3L)
  expect_identical(svm_linear_zeronorm(three$x, three$x[, 1])$method$name, "dca")
  data <- planted(20, 4)
  lonely <- replace(data$y, data$y == "up", "down")
  lonely[3] <- "up"
  expect_zeronorm_error(svm_linear_zeronorm(data$x, lonely), "y", "without probabilities")
  expect_s3_class(svm_linear_zeronorm(data$x, lonely, prob = FALSE), "zeronorm")
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
  expect_setequal(table$name, c("cost", "margin", "nonzero", "method"))
  set <- hardhat::extract_parameter_set_dials(spec)
  expect_setequal(set$id, c("cost", "nonzero"))
  range <- hardhat::extract_parameter_dials(spec, "nonzero")$range
  expect_identical(unlist(range), c(lower = 1L, upper = 100L))
})

tuned_workflow <- function(...) {
  spec <- parsnip::set_engine(parsnip::svm_linear("classification", cost = parsnip::tune()), "zeronorm",
                              nonzero = parsnip::tune(), method = "svm_rfe", ...)
  workflows::add_model(workflows::add_formula(workflows::workflow(), y ~ .), spec)
}

test_that("tune_grid() gives the numbers of a resampling by hand, all sizes from one fit, without notes", {
  for (package in c("tune", "workflows", "rsample", "yardstick")) skip_if_not_installed(package)
  data <- planted(60, 12, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  folds <- with_stream(1, rsample::vfold_cv(frame, 3, strata = "y"))
  grid <- expand.grid(cost = c(0.1, 1), nonzero = c(2L, 5L))
  expect_identical(nrow(tune::min_grid(workflows::extract_spec_parsnip(tuned_workflow()), grid)), 2L)
  tuned <- with_stream(1, tune::tune_grid(tuned_workflow(), folds, grid = grid))
  expect_identical(nrow(tune::collect_notes(tuned)), 0L)
  found <- tune::collect_metrics(tuned)
  expect_setequal(found$.metric, c("accuracy", "brier_class", "roc_auc"))
  expect_true(all(is.finite(found$mean)))
  share <- vapply(seq_len(3), function(k) {
    train <- rsample::analysis(folds$splits[[k]])
    test <- rsample::assessment(folds$splits[[k]])
    fit <- zeronorm(as.matrix(train[1:12]), train$y, svm_rfe(nonzero = 2, C = 0.1))
    mean(predict(fit, as.matrix(test[1:12])) == test$y)
  }, 0)
  of_two <- found$cost == 0.1 & found$nonzero == 2 & found$.metric == "accuracy"
  expect_equal(found$mean[of_two], mean(share))
})

test_that("other engines of the model keep their grids", {
  for (package in c("tune", "parsnip")) skip_if_not_installed(package)
  spec <- parsnip::set_engine(parsnip::svm_linear("classification", cost = parsnip::tune()), "kernlab")
  grid <- data.frame(cost = c(1, 2))
  generic <- utils::getS3method("min_grid", "model_spec", envir = asNamespace("tune"))
  expect_identical(tune::min_grid(spec, grid), generic(spec, grid))
})

test_that("the name of a factor stands for its columns in unpenalized", {
  skip_if_not_installed("parsnip")
  data <- planted(40, 12, noise = 1)
  frame <- data.frame(data$x, y = data$y, batch = factor(rep_len(c("p", "q", "r"), 40)))
  spec <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = 3,
                              unpenalized = "batch")
  model <- generics::fit(spec, y ~ ., frame)
  own <- zeronorm(y ~ ., frame, arom(errors = "l2", nonzero = 3:1), unpenalized = "batch")
  expect_equal(coef(model$fit, nonzero = 3), coef(own, nonzero = 3))
  expect_length(selected(model), 3)
  known <- predict(own, frame, nonzero = 3)
  expect_identical(predict(model, frame)$.pred_class, unname(known))
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, unpenalized = "site"), "unpenalized", "'site'")
  # g1 is no 0/1 column, so that "g" stands for nothing.
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, unpenalized = "g"), "unpenalized", "'g'")
  expect_zeronorm_error(svm_linear_zeronorm(data$x, data$y, data = frame), "data", "set already")
})

test_that("missing values are completed in a workflow", {
  for (package in c("workflows", "parsnip")) skip_if_not_installed(package)
  data <- planted(40, 6, noise = 1)
  data$x[cbind(1:6, 1:6)] <- NA
  frame <- data.frame(data$x, y = data$y)
  spec <- parsnip::set_engine(parsnip::svm_linear("classification"), "zeronorm", nonzero = 2,
                              impute = "median")
  work <- workflows::add_model(workflows::add_formula(workflows::workflow(), y ~ .), spec)
  model <- generics::fit(work, frame)
  own <- zeronorm(data$x, data$y, arom(errors = "l2", nonzero = 2), impute = "median")
  expect_identical(predict(model, frame)$.pred_class, unname(predict(own, data$x)))
  expect_identical(selected(model), selected(own))
  expect_identical(feature_importance(model), feature_importance(own))
  expect_zeronorm_error(selected(work), "object", "not trained")
})

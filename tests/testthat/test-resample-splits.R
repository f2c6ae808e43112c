# References: counts over the splits, splits drawn by package rsample, and the same splits given in another
# form.

few <- function(n = 40, seed = 1) gene_data(n, 8, seed)

test_that("drawn folds are stratified, whole blocks stay together", {
  data <- few()
  request <- new_request(data$x, data$y, l1_svm())
  splits <- with_stream(1, make_splits(request, 4, 3))
  expect_length(splits, 12)
  for (task in splits) expect_setequal(c(task$train, task$test), 1:40)
  tests <- lapply(splits, `[[`, "test")
  for (run in 1:3) expect_setequal(unlist(tests[4 * (run - 1) + 1:4]), 1:40)
  counts <- vapply(tests, function(rows) sum(data$y[rows] == "tumour"), 0)
  expect_lte(diff(range(counts)), 1)
  expect_output(print(splits), "40 observations, 4 folds x 3 repeats, stratified")
  patient <- rep(1:20, each = 2)
  blocked <- with_stream(1, make_splits(new_request(data$x, data$y, l1_svm(), block = patient), 5))
  for (task in blocked) expect_length(intersect(patient[task$train], patient[task$test]), 0)
  expect_output(print(blocked), "5 folds of whole blocks")
  regression <- make_splits(new_request(data$x, data$x[, 1], lasso(), task = "regression"), 4)
  expect_output(print(regression), "4 folds$")
})

test_that("blocks go to the folds as wholes and classes stay balanced", {
  class <- rep(1:2, each = 30)
  block <- rep(1:20, each = 3)
  fold <- with_stream(1, draw_block_folds(class, block, 5))
  expect_true(all(tapply(fold, block, function(f) length(unique(f))) == 1))
  expect_true(all(table(fold, class) == 6))
  # Numbers of blocks need not run from 1, as in the training part of an outer fold.
  expect_identical(with_stream(1, draw_block_folds(class, block * 7, 5)), fold)
})

test_that("Monte Carlo splits hold out a share of each class, and whole blocks", {
  data <- few()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(), folds = monte_carlo(6, test = 0.3)))
  class <- data$y == "tumour"
  for (task in cv$splits) {
    expect_setequal(c(task$train, task$test), 1:40)
    expect_lte(abs(sum(class[task$test]) - 0.3 * sum(class)), 0.5)
    expect_lte(abs(sum(!class[task$test]) - 0.3 * sum(!class)), 0.5)
  }
  expect_gt(length(unique(lapply(cv$splits, `[[`, "test"))), 4)
  expect_output(print(cv), "6 Monte Carlo splits with 30 % held out, stratified")
  # The standard error by hand: 6 test sets of 12 of 40 observations.
  expect_equal(cv$summary$se, sd(cv$measures$error) * sqrt(12 / 40))
  patient <- rep(1:20, each = 2)
  blocked <- with_stream(1, make_splits(new_request(data$x, data$y, l1_svm(), block = patient),
                                        monte_carlo(5)))
  for (task in blocked) expect_length(intersect(patient[task$train], patient[task$test]), 0)
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(), folds = monte_carlo(3), repeats = 2), "repeats",
                        "times")
  expect_zeronorm_error(monte_carlo(1), "times")
  expect_zeronorm_error(monte_carlo(test = 1), "test", "training")
  expect_output(print(monte_carlo(5, 0.2)), "monte_carlo(5, test = 0.2)", fixed = TRUE)
})

test_that("a class is never held out as a whole", {
  class <- rep(1:2, c(30, 2))
  for (seed in 1:10) {
    test <- with_stream(seed, draw_test(class, NULL, 0.9))
    expect_setequal(class[-test], 1:2)
    test <- with_stream(seed, draw_test(class, c(rep(1:6, 5), 7, 8), 0.9))
    expect_setequal(class[-test], 1:2)
  }
})

test_that("splits may be given as fold numbers, or by another result", {
  data <- few()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4, repeats = 2))
  folds <- matrix(0, 40, 2)
  for (task in cv$splits) folds[task$test, task$run] <- 10 * task$fold
  for (given in list(folds, cv$splits)) {
    again <- cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), foldid = given)
    expect_identical(bare_splits(again), bare_splits(cv))
    expect_identical(again$measures, cv$measures)
  }
  expect_output(print(cv_zeronorm(data$x, data$y, l1_svm(), foldid = folds)), "given by `foldid`")
  monte <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(), folds = monte_carlo(4)))
  other <- cv_zeronorm(data$x, data$y, l2_svm(), foldid = monte$splits)
  expect_equal(compare_cv(monte, other)$mean_first, monte$summary$mean)
  expect_zeronorm_error(cv_zeronorm(data$x[-1, ], data$y[-1], l1_svm(), foldid = cv$splits), "foldid",
                        "40 observations")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(), foldid = list(1, 2)), "foldid", "rsample")
})

test_that("any rset of rsample gives its splits by position", {
  skip_if_not_installed("rsample")
  data <- few()
  frame <- data.frame(data$x, y = data$y, patient = rep(1:20, 2))
  run <- function(rset, ...) cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), foldid = rset, ...)
  folds <- with_stream(1, rsample::vfold_cv(frame, v = 4, repeats = 2, strata = "y"))
  cv <- run(folds)
  expect_identical(vapply(cv$splits, `[[`, 0L, "run"), rep(1:2, each = 4))
  expect_identical(vapply(cv$splits, `[[`, 0L, "fold"), rep(1:4, 2))
  for (k in 1:8) {
    expect_identical(cv$splits[[k]]$test, as.integer(rsample::complement(folds$splits[[k]])))
    expect_setequal(cv$splits[[k]]$train, setdiff(1:40, cv$splits[[k]]$test))
  }
  boot <- with_stream(1, rsample::bootstraps(frame, times = 4))
  cv <- run(boot)
  for (k in 1:4) {
    expect_identical(cv$splits[[k]]$train, as.integer(boot$splits[[k]]))
    fit <- zeronorm(data$x[cv$splits[[k]]$train, ], data$y[cv$splits[[k]]$train], l1_svm(C = 1))
    test <- cv$splits[[k]]$test
    expect_equal(cv$measures$error[2 * k], mean(predict(fit, data$x[test, ]) != data$y[test]))
  }
  expect_identical(run_count(run(with_stream(1, rsample::mc_cv(frame, times = 3)))$splits), 3L)
  groups <- with_stream(1, rsample::group_vfold_cv(frame, group = "patient", v = 4))
  expect_output(print(run(groups, block = frame$patient)), "4 folds of whole blocks")
  expect_zeronorm_error(run(folds, block = frame$patient), "foldid", "block")
  expect_zeronorm_error(run(with_stream(1, rsample::bootstraps(frame, times = 2, apparent = TRUE))), "foldid",
                        "both parts")
  expect_zeronorm_error(run(rsample::vfold_cv(frame[-1, ], v = 4)), "foldid", "39 observations")
  # One validation set has nothing left to calibrate on.
  expect_zeronorm_error(suppressWarnings(run(rsample::validation_split(frame), measure = "logloss")),
                        "measure",
                        "not defined")
})

test_that("all loops take the same splits", {
  skip_if_not_installed("rsample")
  data <- few()
  rset <- with_stream(1, rsample::mc_cv(data.frame(data$x), times = 3))
  same <- bare_splits(cv_zeronorm(data$x, data$y, l1_svm(), foldid = rset))
  nested <- nested_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), foldid = rset, inner_folds = 3)
  expect_identical(bare_splits(nested), same)
  curve <- learning_curve(data$x, data$y, l1_svm(), foldid = rset, sizes = 1)
  expect_equal(curve$summary$mean, cv_zeronorm(data$x, data$y, l1_svm(), foldid = rset)$summary$mean)
  fit <- zeronorm(data$x, data$y, l1_svm())
  calibrated <- calibrate_zeronorm(fit, data$x, data$y, foldid = rset)
  expect_equal(calibrated$calibration, cv_zeronorm(data$x, data$y, l1_svm(), foldid = rset)$fit$calibration)
  test <- with_stream(1, permutation_test(data$x, data$y, l1_svm(), foldid = rset, permutations = 4))
  expect_equal(test$observed, cv_zeronorm(data$x, data$y, l1_svm(), foldid = rset)$summary$mean)
})

test_that("splits that do not serve are an error of the argument that made them", {
  data <- few()
  run <- function(...) cv_zeronorm(data$x, data$y, l1_svm(), ...)
  expect_zeronorm_error(run(folds = 41), "folds", "40 observations")
  expect_zeronorm_error(run(folds = "ten"), "folds")
  expect_zeronorm_error(run(folds = 4, repeats = 0), "repeats")
  expect_zeronorm_error(run(folds = 4, block = rep(1:2, 20)), "folds", "blocks")
  expect_zeronorm_error(run(block = 1:3), "block")
  # All of a class in one block.
  expect_zeronorm_error(run(folds = 2, block = ifelse(data$y == "tumour", 1, rep_len(2:3, 40))), "block",
                        "tumour")
  expect_zeronorm_error(run(foldid = rep_len(1:4, 40), block = rep(1:20, each = 2)), "foldid",
                        "divides the block")
  expect_zeronorm_error(run(foldid = ifelse(data$y == "tumour", 1, 2)), "foldid", "one class")
  expect_zeronorm_error(run(foldid = rep(1, 40)), "foldid", "one fold")
  expect_zeronorm_error(run(foldid = letters[rep_len(1:4, 40)]), "foldid")
  expect_zeronorm_error(nested_zeronorm(data$x, data$y, l1_svm(), foldid = rep_len(1:4, 40),
                                        block = rep(1:20, each = 2)), "foldid", "divides the block")
  expect_zeronorm_error(calibrate_zeronorm(zeronorm(data$x, data$y, l1_svm()), data$x, data$y,
                                           foldid = rep_len(1:4, 40), block = rep(1:20, each = 2)), "foldid")
  one <- factor(c("a", rep("b", 39)))
  expect_zeronorm_error(cv_zeronorm(data$x, one, l1_svm()), "y", "one observation")
})

test_that("blocks stay whole in the inner folds of a nested cross-validation", {
  data <- few(60)
  patient <- rep(1:20, each = 3)
  request <- new_request(data$x, data$y, l1_svm(C = c(0.1, 1)), block = patient)
  train <- take_rows(request, which(patient > 7))
  for (task in with_stream(1, inner_splits(train, 10))) {
    expect_length(intersect(train$block[task$train], train$block[task$test]), 0)
  }
  expect_length(with_stream(1, inner_splits(train, 100)), 13)
  nested <- with_stream(1, nested_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 5, inner_folds = 4,
                                           block = patient))
  expect_identical(nested$summary$folds[1], 5L)
})

test_that("folds are stratified and of nearly equal size", {
  y <- rep(c(-1, 1), c(13, 9))
  fold <- with_stream(1, draw_folds(y, 5))
  expect_true(all(table(fold) %in% 4:5))
  expect_true(all(table(fold, y)[, "-1"] %in% 2:3), all(table(fold, y)[, "1"] %in% 1:2))
  expect_false(identical(fold, with_stream(2, draw_folds(y, 5))))
})

test_that("fold numbers of the user are checked", {
  y <- c(-1, -1, 1, 1)
  expect_identical(check_folds(c(7, 9, 7, 9), y), c(1L, 2L, 1L, 2L))
  expect_zeronorm_error(check_folds(1:3, y), "foldid")
  expect_zeronorm_error(check_folds(rep(1, 4), y), "foldid", "one fold")
  expect_zeronorm_error(check_folds(c(1, 1, 2, 2), y), "foldid", "one class")
})

test_that("the step keeps what the fit selects", {
  skip_if_not_installed("recipes")
  data <- planted(40, 20, noise = 1)
  frame <- data.frame(data$x, y = data$y, site = factor(rep(c("p", "q"), 20)))
  plan <- recipes::recipe(y ~ ., frame)
  plan <- step_select_zeronorm(plan, recipes::all_numeric_predictors(), nonzero = 4, method = "svm_rfe")
  # Newer versions print by messages.
  expect_error(utils::capture.output(suppressMessages(print(plan))), NA)
  expect_identical(tidy(plan, number = 1)$selected, NA)
  trained <- recipes::prep(plan)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 4))
  baked <- recipes::bake(trained, frame[1:7, ])
  expect_setequal(names(baked), c(selected(fit), "y", "site"))
  expect_identical(nrow(baked), 7L)
  table <- tidy(trained, number = 1)
  expect_identical(table$terms, colnames(data$x))
  expect_setequal(table$terms[table$selected], selected(fit))
  expect_equal(sort(table$importance, decreasing = TRUE), unname(feature_importance(fit)))
  expect_identical(generics::required_pkgs(trained$steps[[1]]), "zeronorm")
})

# What a step keeps of all predictors.
chosen <- function(frame, ...) {
  plan <- step_select_zeronorm(recipes::recipe(y ~ ., frame), recipes::all_predictors(), ...)
  table <- tidy(recipes::prep(plan), number = 1)
  table$terms[table$selected]
}

test_that("methods without a number of features keep what they select", {
  skip_if_not_installed("recipes")
  data <- planted(40, 20, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  expect_setequal(chosen(frame, method = "l1_svm"), selected(zeronorm(data$x, data$y, l1_svm())))
  expect_setequal(chosen(frame, method = l1_svm(), C = 0.1), selected(zeronorm(data$x, data$y, l1_svm(0.1))))
  expect_error(chosen(frame, method = "l1_svm", nonzero = 5), "`nonzero`.*no argument")
  expect_error(chosen(frame, method = l1_svm(C = c(0.1, 1))), "`method`.*'C'")
  # 20 in place of a path, the size within a method, and the largest of several.
  expect_length(chosen(data.frame(planted(40, 30)$x, y = data$y), method = "svm_rfe"), 20)
  expect_length(chosen(frame, method = svm_rfe(nonzero = 3)), 3)
  expect_length(chosen(frame, method = svm_rfe(nonzero = c(2, 4))), 4)
  expect_warning(chosen(frame, method = l1_svm(C = 1e-6)), "no feature")
  # Regression.
  frame$y <- data$x[, 1] - data$x[, 2]
  expect_setequal(chosen(frame, nonzero = 2), c("g1", "g2"))
})

test_that("factors are kept as a whole, covariates always", {
  skip_if_not_installed("recipes")
  data <- planted(60, 8, noise = 1)
  site <- factor(rep_len(c("p", "q", "r"), 60))
  frame <- data.frame(data$x, y = data$y, site = site)
  free <- chosen(frame, nonzero = 2, method = "svm_rfe", options = list(unpenalized = "site"))
  known <- zeronorm(y ~ ., frame, svm_rfe(nonzero = 2), unpenalized = "site")
  expect_setequal(free, c(selected(known), "site"))
  # Also after its 0/1 columns are made.
  plan <- recipes::step_dummy(recipes::recipe(y ~ ., frame), "site")
  plan <- step_select_zeronorm(plan, recipes::all_predictors(), nonzero = 2,
                               options = list(unpenalized = "site"))
  table <- tidy(recipes::prep(plan), number = 2)
  expect_length(setdiff(table$terms[table$selected], c("site_q", "site_r")), 2)
  expect_true(all(c("site_q", "site_r") %in% table$terms[table$selected]))
  # A factor that carries the label.
  frame$site <- factor(ifelse(data$y == "up", rep_len(c("p", "q"), 60), "r"))
  expect_identical(chosen(frame, nonzero = 1, method = "svm_rfe"), "site")
  frame$g1[3] <- NA
  expect_error(chosen(frame, nonzero = 1), "impute")
  expect_identical(chosen(frame, nonzero = 1, method = "svm_rfe", options = list(impute = "mean")), "site")
})

test_that("weights, options and more sizes than columns are understood", {
  skip_if_not_installed("recipes")
  data <- planted(40, 8, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  expect_true("g8" %in% chosen(frame, nonzero = 2, options = list(keep = "g8")))
  expect_length(chosen(frame, nonzero = 30), 8)
  skip_if_not_installed("hardhat", "1.0.0")
  weights <- rep(c(1, 5), 20)
  frame$w <- hardhat::importance_weights(weights)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, C = 0.1), weights = weights)
  expect_setequal(chosen(frame, nonzero = 3, C = 0.1, method = "svm_rfe"), selected(fit))
})

test_that("the step says what is wrong", {
  skip_if_not_installed("recipes")
  data <- planted(20, 3)
  frame <- data.frame(data$x, y = data$y, site = factor(rep(c("p", "q"), 10)))
  frame$day <- as.Date("2020-01-01") + 0:19
  plan <- step_select_zeronorm(recipes::recipe(y ~ ., frame), recipes::all_predictors())
  expect_error(recipes::prep(plan), "day")
  frame$day <- NULL
  plan <- step_select_zeronorm(recipes::recipe(frame), g1, g2, outcome = "label")
  expect_error(recipes::prep(plan), "label")
  plan <- step_select_zeronorm(recipes::recipe(frame), g1, g2, outcome = "y", nonzero = 1)
  kept <- selected(zeronorm(data$x[, 1:2], data$y, arom(errors = "l2", nonzero = 1)))
  expect_named(recipes::bake(recipes::prep(plan), frame), c(kept, "g3", "y", "site"))
})

test_that("the size of the step can be tuned", {
  skip_if_not_installed("recipes")
  skip_if_not_installed("hardhat")
  data <- planted(20, 3)
  plan <- step_select_zeronorm(recipes::recipe(y ~ ., data.frame(data$x, y = data$y)),
                               recipes::all_predictors(), nonzero = hardhat::tune(), id = "here")
  expect_identical(generics::tunable(plan$steps[[1]])$component_id, c("here", "here"))
  skip_if_not_installed("dials")
  expect_identical(hardhat::extract_parameter_set_dials(plan)$name, "nonzero")
})

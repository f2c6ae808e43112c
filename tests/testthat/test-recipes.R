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

test_that("weights, options and more sizes than columns are understood", {
  skip_if_not_installed("recipes")
  data <- planted(40, 8, noise = 1)
  frame <- data.frame(data$x, y = data$y)
  chosen <- function(frame, ...) {
    plan <- step_select_zeronorm(recipes::recipe(y ~ ., frame), recipes::all_predictors(), ...)
    table <- tidy(recipes::prep(plan), number = 1)
    table$terms[table$selected]
  }
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
  plan <- step_select_zeronorm(recipes::recipe(y ~ ., frame), recipes::all_predictors())
  expect_error(recipes::prep(plan), "site")
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

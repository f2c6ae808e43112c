data <- planted(40, 20, noise = 0.5)
fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))

test_that("the link is the linear form, the class its sign", {
  f <- predict(fit, data$x, "link", index = 2)
  w <- coef(fit, index = 2)
  expect_equal(f, (cbind(1, data$x) %*% w)[, 1], ignore_attr = TRUE)
  class <- predict(fit, data$x, index = 2)
  expect_identical(levels(class), c("down", "up"))
  expect_identical(class == "up", unname(f > 0))
})

test_that("a path gives a matrix of links and a data frame of classes", {
  expect_identical(dim(predict(fit, data$x, "link")), c(40L, 2L))
  classes <- predict(fit, data$x)
  expect_s3_class(classes, "data.frame")
  expect_identical(names(classes), c("C = 0.1", "C = 1"))
  expect_identical(classes[[2]], predict(fit, data$x, s = 1))
  expect_identical(predict(fit, type = "features"), selected(fit))
})

test_that("columns go by name; only the selected ones are needed", {
  f <- predict(fit, data$x, "link", s = 1)
  extra <- cbind(other = 1, data$x[, 20:1])
  expect_equal(predict(fit, extra, "link", s = 1), f)
  needed <- selected(fit, s = 1)
  expect_equal(predict(fit, data$x[, needed, drop = FALSE], "link", s = 1), f)
  expect_equal(predict(fit, as.data.frame(extra), "link", s = 1), f, ignore_attr = TRUE)
  expect_equal(predict(fit, as(extra, "dgCMatrix"), "link", s = 1), f, ignore_attr = TRUE)
  expect_zeronorm_error(predict(fit, data$x[, setdiff(colnames(data$x), needed[1])]), "newdata", needed[1])
})

test_that("columns without names go by position if their number agrees", {
  expect_equal(predict(fit, unname(data$x)), predict(fit, data$x))
  expect_zeronorm_error(predict(fit, unname(data$x)[, -1]), "newdata", "19 columns")
  unnamed <- zeronorm(unname(data$x), data$y, l1_svm())
  expect_equal(predict(unnamed, data$x), predict(unnamed, unname(data$x)))
})

test_that("names that occur twice are not guessed at", {
  expect_zeronorm_error(predict(fit, cbind(data$x, data$x)), "newdata", "more than once")
  twice <- data$x
  colnames(twice)[2] <- "g1"
  ambiguous <- zeronorm(twice, data$y, l1_svm())
  expect_length(predict(ambiguous, twice), 40)
  expect_zeronorm_error(predict(ambiguous, twice[, 20:1]), "newdata", "'g1'")
})

test_that("bad new data are refused", {
  expect_zeronorm_error(predict(fit), "newdata", "missing")
  expect_zeronorm_error(predict(fit, data$x[1, ]), "newdata", "drop = FALSE")
  expect_zeronorm_error(predict(fit, data$x, type = "prob"), "type")
  bad <- data$x
  bad[1, selected(fit, s = 1)[1]] <- NA
  expect_zeronorm_error(predict(fit, bad), "newdata", selected(fit, s = 1)[1])
  unused <- setdiff(colnames(data$x), unlist(selected(fit)))
  if (length(unused)) {
    fine <- data$x
    fine[1, unused[1]] <- NA
    expect_identical(predict(fit, fine), predict(fit, data$x))
  }
})

test_that("names of rows are kept", {
  new <- data$x[1:2, ]
  rownames(new) <- c("p", "q")
  expect_named(predict(fit, new, s = 1), c("p", "q"))
  expect_identical(rownames(predict(fit, new)), c("p", "q"))
})

test_that("a formula predicts from a data frame", {
  frame <- data.frame(data$x[, 1:4], sex = rep(c("m", "f"), 20), y = data$y)
  formula_fit <- zeronorm(y ~ g1 + g2 + sex, frame, l1_svm())
  f <- predict(formula_fit, frame[5:6, 5:1], "link")
  expect_equal(f, predict(formula_fit, frame, "link")[5:6])
})

test_that("update fits again with changes", {
  again <- update(fit, data$x, data$y, C = 0.1, standardize = FALSE)
  expect_equal(coef(again), coef(zeronorm(data$x, data$y, l1_svm(0.1), standardize = FALSE)))
  expect_identical(update(fit, data$x, data$y, method = fsv())$method$name, "fsv")
  expect_zeronorm_error(update(fit), "x", "no training data")
})

test_that("the other verbs", {
  expect_identical(nobs(fit), 40L)
  expect_zeronorm_error(fitted(fit), "object", "predict\\(fit, x\\)")
  expect_zeronorm_error(residuals(fit), "object", "predict\\(fit, x\\)")
  expect_zeronorm_error(formula(fit), "x", "formula")
  by_formula <- zeronorm(am ~ . - wt + log(hp), mtcars, l1_svm())
  expect_equal(formula(by_formula), am ~ (mpg + cyl + disp + hp + drat + wt + qsec + vs + gear + carb) - wt +
                 log(hp), ignore_attr = TRUE)
  expect_identical(environment(formula(by_formula)), globalenv())
  expect_equal(coef(zeronorm(formula(by_formula), mtcars, l1_svm())), coef(by_formula))
})

test_that("update() changes what was named and nothing else", {
  data <- planted(40, 12, noise = 0.5)
  numbers <- as.numeric(data$y) - 1
  weights <- rep(c(1, 2), 20)
  fit <- zeronorm(data$x, numbers, dca("squared", C = 1), task = "regression", weights = weights,
                  standardize = FALSE, keep = "g3")
  again <- update(fit, data$x, numbers, C = 0.5)
  expect_identical(again$task, "regression")
  expect_equal(coef(again), coef(zeronorm(data$x, numbers, dca("squared", C = 0.5), task = "regression",
                                          weights = weights, standardize = FALSE, keep = "g3")))
  expect_equal(coef(update(fit, data$x, numbers)), coef(fit))
  # Weights belong to the observations: others need their own.
  expect_zeronorm_error(update(fit, data$x[1:30, ], numbers[1:30]), "weights", "30 rows")
  fewer <- update(fit, data$x[1:30, ], numbers[1:30], weights = NULL)
  expect_equal(coef(fewer), coef(zeronorm(data$x[1:30, ], numbers[1:30], dca("squared", C = 1), task = "regression",
                                          standardize = FALSE, keep = "g3")))
})

test_that("update() of a formula takes its data alone", {
  frame <- data.frame(planted(30, 5)$x, f = factor(rep(c("u", "v", "w"), 10)), label = rep(c(0, 1), 15))
  fit <- zeronorm(label ~ ., frame, l1_svm(C = 0.3), unpenalized = "f")
  expect_equal(coef(update(fit, data = frame)), coef(fit))
  expect_equal(coef(update(fit, label ~ g1 + f, frame)),
               coef(zeronorm(label ~ g1 + f, frame, l1_svm(C = 0.3), unpenalized = "f")))
  expect_zeronorm_error(update(fit), "x", "no training data")
})

test_that("words of other packages are pointed to ours", {
  data <- planted(20, 5)
  fit <- zeronorm(data$x, data$y, l1_svm())
  expect_zeronorm_error(predict(fit, data$x, type = "response"), "type", "\"prob\"")
  expect_zeronorm_error(predict(fit, data$x, type = "raw"), "type", "\"link\"")
  expect_zeronorm_error(zeronorm(data$x, data$y, l1_svm(), family = "binomial"), "family", "`method`")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(), nfolds = 5), "nfolds", "`folds`")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(), type.measure = "auc"), "type.measure", "`measure`")
})

# --- every method, every task ---

# A fit, or NULL where a hard margin has nothing to separate.
fit_if_possible <- function(method, data, ...) {
  folds <- if (length(method$folds)) rep_len(1:3, nrow(data$x))
  tryCatch(suppressMessages(suppressWarnings(zeronorm(data$x, data$y, method, foldid = folds, ...))),
           zeronorm_error = function(e) if (e$argument %in% c("y", "method", "foldid")) NULL else stop(e))
}

# check(fit, data, info) for every method on whole numbers with ties, of every task it takes.
for_each_fit <- function(check, seeds = 1) {
  for (seed in seeds) for (name in names(all_variants())) {
    method <- all_variants()[[name]]
    for (task in method$declares$takes) {
      data <- tied_data(21, 4, seed)[[task]]
      standardize <- seed %% 2 == 0
      fit <- fit_if_possible(method, data, standardize = standardize)
      # What asks for a hard margin has one in other data.
      if (is.null(fit)) fit <- fit_if_possible(method, data <- separated(21, 4), standardize = standardize)
      check(fit, data, paste(name, task, seed))
    }
  }
}

rows_of <- function(value, rows) {
  if (is.data.frame(value) || is.matrix(value)) value[rows, , drop = FALSE]
  else if (is.list(value)) lapply(value, rows_of, rows) else value[rows]
}

expect_nothing_for_no_rows <- function(fit, data, info) {
  for (type in c("link", if (fit$task != "regression") "class")) {
    none <- predict(fit, data$x[0, , drop = FALSE], type)
    expect_identical(none, rows_of(predict(fit, data$x, type), 0), info = paste(info, type))
  }
}

wrong_predictions <- function(fit, data) {
  predicted <- predict(fit, data$x)
  if (!is.list(predicted)) predicted <- list(predicted)
  wrong <- function(one) {
    if (is.matrix(data$y)) sum(rowSums(one != data$y) > 0) else sum(as.character(one) != as.character(data$y))
  }
  unname(vapply(predicted, wrong, 0L))
}

test_that("no rows give no predictions, and training errors are those of predict(), for every method", {
  for_each_fit(seeds = if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) 1:20 else 1, function(fit, data, info) {
    expect_nothing_for_no_rows(fit, data, info)
    table <- certificate(fit)
    solved <- table$status == "optimal"
    if (fit$task != "regression") {
      expect_identical(table$errors[solved], wrong_predictions(fit, data)[solved], info = info)
    }
  })
})

test_that("the predicted class of a row does not depend on the other rows", {
  for (task in c("two-class", "k-class", "multi-label")) {
    data <- tied_data(40, 6, 3)[[task]]
    for (method in list(l1_svm(c(0.1, 1)), m_svm(C = 1), lasso(lambda = c(5, 1)), svm_rfe(c(4, 2)), l1_svm(0.1))) {
      if (!task %in% method$declares$takes) next
      fit <- suppressWarnings(zeronorm(data$x, data$y, method))
      all <- predict(fit, data$x, "link")
      for (i in c(1, 17, 40)) {
        expect_identical(predict(fit, data$x[i, , drop = FALSE], "link"), rows_of(all, i))
        expect_identical(predict(fit, as(data$x[i, , drop = FALSE], "dgCMatrix"), "link"), rows_of(all, i))
      }
      if (nrow(certificate(fit)) > 1) {
        expect_identical(predict(fit, data$x, "link", index = 2), if (is.matrix(all)) all[, 2] else all[[2]])
      }
    }
  }
})

test_that("a decision value that is rounding is 0, whose class is the first", {
  # By hand: 0.1 + 0.2 - 0.3 is 5.6e-17 in double precision.
  f <- decision_sums(cbind(0.1, 0.2, 0.3), 1:3, cbind(c(1, 1, -1)), 0, 1)
  expect_identical(f, matrix(0))
  expect_identical(decision_sums(cbind(0.1, 0.2, 0.3), 1:3, cbind(c(1, 1, -1 + 1e-14)), 0, 1) > 0, matrix(TRUE))
  # Equal to the largest, up to rounding; and what is less by more is not.
  f <- decision_sums(cbind(0.1, 0.2, 0.3), 1:3, cbind(c(1, 1, 0), c(0, 0, 1), c(1, 1, -1e-12)), c(0, 0, 0), 3)
  expect_identical(max.col(f, "first"), 1L)
  expect_identical(f[2], f[1])
  expect_lt(f[3], f[1])
})

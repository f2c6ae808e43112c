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

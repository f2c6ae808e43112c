# Reference of nested_zeronorm: the outer loop written out around cv_zeronorm() with the streams of its tasks.

test_that("an outer fold is a cross-validation of its training part", {
  data <- with_stream(1, {
    x <- matrix(rnorm(60 * 20), 60)
    list(x = x, y = factor(x[, 1] - x[, 2] + rnorm(60) / 2 > 0))
  })
  method <- arom("l2", nonzero = c(8, 2), errors = "l2")
  fold <- rep_len(1:3, 60)
  nested <- with_stream(7, nested_zeronorm(data$x, data$y, method, foldid = fold, inner_folds = 4, s = "min"))
  streams <- with_stream(7, draw_streams(vector("list", 3)))
  for (k in 1:3) {
    cv <- on_stream(streams[[k]]$stream, cv_zeronorm(data$x[fold != k, ], data$y[fold != k], method,
                                                     folds = 4))
    expect_identical(nested$measures$solution[k], cv$best[["min"]])
    expect_identical(nested$sets[[k]], selected(cv, s = "min"))
    expect_equal(nested$measures$error[k], mean(predict(cv, data$x[fold == k, ],
                                                        s = "min") != data$y[fold == k]))
    p <- predict(cv, data$x[fold == k, ], s = "min", type = "prob")
    expect_equal(nested$measures$logloss[k], -mean(log(ifelse(data$y[fold == k] == "TRUE", p, 1 - p))))
  }
  expect_equal(nested$summary$mean[1], mean(nested$measures$error))
  expect_output(print(nested), "inside each 4 folds choose (min,", fixed = TRUE)
  expect_equal(unclass(confusion_table(nested)),
               unclass(table(truth = data$y,
                             predicted = factor(nested$link[, 1, 1] > 0, labels = levels(data$y)))))
  # The Brier score by the same probabilities.
  p <- predict(cv, data$x[fold == 3, ], s = "min", type = "prob")
  expect_equal(nested$measures$brier[3], mean((p - (data$y[fold == 3] == "TRUE"))^2))
})

test_that("selection inside the folds shows no signal where there is none; outside it does", {
  x <- log(colon$x)
  y <- colon$y
  method <- arom("l2", nonzero = 20)
  found <- with_stream(1, vapply(1:20, function(k) {
    permuted <- sample(y)
    inside <- cv_zeronorm(x, permuted, method, measure = "balanced")
    genes <- selected(zeronorm(x, permuted, method))
    outside <- cv_zeronorm(x[, genes], permuted, method, measure = "balanced")
    c(inside = inside$summary$mean, outside = outside$summary$mean)
  }, c(inside = 0, outside = 0)))
  expect_gt(mean(found["inside", ]), 0.45)
  expect_lt(mean(found["inside", ]), 0.55)
  expect_lt(mean(found["outside", ]), 0.1)
})

test_that("a formula is judged like its columns", {
  frame <- droplevels(iris[51:150, ])
  fold <- rep_len(1:3, 100)
  nested <- with_stream(1, nested_zeronorm(Species ~ ., data = frame, l1_svm(), foldid = fold,
                                           inner_folds = 4))
  of_columns <- with_stream(1, nested_zeronorm(as.matrix(frame[1:4]), frame$Species, l1_svm(), foldid = fold,
                                         inner_folds = 4))
  expect_equal(nested$measures, of_columns$measures)
  expect_identical(as.data.frame(nested), nested$measures)
  without <- with_stream(1, nested_zeronorm(Species ~ . - 1, data = frame, l1_svm(), foldid = fold,
                                      inner_folds = 4))
  of_columns <- with_stream(1, nested_zeronorm(as.matrix(frame[1:4]), frame$Species, l1_svm(), foldid = fold,
                                         inner_folds = 4, intercept = FALSE))
  expect_equal(without$measures, of_columns$measures)
})

test_that("intervals are Nadeau and Bengio's, cut at the range, and no shorter than exact binomial ones", {
  data <- gene_data()
  nested <- with_stream(1, nested_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 5, repeats = 2,
                                           inner_folds = 3))
  sizes <- lengths(lapply(nested$splits, `[[`, "test"))
  interval <- function(name, level = 0.95) {
    v <- nested$contributions[[name]]
    mean(v) + c(-1, 1) * qt((1 + level) / 2, 9) * sqrt((1 / 10 + mean(sizes / (40 - sizes))) * var(v))
  }
  row <- nested$summary[nested$summary$measure == "logloss", ]
  expect_equal(c(row$lower, row$upper), interval("logloss"))
  expect_equal(confint(nested, "logloss", level = 0.8)[1, ], interval("logloss", 0.8), ignore_attr = TRUE)
  expect_identical(colnames(confint(nested, level = 0.8)), c("10 %", "90 %"))
  for (name in c("error", "auc", "balanced")) {
    row <- nested$summary[nested$summary$measure == name, ]
    expect_true(row$lower >= 0 && row$upper <= 1)
    expect_lte(row$upper, max(1 * (name == "auc"), interval(name)[2],
                              binom.test(round(40 * row$mean), 40)$conf.int[2]) + 1e-8)
  }
  expect_identical(rownames(confint(nested)), nested$summary$measure)
  expect_zeronorm_error(confint(nested, "kappa"), "parm", "error")
  expect_zeronorm_error(confint(nested, level = 1), "level")
  # No error at all is no proof that there is none: as many observations as there are.
  clear <- with_stream(1, {
    x <- matrix(rnorm(90), 30)
    x[, 1] <- x[, 1] + rep(c(-10, 10), 15)
    nested_zeronorm(x, rep(c("a", "b"), 15), l1_svm(C = 1), folds = 5, inner_folds = 3)
  })
  expect_identical(clear$summary$mean[1], 0)
  expect_equal(unlist(clear$summary[1, c("lower", "upper")], use.names = FALSE),
               binom.test(0, 30)$conf.int[1:2])
  sensitivity <- clear$summary[clear$summary$measure == "sensitivity", ]
  expect_equal(c(sensitivity$lower, sensitivity$upper), binom.test(15, 15)$conf.int[1:2])
  expect_equal(exact_binomial(0.2, 20, 0.9), binom.test(4, 20, conf.level = 0.9)$conf.int[1:2])
})

test_that("a nested result is summarised, tidied and drawn", {
  data <- gene_data()
  nested <- with_stream(1, nested_zeronorm(data$x, data$y, arom("l2", nonzero = c(8, 2), errors = "l2"),
                                           folds = 4,
                                           inner_folds = 3, measure = "auc"))
  tidied <- tidy(nested)
  expect_identical(names(tidied), c("measure", "estimate", "std.error", "conf.low", "conf.high"))
  expect_equal(tidied$conf.low, nested$summary$lower)
  expect_equal(tidy(nested, conf.level = 0.5)$conf.low, unname(confint(nested, level = 0.5)[, 1]))
  row <- glance(nested)
  expect_identical(nrow(row), 1L)
  expect_equal(row$estimate, nested$summary$mean[nested$summary$measure == "auc"])
  expect_identical(c(row$splits, row$nobs), c(4L, 40L))
  found <- summary(nested, level = 0.5)
  expect_equal(found$measures$upper, unname(confint(nested, level = 0.5)[, 2]))
  expect_equal(max(found$selected), max(table(unlist(nested$sets))) / 4)
  expect_output(print(found), "selected in most outer folds")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  expect_equal(plot(nested)$value, nested$contributions$auc)
  expect_equal(plot(nested, "error")$value, nested$contributions$error)
  expect_zeronorm_error(plot(nested, "kappa"), "measure")
})

test_that("several classes of one-against-one fits are judged by the vote", {
  class <- rep_len(1:4, 60)
  x <- with_stream(1, matrix(rnorm(360), 60)) + 3 * diag(4)[class, c(1:4, 1, 2)]
  y <- factor(letters[class])
  fold <- rep(1:3, each = 20)
  nested <- nested_zeronorm(x, y, norm_svm(), foldid = fold, inner_folds = 3)
  wrong <- vapply(1:3, function(k) {
    fit <- zeronorm(x[fold != k, ], y[fold != k], norm_svm())
    mean(predict(fit, x[fold == k, ]) != y[fold == k])
  }, 0)
  expect_equal(nested$measures$error, wrong)
  expect_identical(dim(nested$link), c(60L, 6L, 1L))
  test <- permutation_test(x, y, norm_svm(), foldid = fold, permutations = 3)
  expect_equal(test$observed, mean(wrong))
})

test_that("a measure of the user leads the choice inside", {
  data <- gene_data()
  many <- function(truth, prediction, link) -length(unique(link))
  nested <- with_stream(1, nested_zeronorm(data$x, data$y, l1_svm(C = c(0.01, 1)), folds = 3, inner_folds = 3,
                                           s = "min",
                                           measure = many))
  expect_identical(nested$measures$solution, rep(2L, 3))
  expect_true("custom" %in% nested$summary$measure)
})

if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) test_that("permuted labels: an error of guessing", {
  method <- arom("l2", nonzero = 2^(0:7), errors = "l2")
  found <- with_stream(2, vapply(1:20, function(k) {
    nested_zeronorm(log(colon$x), sample(colon$y), method, inner_folds = 5,
              measure = "balanced")$summary$mean[2]
  }, 0))
  expect_gt(mean(found), 0.45)
  expect_lt(mean(found), 0.55)
})

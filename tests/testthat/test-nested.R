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
  expect_output(print(nested), "outer|inside")
})

test_that("selection inside the folds shows no signal where there is none; outside it does", {
  x <- log(colon$x)
  y <- colon$y
  method <- arom("l2", nonzero = 20)
  found <- with_stream(1, vapply(1:20, function(k) {
    permuted <- sample(y)
    inside <- cv_zeronorm(x, permuted, method, loss = "balanced")
    genes <- selected(zeronorm(x, permuted, method))
    outside <- cv_zeronorm(x[, genes], permuted, method, loss = "balanced")
    c(inside = inside$summary$mean, outside = outside$summary$mean)
  }, c(inside = 0, outside = 0)))
  expect_gt(mean(found["inside", ]), 0.45)
  expect_lt(mean(found["inside", ]), 0.55)
  expect_lt(mean(found["outside", ]), 0.1)
})

test_that("a formula is judged like its columns", {
  frame <- droplevels(iris[51:150, ])
  fold <- rep_len(1:3, 100)
  nested <- with_stream(1, nested_zeronorm(Species ~ ., data = frame, l1_svm(), foldid = fold, inner_folds = 4))
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

if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) test_that("permuted labels: an error of guessing", {
  method <- arom("l2", nonzero = 2^(0:7), errors = "l2")
  found <- with_stream(2, vapply(1:20, function(k) {
    nested_zeronorm(log(colon$x), sample(colon$y), method, inner_folds = 5,
              loss = "balanced")$summary$mean[2]
  }, 0))
  expect_gt(mean(found), 0.45)
  expect_lt(mean(found), 0.55)
})

# Reference of impute: the columns completed before, by hand.
test_that("gaps are an error that says what to do, or are filled from the training part alone", {
  data <- gene_data()
  x <- data$x
  x[cbind(1:20, rep(1:5, 4))] <- NA
  expect_error(zeronorm(x, data$y), "impute", class = "zeronorm_error")
  for (how in c("median", "mean")) {
    full <- apply(x, 2, function(column) replace(column, is.na(column), get(how)(column, na.rm = TRUE)))
    fit <- zeronorm(x, data$y, l1_svm(), impute = how)
    expect_equal(coef(fit), coef(zeronorm(full, data$y, l1_svm())))
    expect_equal(predict(fit, x, "link"), predict(fit, full, "link"))
  }
  fold <- rep_len(1:4, 40)
  cv <- cv_zeronorm(x, data$y, l1_svm(), foldid = fold, impute = "median")
  medians <- apply(x[fold != 1, ], 2, median, na.rm = TRUE)
  filled <- x
  filled[is.na(x)] <- medians[col(x)[is.na(x)]]
  fit <- zeronorm(filled[fold != 1, ], data$y[fold != 1], l1_svm())
  expect_equal(cv$measures$error[1], mean(predict(fit, filled[fold == 1, ]) != data$y[fold == 1]))
  frame <- data.frame(x)
  expect_equal(unname(coef(zeronorm(frame, data$y, l1_svm(), impute = "median"))),
               unname(coef(zeronorm(x, data$y, l1_svm(), impute = "median"))))
  sparse <- as(x, "CsparseMatrix")
  expect_equal(coef(zeronorm(sparse, data$y, l1_svm(), impute = "median", standardize = FALSE)),
               coef(zeronorm(x, data$y, l1_svm(), impute = "median", standardize = FALSE)))
  x[, 3] <- NA
  expect_error(zeronorm(x, data$y, impute = "mean"), "g3", class = "zeronorm_error")
})

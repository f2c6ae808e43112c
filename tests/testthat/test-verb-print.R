data <- planted(40, 20, noise = 0.5)

test_that("print says what was fitted, on what, which features, how certain", {
  fit <- zeronorm(data$x, data$y, l1_svm(C = 0.2))
  text <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(text, "l1-SVM: l1_svm(C = 0.2)", fixed = TRUE)
  expect_match(text, "40 observations x 20 features", fixed = TRUE)
  expect_match(text, "'up' (20, positive) against 'down' (20)", fixed = TRUE)
  expect_match(text, selected(fit)[1], fixed = TRUE)
  expect_match(text, "relative gap")
  capture.output(expect_invisible(print(fit)))
})

test_that("print of a path shows all solutions and prefers none", {
  fit <- zeronorm(data$x, data$y)
  text <- capture.output(print(fit))
  expect_match(text, "5 solutions", all = FALSE)
  rows <- lapply(strsplit(trimws(grep("^  [1-5]  ", text, value = TRUE)), " +"), function(row) as.integer(row[1:4]))
  shown <- certificate(fit)[c("target", "nonzero", "errors")]
  expect_equal(do.call(rbind, rows), unname(as.matrix(cbind(1:5, shown))))
  many <- capture.output(print(zeronorm(data$x, data$y, l1_svm(2^seq(-5, 5, length.out = 40)))))
  expect_lt(length(many), 25)
  expect_match(many, "... 29 more", all = FALSE, fixed = TRUE)
})

test_that("print of a kernel machine counts support vectors", {
  fit <- zeronorm(data$x, data$y, l2_svm(C = c(1, 2), kernel = "gaussian"))
  expect_output(print(fit), "2 solutions.*support_vectors")
})

test_that("no line is longer than 80 characters", {
  x <- data$x
  colnames(x) <- paste0("a_name_of_a_feature_that_does_not_end_", 1:20)
  y <- factor(data$y, labels = c("a label that is far too long for a line", "and another one of the kind"))
  for (method in list(l1_svm(2^(-5:5)), arom("l2", errors = "l2"), fs_svmcp(C_grid = 2^(-3:3)))) {
    fit <- zeronorm(x, y, method, foldid = rep_len(1:5, 40))
    expect_lte(max(nchar(capture.output(print(fit)))), 80)
  }
})

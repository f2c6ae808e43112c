# Reference of cv_zeronorm: the same loops written out around zeronorm().

test_that("every fold is a whole fit on its training part", {
  data <- gene_data()
  fold <- rep_len(1:4, 40)
  method <- arom("l2", nonzero = c(8, 2), errors = "l2")
  cv <- cv_zeronorm(data$x, data$y, method, foldid = fold)
  for (k in 1:4) {
    fit <- zeronorm(data$x[fold != k, ], data$y[fold != k], method)
    classes <- predict(fit, data$x[fold == k, ])
    rows <- cv$measures[cv$measures$fold == k, ]
    expect_equal(rows$error, unname(colMeans(as.matrix(classes) != as.character(data$y[fold == k]))))
    expect_setequal(cv$sets[[k]][[2]], selected(fit, nonzero = 2))
    f <- predict(fit, data$x[fold == k, ], "link")
    positive <- data$y[fold == k] == "tumour"
    pairs <- outer(f[positive, 1], f[!positive, 1], "-")
    expect_equal(rows$auc[1], mean((pairs > 0) + (pairs == 0) / 2))
    wrong <- classes[[1]] != data$y[fold == k]
    expect_equal(rows$balanced[1], mean(c(mean(wrong[positive]), mean(wrong[!positive]))))
  }
  error <- tapply(cv$measures$error, cv$measures$solution, mean)
  expect_equal(cv$summary$mean, as.vector(error))
  expect_equal(cv$summary$se, as.vector(tapply(cv$measures$error, cv$measures$solution, sd)) / 2)
  expect_equal(cv$frequency["g1", 2], mean(vapply(cv$sets, function(sets) "g1" %in% sets[[2]], NA)))
})

test_that("the choice is the least loss, or the sparsest within one standard error", {
  table <- data.frame(nonzero = c(1, 5, 20, 50), mean = c(0.3, 0.2, 0.15, 0.15), se = 0.06, folds = 10)
  expect_identical(choose_solutions(table, "error"), c(min = 3L, "1se" = 2L))
  expect_identical(choose_solutions(table, "auc")[["min"]], 1L)
  table$folds[3] <- 9
  expect_identical(choose_solutions(table, "error")[["min"]], 4L)
})

test_that("the result itself predicts, and knows names", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = c(16, 4, 1), errors = "l2"),
                                   folds = 5))
  s <- cv$best[["min"]]
  expect_identical(predict(cv, data$x, s = "min"), predict(cv$fit, data$x, index = s))
  expect_identical(feature_importance(cv, s = "min"), feature_importance(cv$fit, index = s))
  expect_identical(feature_importance(cv, nonzero = 4), feature_importance(cv$fit, nonzero = 4))
  expect_identical(coef(cv, s = "min"), coef(cv$fit, index = s))
  expect_identical(selected(cv, nonzero = 4), selected(cv$fit, nonzero = 4))
  expect_identical(predict(cv, type = "features"), selected(cv))
  p <- predict(cv, data$x, type = "prob")
  expect_true(all(p > 0 & p < 1))
  expect_output(print(cv), "5 folds, stratified")
  expect_s3_class(as.data.frame(cv), "data.frame")
  expect_error(predict(cv, data$x, s = "best"), class = "zeronorm_error")
})

test_that("the same seed gives the same object, and drawing is all that moves the user's stream", {
  data <- gene_data()
  run <- function() {
    with_stream(3, list(cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4,
                                    repeats = 2),
                        stats::runif(1)))
  }
  expect_identical(run(), run())
})

test_that("folds are stratified, whole blocks stay together, foldid may be a matrix", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(), folds = 4, repeats = 3))
  counts <- table(data$y, cv$folds[, 2])
  expect_lte(max(apply(counts, 1, function(row) diff(range(row)))), 1)
  patient <- rep(1:20, each = 2)
  blocked <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(), folds = 5, block = patient))
  expect_true(all(tapply(blocked$folds[, 1], patient, function(f) length(unique(f))) == 1))
  again <- cv_zeronorm(data$x, data$y, l1_svm(), foldid = cv$folds)
  expect_identical(again$folds, cv$folds)
  expect_identical(again$measures, cv$measures)
  expect_error(cv_zeronorm(data$x, data$y, l1_svm(), folds = 41), class = "zeronorm_error")
  expect_error(cv_zeronorm(data$x, data$y, l1_svm(), block = 1:3), class = "zeronorm_error")
  expect_error(cv_zeronorm(data$x, data$y, l1_svm(), folds = 4, block = rep(1:2, 20)), "blocks",
               class = "zeronorm_error")
})

test_that("regression, several classes, labels, kernels and sparse matrices are cross-validated", {
  data <- gene_data()
  numbers <- with_stream(1, cv_zeronorm(data$x, data$x[, 1] + 0.3 * data$x[, 5] * data$x[, 6],
                                        arom("l2", epsilon = 0.3, nonzero = c(5, 1),
                                             errors = "l2"), folds = 4,
                                        task = "regression"))
  expect_identical(numbers$loss, "mse")
  expect_identical(selected(numbers, s = "1se"), "g1")
  classes <- with_stream(1, cv_zeronorm(iris[1:4], iris$Species, m_svm(C = c(0.1, 1)), folds = 3))
  expect_lt(min(classes$summary$mean), 0.1)
  p <- predict(classes, iris[1:4], type = "prob")
  expect_equal(unname(rowSums(p)), rep(1, 150))
  labels <- outer(as.integer(iris$Species), 1:3, "==") + 0
  expect_identical(with_stream(1, cv_zeronorm(as.matrix(iris[1:4]), labels, dca(C = 1), folds = 3))$loss,
                   "error")
  kernel <- with_stream(1, cv_zeronorm(data$x, data$y, l2_svm(C = c(0.1, 1), kernel = gaussian_kernel(3)),
                                       folds = 3))
  expect_null(kernel$frequency)
  sparse <- as(data$x * (abs(data$x) > 0.5), "CsparseMatrix")
  fold <- rep_len(1:4, 40)
  expect_equal(cv_zeronorm(sparse, data$y, l1_svm(), foldid = fold, standardize = FALSE)$measures,
               cv_zeronorm(as.matrix(sparse), data$y, l1_svm(), foldid = fold, standardize = FALSE)$measures)
})

test_that("folds that fail are said, and all failing is an error", {
  data <- gene_data()
  expect_error(cv_zeronorm(data$x[, 1:2], data$y, fw1(), folds = 4), class = "zeronorm_error")
  expect_error(cv_zeronorm(data$x, rep("a", 40), l1_svm()), class = "zeronorm_error")
  expect_error(cv_zeronorm(data$x, data$y, l1_svm(), loss = "mse"), class = "zeronorm_error")
})

test_that("a formula is cross-validated like its columns", {
  frame <- droplevels(iris[51:150, ])
  fold <- rep_len(1:5, 100)
  expect_equal(cv_zeronorm(Species ~ ., data = frame, l1_svm(), foldid = fold)$measures,
               cv_zeronorm(frame[1:4], frame$Species, l1_svm(), foldid = fold)$measures)
})

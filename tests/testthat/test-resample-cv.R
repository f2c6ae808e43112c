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
  error <- check_measure("error", "two-class")
  expect_identical(choose_solutions(table, error), c(min = 3L, "1se" = 2L))
  expect_identical(choose_solutions(table, check_measure("auc", "two-class"))[["min"]], 1L)
  table$folds[3] <- 9
  expect_identical(choose_solutions(table, error)[["min"]], 4L)
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

test_that("regression, several classes, labels, kernels and sparse matrices are cross-validated", {
  data <- gene_data()
  numbers <- with_stream(1, cv_zeronorm(data$x, data$x[, 1] + 0.3 * data$x[, 5] * data$x[, 6],
                                        arom("l2", epsilon = 0.3, nonzero = c(5, 1),
                                             errors = "l2"), folds = 4,
                                        task = "regression"))
  expect_identical(numbers$measure, "mse")
  expect_identical(selected(numbers, s = "1se"), "g1")
  classes <- with_stream(1, cv_zeronorm(iris[1:4], iris$Species, m_svm(C = c(0.1, 1)), folds = 3))
  expect_lt(min(classes$summary$mean), 0.1)
  p <- predict(classes, iris[1:4], type = "prob")
  expect_equal(unname(rowSums(p)), rep(1, 150))
  labels <- outer(as.integer(iris$Species), 1:3, "==") + 0
  expect_identical(with_stream(1, cv_zeronorm(as.matrix(iris[1:4]), labels, dca(C = 1), folds = 3))$measure,
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
  expect_error(cv_zeronorm(data$x, data$y, l1_svm(), measure = "mse"), class = "zeronorm_error")
})

test_that("a formula is cross-validated like its columns", {
  frame <- droplevels(iris[51:150, ])
  fold <- rep_len(1:5, 100)
  expect_equal(cv_zeronorm(Species ~ ., data = frame, l1_svm(), foldid = fold)$measures,
               cv_zeronorm(frame[1:4], frame$Species, l1_svm(), foldid = fold)$measures)
})

test_that("errors of one-against-one fits are those of the vote", {
  x <- as.matrix(iris[1:4])
  fold <- rep_len(1:5, 150)
  for (method in list(norm_svm(), ard(multiclass = "ovo"))) {
    cv <- cv_zeronorm(x, iris$Species, method, foldid = fold)
    wrong <- logical(150)
    for (k in 1:5) {
      fit <- zeronorm(x[fold != k, ], iris$Species[fold != k], method)
      wrong[fold == k] <- predict(fit, x[fold == k, ]) != iris$Species[fold == k]
    }
    expect_equal(cv$summary$mean, mean(wrong))
    expect_equal(sum(diag(confusion_table(cv))), sum(!wrong))
  }
})

test_that("the confusion table counts observations held out", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = c(8, 2), errors = "l2"), folds = 4,
                                   repeats = 2, predictions = TRUE))
  for (k in 1:2) {
    predicted <- factor(cv$link[, k, ] > 0, labels = levels(data$y))
    by_hand <- table(truth = rep(data$y, 2), predicted = predicted)
    expect_equal(unclass(confusion_table(cv, index = k)), unclass(by_hand))
  }
  expect_identical(confusion_table(cv, nonzero = 8), confusion_table(cv, index = 1))
  expect_identical(confusion_table(cv), confusion_table(cv, index = cv$best[["1se"]]))
  expect_zeronorm_error(confusion_table(cv, index = 1:2), "index", "2 solutions")
  numbers <- cv_zeronorm(data$x, data$x[, 1], lasso(lambda = 0.1), task = "regression", folds = 4)
  expect_zeronorm_error(confusion_table(numbers), "object", "no single class")
})

test_that("decision values held out are kept where they are asked for", {
  data <- gene_data()
  fold <- rep_len(1:4, 40)
  method <- arom("l2", nonzero = c(8, 2), errors = "l2")
  cv <- cv_zeronorm(data$x, data$y, method, foldid = cbind(fold, rev(fold)), predictions = TRUE)
  fit <- zeronorm(data$x[fold != 3, ], data$y[fold != 3], method)
  expect_equal(cv$link[fold == 3, , 1], unname(predict(fit, data$x[fold == 3, ], "link")))
  expect_identical(dim(cv$link), c(40L, 2L, 2L))
  expect_null(cv_zeronorm(data$x, data$y, method, foldid = fold)$link)
  monte <- with_stream(1, cv_zeronorm(data$x, data$y, method, folds = monte_carlo(3), predictions = TRUE))
  for (k in 1:3) expect_identical(which(!is.na(monte$link[, 1, k])), monte$splits[[k]]$test)
})

test_that("covariates without a penalty are counted nowhere, shares are at most 1", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = 2^(0:3), errors = "l2"), folds = 7,
                                   repeats = 7,
                                   unpenalized = c("g7", "g8")))
  expect_identical(cv$summary$nonzero, as.integer(2^(0:3)))
  expect_identical(unique(cv$measures$nonzero[cv$measures$solution == 1]), 1L)
  expect_identical(rownames(cv$frequency), setdiff(colnames(data$x), c("g7", "g8")))
  expect_true(max(cv$frequency) == 1)
  expect_equal(unname(Matrix::colSums(cv$frequency)), 2^(0:3))
  expect_false(any(c("g7", "g8") %in% unlist(cv$sets)))
  expect_identical(summary(cv)$features[["share of folds"]][summary(cv)$features$feature == "g7"], NA_real_)
})

test_that("the summary shows all solutions, all measures of one, and its features", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = c(8, 2), errors = "l2"), folds = 4))
  found <- summary(cv, nonzero = 8)
  expect_identical(found$shown, 1L)
  expect_identical(found$solutions, cv$summary)
  expect_equal(found$measures$mean[found$measures$measure == "error"], cv$summary$mean[1])
  expect_equal(found$features[["share of folds"]], unname(cv$frequency[found$features$feature, 1]))
  expect_output(print(found), "Observations held out, solution 1")
  expect_zeronorm_error(summary(cv, index = 1:2), "index")
})

test_that("loops take matrices, sparse matrices, data frames and formulas alike", {
  data <- gene_data(40, 6)
  frame <- data.frame(data$x, y = data$y)
  fold <- rep_len(1:4, 40)
  loops <- list(
    function(...) cv_zeronorm(..., method = l1_svm(C = c(0.1, 1)), foldid = fold)$summary,
    function(...) nested_zeronorm(..., method = l1_svm(C = c(1, 2)), foldid = fold, inner_folds = 3)$summary,
    function(...) permutation_test(..., method = l1_svm(), foldid = fold, permutations = 3)$permuted,
    function(...) learning_curve(..., method = l1_svm(), foldid = fold)$summary,
    function(...) stability_selection(..., method = l1_svm(), resamples = 4)$summary
  )
  for (loop in loops) {
    expected <- with_stream(1, loop(data$x, data$y))
    expect_equal(with_stream(1, loop(frame[1:6], data$y)), expected)
    expect_equal(with_stream(1, loop(y ~ ., frame)), expected)
    expect_equal(with_stream(1, loop(x = y ~ ., data = frame)), expected)
    expect_equal(with_stream(1, loop(formula = y ~ ., data = frame)), expected)
    expect_equal(with_stream(1, loop(as(data$x, "CsparseMatrix"), data$y)), expected, tolerance = 1e-5)
  }
})

test_that("loops take Bioconductor objects, and blocks by the name of a column", {
  skip_if_not_installed("SummarizedExperiment")
  data <- gene_data(40, 6)
  about <- data.frame(tissue = data$y, donor = rep(1:20, 2), row.names = paste0("s", 1:40))
  rownames(data$x) <- rownames(about)
  se <- SummarizedExperiment::SummarizedExperiment(list(counts = t(data$x)), colData = about)
  loops <- list(
    function(...) cv_zeronorm(..., method = l1_svm(C = c(0.1, 1)), folds = 4)$summary,
    function(...) nested_zeronorm(..., method = l1_svm(C = c(0.1, 1)), folds = 4, inner_folds = 3)$summary,
    function(...) permutation_test(..., method = l1_svm(), folds = 4, permutations = 3)[c("observed", "p")],
    function(...) learning_curve(..., method = l1_svm(), folds = 4)$summary,
    function(...) stability_selection(..., method = l1_svm(), resamples = 4)$summary
  )
  for (loop in loops) {
    expect_equal(with_stream(1, suppressMessages(loop(se, "tissue"))),
                 with_stream(1, suppressMessages(loop(data$x, data$y))))
  }
  expect_equal(with_stream(1, loops[[1]](se, "tissue", block = "donor")),
               with_stream(1, loops[[1]](data$x, data$y, block = about$donor)))
})

test_that("choices of other packages are pointed to ours", {
  data <- planted(30, 5, noise = 0.5)
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 3))
  expect_zeronorm_error(predict(cv, data$x, s = "lambda.1se"), "s", "\"1se\"")
  expect_zeronorm_error(selected(cv, s = "best"), "s", "\"min\"")
})

# References of compare_cv, permutation_test and learning_curve: the formulas and loops written out.

compare_data <- function() {
  with_stream(1, {
    x <- matrix(rnorm(60 * 20), 60)
    list(x = x, y = factor(x[, 1] - x[, 2] + rnorm(60) / 2 > 0))
  })
}

test_that("the t-test is Nadeau and Bengio's, Wilcoxon's that of stats", {
  data <- compare_data()
  folds <- with_stream(1, replicate(3, sample(rep(1:5, 12))))
  a <- cv_zeronorm(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"), foldid = folds)
  b <- cv_zeronorm(data$x, data$y, l2_svm(C = 0.01), foldid = folds)
  found <- compare_cv(a = a, b = b)
  d <- a$measures$error - b$measures$error
  t <- mean(d) / sqrt((1 / 15 + 12 / 48) * var(d))
  expect_equal(found$t, t)
  expect_equal(found$p, 2 * pt(-abs(t), 14))
  expect_equal(found$p_wilcoxon, suppressWarnings(wilcox.test(d)$p.value))
  three <- compare_cv(a = a, b = b, c = cv_zeronorm(data$x, data$y, l1_svm(C = 0.3), foldid = folds))
  expect_equal(nrow(three), 3)
  expect_equal(three$p_adjusted, p.adjust(three$p, "holm"))
  expect_equal(compare_cv(a, a)$p, 1)
  expect_output(print(found), "corrected resampled")
  expect_error(compare_cv(a), class = "zeronorm_error")
  other <- with_stream(2, cv_zeronorm(data$x, data$y, l1_svm(), folds = 5))
  expect_error(compare_cv(a, other), "different folds", class = "zeronorm_error")
})

test_that("a permutation test is small where there is a signal, and not where there is none", {
  data <- compare_data()
  method <- arom("l2", nonzero = 2, errors = "l2")
  signal <- with_stream(1, permutation_test(data$x, data$y, method, permutations = 19, folds = 4))
  expect_equal(signal$p, 1 / 20)
  noise <- with_stream(4, permutation_test(data$x, sample(data$y), method, permutations = 19, folds = 4))
  expect_gt(noise$p, 0.05)
  expect_equal(noise$p, (1 + sum(noise$permuted <= noise$observed)) / 20)
  auc <- with_stream(1, permutation_test(data$x, data$y, method, permutations = 4, folds = 4, loss = "auc"))
  expect_equal(auc$p, 1 / 5)
  expect_output(print(signal), "p = 0.05 (19 permutations)", fixed = TRUE)
})

test_that("labels are permuted between blocks of the same size", {
  data <- list(x = list(x = matrix(1:6, 6)), y = 1:6, labels = list(y = 1:6, class = 1:6),
               block = c(1, 1, 2, 2, 3, 4),
               weights = NULL)
  for (seed in 1:5) {
    y <- with_stream(seed, permute_labels(data))$y
    expect_true(setequal(y[1:2], 1:2) || setequal(y[1:2], 3:4))
    expect_setequal(y[5:6], 5:6)
  }
})

test_that("a learning curve trains on nested parts of each training set", {
  data <- compare_data()
  curve <- with_stream(1, learning_curve(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"),
                                         sizes = c(15, 45),
                                         folds = 4))
  expect_equal(curve$summary$train, c(15, 45))
  expect_lt(curve$summary$mean[2], curve$summary$mean[1])
  part <- smaller_tasks(list(run = 1, fold = 1, train = 1:40, test = 41:60, stream = c(10407L, 1:6)),
                        c(0.5, 1),
                        rep(1:2, each = 30))
  expect_true(all(part[[1]]$train %in% part[[2]]$train))
  expect_equal(sum(part[[1]]$train <= 30), 15)
  expect_error(learning_curve(data$x, data$y, sizes = 100), class = "zeronorm_error")
})

test_that("a learning curve of a path is that of the member chosen inside", {
  data <- planted(60, 6, noise = 0.5)
  # At a price of next to nothing no feature is selected, so that the choice is known.
  curve_of <- function(C) {
    with_stream(1, learning_curve(data$x, data$y, l1_svm(C), sizes = c(24, 45), folds = 4, s = "min"))
  }
  path <- curve_of(c(1e-8, 1))
  expect_equal(path$summary, curve_of(1)$summary)
  expect_output(print(path), "zeronorm_curve")
})

test_that("a method that fails with all permuted labels has no p-value", {
  data <- separated(12, 3)
  expect_zeronorm_error(suppressWarnings(with_stream(1, permutation_test(data$x, data$y, fw1(), permutations = 2, folds = 2))),
                        "method", "all permuted labels")
})

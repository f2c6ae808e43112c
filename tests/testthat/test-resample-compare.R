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
  expect_error(compare_cv(a, other), "different splits", class = "zeronorm_error")
})

test_that("a permutation test is small where there is a signal, and not where there is none", {
  data <- compare_data()
  method <- arom("l2", nonzero = 2, errors = "l2")
  signal <- with_stream(1, permutation_test(data$x, data$y, method, permutations = 19, folds = 4))
  expect_equal(signal$p, 1 / 20)
  noise <- lapply(4:6, function(seed) {
    with_stream(seed, permutation_test(data$x, sample(data$y), method, permutations = 19, folds = 4))
  })
  expect_gt(mean(vapply(noise, `[[`, 0, "p")), 0.1)
  for (one in noise) expect_equal(one$p, (1 + sum(one$permuted <= one$observed)) / 20)
  auc <- with_stream(1, permutation_test(data$x, data$y, method, permutations = 4, folds = 4,
                                          measure = "auc"))
  expect_equal(auc$p, 1 / 5)
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  expect_identical(plot(signal), signal$permuted)
  expect_output(print(signal), "p = 0.05 (19 permutations)", fixed = TRUE)
})

test_that("results are compared by what splits contribute, also where a fold lacks a class", {
  y <- factor(rep(c("a", "b"), c(34, 6)))
  x <- with_stream(1, matrix(rnorm(240), 40))
  x[y == "b", 1] <- x[y == "b", 1] + 2
  fold <- with_stream(2, sample(rep_len(1:10, 40)))
  a <- cv_zeronorm(x, y, l1_svm(C = 1), foldid = fold, measure = "balanced")
  b <- cv_zeronorm(x, y, l1_svm(C = 1e-7), foldid = fold, measure = "balanced")
  expect_true(anyNA(a$measures$balanced))
  found <- compare_cv(a, b)
  expect_equal(c(found$mean_first, found$mean_second), c(a$summary$mean, 0.5))
  expect_identical(found$df, 9)
  d <- a$contributions$balanced - b$contributions$balanced
  expect_equal(found$se, sqrt((1 / 10 + 4 / 36) * var(d)))
  own <- function(truth, prediction) mean(truth != prediction)
  other <- function(truth, prediction) mean(truth == prediction)
  custom <- lapply(list(own, own, other), function(f) cv_zeronorm(x, y, l1_svm(), foldid = fold, measure = f))
  expect_identical(compare_cv(custom[1:2])$difference, 0)
  expect_zeronorm_error(compare_cv(custom[2:3]), "measure", "different functions")
  expect_zeronorm_error(compare_cv(a, b, measure = "logloss"), "measure", "not all results")
  expect_zeronorm_error(compare_cv(a, b, measure = "run"), "measure")
})

test_that("labels are permuted between blocks of the same size, or between blocks of one label each", {
  request <- function(y, block) {
    list(x = list(x = matrix(0, length(y), 1)), labels = list(y = y, class = y), block = block)
  }
  mixed <- request(1:6, c(1, 1, 2, 2, 3, 4))
  for (seed in 1:5) {
    y <- with_stream(seed, permute_labels(mixed))$request$labels$y
    expect_true(identical(y[1:2], 1:2) || identical(y[1:2], 3:4))
    expect_setequal(y[1:4], 1:4)
    expect_setequal(y[5:6], 5:6)
  }
  # Patients of one, two and three samples, each with one label.
  block <- rep(1:6, c(1, 2, 3, 1, 2, 3))
  patients <- request(c(1, 1, 2, 2, 2, 1)[block], block)
  sums <- vapply(1:30, function(seed) {
    y <- with_stream(seed, permute_labels(patients))$request$labels$y
    expect_true(all(tapply(y, block, function(v) length(unique(v))) == 1))
    expect_identical(sum(tapply(y, block, `[`, 1)), 9)
    sum(y)
  }, 0)
  expect_gt(length(unique(sums)), 1)
  x <- with_stream(1, matrix(rnorm(66), 33))
  unequal <- rep(1:6, 3:8)
  y <- with_stream(2, factor(sample(1:2, 33, TRUE)))
  expect_zeronorm_error(permutation_test(x, y, l1_svm(), permutations = 3, folds = 3, block = unequal),
                        "block",
                        "nothing to permute")
  same <- factor(c(1, 2, 1, 2, 2, 1)[unequal])
  # Twenty arrangements of three patients among six.
  found <- with_stream(1, permutation_test(x, same, l1_svm(), permutations = 30, folds = 3, block = unequal))
  expect_gt(length(unique(found$permuted)), 5)
  # Blocks of equal size whose first labels are all the same, but not their second ones.
  expect_message(check_permutable(request(c(1, 1, 1, 2, 1, 1, 1, 2), rep(1:4, each = 2))), "6 ways")
  expect_zeronorm_error(check_permutable(request(c(1, 2, 1, 2, 1, 2), rep(1:3, each = 2))), "block", "nothing")
  two <- rep(1:3, c(11, 11, 11))
  expect_message(check_permutable(request(c(1, 2, 1)[two], two)), "3 ways")
})

test_that("given splits go with the labels, so that folds stay stratified", {
  y <- factor(rep(c("a", "b"), c(28, 12)))
  x <- with_stream(1, matrix(rnorm(160), 40))
  fold <- with_stream(2, draw_folds(as.integer(y), 4))
  request <- new_request(x, y, l1_svm())
  given <- make_splits(request, foldid = fold)
  moved <- with_stream(3, permute_labels(request, given))
  expect_false(identical(moved$request$labels$class, request$labels$class))
  for (k in 1:4) {
    expect_identical(table(moved$request$labels$class[moved$splits[[k]]$test]),
                     table(request$labels$class[given[[k]]$test]))
    expect_setequal(c(moved$splits[[k]]$train, moved$splits[[k]]$test), 1:40)
  }
  # Rows that are drawn twice are drawn twice still.
  twice <- list(list(run = 1L, fold = 1L, train = c(1:30, 1:5), test = 31:40))
  twice <- new_splits(twice, request, "bootstraps", "foldid")
  moved <- with_stream(3, permute_labels(request, twice))
  expect_identical(sort(tabulate(moved$splits[[1]]$train, 40)), rep(0:2, c(10, 25, 5)))
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

test_that("a learning curve of probabilities calibrates inside, one solution or several", {
  data <- compare_data()
  curve <- with_stream(1, learning_curve(data$x, data$y, l1_svm(C = 0.3), sizes = c(20, 45), folds = 4,
                                         measure = "logloss"))
  expect_identical(curve$summary$folds, c(4L, 4L))
  expect_true(all(is.finite(curve$summary$mean)))
  splits <- with_stream(1, draw_streams(make_splits(new_request(data$x, data$y, l1_svm(C = 0.3)), 4)))
  task <- smaller_tasks(splits[[1]], c(20, 45), as.integer(data$y))[[2]]
  cv <- on_stream(task$stream, cv_zeronorm(data$x[task$train, ], data$y[task$train], l1_svm(C = 0.3)))
  p <- predict(cv, data$x[task$test, ], type = "prob")
  row <- curve$measures[curve$measures$fold == 1 & curve$measures$part == 2, ]
  expect_equal(row$logloss, -mean(log(ifelse(data$y[task$test] == "TRUE", p, 1 - p))))
})

test_that("measures of a learning curve are pooled over its folds", {
  y <- factor(rep(c("a", "b"), c(35, 5)))
  x <- with_stream(1, matrix(rnorm(120), 40))
  curve <- with_stream(2, learning_curve(x, y, l1_svm(C = 1e-7), sizes = c(20, 36), folds = 10,
                                         measure = "balanced"))
  expect_equal(curve$summary$mean, c(0.5, 0.5))
})

test_that("the default asks for as many features as there are", {
  data <- gene_data(40, 6)
  curve <- with_stream(1, learning_curve(data$x, data$y, sizes = 30, folds = 4))
  expect_identical(curve$method$args$nonzero, 6)
  expect_identical(with_stream(1, learning_curve(data$x, data$y, sizes = 30, folds = 4,
                                                 unpenalized = 1:2))$method$args$nonzero, 4)
})

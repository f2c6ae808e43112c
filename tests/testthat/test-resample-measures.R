# References: counts over all observations and pairs and formulas by hand, packages pROC and yardstick, and
# the jackknife written out.

two_held <- function(y, f, p = NULL) {
  labels <- list(task = "two-class", y = y, class = (y + 3) / 2, levels = c("no", "yes"))
  new_held(labels, cbind(f), p = if (!is.null(p)) cbind(p))
}

several_held <- function(class, f, p = NULL, pairs = NULL, levels = letters[1:3]) {
  labels <- list(task = "k-class", y = 2 * outer(class, seq_along(levels), "==") - 1, class = class,
                 levels = levels)
  new_held(labels, f, p = p, pairs = pairs)
}

value_of <- function(name, held, measure = c(measure_table()[[name]], name = name)) {
  found <- score_folds(measure, held, rep(1L, nrow(held$f)), 1)
  expect_identical(found$own, found$parts)
  found$own
}

test_that("every measure of two classes is what its formula says", {
  y <- c(1, 1, -1, -1, -1, 1, -1)
  f <- c(0.5, -1, -2, 0.5, -0.1, 2, -3)
  p <- plogis(2 * f - 0.5)
  held <- two_held(y, f, p)
  expect_equal(value_of("error", held), 2 / 7)
  expect_equal(value_of("balanced", held), mean(c(1 / 3, 1 / 4)))
  expect_equal(value_of("sensitivity", held), 2 / 3)
  expect_equal(value_of("specificity", held), 3 / 4)
  expect_equal(value_of("mcc", held), cor(y, ifelse(f > 0, 1, -1)))
  # All pairs of a positive and a negative; a tie is half a win.
  pairs <- outer(f[y > 0], f[y < 0], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(value_of("auc", held), mean(pairs))
  expect_equal(value_of("logloss", held), -mean(log(ifelse(y > 0, p, 1 - p))))
  expect_equal(value_of("brier", held), mean((p - (y > 0))^2))
  line <- new_held(list(task = "regression", y = y), cbind(f))
  expect_equal(value_of("mse", line), mean((f - y)^2))
  expect_equal(value_of("mae", line), mean(abs(f - y)))
  expect_identical(value_of("error", two_held(y, NA * f)), NA_real_)
})

test_that("several classes and labels are judged as a whole", {
  f <- rbind(c(2, 1, 0), c(1, 1, 0), c(-1, 0, 3), c(0, 2, 1), c(0, 0.5, 0.1))
  class <- c(1, 2, 3, 1, 2)
  p <- plogis(f) / rowSums(plogis(f))
  held <- several_held(class, f, p)
  # A tie goes to the first class; the second and the fourth row are wrong.
  expect_identical(value_of("error", held), 0.4)
  expect_equal(value_of("balanced", held), mean(c(0.5, 0.5, 0)))
  expect_equal(value_of("sensitivity", held), mean(c(0.5, 0.5, 1)))
  expect_equal(value_of("specificity", held), mean(c(2 / 3, 2 / 3, 1)))
  expect_equal(value_of("logloss", held), -mean(log(p[cbind(1:5, class)])))
  expect_equal(value_of("brier", held), mean(rowSums((p - diag(3)[class, ])^2)))
  # Hand and Till over all pairs of classes.
  area <- function(i, j) {
    mean(outer(f[class == i, i], f[class == j, i], function(a, b) (a > b) + (a == b) / 2))
  }
  expect_equal(value_of("auc", held), mean(c(area(1, 2), area(2, 1), area(1, 3), area(3, 1), area(2, 3),
                                             area(3, 2))))
  y <- cbind(c(1, -1, 1, 1), c(1, 1, -1, 1))
  labels <- list(task = "multi-label", y = y, levels = c("a", "b"))
  q <- plogis(f[1:4, 1:2])
  held <- new_held(labels, f[1:4, 1:2], p = q)
  # Wrong in one label is wrong.
  expect_identical(value_of("error", held), mean(rowSums((f[1:4, 1:2] > 0) != (y > 0)) > 0))
  expect_equal(value_of("logloss", held), -mean(rowSums(ifelse(y > 0, log(q), log(1 - q)))))
  expect_equal(value_of("brier", held), mean(rowSums((q - (y > 0))^2)))
})

test_that("pairs of classes vote, and each pair has its own area", {
  pairs <- utils::combn(3, 2)
  # The pairs 1:2, 1:3, 2:3, positive for the second: votes for 1, 2, 3, and for 1 by strength.
  f <- rbind(c(-1, -1, 5), c(1, -1, -1), c(-1, 1, 1), c(-3, 1, -1), c(2, 0.5, -0.1))
  class <- c(1, 2, 3, 1, 3)
  held <- several_held(class, f, pairs = pairs)
  expect_identical(held$code, vote(f, pairs))
  expect_identical(held$code[1:4], c(1L, 2L, 3L, 1L))
  expect_identical(value_of("error", held), mean(held$code != class))
  area <- function(k) {
    first <- f[class == pairs[1, k], k]
    second <- f[class == pairs[2, k], k]
    mean(outer(second, first, function(a, b) (a > b) + (a == b) / 2))
  }
  expect_equal(value_of("auc", held), mean(c(area(1), area(2), area(3))))
})

test_that("yardstick and pROC agree", {
  skip_if_not_installed("yardstick")
  skip_if_not_installed("pROC")
  class <- with_stream(1, c(1:3, sample(3, 57, TRUE)))
  f <- with_stream(2, matrix(rnorm(180), 60)) + 0.7 * diag(3)[class, ]
  p <- exp(f) / rowSums(exp(f))
  truth <- factor(letters[class])
  colnames(p) <- letters[1:3]
  held <- several_held(class, f, p)
  predicted <- factor(letters[held$code], letters[1:3])
  expect_equal(value_of("mcc", held), yardstick::mcc_vec(truth, predicted))
  expect_equal(1 - value_of("balanced", held), yardstick::sens_vec(truth, predicted, estimator = "macro"))
  expect_equal(value_of("specificity", held), yardstick::spec_vec(truth, predicted, estimator = "macro"))
  expect_equal(value_of("brier", held), 2 * yardstick::brier_class_vec(truth, p))
  ranked <- several_held(class, p, p)
  expect_equal(value_of("auc", ranked), yardstick::roc_auc_vec(truth, p, estimator = "hand_till"))
  two <- two_held(ifelse(class == 1, 1, -1), f[, 1])
  expect_equal(value_of("auc", two),
               as.numeric(pROC::auc(pROC::roc(class == 1, f[, 1], levels = c(FALSE, TRUE), direction = "<"))))
  # A function of yardstick is a measure, and says its direction.
  data <- gene_data()
  fold <- rep_len(1:4, 40)
  accuracy <- structure(yardstick::accuracy_vec, direction = "maximize")
  cv <- cv_zeronorm(data$x, data$y, l1_svm(C = c(0.01, 0.3)), foldid = fold, measure = accuracy)
  error <- cv_zeronorm(data$x, data$y, l1_svm(C = c(0.01, 0.3)), foldid = fold)
  expect_equal(cv$summary$mean, 1 - error$summary$mean)
  expect_equal(cv$summary$se, error$summary$se)
  expect_identical(cv$best, error$best)
})

test_that("contributions of folds average to the measure, and are a jackknife", {
  y <- with_stream(1, sample(c(-1, 1), 53, TRUE))
  f <- round(with_stream(2, rnorm(53)) + y / 2, 1)
  fold <- rep_len(c(1:5, 1, 2), 53)
  held <- two_held(y, f, plogis(f))
  size <- tabulate(fold)
  for (name in measures_for("two-class")) {
    measure <- c(measure_table()[[name]], name = name)
    found <- score_folds(measure, held, fold, 5)
    whole <- value_of(name, held)
    expect_equal(weighted.mean(found$parts, size), whole, info = name)
    expect_equal(found$own, vapply(1:5, function(k) value_of(name, take_held(held, which(fold == k))), 0),
                 info = name)
    # Pseudo-values of the jackknife that deletes folds of unequal sizes, moved so that they average to the
    # whole.
    without <- vapply(1:5, function(k) value_of(name, take_held(held, which(fold != k))), 0)
    times <- 53 / size
    pseudo <- times * whole - (times - 1) * without
    expect_equal(found$parts, pseudo - weighted.mean(pseudo, size) + whole, info = name)
    if (!is.null(measure$loss)) expect_equal(found$parts, found$own, info = name)
  }
  own <- check_measure(function(truth, prediction) mean(truth != prediction), "two-class")
  error <- score_folds(c(measure_table()$error, name = "error"), held, fold, 5)
  expect_equal(score_folds(own, held, fold, 5), error)
  several <- several_held(rep_len(1:3, 53), with_stream(3, matrix(rnorm(159), 53)))
  for (name in c("auc", "balanced", "specificity", "mcc")) {
    measure <- c(measure_table()[[name]], name = name)
    without <- vapply(1:5, function(k) value_of(name, take_held(several, which(fold != k))), 0)
    pseudo <- 53 / size * value_of(name, several) - (53 / size - 1) * without
    expect_equal(diff(score_folds(measure, several, fold, 5)$parts), diff(pseudo), info = name)
  }
})

test_that("a fold that failed is left out, with its observations", {
  y <- with_stream(1, sample(c(-1, 1), 40, TRUE))
  f <- with_stream(2, rnorm(40)) + y
  fold <- rep(1:4, 10)
  for (name in c("error", "balanced", "auc")) {
    measure <- c(measure_table()[[name]], name = name)
    failed <- score_folds(measure, two_held(y, replace(f, fold == 2, NA)), fold, 4)
    expect_identical(is.na(failed$parts), c(FALSE, TRUE, FALSE, FALSE))
    expect_equal(mean(failed$parts, na.rm = TRUE), value_of(name, two_held(y[fold != 2], f[fold != 2])))
  }
})

test_that("a constant classifier is guessing, whatever the folds", {
  y <- factor(rep(c("a", "b"), c(35, 5)))
  x <- with_stream(1, matrix(rnorm(120), 40))
  for (folds in c(5, 10, 40)) {
    for (method in list(l1_svm(C = 1e-7), dca("logistic", C = 1e-7))) {
      for (measure in c("balanced", "auc")) {
        cv <- with_stream(2, cv_zeronorm(x, y, method, folds = folds, measure = measure))
        expect_identical(cv$summary$nonzero, 0L)
        expect_equal(cv$summary$mean, 0.5, info = paste(folds, measure))
      }
      expect_equal(with_stream(2, cv_zeronorm(x, y, method, folds = folds, measure = "mcc"))$summary$mean, 0)
      expect_equal(with_stream(2, cv_zeronorm(x, y, method, folds = folds,
                                              measure = "sensitivity"))$summary$mean, 0)
    }
  }
})

test_that("measures of a repeat are those of all its observations held out", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 10, repeats = 3,
                                   measure = "balanced",
                                   predictions = TRUE))
  pooled <- vapply(1:3, function(run) {
    wrong <- (cv$link[, 2, run] > 0) != (data$y == "tumour")
    mean(tapply(wrong, data$y, mean))
  }, 0)
  expect_equal(cv$summary$mean[2], mean(pooled))
  rows <- cv$contributions[cv$contributions$solution == 2, ]
  expect_equal(as.vector(tapply(rows$balanced, rows$run, mean)), pooled)
  expect_equal(cv$summary$se[2], sd(rows$balanced) / sqrt(10))
})

test_that("standard errors of folds of any size are the standard deviation by the root of their number", {
  value <- c(0.1, 0.3, 0.2, 0.6, 0.1, 0.4)
  size <- c(14, 13, 13, 14, 13, 13)
  # Three folds of 40 observations, twice.
  expect_equal(fold_mean(value, size, 40)$se, sd(value) / sqrt(3))
  expect_equal(fold_mean(value, size, 40)$mean, weighted.mean(value, size))
  expect_equal(fold_mean(c(value, NA), c(size, 40), 40)$folds, 6)
})

test_that("a function of the user gets labels, predictions, decision values and probabilities", {
  data <- gene_data()
  fold <- rep_len(1:4, 40)
  seen <- NULL
  look <- function(truth, prediction, prob, link) {
    seen <<- list(truth = truth, prediction = prediction, prob = prob, link = link)
    mean(truth != prediction)
  }
  cv <- cv_zeronorm(data$x, data$y, l1_svm(C = 0.3), foldid = fold, measure = look, predictions = TRUE)
  expect_identical(cv$measure, "custom")
  expect_equal(cv$summary$mean, mean((cv$link[, 1, 1] > 0) != (data$y == "tumour")))
  expect_identical(levels(seen$truth), levels(data$y))
  expect_identical(levels(seen$prediction), levels(data$y))
  expect_true(all(seen$prob > 0 & seen$prob < 1) && is.null(dim(seen$prob)))
  expect_true(all(seen$link %in% cv$link))
  expect_equal(unname(seen$prediction == "tumour"), seen$link > 0)
  classes <- cv_zeronorm(iris[1:4], iris$Species, m_svm(), folds = 3, measure = look)
  expect_identical(colnames(seen$prob), NULL)
  expect_identical(dim(seen$prob), dim(seen$link))
  numbers <- cv_zeronorm(data$x, data$x[, 1], lasso(lambda = c(0.1, 1)), task = "regression", foldid = fold,
                         measure = function(truth, prediction) sqrt(mean((truth - prediction)^2)))
  expect_gt(numbers$summary$se[1], 0)
  labels <- outer(as.integer(iris$Species), 1:3, "==") + 0
  both <- cv_zeronorm(as.matrix(iris[1:4]), labels, dca(C = 1), folds = 3,
                      measure = function(truth, prediction) mean(truth != prediction))
  expect_lt(both$summary$mean, 0.2)
  expect_output(print(cv), "custom measure")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(), measure = function(x) 1), "measure", "truth")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(),
                                    measure = function(truth, prediction) truth == prediction),
                        "measure", "one number")
  expect_zeronorm_error(cv_zeronorm(data$x, data$y, l1_svm(),
                                    measure = structure(function(truth, prediction) 1,
                                                        direction = "up")), "measure")
})

test_that("each task has its own measures, and words of other packages are pointed to ours", {
  expect_identical(area_under_curve(1:3, rep(TRUE, 3)), NA_real_)
  expect_identical(area_under_curve(c(1, 2), c(FALSE, TRUE)), 1)
  expect_identical(measures_for("regression"), c("mse", "mae"))
  expect_identical(measures_for("multi-label"), c("error", "logloss", "brier"))
  expect_identical(check_measure(NULL, "two-class")$name, "error")
  expect_zeronorm_error(check_measure("auc", "multi-label"), "measure", "\"error\"")
  expect_zeronorm_error(check_measure("custom", "two-class"), "measure", "\"error\"")
  data <- gene_data()
  for (loop in list(cv_zeronorm, nested_zeronorm, permutation_test, learning_curve)) {
    expect_zeronorm_error(loop(data$x, data$y, l1_svm(), nfolds = 3), "nfolds", "`folds`")
    expect_zeronorm_error(loop(data$x, data$y, l1_svm(), type.measure = "auc"), "type.measure", "`measure`")
    expect_zeronorm_error(loop(data$x, data$y, l1_svm(), loss = "auc"), "loss", "`measure`")
    expect_zeronorm_error(loop(data$x, data$y, l1_svm(), measure = "mse"), "measure", "\"error\"")
  }
  fit <- zeronorm(data$x, data$y, l1_svm())
  expect_zeronorm_error(calibrate_zeronorm(fit, data$x, data$y, nfolds = 3), "nfolds", "`folds`")
})

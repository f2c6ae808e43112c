# References: the same folds fitted one by one with every argument written out, glm() for the curve, and
# direct minimisation for the coupling of pairs.

# The curve by glm() and the formula of the shrinkage: c(a, b) on the values asinh(z).
curve_by_glm <- function(z, positive) {
  m <- sum(positive)
  target <- ifelse(positive, (m + 1) / (m + 2), 1 / (length(z) - m + 2))
  fit <- suppressWarnings(stats::glm(target ~ asinh(z), family = stats::binomial(), epsilon = 1e-14))
  ratio <- fit$null.deviance - fit$deviance
  a <- stats::coef(fit)[[2]] * (ratio - 1) / ratio
  rest <- suppressWarnings(stats::glm(target ~ 1, offset = a * asinh(z), family = stats::binomial(),
                                      epsilon = 1e-14))
  c(a, stats::coef(rest)[[1]])
}

# z of values held out, fold by fold; fit(rows) fits to some rows with every argument.
values_by_hand <- function(x, positive, fold, fit, newdata = x) {
  z <- numeric(length(fold))
  for (k in unique(fold)) {
    f <- predict(fit(which(fold != k)), newdata, "link")
    train <- fold != k
    middle <- (mean(f[train & positive]) + mean(f[train & !positive])) / 2
    z[fold == k] <- (f[fold == k] - middle) / sd(f[train])
  }
  z
}

expect_calibrated <- function(fit, x, y, fold, part, ...) {
  positive <- y == fit$levels[2]
  z <- values_by_hand(x, positive, fold, part)
  found <- calibrate_zeronorm(fit, x, y, foldid = fold, ...)
  curve <- curve_by_glm(z, positive)
  expect_equal(unname(found$calibration[[1]][c("a", "b"), 1]), curve, tolerance = 1e-6)
  f <- predict(fit, x, "link")
  middle <- (mean(f[positive]) + mean(f[!positive])) / 2
  expect_equal(unname(predict(found, x, type = "prob")),
               unname(plogis(curve[1] * asinh((f - middle) / sd(f)) + curve[2])), tolerance = 1e-6)
}

test_that("a fit is calibrated with the folds of a cross-validation", {
  data <- gene_data()
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  expect_zeronorm_error(predict(fit, data$x, type = "prob"), "type", "calibrate")
  calibrated <- with_stream(2, calibrate_zeronorm(fit, data$x, data$y, folds = 4))
  cv <- with_stream(2, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4))
  expect_equal(predict(calibrated, data$x, type = "prob", s = 1), predict(cv, data$x, type = "prob", s = 1))
  expect_zeronorm_error(calibrate_zeronorm(fit, data$x[-1, ], data$y[-1]), "x", "rows")
  expect_zeronorm_error(calibrate_zeronorm(cv, data$x, data$y), "object")
  numbers <- zeronorm(data$x, data$x[, 1], lasso(lambda = 0.1), task = "regression")
  expect_zeronorm_error(calibrate_zeronorm(numbers, data$x, data$x[, 1]), "object", "regression")
})

test_that("every argument of the fit arrives in the folds", {
  data <- gene_data(50, 8)
  x <- data$x
  y <- data$y
  fold <- rep_len(1:5, 50)
  costs <- c(1, 50, rep(1, 6))
  method <- l1_svm(C = 0.3, costs = costs)
  expect_calibrated(zeronorm(x, y, method), x, y, fold, function(rows) zeronorm(x[rows, ], y[rows], method))
  # Without the costs there would be another curve.
  z <- values_by_hand(x, y == "tumour", fold, function(rows) zeronorm(x[rows, ], y[rows], l1_svm(C = 0.3)))
  found <- calibrate_zeronorm(zeronorm(x, y, method), x, y, foldid = fold)
  expect_gt(max(abs(curve_by_glm(z, y == "tumour") - found$calibration[[1]][c("a", "b"), 1])), 0.01)

  start <- dca("hinge", C = 1, start = rep(c(0, 1), 4), penalty = exp_penalty(5))
  expect_calibrated(zeronorm(x, y, start), x, y, fold, function(rows) zeronorm(x[rows, ], y[rows], start))

  groups <- rep(1:4, each = 2)
  rfe <- svm_rfe(nonzero = 2)
  expect_calibrated(zeronorm(x, y, rfe, groups = groups), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], rfe, groups = groups))
  expect_calibrated(zeronorm(x, y, rfe, keep = "g7"), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], rfe, keep = "g7"))

  svm <- l1_svm(C = 0.2)
  weights <- with_stream(1, runif(50, 0.2, 3))
  expect_calibrated(zeronorm(x, y, svm, weights = weights), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], svm, weights = weights[rows]))
  others <- rev(weights)
  expect_calibrated(zeronorm(x, y, svm), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], svm, weights = others[rows]),
                    weights = others)
  heavier <- c(normal = 1, tumour = 4)
  expect_calibrated(zeronorm(x, y, svm, class_weights = heavier), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], svm, class_weights = heavier))
  expect_calibrated(zeronorm(x, y, svm, unpenalized = c("g8", "g3")), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], svm, unpenalized = c("g8", "g3")))
  expect_calibrated(zeronorm(x, y, svm, standardize = FALSE, intercept = FALSE), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], svm, standardize = FALSE, intercept = FALSE))
  expect_calibrated(zeronorm(x, y, svm, engine = "highs", control = zeronorm_control(tol = 1e-4)), x, y, fold,
                    function(rows) {
                      zeronorm(x[rows, ], y[rows], svm, engine = "highs",
                               control = zeronorm_control(tol = 1e-4))
                    })
  holes <- x
  holes[cbind(1:50, rep_len(1:8, 50))] <- NA
  expect_calibrated(zeronorm(holes, y, svm, impute = "median"), holes, y, fold,
                    function(rows) zeronorm(holes[rows, ], y[rows], svm, impute = "median"))
  # Labels 1 and 2 are numbers, which are classes only by `task`.
  codes <- as.integer(y)
  expect_calibrated(zeronorm(x, codes, svm, task = "classification"), x, codes, fold,
                    function(rows) zeronorm(x[rows, ], codes[rows], svm, task = "classification"))
  # A method that cross-validates inside, with folds of its own.
  inside <- rep_len(1:3, 50)
  tuned <- fs_svmcp(C_grid = c(0.1, 1))
  expect_calibrated(zeronorm(x, y, tuned, foldid = inside), x, y, fold,
                    function(rows) zeronorm(x[rows, ], y[rows], tuned, foldid = inside[rows]))
})

test_that("settings of a fit are those of its folds, one by one", {
  data <- gene_data()
  fit <- zeronorm(data$x, data$y, l1_svm(), engine = "highs", control = zeronorm_control(tol = 1e-3),
                  class_weights = "balanced", keep = NULL, unpenalized = 2)
  request <- request_of(fit, data$x, data$y)
  expect_identical(request$settings, fit$settings)
  expect_identical(request$method, fit$method)
  expect_identical(fit_request(request)$certificate$engine, "highs")
})

test_that("a formula and sparse matrices are calibrated like their columns", {
  frame <- droplevels(iris[51:150, ])
  fold <- rep_len(1:5, 100)
  by_formula <- calibrate_zeronorm(zeronorm(Species ~ ., frame, l1_svm()), frame, foldid = fold)
  by_columns <- calibrate_zeronorm(zeronorm(frame[1:4], frame$Species, l1_svm()), frame[1:4], frame$Species,
                                   foldid = fold)
  expect_equal(by_formula$calibration, by_columns$calibration)
  sparse <- as(as.matrix(frame[1:4]) * (as.matrix(frame[1:4]) > 2), "CsparseMatrix")
  of_sparse <- calibrate_zeronorm(zeronorm(sparse, frame$Species, l1_svm()), sparse, frame$Species,
                                  foldid = fold)
  of_dense <- calibrate_zeronorm(zeronorm(as.matrix(sparse), frame$Species, l1_svm()), as.matrix(sparse),
                                 frame$Species, foldid = fold)
  expect_equal(of_sparse$calibration, of_dense$calibration, tolerance = 1e-5)
})

test_that("a formula has no label among its features", {
  d <- with_stream(1, data.frame(y = factor(sample(rep(c("a", "b"), 30))), matrix(rnorm(180), 60)))
  fit <- with_stream(2, calibrate_zeronorm(zeronorm(y ~ ., d, l2_svm(1)), d, folds = 5))
  # Noise: nothing to learn.
  expect_lt(fit$calibration[[1]]["a", 1], 0.5)
})

test_that("the sigmoid is glm()'s on Platt's targets", {
  data <- with_stream(5, list(f = rnorm(80), positive = runif(80) < plogis(2 * rnorm(80))))
  m <- sum(data$positive)
  target <- ifelse(data$positive, (m + 1) / (m + 2), 1 / (80 - m + 2))
  glm <- suppressWarnings(stats::glm(target ~ data$f, family = stats::binomial(), epsilon = 1e-14))
  expect_equal(unname(fit_sigmoid(data$f, data$positive)), unname(rev(stats::coef(glm))), tolerance = 1e-7)
  # An observation of weight one half, twice, is one observation.
  twice <- fit_sigmoid(rep(data$f, 2), rep(data$positive, 2), rep(0.5, 160))
  expect_equal(twice, fit_sigmoid(data$f, data$positive), tolerance = 1e-7)
  split <- fit_sigmoid(c(-3:-1, 1:3), rep(c(FALSE, TRUE), each = 3))
  expect_true(all(is.finite(split)) && split[["a"]] > 0)
  # Values that point the wrong way, or nowhere: the share of the class, as Platt counts it.
  for (f in list(c(3, 2, 1, 0), c(1, 1, 1, 1))) {
    flat <- shrunken_sigmoid(f, c(FALSE, FALSE, TRUE, TRUE), rep(1, 4))
    expect_equal(flat, c(a = 0, b = 0))
  }
  flat <- shrunken_sigmoid(rep(1, 10), rep(c(TRUE, FALSE), c(2, 8)), rep(1, 10))
  expect_equal(plogis(flat[["b"]]), (2 * 3 / 4 + 8 / 10) / 10)
})

test_that("the log loss is that of curves fitted to the other observations", {
  genes <- gene_data()
  fold <- rep_len(1:4, 40)
  cv <- cv_zeronorm(genes$x, genes$y, l1_svm(), foldid = fold, measure = "logloss")
  positive <- genes$y == "tumour"
  z <- values_by_hand(genes$x, positive, fold,
                      function(rows) zeronorm(genes$x[rows, ], genes$y[rows], l1_svm()))
  for (k in 1:4) {
    here <- fold == k
    curve <- curve_by_glm(z[!here], positive[!here])
    p <- plogis(curve[1] * asinh(z[here]) + curve[2])
    expect_equal(cv$measures$logloss[k], -mean(log(ifelse(positive[here], p, 1 - p))), tolerance = 1e-6)
    expect_equal(cv$measures$brier[k], mean((p - positive[here])^2), tolerance = 1e-6)
  }
})

test_that("scales of decision values do not matter", {
  data <- gene_data()
  wild <- with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = c(4, 2)), folds = 5))
  expect_true(all(is.finite(unlist(wild$fit$calibration))))
  f <- cbind(c(-1, 0.5, 2, 30))
  calibration <- rbind(center = 0.25, spread = 2, a = 1.5, b = -0.2)
  expect_equal(probabilities(f, calibration, "two-class")[, 1],
               plogis(1.5 * asinh((f[, 1] - 0.25) / 2) - 0.2))
  scaled <- rbind(center = 25, spread = 200, a = 1.5, b = -0.2)
  expect_equal(probabilities(100 * f, scaled, "two-class"), probabilities(f, calibration, "two-class"))
  # A constant fit says the same of everybody.
  constant <- replace(calibration, 2, 0)
  dimnames(constant) <- dimnames(calibration)
  expect_equal(probabilities(f, constant, "two-class")[, 1], rep(plogis(-0.2), 4))
  expect_identical(probabilities(cbind(NA_real_), calibration, "two-class")[, 1], NA_real_)
})

test_that("the scale is that of the training data of each output", {
  data <- gene_data()
  request <- new_request(data$x, data$y, l1_svm(C = c(0.1, 1)))
  fit <- fit_request(request)
  f <- predict(fit, data$x, "link")
  positive <- data$y == "tumour"
  scale <- training_scale(fit, request)
  expect_equal(scale["center", ], unname((colMeans(f[positive, ]) + colMeans(f[!positive, ])) / 2))
  expect_equal(scale["spread", ], unname(apply(f, 2, sd)))
  pairs <- new_request(as.matrix(iris[1:4]), iris$Species, norm_svm())
  fit <- fit_request(pairs)
  f <- predict(fit, as.matrix(iris[1:4]), "link")
  middle <- (mean(f[iris$Species == "virginica", 3]) + mean(f[iris$Species == "versicolor", 3])) / 2
  expect_equal(training_scale(fit, pairs)[, 3],
               c(center = middle, spread = sd(f[iris$Species != "setosa", 3])))
  # Many observations: some of them, spread over all.
  many <- with_stream(1, {
    x <- matrix(rnorm(6000), 3000)
    new_request(x, x[, 1] + rnorm(3000) > 0, l2_svm())
  })
  fit <- fit_request(many)
  f <- predict(fit, many$x$x, "link")
  expect_equal(training_scale(fit, many)[["spread", 1]], sd(f), tolerance = 0.05)
})

test_that("probabilities of pairs are coupled into those of classes", {
  pairs <- utils::combn(4, 2)
  p <- with_stream(1, matrix(runif(18, 0.05, 0.95), 3))
  found <- couple_pairs(p, pairs)
  expect_equal(rowSums(found), rep(1, 3))
  for (i in 1:3) {
    r <- matrix(0.5, 4, 4)
    for (k in 1:6) {
      r[pairs[2, k], pairs[1, k]] <- p[i, k]
      r[pairs[1, k], pairs[2, k]] <- 1 - p[i, k]
    }
    lost <- function(q) {
      q <- exp(c(q, 0)) / sum(exp(c(q, 0)))
      sum((t(r) * q - r * rep(q, each = 4))^2)
    }
    best <- stats::optim(rep(0, 3), lost, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000))
    expect_equal(found[i, ], exp(c(best$par, 0)) / sum(exp(c(best$par, 0))), tolerance = 1e-4)
  }
  # Pairs that agree with probabilities give them back.
  q <- c(0.5, 0.3, 0.15, 0.05)
  agree <- matrix(q[pairs[2, ]] / (q[pairs[1, ]] + q[pairs[2, ]]), 1)
  expect_equal(couple_pairs(agree, pairs)[1, ], q, tolerance = 1e-6)
  expect_identical(couple_pairs(matrix(NA_real_, 1, 6), pairs), matrix(NA_real_, 1, 4))
})

test_that("one-against-one fits have probabilities of classes", {
  x <- as.matrix(iris[1:4])
  rownames(x) <- paste0("f", 1:150)
  cv <- with_stream(1, cv_zeronorm(x, iris$Species, norm_svm(), folds = 3))
  p <- predict(cv, x[c(1, 60, 140), ], type = "prob")
  expect_identical(dimnames(p), list(c("f1", "f60", "f140"), levels(iris$Species)))
  expect_equal(unname(rowSums(p)), rep(1, 3))
  expect_identical(max.col(p), 1:3)
  fit <- with_stream(1, calibrate_zeronorm(cv$fit, x, iris$Species, folds = 3))
  expect_equal(predict(fit, x, type = "prob"), predict(cv, x, type = "prob"))
  several <- with_stream(1, cv_zeronorm(x, iris$Species, norm_svm(C = c(0.1, 1)), folds = 3))
  both <- predict(several$fit, x[1:2, ], type = "prob")
  expect_length(both, 2)
  expect_identical(dim(both[[1]]), c(2L, 3L))
})

test_that("a calibrated class never contradicts its probability", {
  data <- gene_data()
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4))
  p <- predict(cv, data$x, type = "prob")
  expect_identical(predict(cv, data$x, cutoff = "calibrated") == "tumour", p > 0.5)
  both <- predict(cv$fit, data$x, cutoff = "calibrated")
  expect_identical(unname(as.matrix(both) == "tumour"), unname(predict(cv$fit, data$x, type = "prob") > 0.5))
  x <- as.matrix(iris[1:4])
  for (method in list(m_svm(C = 0.01), norm_svm())) {
    cv <- with_stream(1, cv_zeronorm(x, iris$Species, method, folds = 3))
    p <- predict(cv, x, type = "prob")
    expect_identical(as.integer(predict(cv, x, cutoff = "calibrated")), max.col(p, "first"))
  }
  labels <- outer(as.integer(iris$Species), 1:3, "==") + 0
  cv <- with_stream(1, cv_zeronorm(x, labels, dca(C = 1), folds = 3))
  expect_identical(predict(cv, x, cutoff = "calibrated"), (predict(cv, x, type = "prob") > 0.5) + 0L)
  expect_zeronorm_error(predict(cv, x, type = "link", cutoff = "calibrated"), "cutoff", "link")
  expect_zeronorm_error(predict(cv, x, cutoff = 0.5), "cutoff")
  expect_zeronorm_error(predict(zeronorm(data$x, data$y, l1_svm()), data$x, cutoff = "calibrated"), "cutoff",
                        "not calibrated")
})

test_that("few genes of the colon tissues have probabilities that can be used", {
  x <- log(colon$x)
  sizes <- arom("l2", nonzero = 2^(0:7), errors = "l2")
  base <- mean(colon$y == levels(colon$y)[2])
  for (seed in 1:2) {
    cv <- with_stream(seed, cv_zeronorm(x, colon$y, sizes, measure = "logloss"))
    chosen <- cv$best[["1se"]]
    expect_lt(cv$summary$mean[chosen], -(base * log(base) + (1 - base) * log(1 - base)) - 0.05)
    p <- predict(cv, x, type = "prob")
    expect_gt(diff(range(p)), 0.6)
    class <- predict(cv, x, cutoff = "calibrated")
    expect_identical(unname(class == levels(colon$y)[2]), unname(p > 0.5))
    expect_lt(mean(class != predict(cv, x)), 0.1)
  }
})

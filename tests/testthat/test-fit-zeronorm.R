test_that("the default never fails on honest data", {
  data <- planted(40, 50, noise = 1)
  fit <- zeronorm(data$x, data$y)
  expect_identical(fit$certificate$target, as.integer(c(50, 25, 12, 6, 3, 1)))
  expect_identical(fit$certificate$nonzero, fit$certificate$target)
})

test_that("matrix, sparse matrix, data frame and formula agree", {
  data <- planted(40, 10)
  fit <- zeronorm(data$x, data$y, l1_svm())
  frame <- data.frame(data$x, y = data$y)
  expect_equal(coef(zeronorm(as(data$x, "dgCMatrix"), data$y, l1_svm())), coef(fit), tolerance = 1e-6)
  expect_equal(coef(zeronorm(frame[1:10], data$y, l1_svm())), coef(fit))
  expect_equal(coef(zeronorm(y ~ ., data = frame, l1_svm())), coef(fit))
  expect_equal(coef(zeronorm(y ~ . - 1, data = frame, l1_svm()))[["(Intercept)"]], 0)
})

test_that("solutions come in the order the user gave", {
  data <- planted(40, 10, noise = 1)
  C <- c(10, 0.1, 1)
  path <- zeronorm(data$x, data$y, l1_svm(C))
  expect_identical(path$certificate$C, C)
  for (k in 1:3) {
    expect_equal(coef(path, index = k), coef(zeronorm(data$x, data$y, l1_svm(C[k]))), tolerance = 1e-5)
  }
})

test_that("finite and infinite C share a path", {
  data <- separated()
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, Inf, 1)))
  expect_identical(fit$certificate$C, c(0.1, Inf, 1))
  expect_equal(coef(fit, s = Inf), coef(zeronorm(data$x, data$y, l1_svm(Inf))))
})

test_that("\"path\" halves the number of features", {
  expect_identical(target_sizes("path", 10, list()), c(10L, 5L, 2L, 1L))
  expect_identical(target_sizes("path", 10, list(keep = 1:2)), c(10L, 5L, 2L))
  expect_identical(target_sizes("path", 12, list(keep = 1:2, unpenalized = 11:12)), c(12L, 7L, 4L))
  expect_identical(target_sizes("path", 1, list()), 1L)
  expect_identical(target_sizes(NULL, 10, list()), integer())
})

test_that("bad input is an error that names its argument", {
  data <- planted(20, 5)
  x <- data$x
  y <- data$y
  expect_zeronorm_error(zeronorm(x), "y", "missing")
  expect_zeronorm_error(zeronorm(x, y[-1]), "y", "19 labels")
  expect_zeronorm_error(zeronorm("a", y), "x")
  expect_zeronorm_error(zeronorm(x, y, arom(nonzero = 6)), "nonzero", "6 features of 5")
  expect_zeronorm_error(zeronorm(x, y, l1_svm(costs = 1:4)), "costs", "length 4")
  expect_zeronorm_error(zeronorm(x, y, lambda = 1), "lambda", "inside")
  expect_zeronorm_error(zeronorm(x, y, groups = 1:5), "groups")
  expect_zeronorm_error(zeronorm(x, y, task = "regression"), "y", "number")
  expect_zeronorm_error(zeronorm(x, y, task = "survival"), "task")
  expect_zeronorm_error(zeronorm(x, y, engine = "gurobi"), "engine", "\"highs\"")
  expect_zeronorm_error(zeronorm(x, y, control = list(tol = 1)), "control")
  expect_zeronorm_error(zeronorm(x, y, keep = "nobody"), "keep", "'nobody'")
  expect_zeronorm_error(zeronorm(x, y, arom(nonzero = 1), keep = 1:2), "nonzero", "keep")
  expect_zeronorm_error(zeronorm(x, y, standardize = NA), "standardize")
  expect_zeronorm_error(zeronorm(y ~ x, data = list(y = 1)), "data")
  expect_zeronorm_error(zeronorm(x[1:3, ], c(0, 1, 1), fs_svmcp()), "y", "cross-validates")
})

test_that("entries that are not finite are named by column", {
  data <- planted(20, 5)
  for (bad in c(NA, NaN, Inf, -Inf)) {
    x <- data$x
    x[3, 4] <- bad
    expect_zeronorm_error(zeronorm(x, data$y, l1_svm()), "x", "'g4'")
    expect_zeronorm_error(zeronorm(as(x, "dgCMatrix"), data$y, l1_svm()), "x", "'g4'")
    expect_zeronorm_error(zeronorm(x, data$y, l2_svm(kernel = "gaussian")), "x", "'g4'")
    expect_zeronorm_error(zeronorm(unname(x), data$y, l1_svm()), "x", "'4'")
  }
})

test_that("weights are refused where the margin is hard", {
  data <- separated(20, 5)
  for (method in list(l1_svm(Inf), l2_svm(Inf), arom(), fw1())) {
    expect_zeronorm_error(zeronorm(data$x, data$y, method, weights = rep(1, 20)), "weights", "hard margin")
    expect_zeronorm_error(zeronorm(data$x, data$y, method, class_weights = "balanced"), "class_weights")
  }
})

test_that("weights are refused where slacks are features", {
  data <- planted(20, 5)
  method <- arom(errors = "zero")
  expect_zeronorm_error(zeronorm(data$x, data$y, method, weights = rep(1, 20)), "weights", "features")
  expect_s3_class(zeronorm(data$x, data$y, arom(errors = "l2"), weights = rep(1, 20)), "zeronorm")
})

test_that("classes that are not separable are an error where the margin is hard", {
  x <- matrix(c(1, 2, 3, 4), 4)
  y <- c(0, 1, 0, 1)
  for (method in list(l1_svm(Inf), l2_svm(Inf), arom(), arom("l1"), fw1())) {
    expect_zeronorm_error(zeronorm(x, y, method), "y", "not separable")
  }
  expect_zeronorm_error(zeronorm(x, y, arom()), "y", "errors = \"l2\"")
  expect_zeronorm_error(zeronorm(x, y, l1_svm(Inf)), "y", "finite C")
})

failing <- function(status) {
  list(coefficients = as(matrix(c(1, 0, 0, 0), 2), "dgCMatrix"), magnitude = 1, intercept = c(0, 0),
       alpha = NULL, C = c(NA, NA), step = 1:2, target = c(NA, NA), note = c("", "no luck"),
       trace = list(list(), list()), seconds = 0,
       facts = list(status = status, stop = rep("converged", 2), engine = rep("dual", 2),
                    fallback = rep(FALSE, 2), rounds = c(1L, 1L), kind = rep("gap", 2), primal = c(1, NA),
                    dual = c(1, NA), gap = c(0, NA), kkt = c(0, NA), nonzero = c(1L, 0L),
                    support_vectors = c(1L, 0L), errors = c(1L, 2L)))
}
facts_only <- list(task = "two-class", y = as.matrix(c(-1, 1, 1)), class = c(1, 2, 2), levels = c("a", "b"),
                   names = c("u", "v"), n = 3, d = 2)

data_only <- list(x = list(x = matrix(0, 3, 2, dimnames = list(NULL, c("u", "v")))),
                  labels = list(y = c(-1, 1, 1), class = c(1, 2, 2)))

test_that("a failed solution is never a sparse model", {
  one <- failing(c("optimal", "numerical failure"))
  expect_warning(fit <- new_zeronorm(l1_svm(C = 1:2), facts_only, one, data_only, NULL), "1 of 2 solutions .*failed")
  expect_true(all(is.na(coef(fit, index = 2))))
  expect_identical(unname(is.na(as.matrix(coef(fit)))[1, ]), c(FALSE, TRUE))
  expect_identical(selected(fit), list("C = 1" = "u", "C = 2" = NA_character_))
  expect_true(all(is.na(feature_importance(fit)[, 2])))
  new <- matrix(1, 2, 2, dimnames = list(NULL, c("u", "v")))
  expect_identical(unname(is.na(predict(fit, new, "link"))[1, ]), c(FALSE, TRUE))
  expect_true(all(is.na(predict(fit, new, index = 2))))
  expect_message(expect_identical(pick(fit, nonzero = 2), 1L), "taking the one with 1")
  expect_output(print(fit), "1 solution failed")
})

test_that("all failed is an error with the core's words", {
  failed <- failing(rep("numerical failure", 2))
  failed$note <- rep("no luck", 2)
  expect_zeronorm_error(new_zeronorm(l1_svm(C = 1:2), facts_only, failed, list()), "method", "no luck")
})

test_that("an engine that refuses says why", {
  data <- planted(20, 5)
  expect_zeronorm_error(zeronorm(data$x, data$y, l2_svm(), engine = "highs"), "engine", "linear.*Use engine")
  expect_zeronorm_error(zeronorm(data$x, data$y, l1_svm(), engine = "dual"), "engine", "l1_svm")
})

test_that("a fit holds no training data and reads back", {
  data <- planted(100, 200)
  fit <- zeronorm(data$x, data$y, l1_svm())
  expect_lt(length(serialize(fit, NULL)), 3e4)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$x), predict(fit, data$x))
})

test_that("costs go by name", {
  expect_identical(match_features(c(b = 2, a = 1), "costs", c("a", "b"), 2), c(1, 2))
  expect_identical(match_features(c(3, 4), "costs", c("a", "b"), 2), c(3, 4))
  expect_zeronorm_error(match_features(c(a = 3, z = 4), "costs", c("a", "b"), 2), "costs", "names")
})

test_that("unpenalised features stay, kept features survive", {
  data <- planted(40, 20)
  fit <- zeronorm(data$x, data$y, l1_svm(C = 0.05), unpenalized = "g7")
  expect_false(coef(fit)[["g7"]] == 0)
  expect_true("g9" %in% selected(zeronorm(data$x, data$y, arom(nonzero = 3, errors = "l2"), keep = "g9")))
})

test_that("the call costs little beside the core", {
  skip_on_cran()
  data <- planted(62, 2000)
  stopifnot(nrow(data$x) == 62)
  problem <- function() {
    labels <- encode_y(data$y, 62)
    method <- l1_svm()
    settings <- list(standardize = TRUE, intercept = TRUE, engine = "auto", control = zeronorm_control())
    p <- new_problem(encode_x(data$x), labels, method, settings, NULL, NULL)
    core_spec(p, method, settings, scale_slacks(method, p))
  }
  problem()
  seconds <- min(replicate(5, system.time(for (i in 1:10) problem())[["elapsed"]])) / 10
  expect_lt(seconds, 0.003)
})

# Unpenalised columns that hide what they span: far from zero, nearly constant, next to each other. Powers of
# two and few digits make the same from plain columns without a rounding.
hidden_columns <- function(n = 40) {
  set.seed(4)
  short <- function() round(1024 * rnorm(n)) / 1024
  far <- 2^30
  a <- short()
  b <- short()
  list(
    plain = cbind(u = a, v = b), x = matrix(rnorm(n * 8), n, dimnames = list(NULL, paste0("x", 1:8))),
    raw = list(far = cbind(a + far, b - far), flat = cbind(1 + a / far, 3 + b / far),
               near = cbind(a, a + b / far), both = cbind(1 + a, 1 + (a + b / far)),
               units = cbind(a * 1024^2, b / 1024^2))
  )
}

test_that("unpenalised columns count by what they span, in all verbs", {
  h <- hidden_columns()
  score <- h$x[, 1] - h$x[, 2] + h$plain[, "v"] + 0.5 * h$plain[, "u"]
  noise <- 0.3 * sin(seq_along(score)^2)
  two <- factor(score + noise > 0)
  apart <- factor(score > 0)
  three <- cut(score + noise, c(-Inf, -0.7, 0.7, Inf), labels = c("a", "b", "c"))
  tasks <- list(
    list(l2_svm(C = 1), two), list(l2_svm(C = 1, loss = "squared_hinge"), two), list(l1_svm(C = 1), two),
    list(l2_l1_svm(mu = 1, nu = 1), two), list(m_svm(C = 1), three), list(arom("l2"), apart),
    list(lasso(lambda = 1), score + noise), list(grafting(lambda1 = 0.05), two), list(sparse_fisher(), two),
    list(p_svm(epsilon = 0.1, C = 0.3), score + noise), list(med_svm(), two), list(ard(), two),
    list(r2w2(), apart), list(bound_rfe(bound = "span"), two),
    list(sensitivity_rfe(), two), list(adaptive_scaling(), two)
  )
  for (task in tasks) for (sparse in c(FALSE, TRUE)) {
    fitted <- function(free) {
      x <- cbind(h$x, free)
      colnames(x)[9:10] <- c("u", "v")
      data <- if (sparse) as(x, "dgCMatrix") else x
      fit <- zeronorm(data, task[[2]], task[[1]], standardize = FALSE, unpenalized = c("u", "v"),
                      task = if (is.numeric(task[[2]])) "regression" else "classification")
      list(primal = fit$certificate$primal, f = predict(fit, data, type = "link"))
    }
    wanted <- fitted(h$plain)
    for (kind in names(h$raw)) {
      label <- paste(class(task[[1]])[1], task[[1]]$name, kind, if (sparse) "sparse")
      got <- fitted(h$raw[[kind]])
      expect_equal(got$primal, wanted$primal, tolerance = 1e-5, info = label)
      expect_equal(got$f, wanted$f, tolerance = 1e-4, info = label)
    }
  }
})

test_that("a formula may be named", {
  frame <- data.frame(planted(30, 5)$x, label = rep(c("u", "v"), 15))
  named <- zeronorm(formula = label ~ ., data = frame, method = l1_svm())
  expect_equal(coef(named), coef(zeronorm(label ~ ., frame, l1_svm())))
  expect_zeronorm_error(zeronorm(), "x", "missing")
  expect_zeronorm_error(zeronorm(data = frame), "x", "missing")
  expect_zeronorm_error(zeronorm(label ~ ., as.list(frame)), "data", "data frame")
})

test_that("labels and weights that are named like the rows have to be in their order", {
  data <- planted(20, 5)
  rownames(data$x) <- paste0("s", 1:20)
  y <- stats::setNames(data$y, rownames(data$x))
  expect_equal(coef(zeronorm(data$x, y, l1_svm())), coef(zeronorm(data$x, unname(y), l1_svm())))
  expect_zeronorm_error(zeronorm(data$x, rev(y), l1_svm()), "y", "another order")
  expect_zeronorm_error(zeronorm(data$x, stats::setNames(y, 1:20), l1_svm()), "y", "not the row names")
  weights <- stats::setNames(rep(1:2, 10), rev(rownames(data$x)))
  expect_zeronorm_error(zeronorm(data$x, data$y, l1_svm(), weights = weights), "weights", "another order")
})

test_that("sizes count selected features, and covariates come on top", {
  data <- planted(40, 12, noise = 0.5)
  frame <- data.frame(data$x, batch = factor(rep(c("A", "B", "C"), length.out = 40)), age = sin(1:40))
  fit <- zeronorm(frame, data$y, arom(nonzero = c(8, 4, 2, 1), errors = "l2"), unpenalized = c("batch", "age"))
  expect_identical(certificate(fit)$target, c(8L, 4L, 2L, 1L))
  expect_identical(certificate(fit)$nonzero, c(8L, 4L, 2L, 1L))
  expect_identical(unname(lengths(selected(fit))), c(8L, 4L, 2L, 1L))
  expect_false(any(c("batchB", "batchC", "age") %in% unlist(selected(fit))))
  expect_true(all(c("batchB", "batchC", "age") %in% in_model(fit, nonzero = 1)))
  path <- zeronorm(frame, data$y, unpenalized = c("batch", "age"))
  expect_identical(certificate(path)$target, c(12L, 6L, 3L, 1L))
  kept <- zeronorm(data$x, data$y, arom(nonzero = 3, errors = "l2"), keep = c("g9", "g10"))
  expect_true(all(c("g9", "g10") %in% selected(kept)))
  expect_length(selected(kept), 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, arom(nonzero = 1), keep = c("g9", "g10")), "nonzero", "`keep`")
  expect_zeronorm_error(zeronorm(frame, data$y, arom(nonzero = 15), unpenalized = "age"), "nonzero", "of 14")
})

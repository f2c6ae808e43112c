sign_of <- function(y) ifelse(y == "up", 1, -1)

by_t <- function(x, y) {
  apply(x, 2, function(v) {
    (mean(v[y > 0]) - mean(v[y < 0]))^2 / (stats::var(v[y > 0]) + stats::var(v[y < 0]))
  })
}

# Reference of correlation_filter: the score by mean() and var(), the classifier by l2_svm() on the features.
test_that("the correlation filter ranks by the score of its definition", {
  data <- planted(25, 40, noise = 2)
  score <- by_t(data$x, sign_of(data$y))
  fit <- zeronorm(data$x, data$y, correlation_filter(nonzero = c(12, 3)))
  expect_identical(feature_ranking(fit), names(sort(score, decreasing = TRUE)))
  for (r in c(12, 3)) {
    best <- names(sort(score, decreasing = TRUE))[seq_len(r)]
    expect_setequal(selected(fit, nonzero = r), best)
  }
  soft <- zeronorm(data$x, data$y, correlation_filter(nonzero = 3, refit_C = 0.5))
  alone <- coef(zeronorm(data$x[, best], data$y, l2_svm(C = 0.5)))
  expect_equal(coef(soft)[names(alone)], alone, tolerance = 1e-7)
  # Any scaling gives the same order.
  for (standardize in c(TRUE, FALSE)) for (intercept in c(TRUE, FALSE)) {
    other <- zeronorm(sweep(data$x, 2, 1:40, "*") + 7, data$y, correlation_filter(nonzero = 3),
                      standardize = standardize, intercept = intercept)
    expect_identical(feature_ranking(other), feature_ranking(fit))
  }
})

test_that("constant features score nothing, those that vary between the classes only come first", {
  data <- planted(20, 6)
  y <- sign_of(data$y)
  x <- cbind(constant = 0.1, data$x, split = 0.3 * y + 0.1, zero = 0, step = ifelse(y > 0, 1e-8, 0))
  for (data_x in list(x, as(x, "dgCMatrix"))) for (intercept in c(TRUE, FALSE)) {
    fit <- zeronorm(data_x, data$y, correlation_filter(nonzero = c(2, 1)), intercept = intercept)
    expect_identical(feature_ranking(fit)[c(1, 2, 9, 10)], c("split", "step", "constant", "zero"))
    expect_identical(feature_ranking(fit)[3:8], names(sort(by_t(data$x, y), decreasing = TRUE)))
    expect_identical(certificate(fit)$errors, c(0L, 0L))
  }
})

test_that("a class of one observation has no variance", {
  data <- planted(12, 5)
  y <- c(1, rep(-1, 11))
  score <- (data$x[1, ] - colMeans(data$x[-1, ]))^2 / apply(data$x[-1, ], 2, stats::var)
  fit <- zeronorm(data$x, y, correlation_filter(nonzero = 1))
  expect_identical(feature_ranking(fit), names(sort(score, decreasing = TRUE)))
})

test_that("weights count rows in the moments; those of classes do not", {
  data <- planted(30, 20, noise = 2)
  weights <- rep(c(1, 3, 0), 10)
  rows <- rep(seq_len(30), weights)
  method <- correlation_filter(nonzero = c(6, 2))
  weighted <- zeronorm(data$x, data$y, method, weights = weights)
  repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
  expect_identical(feature_ranking(weighted), feature_ranking(repeated))
  expect_equal(as.matrix(coef(weighted)), as.matrix(coef(repeated)), tolerance = 1e-6)
  plain <- zeronorm(data$x, data$y, method)
  balanced <- zeronorm(data$x, data$y, method, class_weights = c(up = 5, down = 1))
  expect_identical(feature_ranking(balanced), feature_ranking(plain))
})

test_that("sparse equals dense", {
  data <- planted(25, 40, noise = 2)
  x <- data$x * (abs(data$x) > 0.7)
  for (method in list(correlation_filter(c(20, 4)), top_weights(c(20, 4)), top_weights(c(20, 4), "l1", C = 1),
                      ranking_filter(tolerance = 0))) {
    for (intercept in c(TRUE, FALSE)) {
      foldid <- rep_len(1:2, 25)
      dense <- zeronorm(x, data$y, method, intercept = intercept, foldid = foldid)
      sparse <- zeronorm(as(x, "dgCMatrix"), data$y, method, intercept = intercept, foldid = foldid)
      expect_identical(feature_ranking(sparse), feature_ranking(dense))
      expect_equal(as.matrix(coef(sparse)), as.matrix(coef(dense)), tolerance = 1e-8)
    }
  }
})

# Reference of top_weights: quadprog on the whole problem of the machine that ranks.
test_that("top_weights takes the largest weights of one machine", {
  skip_if_not_installed("quadprog")
  data <- planted(16, 20)
  for (C in c(Inf, 0.2)) {
    w <- abs(exact_svm(scale(data$x), sign_of(data$y), C)$w)
    fit <- zeronorm(data$x, data$y, top_weights(nonzero = c(8, 3), C = C))
    expect_identical(feature_ranking(fit), colnames(data$x)[order(-w)])
    expect_setequal(selected(fit, nonzero = 3), colnames(data$x)[order(-w)[1:3]])
  }
  inseparable <- planted(40, 5, noise = 2)
  w <- abs(exact_svm(scale(inseparable$x), sign_of(inseparable$y), 1e4)$w)
  fit <- zeronorm(inseparable$x, inseparable$y, top_weights(nonzero = 2))
  expect_identical(feature_ranking(fit), colnames(inseparable$x)[order(-w)])
})

test_that("with the l1 norm zeros follow in the order of their prices", {
  data <- planted(20, 30)
  x <- scale(data$x)
  y <- sign_of(data$y)
  fit <- zeronorm(data$x, data$y, top_weights(nonzero = 20, norm = "l1", C = 0.5))
  machine <- zeronorm(data$x, data$y, l1_svm(C = 0.5))
  used <- selected(machine)
  expect_identical(head(feature_ranking(fit), length(used)), used)
  expect_lt(length(used), 20)
  expect_identical(certificate(fit)$nonzero, 20L)
  # No zero is nearer to entering than those taken: the dual programme by another engine has the same prices.
  again <- zeronorm(data$x, data$y, top_weights(nonzero = 20, norm = "l1", C = 0.5), engine = "highs")
  expect_identical(feature_ranking(again), feature_ranking(fit))
})

test_that("refit = \"none\" leaves the largest weights as they are", {
  data <- planted(20, 30)
  machine <- zeronorm(data$x, data$y, l2_svm(C = 0.3))
  fit <- zeronorm(data$x, data$y, top_weights(nonzero = 5, C = 0.3, refit = "none"))
  expect_setequal(selected(fit), head(selected(machine), 5))
  expect_equal(coef(fit)[selected(fit)], coef(machine)[selected(fit)], tolerance = 1e-7)
  same <- zeronorm(data$x, data$y, top_weights(nonzero = 5, C = 0.3, refit_C = NULL))
  alone <- coef(zeronorm(data$x[, selected(same)], data$y, l2_svm(C = 0.3)))
  expect_equal(coef(same)[names(alone)], alone, tolerance = 1e-7)
})

test_that("features that are kept or unpenalised come first", {
  data <- planted(25, 20, noise = 1)
  for (method in list(correlation_filter(4), top_weights(4, C = 1), ranking_filter())) {
    for (given in c("keep", "unpenalized")) {
      arguments <- list(data$x, data$y, method, c("g20", "g19"), foldid = rep_len(1:2, 25))
      names(arguments)[4] <- given
      fit <- do.call(zeronorm, arguments)
      expect_setequal(feature_ranking(fit)[1:2], c("g19", "g20"))
      expect_true(all(c("g19", "g20") %in% in_model(fit)))
    }
  }
})

# Errors on the first fold of exact machines on the best features, the machine of all features ranking them.
filter_by_hand <- function(x, y, fold, C, patience = 5, tolerance = 0.001) {
  x <- scale(x)
  train <- fold != 1
  order <- order(-abs(exact_svm(x[train, ], y[train], C)$w))
  errors <- numeric()
  least <- Inf
  best <- failed <- 0
  for (m in seq_along(order)) {
    machine <- exact_svm(x[train, order[1:m], drop = FALSE], y[train], C)
    f <- x[!train, order[1:m], drop = FALSE] %*% machine$w + machine$b
    errors[m] <- mean(sign(f) != y[!train])
    if (errors[m] < least * (1 - tolerance)) {
      least <- errors[m]
      best <- m
    } else {
      failed <- failed + 1
    }
    if (failed == patience) break
  }
  list(order = order, errors = errors, best = best)
}

# Reference of ranking_filter: a loop in R around quadprog.
test_that("the ranking filter adds features until five additions have failed", {
  skip_if_not_installed("quadprog")
  sizes <- integer()
  for (seed in 1:4) {
    data <- planted(60, 25, noise = 1.5, seed = seed)
    fold <- rep_len(c(3, 1, 7), 60)
    for (C in c(0.05, 1)) {
      fit <- zeronorm(data$x, data$y, ranking_filter(C), foldid = fold)
      expected <- filter_by_hand(data$x, sign_of(data$y), fold, C)
      expect_identical(feature_ranking(fit), colnames(data$x)[expected$order])
      expect_equal(rounds(fit)$objective, expected$errors)
      expect_identical(rounds(fit)$nonzero, seq_along(expected$errors))
      best <- feature_ranking(fit)[seq_len(expected$best)]
      expect_setequal(selected(fit), best)
      alone <- coef(zeronorm(data$x[, best, drop = FALSE], data$y, l2_svm(C = C)))
      expect_equal(coef(fit)[names(alone)], alone, tolerance = 1e-7)
      sizes <- c(sizes, expected$best)
    }
  }
  expect_gt(length(unique(sizes)), 1)
  patient <- zeronorm(data$x, data$y, ranking_filter(C = 1, patience = 12, tolerance = 0.3), foldid = fold)
  expected <- filter_by_hand(data$x, sign_of(data$y), fold, 1, 12, 0.3)
  expect_equal(rounds(patient)$objective, expected$errors)
  expect_identical(length(selected(patient)), as.integer(expected$best))
})

test_that("the validation set is half of each class, drawn from the user's stream", {
  data <- planted(40, 10)
  fold <- with_stream(3, zeronorm:::draw_folds((data$y == "up") + 1L, 2))
  expect_identical(as.vector(table(fold, data$y)), rep(10L, 4))
  drawn <- with_stream(3, zeronorm(data$x, data$y, ranking_filter()))
  given <- zeronorm(data$x, data$y, ranking_filter(), foldid = fold)
  expect_identical(coef(drawn), coef(given))
  expect_zeronorm_error(zeronorm(data$x, data$y, ranking_filter(), weights = 1 * (fold == 2), foldid = fold),
                        "weights", "validation")
})

test_that("a path of C is a solution each, with its own ranking", {
  data <- planted(40, 10, noise = 1)
  fold <- rep_len(1:2, 40)
  both <- zeronorm(data$x, data$y, ranking_filter(C = c(0.01, Inf)), foldid = fold)
  expect_length(feature_ranking(both), 2)
  for (k in 1:2) {
    one <- zeronorm(data$x, data$y, ranking_filter(C = c(0.01, Inf)[k]), foldid = fold)
    expect_equal(unname(coef(both, index = k)), unname(coef(one)))
    expect_identical(feature_ranking(both, index = k), feature_ranking(one))
  }
})

test_that("filters of several classes sum the scores of each against the rest", {
  skip_if_not_installed("quadprog")
  data <- three_clouds(40, 15)
  signs <- lapply(levels(data$y), function(class) ifelse(data$y == class, 1, -1))
  labels <- do.call(cbind, signs) > 0
  score <- Reduce(`+`, lapply(signs, by_t, x = data$x))
  for (y in list(data$y, labels + 0)) {
    fit <- zeronorm(data$x, y, correlation_filter(nonzero = c(5, 2), refit_C = 1))
    expect_identical(feature_ranking(fit), names(sort(score, decreasing = TRUE)))
  }
  best <- head(feature_ranking(fit), 2)
  fit <- zeronorm(data$x, data$y, correlation_filter(nonzero = c(5, 2), refit_C = 1))
  alone <- coef(zeronorm(data$x[, best], data$y == "b", l2_svm()))
  expect_equal(coef(fit, nonzero = 2)$b[names(alone)], alone, tolerance = 1e-7)
  w <- rowSums(vapply(signs, function(y) abs(exact_svm(scale(data$x), y, 0.1)$w), numeric(15)))
  top <- zeronorm(data$x, data$y, top_weights(nonzero = 4, C = 0.1))
  expect_identical(feature_ranking(top), colnames(data$x)[order(-w)])
  expect_identical(certificate(top)$errors, sum(predict(top, data$x) != data$y))
})

test_that("the ranking filter judges several classes by the class of the largest value", {
  skip_if_not_installed("quadprog")
  data <- three_clouds(60, 12, shift = 1.2)
  fold <- rep_len(1:2, 60)
  x <- scale(data$x)
  train <- fold == 2
  machine <- function(columns) {
    lapply(levels(data$y), function(class) {
      exact_svm(x[train, columns, drop = FALSE], ifelse(data$y == class, 1, -1)[train], 0.5)
    })
  }
  order <- order(-Reduce(`+`, lapply(machine(1:12), function(m) abs(m$w))))
  fit <- zeronorm(data$x, data$y, ranking_filter(C = 0.5), foldid = fold)
  expect_identical(feature_ranking(fit), colnames(x)[order])
  errors <- vapply(rounds(fit)$nonzero, function(m) {
    f <- vapply(machine(order[1:m]), function(one) {
      as.vector(x[!train, order[1:m], drop = FALSE] %*% one$w + one$b)
    }, numeric(30))
    mean(levels(data$y)[max.col(f, "first")] != data$y[!train])
  }, 0)
  expect_equal(rounds(fit)$objective, errors)
})

test_that("arguments are checked", {
  expect_zeronorm_error(correlation_filter(), "nonzero", "missing")
  expect_zeronorm_error(top_weights(), "nonzero", "missing")
  expect_zeronorm_error(top_weights(2, norm = "l3"), "norm")
  expect_zeronorm_error(correlation_filter(2, refit = "none"), "refit")
  expect_zeronorm_error(ranking_filter(patience = 0), "patience")
  expect_zeronorm_error(ranking_filter(tolerance = 2), "tolerance")
  data <- planted(20, 6)
  expect_zeronorm_error(zeronorm(data$x, data$y, correlation_filter(7)), "nonzero", "7 features of 6")
})

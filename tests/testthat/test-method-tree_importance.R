bits <- function(y, weights) {
  p <- tapply(weights, y, sum) / sum(weights)
  p <- p[!is.na(p) & p > 0]
  -sum(p * log2(p))
}

mistakes <- function(y, weights) 1 - max(tapply(weights, y, sum), na.rm = TRUE) / sum(weights)

deviation <- function(y, weights) sum(weights * (y - sum(weights * y) / sum(weights))^2) / sum(weights)

# What each threshold of a column lowers the impurity by.
split_gains <- function(v, y, weights, impurity) {
  thresholds <- utils::head(sort(unique(v)), -1)
  gains <- vapply(thresholds, function(t) {
    left <- v <= t
    impurity(y, weights) - sum(weights[left]) / sum(weights) * impurity(y[left], weights[left]) -
      sum(weights[!left]) / sum(weights) * impurity(y[!left], weights[!left])
  }, 0)
  list(thresholds = thresholds, gains = gains)
}

best_gain <- function(...) max(0, split_gains(...)$gains)

# The tree by recursion: the sum over splits of their share of rows times their gain, for each feature.
tree_by_hand <- function(x, y, impurity, depth = Inf, weights = rep(1, length(y)), whole = sum(weights)) {
  none <- structure(numeric(ncol(x)), names = colnames(x))
  if (depth == 0 || impurity(y, weights) < 1e-9) return(none)
  splits <- lapply(seq_len(ncol(x)), function(j) split_gains(x[, j], y, weights, impurity))
  best <- vapply(splits, function(s) max(0, s$gains), 0)
  # Of gains that are equal but for rounding the first.
  j <- which(best >= max(best) - 1e-9)[1]
  if (best[j] < 1e-9) return(none)
  t <- splits[[j]]$thresholds[which(splits[[j]]$gains >= best[j] - 1e-9)[1]]
  left <- x[, j] <= t
  none[j] <- best[j] * sum(weights) / whole
  rest <- function(rows) {
    tree_by_hand(x[rows, , drop = FALSE], y[rows], impurity, depth - 1, weights[rows], whole)
  }
  none + rest(left) + rest(!left)
}

by_name <- function(fit, x) feature_importance(fit)[colnames(x)]

# Reference of tree_importance: entropies by hand, and the whole tree by recursion in R.
test_that("the first question has the mutual information", {
  x <- cbind(a = c(1, 2, 3, 4, 5, 6, 7, 8), b = c(1, 1, 2, 2, 1, 1, 2, 2), c = 8:1)
  y <- c("n", "n", "n", "y", "n", "y", "y", "y")
  fit <- zeronorm(x, y, tree_importance(3, depth = 1))
  # Four of each; a <= 3: three of one class against one and four; H(1/2) - 5/8 H(1/5).
  by_hand <- 1 - 5 / 8 * -(log2(1 / 5) / 5 + 4 / 5 * log2(4 / 5))
  expect_equal(feature_importance(fit)[["a"]], by_hand, tolerance = 1e-12)
  # b: two against two in each half says nothing; c is a, turned, and comes after it.
  expect_identical(feature_ranking(fit), c("a", "c", "b"))
  expect_equal(rounds(fit)$objective, c(1, 1 - by_hand), tolerance = 1e-12)
  errors <- zeronorm(x, y, tree_importance(1, split = "error", depth = 1))
  expect_equal(feature_importance(errors)[["a"]], 4 / 8 - 1 / 8, tolerance = 1e-12)
  data <- planted(40, 12, noise = 1)
  root <- apply(data$x, 2, best_gain, data$y, rep(1, 40), bits)
  fit <- zeronorm(data$x, data$y, tree_importance(12, depth = 1))
  expect_identical(feature_ranking(fit), names(sort(root, decreasing = TRUE)))
})

test_that("importance is that of the tree grown by recursion", {
  measures <- list(information = bits, error = mistakes)
  for (seed in 1:2) for (split in names(measures)) for (depth in c(2, Inf)) {
    data <- planted(40, 8, noise = 1.5, seed = seed)
    exact <- tree_by_hand(data$x, data$y, measures[[split]], depth)
    fit <- zeronorm(data$x, data$y, tree_importance(split = split, depth = depth))
    expect_equal(by_name(fit, data$x), exact, tolerance = 1e-9)
    expect_setequal(selected(fit), names(exact)[exact > 0])
    expect_true(all(diff(rounds(fit)$objective) < 0))
  }
  exact <- tree_by_hand(as.matrix(iris[1:4]), iris$Species, bits)
  expect_equal(by_name(zeronorm(iris[1:4], iris$Species, tree_importance()), iris[1:4]), exact,
               tolerance = 1e-9)
  expect_identical(certificate(zeronorm(iris[1:4], iris$Species, tree_importance()))$kind, "gap")
})

test_that("regression splits by squared deviations, labels by the sum of entropies", {
  data <- planted(40, 6)
  y <- data$x[, 1] + data$x[, 2]^2 + 1e3
  exact <- tree_by_hand(data$x, y, deviation, 3)
  fit <- suppressMessages(zeronorm(data$x, y, tree_importance(split = "error", depth = 3)))
  expect_equal(by_name(fit, data$x), exact, tolerance = 1e-8)
  expect_equal(rounds(fit)$objective[1], deviation(y, rep(1, 40)), tolerance = 1e-10)
  expect_zeronorm_error(zeronorm(data$x, y, tree_importance()), "y", "regression")
  labels <- cbind(one = data$x[, 1] > 0, two = data$x[, 2] > 0.3) + 0
  both <- function(v) best_gain(v, labels[, 1], rep(1, 40), bits)
  fit <- zeronorm(data$x, labels, tree_importance(depth = 1))
  sums <- lapply(1:6, function(j) {
    split_gains(data$x[, j], labels[, 1], rep(1, 40), bits)$gains +
      split_gains(data$x[, j], labels[, 2], rep(1, 40), bits)$gains
  })
  expect_equal(unname(feature_importance(fit)[1]), max(unlist(sums)), tolerance = 1e-9)
  expect_gt(both(data$x[, 1]), 0.9)
})

test_that("weights count rows, sparse equals dense, scales are of no account", {
  data <- planted(40, 8, noise = 1)
  weights <- with_stream(2, sample(0:3, 40, TRUE))
  rows <- rep(1:40, weights)
  for (split in c("information", "error")) {
    method <- tree_importance(4, split = split, leaf = 3)
    weighted <- zeronorm(data$x, data$y, method, weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
    expect_equal(feature_importance(weighted), feature_importance(repeated), tolerance = 1e-9)
    expect_equal(coef(weighted), coef(repeated), tolerance = 1e-6)
  }
  halves <- zeronorm(data$x, data$y, tree_importance(), weights = weights / 2)
  whole <- zeronorm(data$x, data$y, tree_importance(leaf = 2), weights = weights)
  expect_equal(feature_importance(halves), feature_importance(whole), tolerance = 1e-9)
  x <- round(data$x, 1) * (abs(data$x) > 0.7)
  dense <- zeronorm(x, data$y, tree_importance())
  expect_equal(feature_importance(zeronorm(as(x, "dgCMatrix"), data$y, tree_importance())), feature_importance(dense))
  scaled <- sweep(x, 2, 10^seq(-3, 4), "*")
  turned <- zeronorm(scaled, data$y, tree_importance(refit = "ls"), standardize = FALSE)
  expect_equal(feature_importance(turned), feature_importance(dense))
})

test_that("leaves, depth, duplicated columns and forced features", {
  data <- planted(40, 8, noise = 1)
  x <- cbind(data$x, again = data$x[, 1], same = 1)
  fit <- zeronorm(x, data$y, tree_importance())
  expect_false(any(c("again", "same") %in% selected(fit)))
  expect_identical(nrow(rounds(zeronorm(x, data$y, tree_importance(leaf = 21)))), 1L)
  none <- zeronorm(x, data$y, tree_importance(leaf = 21))
  expect_identical(certificate(none)$nonzero, 0L)
  expect_identical(certificate(none)$status, "optimal")
  forced <- zeronorm(x, data$y, tree_importance(leaf = 21), keep = "g5", unpenalized = "g6")
  expect_setequal(in_model(forced), c("g5", "g6"))
  expect_identical(selected(forced), "g5")
  path <- zeronorm(data$x, data$y, tree_importance("path"))
  expect_identical(certificate(path)$nonzero, c(8L, 4L, 2L, 1L))
  expect_zeronorm_error(tree_importance(split = "gini"), "split")
  expect_zeronorm_error(tree_importance(depth = 0), "depth")
  expect_zeronorm_error(tree_importance(leaf = 0), "leaf")
})

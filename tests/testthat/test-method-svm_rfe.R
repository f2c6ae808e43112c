# The elimination written down: exact machines on the columns left, standardised once; the unit of least score
# goes.  score: of the units, from |w|.
rfe_by_hand <- function(x, y, C = Inf, step = 1, stop_at = 1, groups = seq_len(ncol(x)), score = sum,
                        forced = integer(), ...) {
  x <- scale(x)
  present <- seq_len(ncol(x))
  dropped <- integer()
  repeat {
    w <- abs(exact_svm(x[, present, drop = FALSE], y, C, ...)$w)
    if (length(present) <= stop_at) break
    scores <- tapply(w, groups[present], score)
    scores <- scores[!names(scores) %in% groups[forced]]
    target <- max(stop_at, if (step < 1) floor(length(present) * (1 - step)) else length(present) - step)
    lowest <- names(sort(scores))
    for (unit in lowest) {
      members <- present[groups[present] == unit]
      if (unit != lowest[1] && length(present) - length(members) < target) break
      dropped <- c(members[order(-w[match(members, present)])], dropped)
      w <- w[!present %in% members]
      present <- setdiff(present, members)
    }
  }
  c(present[order(-w)], dropped)
}

# Reference of svm_rfe: a loop in R around quadprog on the whole problem of each round.
test_that("features go in the order of exact machines, one at a time", {
  skip_if_not_installed("quadprog")
  for (seed in 1:3) for (C in c(Inf, 0.1)) {
    data <- planted(16, 20, seed = seed)
    fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2, step = 1, C = C))
    order <- rfe_by_hand(data$x, sign_of(data$y), C, stop_at = 2)
    expect_identical(feature_ranking(fit), paste0("g", order))
    expect_setequal(selected(fit), paste0("g", order[1:2]))
    expect_identical(rounds(fit)$nonzero, 20:2)
    expect_lte(max(rounds(fit)$gap), 1e-9)
  }
})

test_that("shares and counts stop at the sizes asked for", {
  skip_if_not_installed("quadprog")
  data <- planted(16, 20)
  y <- sign_of(data$y)
  sizes <- function(...) rounds(zeronorm(data$x, data$y, svm_rfe(...)), index = 1)$nonzero
  expect_identical(sizes(), c(20L, 10L, 5L, 2L, 1L))
  expect_identical(sizes(nonzero = "path"), sizes())
  expect_identical(sizes(nonzero = c(7, 3)), c(20L, 10L, 7L, 3L))
  expect_identical(sizes(nonzero = 4, step = 7), c(20L, 13L, 6L, 4L))
  expect_identical(sizes(nonzero = 10, step = 0.1), c(20L, 18L, 16L, 14L, 12L, 10L))
  expect_identical(sizes(nonzero = 17, step = 0.01), 20:17)
  expect_identical(sizes(nonzero = 20), 20L)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 5))
  expect_identical(feature_ranking(fit), paste0("g", rfe_by_hand(data$x, y, step = 0.5, stop_at = 5)))
})

test_that("data that cannot be separated have the limit of large C", {
  skip_if_not_installed("quadprog")
  data <- planted(40, 6, noise = 1.5)
  y <- sign_of(data$y)
  expect_error(exact_svm(scale(data$x), y), "inconsistent")
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 1, step = 1))
  expect_identical(feature_ranking(fit), paste0("g", rfe_by_hand(data$x, y, C = 1e4)))
  # Separable at first, not in the end.
  data <- planted(16, 20, noise = 1.5, seed = 4)
  fit <- zeronorm(data$x, data$y, svm_rfe(step = 1))
  hard <- rfe_by_hand(data$x, sign_of(data$y), stop_at = 5)
  expect_setequal(head(feature_ranking(fit), 5), paste0("g", head(hard, 5)))
  expect_identical(feature_ranking(fit)[6:20], paste0("g", hard[6:20]))
  expect_identical(certificate(fit)$status, rep("optimal", 5))
})

test_that("the classifier is the machine on the features that stayed", {
  data <- planted(30, 12, noise = 0.5)
  path <- zeronorm(data$x, data$y, svm_rfe())
  expect_identical(certificate(path)$target, c(12L, 6L, 3L, 1L))
  expect_identical(certificate(path)$nonzero, certificate(path)$target)
  soft <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 3), C = 0.3, refit_C = 2))
  search <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 3), C = 0.3, refit = "none"))
  same <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 3), C = 0.3, refit_C = NULL))
  for (k in 1:2) {
    columns <- selected(soft, index = k)
    alone <- function(C) coef(zeronorm(data$x[, columns], data$y, l2_svm(C = C)))
    expect_equal(coef(soft, index = k)[c("(Intercept)", columns)], alone(2), tolerance = 1e-7)
    expect_equal(coef(search, index = k)[c("(Intercept)", columns)], alone(0.3), tolerance = 1e-7)
    expect_equal(coef(same, index = k), coef(search, index = k), tolerance = 1e-7)
    expect_equal(certificate(search)$primal[k], certificate(same)$primal[k], tolerance = 1e-7)
    expect_identical(certificate(soft)$kind[k], "gap")
    expect_lte(certificate(search)$gap[k], 1e-9)
  }
  l1 <- zeronorm(data$x, data$y, svm_rfe(nonzero = 6, C = 0.3, refit = "l1", refit_C = 1))
  columns <- selected(soft, index = 1)
  alone <- coef(zeronorm(data$x[, sort(columns)], data$y, l1_svm(C = 1)))
  expect_equal(coef(l1)[names(alone)], alone, tolerance = 1e-7)
})

test_that("several C are several eliminations", {
  data <- planted(30, 10, noise = 1)
  both <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(4, 2), step = 1, C = c(0.01, 10)))
  expect_identical(certificate(both)$C, rep(c(0.01, 10), each = 2))
  for (k in 1:2) {
    one <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(4, 2), step = 1, C = c(0.01, 10)[k]))
    expect_identical(feature_ranking(both, s = c(0.01, 10)[k]), feature_ranking(one))
    expect_identical(unname(feature_ranking(both)[[k]]), feature_ranking(one))
    expect_equal(unname(as.matrix(coef(both, s = c(0.01, 10)[k]))), unname(as.matrix(coef(one))))
  }
})

test_that("groups go together, by the sum or the mean of their scores", {
  skip_if_not_installed("quadprog")
  data <- planted(16, 18, seed = 2)
  y <- sign_of(data$y)
  groups <- rep(c("a", "b", "c", "d", "e"), c(2, 5, 3, 6, 2))[c(1, 18, 2:17)]
  for (score in c("sum", "mean")) {
    fit <- zeronorm(data$x, data$y, svm_rfe(c(18, 2), 1, C = 0.5, groups = groups, group_score = score))
    order <- rfe_by_hand(data$x, y, 0.5, groups = groups, score = get(score), stop_at = 2)
    expect_identical(unique(groups[match(feature_ranking(fit), colnames(data$x))]), unique(groups[order]))
    other <- zeronorm(data$x, data$y, svm_rfe(c(18, 2), 1, C = 0.5, group_score = score),
                      groups = factor(groups))
    expect_identical(coef(other), coef(fit))
  }
  # Whole groups, at least as many features as asked for.
  pairs <- rep(1:9, each = 2)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(7, 4), groups = pairs))
  expect_identical(certificate(fit)$nonzero, c(8L, 4L))
  kept <- match(selected(fit, index = 2), colnames(data$x))
  expect_identical(sort(kept), which(pairs %in% pairs[kept]))
  named <- structure(pairs, names = colnames(data$x))[18:1]
  expect_identical(coef(zeronorm(data$x, data$y, svm_rfe(nonzero = c(7, 4), groups = named))), coef(fit))
  # A group with a feature that is kept stays whole.
  weakest <- pairs[match(tail(feature_ranking(fit), 1), colnames(data$x))]
  kept <- colnames(data$x)[2 * weakest]
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 4), groups = pairs, keep = kept)
  expect_true(all(colnames(data$x)[pairs == weakest] %in% selected(fit)))
  expect_zeronorm_error(zeronorm(data$x, data$y, svm_rfe(groups = 1:3)), "groups", "length 3")
  expect_zeronorm_error(zeronorm(data$x, data$y, svm_rfe(groups = pairs), groups = pairs), "groups", "twice")
  expect_zeronorm_error(zeronorm(data$x, data$y, l2_svm(), groups = pairs), "groups", "no groups")
  expect_zeronorm_error(svm_rfe(groups = c(1, NA)), "groups", "missing")
  one <- svm_rfe(nonzero = 1)
  expect_zeronorm_error(zeronorm(data$x, data$y, one, groups = pairs, keep = kept), "nonzero")
})

test_that("features that are kept or unpenalised are never dropped", {
  skip_if_not_installed("quadprog")
  data <- planted(20, 12, seed = 3)
  y <- sign_of(data$y)
  plain <- feature_ranking(zeronorm(data$x, data$y, svm_rfe(step = 1, C = 1)))
  last <- match(tail(plain, 2), colnames(data$x))
  kept <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 3), step = 1, C = 1), keep = last)
  expect_true(all(colnames(data$x)[last] %in% selected(kept, index = 2)))
  expect_setequal(feature_ranking(kept)[1:2], colnames(data$x)[last])
  order <- rfe_by_hand(data$x, y, 1, stop_at = 3, forced = last)
  expect_identical(feature_ranking(kept)[4:12], paste0("g", order[4:12]))
  free <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, step = 1, C = 1), unpenalized = "g5")
  order <- seq_len(12)
  present <- order
  x <- scale(data$x)
  while (length(present) > 4) {
    w <- abs(exact_svm(x[, present], y, 1, free = match(5, present))$w)
    present <- present[-which.min(replace(w, present == 5, Inf))]
  }
  expect_setequal(selected(free), setdiff(colnames(data$x)[present], "g5"))
  expect_setequal(in_model(free), colnames(data$x)[present])
  expect_identical(feature_ranking(free)[1], "g5")
  expect_zeronorm_error(zeronorm(data$x, data$y, svm_rfe(nonzero = 1), keep = 1:3), "nonzero",
                        "3 are in `keep`")
})

test_that("retraining drops the feature whose loss changes |w|^2 least", {
  skip_if_not_installed("quadprog")
  data <- planted(20, 7, seed = 2)
  y <- sign_of(data$y)
  by_loss <- function(C, groups = 1:7) {
    x <- scale(data$x)
    norm2 <- function(columns) sum(exact_svm(x[, columns, drop = FALSE], y, C)$w^2)
    present <- 1:7
    dropped <- integer()
    while (length(unique(groups[present])) > 1) {
      units <- unique(groups[present])
      loss <- vapply(units, function(unit) abs(norm2(present[groups[present] != unit]) - norm2(present)), 0)
      worst <- units[which.min(loss)]
      dropped <- c(worst, dropped)
      present <- present[groups[present] != worst]
    }
    c(unique(groups[present]), dropped)
  }
  for (C in c(0.05, 1)) {
    fit <- zeronorm(data$x, data$y, svm_rfe(step = 1, C = C, retrain = TRUE))
    expect_identical(feature_ranking(fit), paste0("g", by_loss(C)))
    expect_identical(rounds(fit, index = 1)$nonzero, 7:1)
  }
  groups <- c(1, 2, 2, 3, 1, 4, 4)
  fit <- zeronorm(data$x, data$y, svm_rfe(2, 1, C = 0.3, groups = groups, retrain = TRUE))
  order <- unique(groups[match(feature_ranking(fit), colnames(data$x))])
  expect_identical(order, by_loss(0.3, groups))
})

test_that("retraining with a hard margin keeps the classes apart as long as it can", {
  skip_if_not_installed("quadprog")
  data <- planted(24, 8, seed = 6)
  x <- scale(data$x)
  y <- sign_of(data$y)
  norm2 <- function(columns) {
    tryCatch(sum(exact_svm(x[, columns, drop = FALSE], y)$w^2), error = function(e) Inf)
  }
  fit <- zeronorm(data$x, data$y, svm_rfe(step = 1, retrain = TRUE))
  present <- 1:8
  repeat {
    without <- vapply(present, function(j) norm2(setdiff(present, j)), 0)
    if (all(is.infinite(without))) break
    expect_identical(feature_ranking(fit)[length(present)], colnames(x)[present[which.min(without)]])
    present <- present[-which.min(without)]
  }
  expect_lt(length(present), 6)
  kept <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, step = 1, retrain = TRUE), keep = 8)
  expect_true("g8" %in% selected(kept))
})

test_that("weights count rows, in limits too", {
  data <- planted(30, 8, noise = 1.5)
  weights <- rep(c(1, 3, 0), 10)
  rows <- rep(seq_len(30), weights)
  for (C in c(Inf, 0.2)) {
    method <- svm_rfe(nonzero = c(4, 1), step = 1, C = C)
    weighted <- zeronorm(data$x, data$y, method, weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
    expect_identical(feature_ranking(weighted), feature_ranking(repeated))
    expect_equal(as.matrix(coef(weighted)), as.matrix(coef(repeated)), tolerance = 1e-6)
  }
})

test_that("sparse equals dense, with and without an intercept or scaling", {
  data <- planted(20, 30, seed = 5)
  x <- data$x * (abs(data$x) > 0.8)
  for (intercept in c(TRUE, FALSE)) for (standardize in c(TRUE, FALSE)) for (C in c(Inf, 1)) {
    method <- svm_rfe(nonzero = c(20, 3, 1), step = 1, C = C)
    dense <- zeronorm(x, data$y, method, intercept = intercept, standardize = standardize)
    sparse <- zeronorm(as(x, "dgCMatrix"), data$y, method, intercept = intercept, standardize = standardize)
    expect_identical(feature_ranking(sparse), feature_ranking(dense))
    expect_equal(as.matrix(coef(sparse)), as.matrix(coef(dense)), tolerance = 1e-8)
  }
})

test_that("without an intercept features are scaled, not centred", {
  skip_if_not_installed("quadprog")
  data <- planted(16, 12)
  x <- data$x + 0.3
  y <- sign_of(data$y)
  fit <- zeronorm(x, data$y, svm_rfe(nonzero = 1, step = 1, C = 1), intercept = FALSE)
  scaled <- sweep(x, 2, apply(x, 2, stats::sd), "/")
  present <- 1:12
  while (length(present) > 1) {
    w <- exact_svm(scaled[, present, drop = FALSE], y, 1, intercept = FALSE)$w
    worst <- present[which.min(abs(w))]
    expect_identical(feature_ranking(fit)[length(present)], colnames(x)[worst])
    present <- setdiff(present, worst)
  }
})

test_that("constant columns go first, equal columns in their order", {
  data <- planted(20, 6)
  x <- cbind(zero = 0, data$x, data$x, constant = 2)
  colnames(x) <- c("zero", paste0("a", 1:6), paste0("b", 1:6), "constant")
  fit <- zeronorm(x, data$y, svm_rfe(step = 1))
  expect_identical(tail(feature_ranking(fit), 2), c("zero", "constant"))
  order <- match(feature_ranking(fit), colnames(x))
  place <- function(name) match(name, feature_ranking(fit))
  for (j in 1:6) expect_lt(place(paste0("a", j)), place(paste0("b", j)))
  sparse <- zeronorm(as(x, "dgCMatrix"), data$y, svm_rfe(step = 1))
  expect_identical(feature_ranking(sparse), feature_ranking(fit))
  all_constant <- zeronorm(matrix(1, 20, 3), data$y, svm_rfe())
  expect_identical(certificate(all_constant)$nonzero, c(0L, 0L))
  expect_identical(feature_ranking(all_constant), 1:3)
  expect_setequal(order, seq_len(14))
})

test_that("scales of features do not matter, and neither do tiny or huge ones", {
  data <- planted(20, 15)
  fit <- zeronorm(data$x, data$y, svm_rfe(step = 1))
  wild <- sweep(data$x, 2, 10^seq(-9, 9, length.out = 15), "*")
  expect_identical(feature_ranking(zeronorm(wild, data$y, svm_rfe(step = 1))), feature_ranking(fit))
})

test_that("a fit without names ranks indices, one without ranking says so", {
  data <- planted(20, 6)
  fit <- zeronorm(unname(data$x), data$y, svm_rfe(step = 1))
  expect_type(feature_ranking(fit), "integer")
  expect_setequal(feature_ranking(fit), 1:6)
  expect_identical(fit$ranking, feature_ranking(fit))
  expect_zeronorm_error(feature_ranking(zeronorm(data$x, data$y, l2_svm())), "object", "ranks no features")
})

test_that("several classes lose the same features, by the sum of squares over one against the rest", {
  skip_if_not_installed("quadprog")
  data <- three_clouds()
  x <- scale(data$x)
  for (C in c(0.2, Inf)) {
    present <- seq_len(ncol(x))
    dropped <- integer()
    while (length(present) > 4) {
      squares <- rowSums(vapply(levels(data$y), function(class) {
        exact_svm(x[, present], ifelse(data$y == class, 1, -1), C)$w^2
      }, numeric(length(present))))
      dropped <- c(present[which.min(squares)], dropped)
      present <- present[-which.min(squares)]
    }
    fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 4), step = 1, C = C, refit_C = 1))
    expect_identical(tail(feature_ranking(fit), 6), colnames(x)[dropped])
    expect_setequal(selected(fit, nonzero = 4), colnames(x)[present])
    for (class in levels(data$y)) {
      alone <- coef(zeronorm(data$x[, present], data$y == class, l2_svm(C = 1)))
      expect_equal(coef(fit, nonzero = 4)[[class]][names(alone)], alone, tolerance = 1e-6)
    }
    joint <- zeronorm(data$x, data$y, svm_rfe(4, 1, C = C, refit_C = 1, refit_multiclass = "m_svm"))
    alone <- zeronorm(data$x[, present], data$y, m_svm(C = 1))
    expect_equal(predict(joint, data$x, "link"), predict(alone, data$x, "link"), tolerance = 1e-5)
    labels <- outer(as.character(data$y), levels(data$y), "==") + 0
    many <- zeronorm(data$x, labels, svm_rfe(nonzero = c(6, 4), step = 1, C = C, refit_C = 1))
    expect_identical(feature_ranking(many), feature_ranking(fit))
    expect_equal(predict(many, data$x, "link", index = 2), predict(fit, data$x, "link", index = 2),
                 tolerance = 1e-8, ignore_attr = TRUE)
  }
  sparse <- zeronorm(as(data$x, "dgCMatrix"), data$y, svm_rfe(nonzero = c(6, 4), step = 1))
  dense <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 4), step = 1))
  expect_identical(feature_ranking(sparse), feature_ranking(dense))
  expect_equal(predict(sparse, data$x, "link", index = 2), predict(dense, data$x, "link", index = 2),
               tolerance = 1e-7)
})

test_that("retraining sums what each class loses", {
  skip_if_not_installed("quadprog")
  data <- three_clouds(d = 6)
  x <- scale(data$x)
  norm2 <- function(columns) {
    vapply(levels(data$y), function(class) {
      sum(exact_svm(x[, columns, drop = FALSE], ifelse(data$y == class, 1, -1), 0.5)$w^2)
    }, 0)
  }
  present <- 1:6
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2, step = 1, C = 0.5, retrain = TRUE))
  while (length(present) > 2) {
    loss <- vapply(present, function(j) sum(abs(norm2(setdiff(present, j)) - norm2(present))), 0)
    expect_identical(feature_ranking(fit)[length(present)], colnames(x)[present[which.min(loss)]])
    present <- present[-which.min(loss)]
  }
})

# Kernels by their definitions, and the multipliers of the machine by quadprog on its dual.
kernel_by_definition <- function(kind) {
  switch(kind,
    gaussian = function(x) exp(-as.matrix(stats::dist(x))^2 / (2 * 1.5^2)),
    sum = function(x) tcrossprod(x) + tcrossprod(x)^2,
    power = function(x) (tcrossprod(x) + 1)^3,
    chi2 = function(x) {
      distance <- outer(seq_len(nrow(x)), seq_len(nrow(x)), Vectorize(function(i, k) {
        sum(ifelse(x[i, ] + x[k, ] > 0, (x[i, ] - x[k, ])^2 / (x[i, ] + x[k, ]), 0))
      }))
      exp(-0.5 * distance)
    }
  )
}

constructed_kernel <- function(kind) {
  switch(kind, gaussian = gaussian_kernel(1.5), sum = poly_kernel(2), power = poly_kernel(3, "power"),
         chi2 = chi2_kernel(0.5))
}

exact_multipliers <- function(k, y, C) {
  n <- length(y)
  q <- outer(y, y) * k
  bounds <- cbind(y, diag(n), if (is.finite(C)) -diag(n))
  quadprog::solve.QP(q + diag(1e-11 * mean(diag(q)), n), rep(1, n), bounds,
                     c(0, rep(0, n), if (is.finite(C)) rep(-C, n)), meq = 1)$solution
}

# The order of the features, retrained or with multipliers as they are.
kernel_rfe_by_hand <- function(x, y, C, kernel, retrain = FALSE) {
  norm2 <- function(a, columns) {
    v <- a * y
    if (!length(columns)) return(NA)
    sum(v * kernel(x[, columns, drop = FALSE]) %*% v)
  }
  machine <- function(columns) exact_multipliers(kernel(x[, columns, drop = FALSE]), y, C)
  present <- seq_len(ncol(x))
  dropped <- integer()
  while (length(present) > 1) {
    a <- machine(present)
    loss <- vapply(present, function(j) {
      rest <- setdiff(present, j)
      abs(norm2(a, present) - norm2(if (retrain) machine(rest) else a, rest))
    }, 0)
    dropped <- c(present[which.min(loss)], dropped)
    present <- present[-which.min(loss)]
  }
  c(present, dropped)
}

rings <- function(n = 24, d = 5, seed = 1) {
  with_stream(seed, {
    x <- matrix(stats::runif(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- (x[, 2] - 0.5)^2 + (x[, 3] - 0.5)^2
    list(x = x, y = factor(ifelse(f > stats::median(f), "up", "down"), levels = c("down", "up")))
  })
}

test_that("with a kernel features go by the change of |w|^2, multipliers as they are or trained again", {
  skip_if_not_installed("quadprog")
  for (kind in c("gaussian", "sum", "power", "chi2")) for (retrain in c(FALSE, TRUE)) for (C in c(1, 20)) {
    data <- rings(seed = C)
    x <- if (kind == "chi2") data$x else scale(data$x)
    order <- kernel_rfe_by_hand(x, sign_of(data$y), C, kernel_by_definition(kind), retrain)
    method <- svm_rfe(c(3, 1), 1, C, kernel = constructed_kernel(kind), retrain = retrain)
    fit <- zeronorm(data$x, data$y, method)
    expect_identical(feature_ranking(fit), paste0("g", order), label = paste(kind, retrain, C))
    expect_identical(rounds(fit, index = 1)$nonzero, 5:1)
    expect_identical(certificate(fit)$nonzero, c(3L, 1L))
    expect_lte(max(certificate(fit)$gap), 1e-8)
    columns <- paste0("g", order[1:3])
    expect_setequal(selected(fit, nonzero = 3), columns)
    # The classifier is the kernel machine of these features.
    alone <- zeronorm(data$x[, columns], data$y, l2_svm(C, kernel = constructed_kernel(kind)))
    expect_equal(predict(fit, data$x, "link", nonzero = 3), predict(alone, data$x, "link"), tolerance = 1e-6)
  }
})

test_that("a kernel with C = Inf separates where it can and has a limit where not", {
  skip_if_not_installed("quadprog")
  data <- rings()
  x <- scale(data$x)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, step = 1, kernel = gaussian_kernel(1.5)))
  a <- exact_multipliers(kernel_by_definition("gaussian")(x), sign_of(data$y), Inf)
  v <- a * sign_of(data$y)
  without <- vapply(1:5, function(j) sum(v * kernel_by_definition("gaussian")(x[, -j]) %*% v), 0)
  worst <- which.min(abs(sum(v * kernel_by_definition("gaussian")(x) %*% v) - without))
  expect_identical(feature_ranking(fit)[5], paste0("g", worst))
  twice <- rbind(data$x, data$x)
  y <- c(data$y, factor(data$y, levels = c("up", "down"), labels = c("down", "up")))
  expect_identical(certificate(zeronorm(twice, y, svm_rfe(3, kernel = gaussian_kernel(1))))$status, "optimal")
})

test_that("kernels keep, group and weigh", {
  data <- rings(30, 6)
  method <- svm_rfe(2, 1, C = 5, kernel = gaussian_kernel(2))
  plain <- feature_ranking(zeronorm(data$x, data$y, method))
  kept <- zeronorm(data$x, data$y, method, keep = plain[6])
  expect_true(plain[6] %in% selected(kept))
  groups <- c(1, 2, 2, 3, 3, 1)
  grouped <- zeronorm(data$x, data$y, method, groups = groups)
  expect_length(unique(groups[match(selected(grouped), colnames(data$x))]), 1)
  weights <- rep(c(1, 3, 0), 10)
  rows <- rep(1:30, weights)
  for (C in c(Inf, 0.5)) {
    method <- svm_rfe(c(4, 2), 1, C = C, kernel = gaussian_kernel(2))
    weighted <- zeronorm(data$x, data$y, method, weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
    expect_identical(feature_ranking(weighted), feature_ranking(repeated))
    expect_equal(predict(weighted, data$x, "link"), predict(repeated, data$x, "link"), tolerance = 1e-5)
  }
  expect_zeronorm_error(zeronorm(data$x, data$y, method, unpenalized = 1), "unpenalized", "kernel")
  expect_zeronorm_error(svm_rfe(kernel = function(x, z) sum(x * z)), "kernel")
  expect_zeronorm_error(svm_rfe(kernel = gaussian_kernel(), refit = "l1"), "refit")
  expect_zeronorm_error(svm_rfe(kernel = gaussian_kernel(), refit_C = 2), "refit_C")
})

test_that("arguments are checked", {
  expect_zeronorm_error(svm_rfe(step = 0), "step")
  expect_zeronorm_error(svm_rfe(step = 1.5), "step", "1.5")
  expect_zeronorm_error(svm_rfe(step = -1), "step")
  expect_zeronorm_error(svm_rfe(nonzero = 0), "nonzero")
  expect_zeronorm_error(svm_rfe(C = 0), "C")
  expect_zeronorm_error(svm_rfe(group_score = "max"), "group_score")
  expect_zeronorm_error(svm_rfe(refit = "l3"), "refit")
  data <- planted(20, 6)
  expect_zeronorm_error(zeronorm(data$x, data$y, svm_rfe(nonzero = 7)), "nonzero", "7 features of 6")
})

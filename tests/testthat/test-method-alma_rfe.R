# Reference of alma_rfe: the perceptron written down in R, the largest margin by the nearest point of the
# convex hull in the p-norm, the rule of what is kept applied to its weights.

p_norm <- function(x, p) sum(abs(x)^p)^(1 / p)

signed_rows <- function(x, y, p) {
  x <- cbind(x, 1)
  y * x / apply(x, 1, p_norm, p)
}

# Weights of norm 1 from ALMA, updates at the row of least margin.
alma_by_hand <- function(rows, p, a) {
  theta <- w <- numeric(ncol(rows))
  k <- 1
  repeat {
    margins <- rows %*% (if (k > 1) w else -colMeans(rows))
    if (any(w != 0) && min(margins) > (1 - a) * sqrt(8) / a * sqrt(p - 1) / sqrt(k)) break
    theta <- theta + sqrt(2) / (sqrt(p - 1) * sqrt(k)) * rows[which.min(margins), ]
    w <- sign(theta) * abs(theta)^(p - 1) / p_norm(theta, p)^(p - 2)
    shrink <- max(1, p_norm(w, p / (p - 1)))
    theta <- theta / shrink
    w <- w / shrink
    k <- k + 1
  }
  w / p_norm(w, p / (p - 1))
}

elimination_by_hand <- function(x, y, a) {
  present <- seq_len(ncol(x))
  sizes <- margins <- numeric()
  repeat {
    p <- max(2, 2 * log(length(present)))
    q <- p / (p - 1)
    rows <- signed_rows(x[, present, drop = FALSE], y, p)
    w <- alma_by_hand(rows, p, a)
    margin <- min(rows %*% w)
    sizes <- c(sizes, length(present))
    margins <- c(margins, margin)
    bias <- length(w)
    order <- order(-abs(w[-bias]))
    kept <- abs(w[bias])^q + cumsum(abs(w[order])^q)
    stay <- which(kept >= 1 - (a * (1 - a) * margin)^q)[1]
    if (stay == length(present)) break
    present <- sort(present[order[seq_len(stay)]])
  }
  list(present = present, sizes = sizes, margins = margins)
}

# No w of norm 1 has a larger margin than the p-norm of any convex combination of rows.
largest_margin <- function(rows, p) {
  share <- function(u) exp(u - max(u)) / sum(exp(u - max(u)))
  value <- function(u) p_norm(share(u) %*% rows, p)
  stats::optim(numeric(nrow(rows)), value, method = "BFGS",
               control = list(maxit = 2000, reltol = 1e-12))$value
}

test_that("the search is that of the perceptron written down", {
  for (seed in 1:2) for (a in c(0.4, 0.8)) {
    data <- separated(24, 20, seed = seed)
    fit <- zeronorm(data$x, data$y, alma_rfe(a))
    by_hand <- elimination_by_hand(scale(data$x), sign_of(data$y), a)
    expect_setequal(selected(fit), colnames(data$x)[by_hand$present])
    expect_identical(rounds(fit)$nonzero, as.integer(by_hand$sizes))
    expect_equal(rounds(fit)$objective, by_hand$margins, tolerance = 1e-9)
    expect_setequal(feature_ranking(fit), colnames(data$x))
    expect_setequal(feature_ranking(fit)[seq_along(by_hand$present)], selected(fit))
  }
})

test_that("margins are as large as promised", {
  data <- separated(20, 12)
  x <- scale(data$x)
  for (a in c(0.2, 0.5, 0.9)) {
    rounds <- rounds(zeronorm(data$x, data$y, alma_rfe(a)))
    best <- largest_margin(signed_rows(x, sign_of(data$y), 2 * log(12)), 2 * log(12))
    expect_gte(rounds$objective[1], (1 - a) * best)
    expect_lte(rounds$objective[1], best * (1 + 1e-6))
    # The bound beside it is one.
    expect_gte(rounds$objective[1] / (1 - rounds$gap[1]), best * (1 - 1e-6))
    expect_lte(max(rounds$gap), a)
    expect_identical(is.unsorted(-rounds$nonzero, strictly = TRUE), FALSE)
  }
})

test_that("in the plane it is the 2-norm margin of quadprog", {
  skip_if_not_installed("quadprog")
  data <- separated(30, 2)
  rows <- signed_rows(scale(data$x), sign_of(data$y), 2)
  w <- quadprog::solve.QP(diag(3), rep(0, 3), t(rows), rep(1, 30))$solution
  for (a in c(0.1, 0.5)) {
    margin <- rounds(zeronorm(data$x, data$y, alma_rfe(a)))$objective[1]
    expect_gte(margin, (1 - a) / sqrt(sum(w^2)))
    expect_lte(margin, (1 + 1e-9) / sqrt(sum(w^2)))
  }
})

test_that("the classifier is the machine on the features that are left", {
  data <- planted(30, 100)
  fit <- zeronorm(data$x, data$y, alma_rfe(c(0.3, 0.7), refit_C = 1))
  expect_identical(certificate(fit)$a, c(0.3, 0.7))
  for (k in 1:2) {
    alone <- zeronorm(data$x[, selected(fit, index = k)], data$y, l2_svm(1))
    expect_equal(predict(fit, data$x, "link", index = k), predict(alone, data$x, "link"), tolerance = 1e-6,
                 ignore_attr = TRUE)
  }
  l1 <- zeronorm(data$x, data$y, alma_rfe(0.5, refit = "l1"))
  expect_identical(certificate(l1)$errors, 0L)
  all <- zeronorm(data$x, data$y, alma_rfe(1))
  expect_identical(certificate(all)$nonzero, 100L)
})

test_that("features that are kept stay, without an intercept too", {
  data <- separated(30, 40)
  plain <- zeronorm(data$x, data$y, alma_rfe(0.5))
  out <- setdiff(colnames(data$x), selected(plain))[1:2]
  kept <- zeronorm(data$x, data$y, alma_rfe(0.5), keep = out[1], unpenalized = out[2])
  expect_true(all(out %in% in_model(kept)))
  through_zero <- zeronorm(data$x, data$y, alma_rfe(0.5), intercept = FALSE)
  expect_identical(certificate(through_zero)$errors, 0L)
  expect_true("g1" %in% selected(through_zero))
})

test_that("classes that no line separates and wrong arguments are refused", {
  data <- planted(40, 3, noise = 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, alma_rfe()), "y", "not separable")
  expect_zeronorm_error(zeronorm(data$x, data$y, alma_rfe(), weights = rep(1, 40)), "weights", "hard margin")
  expect_zeronorm_error(alma_rfe(0), "a")
  expect_zeronorm_error(alma_rfe(1.1), "a")
  expect_zeronorm_error(alma_rfe(refit = "none"), "refit")
})

# Reference of kernel_alignment: the objective by its definition in R, a grid over the scales of two features,
# finite differences at the solution; the classifier by l2_svm on features scaled by hand.

objective_of <- function(theta, x, y, lambda, kernel, alpha = 5) {
  k <- kernel(x, theta)
  share <- ifelse(y, 1 / sum(y), -1 / sum(!y))
  -(1 - lambda) / 2 * sum(k * tcrossprod(share)) + lambda / ncol(x) * sum(1 - exp(-alpha * theta))
}

gaussian <- function(width) {
  function(x, theta) exp(-as.matrix(stats::dist(sweep(x, 2, sqrt(theta), "*")))^2 / (2 * width^2))
}

chi2 <- function(rho) {
  function(x, theta) {
    exp(-rho * outer(seq_len(nrow(x)), seq_len(nrow(x)), Vectorize(function(i, k) {
      sum(theta * ifelse(x[i, ] + x[k, ] == 0, 0, (x[i, ] - x[k, ])^2 / (x[i, ] + x[k, ])))
    })))
  }
}

# A two by two chess board on the first two of four features.
board <- function(seed, n = 64) {
  with_stream(seed, {
    x <- matrix(runif(n * 4, 0, 4), n, dimnames = list(NULL, paste0("f", 1:4)))
    list(x = x, y = xor(x[, 1] > 2, x[, 2] > 2))
  })
}

scales_of <- function(fit, names, index = 1) feature_importance(fit, index = index)[names]

test_that("the chess board's features are found in ten of ten draws", {
  for (seed in 1:10) {
    data <- board(seed)
    fit <- zeronorm(data$x, data$y, kernel_alignment(c(0, 0.1), gaussian_kernel(1), C = 10),
                    standardize = FALSE, intercept = FALSE)
    for (k in 1:2) expect_setequal(selected(fit, index = k), c("f1", "f2"))
    expect_gte(mean(predict(fit, data$x, s = 0.1) == data$y), 0.9)
  }
})

test_that("the objective is that of the definition and no slope leads further down", {
  data <- planted(40, 5, noise = 1)
  y <- data$y == "up"
  counts <- floor(abs(3 * data$x))
  cases <- list(
    list(x = scale(data$x), given = data$x, kernel = gaussian_kernel(1.2), values = gaussian(1.2)),
    list(x = scale(data$x), given = data$x, kernel = gaussian_kernel(), values = gaussian(sqrt(5) / 2)),
    list(x = counts, given = counts, kernel = chi2_kernel(0.2), values = chi2(0.2))
  )
  for (case in cases) for (lambda in c(0, 0.05, 0.3)) {
    fit <- zeronorm(case$given, data$y, kernel_alignment(lambda, case$kernel, threshold = 0, tol = 1e-9))
    theta <- scales_of(fit, colnames(data$x))
    value <- function(theta) objective_of(theta, case$x, y, lambda, case$values)
    expect_equal(tail(rounds(fit)$objective, 1), value(theta), tolerance = 1e-8)
    expect_true(all(diff(rounds(fit)$objective) <= 1e-12))
    expect_lte(certificate(fit)$gap, 1e-6)
    slope <- vapply(1:5, function(j) {
      (value(replace(theta, j, theta[j] + 1e-5)) - value(replace(theta, j, abs(theta[j] - 1e-5)))) / 2e-5
    }, 0)
    expect_true(all(slope[theta > 1e-4] <= 1e-5))
    expect_true(all(slope[theta > 1e-4 & theta < 1] >= -1e-5))
  }
})

test_that("with two features it is the least value on a grid", {
  for (seed in 1:3) {
    data <- board(seed)
    x <- data$x[, c(1, 3)]
    y <- x[, 1] > 2
    fit <- zeronorm(x, y, kernel_alignment(0.1, gaussian_kernel(1), threshold = 0), standardize = FALSE)
    grid <- expand.grid(seq(0, 1, 0.1), seq(0, 1, 0.1))
    values <- apply(grid, 1, objective_of, x = x, y = y, lambda = 0.1, kernel = gaussian(1))
    expect_lte(tail(rounds(fit)$objective, 1), min(values) + 1e-9)
  }
})

test_that("the first term is the distance of the class centres", {
  data <- planted(20, 3)
  y <- data$y == "up"
  fit <- zeronorm(data$x, data$y, kernel_alignment(0, gaussian_kernel(1)))
  theta <- scales_of(fit, colnames(data$x))
  k <- gaussian(1)(scale(data$x), theta)
  # Explicit images of the points: K = F F'.
  parts <- eigen(k, symmetric = TRUE)
  images <- parts$vectors %*% diag(sqrt(pmax(parts$values, 0)))
  centres <- colMeans(images[y, ]) - colMeans(images[!y, ])
  expect_equal(tail(rounds(fit)$objective, 1), -sum(centres^2) / 2, tolerance = 1e-8)
})

test_that("the classifier is the machine of the scaled kernel on the features kept", {
  data <- board(4)
  fit <- zeronorm(data$x, data$y, kernel_alignment(c(0.05, 0.4), gaussian_kernel(1), C = 3),
                  standardize = FALSE)
  fresh <- board(5)$x
  for (lambda in c(0.05, 0.4)) {
    at <- match(lambda, c(0.05, 0.4))
    theta <- scales_of(fit, colnames(data$x), at)
    expect_true(all(theta == 0 | theta > 0.01))
    stretched <- function(x) sweep(x, 2, sqrt(theta), "*")
    machine <- zeronorm(stretched(data$x), data$y, l2_svm(3, gaussian_kernel(1)), standardize = FALSE)
    expect_equal(predict(fit, fresh, "link", s = lambda), predict(machine, stretched(fresh), "link"),
                 tolerance = 1e-6, ignore_attr = TRUE)
  }
  by_name <- predict(fit, cbind(other = 1, fresh[, 4:1]), "link")
  expect_equal(by_name, predict(fit, fresh, "link"))
  kept <- selected(fit, s = 0.05)
  expect_equal(predict(fit, fresh[, kept], "link", s = 0.05), predict(fit, fresh, "link", s = 0.05))
  expect_zeronorm_error(predict(fit, fresh[, 3:4]), "newdata", "f1")
})

test_that("standardising is for the Gaussian kernel, and its scales are those of training", {
  data <- planted(40, 4, noise = 0.5)
  x <- sweep(data$x, 2, c(1, 10, 0.1, 5), "*")
  fit <- zeronorm(x, data$y, kernel_alignment(0.1))
  same <- zeronorm(scale(data$x), data$y, kernel_alignment(0.1), standardize = FALSE)
  expect_equal(predict(fit, x, "link"), predict(same, scale(data$x), "link"), tolerance = 1e-6)
  counts <- floor(abs(4 * data$x))
  expect_equal(predict(zeronorm(counts, data$y, kernel_alignment(0.1, chi2_kernel(0.1))), counts, "link"),
               predict(zeronorm(counts, data$y, kernel_alignment(0.1, chi2_kernel(0.1)), standardize = FALSE),
                       counts, "link"))
})

test_that("a heavy penalty leaves nothing, and the larger class wins", {
  data <- board(1)
  y <- replace(data$y, 1:40, TRUE)
  expect_warning(fit <- zeronorm(data$x, y, kernel_alignment(0.95)), NA)
  expect_identical(selected(fit), character())
  expect_identical(certificate(fit)$nonzero, 0L)
  expect_identical(certificate(fit)$status, "optimal")
  expect_true(all(predict(fit, data$x) == "TRUE"))
  expect_equal(unname(feature_importance(fit)), rep(0, 4))
  counts <- floor(data$x)
  expect_true(all(predict(zeronorm(counts, y, kernel_alignment(0.95, chi2_kernel())), counts) == "TRUE"))
})

test_that("weights count rows; constant and repeated columns do no harm", {
  data <- planted(30, 5, noise = 1)
  weights <- rep(c(0, 1, 2), 10)
  rows <- rep(1:30, weights)
  weighted <- zeronorm(data$x, data$y, kernel_alignment(0.05), weights = weights)
  repeated <- zeronorm(data$x[rows, ], data$y[rows], kernel_alignment(0.05))
  expect_equal(predict(weighted, data$x, "link"), predict(repeated, data$x, "link"), tolerance = 1e-5)
  x <- cbind(data$x, constant = 7, again = data$x[, 1])
  fit <- zeronorm(x, data$y, kernel_alignment(0))
  expect_false("constant" %in% selected(fit))
  expect_equal(feature_importance(fit)[["g1"]], feature_importance(fit)[["again"]], tolerance = 1e-6)
})

test_that("a path and a grid are fitted, printed, summarised and kept", {
  data <- board(2)
  fit <- zeronorm(data$x, data$y, kernel_alignment(c(0, 0.3), gaussian_kernel(1), C = c(1, 10)))
  expect_named(certificate(fit)[1:2], c("lambda", "C"))
  expect_length(selected(fit), 4)
  expect_output(print(fit), "kernel-target alignment")
  expect_output(print(summary(fit, index = 1)), "Features of solution")
  expect_identical(dim(feature_importance(fit)), c(4L, 4L))
  expect_null(fit$machine$values)
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, data$x, "link"), predict(fit, data$x, "link"))
  expect_match(rownames(coef(fit))[-1], "^[0-9]+$")
  other <- update(fit, data$x, data$y, lambda = 0.1, C = 1)
  expect_identical(nrow(certificate(other)), 1L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, "path"))
  expect_silent(plot(fit, "convergence"))
})

test_that("wrong arguments are refused", {
  data <- planted(20, 3)
  expect_zeronorm_error(kernel_alignment(), "lambda", "missing")
  expect_zeronorm_error(kernel_alignment(1), "lambda", "below 1")
  expect_zeronorm_error(kernel_alignment(-0.1), "lambda")
  expect_zeronorm_error(kernel_alignment(0.1, "linear"), "kernel", "gaussian_kernel")
  expect_zeronorm_error(kernel_alignment(0.1, poly_kernel()), "kernel", "chi2_kernel")
  expect_zeronorm_error(kernel_alignment(0.1, alpha = 0), "alpha")
  expect_zeronorm_error(kernel_alignment(0.1, threshold = 2), "threshold")
  expect_zeronorm_error(kernel_alignment(0.1, C = -1), "C")
  expect_zeronorm_error(zeronorm(data$x, data$y, kernel_alignment(0.1, chi2_kernel())), "kernel", "negative")
  expect_zeronorm_error(zeronorm(data$x, data$y, kernel_alignment(0.1), keep = 1), "keep", "kernel")
  expect_zeronorm_error(zeronorm(data$x, data$y, kernel_alignment(0.1), engine = "simplex"), "engine")
})

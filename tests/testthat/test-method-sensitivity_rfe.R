# Reference of sensitivity_rfe: finite differences of the decision function of machines trained on the columns
# left; svm_rfe() for the linear kernel.

# The slopes of f at the rows of x, a column for each feature.
slopes_at <- function(f, x, h = 1e-5) {
  vapply(seq_len(ncol(x)), function(j) {
    step <- replace(numeric(ncol(x)), j, h)
    (f(sweep(x, 2, step, "+")) - f(sweep(x, 2, step, "-"))) / (2 * h)
  }, numeric(nrow(x)))
}

sensitivity_by_hand <- function(x, y, norm, kernel, C, weights = rep(1, nrow(x))) {
  machine <- zeronorm(x, y, l2_svm(C, kernel), standardize = FALSE, weights = weights)
  slopes <- slopes_at(function(z) predict(machine, z, "link"), x)
  if (norm == "l1") colSums(weights * abs(slopes)) else sqrt(colSums(weights * slopes^2))
}

test_that("scores are those of finite differences", {
  data <- planted(30, 4, noise = 0.5)
  x <- scale(data$x)
  weights <- rep(c(1, 2, 1), 10)
  for (kernel in list(gaussian_kernel(1.5), poly_kernel(2), poly_kernel(3, "power"))) {
    for (norm in c("l1", "l2")) {
      fit <- zeronorm(x, data$y, sensitivity_rfe(norm, nonzero = 4, C = 1, kernel = kernel),
                      standardize = FALSE, weights = weights)
      by_hand <- sensitivity_by_hand(x, data$y, norm, kernel, 1, weights)
      expect_equal(unname(feature_importance(fit)[colnames(x)]), by_hand, tolerance = 1e-6)
    }
  }
})

test_that("the feature of least slope goes, one at a time", {
  data <- planted(40, 6)
  y <- rowSums(data$x[, 1:2]^2) > 1.4
  x <- scale(data$x)
  for (norm in c("l1", "l2")) {
    kernel <- gaussian_kernel(2)
    fit <- zeronorm(data$x, y, sensitivity_rfe(norm, step = 1, C = 2, kernel = kernel))
    present <- 1:6
    while (length(present) > 1) {
      slope <- sensitivity_by_hand(x[, present, drop = FALSE], y, norm, kernel, 2)
      expect_identical(feature_ranking(fit)[length(present)], colnames(x)[present[which.min(slope)]])
      present <- present[-which.min(slope)]
    }
    expect_setequal(feature_ranking(fit)[1:2], c("g1", "g2"))
  }
})

test_that("with the linear kernel it is RFE", {
  data <- planted(20, 30)
  groups <- rep(1:10, 3)
  for (norm in c("l1", "l2")) for (C in c(Inf, 0.1)) {
    rfe <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(9, 3), step = 1, C = C, groups = groups))
    fit <- zeronorm(data$x, data$y, sensitivity_rfe(norm, c(9, 3), step = 1, C = C, groups = groups))
    expect_identical(feature_ranking(fit), feature_ranking(rfe))
    expect_identical(coef(fit), coef(rfe))
    # The kernel of degree 1 is the linear one too, with slopes of its own.
    kernel <- zeronorm(data$x, data$y, sensitivity_rfe(norm, 1, 1, C, poly_kernel(1)))
    expect_identical(feature_ranking(kernel), feature_ranking(zeronorm(data$x, data$y, svm_rfe(1, 1, C))))
  }
})

test_that("wrong arguments are refused", {
  expect_zeronorm_error(sensitivity_rfe("max"), "norm")
  expect_zeronorm_error(sensitivity_rfe(kernel = chi2_kernel()), "kernel", "gaussian_kernel")
  expect_zeronorm_error(sensitivity_rfe(kernel = "gaussian", refit = "l1"), "refit")
  expect_zeronorm_error(sensitivity_rfe(step = -1), "step")
})

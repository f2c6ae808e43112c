# Reference of scaling_lp: the linear programme (19) of Lal et al. in alpha, solved by the simplex of package
# boot, and the margin of the machine of the scaled features by quadprog.

importance_of <- function(fit) feature_importance(fit)[paste0("g", 1:5)]

test_that("the scales are those of the dual linear programme", {
  skip_if_not_installed("boot")
  for (seed in 1:3) {
    data <- separated(12, 5, seed = seed)
    x <- scale(data$x)
    y <- ifelse(data$y == "up", 1, -1)
    fit <- zeronorm(data$x, data$y, scaling_lp())
    g <- t(y * x)
    lp <- boot::simplex(rep(1, 12), A1 = rbind(g, -g), b1 = rep(1, 10), A3 = rbind(y), b3 = 0, maxi = TRUE)
    expect_equal(certificate(fit)$primal, lp$value[[1]], tolerance = 1e-7)
    expect_equal(coef(fit), coef(zeronorm(data$x, data$y, l1_svm(C = Inf))))
    # Binding constraints, and they alone, have scales.
    bound <- abs(as.vector(g %*% lp$soln))
    expect_true(all(bound[importance_of(fit) > 0] > 1 - 1e-7))
  }
})

test_that("no other scales give a larger margin", {
  skip_if_not_installed("quadprog")
  data <- separated(20, 5)
  x <- scale(data$x)
  y <- ifelse(data$y == "up", 1, -1)
  fit <- zeronorm(data$x, data$y, scaling_lp())
  theta <- importance_of(fit) / sum(importance_of(fit))
  norm2 <- function(theta) {
    used <- theta > 1e-9
    sum(exact_svm(sweep(x[, used, drop = FALSE], 2, sqrt(theta[used]), "*"), y)$w^2)
  }
  best <- norm2(theta)
  expect_equal(best, sum(feature_importance(fit))^2, tolerance = 1e-6)
  others <- with_stream(1, replicate(30, {
    moved <- theta * exp(rnorm(5)) + 0.05 * runif(5)
    norm2(moved / sum(moved))
  }))
  expect_true(all(others >= best * (1 - 1e-6)))
  # The machine of the scaled features is the same.
  used <- theta > 0
  machine <- exact_svm(sweep(x[, used, drop = FALSE], 2, sqrt(theta[used]), "*"), y)
  f <- as.vector(sweep(x[, used, drop = FALSE], 2, sqrt(theta[used]), "*") %*% machine$w) + machine$b
  expect_equal(f, unname(predict(fit, data$x, "link")), tolerance = 1e-5)
})

test_that("inseparable classes are an error that says what to do", {
  data <- planted(40, 3, noise = 5)
  expect_zeronorm_error(zeronorm(data$x, data$y, scaling_lp()), "y", "l1_svm")
})

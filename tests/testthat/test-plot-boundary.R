test_that("the boundary is where the decision value is zero, and rings lie in the margin", {
  data <- planted(40, 6)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2, C = 1))
  shown <- boundary_picture(fit, data$x, data$y, 1, resolution = 20)
  expect_setequal(shown$axes, selected(fit))
  w <- coef(fit)
  grid <- expand.grid(shown$a, shown$b)
  expect_equal(as.vector(shown$f), as.vector(w[1] + as.matrix(grid) %*% w[shown$axes]))
  inside <- abs(predict(fit, data$x, "link")) <= 1 + 1e-6 | predict(fit, data$x) != data$y
  expect_identical(shown$points$near, unname(inside))
})

test_that("support vectors of a soft machine are within the rings", {
  data <- planted(40, 2, noise = 1)
  fit <- zeronorm(data$x, data$y, l2_svm(C = 1, kernel = gaussian_kernel(1)))
  shown <- boundary_picture(fit, data$x, data$y, 1, resolution = 5)
  expect_true(all(shown$points$near[fit$machine$rows]))
})

test_that("one feature gets a companion, and more than two are refused", {
  data <- planted(40, 6)
  one <- zeronorm(data$x, data$y, svm_rfe(nonzero = 1))
  expect_identical(boundary_picture(one, data$x, data$y, 1, 5)$axes, c("g1", "g2"))
  three <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  expect_zeronorm_error(plot(three, "boundary", data$x, data$y), "x", "3 features")
  expect_zeronorm_error(plot(one, "boundary", data$x), "y", "missing")
  kernel <- zeronorm(data$x, data$y, l2_svm(kernel = tcrossprod(data$x)))
  expect_zeronorm_error(plot(kernel, "boundary", tcrossprod(data$x), data$y), "x", "kernel matrix")
})

test_that("only classes have a boundary", {
  data <- planted(30, 3)
  line <- zeronorm(data$x, data$x[, 1], arom(epsilon = 0.1, errors = "l2", nonzero = 2))
  expect_zeronorm_error(plot(line, "boundary", data$x, data$x[, 1]), "type", "regression")
})

test_that("a model that is a constant has no boundary, and no warning", {
  data <- planted(20, 2)
  fit <- suppressMessages(zeronorm(data$x, data$y, norm_svm(1, C = 1e-3, C_alpha = 1e3)))
  expect_length(unique(predict(fit, data$x, "link")), 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_warning(plot(fit, "boundary", data$x, data$y), NA)
})

data <- planted(40, 20, noise = 1)
fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.05, 0.2, 1)))

test_that("one solution is a named vector, a path a sparse matrix", {
  one <- coef(fit, index = 2)
  expect_identical(names(one), c("(Intercept)", colnames(data$x)))
  path <- coef(fit)
  expect_s4_class(path, "dgCMatrix")
  expect_identical(dimnames(path), list(names(one), paste("C =", c(0.05, 0.2, 1))))
  expect_identical(path[, 2], one)
  expect_true(methods::validObject(path))
})

test_that("features without names are numbered", {
  unnamed <- zeronorm(unname(data$x), data$y, l1_svm())
  expect_identical(names(coef(unnamed)), c("(Intercept)", as.character(1:20)))
})

test_that("solutions are picked by tuning value, position or size", {
  expect_identical(pick(fit), 1:3)
  expect_identical(pick(fit, s = 0.2), 2L)
  expect_identical(pick(fit, s = c(1, 0.05)), c(1L, 3L))
  expect_identical(pick(fit, s = list(C = 1)), 3L)
  expect_identical(pick(fit, index = c(3, 1)), c(3L, 1L))
  expect_zeronorm_error(pick(fit, s = 0.3), "s", "0.3 was not fitted")
  expect_zeronorm_error(pick(fit, s = list(D = 1)), "s", "'C'")
  expect_zeronorm_error(coef(fit, s = list(99)), "s", "'C'")
  expect_zeronorm_error(coef(fit, s = "min"), "s", "Use values of C; .* cv_zeronorm")
  expect_zeronorm_error(pick(fit, s = numeric()), "s")
  expect_zeronorm_error(pick(fit, index = 4), "index", "1 to 3")
  expect_zeronorm_error(pick(fit, index = 1, s = 1), "index", "together")
})

test_that("a grid is picked by all its parameters", {
  grid <- zeronorm(data$x, data$y, l2_l1_svm(mu = c(1, 10), nu = c(0.1, 0.2)))
  expect_identical(pick(grid, s = c(mu = 10, nu = 0.2)), 4L)
  expect_identical(pick(grid, s = list(nu = 0.1)), 1:2)
  expect_zeronorm_error(pick(grid, s = 1), "s", "'mu', 'nu'")
})

test_that("sizes asked for come first, then counts, then the largest below; training errors choose nothing", {
  sizes <- fit
  sizes$certificate$nonzero <- c(2L, 5L, 5L)
  sizes$certificate$errors <- c(9L, 4L, 3L)
  expect_identical(pick(sizes, nonzero = 5), 2L)
  expect_message(expect_identical(pick(sizes, nonzero = 4), 1L), "No solution has 4 features")
  expect_zeronorm_error(pick(sizes, nonzero = 1), "nonzero", "smallest solution has 2")
  sizes$certificate$target <- c(5L, 4L, 3L)
  expect_identical(pick(sizes, nonzero = c(4, 5)), c(2L, 1L))
})

test_that("a verb that needs one solution of several asks which", {
  for (verb in list(function(...) augment(fit, data$x, ...), function(...) report(fit, data$x, data$y, ...),
                    function(...) polish(fit, data$x, data$y, seconds = 1, ...),
                    function(...) plot(fit, "weights", ...))) {
    expect_zeronorm_error(verb(), "object", "3 solutions.*cv_zeronorm\\(\\)")
  }
  expect_identical(nrow(augment(fit, data$x, s = 1)), nrow(data$x))
})

test_that("sizes are picked on paths of a regression", {
  set.seed(1)
  x <- matrix(rnorm(40 * 10), 40)
  path <- zeronorm(x, x[, 1] - x[, 2] + rnorm(40) / 5, lasso(lambda = c(30, 20, 10, 1)))
  sizes <- certificate(path)$nonzero
  expect_identical(pick(path, nonzero = sizes[3]), match(sizes[3], sizes))
  expect_length(coef(path, nonzero = 2), 11)
})

test_that("a kernel expansion without support vectors has its intercept by name", {
  three <- three_clouds(30, 2)
  method <- norm_svm(p = 0, C = 1e-6, C_alpha = 10)
  void <- suppressMessages(zeronorm(unname(three$x) * 1e-9, three$y, method))
  expect_identical(unique(lapply(coef(void), names)), list("(Intercept)"))
  expect_identical(unique(tidy(void, return_zeros = TRUE)$term), "(Intercept)")
})

test_that("polish keeps the errors and never takes more features", {
  data <- planted(40, 60, noise = 0.5, seed = 2)
  for (method in list(arom("l2"), fsv(lambda = 0.05), fs_svmcp(), l1_svm(), arom("l2", nonzero = 12))) {
    fit <- zeronorm(data$x, data$y, method)
    polished <- with_stream(1, polish(fit, data$x, data$y))
    before <- certificate(fit)
    expect_lte(certificate(polished)$nonzero, before$nonzero)
    expect_lte(certificate(polished)$errors, max(before$errors))
    expect_lte(certificate(polished)$gap, 1e-8)
    expect_identical(polished$polish$after, length(selected(polished)))
    expect_output(print(polished), "polished")
    expect_identical(sign(predict(polished, data$x, "link") > 0), sign(predict(polished, data$x) == "up"))
  }
})

test_that("polish says what it does not take", {
  data <- planted(20, 5)
  expect_zeronorm_error(polish(1, data$x, data$y), "fit")
  kernel <- zeronorm(data$x, data$y, l2_svm(kernel = gaussian_kernel(1)))
  expect_zeronorm_error(polish(kernel, data$x, data$y), "object")
})

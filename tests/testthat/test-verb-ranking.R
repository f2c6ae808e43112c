# References: |weights| of the fit in order, and fits of single sizes.
data <- planted(40, 12)

test_that("the order has every feature once, and its best are those selected", {
  for (method in list(svm_rfe(nonzero = c(6, 3)), top_weights(nonzero = c(6, 3)), obd(nonzero = c(6, 3)),
                      correlation_filter(nonzero = c(6, 3)), forward_ls(nonzero = c(6, 3)))) {
    fit <- zeronorm(data$x, data$y, method)
    order <- feature_ranking(fit)
    expect_setequal(order, colnames(data$x))
    expect_length(order, 12)
    for (size in c(6, 3)) expect_setequal(head(order, size), selected(fit, nonzero = size))
  }
})

test_that("top weights are those of the machine, per standard deviation", {
  fit <- zeronorm(data$x, data$y, top_weights(nonzero = 2, C = 1))
  machine <- zeronorm(data$x, data$y, l2_svm(C = 1))
  weight <- abs(coef(machine)[-1]) * apply(data$x, 2, sd)
  expect_identical(feature_ranking(fit), names(sort(weight, decreasing = TRUE)))
})

test_that("features that cannot be dropped come first", {
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 4), keep = c("g9", "g11"))
  expect_setequal(feature_ranking(fit)[1:2], c("g9", "g11"))
})

test_that("columns without names go by number, and monomials by theirs", {
  fit <- zeronorm(unname(data$x), data$y, svm_rfe(nonzero = 2))
  expect_setequal(feature_ranking(fit), 1:12)
  named <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2))
  expect_identical(colnames(data$x)[feature_ranking(fit)], feature_ranking(named))
  squares <- zeronorm(data$x[, 1:3], data$y, gram_schmidt(2, degree = 2))
  expect_true(all(c("g1", "g1^2") %in% feature_ranking(squares)))
})

test_that("several searches have an order each", {
  both <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, C = c(0.01, 1)))
  expect_length(feature_ranking(both), 2)
  expect_identical(feature_ranking(both, index = 2), feature_ranking(both)[[2]])
})

test_that("what ranks nothing says so", {
  expect_zeronorm_error(feature_ranking(zeronorm(data$x, data$y, l1_svm())), "object", "importance")
  rfe <- zeronorm(data$x, data$y, svm_rfe())
  expect_zeronorm_error(feature_ranking(rfe, size = 2), "size", "not an argument")
})

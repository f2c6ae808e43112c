test_that("the heatmap shows standardised data by class", {
  data <- planted(20, 5)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  shown <- heatmap_picture(fit, data$x, data$y, 1, 50)
  expect_identical(shown$labels, selected(fit))
  expect_identical(as.character(data$y[shown$order]), rep(c("down", "up"), each = 10))
  link <- predict(fit, data$x, "link")
  expect_false(is.unsorted(link[shown$order[1:10]]))
  scores <- scale(data$x)[shown$order, selected(fit)]
  expect_equal(shown$z, pmax(pmin(scores, 2.5), -2.5), ignore_attr = TRUE)
  sparse <- heatmap_picture(fit, as(data$x, "dgCMatrix"), as.character(data$y), 1, 50)
  expect_identical(sparse$z, shown$z)
  constant <- zeronorm(cbind(data$x, 1), data$y, l2_svm())
  expect_true(all(is.finite(heatmap_picture(constant, cbind(data$x, 1), data$y, 1, 50)$z)))
})

test_that("heatmaps of labels and of numbers have their bars", {
  data <- planted(30, 6)
  labels <- cbind(one = data$x[, 1] > 0, two = data$x[, 2] > 0) + 0
  fit <- zeronorm(data$x, labels, svm_rfe(nonzero = 3))
  bars <- heatmap_bars(fit, labels, heatmap_order(fit, labels, NULL))
  expect_setequal(bars$bar, 0:1)
  expect_identical(max(bars$to), 30L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(dim(plot(fit, "heatmap", data$x, labels)), c(30L, 3L))
  y <- data$x[, 1] - data$x[, 2]
  line <- zeronorm(data$x, y, arom(epsilon = 0.1, errors = "l2", nonzero = 2))
  expect_identical(rownames(plot(line, "heatmap", data$x, y)), as.character(order(y)))
})

test_that("what a heatmap needs is said", {
  data <- planted(40, 6)
  one <- zeronorm(data$x, data$y, svm_rfe(nonzero = 1))
  expect_zeronorm_error(plot(one, "heatmap"), "newdata", "missing")
  expect_zeronorm_error(plot(one, "heatmap", data$x, rep("sideways", 40)), "y", "sideways")
  expect_zeronorm_error(plot(one, "heatmap", data$x, data$y[-1]), "y", "39")
  none <- zeronorm(data$x, data$y, l1_svm(C = 1e-6))
  expect_zeronorm_error(plot(none, "heatmap", data$x, data$y), "x", "no feature")
  labels <- zeronorm(data$x, cbind(a = data$x[, 1] > 0, b = data$x[, 2] > 0) + 0, svm_rfe(nonzero = 2))
  expect_zeronorm_error(plot(labels, "heatmap", data$x, matrix(2, 40, 2)), "y", "0/1 matrix")
})

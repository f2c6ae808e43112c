# Reference of l2_svm: libsvm.
test_that("l2_svm agrees with libsvm", {
  skip_if_not_installed("e1071")
  data <- planted(60, 5, noise = 2)
  x <- scale(data$x)
  libsvm <- function(...) {
    machine <- e1071::svm(x, data$y, cost = 0.5, scale = FALSE, tolerance = 1e-6, ...)
    values <- attr(predict(machine, x, decision.values = TRUE), "decision.values")
    # libsvm counts the class of the first row as positive.
    unname(values[, 1]) * if (colnames(values) == "up/down") 1 else -1
  }
  link <- function(method, ...) unname(predict(zeronorm(data$x, data$y, method, ...), data$x, "link"))
  expect_equal(link(l2_svm(0.5)), libsvm(kernel = "linear"), tolerance = 1e-4)
  expect_equal(link(l2_svm(0.5, gaussian_kernel(2))), libsvm(kernel = "radial", gamma = 1 / 8),
               tolerance = 1e-4)
  costs <- c(down = 1, up = 3)
  expect_equal(link(l2_svm(0.5), class_weights = costs), libsvm(kernel = "linear", class.weights = costs),
               tolerance = 1e-4)
})

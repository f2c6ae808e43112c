# Reference of fs_svmcp: its definition, step by step with other methods.
test_that("fs_svmcp does what its definition says", {
  data <- planted(60, 40, noise = 1)
  x <- scale(data$x)
  plain <- function(rows, columns, method) {
    zeronorm(x[rows, columns, drop = FALSE], data$y[rows], method, standardize = FALSE)
  }
  columns <- colnames(x)
  repeat {
    machine <- plain(1:60, columns, l2_svm(C = 1))
    slack <- pmax(0, 1 - ifelse(data$y == "up", 1, -1) * predict(machine, x, "link"))
    prices <- (abs(coef(machine)[columns]) + 1e-6)^-2
    kept <- selected(plain(which(slack < 1), columns, l1_svm(C = Inf, costs = prices)))
    if (length(kept) == length(columns)) break
    columns <- columns[columns %in% kept]
  }
  fit <- zeronorm(data$x, data$y, fs_svmcp(C_grid = 1), foldid = rep_len(1:5, 60))
  expect_lt(length(columns), 40)
  expect_setequal(selected(fit), columns)
  expect_equal(unname(predict(fit, data$x, "link")), unname(predict(machine, x, "link")), tolerance = 1e-5)
})

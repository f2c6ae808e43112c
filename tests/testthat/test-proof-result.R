test_that("it says in words what is proven, with names, and draws", {
  data <- separated(30, 40)
  proof <- certify_zero_norm(data$x, data$y, permutations = 3)
  expect_identical(proof$lower, 1)
  expect_identical(proof$sets[[1]], "g1")
  expect_output(print(proof), "Proven: 1 feature separates? the classes")
  expect_output(print(proof), "permutations")
  expect_true(all(diff(proof$history$lower) >= 0) && all(diff(proof$history$upper) <= 0))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(proof), proof)
  never <- certify_zero_norm(rbind(data$x, data$x), factor(c(as.character(data$y),
                                                             ifelse(data$y == "up", "down", "up"))))
  expect_identical(c(never$lower, never$upper), c(Inf, Inf))
  expect_output(print(never), "not even all")
})

test_that("what a ridge proves is said", {
  data <- separated(20, 5)
  proof <- certify_zero_norm(data$x, data$y, ridge = 0.1, lambda = 0.01, permutations = 0)
  expect_output(print(proof), "reached with [1-5] features? [(]g1")
  # No feature is worth its price: the intercept alone, with losses of 2 for each of the smaller class.
  few <- c(which(data$y == "up")[1:4], which(data$y == "down")[1:9])
  proof <- certify_zero_norm(data$x[few, ], data$y[few], ridge = 1, lambda = 1000, C = 0.5, permutations = 0)
  said <- paste(capture.output(print(proof)), collapse = " ")
  expect_match(said, "1000 for each feature and C = 0.5 the optimum is 4, reached with 0 features;")
})

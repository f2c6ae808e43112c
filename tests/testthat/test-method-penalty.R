test_that("penalties carry their parameters", {
  expect_identical(exp_penalty(c(1, 5))$alpha, c(1, 5))
  expect_identical(log_penalty(0.1)$eps, 0.1)
  expect_identical(power_penalty(0.3, 0.1)[c("kind", "p", "eps")], list(kind = "power", p = 0.3, eps = 0.1))
  expect_identical(inverse_penalty(2, 0.1)[c("kind", "p", "eps")], list(kind = "inverse", p = 2, eps = 0.1))
  expect_identical(capped_penalty(2)$theta, 2)
  expect_identical(scad_penalty(2, 4)[c("lambda", "a")], list(lambda = 2, a = 4))
  expect_identical(mcp_penalty(2, 4)$kind, "mcp")
  expect_identical(l1_penalty()$kind, "l1")
})

test_that("every name stands for its penalty", {
  for (name in names(penalty_constructors())) expect_identical(as_penalty(name)$kind, name)
  expect_zeronorm_error(as_penalty("lasso"), "penalty", "\"exp\"")
  expect_zeronorm_error(as_penalty(function(t) t), "penalty")
})

test_that("parameters outside their range are refused", {
  expect_zeronorm_error(exp_penalty(-1), "alpha")
  expect_zeronorm_error(exp_penalty(c(5, 1)), "alpha", "increasing")
  expect_zeronorm_error(log_penalty(0), "eps")
  expect_zeronorm_error(power_penalty(1), "p")
  expect_zeronorm_error(inverse_penalty(0.5), "p")
  expect_zeronorm_error(capped_penalty(0), "theta")
  expect_zeronorm_error(scad_penalty(1, 2), "a")
  expect_zeronorm_error(mcp_penalty(1, 1), "a")
})

test_that("a user's penalty is checked by its numbers", {
  expect_identical(custom_penalty(function(t) t / (1 + t), function(t) 1 / (1 + t)^2)$kind, "user")
  expect_identical(custom_penalty(function(t) 1 - exp(-5 * t), function(t) 5 * exp(-5 * t))$kind, "user")
  expect_identical(custom_penalty(function(t) log(1e-3 + t), function(t) 1 / (1e-3 + t))$kind, "user")
  expect_identical(custom_penalty(function(t) pmin(t, 1), function(t) as.numeric(t < 1))$kind, "user")
  expect_zeronorm_error(custom_penalty(1, function(t) t), "value")
  expect_zeronorm_error(custom_penalty(function(t) t, 1), "slope")
  expect_zeronorm_error(custom_penalty(function(t) t^2, function(t) 2 * t), "slope", "concave")
  expect_zeronorm_error(custom_penalty(function(t) log(1 + t), function(t) 2 / (1 + t)), "slope", "derivative")
  expect_zeronorm_error(custom_penalty(function(t) log(t), function(t) 1 / t), "slope", "finite")
  expect_zeronorm_error(custom_penalty(function(t) 1, function(t) 0), "value", "vectorised")
})

test_that("penalties print as they are written", {
  expect_output(print(exp_penalty(5)), "exp_penalty(5)", fixed = TRUE)
  expect_identical(format(scad_penalty(1, 3.7)), "scad_penalty(1, 3.7)")
  expect_identical(format(l1_penalty()), "l1_penalty()")
})

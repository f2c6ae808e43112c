data <- planted(40, 20, noise = 0.5)

test_that("a certificate has a row per solution, tuning first", {
  fit <- zeronorm(data$x, data$y, l2_l1_svm(mu = c(1, 10), nu = 0.1))
  table <- certificate(fit)
  expect_identical(names(table), c("mu", "nu", fact_names, "errors"))
  expect_identical(table$mu, c(1, 10))
  expect_true(all(table$gap <= 1e-6))
  sized <- zeronorm(data$x, data$y, arom(nonzero = c(4, 2), errors = "l2"))
  expect_identical(certificate(sized)$target, c(4L, 2L))
})

test_that("training errors are counted", {
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.05, 1)))
  wrong <- colSums(as.matrix(predict(fit, data$x)) != data$y)
  expect_identical(certificate(fit)$errors, as.integer(wrong))
})

test_that("the trace of a fit has a row per round", {
  fit <- zeronorm(data$x, data$y, fsv(lambda = c(0.05, 0.2)))
  rounds <- rounds(fit)
  expect_identical(names(rounds), c("solution", "round", "objective", "nonzero", "gap", "engine"))
  expect_identical(unique(rounds$solution), 1:2)
  expect_identical(unique(rounds(fit, index = 2)$solution), 2L)
})

test_that("base::trace works as before", {
  assign("traced_in_test", function(a) a + 1, globalenv())
  on.exit(rm("traced_in_test", envir = globalenv()))
  call <- bquote(.(trace)(traced_in_test, quote(message("seen")), print = FALSE))
  suppressMessages(expect_identical(capture.output(eval(call, globalenv()))[2], NA_character_))
  expect_message(get("traced_in_test", globalenv())(1), "seen")
})

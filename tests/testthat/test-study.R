test_that("a study has the paper's number beside ours", {
  found <- with_stream(1, study("weston2003", table = 1, trials = 4))
  expect_s3_class(found, "zeronorm_study")
  expect_identical(dim(as.data.frame(found))[1], 42L)
  expect_true(all(c("paper", "ours", "se", "difference", "verdict") %in% names(found)))
  expect_equal(found$difference, found$ours - found$paper)
  expect_true(all(found$verdict %in% c("agrees", "near", "differs")))
  errors <- found[found$metric == "error, %", ]
  expect_identical(errors$paper[errors$method == "SVM"], c(33.8, 23.2, 16.4))
  expect_output(print(found), "Linear toy problem")
  expect_identical(class(as.data.frame(found)), "data.frame")
  expect_identical(with_stream(1, study("weston2003", 1, trials = 4))$ours, found$ours)
})

test_that("verdicts count printed standard errors", {
  expect_identical(verdict(c(0, -2.5, 2.6, 4.5, -5)), c("agrees", "agrees", "near", "near", "differs"))
})

test_that("an unknown paper or table is said", {
  expect_zeronorm_error(study("nobody1999", 1), "paper", "weston2003")
  expect_zeronorm_error(study("weston2003", 9), "table", "1")
  expect_zeronorm_error(study("weston2003", 1, trials = 1), "trials")
})

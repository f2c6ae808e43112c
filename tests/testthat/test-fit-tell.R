test_that("what is said has a class, so that it alone can be silenced", {
  expect_warning(warn("a"), class = "zeronorm_warning")
  expect_message(inform("a"), class = "zeronorm_message")
  expect_warning(suppressWarnings({
    warn("a")
    warning("of others")
  }, classes = "zeronorm_warning"), "of others")
})

test_that("what is said keeps braces and percent signs as they are", {
  expect_message(inform("gene {HLA} at 5 %"), "gene {HLA} at 5 %", fixed = TRUE)
  expect_warning(warn("gene {HLA}"), "gene {HLA}", fixed = TRUE)
})

test_that("progress is shown to those who look on, and by one display only", {
  old <- options(zeronorm.progress = TRUE)
  on.exit(options(old))
  expect_true(shows_progress())
  own <- progressr::make_progression_handler("own", list(), enable = TRUE)
  expect_false(progressr::with_progress(shows_progress(), handlers = own, enable = TRUE))
  seen <- run_tasks(list(list(run = 1, fold = 1, stream = c(10407L, 1:6))), function(task) shows_progress())
  expect_false(seen[[1]]$value)
  options(zeronorm.progress = FALSE)
  expect_false(shows_progress())
  options(zeronorm.progress = NULL)
  expect_identical(shows_progress(), interactive())
})

test_that("a loop tells the user's own display", {
  amounts <- 0
  count <- function(config, state, progression, ...) amounts <<- amounts + progression$amount
  own <- progressr::make_progression_handler("own", list(update = count), enable = TRUE, interval = 0,
                                            intrusiveness = 0)
  data <- planted(30, 20, noise = 1)
  progressr::with_progress(cv_zeronorm(data$x, data$y, l1_svm(c(0.1, 1)), folds = 5), handlers = own,
                           enable = TRUE)
  expect_identical(amounts, 5)
})

test_that("a fit does not depend on who looks on", {
  data <- planted(200, 800, noise = 3)
  quiet <- zeronorm(data$x, data$y, svm_rfe(nonzero = 5, step = 1, C = 1))
  old <- options(zeronorm.progress = TRUE)
  on.exit(options(old))
  capture.output(loud <- zeronorm(data$x, data$y, svm_rfe(nonzero = 5, step = 1, C = 1)), type = "message")
  expect_identical(coef(loud), coef(quiet))
})

test_that("what concerns every call alike is said once in a session", {
  expect_message(inform_once("test-tell", "first"), "first")
  expect_message(inform_once("test-tell", "first"), NA)
})

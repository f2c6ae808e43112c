# Reference of run_tasks: the same call one after the other.

small <- function() {
  with_stream(1, {
    x <- matrix(rnorm(40 * 20), 40)
    list(x = x, y = factor(x[, 1] - x[, 2] > 0))
  })
}

test_that("plans and backends give identical results", {
  skip_on_cran()
  data <- small()
  run <- function(...) {
    with_stream(4, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 3,
                               repeats = 2, ...))
  }
  expected <- run()
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  expect_identical(run(), expected)
  future::plan(old)
  skip_if_not_installed("BiocParallel")
  expect_identical(run(BPPARAM = BiocParallel::SerialParam()), expected)
  expect_identical(run(BPPARAM = BiocParallel::SnowParam(2)), expected)
})

test_that("a worker that dies costs no finished fold", {
  skip_on_cran()
  data <- small()
  directory <- tempfile()
  flag <- tempfile()
  # In the third fold the worker is killed, once; the method's penalty is evaluated in every fold.
  deadly <- function(t) {
    here <- dir(directory, "^part")
    if (length(here) >= 2 && !file.exists(flag)) {
      file.create(flag)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }
    rep(1, length(t))
  }
  method <- dca(penalty = custom_penalty(function(t) t, deadly), C = c(0.1, 1))
  run <- function() with_stream(4, cv_zeronorm(data$x, data$y, method, folds = 5, checkpoint = directory))
  old <- future::plan("multisession", workers = 2)
  on.exit(future::plan(old))
  file.create(flag)
  invisible(cv_zeronorm(data$x, data$y, method, folds = 2))
  unlink(flag)
  expect_error(suppressWarnings(run()), "Finished parts are kept", class = "zeronorm_error")
  expect_gte(length(dir(directory, "^part")), 2)
  future::plan(old)
  future::plan("multisession", workers = 2)
  kept <- dir(directory, "^part", full.names = TRUE)
  times <- file.mtime(kept)
  result <- run()
  expect_identical(file.mtime(kept), times)
  future::plan(old)
  unlink(directory, recursive = TRUE)
  expect_identical(result$measures, run()$measures)
})

test_that("streams are drawn once and do not depend on the plan", {
  tasks <- with_stream(1, draw_streams(list(list(), list())))
  expect_false(identical(tasks[[1]]$stream, tasks[[2]]$stream))
  before <- get0(".Random.seed", globalenv())
  first <- on_stream(tasks[[1]]$stream, stats::runif(1))
  expect_identical(on_stream(tasks[[1]]$stream, stats::runif(1)), first)
  expect_identical(get0(".Random.seed", globalenv()), before)
})

test_that("a part depends on its request and its stream, and on nothing else of the session", {
  data <- small()
  request <- new_request(data$x, data$y, dca("hinge", C = c(0.1, 1), starts = 3))
  task <- with_stream(1, draw_streams(make_splits(request, 3)))[[2]]
  run <- function() on_stream(task$stream, judge_fold(request, task, 2))
  expected <- run()
  kind <- RNGkind()
  old <- options(digits = 3, OutDec = ",", scipen = 100, stringsAsFactors = FALSE)
  on.exit({
    RNGkind(kind[1], kind[2], kind[3])
    options(old)
  })
  suppressWarnings(RNGkind("Wichmann-Hill", "Box-Muller", "Rounding"))
  expect_identical(run(), expected)
})

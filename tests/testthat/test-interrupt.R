# Fits of more than five seconds in another R process, interrupted within one.

long_fits <- list(
  simplex = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l1_svm(1), engine = "simplex"),
  dual = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(10^seq(-3, 3, by = 0.1)), engine = "dual"),
  active_set = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_l1_svm(mu = 1e4, nu = 0.01)),
  highs = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l1_svm(1), engine = "highs"),
  osqp = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(10^seq(0, 3, by = 0.2)), engine = "osqp"),
  fs_svmcp = function(x, y) zeronorm::zeronorm(x, y, zeronorm::fs_svmcp(folds = 10)),
  arom = function(x, y) zeronorm::zeronorm(x, y, zeronorm::arom(nonzero = "path", errors = "l2")),
  r2w2 = function(x, y) zeronorm::zeronorm(x, y, zeronorm::r2w2(20)),
  alignment = function(x, y) zeronorm::zeronorm(x[, 1:300], y, zeronorm::kernel_alignment(0.1))
)

new_session <- function() {
  session <- callr::r_session$new()
  session$run(function(paths) {
    .libPaths(paths)
    loadNamespace("zeronorm")
    set.seed(1)
    x <- matrix(stats::rnorm(1500 * 1000), 1500)
    assign("data", list(x = x, y = x[, 1] + 6 * stats::rnorm(1500) > 0), envir = globalenv())
    NULL
  }, list(.libPaths()))
  session
}

small_fit <- function() {
  fit <- zeronorm::zeronorm(data$x[1:60, 1:20], data$y[1:60], zeronorm::l1_svm(0.5))
  list(zeronorm::certificate(fit), stats::coef(fit))
}

test_that("an interrupt gives back the prompt within a second and leaves no state", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  session <- new_session()
  on.exit(session$kill())
  alone <- session$run(small_fit)
  for (name in names(long_fits)) {
    session$call(function(fit) {
      tryCatch({
        fit(data$x, data$y)
        "finished"
      }, interrupt = function(condition) "interrupted", error = conditionMessage)
    }, list(long_fits[[name]]))
    expect_identical(session$poll_process(500), "timeout", info = name)
    start <- Sys.time()
    session$interrupt()
    back <- session$poll_process(3000) == "ready"
    expect_lt(as.numeric(Sys.time() - start, units = "secs"), 1, label = paste(name, "seconds to the prompt"))
    said <- if (back) session$read()
    expect_identical(said$result, "interrupted", info = name)
    # The next one needs a session that answers.
    if (!back || !is.null(said$error)) {
      session$kill()
      session <- new_session()
    }
    expect_identical(session$run(small_fit), alone, info = name)
  }
})

# Fits of more than five seconds in another R process (helper-session.R), interrupted within one.

test_that("an interrupt gives back the prompt within a second and leaves no state", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  most <- patience()
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
    back <- session$poll_process(3000 * most) == "ready"
    expect_lt(as.numeric(Sys.time() - start, units = "secs"), most,
              label = paste(name, "seconds to the prompt"))
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

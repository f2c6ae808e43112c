# Fits of more than five seconds in another R process (helper-session.R), interrupted within one: of its own
# work, since what else the machine has to do is not the package's.
worked <- function(session) sum(unlist(session$get_cpu_times()[c("user", "system")]))

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
    start <- worked(session)
    session$interrupt()
    back <- session$poll_process(10000 * most) == "ready"
    expect_lt(worked(session) - start, most, label = paste(name, "seconds of work to the prompt"))
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

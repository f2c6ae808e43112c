# Loops over resamples: streams of random numbers and workers. Splits are in splits.R, finished parts on disk
# in checkpoint.R.

# --- random numbers ---

# One stream for each task, so that the answer does not depend on who works on what.
draw_streams <- function(tasks) {
  # The tasks themselves are drawn first, before the streams.
  attributes(tasks) <- NULL
  stream <- c(10407L, sample.int(.Machine$integer.max, 6))
  for (k in seq_along(tasks)) {
    tasks[[k]]$stream <- stream
    stream <- parallel::nextRNGStream(stream)
  }
  tasks
}

on_stream <- function(stream, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  kind <- RNGkind()
  # The kind outlives its seed.  R would warn of a kind that the user had before.
  on.exit({
    suppressWarnings(RNGkind(kind[1], kind[2], kind[3]))
    if (is.null(old)) rm(".Random.seed", envir = globalenv())
    else assign(".Random.seed", old, envir = globalenv())
  })
  assign(".Random.seed", stream, envir = globalenv())
  code
}

# --- workers ---

# What `work` makes of each task: by the user's plan of futures or BiocParallel backend, in the order of the
# tasks.  An error in a task is its result.
run_tasks <- function(tasks, work, checkpoint = NULL, BPPARAM = NULL) {
  with_progress(run_each(tasks, work, checkpoint, BPPARAM))
}

run_each <- function(tasks, work, checkpoint, BPPARAM) {
  progress <- progressr::progressor(length(tasks))
  one <- function(task) {
    result <- read_part(checkpoint, task)
    if (is.null(result)) {
      old <- options(zeronorm.progress = FALSE)  # the loop shows its own
      on.exit(options(old))
      result <- on_stream(task$stream, quietly(work(task)))
      write_part(checkpoint, task, result)
    }
    progress()
    result
  }
  if (!is.null(BPPARAM)) {
    need_package("BiocParallel", "BPPARAM")
    return(BiocParallel::bplapply(tasks, one, BPPARAM = BPPARAM))
  }
  tryCatch(
    future.apply::future_lapply(tasks, one, future.seed = NULL, future.packages = "zeronorm"),
    FutureError = function(e) {
      stop_zeronorm("plan", paste0("lost a worker: ", conditionMessage(e)),
                    if (is.null(checkpoint)) "With checkpoint = a directory finished parts would be kept."
                    else "Finished parts are kept: the same call again goes on from there.")
    }
  )
}

# value of the code, its warnings and its error as text.
quietly <- function(code) {
  warnings <- character()
  error <- NULL
  value <- withCallingHandlers(
    tryCatch(code, error = function(e) {
      error <<- conditionMessage(e)
      NULL
    }),
    warning = function(w) {
      warnings <<- c(warnings, conditionMessage(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  )
  list(value = value, warnings = unique(warnings), error = error)
}

# Values of the tasks; fails where all have, warns where some have.
values_of <- function(results, what = "folds") {
  errors <- unlist(lapply(results, `[[`, "error"))
  if (length(errors) == length(results)) {
    stop_zeronorm("method", paste0("failed in all ", what, ": ", errors[1]))
  }
  if (length(errors)) {
    warn("zeronorm: ", length(errors), " of ", length(results), " ", what, " failed: ", errors[1])
  }
  warned <- unlist(lapply(results, `[[`, "warnings"))
  if (length(warned)) {
    warn("zeronorm: ", sum(lengths(lapply(results, `[[`, "warnings")) > 0), " of ", length(results), " ",
         what, " gave a warning, the first: ", warned[1])
  }
  lapply(results, `[[`, "value")
}

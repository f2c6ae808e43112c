# Loops over resamples: who trains and who is held out, streams of random numbers, workers, and finished parts
# on disk.

# --- who trains ---

# What a procedure is given, encoded once: list(x, y, labels, method, weights, block, settings).  settings are
# further arguments of zeronorm().
new_study_data <- function(x, y, method, weights = NULL, block = NULL, ...) {
  settings <- list(...)
  for (name in intersect(c("foldid", "engine_foldid"), names(settings))) {
    stop_zeronorm(name, "is not an argument of the fits inside the folds.", "Give folds to cv_zeronorm().")
  }
  method <- as_method(method)
  x <- encode_x(x, gaps = !is.null(settings$impute))
  task <- if (is.null(settings$task)) "auto" else settings$task
  labels <- encode_y(y, nrow(x$x), task, method$takes)
  check_task(method, labels)
  settings$task <- if (labels$task == "regression") "regression" else "classification"
  if (is.data.frame(y)) y <- if (ncol(y) > 1) as.matrix(y) else y[[1]]
  if (!is.null(weights)) weights <- check_weights(weights, labels$class)
  list(x = x, y = y, labels = labels, method = method, weights = weights,
       block = check_block(block, nrow(x$x)), settings = settings)
}

check_block <- function(block, n) {
  if (is.null(block)) return(NULL)
  if (!is.atomic(block) || length(block) != n || anyNA(block)) {
    stop_zeronorm("block", paste0("is ", describe(block), if (anyNA(block)) " with missing values", "."),
                  "Give one value for every row, the same for rows that belong together.")
  }
  match(block, unique(block))
}

observations <- function(data) nrow(data$x$x)

take_rows <- function(data, rows) {
  data$x$x <- data$x$x[rows, , drop = FALSE]
  data$y <- if (is.matrix(data$y)) data$y[rows, , drop = FALSE] else data$y[rows]
  data$labels$y <- if (is.matrix(data$labels$y)) data$labels$y[rows, , drop = FALSE] else data$labels$y[rows]
  data$labels$class <- data$labels$class[rows]
  if (!is.null(data$weights)) data$weights <- data$weights[rows]
  if (!is.null(data$block)) data$block <- data$block[rows]
  data
}

fit_all <- function(data) {
  arguments <- c(list(data$x, data$y, data$method, weights = data$weights), data$settings)
  do.call(zeronorm.default, arguments, quote = TRUE)
}

# --- folds ---

# A column of fold numbers for each repeat.
fold_columns <- function(data, folds, repeats, foldid) {
  n <- observations(data)
  if (!is.null(foldid)) {
    foldid <- as.matrix(foldid)
    return(apply(foldid, 2, function(column) check_folds(column, data$labels$class)))
  }
  folds <- check_count(folds, "folds", lower = 2)
  repeats <- check_count(repeats, "repeats")
  blocks <- if (is.null(data$block)) n else max(data$block)
  if (folds > blocks) {
    stop_zeronorm("folds", paste0("is ", folds, " but there are ", blocks,
                                  if (is.null(data$block)) " observations." else " blocks."),
                  paste0("Use at most ", blocks, "."))
  }
  if (data$labels$task != "regression" && min(table(data$labels$class)) < 2) {
    stop_zeronorm("y", "has a class with one observation.", "Two of each class are needed.")
  }
  one <- function(k) {
    fold <- if (is.null(data$block)) draw_folds(data$labels$class, folds)
            else draw_block_folds(data$labels$class, data$block, folds)
    check_folds(fold, data$labels$class)
  }
  matrix(vapply(seq_len(repeats), one, integer(n)), n)
}

# Whole blocks, the large ones first, each to the fold with the fewest observations of its class.
draw_block_folds <- function(class, block, folds) {
  counts <- table(block, class)
  main <- max.col(counts, "first")
  size <- rowSums(counts)
  filled <- matrix(0, folds, ncol(counts))
  fold <- integer(length(size))
  shuffled <- sample.int(length(size))
  for (b in shuffled[order(-size[shuffled])]) {
    fold[b] <- order(filled[, main[b]], rowSums(filled))[1]
    filled[fold[b], ] <- filled[fold[b], ] + counts[b, ]
  }
  fold[block]
}

# Tasks of a cross-validation: list(run, fold, train, test).
fold_tasks <- function(folds) {
  tasks <- lapply(seq_len(ncol(folds)), function(run) {
    lapply(seq_len(max(folds[, run])), function(fold) {
      list(run = run, fold = fold, train = which(folds[, run] != fold), test = which(folds[, run] == fold))
    })
  })
  do.call(c, tasks)
}

# --- random numbers ---

# One stream for each task, so that the answer does not depend on who works on what.
draw_streams <- function(tasks) {
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
  # The kind outlives its seed.
  on.exit({
    RNGkind(kind[1], kind[2], kind[3])
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

# --- finished parts on disk ---

# The tasks of an earlier call with the same data and method, where the directory holds one.  They keep their
# folds and streams, whatever was drawn since.
open_checkpoint <- function(directory, about, tasks) {
  if (is.null(directory)) return(tasks)
  if (!is.character(directory) || length(directory) != 1 || is.na(directory)) {
    stop_zeronorm("checkpoint", paste0("is ", describe(directory), "."), "Give the name of a directory.")
  }
  if (!dir.exists(directory) && !dir.create(directory, recursive = TRUE, showWarnings = FALSE)) {
    stop_zeronorm("checkpoint", paste0("cannot be made: ", directory, "."),
                  "Give a directory you can write to.")
  }
  plan <- file.path(directory, "plan.bin")
  mark <- checksum_core(about)
  if (!file.exists(plan)) {
    write_whole(list(mark = mark, tasks = tasks), plan)
    return(tasks)
  }
  earlier <- read_whole(plan)
  if (is.null(earlier) || !identical(earlier$mark, mark)) {
    stop_zeronorm("checkpoint",
                  paste0("'", directory, "' holds parts of a call with other data or arguments."),
                  "Give another directory, or delete this one.")
  }
  earlier$tasks
}

# What an earlier call must share with this one.
what_is_run <- function(what, data, ...) {
  functions <- vapply(data$settings, is.function, NA)
  list(what = what, method = format(data$method), x = data$x$x, y = data$y, weights = data$weights,
       block = data$block, settings = data$settings[!functions], ...)
}

part_file <- function(directory, task) file.path(directory, paste0("part-", task$run, "-", task$fold, ".bin"))

# NULL where the part is not there, was cut off or damaged.
read_part <- function(directory, task) {
  if (!is.null(directory) && file.exists(part_file(directory, task))) read_whole(part_file(directory, task))
}

write_part <- function(directory, task, result) {
  if (!is.null(directory)) write_whole(result, part_file(directory, task))
}

# Under its name only once it can be read again: a full disk may cut a file off without a word.
write_whole <- function(object, file) {
  part <- tempfile("write-", dirname(file))
  on.exit(unlink(part))
  written <- tryCatch({
    bytes <- memCompress(serialize(object, NULL), "gzip")
    writeBin(c(charToRaw(checksum_core(bytes)), bytes), part)
    !is.null(read_whole(part)) && file.rename(part, file)
  }, error = function(e) FALSE, warning = function(w) FALSE)
  if (!written) {
    stop_zeronorm("checkpoint", paste0("cannot be written to: ", dirname(file), "."),
                  paste("Is the disk full? What was finished before is kept: the same call again goes on",
                        "from there."))
  }
}

# NULL where a file is not what was written.  R's own reader is never given a damaged one, which may crash it.
read_whole <- function(file) {
  bytes <- readBin(file, "raw", file.size(file))
  sum <- seq_len(min(16, length(bytes)))
  if (!identical(bytes[sum], charToRaw(checksum_core(bytes[-sum])))) return(NULL)
  unserialize(memDecompress(bytes[-sum], "gzip"))
}

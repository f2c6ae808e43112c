# Loops over resamples: who trains and who is held out, streams of random numbers, workers, and finished parts
# on disk.

# --- who trains ---

check_block <- function(block, n) {
  if (is.null(block)) return(NULL)
  if (!is.atomic(block) || length(block) != n || anyNA(block)) {
    stop_zeronorm("block", paste0("is ", describe(block), if (anyNA(block)) " with missing values", "."),
                  "Give one value for every row, the same for rows that belong together.")
  }
  match(block, unique(block))
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

# The tasks, where the directory holds nothing or parts of the identical call.  Anything else is an error that
# names what differs: an answer to another question is no answer.
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
  split <- function(field) fingerprint(lapply(tasks, `[`, field))
  prints <- c(vapply(about, fingerprint, ""), folds = split(c("train", "test")),
              "random seed" = split("stream"))
  if (!file.exists(plan)) {
    write_whole(prints, plan)
    return(tasks)
  }
  earlier <- read_whole(plan)
  names <- union(names(prints), names(earlier))
  differs <- names[!mapply(identical, prints[names], earlier[names])]
  if (length(differs)) {
    stop_zeronorm("checkpoint", paste0("'", directory, "' holds parts of another call: what differs is ",
                                       enumerate(differs, 10), "."),
                  if (all(differs %in% c("folds", "random seed"))) "Call set.seed() as before, or use another directory."
                  else "Give another directory, or delete this one.")
  }
  tasks
}

# Everything that the answer depends on, by names that a user knows.
what_is_run <- function(what, request, ...) {
  method <- request$method
  arguments <- method$args
  if (length(arguments)) names(arguments) <- paste0(method$name, "(", names(arguments), " = )")
  # The answer is the same for any number of threads.
  request$settings$control$threads <- NULL
  c(list(verb = what, x = request$x$x, "names of features" = request$x$names, y = request$labels,
         method = method$name, weights = request$weights, foldid = request$foldid, block = request$block),
    arguments, request$settings, list(...))
}

# A checksum of any value: of numbers in full, of functions by their code and by what they took from where they
# were made.
fingerprint <- function(value, depth = 0) {
  parts <- if (is.function(value)) function_parts(value, depth)
           else if (isS4(value)) lapply(methods::slotNames(value), methods::slot, object = value)
           else if (is.environment(value) || depth > 20) list()
           else if (is.recursive(value)) c(lapply(seq_along(value), function(k) value[[k]]), attributes(value))
           else if (is.symbol(value)) as.character(value)
           else attributes(value)
  own <- if (is.atomic(value) && length(value)) checksum_core(as.vector(value)) else class(value)
  checksum_core(c(typeof(value), own, vapply(as.list(parts), fingerprint, "", depth = depth + 1)))
}

function_parts <- function(f, depth) {
  if (is.primitive(f)) return(deparse(f))
  used <- setdiff(all.names(body(f)), names(formals(f)))
  home <- environment(f)
  foreign <- isNamespace(home) || identical(home, baseenv()) || identical(home, emptyenv())
  caught <- if (foreign || depth > 3) list()
            else mget(used[vapply(used, exists, NA, envir = home, inherits = FALSE)], envir = home)
  list(deparse(formals(f)), deparse(body(f)), caught)
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

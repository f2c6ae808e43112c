# Finished parts of a loop on disk, which an identical call goes on from.

# The tasks, where the directory holds nothing or parts of the identical call. Anything else is an error that
# names what differs. `about`: named values, everything that the parts depend on; it is evaluated only where
# there is a directory.
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
  prints <- plan_of(about, tasks)
  earlier <- if (file.exists(plan)) read_whole(plan)
  if (is.null(earlier)) {
    # Without a readable plan nobody knows which call the parts belong to.
    unlink(part_files(directory))
    write_whole(prints, plan)
    return(tasks)
  }
  differs <- differing(prints, earlier)
  if (length(differs)) {
    drawn <- all(differs %in% c("splits", "random seed"))
    stop_zeronorm("checkpoint",
                  paste0("'", directory, "' holds parts of another call, which differs in ",
                         enumerate(differs, 10), "."),
                  if (drawn) "Call set.seed() as before and give the same splits, or give another directory."
                  else "Give another directory, or delete this one.")
  }
  tasks
}

# A checksum for each thing that the parts depend on.
plan_of <- function(about, tasks) {
  of_tasks <- function(fields) fingerprint(lapply(tasks, function(task) task[intersect(fields, names(task))]))
  c(vapply(about, fingerprint, ""), splits = of_tasks(c("run", "fold", "train", "test")),
    "random seed" = of_tasks("stream"), "version of zeronorm" = installed_version())
}

# Names of what two plans do not share. Where one of `causes` differs, so do the splits and the random
# numbers.
differing <- function(ours, theirs) {
  names <- union(names(ours), names(theirs))
  differs <- names[!mapply(identical, unname(ours[names]), unname(theirs[names]))]
  causes <- c("y", "block", "folds", "repeats", "resamples", "complementary", "fraction", "permutations",
              "sizes", "runs")
  if (any(causes %in% differs)) setdiff(differs, c("splits", "random seed")) else differs
}

# Everything that the parts of a verb depend on, by names that a user knows.
what_is_run <- function(verb, request, ...) {
  method <- request$method
  arguments <- method$args
  if (length(arguments)) names(arguments) <- paste0(method$name, "(", names(arguments), " = )")
  # The answer is the same for any number of threads.
  request$settings$control$threads <- NULL
  c(list(verb = verb, x = request$x$x, "names of features" = request$x$names, y = request$labels,
         method = method$name, weights = request$weights, "foldid of the fit" = request$foldid,
         block = request$block),
    arguments, request$settings, list(...))
}

# A checksum of any value: of numbers in full, of functions by their code and by what they took from where
# they were made, of an environment by what is in it, of a DelayedMatrix by its numbers and not by where they
# lie. `closures`: how many functions and environments stand around the value.
fingerprint <- function(value, closures = 0) {
  parts <- list()
  own <- class(value)
  if (is.null(value)) return("NULL")
  if (is.function(value)) {
    parts <- function_parts(value, closures)
    closures <- closures + 1
  } else if (is_delayed(value)) {
    parts <- c(list(dim(value)), delayed_columns(value, fingerprint))
  } else if (is.environment(value)) {
    if (!is_common(value) && closures < 4) parts <- values_in(ls(value, all.names = TRUE), value)
    closures <- closures + 1
  } else if (isS4(value)) {
    parts <- lapply(methods::slotNames(value), methods::slot, object = value)
  } else if (is.language(value)) {
    parts <- list(exact_text(value))
  } else if (is.atomic(value)) {
    parts <- attributes(value)
    own <- if (is.complex(value)) checksum_core(c(Re(value), Im(value))) else checksum_core(as.vector(value))
  } else if (is.recursive(value)) {
    parts <- c(lapply(seq_along(value), function(k) value[[k]]), attributes(value))
  }
  parts <- parts[order(names_or_blank(parts), method = "radix")]
  checksum_core(c(typeof(value), own, names(parts), vapply(parts, fingerprint, "", closures = closures)))
}

names_or_blank <- function(values) if (is.null(names(values))) character(length(values)) else names(values)

# Environments that belong to no value in particular.
is_common <- function(environment) {
  isNamespace(environment) || identical(environment, globalenv()) || identical(environment, baseenv()) ||
    identical(environment, emptyenv())
}

# What a function is: its arguments, its code, and the values that it finds where it was made and around.
function_parts <- function(f, closures) {
  if (is.primitive(f)) return(list(deparse(f)))
  used <- setdiff(c(all.names(body(f)), unlist(lapply(formals(f), all.names))), "...")
  list(exact_text(formals(f)), exact_text(body(f)), if (closures < 4) captured(used, environment(f)))
}

# Values of these names in the environments around a function, up to a package or the end of the search path.
captured <- function(names, home) {
  found <- list()
  while (!isNamespace(home) && !identical(home, baseenv()) && !identical(home, emptyenv())) {
    here <- setdiff(names[vapply(names, exists, NA, envir = home, inherits = FALSE)], names(found))
    found <- c(found, values_in(here, home))
    if (identical(home, globalenv())) break
    home <- parent.env(home)
  }
  found
}

# An argument that was not given has no value, and counts as NULL.
values_in <- function(names, home) {
  values <- lapply(names, function(name) tryCatch(get(name, home, inherits = FALSE), error = function(e) NULL))
  structure(values, names = names)
}

# Code with all digits of its numbers.
exact_text <- function(code) deparse(code, control = c("keepNA", "keepInteger", "digits17"))

part_file <- function(directory, task) file.path(directory, paste0("part-", task$run, "-", task$fold, ".bin"))

part_files <- function(directory) list.files(directory, "^part-.*[.]bin$", full.names = TRUE)

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
  checksum <- seq_len(min(16, length(bytes)))
  content <- bytes[-checksum]
  if (!identical(bytes[checksum], charToRaw(checksum_core(content)))) return(NULL)
  unserialize(memDecompress(content, "gzip"))
}

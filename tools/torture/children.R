# Work in child processes, so that a crash or a hang is a failure of what was at work and not the end.

longest <- 60  # seconds of its own without a finished line are a hang

# A job is list(run, units, file, after): the function run(units, file, after) of these scripts writes lines
# "unit,...,started" and "unit,...,done,..." to the file; after: the part of the first unit to go on behind.
start_child <- function(job) {
  callr::r_bg(function(job) {
    suppressPackageStartupMessages(library(zeronorm))
    # Names that are matched in part are warnings, and so failures.
    options(warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warnPartialMatchAttr = TRUE)
    for (part in list.files("tools/torture", full.names = TRUE)) source(part, globalenv())
    get(job$run)(job$units, job$file, job$after)
  }, list(job), stdout = NULL, stderr = NULL, libpath = .libPaths())
}

# All jobs by so many processes.  Where a child dies or hangs, next_job(job, fields) is the rest of its job behind the
# line that it had started, whose fields are noted.  Returns the notes: a data frame of unit, part and what happened.
run_jobs <- function(jobs, processes, next_job, when_done = function(job) NULL) {
  lost <- NULL
  active <- list()
  while (length(jobs) || length(active)) {
    while (length(jobs) && length(active) < processes) {
      active <- c(active, list(list(job = jobs[[1]], child = start_child(jobs[[1]]), size = 0, since = 0)))
      jobs <- jobs[-1]
    }
    Sys.sleep(0.2)
    ended <- logical(length(active))
    for (k in seq_along(active)) {
      a <- watch(active[[k]])
      active[[k]] <- a
      if (a$child$is_alive()) next
      ended[k] <- TRUE
      problem <- tryCatch({
        a$child$get_result()
        NULL
      }, error = conditionMessage)
      if (!isTRUE(a$hung) && is.null(problem)) {
        when_done(a$job)
        next
      }
      at <- last_started(a$job$file)
      if (is.null(at)) stop("A child process did not start: ", problem)
      lost <- rbind(lost, data.frame(unit = as.integer(at[1]), part = at[2],
                                     what = if (isTRUE(a$hung)) "hang" else "crash"))
      rest <- next_job(a$job, at)
      if (length(rest$units)) jobs <- c(list(rest), jobs) else when_done(a$job)
    }
    active <- active[!ended]
  }
  lost
}

# What counts is the child's own time: a busy machine is no hang.
watch <- function(a) {
  size <- if (file.exists(a$job$file)) file.size(a$job$file) else 0
  spent <- tryCatch(sum(a$child$get_cpu_times()[c("user", "system")]), error = function(e) 0)
  if (size != a$size) {
    a$size <- size
    a$since <- spent
  } else if (a$child$is_alive() && spent - a$since > longest) {
    a$child$kill()
    a$hung <- TRUE
  }
  a
}

# Fields of the last line that says so; NULL where there is none.
last_started <- function(file) {
  lines <- if (file.exists(file)) grep(",started", readLines(file), value = TRUE, fixed = TRUE)
  if (length(lines)) strsplit(lines[length(lines)], ",")[[1]]
}

# Lines that are done, as a data frame of text.
read_done <- function(file, names) {
  lines <- grep(",done,", readLines(file, encoding = "UTF-8"), value = TRUE, fixed = TRUE)
  if (!length(lines)) return(NULL)
  utils::read.csv(text = lines, header = FALSE, col.names = names, colClasses = "character", na.strings = character())
}

as_markdown <- function(table) {
  shown <- function(v) if (is.double(v) && any(v != round(v))) sprintf("%.1f", v) else as.character(v)
  cells <- lapply(table, shown)
  c(paste0("| ", paste(names(table), collapse = " | "), " |"),
    paste0("|", paste(rep("---", length(table)), collapse = "|"), "|"),
    paste0("| ", do.call(paste, c(unname(cells), sep = " | ")), " |"))
}

counted_lines <- function(values) {
  counts <- sort(table(values), decreasing = TRUE)
  if (length(counts)) paste0("- ", names(counts), ": ", counts) else "- none"
}

head_of_report <- function(title, what, minutes) {
  c(paste("#", title), "",
    paste0(what, ", ", Sys.Date(), ", ", R.version.string, ", ", R.version$platform, ", zeronorm ",
           packageVersion("zeronorm"), ", ", round(minutes, 1), " minutes.  `make torture` repeats it."), "")
}

# Rscript torture.R problems [COUNT [FIRST]]: fits COUNT random problems (100,000) of the seeds FIRST (1), ..., and
# grades
#   every answer from the data in plain R: build/torture.md.
# Rscript torture.R cells [COUNT [FIRST]]: each method on each odd situation, and each verb on top, until COUNT cells
#   (20,000) are done, from the unit FIRST (0) on: build/cells.md.  What is finished with the installed package is not
#   done again.
# Rscript torture.R seed SEED, torture.R unit UNIT [CELL]: one of them, with all that there is to say about it.
# PROCESSES in the environment: how many work at the same time (1).  See torture/.
suppressPackageStartupMessages(library(zeronorm))
for (file in list.files("tools/torture", full.names = TRUE)) source(file)

processes <- max(1L, as.integer(Sys.getenv("PROCESSES", "1")))

# --- problems ---

problem_fields <- c("seed", "done", "method", "outcome", "failures", "seconds", "absurd", "said")

read_problems <- function(file) {
  results <- read_done(file, problem_fields)
  if (is.null(results)) return(NULL)
  results$seed <- as.integer(results$seed)
  results$seconds <- as.double(results$seconds)
  results$absurd <- results$absurd == "TRUE"
  results
}

summarise_problems <- function(results, lost) {
  names <- listed$method
  rows <- lapply(names, function(name) {
    part <- results[results$method == name, ]
    refused <- startsWith(part$outcome, "refused")
    unsolved <- part$outcome != "optimal" & !refused
    gone <- if (is.null(lost)) 0L else sum(names[1 + lost$unit %% length(names)] == name)
    data.frame(method = name, problems = nrow(part) + gone, optimal = sum(part$outcome == "optimal"),
               refused = sum(refused), unsolved = sum(unsolved & !part$absurd),
               "unsolved, absurd" = sum(unsolved & part$absurd),
               failures = sum(nzchar(part$failures)) + gone, seconds = sum(part$seconds),
               slowest = max(part$seconds, 0), check.names = FALSE)
  })
  table <- do.call(rbind, rows)
  rbind(table, data.frame(method = "all", t(colSums(table[2:8])), slowest = max(table$slowest),
                          check.names = FALSE))
}

report_problems <- function(results, lost, minutes, first, last) {
  refused <- startsWith(results$outcome, "refused")
  failed <- results[nzchar(results$failures), ]
  count <- format(nrow(results) + NROW(lost), big.mark = ",")
  what <- paste0(count, " random problems (seeds ", first, " to ", last, ")")
  c(head_of_report("Torture", what, minutes),
    "Every answer is graded in plain R from the data (`tools/torture/`): predictions, classes and errors",
    "from the coefficients, the objective, hard margins, other points and other engines that may not be",
    "better, the same answer twice.  *Refused*: an error that names an argument, or that there is no",
    "solution; that classes are not separable is checked.  *Unsolved*: a status that is not optimal, so that",
    "nothing is returned.  *Absurd*: without standardising, columns that differ by 1e4 and more or means of",
    "a thousand spreads; means of a thousand spreads without an intercept; spreads lost in rounding.", "",
    as_markdown(summarise_problems(results, lost)), "", "Statuses:", "", counted_lines(results$outcome[!refused]), "",
    "Errors by argument:", "", counted_lines(results$outcome[refused]), "", "Failures:", "",
    if (nrow(failed)) paste0("- seed ", failed$seed, ", ", failed$method, ": ", failed$failures),
    if (!is.null(lost)) paste0("- seed ", lost$unit, ": ", lost$what),
    if (!nrow(failed) && is.null(lost)) "- none")
}

run_problems <- function(count, first) {
  started <- proc.time()[[3]]
  directory <- file.path("build", "torture")
  unlink(directory, recursive = TRUE)
  dir.create(directory, recursive = TRUE)
  last <- first + count - 1L
  results <- NULL
  jobs <- lapply(seq(first, last, by = 500L), function(from) {
    list(run = "run_chunk", units = from:min(last, from + 499L), file = file.path(directory, paste0(from, ".csv")),
         after = "")
  })
  rest_behind <- function(job, at) {
    job$units <- job$units[job$units > as.integer(at[1])]
    job
  }
  note <- function(job) {
    done <- read_problems(job$file)
    results <<- rbind(results, done)
    failed <- done[nzchar(done$failures), ]
    for (k in seq_len(nrow(failed))) cat("seed", failed$seed[k], failed$method[k], failed$failures[k], "\n")
    cat(format(Sys.time(), "%H:%M:%S"), nrow(results), "problems\n")
  }
  lost <- run_jobs(jobs, processes, rest_behind, note)
  said <- report_problems(results, lost, (proc.time()[[3]] - started) / 60, first, last)
  writeLines(said, file.path("build", "torture.md"))
  writeLines(said)
  sum(nzchar(results$failures)) + NROW(lost)
}

# --- cells ---

cell_fields <- c("unit", "cell", "done", "method", "situation", "task", "outcome", "failures", "seconds", "said")

# By method and by verb: cells, answers, refusals and failures.
summarise_cells <- function(results, by) {
  rows <- lapply(split(results, factor(results[[by]], unique(results[[by]]))), function(part) {
    data.frame(name = part[[by]][1], cells = nrow(part), answered = sum(part$outcome == "answered"),
               refused = sum(part$outcome != "answered"), failures = sum(nzchar(part$failures)),
               seconds = sum(as.double(part$seconds)))
  })
  table <- do.call(rbind, unname(rows))
  names(table)[1] <- by
  table
}

# Refusals of fits and of verbs, an example of each.
refusals <- function(results) {
  refused <- results[results$outcome != "answered", ]
  where <- ifelse(refused$cell == "fit", refused$situation, refused$cell)
  kind <- paste0(where, ", ", sub("refused: ", "", refused$outcome))
  first <- refused[!duplicated(kind), ]
  sort(paste0("- ", kind[!duplicated(kind)], " (", table(kind)[kind[!duplicated(kind)]], "): ", first$said))
}

report_cells <- function(results, lost, minutes) {
  failed <- results[nzchar(results$failures), ]
  units <- length(unique(results$unit))
  c(head_of_report("Cells", paste0(format(nrow(results), big.mark = ","), " cells of ", units, " fits"), minutes),
    "A cell is a method on an odd situation and a verb on top (`tools/torture/`).  It is clean where R does not",
    "stop or warn, errors are the package's and name an argument, and the answer has what every answer has to have.",
    "",
    as_markdown(summarise_cells(results, "method")), "", as_markdown(summarise_cells(results, "cell")), "",
    as_markdown(summarise_cells(results, "situation")), "", "Refusals, an example of each:", "", refusals(results), "",
    "Failures:", "",
    if (nrow(failed)) {
      paste0("- unit ", failed$unit, ", ", failed$method, " on ", failed$situation, " for ", failed$task, ", ",
             failed$cell, ": ", failed$failures)
    },
    if (!is.null(lost)) paste0("- unit ", lost$unit, ", ", lost$part, ": ", lost$what),
    if (!nrow(failed) && is.null(lost)) "- none")
}

finished <- function(file) {
  installed <- file.path(find.package("zeronorm"), "DESCRIPTION")
  file.exists(file) && file.mtime(file) > file.mtime(installed) && "finished" %in% utils::tail(readLines(file), 1)
}

run_cells <- function(count, first) {
  started <- proc.time()[[3]]
  directory <- file.path("build", "cells")
  dir.create(directory, recursive = TRUE, showWarnings = FALSE)
  results <- lost <- NULL
  rest_behind <- function(job, at) {
    # A fit that is lost takes its verbs along.
    whole <- at[2] == "start"
    job$units <- job$units[job$units >= as.integer(at[1]) + whole]
    job$after <- if (whole) "" else at[2]
    job
  }
  note <- function(job) {
    done <- read_done(job$file, cell_fields)
    results <<- rbind(results, done)
    failed <- done[nzchar(done$failures), ]
    if (NROW(failed)) {
      writeLines(paste(failed$unit, failed$method, "|", failed$situation, "|", failed$task, "|", failed$cell, ":",
                       substr(failed$failures, 1, 300)))
    }
    cat(format(Sys.time(), "%H:%M:%S"), NROW(results), "cells\n")
  }
  from <- first
  while (NROW(results) < count) {
    jobs <- lapply(from + 20L * (seq_len(2L * processes) - 1L), function(from) {
      list(run = "run_units", units = from + 0:19, file = file.path(directory, paste0(from, ".csv")), after = "")
    })
    from <- from + 40L * processes
    old <- vapply(jobs, function(job) finished(job$file), NA)
    for (job in jobs[old]) note(job)
    for (job in jobs[!old]) unlink(job$file)
    lost <- rbind(lost, run_jobs(jobs[!old], processes, rest_behind, note))
    said <- report_cells(results, lost, (proc.time()[[3]] - started) / 60)
    writeLines(said, file.path("build", "cells.md"))
  }
  writeLines(said)
  sum(nzchar(results$failures)) + NROW(lost)
}

arguments <- commandArgs(trailingOnly = TRUE)
what <- arguments[1]
numbers <- suppressWarnings(as.integer(arguments[-1]))
number <- function(k, otherwise) if (is.na(numbers[k])) otherwise else numbers[k]
if (what == "seed") {
  problem <- draw_problem(numbers[1])
  str(problem[c("task", "settings", "kinds", "checks", "absurd")])
  print(problem$method)
  cat(dim(problem$x), "\n")
  str(run_problem(problem$seed))
} else if (what == "unit") {
  if (is.na(arguments[3])) show_unit(numbers[1]) else show_unit(numbers[1], arguments[3])
} else {
  failures <- switch(what, problems = run_problems(number(1, 100000L), number(2, 1L)),
                     cells = run_cells(number(1, 20000L), number(2, 0L)), stop("There is no ", what, "."))
  quit(status = as.integer(failures > 0))
}

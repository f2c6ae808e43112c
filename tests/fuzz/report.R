# What fuzzing did, from what libFuzzer printed and the harness counted in each run below RUNS, and what is
# known of the failures found: Rscript report.R RUNS [FINDINGS]
files <- commandArgs(trailingOnly = TRUE)
progress <- function(field) sprintf("^#[0-9]+.* %s: ([0-9]+).*", field)
ending <- "^exit ([0-9]+) after ([0-9]+) seconds$"
patterns <- c(executions = "^#([0-9]+).* cov: .*", coverage = progress("cov"), features = progress("ft"),
              corpus = progress("corp"))

# One row, none for a run that has not ended.
read_run <- function(log) {
  lines <- readLines(log, warn = FALSE)
  last <- function(pattern, group = "\\1") {
    line <- utils::tail(grep(pattern, lines, value = TRUE, useBytes = TRUE), 1L)
    as.numeric(sub(pattern, group, line, useBytes = TRUE))
  }
  if (length(last(ending)) == 0L) return(NULL)
  data.frame(begin = sub("[.]log$", "", basename(log)), seconds = last(ending, "\\2"),
             failed = last(ending) != 0, lapply(patterns, last))
}
runs <- do.call(rbind, lapply(sort(list.files(files[1L], "[.]log$", full.names = TRUE)), read_run))
newest <- runs[nrow(runs), ]
tallies <- file.path(files[1L], paste0(runs$begin, ".tally"))
tally <- do.call(rbind, lapply(tallies[file.exists(tallies)], utils::read.csv, header = FALSE,
                               col.names = c("engine", "status", "count")))
table <- stats::xtabs(count ~ engine + status, tally)
table <- table[, order(-colSums(table)), drop = FALSE]

days <- unique(format(as.Date(substr(range(runs$begin), 1L, 8L), "%Y%m%d")))
cat("# Engines under libFuzzer\n",
    sprintf("%s: %d runs, %.0f seconds, %.0f executions; %d ended in a finding.",
            paste(days, collapse = " to "), nrow(runs), sum(runs$seconds), sum(runs$executions),
            sum(runs$failed)),
    sprintf("After the last: coverage %.0f, features %.0f, corpus %.0f.\n", newest$coverage, newest$features,
            newest$corpus),
    paste0("| engine | ", paste(colnames(table), collapse = " | "), " |"),
    paste0("|", strrep("---|", ncol(table) + 1L)),
    sprintf("| %s | %s |", rownames(table), apply(table, 1L, paste, collapse = " | ")),
    sprintf("\n%.0f answers graded.", sum(table)),
    if (length(files) > 1L) c("", readLines(files[2L])), sep = "\n")

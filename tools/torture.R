# Rscript torture.R [PROBLEMS [FIRST]]: fits PROBLEMS random problems (100,000) of the seeds FIRST (1), ...,
# and grades every answer from the data in plain R; see torture/.  They run in child processes, so that a
# crash or a hang is a failure of one problem and not the end.  Writes build/torture/*.csv, build/torture.md.
# Rscript torture.R seed SEED: one problem, with all that there is to say about it.
suppressPackageStartupMessages(library(zeronorm))
for (file in list.files("tools/torture", full.names = TRUE)) source(file)

chunk <- 500L
longest <- 60  # seconds of its own without a finished problem are a hang

read_results <- function(file) {
  lines <- grep(",done,", readLines(file), value = TRUE, fixed = TRUE)
  names <- c("seed", "done", "method", "outcome", "failures", "seconds", "absurd", "said")
  if (!length(lines)) return(NULL)
  read.csv(text = lines, header = FALSE, col.names = names,
           colClasses = c(failures = "character", said = "character"))
}

last_started <- function(file) {
  lines <- if (file.exists(file)) grep(",started", readLines(file), value = TRUE, fixed = TRUE)
  if (length(lines)) as.integer(sub(",.*", "", lines[length(lines)])) else NA_integer_
}

start_child <- function(seeds, file) {
  callr::r_bg(function(seeds, file) {
    suppressPackageStartupMessages(library(zeronorm))
    for (part in list.files("tools/torture", full.names = TRUE)) source(part, globalenv())
    run_chunk(seeds, file)
  }, list(seeds, file), stdout = NULL, stderr = NULL, libpath = .libPaths())
}

# Waits for the child; TRUE where it had to be ended.  What counts is its own time: a busy machine is no hang.
hangs <- function(child, file) {
  spent <- function() tryCatch(sum(child$get_cpu_times()[c("user", "system")]), error = function(e) 0)
  seen <- 0
  since <- 0
  while (child$is_alive()) {
    child$wait(2000)
    size <- if (file.exists(file)) file.size(file) else 0
    if (size != seen) {
      seen <- size
      since <- spent()
    } else if (child$is_alive() && spent() - since > longest) {
      child$kill()
      return(TRUE)
    }
  }
  FALSE
}

# Until all seeds are done; the seed at which a child dies or hangs is a failure, and the next child goes on
# behind it.
supervise <- function(seeds, file) {
  lost <- NULL
  while (length(seeds)) {
    child <- start_child(seeds, file)
    hung <- hangs(child, file)
    problem <- tryCatch({
      child$get_result()
      NULL
    }, error = conditionMessage)
    if (!hung && is.null(problem)) break
    at <- last_started(file)
    if (!at %in% seeds) stop("A child process did not start: ", problem)
    lost <- rbind(lost, data.frame(seed = at, what = if (hung) "hang" else "crash"))
    seeds <- seeds[seeds > at]
  }
  lost
}

summarise <- function(results, lost) {
  names <- listed$method
  rows <- lapply(names, function(name) {
    part <- results[results$method == name, ]
    refused <- startsWith(part$outcome, "refused")
    unsolved <- part$outcome != "optimal" & !refused
    gone <- if (is.null(lost)) 0L else sum(names[1 + lost$seed %% length(names)] == name)
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

as_markdown <- function(table) {
  shown <- function(v) if (is.double(v) && any(v != round(v))) sprintf("%.1f", v) else as.character(v)
  cells <- lapply(table, shown)
  c(paste0("| ", paste(names(table), collapse = " | "), " |"),
    paste0("|", paste(rep("---", length(table)), collapse = "|"), "|"),
    paste0("| ", do.call(paste, c(unname(cells), sep = " | ")), " |"))
}

report <- function(results, lost, minutes, first, last) {
  table <- summarise(results, lost)
  statuses <- sort(table(results$outcome[!startsWith(results$outcome, "refused")]), decreasing = TRUE)
  refusals <- sort(table(results$outcome[startsWith(results$outcome, "refused")]), decreasing = TRUE)
  failed <- results[nzchar(results$failures), ]
  listed <- function(counts) if (length(counts)) paste0("- ", names(counts), ": ", counts) else "- none"
  c("# Torture", "",
    paste0(format(nrow(results) + NROW(lost), big.mark = ","), " random problems (seeds ", first, " to ",
           last, "), ",
           Sys.Date(), ", ", R.version.string, ", ", R.version$platform, ", zeronorm ",
           packageVersion("zeronorm"),
           ", ", round(minutes, 1), " minutes on one core.  `make torture` repeats it."), "",
    "Every answer is graded in plain R from the data (`tools/torture/`): predictions, classes and errors",
    "from the coefficients, the objective, hard margins, other points and other engines that may not be",
    "better, the same answer twice.  *Refused*: an error that names an argument, or that there is no",
    "solution; that classes are not separable is checked.  *Unsolved*: a status that is not optimal, so that",
    "nothing is returned.  *Absurd*: without standardising, columns that differ by 1e4 and more or means of",
    "a thousand spreads; means of a thousand spreads without an intercept; spreads lost in rounding.", "",
    as_markdown(table), "", "Statuses:", "", listed(statuses), "", "Errors by argument:", "",
    listed(refusals), "",
    "Failures:", "", 
    if (nrow(failed)) paste0("- seed ", failed$seed, ", ", failed$method, ": ", failed$failures),
    if (!is.null(lost)) paste0("- seed ", lost$seed, ": ", lost$what),
    if (!nrow(failed) && is.null(lost)) "- none")
}

run_all <- function(problems, first) {
  started <- proc.time()[[3]]
  directory <- file.path("build", "torture")
  unlink(directory, recursive = TRUE)
  dir.create(directory, recursive = TRUE)
  last <- first + problems - 1L
  results <- lost <- NULL
  for (from in seq(first, last, by = chunk)) {
    seeds <- from:min(last, from + chunk - 1L)
    file <- file.path(directory, paste0(from, ".csv"))
    lost <- rbind(lost, supervise(seeds, file))
    done <- read_results(file)
    results <- rbind(results, done)
    failed <- done[nzchar(done$failures), ]
    for (k in seq_len(nrow(failed))) cat("seed", failed$seed[k], failed$method[k], failed$failures[k], "\n")
    said <- report(results, lost, (proc.time()[[3]] - started) / 60, first, max(seeds))
    writeLines(said, file.path("build", "torture.md"))
    cat(format(Sys.time(), "%H:%M:%S"), "seeds to", max(seeds), "\n")
  }
  writeLines(said)
  sum(nzchar(results$failures)) + NROW(lost)
}

arguments <- commandArgs(trailingOnly = TRUE)
if (identical(arguments[1], "seed")) {
  problem <- draw_problem(as.integer(arguments[2]))
  str(problem[c("task", "settings", "kinds", "checks", "absurd")])
  print(problem$method)
  cat(dim(problem$x), "\n")
  str(run_problem(problem$seed))
} else {
  given <- suppressWarnings(as.integer(c(arguments, NA, NA)[1:2]))
  failures <- run_all(if (is.na(given[1])) 100000L else given[1], if (is.na(given[2])) 1L else given[2])
  quit(status = as.integer(failures > 0))
}

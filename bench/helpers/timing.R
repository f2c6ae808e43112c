# Times and memory of a run, taken alike for every solver: in a forked process of its own, which has the data and
# the packages loaded and has called nothing yet, and which is killed at the limit.
# Beyond the limit, for grading and handing over the answer.
time_limit <- as.numeric(Sys.getenv("ZERONORM_BENCH_LIMIT", "120"))
slack <- 1.25

# Seconds of the processor, of all threads, which the rest of the machine's work changes least.  R counts them in
# milliseconds: what is shorter than twenty is taken by the clock on the wall.
elapsed <- function(expr) {
  used <- function() sum(proc.time()[c("user.self", "sys.self", "user.child", "sys.child")])
  begin <- Sys.time()
  before <- used()
  force(expr)
  seconds <- used() - before
  if (seconds >= 0.02) seconds else as.numeric(Sys.time() - begin, units = "secs")
}

# MB, of this process.
memory <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024 / 1e6
}

restart_peak <- function() {
  invisible(gc())
  writeLines("5", "/proc/self/clear_refs")
  memory("VmRSS")
}

# cold: the first call; warm: later ones, `times` where the limit allows (none for 0), more where they are short.
# memory: MB that the first call took beyond what was there.  facts: what grade() says of its answer.
measure <- function(run, grade = function(answer) list(), times = 5, limit = time_limit) {
  work <- function() {
    set.seed(1)  # some draw random numbers
    before <- restart_peak()
    cold <- elapsed(answer <- run())
    memory <- memory("VmHWM") - before
    warm <- numeric()
    again <- function() {
      spent <- cold + sum(warm)
      times > 0 && spent + cold < limit && (length(warm) < times || (sum(warm) < 0.5 && length(warm) < 50))
    }
    while (again()) warm <- c(warm, elapsed(run()))
    list(cold = cold, warm = warm, memory = memory, facts = grade(answer))
  }
  result <- in_fork(work, slack * limit)
  if (is.character(result)) return(list(cold = NA, warm = numeric(), memory = NA, facts = list(), note = result))
  c(result, note = if (result$cold > limit) paste(">", limit, "s") else "")
}

# The value of work(), or in words why there is none.
in_fork <- function(work, limit = Inf) {
  job <- parallel::mcparallel(suppressWarnings(work()), silent = TRUE)
  if (is.finite(limit)) {
    got <- parallel::mccollect(job, wait = FALSE, timeout = limit)
    if (is.null(got)) {
      tools::pskill(job$pid, tools::SIGKILL)
      suppressWarnings(parallel::mccollect(job))
      return(paste(">", round(limit / slack), "s"))
    }
  } else {
    got <- parallel::mccollect(job)
  }
  value <- got[[1]]
  if (is.null(value)) return("died")
  if (inherits(value, "try-error")) return(paste("error:", sub("\n.*", "", conditionMessage(attr(value, "condition")))))
  if (is.finite(limit)) suppressWarnings(parallel::mccollect(job))
  value
}

# One line of a table of times.  Columns beside the times are the facts.
timed <- function(what, run, grade = function(answer) list(), times = 5, ...) {
  message(paste(c(..., what), collapse = ": "))
  m <- measure(run, grade, times)
  warm <- if (length(m$warm)) m$warm else m$cold
  row <- data.frame(what = what, ..., cold = m$cold, seconds = if (nzchar(m$note)) NA else stats::median(warm),
                    least = min(warm), most = max(warm), runs = length(m$warm), MB = m$memory, note = m$note,
                    check.names = FALSE)
  if (length(m$facts)) cbind(row, as.data.frame(m$facts, check.names = FALSE)) else row
}

# Rows of unlike columns one below the other; data frames, or lists of them.
stacked <- function(...) {
  flat <- function(part) if (is.data.frame(part)) list(part) else do.call(c, lapply(part, flat))
  rows <- flat(list(...))
  columns <- unique(unlist(lapply(rows, names)))
  do.call(rbind, lapply(rows, function(row) {
    row[setdiff(columns, names(row))] <- NA
    row[columns]
  }))
}

# The columns of timed() as they are printed.
printed <- function(rows) {
  number <- function(x) vapply(signif(x, 3), format, "", scientific = NA)
  once <- rows$runs == 0
  spread <- ifelse(once, "one run", paste(number(rows$least), "to", number(rows$most)))
  out <- data.frame(rows[seq_len(match("cold", names(rows)) - 1)],
                    `cold s` = ifelse(is.na(rows$cold), "-", number(rows$cold)),
                    `median s` = ifelse(nzchar(rows$note), rows$note, number(rows$seconds)),
                    `spread s` = ifelse(nzchar(rows$note), "-", spread), runs = rows$runs,
                    `peak MB` = round(rows$MB, 1), check.names = FALSE)
  cbind(out, rows[setdiff(names(rows), c(names(out), "cold", "seconds", "least", "most", "runs", "MB", "note"))])
}

# A printed table for each set of data.
by_data <- function(rows) {
  lapply(split(rows, factor(rows$data, unique(rows$data))), function(part) printed(part[names(part) != "data"]))
}

# Median seconds of the row named; a censored run counts as the limit, for which the ratio is then a bound.
seconds_of <- function(rows, what) {
  row <- rows[rows$what == what, ]
  if (nrow(row) == 0) return(NA)
  if (startsWith(row$note, ">")) time_limit else row$seconds
}

# Time: clocks that know how many seconds are left, and fits that end in time.

new_clock <- function(seconds) list(begun = proc.time()[[3]], seconds = seconds)

elapsed <- function(clock) proc.time()[[3]] - clock$begun

seconds_left <- function(clock) max(0, clock$seconds - elapsed(clock))

# A clock that stops after a share of the time that is left.
share_of <- function(clock, share) replace(clock, "seconds", elapsed(clock) + share * seconds_left(clock))

# A fit, or NULL where it failed or the time was up. It has `least` seconds whatever the clock says. In the
# core the deadline is an interrupt, which is told from one by the user by the time at which it comes.
try_fit <- function(code, clock, least = 0.2) {
  limit <- new_clock(max(least, seconds_left(clock)))
  set_deadline_core(limit$seconds)
  on.exit(set_deadline_core(Inf))
  withRestarts(
    withCallingHandlers(
      tryCatch(suppressWarnings(suppressMessages(code)), zeronorm_error = function(e) NULL),
      interrupt = function(e) if (seconds_left(limit) < 0.01) invokeRestart("out_of_time")
    ),
    out_of_time = function() NULL
  )
}

# An interrupt that the core took note of goes on to whoever waits for it.
signal_interrupt <- function() signalCondition(structure(class = c("interrupt", "condition"), list()))

# What is said to the one at the console: messages, warnings, progress.

# Both have a class of their own, so that they can be told from others and silenced alone.
inform <- function(...) {
  text <- paste0(cli::format_message(c(i = literal(...))), "\n")
  message(told("message", text))
}

# What concerns every call alike is said in the first of a session.
inform_once <- local({
  known <- character()
  function(key, ...) {
    if (key %in% known) return(invisible())
    known <<- c(known, key)
    inform(...)
  }
})

warn <- function(...) warning(told("warning", cli::format_warning(c("!" = literal(...)))))

told <- function(kind, text) {
  structure(class = c(paste0("zeronorm_", kind), kind, "condition"), list(message = text, call = NULL))
}

# Braces are no code.
literal <- function(...) gsub("([{}])", "\\1\\1", paste0(...))

#' Progress and time left
#'
#' Whatever takes longer than two seconds at the console says how far it is and how long it will take: single
#' fits by the share of the path or of the features to be dropped, loops over folds, halves and permutations
#' by the parts that are done, also where these run on other processes. Nothing is shown in scripts.
#' `options(zeronorm.progress = FALSE)` ends this, `TRUE` shows it in scripts as well. Who prefers another
#' display asks \pkg{progressr} for it: inside `progressr::with_progress()`, or after
#' `progressr::handlers(global = TRUE)`, the loops signal to that alone.
#'
#' @name zeronorm_progress
#' @examples
#' old <- options(zeronorm.progress = TRUE)
#' fit <- zeronorm(log(colon$x), colon$y, svm_rfe(nonzero = 10))  # much too fast to be seen
#' options(old)
NULL

shows_progress <- function() {
  isTRUE(getOption("zeronorm.progress", interactive())) && !isTRUE(progressr::handlers(global = NA)) &&
    !any(vapply(sys.frames(), function(frame) {
      identical(topenv(frame), asNamespace("progressr")) && exists("calling_handler", frame, inherits = FALSE)
    }, NA))
}

# A loop that signals progressr.
with_progress <- function(code) {
  if (!shows_progress()) return(code)
  bar <- NULL
  reporter <- list(
    initiate = function(config, state, ...) bar <<- new_bar(plural(config$max_steps, "part")),
    update = function(config, state, ...) bar$tell(state$step / config$max_steps),
    finish = function(...) bar$close(),
    interrupt = function(...) bar$close()
  )
  handler <- progressr::make_progression_handler("zeronorm", reporter, enable = TRUE)
  progressr::with_progress(code, handlers = handler, enable = TRUE)
}

# For a single fit; NULL where nobody looks on.
fit_progress <- function(label) if (shows_progress()) new_bar(label)

# tell(share done) and close().  It shows itself once two seconds are to be expected.
new_bar <- function(label) {
  place <- new.env()
  place$label <- literal(label)
  bar <- cli::cli_progress_bar(
    total = 100, clear = TRUE, .envir = place, .auto_close = FALSE,
    format = paste("{cli::pb_spin} {label} {cli::pb_bar} {cli::pb_percent} | {cli::pb_elapsed} |",
                   "time left {cli::pb_eta}")
  )
  list(tell = function(share) cli::cli_progress_update(id = bar, set = 100 * share, .envir = place),
       close = function() cli::cli_progress_done(id = bar, .envir = place))
}

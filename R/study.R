#' A table of a paper, run again
#'
#' Runs the protocol of a printed table and puts the paper's numbers beside those found here. Random numbers
#' are drawn from the user's stream: `set.seed()` before it makes a study repeatable.
#'
#' @param paper `"weston2003"`.
#' @param table number of the table; of weston2003 table 1 is at hand.
#' @param quick TRUE: few trials, for a first look.
#' @param data_dir folder of the data sets that no package has; the tables at hand need none.
#' @param trials number of random trials; NULL means the study's own.
#' @param ... unused, and an error if given.
#' @return A data frame of class `zeronorm_study` with a row per printed number: what it is, `paper` and its
#'   standard error `paper_se`, `ours` and its standard error `se`, `difference` (ours - paper), the
#'   difference in printed standard errors, and a `verdict`: `"agrees"` (at most 2.5 of them), `"near"` (at
#'   most 4.5), or `"differs"`.
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' study("weston2003", table = 1, trials = 2)
#' @export
study <- function(paper, table, quick = FALSE, data_dir = NULL, trials = NULL, ...) {
  check_unused(...)
  file <- study_file(check_choice(paper, "paper", study_names()))
  check_flag(quick, "quick")
  found <- new.env(parent = topenv())
  sys.source(file, found)
  table <- check_choice(as.character(table), "table", names(found$tables))
  protocol <- found$tables[[table]]
  if (is.null(trials)) trials <- if (quick) protocol$quick else protocol$trials
  settings <- list(trials = check_count(trials, "trials", lower = 2), data_dir = data_dir)
  start <- proc.time()[[3]]
  rows <- protocol$run(settings)
  rows$difference <- rows$ours - rows$paper
  rows$printed_ses <- rows$difference / rows$paper_se
  rows$verdict <- verdict(rows$printed_ses)
  structure(rows[c(setdiff(names(rows), "note"), "note")], class = c("zeronorm_study", "data.frame"),
            study = list(paper = paper, table = table, caption = protocol$caption, trials = settings$trials,
                         seconds = proc.time()[[3]] - start))
}

verdict <- function(standard_errors) {
  c("agrees", "near", "differs")[findInterval(abs(standard_errors), c(2.5, 4.5), left.open = TRUE) + 1]
}

study_file <- function(paper) system.file("studies", paste0(paper, ".R"), package = "zeronorm")

study_names <- function() {
  sub("[.]R$", "", list.files(system.file("studies", package = "zeronorm"), "[.]R$"))
}

# Said only where someone waits at the console.
progress <- function(settings, ...) if (interactive() && settings$trials >= 50) message(paste(...))

#' @method print zeronorm_study
#' @export
print.zeronorm_study <- function(x, digits = 3, ...) {
  about <- attr(x, "study")
  cat("<zeronorm study> ", about$paper, ", table ", about$table, ": ", about$caption, "\n  ",
      plural(about$trials, "trial"), ", ", format(about$seconds, digits = 2), " s\n", sep = "")
  shown <- as.data.frame(x)
  shown <- shown[if (any(nzchar(shown$note))) names(shown) else setdiff(names(shown), "note")]
  for (metric in unique(x$metric)) {
    rows <- x$metric == metric
    counts <- table(factor(x$verdict[rows], c("agrees", "near", "differs")))
    cat("\n", metric, ": ", paste(counts, names(counts), collapse = ", "), "\n", sep = "")
    print(shown[rows, setdiff(names(shown), "metric")], digits = digits, row.names = FALSE)
  }
  invisible(x)
}

#' @method as.data.frame zeronorm_study
#' @export
as.data.frame.zeronorm_study <- function(x, ...) {
  attr(x, "study") <- NULL
  structure(x, class = "data.frame")
}

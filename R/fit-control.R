#' Settings of the optimisation
#'
#' Not part of a method's definition: how exactly and for how long the problems are solved.
#'
#' @param tol relative duality gap that the engines aim at. A solution whose gap stays above `tol` and above
#'   1e-6 counts as failed; [certificate()] has the gap reached. Above 1e-6, rounds of l2-AROM that the next
#'   one moves far from are solved to a gap of at most 100 `tol` (and 0.1) only, since the features hang on
#'   few of their digits; the solutions given are solved to `tol`.
#' @param max_rounds largest number of rounds of convex problems per solution.
#' @param threads number of threads for products with large data and for Gram matrices; the answer is the
#'   same, to the last bit, for any number. Not more than the environment variable `OMP_THREAD_LIMIT` allows.
#'   A resampling loop has more use for cores, see [zeronorm_cluster].
#' @param column_generation whether linear programmes for HiGHS are solved by adding columns.
#' @return An object of class `zeronorm_control`, a list of the checked settings.
#' @examples
#' zeronorm_control(tol = 1e-6)
#' @export
zeronorm_control <- function(tol = 1e-8, max_rounds = 100, threads = getOption("zeronorm.threads", 1),
                             column_generation = TRUE) {
  check_argument_names()
  tol <- check_number(tol, "tol", upper = 0.1, open_lower = TRUE)
  structure(class = "zeronorm_control", list(
    tol = tol,
    max_rounds = check_count(max_rounds, "max_rounds"),
    threads = allowed_threads(check_count(threads, "threads")),
    column_generation = check_flag(column_generation, "column_generation")
  ))
}

allowed_threads <- function(threads) {
  limit <- suppressWarnings(as.integer(Sys.getenv("OMP_THREAD_LIMIT")))
  if (is.na(limit)) threads else max(1L, min(threads, limit))
}

#' @method print zeronorm_control
#' @export
print.zeronorm_control <- function(x, ...) {
  cat("zeronorm_control(", paste(names(x), vapply(x, format, ""), sep = " = ", collapse = ", "), ")\n",
      sep = "")
  invisible(x)
}

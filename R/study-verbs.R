#' A table of a paper, run again
#'
#' Runs the protocol behind a printed table and puts the paper's numbers beside those found here. The whole
#' protocol is run several times, each time with random numbers of its own, so that every value comes with its
#' standard deviation from run to run. A printed value agrees if
#' \deqn{|ours - paper| \le 2 \sqrt{s_{paper}^2 + s_{ours}^2},}{|ours - paper| <= 2 sqrt(s_paper^2 +
#' s_ours^2),} where \eqn{s_{ours}} is that standard deviation and \eqn{s_{paper}} the printed standard error,
#' or \eqn{s_{ours}} again where none is printed.
#' Orderings that a paper claims are rows of their own (`metric` `"claim"`): `ours` is the share of the runs
#' in which the claim holds, and it agrees if it holds for the means.
#'
#' The runs go through [future.apply::future_lapply()]: `future::plan()` decides who works, and the answer for
#' a given seed does not depend on it. With a `checkpoint` directory a broken-off study goes on where it
#' stopped.
#'
#' `study_results()` gives the kept result of a full study without running it, `study_overview()` counts the
#' verdicts of all of them.
#'
#' @param paper `"weston2003"`, `"rinaldi2010"`, `"huang2010"`, `"neumann2005"` or `"lal_embedded"`.
#' @param table number of the table, or `"fig1"`, `"fig2"`, ... or `"text"`; `NULL` where the study has only
#'   one.
#' @param quick TRUE: a short form of the protocol on a seed of its own, in less than a minute; it shows that
#'   everything runs and gives no verdict.
#' @param data_dir folder of the data sets that no package has, as `<name>.rds` files with elements `x` and
#'   `y`. Rows of data sets that are not at hand are kept, with the reason in `note`.
#' @param runs how often the whole protocol is run; NULL means the study's own number.
#' @param checkpoint,BPPARAM as in [cv_zeronorm()].
#' @param ... unused, and an error if given.
#' @return A data frame of class `zeronorm_study` with a row per printed number and claim: `dataset`,
#'   `method`, `setting`, `metric`, `paper` and its standard error `paper_se`, `ours` and its standard
#'   deviation `se` over the runs, `difference` (ours - paper), `verdict` (`"agrees"`, `"differs"`, or NA
#'   where nothing can be compared), `left_out` (why a printed value does not count, as times and chosen
#'   parameters do not) and `note`.
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#'
#' Rinaldi, F. and Sciandrone, M. (2010). Feature selection combining linear support vector machines and
#' concave optimization. *Optimization Methods and Software* 25, 117-128.
#'
#' Huang, K., Zheng, D., King, I. and Lyu, M. R. (2010). Arbitrary norm support vector machines. *Neural
#' Computation* 21, 560-582.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction*,
#' 137-165. Springer.
#' @examples
#' set.seed(1)
#' study("weston2003", table = "text", quick = TRUE)
#' study_overview()
#' @export
study <- function(paper, table = NULL, quick = FALSE, data_dir = NULL, runs = NULL, checkpoint = NULL,
                  BPPARAM = NULL, ...) {
  check_unused(...)
  check_flag(quick, "quick")
  study_code()$run_study(paper, table, quick, data_dir, runs, checkpoint, BPPARAM)
}

# The functions of studies, in files of inst/studies/code/ that are read when the first study asks for them. Protocols
# see them, and the functions of the package.
study_code <- local({
  code <- NULL
  function() {
    if (is.null(code)) {
      found <- new.env(parent = topenv())
      for (file in list.files(study_file("code"), full.names = TRUE)) sys.source(file, found)
      code <<- found
    }
    code
  }
})

study_file <- function(...) system.file("studies", ..., package = "zeronorm")

#' @rdname study
#' @export
study_results <- function(paper, table = NULL) study_code()$kept_result(paper, table)

#' @rdname study
#' @export
study_overview <- function() study_code()$overview()

#' @method print zeronorm_study
#' @export
print.zeronorm_study <- function(x, digits = 3, ...) {
  about <- attr(x, "study")
  if (is.null(about)) return(invisible(print(as.data.frame(x), digits = digits)))  # some of its rows
  cat("<zeronorm study> ", about$paper, ", ", describe_table(about$table), ": ", about$caption, "\n  ",
      if (about$quick) "quick form, no verdict", if (!about$quick) plural(about$runs, "run"),
      ", ", format(about$seconds, digits = 2), " s",
      if (!is.null(about$date)) paste0(", kept on ", about$date), "\n", sep = "")
  for (metric in setdiff(unique(x$metric), "")) {
    rows <- as.data.frame(x)[x$metric == metric, names(x) != "metric"]
    counts <- table(factor(rows$verdict, c("agrees", "differs")))
    cat("\n", metric, if (sum(counts)) ": ", if (sum(counts)) paste(counts, names(counts), collapse = ", "),
        "\n", sep = "")
    empty <- vapply(rows, function(column) all(is.na(column) | column == ""), NA)
    print(rows[!empty], digits = digits, row.names = FALSE)
  }
  skipped <- x[is.na(x$ours) & nzchar(x$note), ]
  for (note in unique(skipped$note)) {
    absent <- unique(skipped$dataset[skipped$note == note])
    cat("\nskipped: ", paste(absent, collapse = ", "), ": ", note, "\n",
        sep = "")
  }
  invisible(x)
}

describe_table <- function(table) {
  if (grepl("^fig", table)) return(sub("fig", "figure ", table))
  if (table == "text") table else paste("table", table)
}

#' @method as.data.frame zeronorm_study
#' @export
as.data.frame.zeronorm_study <- function(x, ...) {
  attr(x, "study") <- NULL
  structure(x, class = "data.frame")
}

# A part of a study is a plain data frame.
#' @method [ zeronorm_study
#' @export
`[.zeronorm_study` <- function(x, ...) as.data.frame(x)[...]

#' @rdname study
#' @param x a study.
#' @method plot zeronorm_study
#' @export
plot.zeronorm_study <- function(x, ...) {
  study_code()$draw_study(x, ...)
  invisible(x)
}

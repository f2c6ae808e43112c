#' What stays the same from version to version
#'
#' Versions are numbered major.minor.patch. A patch corrects; a minor version adds, and what worked goes on
#' working; only a major version may take something away, and only what an earlier version has warned of.
#' Before 1.0.0 a minor version may break something as well: NEWS then says so under Breaking, first of all.
#'
#' @section What is promised:
#' - The functions and arguments on the help pages, by their names and in their order.
#' - What the value section of a help page names: classes, columns of data frames, elements of lists. Columns
#'   and elements may be added, so ask for them by name.
#' - Errors have the class `zeronorm_error` and their argument in `$argument`, warnings `zeronorm_warning`,
#'   messages `zeronorm_message`; warnings of what is going to leave have the class `zeronorm_deprecated`, and
#'   appear once a session.
#' - The statuses and kinds of [certificate()], and that its numbers are computed from the data.
#' - The same data, seed and version give the same answer. Another version gives the same within the certified
#'   gap where the optimum is unique and global; of local minima it may find others.
#' - A saved fit is read by all later versions of the same major number.
#' - The options `zeronorm.progress` and `zeronorm.threads`; the variables `HIGHS_HOME`, `OSQP_HOME` and
#'   `ZERONORM_CACHE`.
#'
#' @section What is not:
#' - Elements of objects that no help page names, and functions that are not exported.
#' - The words of messages and of what is printed, and the looks of pictures and reports.
#' - The last digits of numbers, the number of rounds, and times.
#' - The C++ sources, which are no library.
#'
#' @section What may still change:
#' The adapters ([svm_linear_zeronorm()], [step_select_zeronorm()], [caret_zeronorm()],
#' [LearnerClassifZeronorm()]) follow their packages, whatever these do. [certify_zero_norm()], [polish()],
#' [report()] and [study()] are young: their arguments may change in a minor version, with a warning before.
#' All else is stable; development goes on and adds methods.
#'
#' @name zeronorm_stability
#' @aliases deprecated
#' @examples
#' # An error can be told from others, and says which argument is meant.
#' tryCatch(l1_svm(C = -1), zeronorm_error = function(e) e$argument)
#' # Silences this package alone.
#' fit <- suppressWarnings(
#'   zeronorm(colon$x, colon$y, fsv(), control = zeronorm_control(max_rounds = 1)),
#'   classes = "zeronorm_warning"
#' )
#' certificate(fit)$stop
NULL

# What was warned of in this session.
deprecations <- new.env()

# Warns once a session that `old` goes: deprecate("zeronorm(cost = )", "l1_svm(C = )", "0.3.0").
deprecate <- function(old, new, since) {
  if (exists(old, deprecations, inherits = FALSE)) return(invisible())
  assign(old, since, deprecations)
  message <- paste0("zeronorm: ", old, " is deprecated since version ", since, " and will leave; use ", new,
                    ".")
  warning(structure(class = c("zeronorm_deprecated", "deprecatedWarning", "warning", "condition"),
                    list(message = message, call = NULL, old = old, new = new, since = since)))
}

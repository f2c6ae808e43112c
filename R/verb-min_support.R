# Fewest nonzeros over a polyhedron.  A method of zeronorm() without intercept, standardising or labels: the
# bounds of A v take the place of y.

#' Fewest nonzeros over a polyhedron
#'
#' \deqn{\min_v |v|_0 \quad \textrm{subject to} \quad lower \le A v \le upper}
#' by the algorithm of Frank and Wolfe on \eqn{\sum_j \phi(|v_j|)} for a concave penalty \eqn{\phi}: each
#' round is a linear programme whose costs are the slopes of \eqn{\phi} at the last solution, until the
#' costs change nothing. It ends after finitely many rounds in a vertex that is stationary, which need not
#' be the global optimum: try several penalties.
#'
#' A penalty that is steep at the magnitudes of v stops at the first vertex, a flat one goes on but ends in
#' more nonzeros. The default starts flat and gets steeper, in units of the typical nonzero.
#'
#' @param A numeric matrix, dense or of package Matrix, with a column for each variable.
#' @param lower,upper bounds of `A %*% v`, one for each row of `A`, or one number for all; `-Inf` and `Inf`
#'   bound nothing, and equal ones make an equation. Bounds of v itself are rows of the identity.
#' @param penalty a [penalty][exp_penalty()], or its name.
#' @param unit the penalty is one of \eqn{|v_j| / unit}. `"auto"`, the default beside the default penalty,
#'   is the mean magnitude of the nonzeros of the v with the smallest \eqn{|v|_1}; beside a penalty that is
#'   given it is 1.
#' @param start magnitude of v, in these units, at which the first slopes are taken: with 0 the first
#'   programme minimises \eqn{|v|_1}.
#' @param engine,control as for [zeronorm()].
#' @return An object of class `zeronorm_support`, a list with
#'   \item{value}{v, named by the columns of `A`}
#'   \item{support}{the columns with a nonzero}
#'   \item{certificate}{a data frame of one row: `status`, `stop`, `engine`, `fallback`, `rounds`, `kind`
#'     (`"stationarity"`, or `"gap"` where v = 0 is the global optimum), `primal`, `dual`, `gap` and `kkt`
#'     of the last convex problem, `nonzero`, and `violation`: the largest of any row, relative to the terms
#'     it sums}
#'   \item{trace}{the rounds}
#'   [coef()], [selected()], [certificate()] and [rounds()] read them.
#' @references
#' Rinaldi, F., Schoen, F. and Sciandrone, M. (2010). Concave programming for minimizing the zero-norm over
#' polyhedral sets. *Computational Optimization and Applications* 46, 467-486.
#' @examples
#' # Fewest foods, at most three portions of each, that give 10 of every nutrient
#' set.seed(1)
#' content <- matrix(rexp(8 * 40), 8, dimnames = list(NULL, paste0("food", 1:40)))
#' min_support(rbind(content, diag(40)), c(rep(10, 8), rep(0, 40)), c(rep(Inf, 8), rep(3, 40)))
#' @export
min_support <- function(A, lower = -Inf, upper = Inf, penalty = exp_penalty(c(0.5, 1, 2, 5)),
                        unit = if (missing(penalty)) "auto" else 1, start = 0, engine = "auto",
                        control = zeronorm_control()) {
  A <- encode_coefficients(A, "A")
  lower <- check_bounds(lower, "lower", nrow(A))
  upper <- check_bounds(upper, "upper", nrow(A))
  if (any(lower > upper | lower == Inf | upper == -Inf)) {
    row <- which(lower > upper | lower == Inf | upper == -Inf)[1]
    stop_zeronorm("lower", paste0("is ", lower[row], " in row ", row, ", where `upper` is ", upper[row], "."),
                  "No value lies between them; change one of the bounds.")
  }
  if (!identical(unit, "auto")) unit <- check_number(unit, "unit", open_lower = TRUE)
  method <- fw1(penalty, start = start)
  settings <- support_settings(engine, control)
  if (identical(unit, "auto")) unit <- typical_nonzero(A, lower, upper, settings)
  found <- find_support(A, lower, upper, method, settings, rep(unit, ncol(A)))
  if (failed_status(found) == "infeasible") {
    stop_zeronorm(if (any(is.finite(lower))) "lower" else "upper", "no v keeps lower <= A v <= upper.",
                  "The bounds contradict each other; relax some.")
  }
  check_found(list(found), "min_support")
  new_support("min_support", list(found), A)
}

support_settings <- function(engine, control) {
  list(standardize = FALSE, intercept = FALSE, engine = check_choice(engine, "engine", engine_names),
       control = check_control(control))
}

# A matrix of coefficients with finite entries, without the requirements on observations of zeronorm().
encode_coefficients <- function(A, argument) {
  A <- encode_matrix(if (is.data.frame(A)) as.matrix(A) else A, argument)
  if (!all(dim(A))) {
    stop_zeronorm(argument, paste0("has no ", if (nrow(A)) "columns" else "rows", "."), "Give at least one.")
  }
  if (!all(is.finite(if (is.matrix(A)) A else A@x))) stop_not_finite(A, argument)
  A
}

check_bounds <- function(bounds, argument, n) {
  if (!is.numeric(bounds) || !length(bounds) %in% c(1L, n) || length(dim(bounds)) > 2) {
    stop_zeronorm(argument, paste0("is ", describe(bounds), "."),
                  paste0("Use one number, or one for each of the ", n, " rows of `A`."))
  }
  if (anyNA(bounds)) stop_zeronorm(argument, "holds missing values.", "An infinite bound is Inf or -Inf.")
  rep_len(as.double(bounds), n)
}

# Of the smallest |v|_1; one where there is none.
typical_nonzero <- function(A, lower, upper, settings) {
  v <- find_support(A, lower, upper, l1_svm(C = Inf), settings)$value
  if (anyNA(v) || all(v == 0)) 1 else mean(abs(v[v != 0]))
}

# One polyhedron, each variable in a unit of its own: list(value, status, ..., rounds).  Rows are brought to
# the same size first, by powers of two.
find_support <- function(A, lower, upper, method, settings, unit = rep(1, ncol(A))) {
  d <- ncol(A)
  original <- A
  A <- scale_columns(A, unit)
  if (all(lower <= 0 & upper >= 0)) return(zero_support(d))
  size <- row_sizes(A)
  if (any(size == 0 & (lower > 0 | upper < 0))) return(failed_support(d, "infeasible"))
  used <- size > 0 & (lower > -Inf | upper < Inf)
  scales <- 2^-round(log2(size[used]))
  problem <- list(
    x = scale_rows(A, used, scales), y = matrix(0, sum(used), 1), task = "regression",
    lower = lower[used] * scales, upper = upper[used] * scales, n = sum(used), d = d,
    case_weights = rep(1, sum(used)), weights = rep(1, sum(used)), unpenalized = integer(),
    keep = integer(), nonzero = integer()
  )
  problem <- prepare_problem(method, problem)
  solutions <- solve_problem(problem, method, settings)
  facts <- solutions$facts
  facts$status[facts$status == "not separable"] <- "infeasible"
  value <- as.vector(solutions$coefficients) * unit
  if (facts$status != "optimal") value[] <- NA
  c(facts, list(value = value, violation = largest_violation(original, value, lower, upper),
                note = solutions$note, trace = solutions$trace[[1]], seconds = solutions$seconds))
}

row_sizes <- function(A) {
  if (is.matrix(A)) return(sqrt(rowSums(A^2)))
  sqrt(as.vector(Matrix::rowSums(A^2)))
}

scale_columns <- function(A, scales) {
  if (all(scales == 1)) return(A)
  if (is.matrix(A)) return(A * rep(scales, each = nrow(A)))
  A@x <- A@x * rep(scales, diff(A@p))
  A
}

scale_rows <- function(A, used, scales) {
  if (is.matrix(A)) return(unname(A[used, , drop = FALSE]) * scales)
  A <- A[used, , drop = FALSE]
  A@x <- A@x * scales[A@i + 1L]
  A
}

# The largest amount by which a row misses its bounds, relative to the size of bound and terms.
largest_violation <- function(A, value, lower, upper) {
  if (anyNA(value)) return(NA_real_)
  row <- as.vector(A %*% value)
  beyond <- pmax(lower - row, row - upper, 0)
  size <- pmax(as.vector(abs(A) %*% abs(value)), ifelse(is.finite(lower), abs(lower), 0),
               ifelse(is.finite(upper), abs(upper), 0))
  max(ifelse(beyond > 0, beyond / size, 0))
}

# Where zero is allowed nothing has to be solved.
zero_support <- function(d) {
  list(status = "optimal", stop = "converged", engine = "none", fallback = FALSE, rounds = 0L, kind = "gap",
       primal = 0, dual = 0, gap = 0, kkt = 0, nonzero = 0L, value = numeric(d), violation = 0, note = "",
       trace = list(round = integer(), objective = numeric(), nonzero = integer(), gap = numeric(),
                    engine = character()), seconds = 0)
}

failed_support <- function(d, status) {
  found <- zero_support(d)
  found[c("primal", "dual", "gap", "kkt", "violation")] <- NA_real_
  found$status <- status
  found$stop <- "failed"
  found$nonzero <- NA_integer_
  found$value <- rep(NA_real_, d)
  found
}

# "" where it was solved.
failed_status <- function(found) if (found$status == "optimal") "" else found$status

# A failure is never an answer: an error where all failed, NA with a warning where some did.
check_found <- function(found, verb) {
  status <- vapply(found, `[[`, "", "status")
  failed <- which(status != "optimal")
  stopped <- vapply(found, `[[`, "", "stop")
  unfinished <- sum(stopped == "round limit")
  if (unfinished) {
    warn(verb, "(): ", plural(unfinished, "solution"), " stopped at the round limit; raise ",
         "zeronorm_control(max_rounds = ).")
  }
  if (!length(failed)) return(invisible())
  first <- found[[failed[1]]]
  if (length(failed) == length(found)) {
    argument <- if (first$status == "refused") "engine" else "control"
    stop_zeronorm(argument, trimws(paste0(verb, "() failed: ", first$status, ". ", sentence(first$note))),
                  "Use engine = \"auto\", or other settings in zeronorm_control().")
  }
  warn(verb, "(): ", length(failed), " of ", length(found), " failed (", enumerate(failed), "): ",
       first$status, "; their values are NA.")
}

# found: what find_support() gave for each right-hand side.
new_support <- function(verb, found, A, several = FALSE, names = NULL, class = character(), ...) {
  fields <- setdiff(fact_names, "support_vectors")
  table <- lapply(structure(fields, names = fields), function(f) unlist(lapply(found, `[[`, f)))
  table$violation <- vapply(found, `[[`, 0, "violation")
  support <- lapply(found, function(f) {
    used <- which(f$value != 0)
    structure(used, names = colnames(A)[used])
  })
  value <- if (several) sparse_columns(lapply(found, `[[`, "value"), colnames(A), names)
           else structure(found[[1]]$value, names = colnames(A))
  new_result(list(
    verb = verb, value = value, support = if (several) structure(support, names = names) else support[[1]],
    certificate = list2DF(table), trace = lapply(found, `[[`, "trace"), n = nrow(A), d = ncol(A),
    seconds = sum(vapply(found, `[[`, 0, "seconds")), ...
  ), c(class, "zeronorm_support"))
}

sparse_columns <- function(values, rows, columns) {
  used <- lapply(values, function(v) which(is.na(v) | v != 0))
  new("dgCMatrix", i = unlist(used) - 1L, p = as.integer(c(0, cumsum(lengths(used)))),
      x = as.double(unlist(Map(`[`, values, used))), Dim = c(length(values[[1]]), length(values)),
      Dimnames = list(rows, columns))
}

#' @rdname certificate
#' @export
certificate.zeronorm_support <- function(object, ...) {
  check_unused(...)
  check_result(object)
  object$certificate
}

#' @method coef zeronorm_support
#' @export
coef.zeronorm_support <- function(object, ...) {
  check_unused(...)
  check_result(object)
  object$value
}

#' @rdname selected
#' @export
selected.zeronorm_support <- function(object, ...) {
  check_unused(...)
  check_result(object)
  one <- function(set) if (is.null(names(set))) set else names(set)
  if (is.list(object$support)) lapply(object$support, one) else one(object$support)
}

#' @rdname rounds
#' @export
rounds.zeronorm_support <- function(object, ...) {
  check_unused(...)
  check_result(object)
  trace_table(object$trace, seq_along(object$trace))
}

#' @method print zeronorm_support
#' @export
print.zeronorm_support <- function(x, ...) {
  check_result(x, "x")
  writeLines(c(paste0("<", x$verb, ">"), support_lines(x), support_certainty(x)))
  invisible(x)
}

support_lines <- function(x) {
  sizes <- x$certificate$nonzero
  if (!is.list(x$support)) {
    return(indented(sizes, " of ", x$d, " nonzero", if (sizes) ": ", if (sizes) name_some(selected(x))))
  }
  indented(plural(length(sizes), "solution"), " with ",
           paste(unique(range(sizes, na.rm = TRUE)), collapse = " to "), " of ", x$d, " nonzero")
}

support_certainty <- function(x) {
  table <- x$certificate
  ok <- table$status == "optimal"
  kind <- c(gap = "global optimum", stationarity = "stationary, last convex problem solved")
  c(indented(paste(kind[unique(table$kind[ok])], collapse = " or "), ": relative gap ",
             small(max(table$gap[ok]), 1e-12), ", violation ", small(max(table$violation[ok]), 1e-12)),
    indented("engine ", paste(unique(table$engine[ok]), collapse = ", "),
             if (any(table$fallback)) " (as a fallback)", ", ", plural(max(table$rounds), "round"), ", ",
             small(x$seconds, 0.01), " s"),
    if (!all(ok)) indented(plural(sum(!ok), "solution"), " failed: see certificate()"))
}

#' The smallest codebook within a radius
#'
#' Vector quantisation by the zero-norm: the fewest points of `x` such that every point lies within `radius`
#' of one of them,
#' \deqn{\min_c |c|_0 \quad \textrm{subject to} \quad c \ge 0,\ G c \ge 1, \quad
#'   G_{ij} = [\,|x_i - x_j| \le radius\,]}
#' by the multiplicative update of [arom()]. As G has no negative entry the signs of c are free: |c| satisfies
#' what c does. With `norm = "l1"` each round is a linear programme, with `"l2"` a quadratic one.
#'
#' Every point is covered, whatever the rounds end in. Points that others make redundant are dropped one by
#' one from the support of the fixed point, the smallest |c| first. The greedy cover (the point that covers
#' most of what is left, again and again, pruned alike) is computed beside it, and the smaller of the two is
#' the answer, so that it is never larger than the greedy cover; `source` says which it was. Beside it
#' stands a proven lower bound: the smallest \eqn{|c|_1}, rounded up.
#'
#' @param x points in rows: a numeric matrix, a data frame of numbers, or a sparse matrix (made dense).
#' @param radius largest Euclidean distance of a point from its code vector.
#' @param norm `"l1"` or `"l2"`.
#' @param engine,control as for [zeronorm()]; `"auto"` takes HiGHS for the linear programmes, which are
#'   large and sparse.
#' @return An object of class `zeronorm_codebook`, a list with
#'   \item{support}{the chosen rows of `x`}
#'   \item{codes}{these rows themselves}
#'   \item{value}{1 for a chosen row, else 0}
#'   \item{assignment}{for each point the row of its nearest code vector, and}
#'   \item{distance}{its distance}
#'   \item{lower}{no codebook is smaller than this}
#'   \item{greedy}{size of the greedy cover}
#'   \item{source}{`"arom"` or `"greedy"`}
#'   \item{certificate, trace}{of the rounds, as for [min_support()]; `nonzero` counts before redundant points
#'     were dropped}
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(runif(200), 100)
#' book <- codebook(x, radius = 0.25)
#' book
#' table(book$assignment)
#' @export
codebook <- function(x, radius, norm = "l1", engine = "auto", control = zeronorm_control()) {
  points <- as.matrix(encode_coefficients(x, "x"))
  if (missing(radius)) stop_zeronorm("radius", "is missing.", "Give the largest distance from a code vector.")
  radius <- check_number(radius, "radius")
  norm <- check_choice(norm, "norm", c("l1", "l2"))
  settings <- linear <- support_settings(engine, control)
  if (norm == "l2" || engine == "auto") linear$engine <- "highs"
  near <- neighbours(points, radius)
  n <- nrow(points)
  smallest <- find_cover(near, l1_svm(C = Inf), linear)
  found <- if (norm == "l1") rescale_cover(near, smallest, linear) else find_cover(near, arom("l2"), settings)
  check_found(list(found), "codebook")
  found$seconds <- found$seconds + smallest$seconds
  chosen <- drop_redundant(near, which(found$value != 0), found$value)
  greedy <- greedy_cover(near)
  source <- if (length(greedy) < length(chosen)) "greedy" else "arom"
  if (source == "greedy") chosen <- greedy
  book <- new_support("codebook", list(found), near, class = "zeronorm_codebook",
                      codes = x[chosen, , drop = FALSE], lower = max(1L, whole_bound(smallest)),
                      greedy = length(greedy), source = source, radius = radius)
  book$value <- structure(replace(numeric(n), chosen, 1), names = rownames(x))
  book$support <- structure(chosen, names = rownames(x)[chosen])
  book[c("assignment", "distance")] <- nearest(points, chosen)
  book
}

find_cover <- function(near, method, settings, unit = rep(1, ncol(near))) {
  find_support(near, rep(1, nrow(near)), rep(Inf, nrow(near)), method, settings, unit)
}

# l1-AROM from its first round on: what is zero stays so, the rest is the next scale.
rescale_cover <- function(near, first, settings) {
  if (first$status != "optimal") return(first)
  used <- which(first$value != 0)
  found <- find_cover(near[, used, drop = FALSE], arom("l1"), settings, abs(first$value[used]))
  found$rounds <- found$rounds + first$rounds
  found$trace$round <- found$trace$round + as.integer(first$rounds)
  found$value <- replace(numeric(ncol(near)), used, found$value)
  found
}

# G as a sparse matrix, distances as dist() computes them. O(n^2 d).
neighbours <- function(points, radius) {
  n <- nrow(points)
  if (n == 1) return(sparseMatrix(i = 1, j = 1, x = 1))
  distance <- stats::dist(points)
  below <- which(distance <= radius)
  # dist() holds the columns of the lower triangle one after the other.
  ends <- cumsum(as.double(seq(n - 1, 1)))
  column <- findInterval(below - 1, c(0, ends[-length(ends)]))
  row <- below - c(0, ends)[column] + column
  sparseMatrix(i = c(row, column, seq_len(n)), j = c(column, row, seq_len(n)), x = 1, dims = c(n, n))
}

# Points that cover row i of a symmetric G. O(1).
covered_by <- function(near, j) near@i[near@p[j] + seq_len(near@p[j + 1] - near@p[j])] + 1L

# Leaves out, smallest weight first, what the others cover as well.
drop_redundant <- function(near, chosen, weight) {
  count <- as.vector(Matrix::rowSums(near[, chosen, drop = FALSE]))
  keep <- rep(TRUE, length(chosen))
  for (k in order(abs(weight[chosen]), -chosen)) {
    covers <- covered_by(near, chosen[k])
    if (all(count[covers] > 1)) {
      count[covers] <- count[covers] - 1
      keep[k] <- FALSE
    }
  }
  chosen[keep]
}

# The point that covers most of what is left, the lowest among equals, until nothing is.
greedy_cover <- function(near) {
  n <- ncol(near)
  gain <- diff(near@p)
  left <- rep(TRUE, n)
  chosen <- integer()
  while (any(left)) {
    best <- which.max(gain)
    chosen <- c(chosen, best)
    news <- covered_by(near, best)
    news <- news[left[news]]
    left[news] <- FALSE
    for (i in news) {
      losers <- covered_by(near, i)
      gain[losers] <- gain[losers] - 1L
    }
  }
  sort(drop_redundant(near, chosen, replace(numeric(n), chosen, rev(seq_along(chosen)))))
}

# The proven value of the linear programme rounded up; 0 where it failed.
whole_bound <- function(bound) {
  if (bound$status != "optimal") return(0L)
  as.integer(ceiling(bound$dual * (1 - 1e-9) - 1e-9))
}

# The nearest of the chosen points for each point, the lowest among equals.
nearest <- function(points, chosen) {
  across <- t(points)
  distance <- vapply(chosen, function(j) sqrt(colSums((across - points[j, ])^2)), numeric(nrow(points)))
  distance <- matrix(distance, nrow(points))
  best <- max.col(-distance, ties.method = "first")
  list(assignment = structure(chosen[best], names = rownames(points)),
       distance = structure(distance[cbind(seq_along(best), best)], names = rownames(points)))
}

#' @method print zeronorm_codebook
#' @export
print.zeronorm_codebook <- function(x, ...) {
  check_result(x, "x")
  size <- length(x$support)
  proof <- if (size == x$lower) "no smaller one exists" else paste("none has fewer than", x$lower)
  writeLines(c("<codebook>",
               indented(plural(size, "code vector"), " for ", plural(x$n, "point"), " within ",
                        format(x$radius, digits = 4), ": ", proof),
               indented("found by ", if (x$source == "arom") "AROM" else "greed", "; the greedy cover has ",
                        x$greedy),
               support_certainty(x)))
  invisible(x)
}

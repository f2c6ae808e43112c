# Relative margins in exact arithmetic, for data as they are stored in doubles. A number is a sum of doubles
# that do not overlap (an expansion, Shewchuk 1997), a list of vectors, the smallest part first; all functions
# are vectorised.

exact_two_sum <- function(a, b) {
  sum <- a + b
  part <- sum - a
  list((a - (sum - part)) + (b - part), sum)
}

exact_split <- function(a) {
  scaled <- (2^27 + 1) * a
  high <- scaled - (scaled - a)
  list(a - high, high)
}

exact_product <- function(a, b) {
  product <- a * b
  a <- exact_split(a)
  b <- exact_split(b)
  list(a[[1]] * b[[1]] - (((product - a[[2]] * b[[2]]) - a[[1]] * b[[2]]) - a[[2]] * b[[1]]), product)
}

# The sum of the parts as an expansion.
exact_expansion <- function(parts) {
  expansion <- list()
  for (part in parts) {
    for (k in seq_along(expansion)) {
      sum <- exact_two_sum(part, expansion[[k]])
      expansion[[k]] <- sum[[1]]
      part <- sum[[2]]
    }
    expansion <- c(expansion, list(part))
  }
  expansion
}

# The sign of a sum of parts: that of its largest part that is not zero.
exact_sign <- function(parts) {
  sign <- 0
  for (part in exact_expansion(parts)) sign <- ifelse(part != 0, sign(part), sign)
  sign
}

# Whether weights v, in the units of x, separate the rows with a relative margin above 1e-9: for all pairs of
# rows p, q of the two classes and each column j,  sum_l v_l (x_pl - x_ql)  >  1e-9 |v_j| (max x_j - min x_j).
separates_exactly <- function(x, y, v, rows = seq_along(y)) {
  pairs <- expand.grid(p = rows[y[rows] > 0], q = rows[y[rows] < 0])
  gap <- unlist(lapply(which(v != 0), function(j) {
    c(exact_product(v[j], x[pairs$p, j]), exact_product(-v[j], x[pairs$q, j]))
  }), recursive = FALSE)
  used <- which(v != 0)
  length(used) > 0 && nrow(pairs) > 0 && all(vapply(used, function(j) {
    least <- exact_product(-1e-9, abs(v[j]))
    times <- function(value) unlist(lapply(least, exact_product, value), recursive = FALSE)
    all(exact_sign(c(gap, times(max(x[, j])), times(-min(x[, j])))) > 0)
  }, NA))
}

# --- all directions in which a relative margin can be largest ---

# Solutions w of  rows w = 0  in three dimensions at most, where the entries `fixed` of w are given: all
# vectors of signs for these, and all choices of as many rows as entries are left. A column for each.
directions <- function(rows, fixed) {
  k <- ncol(rows)
  free <- setdiff(seq_len(k), fixed)
  m <- length(free)
  signs <- t(as.matrix(expand.grid(rep(list(c(-1, 1)), length(fixed)))))
  if (m == 0) return(signs)
  if (nrow(rows) < m) return(matrix(0, k, 0))
  chosen <- utils::combn(nrow(rows), m)
  out <- lapply(seq_len(ncol(signs)), function(side) {
    given <- -drop(rows[, fixed, drop = FALSE] %*% signs[, side])
    a <- function(i, j) rows[chosen[i, ], free[j]]
    r <- function(i) given[chosen[i, ]]
    w <- matrix(0, k, ncol(chosen))
    w[fixed, ] <- signs[, side]
    w[free, ] <- if (m == 1) {
      r(1) / a(1, 1)
    } else if (m == 2) {
      rbind(r(1) * a(2, 2) - r(2) * a(1, 2), a(1, 1) * r(2) - a(2, 1) * r(1)) /
        rep(a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1), each = 2)
    } else {
      minor <- function(b, p, q) b[[p]](2) * b[[q]](3) - b[[p]](3) * b[[q]](2)
      det3 <- function(b) b[[1]](1) * minor(b, 2, 3) - b[[2]](1) * minor(b, 1, 3) + b[[3]](1) * minor(b, 1, 2)
      columns <- lapply(1:3, function(j) function(i) a(i, j))
      rbind(det3(replace(columns, 1, list(r))), det3(replace(columns, 2, list(r))),
            det3(replace(columns, 3, list(r)))) / rep(det3(columns), each = 3)
    }
    w
  })
  w <- do.call(cbind, out)
  w[, colSums(!is.finite(w)) == 0 & apply(abs(w), 2, max) <= 1 + 1e-6, drop = FALSE]
}

# "yes" or "no" for columns x of at most four, by a vertex of the linear programme whose value is the relative
# margin; all of them are tried, in doubles where these leave no doubt and else exactly.
exact_answer <- function(x, y, errors = 0) {
  range <- apply(x, 2, max) - apply(x, 2, min)
  used <- which(range > 0)
  if (!length(used)) return("no")
  x <- x[, used, drop = FALSE]
  range <- range[used]
  k <- length(used)
  u <- sweep(sweep(x, 2, apply(x, 2, min)), 2, range, "/")
  same <- function(class) if (sum(y == class) > 1) utils::combn(which(y == class), 2) else matrix(0L, 2, 0)
  pairs <- cbind(same(1), same(-1))
  rows <- unique(u[pairs[1, ], , drop = FALSE] - u[pairs[2, ], , drop = FALSE])
  w <- do.call(cbind, lapply(seq_len(k), function(c) {
    do.call(cbind, apply(utils::combn(k, c), 2, function(fixed) directions(rows, fixed), simplify = FALSE))
  }))
  f <- u %*% w
  up <- y > 0
  # Observations left out where `last` is the outermost of class -1, for a least margin.
  wrong <- function(last, least) {
    beyond <- sweep(f, 2, f[last, ])
    colSums(beyond[up, , drop = FALSE] <= least) + colSums(beyond[!up, , drop = FALSE] > 0)
  }
  for (last in which(!up)) {
    if (any(wrong(last, 1e-9 * (1 + 1e-4)) <= errors)) return("yes")
    for (c in which(wrong(last, 1e-9 * (1 - 1e-4)) <= errors)) {
      beyond <- f[, c] - f[last, c]
      kept <- which(ifelse(up, beyond > 1e-9 * (1 - 1e-4), beyond <= 0))
      if (separates_exactly(x, y, w[, c] / range, kept)) return("yes")
    }
  }
  "no"
}

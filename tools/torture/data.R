# Random data with all the ways in which data can be awkward.  Everything is drawn from R's stream, so that
# a problem is its seed.

chance <- function(p) runif(1) < p
one_of <- function(...) list(...)[[sample.int(...length(), 1)]]
some_of <- function(values, size = 1) values[sample.int(length(values), size)]
power_of_ten <- function(from, to) 10^runif(1, from, to)

# Small sizes often, the smallest often enough.
draw_size <- function(least, most) {
  if (most <= least || chance(0.06)) return(least)
  least + floor((most - least + 1) * runif(1)^1.7)
}

# list(x, kinds): kinds name what is awkward.
draw_columns <- function(n, d) {
  base <- some_of(c("gaussian", "gaussian", "gaussian", "integer", "binary", "tied", "heavy"))
  x <- switch(base,
    gaussian = matrix(rnorm(n * d), n),
    integer = matrix(as.double(rpois(n * d, 1.5)), n),
    binary = matrix(as.double(runif(n * d) < some_of(c(0.1, 0.5))), n),
    tied = matrix(round(rnorm(n * d), 1), n),
    heavy = matrix(rt(n * d, 1.5), n)
  )
  kinds <- if (base != "gaussian") base
  spoil <- function(kind, p, change) {
    if (!chance(p)) return(invisible())
    which <- some_of(seq_len(d), sample.int(max(1, d %/% 3), 1))
    x[, which] <<- change(x[, which, drop = FALSE], which)
    kinds <<- c(kinds, kind)
  }
  others <- function(which) x[, sample.int(d, length(which), TRUE), drop = FALSE]
  spoil("constant", 0.1, function(part, which) 0 * part + power_of_ten(-3, 3))
  spoil("zero", 0.1, function(part, which) 0 * part)
  spoil("duplicated", 0.12, function(part, which) others(which))
  spoil("opposite", 0.06, function(part, which) -others(which))
  spoil("near-duplicated", 0.12, function(part, which) {
    others(which) * (1 + power_of_ten(-12, -2) * rnorm(length(part)))
  })
  spoil("dependent", 0.06, function(part, which) others(which) + others(which))
  spoil("units", 0.12, function(part, which) sweep(part, 2, 10^runif(length(which), -12, 12), "*"))
  spoil("all units", 0.05, function(part, which) part * power_of_ten(-12, 12))
  spoil("far mean", 0.1, function(part, which) part + power_of_ten(2, 4) * some_of(c(-1, 1)))
  spoil("outlier", 0.06, function(part, which) replace(part, sample.int(length(part), 1), power_of_ten(3, 7)))
  if (chance(0.08)) {
    from <- sample.int(n, max(1, n %/% 3))
    x[sample.int(n, length(from)), ] <- x[from, ]
    kinds <- c(kinds, "repeated rows")
  }
  if (chance(0.01)) {
    x[] <- 0
    kinds <- c(kinds, "nothing")
  }
  list(x = x, kinds = kinds)
}

# A score that some columns carry, spread 1.
draw_score <- function(x, noise) {
  carriers <- sample.int(ncol(x), min(ncol(x), 3))
  part <- scale(x[, carriers, drop = FALSE])
  part[!is.finite(part)] <- 0
  score <- as.vector(part %*% some_of(c(-1, 1, 0.3), length(carriers)))
  score + noise * rnorm(nrow(x))
}

# Two classes of score, each with an observation.
cut_in_two <- function(score, share) {
  n <- length(score)
  upper <- max(1, min(n - 1, round(share * n)))
  rank(score, ties.method = "random") > n - upper
}

draw_labels <- function(x, task) {
  n <- nrow(x)
  noise <- some_of(c(0, 0, 0.3, 1))
  score <- if (chance(0.15)) rnorm(n) else draw_score(x, noise)
  switch(task,
    "two-class" = {
      share <- some_of(c(0.5, 0.5, 0.3, 0, 1))
      factor(ifelse(cut_in_two(score, share), "b", "a"), levels = one_of(c("a", "b"), c("b", "a")))
    },
    "k-class" = {
      k <- min(n, some_of(c(3, 3, 4)))
      class <- ceiling(k * rank(score, ties.method = "random") / n)
      factor(letters[class])
    },
    "multi-label" = {
      more <- draw_score(x, 1)
      cbind(l1 = cut_in_two(score, 0.5), l2 = cut_in_two(more, some_of(c(0.5, 0.2)))) + 0
    },
    regression = {
      y <- score * if (chance(0.2)) power_of_ten(-6, 6) else 1
      if (chance(0.1)) y <- round(y)
      if (chance(0.03)) y[] <- y[1]
      y + if (chance(0.2)) power_of_ten(0, 4) else 0
    }
  )
}

# What zeronorm() is told beside x, y and the method.
draw_settings <- function(n, d, y, task) {
  settings <- list()
  if (chance(0.2)) settings$standardize <- FALSE
  if (chance(0.2)) settings$intercept <- FALSE
  if (chance(0.15)) {
    settings$weights <- switch(sample.int(3, 1), sample.int(3, n, TRUE), runif(n, 0.1, 2),
                               as.double(runif(n) < 0.8))
  }
  if (task %in% c("two-class", "k-class") && chance(0.08)) {
    levels <- levels(droplevels(y))
    settings$class_weights <- if (chance(0.5)) "balanced"
                              else structure(runif(length(levels), 0.2, 5), names = levels)
  }
  if (chance(0.08)) settings$unpenalized <- sample.int(d, 1)
  if (chance(0.08)) settings$keep <- sample.int(d, 1)
  settings
}

# Problems on which an honest failure would surprise nobody: what columns differ by is lost in what they are,
# or columns of all sizes stand side by side, as the method sees them.
is_absurd <- function(x, y, settings) {
  if (is.numeric(y) && is.null(dim(y)) && sd(y) > 0 && max(abs(y)) > 1e6 * sd(y)) return(TRUE)
  spread <- apply(x, 2, sd)
  largest <- apply(abs(x), 2, max)
  used <- spread > 0
  centred <- !isFALSE(settings$intercept)
  constants <- largest[!used & largest > 0]
  if (!centred && any(constants > 1e3 | constants < 1e-3)) return(TRUE)
  if (!any(used)) return(FALSE)
  if (any(largest[used] > 1e9 * spread[used])) return(TRUE)
  if (!centred && any(largest[used] > 1e3 * spread[used])) return(TRUE)
  if (!isFALSE(settings$standardize)) return(FALSE)
  any(largest[used] > 1e3 * spread[used]) || max(spread[used]) > 1e4 * min(spread[used]) ||
    max(largest) > 1e4 || max(largest[used]) < 1e-4
}

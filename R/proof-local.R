# What is said of one fit, beside the bounds for all sets of features.

# own: the solution as own_solution() gives it.
local_certificate <- function(fit, k, task, own, request, clock) {
  columns <- as_core_columns(own$columns, task)
  separates <- length(task$given) > 0 || any(answers(decide(task, list(columns), 0.2)) == "yes")
  # At least half a second, so that a small fit has its answer where the search took all the time.
  seconds <- min(10, max(0.5, seconds_left(clock)) / 2)
  polished <- if (separates) length(shrink_core(core_task(task), columns, seconds)$set) else length(columns)
  c(list(size = length(columns), gap = fit$certificate$gap[k],
         irreducible = if (separates) irreducible(task, columns, seconds) else NA, polished = polished),
    strict_minimum(fit, k, request))
}

# Whether the set separates without none of its features; NA where that is not decided.
irreducible <- function(task, columns, seconds) {
  if (length(columns) <= least_size(task)) return(TRUE)
  if (length(columns) > 500) return(NA)
  without_one <- lapply(seq_along(columns), function(j) columns[-j])
  found <- answers(decide(task, without_one, seconds, nodes = 1000))
  if (any(found == "yes")) FALSE else if (all(found == "no")) TRUE else NA
}

# Whether (w, b) is a strict local minimum of a penalised SVM with hinge loss. In every direction its
# objective rises as fast as that of the linear programme with the slopes of the penalty at w as costs
# (at a kink the slope of the side that rises less). Where this programme has (w, b) as its only
# solution, both rise in every direction, and at least in proportion to the step. margin: the least
# relative distance of a multiplier or cost from its bound.
strict_minimum <- function(fit, k, request) {
  why <- no_linear_problem(fit, k)
  if (length(why)) return(list(strict = NA, margin = NA_real_, why = why))
  found <- only_solution(linear_problem(fit, k, request))
  if (length(found$why)) list(strict = FALSE, margin = NA_real_, why = found$why)
  else list(strict = TRUE, margin = found$margin, why = "")
}

# What keeps a fit from being asked, or nothing.
no_linear_problem <- function(fit, k) {
  method <- fit$method
  step <- method$steps[fit$search[k], ]
  if (!has_linear_tangent(method) || step$l1 == 0 || !is.null(method$model$sharing)) {
    return("its machine is not the solution of a linear programme with a price for each feature")
  }
  if (!is_optimal(fit)[k]) return("it failed")
  if (!is.null(fit$certificate$target) && !is.na(fit$certificate$target[k])) {
    return("its features were cut to a number, and the machine was trained again on them")
  }
  if (step$ridge > 0) return("with a ridge its objective is not piecewise linear")
  if (method$model$loss != "hinge" && !step$hard) return("its loss is not piecewise linear")
  if (!is.null(method$args$stop)) return("a part of the observations has chosen it")
}

# The machine at its solution, and what tangent_core() says of prices there.
linear_problem <- function(fit, k, request) {
  x <- request$x
  if (!is.null(fit$imputation)) x$x <- fill_in(x$x, fit$imputation)
  method <- fit$method
  # Drawn for the fit, and of no matter here.
  method$model$costs <- method$args$costs
  method$core$starts <- method$core$start <- 1
  problem <- new_problem(x, request$labels, method, fit$settings, request$weights, NULL)
  steps <- scale_slacks(method, problem)[fit$search[k], ]
  spec <- core_spec(problem, method, fit$settings, steps)
  w <- fit$coefficients[, k]
  values <- as.matrix(problem$x)
  y <- as.vector(problem$y)
  f <- as.vector(values %*% w) + fit$intercept[k]
  c(list(x = values, y = y, w = w, slack = 1 - y * f, names = feature_labels(fit),
         intercept = fit$settings$intercept),
    tangent_core(problem$x, spec, method$family, core_options(method, problem, steps), w))
}

# The rows at the margin have to determine (w, b), and multipliers strictly within their bounds to balance the
# prices, with the price of every other feature above its pull.
only_solution <- function(p) {
  vertex <- find_vertex(p)
  if (length(vertex$why)) return(vertex)
  balance <- balance_prices(p, vertex)
  spare <- spare_prices(p, vertex, balance)
  list(margin = min(balance$room, spare, 1), why = why_not_strict(p, vertex, balance$room, spare))
}

why_not_strict <- function(p, vertex, room, spare) {
  least <- 1e-6
  if (any(room <= least)) {
    if (all(p$high[vertex$moving] <= negligible_slopes(p, vertex))) "the penalty is flat at its weights"
    else "a multiplier is not strictly within its bounds"
  } else if (any(spare <= least)) {
    paste("feature", p$names[vertex$resting[which.min(spare)]], "could join for no more than its price")
  }
}

# The relative error of rounding that a sum of many terms may have.
relative_rounding <- 1e-12

# Slopes up to this one count as zero beside what the penalty has risen by.
negligible_slopes <- function(p, vertex) 1e-9 * p$mean[vertex$moving]

# Weights move where they are not zero or cost nothing. O(n d + m p^2) for p of them and m rows at the margin.
find_vertex <- function(p) {
  near <- 1e-8 * max(1, abs(1 - p$slack))
  if (any(is.infinite(p$rows) & p$slack > near)) return(list(why = "it is not within its margins"))
  at <- which(p$rows > 0 & abs(p$slack) <= near)
  moving <- which(p$scale > 0 & (p$w != 0 | p$high == 0))
  rows <- signed_rows(p, at, moving)
  decomposition <- qr(rows, tol = 1e-9)
  if (nrow(rows) < ncol(rows) || decomposition$rank < ncol(rows)) {
    return(list(why = "the observations at the margin leave its weights a direction to move in"))
  }
  v <- (p$w * p$scale)[moving]
  step <- qr.coef(decomposition, p$slack[at])[seq_along(v)]
  if (any(abs(step) > 1e-7 * abs(v) & v != 0)) {
    return(list(why = "rounding hides which observations are at the margin"))
  }
  list(at = at, beyond = which(p$rows > 0 & p$slack > near), moving = moving, v = v, rows = rows,
       resting = which(p$scale > 0 & p$w == 0 & p$high > 0), within = least_norm(decomposition))
}

# Multipliers a of the rows at the margin, linear in the slopes, and the room they leave to their bounds for
# all slopes between low and high. unsure: half of what is between, rounding included.
balance_prices <- function(p, vertex) {
  given <- signed_rows(p, vertex$beyond, vertex$moving) * p$rows[vertex$beyond]
  down <- vertex$v < 0
  free <- if (p$intercept) 0
  low <- c(ifelse(down, -p$high[vertex$moving], p$low[vertex$moving]), free)
  high <- c(ifelse(down, -p$low[vertex$moving], p$high[vertex$moving]), free)
  unsure <- (high - low) / 2 + relative_rounding * (abs(low + high) + colSums(abs(given))) +
    c(negligible_slopes(p, vertex), free)
  bounds <- p$rows[vertex$at]
  a <- balanced(vertex$rows, vertex$within, (low + high) / 2 - colSums(given), bounds)
  spread <- as.vector(abs(vertex$within) %*% unsure)
  size <- pmax(pmin(bounds, max(a, 0)), .Machine$double.xmin)
  list(a = a, unsure = unsure, room = pmin(a - spread, bounds - a - spread) / size)
}

# What the prices of the weights that rest at zero leave when their pull is paid, as shares. O(m d p).
spare_prices <- function(p, vertex, balance) {
  a <- replace(numeric(length(p$y)), c(vertex$at, vertex$beyond), c(balance$a, p$rows[vertex$beyond]))
  x <- p$x[, vertex$resting, drop = FALSE]
  pull <- abs(as.vector(crossprod(x, p$y * a))) + relative_rounding * as.vector(crossprod(abs(x), a))
  varies <- abs(crossprod(x[vertex$at, , drop = FALSE], p$y[vertex$at] * vertex$within)) %*% balance$unsure
  1 - (pull + as.vector(varies)) / p$scale[vertex$resting] / p$low[vertex$resting]
}

# y_i (x_i, 1) of standardised columns.
signed_rows <- function(p, rows, columns) {
  scaled <- sweep(p$x[rows, columns, drop = FALSE], 2, p$scale[columns], "/")
  p$y[rows] * if (p$intercept) cbind(scaled, rep(1, length(rows))) else scaled
}

# B with a = B c the shortest solution of rows'a = c.
least_norm <- function(decomposition) {
  p <- decomposition$rank
  if (p == 0) return(matrix(0, nrow(decomposition$qr), 0))
  inverse <- backsolve(qr.R(decomposition), diag(p), transpose = TRUE)
  (qr.Q(decomposition) %*% inverse)[, order(decomposition$pivot), drop = FALSE]
}

# a with rows'a = c; where more rows than weights leave a choice, well within [0, bounds], by projections on
# one and the other by turns.
balanced <- function(rows, within, c, bounds) {
  a <- as.vector(within %*% c)
  if (nrow(rows) == ncol(rows)) return(a)
  inner <- 0.01 * pmin(bounds, mean(abs(a)))
  for (turn in 1:500) {
    inside <- pmin(pmax(a, inner), bounds - inner)
    if (identical(inside, a)) break
    a <- inside + as.vector(within %*% (c - crossprod(rows, inside)))
  }
  a
}

# Grades a fit from the data.  Every function gives complaints, a character vector that is empty where all is
# well.

complain <- function(wrong, ...) if (isTRUE(wrong) || is.na(wrong)) paste0(...) else character()

ten_digits <- function(value) format(value, digits = 10)

grade_fit <- function(problem, fit) {
  g <- plain_data(problem)
  table <- certificate(fit)
  solved <- table$status == "optimal"
  c(grade_table(table, solved, norm_rounding(fit)),
    unlist(lapply(which(!solved), grade_failed, fit = fit, g = g)),
    unlist(lapply(which(solved), grade_solution, fit = fit, g = g, problem = problem)))
}

# What rounding can do to the norm a'Ka of an expansion whose coefficients are large and cancel; kernel values
# of 1 are as small as they come where it matters.
norm_rounding <- function(fit) {
  size <- if (is.null(fit$machine$alpha)) 0 else colSums(abs(as.matrix(fit$machine$alpha)))
  outputs <- max(1, length(fit$outputs))
  2.2e-16 * rowSums(matrix(rep_len(size, outputs * nrow(certificate(fit)))^2, ncol = outputs, byrow = TRUE))
}

grade_table <- function(table, solved, rounding) {
  t <- table[solved, ]
  graded <- t$kind != "none"
  c(complain(!all(is.finite(t$primal[graded])), "primal value not finite"),
    complain(!all(is.finite(t$dual[graded])), "dual value not finite"),
    complain(!all(t$gap[graded] <= 1e-6), "optimal with a gap of ", format(max(t$gap[graded]))),
    complain(!all((t$dual <= t$primal + 1e-9 * abs(t$primal) + rounding[solved] + 1e-12)[graded]),
             "dual value above the primal value"),
    complain(any(is.na(t$kkt[graded])), "kkt not a number"))
}

# Nothing is read from a solution that is not proven.
grade_failed <- function(k, fit, g) {
  numbers <- unlist(tryCatch(coef(fit, index = k), zeronorm_error = function(e) NA))
  c(complain(!all(is.na(numbers)), "coefficients of a failed solution"),
    complain(!all(is.na(suppressMessages(predict(fit, g$x, "link", index = k)))),
             "predictions of a failed solution"))
}

grade_solution <- function(k, fit, g, problem) {
  link <- as.matrix(predict(fit, g$x, "link", index = k))
  if (!all(is.finite(link))) return("decision values not finite")
  found <- grade_predictions(k, fit, g, link)
  if (!is.null(fit$networks)) return(found)
  if (!is.null(fit$machine)) return(c(found, grade_expansion(k, fit, g, link)))
  if (!is.null(fit$polynomial)) return(found)
  own <- weights_of(fit, k, g)
  W <- own$W
  b <- own$b
  if (!all(is.finite(W)) || !all(is.finite(b))) return("coefficients not finite")
  pairs <- if (is.null(fit$pairs)) ncol(g$y) else ncol(fit$pairs)
  plain <- sweep(g$x %*% W, 2, b, "+")
  size <- abs(g$x) %*% abs(W) + rep(abs(b), each = g$n)
  c(found,
    complain(!all(abs(plain - link) <= 1e-11 * size + 1e-300),
             "decision values are not those of the coefficients"),
    complain(any(W[g$void, ] != 0), "a weight on a column that says nothing"),
    complain(!g$intercept && any(b != 0), "an intercept"),
    complain(length(selected(fit, index = k)) != sum(!seq_len(g$d) %in% g$free & rowSums(abs(W)) > 0),
             "selected() is not what has weights and a penalty"),
    if (pairs == ncol(g$y)) grade_objective(k, fit, g, own$U, own$c, problem))
}

# list(W, b, U, c): weights and intercepts of x, and those of the columns as the method sees them.
weights_of <- function(fit, k, g) {
  parts <- coef(fit, index = k)
  W <- if (is.list(parts)) vapply(parts, function(v) unname(v[-1]), numeric(g$d)) else parts[-1]
  W <- matrix(W, g$d)
  b <- if (is.list(parts)) vapply(parts, `[[`, 0, 1) else parts[[1]]
  list(W = W, b = b, U = W * g$unit, c = b + colSums(W * g$mean))
}

# Classes are the signs, or the largest of several; errors are counted.
grade_predictions <- function(k, fit, g, link) {
  if (g$task == "regression") return(character())
  class <- predict(fit, g$x, "class", index = k)
  table <- certificate(fit)[k, ]
  if (g$task == "multi-label") {
    wrong <- rowSums(as.matrix(class) != (g$y > 0)) > 0
    said <- any((as.matrix(class) > 0) != (link > 0))
  } else if (g$task == "two-class") {
    wrong <- (as.integer(class) == 2) != (g$y[, 1] > 0)
    said <- any((as.integer(class) == 2) != (link[, 1] > 0))
  } else {
    wrong <- as.integer(class) != g$class
    said <- is.null(fit$pairs) && any(as.integer(class) != max.col(link, "first"))
  }
  # Decision values that are zero but for rounding have no class to speak of.
  lead <- if (ncol(link) == 1) abs(link[, 1])
          else apply(link, 1, function(v) min(diff(sort(v)), abs(v)))
  doubtful <- sum(lead <= 1e-9 * max(1e-300, abs(link)) | lead <= 1e-9)
  c(complain(said, "classes are not those of the decision values"),
    complain(abs(sum(wrong) - table$errors) > doubtful, "errors: ", table$errors, " but ", sum(wrong),
             " counted"))
}

# f = K a + b with a kernel matrix of our own.
grade_expansion <- function(k, fit, g, link) {
  machine <- fit$machine
  if (machine$kernel$kind %in% c("matrix", "function") || NROW(machine$expansion)) return(character())
  x <- g$x
  if (!is.null(machine$center)) {
    total <- sum(g$case)
    mean <- colSums(x * g$case) / total
    flat <- !(g$deviation > 1e-14 * sqrt(g$n) * abs(mean))
    x <- sweep(sweep(x, 2, mean), 2, ifelse(flat, Inf, g$deviation), "/")
  }
  outputs <- max(1, length(fit$outputs))
  columns <- (k - 1) * outputs + seq_len(outputs)
  theta <- if (isTRUE(machine$scaled)) fit$coefficients[, k] else rep(1, g$d)
  K <- plain_kernel(machine$kernel, x, theta)
  a <- matrix(0, g$n, outputs)
  a[machine$rows, ] <- machine$alpha[, columns]
  b <- fit$intercept[columns]
  f <- sweep(K %*% a, 2, b, "+")
  size <- abs(K) %*% abs(a) + rep(abs(b), each = g$n)
  # Products of rows lose digits where columns are not standardised.
  loss <- 1e-9 + if (machine$kernel$kind == "gaussian" && !isTRUE(machine$scaled)) 0
                 else 1e-13 * max(rowSums(x^2))
  c(complain(!all(abs(f - link) <= loss * size + 1e-300), "decision values are not those of the expansion"),
    complain(any(theta < 0), "a negative scale"),
    grade_kernel_objective(k, fit, g, K, a, b))
}

plain_kernel <- function(kernel, x, theta) {
  x <- sweep(x, 2, sqrt(theta), "*")
  products <- tcrossprod(x)
  switch(kernel$kind,
    gaussian = {
      width <- if (is.null(kernel$width)) sqrt(length(theta)) / 2 else kernel$width
      exp(-as.matrix(dist(x))^2 / (2 * width^2))
    },
    poly = if (kernel$form == "power") (1 + products)^kernel$degree
           else if (kernel$degree == 1) products
           else if (kernel$degree == 2) products + products^2
           else products + products^2 + products^3
  )
}

# That of norm_svm() where it is convex and not found in rounds.
price_of_coefficients <- function(p, C_alpha) {
  if (C_alpha == 0) return(function(v) 0)
  if (p == Inf) return(function(v) C_alpha * max(abs(v)))
  if (p == 2) function(v) C_alpha * sum(v^2) / 2
}

# l2_svm() and the convex cases of norm_svm(), two classes.
grade_kernel_objective <- function(k, fit, g, K, a, b) {
  args <- fit$method$args
  table <- certificate(fit)[k, ]
  if (g$task != "two-class" || ncol(a) > 1) return(character())
  norm <- switch(fit$method$name,
    l2_svm = function(v) 0,
    norm_svm = if (!args$fast && args$margin) price_of_coefficients(table$p, table$C_alpha)
  )
  if (is.null(norm) || is.infinite(table$C)) return(character())
  loss <- if (fit$method$name == "l2_svm") args$loss else "hinge"
  value <- function(v, b) {
    Kv <- as.vector(K %*% v)
    sum(v * Kv) / 2 + table$C * sum(g$weights * plain_losses[[loss]](g$y[, 1], Kv + b)) + norm(v)
  }
  floor <- 1e-4 * table$C * sum(g$weights)
  rounding <- 1e-12 * table$C * sum(g$weights * (abs(K) %*% abs(a)))
  # Observations without weight are no points of an expansion.
  compare_values(table, value, a[, 1], b, floor, rounding, g$intercept, which(g$weights > 0))
}

# The value claimed is that of the solution, and no other point that is tried is better.
compare_values <- function(table, value, u, b, floor, rounding, intercept, columns = seq_along(u),
                           feasible = NULL) {
  own <- value(u, b)
  slack <- 2e-6 * max(abs(own), floor) + rounding
  found <- complain(abs(own - table$primal) > slack, "primal ", ten_digits(table$primal),
                    " but the objective is ",
                    ten_digits(own))
  best <- own
  try_point <- function(v, c) {
    if (!is.null(feasible) && !feasible(v, c)) return(invisible())
    best <<- min(best, value(v, c))
  }
  zero <- 0 * u
  shifts <- if (intercept) c(-1, -0.5, 0, 0.5, 1) else 0
  for (shift in shifts) try_point(zero, 0 * b + shift)
  for (t in c(0.5, 0.9, 0.99, 0.9999, 1.0001, 1.01, 1.1, 2)) try_point(t * u, t * b)
  step <- max(abs(u), 1e-3)
  for (size in c(1e-5, 1e-3, 0.1)) {
    if (intercept) for (sign in c(-1, 1)) try_point(u, b + sign * size)
    for (j in columns[sample.int(length(columns), min(3, length(columns)))]) {
      for (sign in c(-1, 1)) try_point(replace(u, j, u[j] + sign * size * step), b)
    }
  }
  c(found,
    complain(best < own - slack, "beaten: ", ten_digits(own), " by ", ten_digits(best)),
    complain(table$dual > best + slack, "dual value ", ten_digits(table$dual), " above ",
             ten_digits(best)))
}

# Rounding in decision values, at the price of the slacks.
rounding_of <- function(g, o, U, b) {
  slope <- if (o$loss == "squared") abs(g$y - decisions(g, U, b)) + 1 else 1
  size <- (abs(g$z) %*% abs(U) + rep(abs(b) + colSums(g$lost * abs(U)), each = g$n)) * slope
  1e-12 * o$price * sum(o$weights * size)
}

grade_objective <- function(k, fit, g, U, b, problem) {
  args <- fit$method$args
  name <- fit$method$name
  table <- certificate(fit)[k, ]
  sized <- !is.null(table$target)
  concave <- FALSE
  o <- if (table$kind == "none") NULL
       else if (sized || name %in% refitting) refit_objective(g, c(args, list(loss = NULL)), U)
       else if (name %in% names(convex_objectives)) convex_objectives[[name]](g, args, table)
       else if (name %in% names(concave_objectives)) {
         concave <- TRUE
         concave_objectives[[name]](g, args, table)
       }
  found <- character()
  if (identical(args$refit, "ls") && (sized || name %in% refitting)) {
    left <- least_squares_left(g, U, b)
    found <- complain(left > 1e-7 + 1e-13 * max(g$lost) + least_squares_rounding(g, U),
                      "least squares leave ", format(left), " of a selected column")
  }
  if (is.null(o)) return(c(found, grade_hard(k, fit, g, U, b)))
  if (concave) return(grade_concave(k, fit, g, o, U, b))
  if (o$hard) {
    short <- o$shortfall(U, b)
    allowed <- (if (problem$absurd) 1e-5 else 1e-6) + 1e-12 * max(abs(g$z) %*% abs(U))
    found <- c(found, complain(short > allowed, "a hard margin falls short by ", format(short)))
  }
  feasible <- if (o$hard) function(V, c) o$shortfall(V, c) <= 0
  value <- function(V, c) o$value(matrix(V, g$d), c)
  columns <- if (is.null(o$entries)) seq_along(U) else o$entries
  c(found, compare_values(table, value, U, b, o$floor, rounding_of(g, o, U, b), g$intercept, columns,
                          feasible),
    if (ncol(U) == 1 && name == "l2_svm" && args$loss == "hinge" && is.finite(table$C)) {
      grade_by_quadprog(g, o, U, b, table)
    })
}

# Methods that always end with a machine on selected features.
refitting <- c("alma_rfe", "ranking_filter", "tree_importance", "r2w2", "gram_schmidt", "forward_ls",
               "correlation_filter", "top_weights", "svm_rfe", "sensitivity_rfe", "bound_rfe",
               "logistic_rfe", "obd")

# Hard margins of methods without an objective here.
grade_hard <- function(k, fit, g, U, b) {
  name <- fit$method$name
  hard <- name == "arom" && is.null(fit$method$args$errors) && g$task == "two-class" &&
    is.null(certificate(fit)$target)
  if (!hard) return(character())
  short <- max(0, shortfalls(g, decisions(g, U, b), "hinge"))
  complain(short > 1e-5 + 1e-12 * max(abs(g$z) %*% abs(U)), "a hard margin falls short by ", format(short))
}

# The last value of the trace is that of the solution, which is no worse than the solution shrunk to nothing
# where the loss allows it.
grade_concave <- function(k, fit, g, o, U, b) {
  rounds <- rounds(fit, index = k)
  table <- certificate(fit)[k, ]
  last <- rounds$objective[nrow(rounds)]
  value <- objective_now(fit, g, table, U, b, last)
  slack <- 1e-6 * max(abs(value), o$floor) + rounding_of(g, o, U, b)
  # A penalty that is steep at 0 makes rounding of a weight felt.
  steep <- abs(o$value(U * (1 + 1e-9), b) - o$value(U, b))
  objective <- rounds$objective
  descends <- fit$method$declares$descends && length(fit$method$core$penalty$alpha) == 1
  rises <- diff(objective)
  c(complain(abs(last - value) > slack + steep && table$stop != "collapsed to zero",
             "last objective of the trace ", ten_digits(last), " but it is ", ten_digits(value)),
    complain(descends && any(rises > 1e-6 * max(abs(objective), o$floor)), "objective rises by ",
             format(max(rises))),
    if (o$hard) {
      short <- o$shortfall(U, b)
      complain(short > 1e-6 + 1e-12 * max(abs(g$z) %*% abs(U)), "a hard margin falls short by ",
               format(short))
    })
}

# The value with the last penalty of a schedule; where rounds ended before, with whichever was at work.
objective_now <- function(fit, g, table, U, b, last) {
  args <- fit$method$args
  alphas <- args$penalty$alpha
  if (!table$stop %in% c("round limit", "no minimum") || length(alphas) < 2) alphas <- list(alphas)
  values <- vapply(alphas, function(alpha) {
    args$penalty$alpha <- alpha
    concave_objectives[[fit$method$name]](g, args, table)$value(U, b)
  }, 0)
  values[which.min(abs(values - last))]
}

# Another solver's weights are no better, and its multipliers, cut to their bounds, prove no more.
grade_by_quadprog <- function(g, o, U, b, table) {
  rows <- which(g$weights > 0)
  if (length(g$free) || !requireNamespace("quadprog", quietly = TRUE)) return(character())
  y <- g$y[rows, 1]
  z <- y * g$z[rows, , drop = FALSE]
  Q <- tcrossprod(z)
  upper <- o$price * g$weights[rows]
  n <- length(rows)
  unit <- max(mean(diag(Q)), 1e-300)
  equal <- if (g$intercept) cbind(y) else NULL
  a <- tryCatch(quadprog::solve.QP(Q / unit + 1e-10 * diag(n), rep(1, n) / unit, cbind(equal, diag(n),
                                                                                       -diag(n)),
                                   c(if (g$intercept) 0, rep(0, n), -upper), meq = g$intercept)$solution,
                error = function(e) NULL)
  if (is.null(a) || !all(is.finite(a))) return(character())
  a <- pmin(pmax(a, 0), upper)
  w <- as.vector(crossprod(z, a))
  margins <- sort(unique(c(b, (y - g$z[rows, , drop = FALSE] %*% w))))
  value <- min(vapply(if (g$intercept) margins else 0, function(c) o$value(as.matrix(w), c), 0))
  own <- o$value(U, b)
  slack <- 2e-6 * max(abs(own), o$floor) + rounding_of(g, o, U, b)
  bound <- sum(a) - sum(w^2) / 2 - if (g$intercept) abs(sum(a * y)) * (abs(b) + 1) else 0
  c(complain(value < own - slack, "quadprog finds ", ten_digits(value), " below ", ten_digits(own)),
    complain(bound > table$primal + slack, "quadprog proves ", ten_digits(bound), " above ",
             ten_digits(table$primal)))
}

# Whether a hyperplane separates with room: the distance of the hulls of the classes, relative to the
# observations.  NA where it is too close to call.
separates <- function(problem) {
  g <- plain_data(problem)
  y <- g$y[, 1]
  Q <- tcrossprod(y * g$z)
  n <- g$n
  unit <- max(diag(Q), 1e-300)
  sums <- if (g$intercept) cbind(y > 0, y < 0) + 0 else cbind(rep(1, n))
  a <- tryCatch(quadprog::solve.QP(Q / unit + 1e-9 * diag(n), rep(0, n), cbind(sums, diag(n)),
                                   c(rep(1, ncol(sums)), rep(0, n)), meq = ncol(sums))$solution,
                error = function(e) NULL)
  if (is.null(a)) return(NA)
  distance <- sqrt(max(0, sum(a * (Q %*% a)) / unit))
  if (distance > 1e-3) TRUE else NA
}

# Whether the first round of dca(), at weights of 1, charges no feature: its penalty no longer rises there.
starts_flat <- function(args) {
  penalty <- args$penalty
  flat_from <- switch(if (is.null(penalty)) "none" else penalty$kind, capped = penalty$theta,
                      scad = , mcp = penalty$a * penalty$lambda, Inf)
  flat_from < Inf && args$ridge == 0 && flat_from <= 1 && (args$start == 1 || args$starts > 1)
}

# Whether features without a price, with the intercept, have any observation on its side and none on the other
# for some output: else positive multipliers balance them all (Stiemke).  NA where it is too close to call.
tells_apart <- function(problem) {
  g <- plain_data(problem)
  free <- unique(c(g$free, g$keep, which(problem$method$args$costs == 0)))
  if (starts_flat(problem$method$args)) free <- seq_len(ncol(g$z))
  rows <- g$weights > 0
  priceless <- cbind(if (g$intercept) rep(1, g$n), g$z[, free, drop = FALSE])[rows, , drop = FALSE]
  if (!length(priceless)) return(FALSE)
  distance <- function(y) {
    Q <- tcrossprod(y[rows] * priceless)
    unit <- max(diag(Q), 1e-300)
    n <- nrow(Q)
    a <- tryCatch(quadprog::solve.QP(Q / unit + 1e-9 * diag(n), rep(0, n), diag(n), rep(1, n))$solution,
                  error = function(e) NULL)
    if (is.null(a)) NA else sqrt(max(0, sum(a * (Q %*% a)) / unit / sum(a^2)))
  }
  left <- max(apply(g$y, 2, distance))
  if (is.na(left)) NA else if (left > 1e-3) TRUE else if (left < 1e-6) FALSE else NA
}

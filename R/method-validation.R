# stop = "validation": one fold of the observations is held out and chooses a solution of the path, or an iteration of
# the search.

# The number of folds for stop = "validation", NULL without it. Hard margins and sizes leave nothing to choose.
validation_folds <- function(stop, hard = FALSE, nonzero = NULL) {
  if (is.null(stop)) return(NULL)
  check_choice(stop, "stop", "validation")
  if (hard) stop_zeronorm("stop", "is given for a hard margin, which has no path.", "Use finite values of C.")
  if (!is.null(nonzero)) {
    stop_zeronorm("stop", "is given together with `nonzero`.", "Let one of them choose the features.")
  }
  3L
}

# The problem without the observations of the first fold.
hold_out <- function(problem) {
  check_validation(problem)
  judge <- problem$folds == 1
  problem$held_out <- problem$weights * judge
  problem$weights[judge] <- problem$case_weights[judge] <- 0
  problem
}

# The first fold chooses one solution of the path of a convex method.
fit_method.zeronorm_convex <- function(method, problem, settings) {
  if (is.null(method$args$stop)) NextMethod() else solve_validated(problem, method, settings)
}

fit_method.zeronorm_norm_constrained <- fit_method.zeronorm_convex

# The first fold chooses one iteration of a search.
fit_method.zeronorm_reweight <- function(method, problem, settings) {
  if (is.null(method$args$stop)) NextMethod() else solve_problem(hold_out(problem), method, settings)
}

fit_method.zeronorm_arom <- fit_method.zeronorm_reweight

# The path on all observations but those of the first fold, and of it the solution with the least loss there.
solve_validated <- function(problem, method, settings) {
  trained <- hold_out(problem)
  weights <- trained$held_out
  trained["held_out"] <- list(NULL)
  solutions <- solve_problem(trained, method, settings)
  loss <- validation_losses(solutions, problem, weights, method$model$loss)
  keep_solution(solutions, if (all(is.na(loss))) 1L else which.min(loss), ncol(problem$y))
}

# The mean loss of each solution on the rows with a weight, summed over outputs.
validation_losses <- function(solutions, problem, weights, loss) {
  rows <- which(weights > 0)
  k <- ncol(problem$y)
  f <- as.matrix(problem$x[rows, , drop = FALSE] %*% solutions$coefficients)
  f <- sweep(f, 2, solutions$intercept, "+")
  y <- problem$y[rows, rep_len(seq_len(k), ncol(f)), drop = FALSE]
  value <- switch(loss,
    squared = (y - f)^2 / 2,
    logistic = pmax(-y * f, 0) + log1p(exp(-abs(f))),
    hinge = pmax(1 - y * f, 0)
  )
  losses <- colSums(value * weights[rows]) / sum(weights[rows])
  losses <- colSums(matrix(losses, k))
  replace(losses, solutions$facts$status != "optimal", NA)
}

# One of several solutions, of k outputs each.
keep_solution <- function(solutions, s, k) {
  columns <- (s - 1) * k + seq_len(k)
  solutions$magnitude <- solutions$magnitude[column_entries(solutions$coefficients, columns)]
  solutions$coefficients <- solutions$coefficients[, columns, drop = FALSE]
  solutions$intercept <- solutions$intercept[columns]
  for (field in c("step", "target", "C", "note", "trace", "ranking")) {
    solutions[[field]] <- solutions[[field]][s]
  }
  for (field in c("alpha", "expansion")) {
    if (!is.null(solutions[[field]])) solutions[[field]] <- solutions[[field]][, s, drop = FALSE]
  }
  solutions$facts <- lapply(solutions$facts, `[`, s)
  solutions
}

# The first fold judges, the others train: both need rows that count, of every class to train.
check_validation <- function(problem) {
  judge <- problem$folds == 1
  trains <- rowsum(problem$weights * !judge, problem$class)
  if (sum(problem$weights[judge]) > 0 && all(trains > 0)) return(invisible())
  stop_zeronorm("weights", "are zero in the validation set, or in all that trains of one class.",
                "Leave observations of weight 0 out.")
}

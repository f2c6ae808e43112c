# Several decision functions that share nothing: each output is a two-class problem of its own.

solve_apart <- function(problem, method, settings) {
  each <- lapply(seq_along(problem$outputs), function(k) {
    part <- output_problem(problem, k)
    spread_rows(solve_problem(part, method, settings), part, problem)
  })
  solutions <- side_by_side(each, problem)
  joint <- method$selection$refit != "none" && method$selection$refit_multiclass == "m_svm" && length(problem$nonzero)
  if (joint && problem$task == "k-class") refit_jointly(solutions, problem, method, settings) else solutions
}

# One against one: an output for each pair of classes, positive for the second.
pair_classes <- function(problem, method) {
  if (problem$task != "k-class" || method$model$multiclass != "ovo") return(problem)
  problem$pairs <- utils::combn(length(problem$levels), 2)
  problem$outputs <- paste0(problem$levels[problem$pairs[2, ]], ":", problem$levels[problem$pairs[1, ]])
  problem
}

output_problem <- function(problem, k) {
  if (!is.null(problem$pairs)) return(pair_problem(problem, problem$pairs[, k]))
  sign <- problem$y[, k]
  problem[c("task", "outputs")] <- list("two-class", NULL)
  problem$y <- as.matrix(sign)
  problem$levels <- c("rest", problem$levels[k])
  problem
}

# The observations of two classes.
pair_problem <- function(problem, pair) {
  rows <- which(problem$class %in% pair)
  problem[c("outputs", "pairs")] <- list(NULL, NULL)
  problem$task <- "two-class"
  problem$y <- as.matrix(ifelse(problem$class[rows] == pair[2], 1, -1))
  problem$levels <- problem$levels[pair]
  problem$rows <- rows
  problem$n <- length(rows)
  problem$x <- problem$x[rows, , drop = FALSE]
  problem$class <- match(problem$class[rows], pair)
  problem$case_weights <- problem$case_weights[rows]
  problem$weights <- problem$weights[rows]
  if (!is.null(problem$machine)) problem$machine$values <- problem$machine$values[rows, rows]
  problem
}

# Coefficients of some observations as those of all.
spread_rows <- function(solutions, part, problem) {
  if (is.null(part$rows) || is.null(solutions$alpha)) return(solutions)
  alpha <- matrix(0, problem$n, ncol(solutions$alpha))
  alpha[part$rows, ] <- solutions$alpha
  solutions$alpha <- alpha
  solutions
}

# The class that most pairs vote for, the largest sum of decision values among equals.
vote <- function(values, pairs) {
  code <- rep(NA_integer_, nrow(values))
  known <- which(rowSums(is.na(values)) == 0)
  values <- values[known, , drop = FALSE]
  votes <- sum_over_pairs(ifelse(values > 0, 0.5, -0.5), pairs)
  strength <- sum_over_pairs(values, pairs)
  ahead <- votes == votes[cbind(seq_along(known), max.col(votes, "first"))]
  strength[!ahead] <- -Inf
  code[known] <- max.col(strength, "first")
  code
}

# What pairs say of each class: for the second, and against the first.  Row by row the same, however many there are.
sum_over_pairs <- function(values, pairs) {
  sums <- matrix(0, nrow(values), max(pairs))
  for (k in seq_len(ncol(pairs))) {
    sums[, pairs[2, k]] <- sums[, pairs[2, k]] + values[, k]
    sums[, pairs[1, k]] <- sums[, pairs[1, k]] - values[, k]
  }
  sums
}

# The solutions of all outputs as one: columns interleaved, facts summed or the worst of them.
side_by_side <- function(each, problem) {
  m <- length(each[[1]]$step)
  k <- length(each)
  interleaved <- as.vector(matrix(seq_len(m * k), k, byrow = TRUE))
  joined <- do.call(cbind, lapply(each, `[[`, "coefficients"))
  counts <- diff(joined@p)
  entries <- order(match(rep(seq_along(counts), counts), interleaved))
  all_of <- function(field) do.call(cbind, lapply(each, function(one) one$facts[[field]]))
  total <- function(field) Reduce(`+`, lapply(each, function(one) one$facts[[field]]))
  largest <- function(field) apply(all_of(field), 1, max)
  solutions <- each[[1]]
  solutions$coefficients <- joined[, interleaved, drop = FALSE]
  solutions$magnitude <- unlist(lapply(each, `[[`, "magnitude"))[entries]
  solutions$intercept <- unlist(lapply(each, `[[`, "intercept"))[interleaved]
  if (!is.null(solutions$alpha)) {
    solutions$alpha <- do.call(cbind, lapply(each, `[[`, "alpha"))[, interleaved, drop = FALSE]
  }
  facts <- solutions$facts
  for (field in c("primal", "dual", "support_vectors")) facts[[field]] <- total(field)
  for (field in c("rounds", "gap", "kkt")) facts[[field]] <- largest(field)
  facts$fallback <- apply(all_of("fallback"), 1, any)
  failed <- all_of("status") != "optimal"
  first <- ifelse(rowSums(failed) > 0, max.col(failed, "first"), 1)
  for (field in c("status", "stop", "engine")) facts[[field]] <- all_of(field)[cbind(seq_len(m), first)]
  solutions$facts <- facts
  solutions$trace <- lapply(seq_len(m), function(s) {
    rounds <- lapply(each, function(one) list2DF(one$trace[[s]]))
    counts <- vapply(rounds, nrow, 0L)
    as.list(cbind(do.call(rbind, rounds), output = rep(problem$outputs, counts)))
  })
  chosen <- do.call(cbind, lapply(each, `[[`, "C"))
  solutions$C <- ifelse(apply(chosen, 1, function(values) length(unique(values)) == 1), chosen[, 1], NA)
  notes <- do.call(cbind, lapply(each, `[[`, "note"))
  solutions$note <- apply(notes, 1, function(said) c(said[nzchar(said)], "")[1])
  solutions$seconds <- sum(vapply(each, `[[`, 0, "seconds"))
  count_anew(solutions, problem)
}

# Features or observations used by any output.
count_anew <- function(solutions, problem) {
  k <- length(problem$outputs)
  for (s in which(solutions$facts$status == "optimal")) {
    columns <- (s - 1) * k + seq_len(k)
    if (is.null(problem$machine)) {
      used <- unique(solutions$coefficients[, columns, drop = FALSE]@i)
    } else {
      used <- which(rowSums(solutions$alpha[, columns, drop = FALSE] != 0) > 0)
      solutions$facts$support_vectors[s] <- length(used)
    }
    solutions$facts$nonzero[s] <- length(used)
  }
  solutions
}

# One Weston-Watkins machine on the features that any output selected, for each solution; on none, its
# intercepts.
refit_jointly <- function(solutions, problem, method, settings) {
  k <- ncol(problem$y)
  machine <- m_svm(norm = method$selection$refit, C = method$selection$refit_C)
  settings$engine <- "auto"
  found <- lapply(seq_along(solutions$step), function(s) {
    w <- solutions$coefficients[, (s - 1) * k + seq_len(k), drop = FALSE]
    columns <- union(sort(unique(w@i)) + 1L, problem$unpenalized)
    if (solutions$facts$status[s] == "optimal") {
      list(columns = columns, fit = solve_problem(feature_problem(problem, columns), machine, settings))
    }
  })
  refitted <- solutions
  parts <- lapply(seq_along(found), function(s) {
    old <- (s - 1) * k + seq_len(k)
    if (is.null(found[[s]])) {
      w <- solutions$coefficients[, old, drop = FALSE]
      return(list(w = w, magnitude = solutions$magnitude[column_entries(solutions$coefficients, old)],
                  b = solutions$intercept[old]))
    }
    fit <- found[[s]]$fit
    w <- fit$coefficients
    w@i <- found[[s]]$columns[w@i + 1L] - 1L
    w@Dim <- c(problem$d, k)
    w@Dimnames <- list(problem$names, NULL)
    list(w = w, magnitude = fit$magnitude, b = fit$intercept)
  })
  refitted$coefficients <- do.call(cbind, lapply(parts, `[[`, "w"))
  refitted$magnitude <- unlist(lapply(parts, `[[`, "magnitude"))
  refitted$intercept <- unlist(lapply(parts, `[[`, "b"))
  for (s in which(!vapply(found, is.null, NA))) {
    fit <- found[[s]]$fit
    for (field in setdiff(fact_names, c("rounds", "stop"))) refitted$facts[[field]][s] <- fit$facts[[field]]
    refitted$note[s] <- fit$note
  }
  refitted$seconds <- solutions$seconds + sum(vapply(found, function(one) c(one$fit$seconds, 0)[1], 0))
  refitted
}

# The same observations with some of the features.
feature_problem <- function(problem, columns) {
  columns <- sort(columns)
  problem$x <- problem$x[, columns, drop = FALSE]
  problem$names <- problem$names[columns]
  problem$d <- length(columns)
  problem$unpenalized <- match(intersect(problem$unpenalized, columns), columns)
  problem["costs"] <- list(NULL)
  problem$keep <- problem$nonzero <- integer()
  problem
}

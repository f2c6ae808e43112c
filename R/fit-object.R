# From the solutions of a problem to the fitted object.

# The fitted object, without training data; kernel machines keep their support vectors.
new_zeronorm <- function(method, problem, solutions, request, imputation) {
  settings <- request$settings
  above <- length(problem$unpenalized)
  solutions$facts$nonzero <- solutions$facts$nonzero - unpenalized_counts(solutions, problem)
  tuning <- some_rows(method$tuning, solutions$step)
  if (!all(is.na(solutions$target))) tuning$target <- solutions$target - above
  # What the method chose itself stands beside what was asked for.
  chosen <- if (!all(is.na(solutions$C))) structure(list(solutions$C), names = method$declares$chooses)
  table <- c(as.list(tuning), chosen, solutions$facts, list(errors = NA_integer_ + solutions$step))
  check_solutions(method, problem, tuning, table, solutions, settings)
  if (identical(method$model$kernel$kind, "matrix")) {
    method$model$kernel <- method$args$kernel <- problem$machine$kernel
  }
  fit <- new_result(list(
    method = method, coefficients = solutions$coefficients, magnitude = solutions$magnitude,
    intercept = solutions$intercept, machine = support(problem$machine, solutions, problem),
    polynomial = problem$polynomial,
    networks = read_networks(method, problem, solutions),
    tuning = names(tuning), certificate = list2DF(table), trace = solutions$trace, note = solutions$note,
    ranking = name_rankings(solutions$ranking[!duplicated(solutions$step)], problem, method$tuning),
    search = solutions$step, labels = solution_labels(tuning), task = problem$task, levels = problem$levels,
    outputs = problem$outputs, pairs = problem$pairs, counts = class_counts(problem),
    features = problem$names, n = problem$n, d = problem$d, unpenalized = problem$unpenalized,
    settings = settings, weights = request$weights, foldid = request$foldid,
    encoding = problem$encoding, covariates = request$x$covariates, imputation = imputation,
    seconds = solutions$seconds
  ), "zeronorm")
  values <- if (identical(method$model$kernel$kind, "matrix")) unname(problem$machine$values)
  fit$certificate$errors <- training_errors(fit, request, values)
  fit
}

# How many unpenalised columns have a coefficient in each solution.
unpenalized_counts <- function(solutions, problem) {
  if (!length(problem$unpenalized)) return(0L)
  w <- solutions$coefficients
  outputs <- max(1L, length(problem$outputs))
  solution <- (rep(seq_len(ncol(w)), diff(w@p)) - 1L) %/% outputs + 1L
  row <- w@i + 1L
  used <- unique(cbind(solution, row)[row %in% problem$unpenalized & w@x != 0, , drop = FALSE])
  tabulate(used[, 1], length(solutions$step))
}

# Observations in each class or with each label.
class_counts <- function(problem) {
  switch(problem$task,
    "multi-label" = colSums(problem$y > 0),
    regression = NULL,
    tabulate(problem$class, length(problem$levels))
  )
}

# The rows of x that any solution uses.
support <- function(machine, solutions, problem) {
  if (is.null(machine)) return(NULL)
  alpha <- solutions$alpha
  used <- which(rowSums(cbind(alpha, solutions$expansion) != 0, na.rm = TRUE) > 0)
  rows <- rownames(problem$x)[used]
  if (is.null(rows)) rows <- as.character(used)
  columns <- seq_len(problem$d)
  if (isTRUE(machine$scaled)) columns <- sort(unique(solutions$coefficients@i)) + 1L
  list(kernel = machine$kernel, scaled = machine$scaled, named = !is.null(rownames(problem$x)),
       columns = columns, center = machine$center[columns],
       scale = machine$scale[columns], rows = used,
       alpha = structure(alpha[used, , drop = FALSE], dimnames = list(rows, NULL)),
       training_rows = if (machine$kernel$kind == "matrix") rownames(problem$x),
       expansion = solutions$expansion[used, , drop = FALSE],
       x = if (!is.null(machine$x)) unname(machine$x[used, columns, drop = FALSE]))
}

# A failed solve would otherwise look like the sparsest model of all.
check_solutions <- function(method, problem, tuning, table, solutions, settings) {
  failed <- table$status != "optimal"
  unfinished <- !failed & table$stop == "round limit"
  if (any(unfinished)) {
    warn("zeronorm: ", counted(unfinished, tuning), " stopped at the round limit; raise ",
         "zeronorm_control(max_rounds = ).")
  }
  empty <- !failed & method$declares$selects == "observations" & table$nonzero %in% 0L
  if (any(empty)) {
    inform("zeronorm: ", counted(empty, tuning), if (length(empty) == 1) " has" else " have",
           " no support vectors: the model is a constant.")
  }
  noted <- !failed & nzchar(solutions$note)
  if (any(noted)) {
    warn("zeronorm: ", counted(noted, tuning), ": ", solutions$note[noted][1])
  }
  if (!any(failed)) return(invisible())
  first <- which(failed)[1]
  if (!all(failed)) {
    warn("zeronorm: ", counted(failed, tuning), " failed: ", table$status[first],
         "; their coefficients are NA, see certificate().")
    return(invisible())
  }
  if (table$status[first] %in% c("infeasible", "not separable") && any(method$steps$hard)) {
    said <- if (problem$task == "regression") "no linear function keeps within `epsilon` of it, as"
            else "the classes are not separable, but"
    stop_zeronorm("y", paste(said, format(method), "has a hard margin."), method$declares$soft)
  }
  if (!is.null(problem$machine$values) && !expands(problem)) check_semidefinite(problem$machine$values)
  said <- sentence(solutions$note[first])
  if (table$status[first] == "refused") {
    stop_zeronorm("engine", paste0("\"", table$engine[first], "\" refuses ", format(method), ". ", said),
                  "Use engine = \"auto\".")
  }
  stop_zeronorm("method", trimws(paste0(format(method), " failed: ", table$status[first], ". ", said)),
                if (table$status[first] == "unbounded") "Give features a price: a ridge, or (dca) start = 0."
                else failure_advice(problem, settings))
}

# "the solution", or "2 of 5 solutions ('C = 1', 'C = 2')".
counted <- function(which, tuning) {
  if (length(which) == 1) return("the solution")
  paste0(sum(which), " of ", length(which), " solutions (", enumerate(solution_labels(tuning)[which]), ")")
}

# With a full stop at its end, unless empty.
sentence <- function(text) sub("([^.])$", "\\1.", text)

# What varies between solutions, as in "lambda = 0.1, nonzero = 20".
solution_labels <- function(tuning) {
  names <- names(tuning)
  names[names == "target"] <- "nonzero"
  if (nrow(tuning) == 1) return("1")
  varies <- vapply(tuning, function(column) length(unique(column)) > 1, NA)
  if (!any(varies)) return(as.character(seq_len(nrow(tuning))))
  parts <- Map(function(column, name) paste(name, "=", signif(column, 4)), tuning[varies], names[varies])
  do.call(paste, c(unname(parts), sep = ", "))
}

# From a problem to its solutions: the lists that the core reads, its calls, and its answers put together.

# The problem and the method in the terms of the core, one call for each group of steps that share
# what a call can have only one of.
solve_problem <- function(problem, method, settings) {
  apart <- method$model$multiclass %in% c("ovr", "ovo")
  if (!is.null(problem$outputs) && apart) return(solve_apart(problem, method, settings))
  steps <- scale_slacks(method, problem)
  shared <- call_groups(method, steps)
  group <- match(shared, unique(shared))
  results <- lapply(unique(group), function(k) {
    rows <- which(group == k)
    # Sparse solutions first: warm starts then only ever add features.
    rows <- rows[order(-(steps$l1[rows] + steps$ridge[rows]) / steps$slack[rows])]
    part <- some_rows(steps, rows)
    result <- call_core(problem, core_spec(problem, method, settings, part), method,
                        core_options(method, problem, part))
    result$step <- rows[result$step]
    result
  })
  collect(results, problem)
}

# Of a data frame; `[` takes longer than a small fit.
some_rows <- function(table, rows) list2DF(lapply(table, `[`, rows), length(rows))

# Divides the price of the slacks by what the loss averages over.
scale_slacks <- function(method, problem) {
  steps <- method$steps
  if (method$model$average == "mean") steps$slack <- steps$slack / sum(problem$weights)
  steps
}

slack_weights <- function(method, problem) {
  if (method$model$average != "class_mean") return(problem$weights)
  problem$weights / as.vector(rowsum(problem$weights, problem$class))[problem$class]
}

# What the core reads for every method.
core_spec <- function(problem, method, settings, steps) {
  model <- method$model
  selection <- method$selection
  list(
    weights = slack_weights(method, problem), case_weights = problem$case_weights,
    intercept = settings$intercept,
    # Monomials of standardised features are not standardised again.
    standardize = settings$standardize && is.null(problem$polynomial) && !expands(problem),
    sharing = problem$sharing, unpenalized = problem$unpenalized, keep = problem$keep,
    # Observations without weight are no points of an expansion.
    left_out = if (method$declares$selects == "observations") which(problem$weights == 0),
    kernel = if (!expands(problem)) problem$machine$values,
    engine = settings$engine, control = unclass(settings$control),
    task = problem$task, joint = model$multiclass == "joint",
    epsilon = if (problem$task == "regression") model$epsilon, lower = problem$lower, upper = problem$upper,
    held_out = problem$held_out, loss = if (is.null(problem$loss)) model$loss else problem$loss,
    hard = steps$hard[1], limit = model$limit, costs = problem$costs, l1 = as.double(steps$l1),
    ridge = as.double(steps$ridge), slack = as.double(steps$slack),
    form = if (model$scaled) kernel_form(problem$machine$kernel),
    nonzero = problem$nonzero, refit = selection$refit, refit_C = selection$refit_C,
    refit_joint = selection$refit_multiclass == "m_svm"
  )
}

call_core <- function(problem, spec, method, options) {
  x <- if (expands(problem)) problem$machine$values
       else if (is.null(problem$machine)) problem$x
       else problem$machine$x
  progress <- fit_progress(method$label)
  if (!is.null(progress)) on.exit(progress$close())
  far <- far_mean(problem, spec$intercept)
  fit <- function() {
    result <- in_memory_left(fit_core(core_data(x, problem$tile), problem$y - far, spec, method$family, options,
                                      progress$tell))
    result$intercept <- result$intercept + far
    result
  }
  tryCatch(fit(), error = function(e) {
    if (inherits(e, "zeronorm_error")) stop(e)
    text <- conditionMessage(e)
    argument <- regmatches(text, regexpr("^[a-z_.]+(?=:)", text, perl = TRUE))
    if (identical(argument, "x") && grepl("not finite", text)) stop_not_finite(x, "x")
    if (length(argument)) stop_zeronorm(argument, trimws(sub("^[a-z_.]+:", "", text)))
    stop(e)
  })
}

# The mean of a response that would lose its digits beside it; 0 where it is near enough, or no free intercept
# could take it up.
far_mean <- function(problem, intercept) {
  if (problem$task != "regression" || !intercept || !is.null(problem$networks)) return(0)
  y <- problem$y[counted_rows(problem)]
  centre <- mean(y)
  if (max(abs(y - centre)) < 1e-6 * abs(centre)) centre else 0
}

fact_names <- c("status", "stop", "engine", "fallback", "rounds", "kind", "primal", "dual", "gap", "kkt",
                "nonzero", "support_vectors")

# Results of the core -> list(coefficients, magnitude, intercept, alpha, facts, trace, note, seconds),
# solutions in the order of the user's steps, then of the targets; a column of coefficients for each output
# of each solution.
collect <- function(results, problem) {
  all_of <- function(field) {
    if (length(results) == 1) results[[1]][[field]] else unlist(lapply(results, `[[`, field))
  }
  step <- all_of("step")
  target <- all_of("target")
  order <- order(step, match(target, problem$nonzero))
  outputs <- ncol(problem$y)
  columns <- as.vector(outer(seq_len(outputs), (order - 1) * outputs, "+"))
  counts <- unlist(lapply(results, function(r) diff(r$p)))
  # Entries follow their columns.
  entries <- order(match(rep(seq_along(counts), counts), columns))
  as_expansion(problem, list(
    coefficients = compressed(as.integer(all_of("i")[entries]), as.integer(c(0, cumsum(counts[columns]))),
                              as.double(all_of("x")[entries]), c(coefficient_count(problem), length(counts)),
                              list(if (!expands(problem)) colnames(problem$x), NULL)),
    magnitude = as.double(all_of("magnitude")[entries]),
    intercept = all_of("intercept")[columns],
    alpha = do.call(cbind, lapply(results, `[[`, "alpha"))[, order, drop = FALSE],
    expansion = do.call(cbind, lapply(results, `[[`, "expansion"))[, order, drop = FALSE],
    step = step[order], target = target[order], C = all_of("C")[order],
    facts = lapply(structure(fact_names, names = fact_names), function(field) all_of(field)[order]),
    note = all_of("note")[order],
    trace = do.call(c, lapply(results, `[[`, "trace"))[order],
    ranking = do.call(c, lapply(results, `[[`, "ranking"))[order],
    networks = do.call(c, lapply(results, `[[`, "networks"))[order],
    seconds = sum(all_of("seconds"))
  ))
}

# Coefficients of columns of the kernel matrix as those of the expansion.
as_expansion <- function(problem, solutions) {
  if (!expands(problem)) return(solutions)
  solutions$alpha <- as.matrix(solutions$coefficients)
  m <- ncol(solutions$alpha)
  solutions$coefficients <- compressed(integer(), integer(m + 1), numeric(), c(problem$d, m),
                                       list(problem$names, NULL))
  solutions$magnitude <- numeric()
  solutions$facts$support_vectors <- solutions$facts$nonzero
  solutions
}

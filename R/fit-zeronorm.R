#' Fit a sparse support vector machine
#'
#' Fits any model of the package; `method` chooses which: a value such as [arom()], [fsv()] or [l1_svm()]. A
#' vector of a tuning parameter in it is a path, fitted with warm starts, and several vectors make a grid. The
#' decision value is \eqn{f(x) = w'x + b} with a free intercept, and an observation belongs to the second level
#' of y where f(x) is above 0.
#'
#' Features are standardised by default, without a copy of the data, and coefficients are returned on the
#' scale of `x`. Sparse matrices stay sparse and are scaled; of their columns only those without zeros are
#' centred, and the intercept makes up for the others. Without an intercept nothing is centred.
#'
#' x and y are *training data*: errors on them, as in [certificate()], say nothing about new data. *Test
#' data* are for [predict()][predict.zeronorm()] alone; [cv_zeronorm()] and [nested_zeronorm()] split the data
#' themselves.
#'
#' @param x features with observations in rows: a numeric, integer or logical matrix, a sparse matrix of
#'   package Matrix, a data frame or tibble (a factor becomes a 0/1 column for each level after its first), a
#'   formula, or a `DelayedMatrix` or [Bioconductor object][zeronorm-bioconductor].
#' @param y labels of two classes: a factor (its second level is +1, unused levels are dropped), logical, a
#'   character vector, -1/+1 or 0/1; of several classes the same with more levels, or a 0/1 matrix with a
#'   column for each label; numbers for regression. [zeronorm_methods()] lists which method takes what. Where
#'   both y and the rows of x have names, these have to be the same in the same order.
#' @param data with a formula: a data frame of its variables, of at most 5000 columns.
#' @param method a method object, or the name of a method for its default values; [zeronorm_methods()]
#'   lists them.
#' @param standardize whether columns are scaled to unit standard deviation, so that penalties treat
#'   features alike.
#' @param intercept whether the decision function has one.
#' @param weights weights of the observations, which multiply their margin violations: an observation of
#'   weight 2 counts like two. Refused where the method has a hard margin, or treats violations as features.
#' @param class_weights numbers named by the levels of y that multiply the weights of their class, or
#'   `"balanced"`.
#' @param unpenalized features that are in the model without a penalty, such as age or batches, by name or
#'   index; the name of a factor stands for all its columns. They come on top of the numbers of features that a
#'   method is asked for, and [selected()] leaves them out.
#' @param keep features that are always kept by methods that drop features, by name or index.
#' @param groups group of each feature, for methods that drop groups of features: see [svm_rfe()].
#' @param foldid fold number of each observation for methods that cross-validate inside; the others only
#'   check it.
#' @param task `"auto"`, `"classification"` or `"regression"`.
#' @param engine `"auto"`, or one of `"simplex"`, `"dual"`, `"active_set"`, `"newton"`, `"smooth"`,
#'   `"highs"`, `"osqp"` for the convex problems of the search; the refit on selected features always takes
#'   `"auto"`. An engine that cannot solve the problems of a method is an error.
#' @param control see [zeronorm_control()].
#' @param impute NULL, where missing values are an error; or `"median"` or `"mean"` of the column in the
#'   training data (of a factor its most frequent level), which the fit keeps and puts into new data as well, also
#'   for a feature that these lack. Infinite values are always an error.
#' @param assay of a Bioconductor object: the name or number of the assay. NULL is `"logcounts"` for a
#'   `SingleCellExperiment` that has it, else the first. A fit remembers it for `predict()`.
#' @param ... for a formula, any of the arguments after `method`; anything else is an error.
#' @return An object of class `zeronorm`, without the training data (kernel machines keep their support
#'   vectors). See [coef.zeronorm()], [selected()], [predict.zeronorm()], [certificate()],
#'   [plot.zeronorm()].
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40, dimnames = list(NULL, paste0("g", 1:100)))
#' y <- factor(ifelse(x[, 1] + x[, 2] > 0, "tumour", "normal"))
#' fit <- zeronorm(x, y)
#' fit
#' selected(fit, nonzero = 3)
#' predict(fit, x[1:5, ], nonzero = 3)
#'
#' zeronorm(Species ~ ., data = droplevels(iris[51:150, ]), l1_svm(C = c(0.1, 1)))
#'
#' # A fit is a plain value: saved, and read in another session.
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' identical(predict(readRDS(file), x), predict(fit, x))
#' @export
zeronorm <- function(x, ...) if (missing(x)) without_x(zeronorm.formula, ...) else UseMethod("zeronorm")

#' @rdname zeronorm
#' @export
zeronorm.default <- function(x, y, method = arom("l2", nonzero = "path", errors = "l2"),
                             standardize = TRUE, intercept = TRUE, weights = NULL, class_weights = NULL,
                             unpenalized = NULL, keep = NULL, groups = NULL, foldid = NULL, task = "auto",
                             engine = "auto", control = zeronorm_control(), impute = NULL, assay = NULL,
                             ...) {
  fit_request(new_request(x, y, method, standardize = standardize, intercept = intercept, weights = weights,
                          class_weights = class_weights, unpenalized = unpenalized, keep = keep,
                          groups = groups, foldid = foldid, task = task, engine = engine, control = control,
                          impute = impute, assay = assay, ...))
}

#' @rdname zeronorm
#' @export
zeronorm.formula <- function(x, data = NULL, method = arom("l2", nonzero = "path", errors = "l2"), ...) {
  zeronorm.default(formula_source(x, data), method = method, ...)
}

engines <- c("auto", "simplex", "dual", "active_set", "newton", "smooth", "highs", "osqp")

# Everything about the observations that the core or the verbs need, checked.
new_problem <- function(x, labels, method, settings, weights, foldid) {
  d <- ncol(x$x)
  check_max_features(method, d)
  check_weighable(method, list(weights = weights, class_weights = settings$class_weights))
  case_weights <- check_weights(weights, labels$class)
  class_weights <- check_class_weights(settings$class_weights, labels$class, labels$levels, case_weights)
  problem <- list(
    x = x$x, tile = x$tile, y = as.matrix(labels$y), task = labels$task, levels = labels$levels,
    class = labels$class,
    outputs = output_names(labels), names = x$names, encoding = x$encoding, n = nrow(x$x), d = d,
    case_weights = case_weights, weights = case_weights * class_weights,
    unpenalized = sort(union(check_variables(settings$unpenalized, "unpenalized", x), x$covariates)),
    keep = check_variables(settings$keep, "keep", x),
    costs = match_features(method$model$costs, "costs", x$names, d),
    groups = match_features(check_grouping(method, settings$groups), "groups", x$names, d),
    folds = fold_numbers(method, labels$class, foldid)
  )
  problem <- pair_classes(problem, method)
  problem <- share_prices(expand_monomials(problem, method, settings), method)
  if (!is.null(method$model$kernel)) {
    apart <- list(unpenalized = problem$unpenalized, keep = if (!is_elimination(method)) problem$keep)
    apart <- names(apart)[lengths(apart) > 0]
    if (length(apart)) {
      stop_zeronorm(apart[1], "is given with a kernel.",
                    "Only linear machines treat features apart; leave it out.")
    }
    problem$machine <- kernel_machine(method$model$kernel, x$x, case_weights, settings$standardize,
                                      method$model$scaled)
    problem$machine$expansion <- method$model$expansion
  }
  problem$nonzero <- target_sizes(method$selection$nonzero, coefficient_count(problem), problem)
  prepare_problem(method, problem)
}

# The method with a path, where the constructor has left it to the data.
complete_path <- function(method, problem, settings) UseMethod("complete_path")
complete_path.zeronorm_method <- function(method, problem, settings) method

# The solutions of a problem; families that do more than follow their path have a method of their own.
fit_method <- function(method, problem, settings) UseMethod("fit_method")
fit_method.zeronorm_method <- function(method, problem, settings) solve_problem(problem, method, settings)

# What a family of methods adds to the problem, as random starts or probes; the only place where fits draw them.
prepare_problem <- function(method, problem) UseMethod("prepare_problem")
prepare_problem.zeronorm_method <- function(method, problem) problem

# What the core reads for a method alone: values that the constructor has checked, and those of the data and of these
# steps of the path.
core_options <- function(method, problem, steps) UseMethod("core_options")
core_options.zeronorm_method <- function(method, problem, steps) method$core

# Steps of the path that one call of the core can take together.
call_groups <- function(method, steps) UseMethod("call_groups")
call_groups.zeronorm_method <- function(method, steps) steps$hard

is_elimination <- function(method) inherits(method, c("zeronorm_elimination", "zeronorm_bound_elimination"))

# Whether columns of the kernel matrix are the features.
expands <- function(problem) isTRUE(problem$machine$expansion)

coefficient_count <- function(problem) if (expands(problem)) problem$n else ncol(problem$x)

# Weights multiply slacks, where a method has any that it does not treat as features.
check_weighable <- function(method, given) {
  given <- names(given)[!vapply(given, is.null, NA)]
  if (!length(given)) return(invisible())
  if (any(method$steps$hard) && !method$model$limit) {
    stop_zeronorm(given[1], paste0("is given but ", format(method), " has a hard margin: no slacks."),
                  "Leave it out, or allow slacks (a finite C, or `errors`).")
  }
  if (has_slack_features(method)) {
    stop_zeronorm(given[1], paste0("is given but in ", format(method), " slacks are features."),
                  "Leave it out, or use arom(\"l2\", errors = \"l2\") or arom(\"l1\", errors = \"l1\").")
  }
}

has_slack_features <- function(method) UseMethod("has_slack_features")
has_slack_features.zeronorm_method <- function(method) FALSE

# Names of the decision functions where there are several.
output_names <- function(labels) if (labels$task %in% c("k-class", "multi-label")) labels$levels

# One number for each column, in the order of the columns or by their names.
match_features <- function(values, argument, names, d) {
  if (is.null(values)) return(NULL)
  if (length(values) != d) {
    stop_zeronorm(argument, paste0("has length ", length(values), " but `x` has ", d, " columns."),
                  "Give one entry for every column.")
  }
  if (is.null(names(values)) || is.null(names) || identical(names(values), names)) return(as.double(values))
  if (anyDuplicated(names) || !setequal(names(values), names)) {
    stop_zeronorm(argument, "has names that are not those of the columns of `x`.",
                  "Name each column once, or leave the names out and keep the order of the columns.")
  }
  as.double(values[names])
}

# The groups of features, given to the method or to zeronorm().
check_grouping <- function(method, groups) {
  if (is.null(groups)) return(method$model$groups)
  if (!"groups" %in% names(method$args)) {
    stop_zeronorm("groups", paste0("is given but ", method$name, "() has no groups of features."),
                  "Leave it out.")
  }
  if (!is.null(method$model$groups)) {
    stop_zeronorm("groups", "is given twice: to zeronorm() and to the method.", "Give it once.")
  }
  check_groups(groups)
}

# Columns that are never dropped, with the rest of their groups.
forced_columns <- function(problem) {
  forced <- union(problem$unpenalized, problem$keep)
  if (is.null(problem$groups)) forced else which(problem$groups %in% problem$groups[forced])
}

# The numbers of columns that the core keeps: sizes count selected features, and unpenalised columns come on
# top.  "path": all features, half of them, a quarter, ..., 1.
target_sizes <- function(nonzero, d, problem) {
  if (is.null(nonzero)) return(integer())
  above <- length(problem$unpenalized)
  features <- d - above
  if (features == 0) stop_zeronorm("unpenalized", "names all features.", "Leave some to select from.")
  forced <- length(forced_columns(problem)) - above
  if (identical(nonzero, "path")) {
    sizes <- as.integer(features %/% 2^(0:floor(log2(features))))
    return(above + sizes[sizes >= forced])
  }
  if (any(nonzero > features)) {
    stop_zeronorm("nonzero", paste0("asks for ", max(nonzero), " features of ", features,
                                    if (above) " that are penalised", "."), paste0("Use at most ", features, "."))
  }
  if (any(nonzero < forced)) {
    stop_zeronorm("nonzero", paste0("asks for ", min(nonzero), " features, but ", forced, " are in `keep`."),
                  "Ask for more, or keep fewer.")
  }
  above + nonzero
}

fold_numbers <- function(method, class, foldid) {
  if (is.null(method$folds)) return(integer())
  if (!is.null(foldid)) return(foldid)
  if (min(table(class)) < 2) {
    stop_zeronorm("y", paste0("has a class with one observation, but ", method$name,
                              "() cross-validates."), "Two of each class are needed.")
  }
  draw_folds(class, min(method$folds, length(class)))
}

# The first fold judges, the others train: both need rows that count, of every class to train.
check_validation <- function(problem) {
  judge <- problem$folds == 1
  trains <- rowsum(problem$weights * !judge, problem$class)
  if (sum(problem$weights[judge]) > 0 && all(trains > 0)) return(invisible())
  stop_zeronorm("weights", "are zero in the validation set, or in all that trains of one class.",
                "Leave observations of weight 0 out.")
}

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
  y <- problem$y[problem$case_weights > 0]
  mean <- mean(y)
  if (max(abs(y - mean)) < 1e-6 * abs(mean)) mean else 0
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
    stop_zeronorm("y", paste(said, format(method), "has a hard margin."), hard_margin_advice(method))
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

hard_margin_advice <- function(method) {
  switch(method$name, arom = "Use arom(errors = \"l2\").", fw1 = "Use fsv().", alma_rfe = "Use svm_rfe().",
         scaling_lp = "Use l1_svm() with a finite C.", "Use a finite C.")
}

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

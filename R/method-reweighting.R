# Models with a concave penalty by successive linearisation: each iteration solves the convex problem whose costs are
# the slopes of the penalty at the last solution. fsv(), fw1() and quadratic_fsv() solve linear programmes, dca() and
# l2_l0_svm() other convex problems as well.

# What every method by successive linearisation shares. core: the penalty, the magnitudes at which the search starts,
# how many such are tried, and how far weights may move where it ends. ...: passed to declare().
new_reweighting <- function(name, label, args, tuning, steps, reference, penalty = args$penalty,
                            model = new_model(), folds = NULL, ...) {
  penalty <- as_penalty(penalty)
  new_method(name, label, args, tuning, steps, reference, family = "reweight", model = model,
             selection = new_selection(args),
             core = list(penalty = penalty, start = check_start(args$start),
                         starts = check_count(argument_or(args, "starts", 1), "starts"),
                         settled = check_number(argument_or(args, "tol", 0), "tol")),
             folds = folds,
             declares = declare(..., certificate = "stationarity", descends = length(penalty$alpha) == 1))
}

check_start <- function(start) {
  if (!is.numeric(start) || !length(start) || (length(start) == 1 && !start %in% c(0, 1))) {
    stop_zeronorm("start", paste0("is ", describe(start), "."),
                  "Use 1, 0, or a magnitude for every feature.")
  }
  structure(check_numbers(start, "start"), names = names(start))
}

# With a column of magnitudes for each start, of which all but the first are drawn.
prepare_problem.zeronorm_reweight <- function(method, problem) {
  # Shared prices are those of features.
  size <- if (is.null(problem$sharing)) coefficient_count(problem) else problem$d
  names <- if (expands(problem)) rownames(problem$x) else problem$names
  first <- method$core$start
  if (length(first) > 1 && length(first) != size) {
    stop_zeronorm("start", paste("has length", length(first), "but there are", size, "weights."),
                  "Give one magnitude for each.")
  }
  first <- if (length(first) == 1) rep(first, size) else match_features(first, "start", names, size)
  problem$starts <- cbind(first, matrix(stats::runif(size * (method$core$starts - 1)), size), deparse.level = 0)
  problem
}

has_linear_tangent.zeronorm_reweight <- function(method) TRUE

core_options.zeronorm_reweight <- function(method, problem, steps) {
  list(settled = method$core$settled, penalty = unclass(method$core$penalty), starts = problem$starts)
}

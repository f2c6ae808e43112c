#' Cross-validation of a method with its path
#'
#' Every fit inside is a whole [zeronorm()]: features are standardised and selected on the training part
#' of each fold alone, so that the error is that of the procedure and not of features that have seen the test
#' data. All solutions of the path or grid of `method` are judged on the observations held out, and one is
#' chosen: that of the least mean loss (`"min"`), or the sparsest whose mean loss is within one standard
#' error of it (`"1se"`). The choice itself makes the loss of the chosen solution a little too good:
#' [nested_zeronorm()] gives the honest one.
#'
#' The mean is over all folds of all repeats, each weighted by its number of observations; the standard error
#' is the standard deviation over these folds, divided by the root of the number of folds of one repeat, since
#' repeats share their data.
#'
#' Folds run through the \pkg{future} framework: one after the other by default, in parallel after
#' `future::plan(multisession)`, and as jobs of a cluster by `plan(future.batchtools::batchtools_slurm)`.
#' The answer does not depend on the plan: it is that of the seed. See [zeronorm_progress] for
#' the display of the time left.
#'
#' @param x,y data, as in [zeronorm()].
#' @param data with a formula: a data frame of its variables.
#' @param method a method object; a vector of a tuning parameter in it is the path that is judged.
#' @param folds number of folds, stratified by class.
#' @param repeats number of times the observations are dealt out anew.
#' @param foldid in place of `folds` and `repeats`: the fold of each observation, or a matrix with a column
#'   for each repeat.
#' @param block observations of the same value, such as samples of the same patient, stay in one fold.
#' @param measure what the choice minimises: `"error"`, `"balanced"` (the mean of the classes' errors),
#'   `"auc"` (is maximised; two classes) or `"logloss"` (of probabilities calibrated on the other folds); in
#'   regression `"mse"` or `"mae"`. NULL: the first that applies.
#' @param weights weights of the observations in training.
#' @param checkpoint a directory, in which finished folds are kept: the same call again, in this or another
#'   session, goes on where the first one ended, with its folds.
#' @param BPPARAM a backend of \pkg{BiocParallel} in place of the plan of futures.
#' @param predictions whether the decision values held out are kept, as `$link`: an array of observations, solutions
#'   (times outputs) and repeats.
#' @param ... further arguments of [zeronorm()].
#' @return An object of class `zeronorm_cv`: `$fit`, the fit of all solutions to all data; `$summary`, a row
#'   for each solution with its tuning parameters, number of features, mean loss and standard error;
#'   `$measures`, the losses of each solution in each fold; `$best`, the rows of the two choices; `$sets`,
#'   what was selected in each fold, and `$frequency`, the share of folds that selected each feature.
#'   [predict()], [coef()], [selected()], [feature_importance()], [certificate()] and [plot()] work on it, with `s =
#'   "1se"` or `"min"`.
#' @references
#' Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis of microarray
#' gene-expression data. *PNAS* 99, 6562-6566.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' cv <- cv_zeronorm(x, y, arom("l2", nonzero = 2^(0:5), errors = "l2"), folds = 5, repeats = 2)
#' cv
#' selected(cv, s = "1se")
#' predict(cv, x[1:3, ], type = "prob")
#' plot(cv)
#'
#' # A measure of one's own: hinge losses of the decision values held out, a mean for each solution.
#' cv <- cv_zeronorm(x, y, l1_svm(C = c(0.05, 0.2, 1)), folds = 5, predictions = TRUE)
#' apply(cv$link, 2, function(f) mean(pmax(0, 1 - ifelse(y == "TRUE", f, -f))))
#' @export
cv_zeronorm <- function(x, ...) if (missing(x)) without_x(cv_zeronorm.formula, ...) else UseMethod("cv_zeronorm")

#' @rdname cv_zeronorm
#' @export
cv_zeronorm.default <- function(x, y, method = arom("l2", nonzero = "path", errors = "l2"), folds = 10,
                                repeats = 1, foldid = NULL, block = NULL, measure = NULL, weights = NULL,
                                checkpoint = NULL, BPPARAM = NULL, predictions = FALSE, ...) {
  request <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  cross_validate(request, fold_columns(request, folds, repeats, foldid), measure, checkpoint, BPPARAM,
                 check_flag(predictions, "predictions"))
}

#' @rdname cv_zeronorm
#' @export
cv_zeronorm.formula <- function(x, data = NULL, method = arom("l2", nonzero = "path", errors = "l2"), ...) {
  cv_zeronorm.default(formula_source(x, data), method = method, ...)
}

cross_validate <- function(request, folds, measure, checkpoint = NULL, BPPARAM = NULL, predictions = FALSE) {
  fit <- fit_request(request)
  fit$seconds <- NA_real_  # the same seed gives the same object
  request <- with_path_of(request, fit)
  tasks <- draw_streams(fold_tasks(folds))
  tasks <- open_checkpoint(checkpoint, what_is_run("cv", request), tasks)
  results <- values_of(run_tasks(tasks, function(task) judge_fold(request, task, nrow(fit$certificate)),
                                 checkpoint, BPPARAM))
  held_out <- gather_links(tasks, results, request, fit)
  fit$calibration <- calibrate_solutions(held_out, request, fit)
  measures <- judge_all(tasks, results, held_out, request, fit, measure)
  new_cv(fit, request, tasks, results, measures, measure, if (predictions) held_out)
}

# One fold: decision values of the observations held out, and what was selected.
judge_fold <- function(data, task, solutions) {
  fit <- fit_request(take_rows(data, task$train))
  if (nrow(fit$certificate) != solutions) stop("the path has other solutions than on all data")
  newdata <- held_out_data(data, task$test, task$train)
  list(link = unname(decision_values(fit, newdata, seq_len(solutions))),
       sets = if (has_features(fit)) lapply(seq_len(solutions),
                                            function(k) selectable_features(fit, k)$column),
       vectors = fit$certificate$support_vectors)
}

# n x (solutions times outputs) x repeats.
gather_links <- function(tasks, results, data, fit) {
  runs <- max(vapply(tasks, `[[`, 0L, "run"))
  outputs <- max(1L, length(fit$outputs))
  link <- array(NA_real_, c(observations(data), nrow(fit$certificate) * outputs, runs))
  for (k in seq_along(tasks)) {
    if (!is.null(results[[k]])) link[tasks[[k]]$test, , tasks[[k]]$run] <- results[[k]]$link
  }
  link
}

# Decision values of one solution: rows x outputs.
link_of <- function(link, s, run, outputs, rows = seq_len(nrow(link))) {
  matrix(link[rows, (s - 1) * outputs + seq_len(outputs), run], length(rows), outputs)
}

# For each solution a 2 x outputs matrix of sigmoids, or NULL in regression.
calibrate_solutions <- function(link, data, fit) {
  if (data$labels$task == "regression") return(NULL)
  y <- as.matrix(data$labels$y)
  outputs <- ncol(y)
  runs <- dim(link)[3]
  lapply(seq_len(nrow(fit$certificate)), function(s) {
    f <- do.call(rbind, lapply(seq_len(runs), function(run) link_of(link, s, run, outputs)))
    calibrate_outputs(f, y[rep(seq_len(nrow(y)), runs), , drop = FALSE])
  })
}

# Every measure of every solution in every fold; the log loss only where it is asked for, as it needs sigmoids
# fitted to the other folds.
judge_all <- function(tasks, results, link, data, fit, measure) {
  labels <- data$labels
  outputs <- ncol(as.matrix(labels$y))
  names <- setdiff(measures_for(labels$task), if (measure != "logloss") "logloss")
  rows <- lapply(seq_along(tasks), function(k) {
    task <- tasks[[k]]
    here <- take_rows(data, task$test)$labels
    rest <- take_rows(data, task$train)$labels
    values <- vapply(seq_len(nrow(fit$certificate)), function(s) {
      f <- link_of(link, s, task$run, outputs, task$test)
      others <- link_of(link, s, task$run, outputs, task$train)
      calibration <- if ("logloss" %in% names) calibrate_outputs(others, as.matrix(rest$y))
      vapply(names, measure_value, 0, f = f, labels = here, calibration = calibration)
    }, numeric(length(names)))
    values <- matrix(values, length(names), dimnames = list(names, NULL))
    data.frame(run = task$run, fold = task$fold, size = length(task$test), solution = seq_len(ncol(values)),
               nonzero = vapply(seq_len(ncol(values)), function(s) size_of(results[[k]], s), 0L),
               t(values))
  })
  do.call(rbind, rows)
}

# Features, or support vectors where there are none.
size_of <- function(result, s) {
  if (is.null(result)) return(NA_integer_)
  if (is.null(result$sets)) as.integer(result$vectors[s]) else length(result$sets[[s]])
}

new_cv <- function(fit, data, tasks, results, measures, measure, link) {
  summary <- summarise_measures(fit, measures, measure)
  new_result(list(
    fit = fit, measure = measure, summary = summary, best = choose_solutions(summary, measure),
    measures = measures,
    sets = name_sets(results, fit), frequency = selection_frequency(results, fit),
    folds = fold_matrix(tasks, observations(data)), stratified = data$labels$task != "regression",
    blocked = !is.null(data$block), link = link
  ), "zeronorm_cv")
}

fold_matrix <- function(tasks, n) {
  folds <- matrix(0L, n, max(vapply(tasks, `[[`, 0L, "run")))
  for (task in tasks) folds[task$test, task$run] <- task$fold
  folds
}

# A row for each solution: tuning parameters, size on all data, mean and standard error of the loss.
summarise_measures <- function(fit, measures, measure) {
  per_run <- max(measures$fold)
  each <- lapply(split(measures, measures$solution), function(rows) {
    fold_mean(rows[[measure]], rows$size, per_run)
  })
  data.frame(tuning_table(fit), nonzero = solution_sizes(fit), do.call(rbind, each), row.names = NULL,
             check.names = FALSE)
}

tuning_table <- function(fit) fit$certificate[fit$tuning]

# Over the folds where the value is known; repeats share their data, so that they do not lower the error.
fold_mean <- function(value, size, folds) {
  known <- !is.na(value)
  data.frame(mean = stats::weighted.mean(value[known], size[known]),
             se = stats::sd(value[known]) / sqrt(folds),
             folds = sum(known))
}

solution_sizes <- function(fit) fit$certificate[[if (has_features(fit)) "nonzero" else "support_vectors"]]

# Rows of the summary: the least loss, and the sparsest within one standard error of it. Solutions that failed
# in more folds than others are not chosen.
choose_solutions <- function(summary, measure) {
  value <- if (measure_table()[[measure]]$larger) -summary$mean else summary$mean
  usable <- which(summary$folds == max(summary$folds) & !is.na(value) & !is.na(summary$nonzero))
  if (!length(usable)) stop_zeronorm("measure", paste0("\"", measure, "\" is not known in any fold."),
                                     "Use fewer folds, or another measure.")
  least <- usable[order(value[usable], summary$nonzero[usable])[1]]
  close <- usable[value[usable] <= value[least] + c(summary$se[least], 0)[is.na(summary$se[least]) + 1]]
  sparsest <- close[order(summary$nonzero[close], value[close])[1]]
  c(min = least, "1se" = sparsest)
}

# Names or indices of what each fold selected: tasks x solutions.
name_sets <- function(results, fit) {
  if (!has_features(fit)) return(NULL)
  labels <- if (!is.null(fit$features)) selectable_labels(fit)
  lapply(results,
         function(result) lapply(result$sets, function(set) if (is.null(labels)) set else labels[set]))
}

# Features x solutions, sparse.
selection_frequency <- function(results, fit) {
  if (!has_features(fit)) return(NULL)
  done <- Filter(Negate(is.null), results)
  entries <- lapply(done, function(result) {
    data.frame(i = unlist(result$sets), j = rep(seq_along(result$sets), lengths(result$sets)))
  })
  entries <- do.call(rbind, entries)
  sparseMatrix(entries$i, entries$j, x = rep(1 / length(done), nrow(entries)),
               dims = c(length(selectable_labels(fit)), nrow(fit$certificate)),
               dimnames = list(selectable_labels(fit), fit$labels))
}

# --- verbs ---

# Where s, nonzero or index point: the two choices by name, or solutions of the fit.
pick_cv <- function(cv, s = "1se", nonzero = NULL, index = NULL) {
  if (!is.null(nonzero) || !is.null(index)) return(pick(cv$fit, nonzero, index = index))
  if (is.character(s)) return(unname(cv$best[check_choice(s, "s", names(cv$best))]))
  pick(cv$fit, s = s)
}

#' Predictions and features of a cross-validated method
#'
#' @param object result of [cv_zeronorm()].
#' @param newdata new observations, as in [predict.zeronorm()].
#' @param s `"1se"` or `"min"`, or values of the tuning parameter that were fitted.
#' @param nonzero,index other ways to point at solutions, as in [coef.zeronorm()].
#' @param type as in [predict.zeronorm()], and `"prob"`: probabilities from a sigmoid of the decision value,
#'   fitted to the decision values of the observations held out (Platt 2000); of two classes that of the
#'   second level, of several classes or labels a matrix.
#' @param newx another name for `newdata`.
#' @param ... unused, and an error if given.
#' @return As the verbs of a fit.
#' @references
#' Platt, J. (2000). Probabilities for SV machines. In *Advances in Large Margin Classifiers*, 61-74. MIT
#' Press.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' cv <- cv_zeronorm(x, y, l1_svm(C = c(0.1, 1, 10)), folds = 5)
#' predict(cv, x[1:3, ], type = "prob")
#' coef(cv, s = "min")[1:3]
#' @export
predict.zeronorm_cv <- function(object, newdata, s = "1se", type = NULL, nonzero = NULL, index = NULL, newx, ...) {
  check_unused(...)
  check_result(object)
  if (missing(newdata) && !missing(newx)) newdata <- newx
  picked <- pick_cv(object, s, nonzero, index)
  predict(object$fit, newdata, type, index = picked)
}

#' @rdname predict.zeronorm_cv
#' @export
coef.zeronorm_cv <- function(object, s = "1se", nonzero = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  coef(object$fit, index = pick_cv(object, s, nonzero, index))
}

#' @rdname predict.zeronorm_cv
#' @export
selected.zeronorm_cv <- function(object, s = "1se", nonzero = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  selected(object$fit, index = pick_cv(object, s, nonzero, index))
}

#' @rdname predict.zeronorm_cv
#' @export
feature_importance.zeronorm_cv <- function(object, s = "1se", nonzero = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  feature_importance(object$fit, index = pick_cv(object, s, nonzero, index))
}

#' @rdname predict.zeronorm_cv
#' @export
certificate.zeronorm_cv <- function(object, ...) certificate(check_result(object)$fit, ...)

#' @rdname predict.zeronorm_cv
#' @param x result of [cv_zeronorm()].
#' @param row.names,optional as in [as.data.frame()].
#' @export
as.data.frame.zeronorm_cv <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_result(x, "x")$measures
}

#' @export
print.zeronorm_cv <- function(x, digits = 3, ...) {
  check_result(x, "x")
  label <- measure_table()[[x$measure]]$label
  writeLines(c(strwrap(paste0("<zeronorm_cv> ", x$fit$method$label, ": ", format(x$fit$method)), 80,
                       exdent = 4),
               indented(describe_folds(x), ", selection inside every fold")))
  shown <- cbind(choice = names(x$best), x$summary[x$best, , drop = FALSE])
  names(shown)[names(shown) == "mean"] <- label
  shown$folds <- NULL
  print(shown, digits = digits, row.names = FALSE)
  if (has_features(x$fit)) writeLines(c(indented("1se: ", name_some(selected(x)))))
  writeLines(indented("the loss of what was chosen by it is optimistic: see nested_zeronorm()"))
  invisible(x)
}

describe_folds <- function(cv) {
  runs <- ncol(cv$folds)
  paste0(plural(nrow(cv$folds), "observation"), ", ", max(cv$folds), " folds",
         if (runs > 1) paste(" x", runs, "repeats"),
         if (cv$blocked) " of whole blocks" else if (cv$stratified) ", stratified")
}

#' Plot a cross-validation
#'
#' `"error"`: the mean of the measure for each solution with one standard error to both sides, against the number
#' of features (of support vectors for kernel machines, or of the solution where these do not differ); dotted
#' lines at the two choices. Any other type is that of [plot.zeronorm()] for the fit to all data, where one
#' solution is needed for the choice `s`.
#'
#' @param x result of [cv_zeronorm()].
#' @param type `"error"`, or a type of [plot.zeronorm()].
#' @param newdata,y,most as in [plot.zeronorm()].
#' @param s,nonzero,index which solution, as in [predict.zeronorm_cv()].
#' @param ... passed to [graphics::plot()].
#' @return The plotted values, invisibly.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' plot(cv_zeronorm(x, y, l1_svm(C = 2^(-4:2)), folds = 5))
#' @export
plot.zeronorm_cv <- function(x, type = "error", newdata = NULL, y = NULL, s = "1se", nonzero = NULL,
                             index = NULL, most = NULL, ...) {
  check_result(x, "x")
  if (check_choice(type, "type", c("error", pictures)) != "error") {
    at <- cv_picture_solutions(x, type, s, nonzero, index)
    return(plot(x$fit, type, newdata, y, index = at, most = most, ...))
  }
  plot_errors(x, ...)
}

# Pictures of a path show all of it, others the one solution that was chosen.
cv_picture_solutions <- function(cv, type, s, nonzero, index) {
  if (type %in% c("path", "convergence", "gap") && identical(s, "1se") && is.null(nonzero) && is.null(index)) {
    return(seq_len(nrow(cv$summary)))
  }
  pick_cv(cv, s, nonzero, index)
}

plot_errors <- function(x, ...) {
  table <- x$summary[!is.na(x$summary$mean), , drop = FALSE]
  by_size <- length(unique(table$nonzero)) > 1
  at <- if (by_size) pmax(table$nonzero, 0.5) else as.integer(rownames(table))
  bar <- ifelse(is.na(table$se), 0, table$se)
  order <- order(at)
  log <- if (by_size && max(at) > 20) "x" else ""
  label <- measure_table()[[x$measure]]$label
  unit <- if (has_features(x$fit)) "number of features" else "number of support vectors"
  with_margins(mar = c(4.5, label_lines(range(table$mean - bar, table$mean + bar)) + 2, 3, 1), plot = {
    plot_with(plot, list(x = at[order], y = table$mean[order], type = "b", pch = 19, log = log, las = 1,
                         xaxt = "n",
                         ylim = range(table$mean - bar, table$mean + bar), ylab = "",
                         xlab = if (by_size) unit else "solution",
                         main = x$fit$method$label), ...)
    title(ylab = paste("cross-validated", label),
          line = label_lines(range(table$mean - bar, table$mean + bar)) + 0.5)
    axis(1, unique(at), if (by_size) unique(table$nonzero) else unique(at))
    segments(at, table$mean - bar, at, table$mean + bar)
    chosen <- at[match(x$best, as.integer(rownames(table)))]
    abline(v = chosen, lty = 3)
    axis(3, chosen, names(x$best), tick = FALSE, line = -0.8, cex.axis = 0.8)
  })
  invisible(x$summary)
}

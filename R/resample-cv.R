#' Cross-validation of a method with its path
#'
#' Estimates how well each solution of a method predicts observations that it has not seen, and chooses one.
#' Use it to choose the number of features or a cost parameter; for the error to report use
#' [nested_zeronorm()], because choosing makes the error of the chosen solution a little too good.
#'
#' Every fit inside is a whole [zeronorm()]: missing values are imputed, features standardised and selected on
#' the training part of each fold alone, so that the error is that of the procedure. All solutions of the path
#' or grid of `method` predict the observations held out, and two are named: the one with the best mean of the
#' measure (`"min"`), and the sparsest one within one standard error of it (`"1se"`).
#'
#' The mean is over all folds of all repeats, each weighted by its number of observations. The standard error
#' is the standard deviation over the folds times the root of the mean share of the observations that a fold
#' holds out. For K folds that is the standard deviation over \eqn{\sqrt K}: further repeats do not lower it,
#' since they share their data; Monte Carlo splits and bootstraps are treated alike. For measures that are not
#' means over observations, such as the AUC, see [zeronorm_measures].
#'
#' Folds run through the \pkg{future} framework: one after the other by default, in parallel after
#' `future::plan(multisession)`, and as jobs of a cluster by `plan(future.batchtools::batchtools_slurm)`.
#' The answer does not depend on the plan: it is that of the seed. See [zeronorm_progress] for
#' the display of the time left.
#'
#' @param x,y data, as in [zeronorm()].
#' @param data with a formula: a data frame of its variables.
#' @param method a method object; a vector of a tuning parameter in it is the path that is judged. The default is that
#'   of [zeronorm()].
#' @param folds number of folds, stratified by class; or [monte_carlo()] splits.
#' @param repeats number of repeats of the K-fold split.
#' @param foldid the splits themselves, in place of `folds` and `repeats`: the fold number of each
#'   observation; a matrix with a column for each repeat; an `rset` of package \pkg{rsample}, such as
#'   `vfold_cv()`, `mc_cv()`, `bootstraps()` or `group_vfold_cv()`, whose rows are matched by position; or the
#'   `$splits` of another result.
#' @param block observations of the same value, such as samples of the same patient, stay in one fold. Given
#'   splits that divide a block are an error.
#' @param measure what the choice minimises or maximises: the name of one of the [zeronorm_measures], or a
#'   function of `truth` and `prediction`. NULL: the error, in regression the mean squared error.
#' @param weights weights of the observations in training.
#' @param checkpoint a directory, in which finished folds are kept: the identical call with the same seed, in
#'   this or another session, goes on where the first one ended. A call that differs in anything is refused
#'   the directory.
#' @param BPPARAM a backend of \pkg{BiocParallel} in place of the plan of futures.
#' @param predictions whether the decision values held out are kept, as `$link`: an array of observations,
#'   solutions (times outputs) and repeats (with Monte Carlo splits and bootstraps: splits).
#' @param ... further arguments of [zeronorm()].
#' @return An object of class `zeronorm_cv`: `$fit`, the fit of all solutions to all data; `$summary`, a row
#'   for each solution with its tuning parameters, number of features, mean and standard error of the measure;
#'   `$measures`, all measures of each solution in each fold by itself; `$contributions`, what each fold
#'   contributes to the measures of its repeat, the same for means over observations (see
#'   [zeronorm_measures]); `$best`, the rows of the two choices; `$sets`, what was selected in each fold, and
#'   `$frequency`, the share of folds that selected each feature that has a penalty; `$splits`, the training
#'   and test rows; `$confusion`, see [confusion_table()]. [predict()], [coef()], [selected()],
#'   [feature_importance()], [certificate()], [summary()] and [plot()] work on it, with `s = "1se"` or
#'   `"min"`.
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
#' confusion_table(cv)
#' plot(cv)
#' @export
cv_zeronorm <- function(x, ...) {
  if (missing(x)) without_x(cv_zeronorm.formula, ...) else UseMethod("cv_zeronorm")
}

#' @rdname cv_zeronorm
#' @export
cv_zeronorm.default <- function(x, y, method = default_method(), folds = 10,
                                repeats = 1, foldid = NULL, block = NULL, measure = NULL, weights = NULL,
                                checkpoint = NULL, BPPARAM = NULL, predictions = FALSE, ...) {
  request <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  predictions <- check_flag(predictions, "predictions")
  splits <- make_splits(request, folds, repeats, foldid)
  cross_validate(request, splits, measure, checkpoint, BPPARAM, predictions,
                 list(folds = folds, repeats = repeats))
}

#' @rdname cv_zeronorm
#' @export
cv_zeronorm.formula <- function(x, data = NULL, method = default_method(), ...) {
  cv_zeronorm.default(formula_source(x, data), method = method, ...)
}

# `asked`: further arguments of the verb that the splits come from, for the checkpoint.
cross_validate <- function(request, splits, measure, checkpoint = NULL, BPPARAM = NULL, predictions = FALSE,
                           asked = list()) {
  fit <- fit_request(request)
  fit$seconds <- NA_real_  # the same seed gives the same object
  request <- with_path_of(request, fit)
  # What is named in a function whose loop goes to workers goes with it: the data should do so once.
  tasks <- open_checkpoint(checkpoint,
                           do.call(what_is_run, c(list("cv_zeronorm", request, measure = measure), asked)),
                           draw_streams(splits))
  results <- values_of(run_tasks(tasks, function(task) judge_fold(request, task, nrow(fit$certificate)),
                                 checkpoint, BPPARAM))
  pool <- pool_held_out(tasks, results)
  fit$calibration <- calibrate_solutions(pool, request$labels, fit$pairs, training_scale(fit, request))
  if (measure$prob) results <- with_probabilities(tasks, results, pool, request$labels, fit$pairs)
  found <- evaluate(tasks, results, request$labels, fit$pairs, measures_shown(request$labels$task, measure))
  new_cv(fit, request, splits, tasks, results, found, measure, predictions)
}

# One fold: decision values of the observations held out, also on a common scale, and what was selected.
judge_fold <- function(request, task, solutions) {
  train <- take_rows(request, task$train)
  fit <- fit_request(train)
  if (nrow(fit$certificate) != solutions) stop("the path has other solutions than on all data")
  newdata <- held_out_data(request, task$test, task$train)
  link <- unname(decision_values(fit, newdata, seq_len(solutions)))
  list(link = link, z = on_scale(link, training_scale(fit, train)),
       sets = if (has_features(fit)) lapply(seq_len(solutions),
                                            function(k) selectable_features(fit, k)$column),
       vectors = fit$certificate$support_vectors)
}

# Results with the probabilities of the observations held out, calibrated on all other observations.
with_probabilities <- function(tasks, results, pool, labels, pairs) {
  outputs <- output_count(labels, pairs)
  for (k in which(lengths(results) > 0)) {
    curves <- calibrate_solutions(pool, labels, pairs, NULL, tasks[[k]]$test)
    each <- lapply(seq_along(curves), function(s) {
      z <- results[[k]]$z[, (s - 1) * outputs + seq_len(outputs), drop = FALSE]
      probabilities(z, curves[[s]], labels$task, pairs)
    })
    results[[k]]$prob <- do.call(cbind, each)
  }
  results
}

# Decision values held out: observations x (solutions times outputs) x repeats.
gather_links <- function(tasks, results, n) {
  width <- ncol(results[[which(lengths(results) > 0)[1]]]$link)
  link <- array(NA_real_, c(n, width, run_count(tasks)))
  for (k in which(lengths(results) > 0)) link[tasks[[k]]$test, , tasks[[k]]$run] <- results[[k]]$link
  link
}

new_cv <- function(fit, request, splits, tasks, results, found, measure, predictions) {
  n <- observations(request)
  solutions <- nrow(fit$certificate)
  nonzero <- unlist(lapply(results, function(result) {
    vapply(seq_len(solutions), function(s) size_of(result, s), 0L)
  }))
  measures <- data.frame(found$measures[1:4], nonzero = nonzero, found$measures[-(1:4)])
  summary <- summarise_solutions(fit, found$contributions, measure$name, n)
  new_result(list(
    fit = fit, measure = measure$name, own = measure$own, summary = summary,
    best = choose_solutions(summary, measure), measures = measures, contributions = found$contributions,
    sets = name_sets(results, fit), frequency = selection_frequency(results, fit), splits = splits,
    confusion = held_out_confusions(tasks, results, request$labels, fit$pairs, fit$labels),
    link = if (predictions) gather_links(tasks, results, n)
  ), "zeronorm_cv")
}

# Features, or support vectors where there are none.
size_of <- function(result, s) {
  if (is.null(result)) return(NA_integer_)
  if (is.null(result$sets)) as.integer(result$vectors[s]) else length(result$sets[[s]])
}

# A row for each solution: tuning parameters, size on all data, mean and standard error of the measure.
summarise_solutions <- function(fit, contributions, name, n) {
  each <- lapply(split(contributions, contributions$solution),
                 function(rows) fold_mean(rows[[name]], rows$size, n))
  data.frame(tuning_table(fit), nonzero = solution_sizes(fit), do.call(rbind, each), row.names = NULL,
             check.names = FALSE)
}

tuning_table <- function(fit) fit$certificate[fit$tuning]

solution_sizes <- function(fit) fit$certificate[[if (has_features(fit)) "nonzero" else "support_vectors"]]

# Rows of the summary: the best mean, and the sparsest within one standard error of it. Solutions that failed
# in more folds than others are not chosen.
choose_solutions <- function(summary, measure) {
  value <- if (measure$larger) -summary$mean else summary$mean
  usable <- which(summary$folds == max(summary$folds) & !is.na(value) & !is.na(summary$nonzero))
  if (!length(usable)) {
    stop_zeronorm("measure", paste0("\"", measure$name, "\" is not defined in any fold."),
                  "Use fewer folds, or another measure.")
  }
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

# Features that can be selected x solutions, sparse. Counts are divided once, so that no share exceeds 1.
selection_frequency <- function(results, fit) {
  if (!has_features(fit)) return(NULL)
  done <- Filter(Negate(is.null), results)
  labels <- selectable_labels(fit)
  entries <- lapply(done, function(result) {
    data.frame(i = unlist(result$sets), j = rep(seq_along(result$sets), lengths(result$sets)))
  })
  entries <- do.call(rbind, entries)
  counts <- sparseMatrix(entries$i, entries$j, x = rep(1, nrow(entries)),
                         dims = c(length(labels), nrow(fit$certificate)), dimnames = list(labels, fit$labels))
  counts[selectable_columns(fit), , drop = FALSE] / length(done)
}

# Positions among selectable_labels() that compete for selection: unpenalised columns are in every model.
selectable_columns <- function(fit) {
  all <- seq_along(selectable_labels(fit))
  if (selects_features(fit)) all else setdiff(all, fit$unpenalized)
}

# --- confusion tables ---

#' Confusion table of observations held out
#'
#' Counts how the observations of each class were predicted while they were held out by [cv_zeronorm()] or
#' [nested_zeronorm()]. With several repeats an observation counts once for each of them.
#'
#' @param object result of [cv_zeronorm()] or [nested_zeronorm()].
#' @param s,nonzero,index which solution, as in [predict.zeronorm_cv()]. A nested cross-validation has chosen
#'   itself.
#' @param ... unused, and an error if given.
#' @return A table of counts, true classes in rows and predicted ones in columns.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' cv <- cv_zeronorm(x, y, arom("l2", nonzero = c(8, 2), errors = "l2"), folds = 5)
#' confusion_table(cv)
#' confusion_table(cv, nonzero = 8)
#' @export
confusion_table <- function(object, ...) UseMethod("confusion_table")

#' @rdname confusion_table
#' @export
confusion_table.zeronorm_cv <- function(object, s = "1se", nonzero = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  check_confusion(object)
  picked <- pick_cv(object, s, nonzero, index)
  if (length(picked) != 1) {
    stop_zeronorm(if (is.null(nonzero)) "index" else "nonzero",
                  paste0("points at ", length(picked), " solutions."),
                  "Use s = \"1se\" or index = 1, for example.")
  }
  as.table(object$confusion[, , picked])
}

check_confusion <- function(object) {
  if (!is.null(object$confusion)) return(invisible())
  stop_zeronorm("object", "has no single class for each observation.", "See its `$measures`.")
}

# True classes x predicted classes x solutions.
held_out_confusions <- function(tasks, results, labels, pairs, names) {
  if (!labels$task %in% c("two-class", "k-class")) return(NULL)
  outputs <- output_count(labels, pairs)
  done <- which(lengths(results) > 0)
  link <- do.call(rbind, lapply(results[done], `[[`, "link"))
  here <- take_labels(labels, unlist(lapply(tasks[done], `[[`, "test")))
  counts <- vapply(seq_len(ncol(link) / outputs), function(s) {
    held <- new_held(here, link[, (s - 1) * outputs + seq_len(outputs), drop = FALSE], pairs = pairs)
    known <- which(!is.na(held$code))
    count_confusions(held$class[known], held$code[known], rep(1L, length(known)), length(labels$levels), 1)
  }, numeric(length(labels$levels)^2))
  array(counts, c(length(labels$levels), length(labels$levels), ncol(counts)),
        list(truth = labels$levels, predicted = labels$levels, names))
}

# --- verbs ---

# Where s, nonzero or index point: the two choices by name, or solutions of the fit.
pick_cv <- function(cv, s = "1se", nonzero = NULL, index = NULL) {
  if (!is.null(nonzero) || !is.null(index)) return(pick(cv$fit, nonzero, index = index))
  if (!is.character(s)) return(pick(cv$fit, s = s))
  if (length(s) == 1 && s %in% c("lambda.min", "lambda.1se")) {
    stop_zeronorm("s", paste0("is \"", s, "\", which is called \"", sub("lambda.", "", s, fixed = TRUE), "\" here."))
  }
  unname(cv$best[check_choice(s, "s", names(cv$best))])
}

#' Predictions and features of a cross-validated method
#'
#' @param object result of [cv_zeronorm()].
#' @param newdata new observations, as in [predict.zeronorm()].
#' @param s `"1se"` or `"min"`, or values of the tuning parameter that were fitted.
#' @param nonzero,index other ways to point at solutions, as in [coef.zeronorm()].
#' @param type as in [predict.zeronorm()]; probabilities (`"prob"`) are calibrated on the observations held
#'   out, as [calibrate_zeronorm()] describes: for two classes P(second level), else a matrix with a column
#'   for each class or label.
#' @param newx another name for `newdata`.
#' @param cutoff what decides about the class, as in [predict.zeronorm()].
#' @param ... unused, and an error if given.
#' @return As the verbs of a fit.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' cv <- cv_zeronorm(x, y, l1_svm(C = c(0.1, 1, 10)), folds = 5)
#' predict(cv, x[1:3, ], type = "prob")
#' coef(cv, s = "min")[1:3]
#' @export
predict.zeronorm_cv <- function(object, newdata, s = "1se", type = NULL, nonzero = NULL, index = NULL, newx,
                                cutoff = "link", ...) {
  check_unused(...)
  check_result(object)
  if (missing(newdata) && !missing(newx)) newdata <- newx
  picked <- pick_cv(object, s, nonzero, index)
  predict(object$fit, newdata, type, index = picked, cutoff = cutoff)
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
  writeLines(cv_header(x))
  print_choices(x, digits)
  if (has_features(x$fit)) writeLines(c(indented("1se: ", name_some(selected(x)))))
  writeLines(indented("the ", measure_table()[[x$measure]]$label,
                      " of a solution that was chosen by it is optimistic: see nested_zeronorm()"))
  invisible(x)
}

cv_header <- function(cv) {
  c(header_lines("zeronorm_cv", cv$fit$method),
    indented(plural(cv$fit$n, "observation"), ", ", describe_splits(cv$splits),
             ", selection inside every fold"))
}

print_choices <- function(cv, digits) {
  shown <- cbind(choice = names(cv$best), cv$summary[cv$best, , drop = FALSE])
  names(shown)[names(shown) == "mean"] <- measure_table()[[cv$measure]]$label
  shown$folds <- NULL
  print(shown, digits = digits, row.names = FALSE)
}

#' Summary of a cross-validation
#'
#' @param object result of [cv_zeronorm()].
#' @param s,nonzero,index the solution whose confusion table and features are shown, as in
#'   [predict.zeronorm_cv()].
#' @param most number of features shown.
#' @param ... unused, and an error if given.
#' @return An object of class `summary.zeronorm_cv`: a list of the `solutions`, a row for each with the
#'   measure; `shown`, the number of the solution shown; its `measures`, with mean and standard error; its
#'   `confusion` table of observations held out; and its `features`, with weights, importance and the share of
#'   folds that selected them.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' summary(cv_zeronorm(x, y, arom("l2", nonzero = c(8, 2), errors = "l2"), folds = 5))
#' @export
summary.zeronorm_cv <- function(object, s = "1se", nonzero = NULL, index = NULL, most = 20, ...) {
  check_unused(...)
  check_result(object)
  k <- pick_cv(object, s, nonzero, index)
  if (length(k) != 1) {
    stop_zeronorm("index", paste0("points at ", length(k), " solutions."), "Use s = \"1se\", for example.")
  }
  rows <- object$contributions[object$contributions$solution == k, ]
  names <- names(rows)[-(1:4)]
  n <- attr(object$splits, "n")
  measures <- do.call(rbind, lapply(names, function(name) fold_mean(rows[[name]], rows$size, n)))
  structure(class = "summary.zeronorm_cv", list(
    cv = object, solutions = object$summary, shown = k, measures = data.frame(measure = names, measures),
    confusion = if (!is.null(object$confusion)) confusion_table(object, index = k),
    features = if (has_features(object$fit)) with_frequency(feature_table(object$fit, k), object, k),
    most = check_count(most, "most")
  ))
}

# NA for features without a penalty, which are in every model.
with_frequency <- function(table, cv, k) {
  if (selects_features(cv$fit)) return(table)
  share <- cv$frequency[, k, drop = FALSE]
  data.frame(table, "share of folds" = as.vector(share)[match(table$feature, rownames(share))], check.names = FALSE)
}

#' @method print summary.zeronorm_cv
#' @export
print.summary.zeronorm_cv <- function(x, digits = 3, ...) {
  writeLines(cv_header(x$cv))
  cat("\nSolutions\n")
  table <- x$solutions
  names(table)[names(table) == "mean"] <- measure_table()[[x$cv$measure]]$label
  table$chosen <- vapply(seq_len(nrow(table)),
                         function(k) paste(names(x$cv$best)[x$cv$best == k], collapse = ", "), "")
  print(table, digits = digits)
  cat("\nObservations held out, solution", x$shown, "\n")
  print_outer(x$measures, digits)
  if (!is.null(x$confusion)) print(x$confusion)
  if (!is.null(x$features)) {
    cat("\nFeatures of solution", x$shown, "\n")
    print(head(x$features, x$most), digits = digits, row.names = FALSE)
    if (nrow(x$features) > x$most) cat("... and", nrow(x$features) - x$most, "more: see selected()\n")
  }
  invisible(x)
}

#' Plot a cross-validation
#'
#' `"error"`: the mean of the measure for each solution with one standard error to both sides, against the
#' number of features (of support vectors for kernel machines, or of the solution where these do not differ);
#' dotted lines at the two choices. Any other type is that of [plot.zeronorm()] for the fit to all data, where
#' one solution is needed for the choice `s`.
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
  if (check_choice(type, "type", c("error", plot_types)) != "error") {
    at <- cv_picture_solutions(x, type, s, nonzero, index)
    return(plot(x$fit, type, newdata, y, index = at, most = most, ...))
  }
  plot_errors(x, ...)
}

# Pictures of a path show all of it, others the one solution that was chosen.
cv_picture_solutions <- function(cv, type, s, nonzero, index) {
  pointed <- !identical(s, "1se") || !is.null(nonzero) || !is.null(index)
  if (type %in% c("path", "convergence", "gap") && !pointed) {
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

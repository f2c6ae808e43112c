#' Nested cross-validation: the honest error of the whole procedure
#'
#' In every outer fold the whole of [cv_zeronorm()] runs on the training part, its choice (`s`) predicts the
#' observations held out, and these have taken part in nothing: not in selecting features, not in choosing
#' their number. The mean of the outer folds estimates the error of the procedure on new data.
#'
#' @inheritParams cv_zeronorm
#' @param folds,repeats,foldid,block of the outer folds, as in [cv_zeronorm()]; blocks stay whole inside as
#'   well.
#' @param inner_folds,inner_repeats of the cross-validations inside.
#' @param s the choice made inside: `"1se"` or `"min"`.
#' @return An object of class `zeronorm_nested`: `$measures`, all measures of each outer fold and the solution
#'   chosen in it; `$link`, decision values of the observations held out (outputs beside each other, repeats
#'   in the third dimension), `$sets`, the features selected in each fold; `$summary`, mean and standard
#'   error of every measure.
#' @references
#' Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for model selection.
#' *BMC Bioinformatics* 7, 91.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' nested_zeronorm(x, y, arom("l2", nonzero = c(32, 8, 2), errors = "l2"), folds = 5, inner_folds = 5)
#' @export
nested_zeronorm <- function(x, ...) {
  if (missing(x)) without_x(nested_zeronorm.formula, ...) else UseMethod("nested_zeronorm")
}

#' @rdname nested_zeronorm
#' @export
nested_zeronorm.default <- function(x, y, method = arom("l2", nonzero = "path", errors = "l2"), folds = 10,
                                    repeats = 1, inner_folds = 10, inner_repeats = 1, s = "1se",
                                    foldid = NULL, block = NULL, measure = NULL, weights = NULL,
                                    checkpoint = NULL, BPPARAM = NULL, ...) {
  request <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  s <- check_choice(s, "s", c("1se", "min"))
  inner <- list(folds = check_count(inner_folds, "inner_folds", 2),
                repeats = check_count(inner_repeats, "inner_repeats"))
  tasks <- draw_streams(fold_tasks(fold_columns(request, folds, repeats, foldid)))
  tasks <- open_checkpoint(checkpoint,
                           what_is_run("nested", request, inner = inner, s = s, measure = measure), tasks)
  work <- function(task) judge_procedure(request, task, inner, measure, s)
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "outer folds")
  new_nested(request, tasks, results, measure, s, inner)
}

#' @rdname nested_zeronorm
#' @export
nested_zeronorm.formula <- function(x, data = NULL, method = arom("l2", nonzero = "path", errors = "l2"), ...) {
  nested_zeronorm.default(formula_source(x, data), method = method, ...)
}

# One outer fold: all of the choice on its training part, judged on the observations held out.
judge_procedure <- function(data, task, inner, measure, s) {
  train <- take_rows(data, task$train)
  folds <- min(inner$folds, most_folds(train))
  cv <- cross_validate(train, fold_columns(train, folds, inner$repeats, NULL), measure)
  chosen <- cv$best[[s]]
  newdata <- held_out_data(data, task$test, task$train)
  link <- unname(decision_values(cv$fit, newdata, chosen))
  here <- take_rows(data, task$test)$labels
  values <- vapply(measures_for(here$task), measure_value, 0, f = link, labels = here,
                   calibration = cv$fit$calibration[[chosen]])
  list(link = link, chosen = cv$summary[chosen, setdiff(names(cv$summary), c("mean", "se", "folds")),
                                        drop = FALSE],
       solution = chosen, values = values, inner = cv$summary$mean[chosen],
       set = if (has_features(cv$fit)) selected(cv$fit, index = chosen))
}

most_folds <- function(data) if (is.null(data$block)) observations(data) else length(unique(data$block))

new_nested <- function(data, tasks, results, measure, s, inner) {
  done <- which(lengths(results) > 0)
  rows <- lapply(done, function(k) {
    data.frame(run = tasks[[k]]$run, fold = tasks[[k]]$fold, size = length(tasks[[k]]$test),
               solution = results[[k]]$solution, results[[k]]$chosen, inner = results[[k]]$inner,
               t(results[[k]]$values), check.names = FALSE, row.names = NULL)
  })
  measures <- do.call(rbind, rows)
  outputs <- ncol(as.matrix(data$labels$y))
  link <- array(NA_real_, c(observations(data), outputs, max(vapply(tasks, `[[`, 0L, "run"))))
  for (k in done) link[tasks[[k]]$test, , tasks[[k]]$run] <- results[[k]]$link
  new_result(list(
    method = data$method, measure = measure, s = s, measures = measures, link = link,
    summary = summarise_outer(measures, measures_for(data$labels$task)), sets = lapply(results[done], `[[`,
                                                                                       "set"),
    folds = fold_matrix(tasks,
                        observations(data)), inner = inner, stratified = data$labels$task != "regression",
    blocked = !is.null(data$block)
  ), "zeronorm_nested")
}

# A row for each measure.
summarise_outer <- function(measures, names) {
  rows <- lapply(names, function(name) {
    data.frame(measure = name, fold_mean(measures[[name]], measures$size, max(measures$fold)))
  })
  do.call(rbind, rows)
}

#' @export
as.data.frame.zeronorm_nested <- function(x, row.names = NULL, optional = FALSE, ...) x$measures

#' @export
print.zeronorm_nested <- function(x, digits = 3, ...) {
  writeLines(c(strwrap(paste0("<zeronorm_nested> ", x$method$label, ": ", format(x$method)), 80, exdent = 4),
               indented(describe_folds(x), "; inside each ", x$inner$folds, " folds choose (", x$s, ")")))
  summary <- x$summary
  summary$measure <- vapply(measure_table()[summary$measure], `[[`, "", "label")
  print(summary, digits = digits, row.names = FALSE)
  sizes <- x$measures$nonzero
  unit <- if (is.null(x$sets[[1]])) "support vectors" else "features"
  writeLines(indented("chosen: ", paste(unique(range(sizes)), collapse = " to "), " ", unit, ", median ",
                      format(stats::median(sizes))))
  invisible(x)
}

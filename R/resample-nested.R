#' Nested cross-validation: the error of the whole procedure
#'
#' Estimates how well a method predicts new data when its number of features, or another parameter, is chosen
#' by [cv_zeronorm()]. This is the error to report. In every outer fold the whole of [cv_zeronorm()] runs on
#' the training part, and its choice (`s`) predicts the observations held out, which have taken part in
#' nothing: not in selecting features, not in choosing their number, and not in calibrating probabilities.
#'
#' @section Confidence intervals:
#' `summary()`, `tidy()` and `confint()` give the corrected resampled t interval of Nadeau and Bengio (2003),
#' \deqn{\hat\theta \pm t_{J - 1} \sqrt{(1 / J + n_{test} / n_{train}) \, s^2}}
#' with the standard deviation s of the contributions of all J outer splits, cut at the range of the measure.
#' The term \eqn{n_{test} / n_{train}} is there because training sets overlap, which makes folds alike:
#' without it intervals are far too short. No estimate of that variance is unbiased; this one rather errs on
#' the long side. Where all folds agree, s is 0. Intervals of the error, and for two classes of sensitivity
#' and specificity, are therefore never shorter than the exact binomial interval (Clopper and Pearson 1934)
#' for that many observations, which is what an independent test set of the same size would give. The interval
#' is about the expected measure of the procedure on training sets of the size of the training parts.
#'
#' @inheritParams cv_zeronorm
#' @param x,y data, as in [zeronorm()]; `x` of `plot()`, `tidy()` and `glance()` is the result.
#' @param folds,repeats,foldid,block of the outer folds, as in [cv_zeronorm()]; blocks stay whole inside as
#'   well.
#' @param inner_folds,inner_repeats of the cross-validations inside.
#' @param s the choice made inside: `"1se"` or `"min"`.
#' @return An object of class `zeronorm_nested`: `$summary`, a row for each measure with its mean, standard
#'   error and 95 % interval; `$measures`, all measures of each outer fold by itself and the solution chosen
#'   in it, and `$contributions`, what each fold contributes to the measures of its repeat (see
#'   [zeronorm_measures]); `$link`, decision values of the observations held out (outputs beside each other,
#'   repeats in the third dimension); `$sets`, the features selected in each fold; `$splits`, the training and
#'   test rows; `$confusion`, see [confusion_table()].
#' @references
#' Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for model selection.
#' *BMC Bioinformatics* 7, 91.
#'
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* 52, 239-281.
#'
#' Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case
#' of the binomial. *Biometrika* 26, 404-413.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' method <- arom("l2", nonzero = c(32, 8, 2), errors = "l2")
#' nested <- nested_zeronorm(x, y, method, folds = 5, inner_folds = 5)
#' nested
#' confint(nested, "error", level = 0.9)
#' @export
nested_zeronorm <- function(x, ...) {
  if (missing(x)) without_x(nested_zeronorm.formula, ...) else UseMethod("nested_zeronorm")
}

#' @rdname nested_zeronorm
#' @export
nested_zeronorm.default <- function(x, y, method = default_method(), folds = 10,
                                    repeats = 1, inner_folds = 10, inner_repeats = 1, s = "1se",
                                    foldid = NULL, block = NULL, measure = NULL, weights = NULL,
                                    checkpoint = NULL, BPPARAM = NULL, ...) {
  request <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  s <- check_choice(s, "s", c("1se", "min"))
  inner <- list(folds = check_count(inner_folds, "inner_folds", 2),
                repeats = check_count(inner_repeats, "inner_repeats"))
  splits <- make_splits(request, folds, repeats, foldid)
  tasks <- open_checkpoint(
    checkpoint,
    what_is_run("nested_zeronorm", request, measure = measure, folds = folds, repeats = repeats,
                inner_folds = inner_folds, inner_repeats = inner_repeats, s = s),
    draw_streams(splits)
  )
  work <- function(task) judge_procedure(request, task, inner, measure, s)
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "outer folds")
  new_nested(request, splits, tasks, results, measure, s, inner)
}

#' @rdname nested_zeronorm
#' @export
nested_zeronorm.formula <- function(x, data = NULL, method = default_method(),
                                    ...) {
  nested_zeronorm.default(formula_source(x, data), method = method, ...)
}

# One outer fold: all of the choice on its training part, judged on the observations held out.
judge_procedure <- function(request, task, inner, measure, s) {
  train <- take_rows(request, task$train)
  cv <- cross_validate(train, inner_splits(train, inner$folds, inner$repeats), measure)
  chosen <- cv$best[[s]]
  c(held_out_values(cv$fit, chosen, request, task),
    list(chosen = cv$summary[chosen, setdiff(names(cv$summary), c("mean", "se", "folds")), drop = FALSE],
         solution = chosen, inner = cv$summary$mean[chosen], pairs = cv$fit$pairs,
         set = if (has_features(cv$fit)) selected(cv$fit, index = chosen)))
}

# Folds of a training part, which may have fewer observations or blocks than folds were asked for.
inner_splits <- function(train, folds, repeats = 1) make_splits(train, min(folds, unit_count(train)), repeats)

# What a solution of a calibrated fit says about the observations held out.
held_out_values <- function(fit, solution, request, task, prob = TRUE) {
  link <- unname(decision_values(fit, held_out_data(request, task$test, task$train), solution))
  calibration <- fit$calibration[[solution]]
  list(link = link, z = on_scale(link, calibration),
       prob = if (prob && !is.null(calibration)) probabilities(link, calibration, fit$task, fit$pairs))
}

new_nested <- function(request, splits, tasks, results, measure, s, inner) {
  labels <- request$labels
  done <- which(lengths(results) > 0)
  pairs <- results[[done[1]]]$pairs
  found <- evaluate(tasks, results, labels, pairs, measures_shown(labels$task, measure, prob = TRUE))
  chosen <- do.call(rbind, lapply(results[done], function(result) {
    data.frame(solution = result$solution, result$chosen, inner = result$inner, check.names = FALSE,
               row.names = NULL)
  }))
  measures <- data.frame(found$measures[done, 1:3], chosen, found$measures[done, -(1:4)], check.names = FALSE,
                         row.names = NULL)
  contributions <- data.frame(found$contributions[done, -4], row.names = NULL)
  nested <- new_result(list(
    method = request$method, measure = measure$name, own = measure$own, s = s, measures = measures,
    contributions = contributions, link = gather_links(tasks, results, observations(request)),
    sets = lapply(results[done], `[[`, "set"), splits = splits, inner = inner, levels = labels$levels,
    trials = binomial_trials(tasks[done], labels),
    confusion = held_out_confusions(tasks, results, labels, pairs, NULL)
  ), "zeronorm_nested")
  nested$summary <- summarise_outer(nested)
  nested
}

# A row for each measure, with its 95 % interval.
summarise_outer <- function(nested) {
  rows <- nested$contributions
  names <- names(rows)[-(1:3)]
  each <- lapply(names, function(name) fold_mean(rows[[name]], rows$size, attr(nested$splits, "n")))
  interval <- confint.zeronorm_nested(nested)
  table <- data.frame(measure = names, do.call(rbind, each))
  data.frame(table[1:3], lower = unname(interval[, 1]), upper = unname(interval[, 2]), table["folds"])
}

# Of how many observations the measure is a share, where it is one.
binomial_trials <- function(tasks, labels) {
  tested <- unique(unlist(lapply(tasks, `[[`, "test")))
  if (labels$task == "regression") return(numeric())
  if (labels$task != "two-class") return(c(error = length(tested)))
  c(error = length(tested), sensitivity = sum(labels$class[tested] == 2),
    specificity = sum(labels$class[tested] == 1))
}

#' @rdname nested_zeronorm
#' @param object result of `nested_zeronorm()`.
#' @param parm names of measures; all by default.
#' @param level of the confidence intervals.
#' @export
confint.zeronorm_nested <- function(object, parm = NULL, level = 0.95, ...) {
  check_unused(...)
  level <- check_level(level)
  names <- names(object$contributions)[-(1:3)]
  if (!is.null(parm)) {
    if (!is.character(parm) || !all(parm %in% names)) {
      stop_zeronorm("parm", paste0("is ", describe(parm), "."),
                    paste0("Use names out of ", enumerate(names, 12), "."))
    }
    names <- parm
  }
  sizes <- split_sizes(object$splits)
  place <- match(paste(object$contributions$run, object$contributions$fold), paste(sizes$run, sizes$fold))
  rows <- lapply(names, function(name) {
    corrected_interval(object$contributions[[name]], sizes[place, ], level, measure_table()[[name]]$range,
                       object$trials[name])
  })
  tail <- (1 + c(-1, 1) * level) / 2
  matrix(unlist(rows), ncol = 2, byrow = TRUE,
         dimnames = list(names, paste(format(100 * tail, trim = TRUE, digits = 3), "%")))
}

# The interval of Nadeau and Bengio, cut at the range, and not shorter than the exact binomial interval of
# `trials` observations.
corrected_interval <- function(value, sizes, level, range, trials = NA) {
  known <- which(!is.na(value))
  if (length(known) < 2) return(c(NA_real_, NA_real_))
  centre <- stats::weighted.mean(value[known], sizes$test[known])
  half <- stats::qt((1 + level) / 2, length(known) - 1) * corrected_error(value[known], sizes[known, ])
  ends <- centre + c(-half, half)
  if (length(trials) && !is.na(trials)) {
    exact <- exact_binomial(centre, trials, level)
    ends <- c(min(ends[1], exact[1]), max(ends[2], exact[2]))
  }
  pmin(pmax(ends, range[1]), range[2])
}

# Standard error of a mean over splits whose training sets overlap.
corrected_error <- function(value, sizes) {
  sqrt((1 / length(value) + mean(sizes$test / sizes$train)) * stats::var(value))
}

# Clopper and Pearson's interval of a share.
exact_binomial <- function(share, trials, level) {
  hits <- share * trials
  tail <- (1 - level) / 2
  c(if (hits > 0) stats::qbeta(tail, hits, trials - hits + 1) else 0,
    if (hits < trials) stats::qbeta(1 - tail, hits + 1, trials - hits) else 1)
}

check_level <- function(level) {
  level <- check_number(level, "level", upper = 1, open_lower = TRUE)
  if (level == 1) stop_zeronorm("level", "is 1.", "Use a number below 1, such as 0.95.")
  level
}

#' @export
as.data.frame.zeronorm_nested <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_result(x, "x")$measures
}

#' @export
print.zeronorm_nested <- function(x, digits = 3, ...) {
  writeLines(nested_header(check_result(x, "x")))
  print_outer(x$summary, digits)
  writeLines(chosen_sizes(x))
  invisible(x)
}

nested_header <- function(nested) {
  choice <- paste0(nested$s, ", ", measure_table()[[nested$measure]]$label)
  c(header_lines("zeronorm_nested", nested$method),
    indented(plural(attr(nested$splits, "n"), "observation"), ", ", describe_splits(nested$splits),
             "; inside each ", nested$inner$folds, " folds choose (", choice, ")"))
}

print_outer <- function(summary, digits) {
  summary$measure <- vapply(measure_table()[summary$measure], `[[`, "", "label")
  print(summary, digits = digits, row.names = FALSE)
}

chosen_sizes <- function(nested) {
  sizes <- nested$measures$nonzero
  unit <- if (is.null(nested$sets[[1]])) "support vectors" else "features"
  indented("chosen: ", paste(unique(range(sizes)), collapse = " to "), " ", unit, ", median ",
           format(stats::median(sizes)))
}

#' @rdname nested_zeronorm
#' @param most number of features shown.
#' @export
summary.zeronorm_nested <- function(object, level = 0.95, most = 10, ...) {
  check_unused(...)
  check_result(object)
  interval <- confint.zeronorm_nested(object, level = level)
  object$summary[c("lower", "upper")] <- list(unname(interval[, 1]), unname(interval[, 2]))
  counts <- sort(table(unlist(lapply(object$sets, as.character))), decreasing = TRUE)
  structure(class = "summary.zeronorm_nested", list(
    header = nested_header(object), measures = object$summary, level = level, sizes = chosen_sizes(object),
    confusion = if (!is.null(object$confusion)) confusion_table(object),
    selected = head(counts, check_count(most, "most")) / nrow(object$measures)
  ))
}

#' @export
print.summary.zeronorm_nested <- function(x, digits = 3, ...) {
  writeLines(c(x$header, indented("intervals of ", format(100 * x$level), " %")))
  print_outer(x$measures, digits)
  if (!is.null(x$confusion)) {
    cat("\nObservations held out\n")
    print(x$confusion)
  }
  cat("\n")
  writeLines(x$sizes)
  if (length(x$selected)) {
    writeLines(indented("selected in most outer folds: ",
                        paste0(names(x$selected), " (", round(100 * x$selected), " %)", collapse = ", ")))
  }
  invisible(x)
}

#' @rdname confusion_table
#' @export
confusion_table.zeronorm_nested <- function(object, ...) {
  check_unused(...)
  check_result(object)
  check_confusion(object)
  as.table(object$confusion[, , 1])
}

#' @rdname nested_zeronorm
#' @param conf.level of the intervals.
#' @return `tidy()`: a row for each measure with `estimate`, `std.error`, `conf.low` and `conf.high`;
#'   `glance()`: one row, for the measure that the choice was made by.
#' @export
tidy.zeronorm_nested <- function(x, conf.level = 0.95, ...) { # nolint: object_name_linter.
  check_unused(...)
  check_result(x, "x")
  interval <- confint.zeronorm_nested(x, level = conf.level)
  as_table(list(measure = x$summary$measure, estimate = x$summary$mean, std.error = x$summary$se,
                       conf.low = unname(interval[, 1]), conf.high = unname(interval[, 2])))
}

#' @rdname nested_zeronorm
#' @export
glance.zeronorm_nested <- function(x, ...) {
  check_unused(...)
  check_result(x, "x")
  row <- x$summary[match(x$measure, x$summary$measure), ]
  as_table(list(method = x$method$name, measure = x$measure, estimate = row$mean, std.error = row$se,
                       conf.low = row$lower, conf.high = row$upper, nonzero_min = min(x$measures$nonzero),
                       nonzero_max = max(x$measures$nonzero), splits = length(x$splits),
                       nobs = attr(x$splits, "n")))
}

#' @rdname nested_zeronorm
#' @export
plot.zeronorm_nested <- function(x, measure = NULL, ...) {
  check_result(x, "x")
  measure <- check_choice(if (is.null(measure)) x$measure else measure, "measure", x$summary$measure)
  value <- x$contributions[[measure]]
  row <- x$summary[x$summary$measure == measure, ]
  sizes <- x$measures$nonzero
  reach <- range(value, row$lower, row$upper, na.rm = TRUE)
  with_margins(mar = c(4.5, label_lines(reach) + 2, 2, 1), plot = {
    plot_with(plot, list(x = sizes, y = value, pch = 19, las = 1, ylim = reach, ylab = "",
                         col = grDevices::adjustcolor(distinct_colours(1), 0.6),
                         xlab = if (is.null(x$sets[[1]])) "support vectors chosen" else "features chosen",
                         main = x$method$label), ...)
    title(ylab = paste("held-out", measure_table()[[measure]]$label), line = label_lines(reach) + 0.5)
    abline(h = c(row$mean, row$lower, row$upper), lty = c(1, 3, 3))
  })
  invisible(data.frame(nonzero = sizes, value = value))
}

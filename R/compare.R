#' Compare cross-validated methods
#'
#' Tests whether methods differ that were judged on the same folds. The differences \eqn{d_1, ..., d_J} of
#' the loss in the folds of all repeats are not independent, since training sets overlap; the corrected
#' resampled t-test (Nadeau and Bengio 2003) takes that into account,
#' \deqn{t = \frac{\bar d}{\sqrt{(1/J + n_{test} / n_{train}) \, s^2}}}
#' with J - 1 degrees of freedom. Wilcoxon's signed rank test of the same differences, which does not, stands
#' beside it. With more than two methods p-values are corrected by Holm's method.
#'
#' @param ... results of [cv_zeronorm()] or [nested_zeronorm()] with the same folds, named; of the former the loss
#'   of the choice `s` is compared, which is optimistic: prefer [nested_zeronorm()].
#' @param measure a measure that all have; NULL: that of the first.
#' @param s the choice of results of [cv_zeronorm()].
#' @return An object of class `zeronorm_comparison`, a data frame with a row for each pair: means,
#'   difference, its corrected standard error, t, degrees of freedom, `p` (two-sided), `p_adjusted` and
#'   `p_wilcoxon`.
#' @references
#' Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* 52, 239-281.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' fold <- sample(rep(1:5, 12))
#' compare_cv(arom = cv_zeronorm(x, y, arom("l2", nonzero = c(8, 2), errors = "l2"), foldid = fold),
#'            l1 = cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), foldid = fold))
#' @export
compare_cv <- function(..., measure = NULL, s = "1se") {
  results <- list(...)
  if (length(results) == 1 && is.list(results[[1]]) && !is_cv(results[[1]])) results <- results[[1]]
  if (length(results) < 2 || !all(vapply(results, is_cv, NA))) {
    stop_zeronorm("...", "is not two or more results of cv_zeronorm() or nested_zeronorm().",
                  "Use compare_cv(a = cv1, b = cv2).")
  }
  for (result in results) if (inherits(result, "zeronorm_cv")) check_result(result, "...")
  names <- name_results(results)
  for (result in results[-1]) {
    if (!identical(result$folds, results[[1]]$folds)) {
      stop_zeronorm("...", "holds results with different folds.", "Give the same `foldid` to all.")
    }
  }
  if (is.null(measure)) measure <- results[[1]]$measure
  values <- vapply(results, fold_losses, numeric(nrow(fold_sizes(results[[1]]))), measure = measure, s = s)
  sizes <- fold_sizes(results[[1]])
  pairs <- utils::combn(length(results), 2)
  rows <- apply(pairs, 2, function(pair) {
    compare_pair(values[, pair[1]], values[, pair[2]], sizes, names[pair])
  })
  table <- do.call(rbind, rows)
  table$p_adjusted <- stats::p.adjust(table$p, "holm")
  structure(table, class = c("zeronorm_comparison", "data.frame"), measure = measure,
            nested = all(vapply(results, inherits, NA, "zeronorm_nested")))
}

is_cv <- function(result) inherits(result, c("zeronorm_cv", "zeronorm_nested"))

name_results <- function(results) {
  names <- names(results)
  if (is.null(names)) names <- character(length(results))
  labels <- vapply(results,
                   function(result) format(if (is.null(result$fit)) result$method else result$fit$method), "")
  make.unique(ifelse(nzchar(names), names, labels))
}

# Of training and test part, for each fold of each repeat.
fold_sizes <- function(result) {
  sizes <- lapply(seq_len(ncol(result$folds)), function(run) {
    tabulate(result$folds[, run], max(result$folds[, run]))
  })
  data.frame(run = rep(seq_along(sizes), lengths(sizes)), fold = sequence(lengths(sizes)),
             test = unlist(sizes),
             train = nrow(result$folds) - unlist(sizes))
}

# In the order of fold_sizes(); NA where a fold failed.
fold_losses <- function(result, measure, s) {
  rows <- result$measures
  if (!measure %in% names(rows)) stop_zeronorm("measure", paste0("is \"", measure, "\", which not all results have."))
  if (inherits(result, "zeronorm_cv")) {
    rows <- rows[rows$solution == result$best[[check_choice(s, "s", names(result$best))]], ]
  }
  sizes <- fold_sizes(result)
  rows[[measure]][match(paste(sizes$run, sizes$fold), paste(rows$run, rows$fold))]
}

compare_pair <- function(a, b, sizes, names) {
  known <- !is.na(a) & !is.na(b)
  d <- (a - b)[known]
  count <- length(d)
  se <- sqrt((1 / count + mean(sizes$test[known] / sizes$train[known])) * stats::var(d))
  t <- if (all(d == 0)) 0 else mean(d) / se
  data.frame(first = names[1], second = names[2], mean_first = mean(a[known]), mean_second = mean(b[known]),
             difference = mean(d), se = se, t = t, df = count - 1, p = 2 * stats::pt(-abs(t), count - 1),
             p_wilcoxon = signed_rank(d))
}

signed_rank <- function(d) if (all(d == 0)) 1 else suppressWarnings(stats::wilcox.test(d)$p.value)

#' @export
print.zeronorm_comparison <- function(x, digits = 3, ...) {
  cat("<zeronorm_comparison> ", measure_table()[[attr(x, "measure")]]$label,
      ", corrected resampled t-test and Wilcoxon's signed rank test\n", sep = "")
  print(as.data.frame(unclass(x))[names(x)], digits = digits, row.names = FALSE)
  if (!attr(x,
            "nested")) writeLines(indented("losses of chosen solutions are optimistic: prefer nested_zeronorm()"))
  invisible(x)
}

#' Permutation test of a whole procedure
#'
#' Runs [cv_zeronorm()] on the data and on the data with permuted labels, selection and choice of the solution
#' included. The p-value is \eqn{(1 + \#\{permuted \le observed\}) / (1 + permutations)} for the loss of the
#' chosen solution (of the AUC \eqn{\ge}).
#'
#' @inheritParams cv_zeronorm
#' @param ... further arguments of [zeronorm()].
#' @param permutations number of permutations; labels are permuted among blocks as wholes where `block` is
#'   given.
#' @param s the choice whose loss is compared, `"min"` or `"1se"`.
#' @return An object of class `zeronorm_permutation`: `$observed`, `$permuted`, `$p`.
#' @references
#' Ojala, M. and Garriga, G. C. (2010). Permutation tests for studying classifier performance. *JMLR* 11,
#' 1833-1863.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 30), 40)
#' y <- factor(x[, 1] + rnorm(40) / 2 > 0)
#' permutation_test(x, y, arom("l2", nonzero = 2, errors = "l2"), permutations = 19, folds = 5)
#' @export
permutation_test <- function(x, y, method = arom("l2", nonzero = "path", errors = "l2"), permutations = 100,
                             folds = 10, repeats = 1, block = NULL, measure = NULL, s = "min", weights = NULL,
                             checkpoint = NULL, BPPARAM = NULL, ...) {
  data <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, data$labels$task)
  s <- check_choice(s, "s", c("min", "1se"))
  permutations <- check_count(permutations, "permutations")
  tasks <- lapply(0:permutations, function(k) list(run = k, fold = 1L))
  tasks <- open_checkpoint(checkpoint, what_is_run("permutation", data, folds, repeats, measure, s),
                           draw_streams(tasks))
  work <- function(task) {
    if (task$run > 0) data <- permute_labels(data)
    cv <- cross_validate(data, fold_columns(data, folds, repeats, NULL), measure)
    cv$summary$mean[cv$best[[s]]]
  }
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "permutations")
  if (is.null(results[[1]])) stop_zeronorm("method", "failed on the data as they are.")
  permuted <- unlist(results[-1])
  observed <- results[[1]]
  better <- if (measure_table()[[measure]]$larger) permuted >= observed else permuted <= observed
  structure(class = "zeronorm_permutation", list(
    method = data$method, measure = measure, s = s, observed = observed, permuted = permuted,
    p = (1 + sum(better)) / (1 + length(permuted))
  ))
}

# Labels change places; with blocks only between blocks of the same size.
permute_labels <- function(data) {
  n <- observations(data)
  to <- sample.int(n)
  if (!is.null(data$block)) {
    rows <- split(seq_len(n), data$block)
    to <- integer(n)
    for (same in split(rows, lengths(rows))) {
      shuffled <- same[sample.int(length(same))]
      for (k in seq_along(same)) to[same[[k]]] <- shuffled[[k]]
    }
  }
  moved <- take_rows(data, to)
  moved$x <- data$x
  moved[c("weights", "block")] <- data[c("weights", "block")]
  moved
}

#' @export
print.zeronorm_permutation <- function(x, digits = 3, ...) {
  label <- measure_table()[[x$measure]]$label
  writeLines(c(strwrap(paste0("<zeronorm_permutation> ", x$method$label, ": ", format(x$method)), 80,
                       exdent = 4),
               indented("cross-validated ", label, " ", format(x$observed, digits = digits),
                        "; with permuted labels mean ",
                        format(mean(x$permuted), digits = digits), ", from ", format(min(x$permuted),
                                                                                     digits = digits),
                        " to ", format(max(x$permuted), digits = digits)),
               indented("p = ", format(x$p, digits = digits), " (", length(x$permuted), " permutations)")))
  invisible(x)
}

#' Learning curve
#'
#' The loss on observations held out against the number of observations in training: whether more patients
#' would help.
#'
#' @inheritParams cv_zeronorm
#' @param ... further arguments of [zeronorm()].
#' @param sizes numbers of observations in training, or shares below 1 of what is not held out.
#' @param s which solution of a path is judged: it is chosen by a cross-validation inside the training part
#'   (`"min"` or `"1se"`); a method with one solution needs no choice.
#' @return An object of class `zeronorm_curve`: `$measures` and `$summary`, a row for each size.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80 * 30), 80)
#' y <- factor(x[, 1] - x[, 2] + rnorm(80) / 2 > 0)
#' method <- arom("l2", nonzero = 2, errors = "l2")
#' curve <- learning_curve(x, y, method, sizes = c(20, 40, 60), folds = 4)
#' curve
#' plot(curve)
#' @export
learning_curve <- function(x, y, method = arom("l2", nonzero = 20, errors = "l2"),
                           sizes = c(0.25, 0.5, 0.75, 1),
                           folds = 10, repeats = 1, block = NULL, measure = NULL, s = "1se", weights = NULL,
                           checkpoint = NULL, BPPARAM = NULL, ...) {
  data <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, data$labels$task)
  s <- check_choice(s, "s", c("min", "1se"))
  sizes <- check_numbers(sizes, "sizes", open_lower = TRUE)
  whole <- draw_streams(fold_tasks(fold_columns(data, folds, repeats, NULL)))
  tasks <- do.call(c, lapply(whole, function(task) smaller_tasks(task, sizes, data$labels$class)))
  tasks <- open_checkpoint(checkpoint, what_is_run("curve", data, sizes, s), tasks)
  work <- function(task) judge_size(data, task, measure, s)
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM))
  rows <- lapply(which(lengths(results) > 0), function(k) {
    data.frame(run = tasks[[k]]$run, fold = tasks[[k]]$whole, part = tasks[[k]]$part,
               train = length(tasks[[k]]$train), size = length(tasks[[k]]$test), t(results[[k]]))
  })
  measures <- do.call(rbind, rows)
  summary <- lapply(split(measures, measures$part), function(part) {
    data.frame(train = mean(part$train), fold_mean(part[[measure]], part$size, max(measures$fold)))
  })
  structure(class = "zeronorm_curve", list(
    method = data$method, measure = measure, measures = measures, summary = do.call(rbind, unname(summary))
  ))
}

# Nested parts of the training rows, every class in its proportion.
smaller_tasks <- function(task, sizes, class) {
  shuffled <- on_stream(task$stream, task$train[sample.int(length(task$train))])
  # Every class spread evenly over the order.
  place <- stats::ave(seq_along(shuffled), class[shuffled],
                      FUN = function(k) (seq_along(k) - 0.5) / length(k))
  order <- shuffled[order(place)]
  wanted <- ifelse(sizes < 1 | (sizes == 1 & max(sizes) == 1), round(sizes * length(order)), sizes)
  if (any(wanted > length(order)) || any(wanted < 2)) {
    stop_zeronorm("sizes", paste0("asks for ", wanted[wanted > length(order) | wanted < 2][1],
                                  " observations in training."),
                  paste0("Use 2 to ", length(order), ", or fewer folds."))
  }
  lapply(seq_along(wanted), function(k) {
    list(run = task$run, fold = paste0(task$fold, "-", k), whole = task$fold, part = k,
         train = sort(order[seq_len(wanted[k])]), test = task$test, stream = task$stream)
  })
}

judge_size <- function(data, task, measure, s) {
  train <- take_rows(data, task$train)
  fit <- fit_request(train)
  chosen <- 1
  calibration <- NULL
  if (nrow(fit$certificate) > 1) {
    cv <- cross_validate(train, fold_columns(train, min(10, most_folds(train)), 1, NULL), measure)
    chosen <- cv$best[[s]]
    calibration <- cv$fit$calibration[[chosen]]
  }
  here <- take_rows(data, task$test)$labels
  link <- unname(decision_values(fit, held_out_data(data, task$test, task$train), chosen))
  names <- setdiff(measures_for(here$task), if (is.null(calibration)) "logloss")
  vapply(names, measure_value, 0, f = link, labels = here, calibration = calibration)
}

#' @export
print.zeronorm_curve <- function(x, digits = 3, ...) {
  writeLines(strwrap(paste0("<zeronorm_curve> ", x$method$label, ": ", format(x$method), ", ",
                            measure_table()[[x$measure]]$label), 80, exdent = 4))
  print(x$summary, digits = digits, row.names = FALSE)
  invisible(x)
}

#' @rdname learning_curve
#' @export
plot.zeronorm_curve <- function(x, ...) {
  table <- x$summary
  bar <- ifelse(is.na(table$se), 0, table$se)
  limits <- range(table$mean - bar, table$mean + bar)
  with_margins(mar = c(4.5, label_lines(limits) + 2, 2, 1), plot = {
    plot_with(plot, list(x = table$train, y = table$mean, type = "b", pch = 19, las = 1, ylim = limits,
                         ylab = "",
                         xlab = "observations in training", main = x$method$label), ...)
    title(ylab = paste("held-out", measure_table()[[x$measure]]$label), line = label_lines(limits) + 0.5)
    segments(table$train, table$mean - bar, table$train, table$mean + bar)
  })
  invisible(table)
}

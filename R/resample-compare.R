#' Compare cross-validated methods
#'
#' Tests whether methods differ that were judged on the same splits. The differences \eqn{d_1, ..., d_J} of
#' the measure in all splits (of what they contribute to it, see [zeronorm_measures]) are not independent,
#' since training sets overlap; the corrected resampled t-test (Nadeau and Bengio 2003) takes that into
#' account,
#' \deqn{t = \frac{\bar d}{\sqrt{(1/J + n_{test} / n_{train}) \, s^2}}}
#' with J - 1 degrees of freedom. Wilcoxon's signed rank test of the same differences, which does not, stands
#' beside it. With more than two methods p-values are corrected by Holm's method.
#'
#' @param ... results of [cv_zeronorm()] or [nested_zeronorm()] with the same splits, named; of the former the
#'   measure of the choice `s` is compared, which is optimistic: prefer [nested_zeronorm()].
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
  for (result in results) check_result(result, "...")
  names <- name_results(results)
  for (result in results[-1]) {
    if (!identical(bare_splits(result), bare_splits(results[[1]]))) {
      stop_zeronorm("...", "holds results with different splits.",
                    "Give the same `foldid` to all, such as foldid = a$splits.")
    }
  }
  if (is.null(measure)) measure <- results[[1]]$measure
  check_same_function(results, measure)
  sizes <- split_sizes(results[[1]]$splits)
  values <- vapply(results, split_values, numeric(nrow(sizes)), sizes = sizes, measure = measure, s = s)
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

# Rows alone, however the splits were asked for.
bare_splits <- function(result) {
  lapply(unclass(result$splits)[seq_along(result$splits)], function(task) {
    lapply(task[c("run", "fold", "train", "test")], as.integer)
  })
}

check_same_function <- function(results, measure) {
  if (!identical(measure, "custom")) return(invisible())
  prints <- vapply(results, function(result) fingerprint(result$own), "")
  if (length(unique(prints)) > 1) {
    stop_zeronorm("measure", "is \"custom\", but the results have different functions.",
                  "Give the same function to all.")
  }
}

name_results <- function(results) {
  names <- names(results)
  if (is.null(names)) names <- character(length(results))
  labels <- vapply(results,
                   function(result) format(if (is.null(result$fit)) result$method else result$fit$method), "")
  make.unique(ifelse(nzchar(names), names, labels))
}

# Sizes of test and training part of each split; observations that are drawn more than once count once.
split_sizes <- function(splits) {
  data.frame(run = vapply(splits, function(task) as.integer(task$run), 0L),
             fold = vapply(splits, function(task) as.integer(task$fold), 0L),
             test = lengths(lapply(splits, `[[`, "test")),
             train = vapply(splits, function(task) length(unique(task$train)), 0L))
}

# What each split contributes to the measure, in the order of `sizes`; NA where it failed.
split_values <- function(result, sizes, measure, s) {
  rows <- result$contributions
  if (!measure %in% names(rows)[-(1:3)]) {
    stop_zeronorm("measure", paste0("is \"", measure, "\", which not all results have."),
                  "Give it to cv_zeronorm() or nested_zeronorm().")
  }
  if (inherits(result, "zeronorm_cv")) {
    rows <- rows[rows$solution == result$best[[check_choice(s, "s", names(result$best))]], ]
  }
  rows[[measure]][match(paste(sizes$run, sizes$fold), paste(rows$run, rows$fold))]
}

compare_pair <- function(a, b, sizes, names) {
  known <- which(!is.na(a) & !is.na(b))
  d <- (a - b)[known]
  test <- sizes$test[known]
  se <- corrected_error(d, sizes[known, ])
  difference <- stats::weighted.mean(d, test)
  t <- if (all(d == 0)) 0 else difference / se
  data.frame(first = names[1], second = names[2], mean_first = stats::weighted.mean(a[known], test),
             mean_second = stats::weighted.mean(b[known], test), difference = difference, se = se, t = t,
             df = length(d) - 1, p = 2 * stats::pt(-abs(t), length(d) - 1), p_wilcoxon = signed_rank(d))
}

signed_rank <- function(d) if (all(d == 0)) 1 else suppressWarnings(stats::wilcox.test(d)$p.value)

#' @export
print.zeronorm_comparison <- function(x, digits = 3, ...) {
  cat("<zeronorm_comparison> ", measure_table()[[attr(x, "measure")]]$label,
      ", corrected resampled t-test and Wilcoxon's signed rank test\n", sep = "")
  print(as.data.frame(unclass(x))[names(x)], digits = digits, row.names = FALSE)
  if (!attr(x, "nested")) {
    writeLines(indented("the measure of a solution that was chosen by it is optimistic: prefer ",
                        "nested_zeronorm()"))
  }
  invisible(x)
}

#' Permutation test of a whole procedure
#'
#' Asks whether the labels have anything to do with the features, as far as a method can tell: runs
#' [cv_zeronorm()] on the data and on the data with permuted labels, selection and choice of the solution
#' included. The p-value is \eqn{(1 + \#\{permuted \le observed\}) / (1 + permutations)} for the measure of
#' the chosen solution (of measures that are maximised \eqn{\ge}).
#'
#' @section Blocks:
#' With `block`, labels are permuted between blocks. Where all observations of a block have
#' the same label, as samples of one patient have, the labels of the blocks are permuted, whatever their
#' sizes. Otherwise whole blocks of the same size exchange their labels. Where no permutation changes anything
#' (all blocks differ in size), the test is refused.
#'
#' @inheritParams cv_zeronorm
#' @param x,y data, as in [zeronorm()]; `x` of `plot()` is the result.
#' @param foldid the splits themselves, as in [cv_zeronorm()]. They go with the labels when these are
#'   permuted, so that the test is valid for folds that are stratified by class. Left out, folds are drawn for
#'   every permutation.
#' @param ... further arguments of [zeronorm()]; of `plot()` passed to [graphics::hist()].
#' @param permutations number of permutations.
#' @param s the choice whose measure is compared, `"min"` or `"1se"`.
#' @return An object of class `zeronorm_permutation`: `$observed`, `$permuted`, `$p`.
#' @references
#' Ojala, M. and Garriga, G. C. (2010). Permutation tests for studying classifier performance. *JMLR* 11,
#' 1833-1863.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 30), 40)
#' y <- factor(x[, 1] + rnorm(40) / 2 > 0)
#' test <- permutation_test(x, y, arom("l2", nonzero = 2, errors = "l2"), permutations = 19, folds = 5)
#' test
#' plot(test)
#' @export
permutation_test <- function(x, ...) {
  if (missing(x)) without_x(permutation_test.formula, ...) else UseMethod("permutation_test")
}

#' @rdname permutation_test
#' @export
permutation_test.default <- function(x, y, method = default_method(),
                                     permutations = 100, folds = 10, repeats = 1, foldid = NULL, block = NULL,
                                     measure = NULL, s = "min", weights = NULL, checkpoint = NULL,
                                     BPPARAM = NULL, ...) {
  request <- new_request(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  s <- check_choice(s, "s", c("min", "1se"))
  permutations <- check_count(permutations, "permutations")
  check_permutable(request)
  # Wrong arguments are an error here, not in every permutation.
  given <- on_stream(c(10407L, 1:6), make_splits(request, folds, repeats, foldid))
  if (is.null(foldid)) given <- NULL
  tasks <- lapply(0:permutations, function(k) list(run = k, fold = 1L))
  tasks <- open_checkpoint(
    checkpoint,
    what_is_run("permutation_test", request, permutations = permutations, folds = folds, repeats = repeats,
                foldid = bare_splits(list(splits = given)), measure = measure, s = s),
    draw_streams(tasks)
  )
  work <- function(task) {
    moved <- if (task$run > 0) permute_labels(request, given) else list(request = request, splits = given)
    splits <- if (is.null(given)) make_splits(moved$request, folds, repeats) else moved$splits
    cv <- cross_validate(moved$request, splits, measure)
    cv$summary$mean[cv$best[[s]]]
  }
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "permutations")
  if (is.null(results[[1]])) stop_zeronorm("method", "failed on the data as they are.")
  permuted <- unlist(results[-1])
  if (!length(permuted)) {
    stop_zeronorm("method", "failed with all permuted labels, which leaves nothing to compare with.",
                  "Permuted classes are rarely separable: use a method without a hard margin.")
  }
  observed <- results[[1]]
  better <- if (measure$larger) permuted >= observed else permuted <= observed
  structure(class = "zeronorm_permutation", list(
    method = request$method, measure = measure$name, s = s, observed = observed, permuted = permuted,
    p = (1 + sum(better)) / (1 + length(permuted))
  ))
}

#' @rdname permutation_test
#' @export
permutation_test.formula <- function(x, data = NULL, method = default_method(),
                                     ...) {
  permutation_test.default(formula_source(x, data), method = method, ...)
}

# For each observation the one whose labels it gets.
draw_exchange <- function(request) {
  n <- observations(request)
  if (is.null(request$block)) return(sample.int(n))
  rows <- unname(split(seq_len(n), request$block))
  from <- integer(n)
  for (group in exchangeable_blocks(block_labels(request))) {
    partner <- group[sample.int(length(group))]
    for (k in seq_along(group)) {
      own <- rows[[group[k]]]
      from[own] <- rep_len(rows[[partner[k]]], length(own))
    }
  }
  from
}

# Groups of blocks that may exchange their labels: all, where each block has one label, else those of the same
# size.  `labels`: what block_labels() gives.
exchangeable_blocks <- function(labels) {
  if (have_one_label(labels)) list(seq_along(labels)) else unname(split(seq_along(labels), lengths(labels)))
}

have_one_label <- function(labels) all(vapply(labels, function(values) length(unique(values)) == 1, NA))

# The labels of each block as text.
block_labels <- function(request) {
  y <- request$labels$y
  text <- if (is.matrix(y)) apply(y, 1, paste, collapse = " ") else sprintf("%.17g", y)
  unname(split(text, request$block))
}

check_permutable <- function(request) {
  if (is.null(request$block)) return(invisible())
  labels <- block_labels(request)
  patterns <- if (have_one_label(labels)) vapply(labels, `[`, "", 1) else vapply(labels, paste, "", collapse = ", ")
  # The logarithm of the number of arrangements that differ.
  arrangements <- sum(vapply(exchangeable_blocks(labels), function(group) {
    lfactorial(length(group)) - sum(lfactorial(table(patterns[group])))
  }, 0))
  if (arrangements < log(1.5)) {
    stop_zeronorm("block", "leaves nothing to permute: no two blocks of the same size have different labels.",
                  "Give blocks of equal sizes, or blocks whose observations have the same label.")
  }
  count <- round(exp(arrangements))
  if (count < 20) {
    inform("zeronorm: labels of whole blocks can be arranged in ", count,
           " ways only; p cannot be expected below ", format(1 / count, digits = 2), ".")
  }
}

# The request with exchanged labels, and splits that go with the labels.
permute_labels <- function(request, splits = NULL) {
  from <- draw_exchange(request)
  n <- length(from)
  splits <- lapply(splits, function(task) {
    times <- tabulate(task$train, n)[from]
    list(run = task$run, fold = task$fold, train = rep(seq_len(n), times), test = which(from %in% task$test))
  })
  request$labels <- take_labels(request$labels, from)
  list(request = request, splits = if (length(splits)) new_splits(splits, request, "foldid", "foldid"))
}

#' @export
print.zeronorm_permutation <- function(x, digits = 3, ...) {
  label <- measure_table()[[x$measure]]$label
  writeLines(c(header_lines("zeronorm_permutation", x$method),
               indented("cross-validated ", label, " ", format(x$observed, digits = digits),
                        "; with permuted labels mean ",
                        format(mean(x$permuted), digits = digits), ", from ", format(min(x$permuted),
                                                                                     digits = digits),
                        " to ", format(max(x$permuted), digits = digits)),
               indented("p = ", format(x$p, digits = digits), " (", length(x$permuted), " permutations)")))
  invisible(x)
}

#' @rdname permutation_test
#' @export
plot.zeronorm_permutation <- function(x, ...) {
  label <- measure_table()[[x$measure]]$label
  with_margins(mar = c(4.5, 4.5, 3, 1), plot = {
    plot_with(hist, list(x = x$permuted, breaks = 15, xlim = range(x$permuted, x$observed), col = "grey85",
                         border = "white", las = 1, main = paste("p =", format(x$p, digits = 3)),
                         xlab = paste0("cross-validated ", label, " with permuted labels")), ...)
    abline(v = x$observed, col = distinct_colours(1), lwd = 3)
  })
  invisible(x$permuted)
}

#' Learning curve
#'
#' Shows the measure on observations held out against the number of observations in training: whether more
#' patients would help.
#'
#' @inheritParams cv_zeronorm
#' @param x,y data, as in [zeronorm()]; `x` of `plot()` is the result.
#' @param method a method object; NULL: [arom()] with 20 features, or with all of them where there are fewer.
#' @param ... further arguments of [zeronorm()]; of `plot()` passed to [graphics::plot()].
#' @param sizes numbers of observations in training, or shares below 1 of what is not held out.
#' @param s which solution of a path is judged: it is chosen by a cross-validation inside the training part
#'   (`"min"` or `"1se"`); a method with one solution needs no choice. For measures of probabilities that
#'   cross-validation also calibrates.
#' @return An object of class `zeronorm_curve`: `$summary`, a row for each size with mean and standard error;
#'   `$measures` and `$contributions`, as in [cv_zeronorm()].
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80 * 30), 80)
#' y <- factor(x[, 1] - x[, 2] + rnorm(80) / 2 > 0)
#' method <- arom("l2", nonzero = 2, errors = "l2")
#' curve <- learning_curve(x, y, method, sizes = c(20, 40, 60), folds = 4)
#' curve
#' plot(curve)
#' @export
learning_curve <- function(x, ...) {
  if (missing(x)) without_x(learning_curve.formula, ...) else UseMethod("learning_curve")
}

#' @rdname learning_curve
#' @export
learning_curve.default <- function(x, y, method = NULL, sizes = c(0.25, 0.5, 0.75, 1), folds = 10,
                                   repeats = 1, foldid = NULL, block = NULL, measure = NULL, s = "1se",
                                   weights = NULL, checkpoint = NULL, BPPARAM = NULL, ...) {
  request <- request_or_default(x, y, method, weights = weights, block = block, ...)
  measure <- check_measure(measure, request$labels$task)
  s <- check_choice(s, "s", c("min", "1se"))
  sizes <- check_numbers(sizes, "sizes", open_lower = TRUE)
  whole <- draw_streams(make_splits(request, folds, repeats, foldid))
  tasks <- do.call(c, lapply(whole, function(task) smaller_tasks(task, sizes, request$labels$class)))
  tasks <- open_checkpoint(
    checkpoint,
    what_is_run("learning_curve", request, measure = measure, sizes = sizes, folds = folds,
                repeats = repeats, s = s),
    tasks
  )
  work <- function(task) judge_size(request, task, measure, s)
  results <- values_of(run_tasks(tasks, work, checkpoint, BPPARAM))
  new_curve(request, tasks, results, measure)
}

#' @rdname learning_curve
#' @export
learning_curve.formula <- function(x, data = NULL, method = NULL, ...) {
  learning_curve.default(formula_source(x, data), method = method, ...)
}

# Every size is evaluated by itself.
new_curve <- function(request, tasks, results, measure) {
  labels <- request$labels
  part <- vapply(tasks, `[[`, 0L, "part")
  shown <- measures_shown(labels$task, measure)
  each <- lapply(sort(unique(part)), function(k) {
    own <- which(part == k & lengths(results) > 0)
    if (!length(own)) return(NULL)
    of_size <- lapply(tasks[own], function(task) replace(task, "fold", list(task$whole)))
    found <- evaluate(of_size, results[own], labels, results[[own[1]]]$pairs, shown)
    add <- function(rows) {
      data.frame(rows[1:2], part = k, train = lengths(lapply(tasks[own], `[[`, "train")), rows[-c(1, 2, 4)])
    }
    contributions <- add(found$contributions)
    list(measures = add(found$measures), contributions = contributions,
         summary = data.frame(train = mean(contributions$train),
                              fold_mean(contributions[[measure$name]], contributions$size,
                                        observations(request))))
  })
  bound <- function(field) do.call(rbind, lapply(each, `[[`, field))
  structure(class = "zeronorm_curve", list(
    method = request$method, measure = measure$name, measures = bound("measures"),
    contributions = bound("contributions"), summary = bound("summary")
  ))
}

# The request, with arom() and at most 20 features, or a share of those that compete, where no method was
# given.
request_or_default <- function(x, y, method, ..., share = 1) {
  given <- !is.null(method)
  request <- new_request(x, y, if (given) method else arom("l2", nonzero = 20, errors = "l2"), ...)
  if (given) return(request)
  settings <- request$settings
  above <- union(check_variables(settings$unpenalized, "unpenalized", request$x), request$x$covariates)
  kept <- setdiff(check_variables(settings$keep, "keep", request$x), above)
  most <- floor(share * (ncol(request$x$x) - length(above)))
  request$method <- arom("l2", nonzero = max(1, length(kept), min(20, most)), errors = "l2")
  request
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

judge_size <- function(request, task, measure, s) {
  train <- take_rows(request, task$train)
  fit <- fit_request(train)
  chosen <- 1
  if (nrow(fit$certificate) > 1 || measure$prob) {
    cv <- cross_validate(train, inner_splits(train, 10), measure)
    fit <- cv$fit
    chosen <- cv$best[[s]]
  } else {
    fit$calibration <- list(training_scale(fit, train))
  }
  c(held_out_values(fit, chosen, request, task, measure$prob), list(pairs = fit$pairs))
}

#' @export
print.zeronorm_curve <- function(x, digits = 3, ...) {
  writeLines(header_lines("zeronorm_curve", x$method, ", ", measure_table()[[x$measure]]$label))
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

# How good predictions are: measures of predictions for observations held out, against their labels.

#' Measures of performance
#'
#' The argument `measure` of [cv_zeronorm()], [nested_zeronorm()], [permutation_test()] and [learning_curve()]
#' names what is estimated, and what a choice between solutions minimises or maximises.
#'
#' | measure | what it is | of several classes |
#' |---|---|---|
#' | `"error"` | share of wrong predictions | the same |
#' | `"balanced"` | mean of the error rates of the classes | the same |
#' | `"auc"` | area under the ROC curve | mean over pairs (Hand and Till 2001) |
#' | `"sensitivity"` | share of the second class predicted right | mean over the classes |
#' | `"specificity"` | share of the first class predicted right | mean over "not this class" |
#' | `"mcc"` | Matthews' correlation | Gorodkin's correlation (2004) |
#' | `"logloss"` | mean of -log P(true class) | the same |
#' | `"brier"` | mean of (P(second class) - truth) squared | summed over the classes |
#' | `"mse"` | mean squared error of a regression | |
#' | `"mae"` | mean absolute error of a regression | |
#'
#' For a matrix of labels there are the error (an observation is wrong where any of its labels is), the log
#' loss and the Brier score (both summed over the labels).
#'
#' AUC, sensitivity, specificity and Matthews' correlation are maximised, the others minimised.
#'
#' @section Means over observations, and others:
#' The error, the log loss, the Brier score and the errors of
#' regression are means over observations, so that each fold has a value and the folds are averaged. The other
#' measures are not: a fold may lack a class, and the mean over folds of a ratio is not the ratio. They are
#' computed from all observations that were held out in one repeat (with Monte Carlo splits: in one split),
#' and averaged over repeats. A constant classifier therefore has a balanced error and an AUC of one half,
#' whatever the folds, leave-one-out included.
#'
#' For the standard error each fold contributes its jackknife value, \eqn{K \theta - (K - 1) \theta_{(-k)}}
#' with the measure \eqn{\theta} of all folds and \eqn{\theta_{(-k)}} of all but fold k, for unequal folds
#' with weights (Busing, Meijer and van der Leeden 1999). For a mean over observations that is the value of
#' the fold itself. The contributions average to the measure. Of a correlation or a ratio that is a linear
#' approximation, good where each class has ten or more observations.
#'
#' For the AUC, decision values of different folds are compared with each other: they are centred and
#' divided by a scale of the training decision values of their fold, as for [calibrate_zeronorm()].
#'
#' @section A measure of your own:
#' A function with the arguments `truth` and `prediction` that returns one
#' number. For classes both are factors with all levels, in regression both are numbers, for labels both are
#' 0/1 matrices. If the function has an argument `link`, it also gets the decision values; if it has an
#' argument `prob`, the probabilities that `predict(type = "prob")` gives. The function is called with the
#' observations held out in one repeat, and without each fold in turn for the standard error. Smaller is
#' better, unless the attribute `direction` of the function is `"maximize"`, as it is for metrics of package
#' yardstick.
#'
#' @references Hand, D. J. and Till, R. J. (2001). A simple generalisation of the area under the ROC curve for
#' multiple class classification problems. *Machine Learning* 45, 171-186.
#'
#' Gorodkin, J. (2004). Comparing two K-category assignments by a K-category correlation coefficient.
#' *Computational Biology and Chemistry* 28, 367-374.
#'
#' Busing, F. M. T. A., Meijer, E. and van der Leeden, R. (1999). Delete-m jackknife for unequal m.
#' *Statistics and Computing* 9, 3-8.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' cv_zeronorm(x, y, l1_svm(C = c(0.05, 0.2, 1)), folds = 5, measure = "auc")
#'
#' # A missed case of the second class costs five times as much as a false alarm.
#' cost <- function(truth, prediction) {
#'   mean(ifelse(truth == "TRUE", 5, 1) * (prediction != truth))
#' }
#' cv_zeronorm(x, y, l1_svm(C = c(0.05, 0.2, 1)), folds = 5, measure = cost)
#'
#' kappa <- structure(function(truth, prediction) {
#'   p <- table(truth, prediction) / length(truth)
#'   chance <- sum(rowSums(p) * colSums(p))
#'   (sum(diag(p)) - chance) / (1 - chance)
#' }, direction = "maximize")
#' cv_zeronorm(x, y, l1_svm(C = c(0.05, 0.2, 1)), folds = 5, measure = kappa)
#' @name zeronorm_measures
NULL

# Each measure is a list:
#   label, larger (whether more is better), tasks, range
#   prob   whether it needs probabilities
# and one of
#   loss   function(held): one number for each observation, whose mean is the measure
#   counts function(counts): the measure of each column of confusion counts, as count_confusions() gives them
#   area   TRUE for the area under the ROC curve
#   own    the function of a user
measure_table <- function() {
  classes <- c("two-class", "k-class")
  all <- c(classes, "multi-label")
  list(
    error = new_measure("error", all, loss = wrong_predictions),
    balanced = new_measure("balanced error", classes, counts = function(n) 1 - colMeans(recalls(n))),
    auc = new_measure("AUC", classes, larger = TRUE, area = TRUE),
    sensitivity = new_measure("sensitivity", classes, larger = TRUE, counts = sensitivity_of),
    specificity = new_measure("specificity", classes, larger = TRUE, counts = specificity_of),
    mcc = new_measure("Matthews' correlation", classes, larger = TRUE, range = c(-1, 1),
                      counts = correlation_of),
    logloss = new_measure("log loss", all, range = c(0, Inf), prob = TRUE, loss = log_losses),
    brier = new_measure("Brier score", all, range = c(0, Inf), prob = TRUE, loss = brier_losses),
    mse = new_measure("mean squared error", "regression", range = c(0, Inf),
                      loss = function(held) (held$f - held$y)^2),
    mae = new_measure("mean absolute error", "regression", range = c(0, Inf),
                      loss = function(held) abs(held$f - held$y)),
    custom = new_measure("custom measure", c(all, "regression"), range = c(-Inf, Inf))
  )
}

new_measure <- function(label, tasks, larger = FALSE, range = c(0, 1), prob = FALSE, ...) {
  list(label = label, tasks = tasks, larger = larger, range = range, prob = prob, ...)
}

measures_for <- function(task) {
  setdiff(names(Filter(function(m) task %in% m$tasks, measure_table())), "custom")
}

# What a user asks for -> a measure with its `name`.
check_measure <- function(measure, task) {
  known <- measures_for(task)
  if (is.function(measure)) return(own_measure(measure))
  name <- if (is.null(measure)) known[1] else check_choice(measure, "measure", known)
  c(measure_table()[[name]], name = name)
}

own_measure <- function(f) {
  arguments <- names(formals(args(f)))
  if (!all(c("truth", "prediction") %in% arguments) && !"..." %in% arguments && length(arguments) < 2) {
    stop_zeronorm("measure", "is a function without the arguments `truth` and `prediction`.",
                  "Use function(truth, prediction) mean(truth != prediction), for example.")
  }
  direction <- attr(f, "direction")
  if (is.null(direction)) direction <- "minimize"
  direction <- check_choice(direction, "measure", c("minimize", "maximize"))
  measure <- measure_table()$custom
  measure$larger <- direction == "maximize"
  measure$prob <- "prob" %in% arguments
  c(measure, name = "custom", own = f)
}

# The measures that a result has: all for the task that cost nothing, those of probabilities where there are
# any, and the one that was asked for.
measures_shown <- function(task, measure, prob = measure$prob) {
  table <- measure_table()
  shown <- Filter(function(name) prob || !table[[name]]$prob, measures_for(task))
  shown <- structure(lapply(shown, function(name) c(table[[name]], name = name)), names = shown)
  if (measure$name == "custom") c(shown, list(custom = measure)) else shown
}

# --- predictions held out ---

# The labels of some observations.
take_labels <- function(labels, rows) {
  labels$y <- if (is.matrix(labels$y)) labels$y[rows, , drop = FALSE] else labels$y[rows]
  labels$class <- labels$class[rows]
  labels
}

# What measures are computed from, for one solution and some observations: their labels, decision values `f`,
# the same on the common scale of all folds `z`, probabilities `p` or NULL, and predicted classes.
new_held <- function(labels, f, z = f, p = NULL, pairs = NULL) {
  held <- list(task = labels$task, levels = labels$levels, class = labels$class, y = as.matrix(labels$y),
               f = f, z = z, p = p, pairs = pairs)
  held$code <- switch(labels$task, "two-class" = (f[, 1] > 0) + 1L, "k-class" = predicted_code(f, pairs))
  held
}

take_held <- function(held, rows) {
  for (name in c("class", "code")) held[[name]] <- held[[name]][rows]
  for (name in c("y", "f", "z", "p")) {
    if (!is.null(held[[name]])) held[[name]] <- held[[name]][rows, , drop = FALSE]
  }
  held
}

# --- a measure of folds and of all of them ---

# list(own, parts): for each fold of a run what the measure is in it alone, NA where a class lacks, and its
# contribution to the measure of the run. `fold`: a number from 1 to `folds` for each observation.
# Observations without a decision value, of fits that failed, are left out with their folds.
score_folds <- function(measure, held, fold, folds) {
  known <- which(!is.na(held$f[, 1]))
  if (length(known) < length(fold)) {
    held <- take_held(held, known)
    fold <- fold[known]
  }
  size <- tabulate(fold, folds)
  if (!length(known)) return(list(own = rep(NA_real_, folds), parts = rep(NA_real_, folds)))
  if (!is.null(measure$loss)) {
    own <- fold_sums(as.numeric(measure$loss(held)), fold, folds) / size
    own[size == 0] <- NA
    return(list(own = own, parts = own))
  }
  value <- if (!is.null(measure$counts)) count_values(measure, held, fold, folds)
           else if (isTRUE(measure$area)) area_values(held, fold, folds)
           else own_values(measure, held, fold, folds)
  value$own[size == 0] <- NA
  list(own = value$own, parts = jackknife_parts(value$all, value$without, size))
}

fold_sums <- function(values, fold, folds) {
  sums <- numeric(folds)
  found <- rowsum(values, fold)
  sums[as.integer(rownames(found))] <- found
  sums
}

# Contributions of folds to a measure: their mean, weighted by size, is the measure.
jackknife_parts <- function(all, without, size) {
  parts <- rep(NA_real_, length(size))
  there <- which(size > 0)
  if (length(there) < 2) {
    parts[there] <- all
    return(parts)
  }
  times <- sum(size) / size[there]
  part <- times * all - (times - 1) * without[there]
  # Without such a fold the measure is not defined.
  part[is.na(part)] <- all
  parts[there] <- part - stats::weighted.mean(part, size[there]) + all
  parts
}

# --- losses ---

wrong_predictions <- function(held) {
  if (held$task == "multi-label") rowSums((held$f > 0) != (held$y > 0)) > 0 else held$code != held$class
}

log_losses <- function(held) {
  p <- pmin(pmax(held$p, 1e-15), 1 - 1e-15)
  if (held$task == "k-class") return(-log(p[cbind(seq_along(held$class), held$class)]))
  -rowSums(ifelse(held$y > 0, log(p), log1p(-p)))
}

brier_losses <- function(held) {
  truth <- if (held$task == "k-class") outer(held$class, seq_along(held$levels), "==") else held$y > 0
  rowSums((held$p - truth)^2)
}

# --- counts ---

# Confusion counts, a column for each fold: levels x levels numbers, the true class running first.
count_confusions <- function(class, code, fold, levels, folds) {
  cell <- ((fold - 1L) * levels + code - 1L) * levels + class
  matrix(tabulate(cell, levels^2 * folds), levels^2)
}

count_values <- function(measure, held, fold, folds) {
  counts <- count_confusions(held$class, held$code, fold, length(held$levels), folds)
  total <- rowSums(counts)
  values <- unname(measure$counts(cbind(counts, total - counts, total)))
  values[is.nan(values)] <- NA
  each <- seq_len(folds)
  list(own = values[each], without = values[folds + each], all = values[2 * folds + 1])
}

level_count <- function(counts) round(sqrt(nrow(counts)))

# Sums of confusion counts: right predictions, true classes, predicted classes; a row for each class.
class_sums <- function(counts) {
  k <- level_count(counts)
  ones <- matrix(1, 1, k)
  list(right = counts[(seq_len(k) - 1) * k + seq_len(k), , drop = FALSE],
       truth = kronecker(ones, diag(k)) %*% counts, predicted = kronecker(diag(k), ones) %*% counts)
}

# The share of right predictions in each class, NaN where it is absent.
recalls <- function(counts) {
  sums <- class_sums(counts)
  sums$right / sums$truth
}

sensitivity_of <- function(counts) {
  if (level_count(counts) == 2) recalls(counts)[2, ] else colMeans(recalls(counts))
}

specificity_of <- function(counts) {
  if (level_count(counts) == 2) return(recalls(counts)[1, ])
  sums <- class_sums(counts)
  others <- sweep(-sums$truth, 2, colSums(counts), "+")
  colMeans((others - sums$predicted + sums$right) / others)
}

# Gorodkin's correlation, which is Matthews' for two classes; 0 for a constant prediction.
correlation_of <- function(counts) {
  sums <- class_sums(counts)
  n <- colSums(counts)
  spread <- n^2 - colSums(sums$predicted^2)
  above <- n * colSums(sums$right) - colSums(sums$truth * sums$predicted)
  ifelse(spread == 0, 0, above / sqrt(spread)) / sqrt(n^2 - colSums(sums$truth^2))
}

# --- ranks ---

# Of several classes the mean over pairs of classes, each by the decision values of both (by that of the pair
# where there is one for each pair).
area_values <- function(held, fold, folds) {
  if (held$task == "two-class") return(area_parts(held$z[, 1], held$class == 2, fold, folds))
  pairs <- if (is.null(held$pairs)) utils::combn(length(held$levels), 2) else held$pairs
  each <- lapply(seq_len(ncol(pairs)), function(k) {
    rows <- which(held$class %in% pairs[, k])
    second <- held$class[rows] == pairs[2, k]
    if (!is.null(held$pairs)) return(list(area_parts(held$z[rows, k], second, fold[rows], folds)))
    list(area_parts(held$z[rows, pairs[2, k]], second, fold[rows], folds),
         area_parts(held$z[rows, pairs[1, k]], !second, fold[rows], folds))
  })
  each <- do.call(c, each)
  mean_of <- function(field) rowMeans(matrix(unlist(lapply(each, `[[`, field)), ncol = length(each)))
  list(own = mean_of("own"), without = mean_of("without"), all = mean_of("all"))
}

# The chance that a positive has the larger value, ties counting half: of each fold alone, without each fold,
# and of all. O(n log n).
area_parts <- function(f, positive, fold, folds) {
  above <- rank(f[positive])
  below <- rank(f[!positive])
  all <- rank(f)
  # For each positive the negatives below it, for each negative the positives above it.
  wins <- numeric(length(f))
  wins[positive] <- all[positive] - above
  wins[!positive] <- sum(positive) - (all[!positive] - below)
  count <- function(which) tabulate(fold[which], folds)
  sum_of <- function(which) fold_sums(wins[which], fold[which], folds)
  of_fold <- split(seq_along(f), factor(fold, seq_len(folds)))
  own <- vapply(of_fold, function(rows) area_under_curve(f[rows], positive[rows]), 0, USE.NAMES = FALSE)
  m <- count(positive)
  rest <- count(!positive)
  inside <- ifelse(m * rest > 0, own * m * rest, 0)
  total <- sum(wins[positive])
  without <- (total - sum_of(positive) - sum_of(!positive) + inside) / ((sum(m) - m) * (sum(rest) - rest))
  without[!is.finite(without)] <- NA
  list(own = own, without = without,
       all = if (sum(m) * sum(rest) > 0) total / (sum(m) * sum(rest)) else NA_real_)
}

# NA with one class only.
area_under_curve <- function(f, positive) {
  m <- sum(positive)
  rest <- length(f) - m
  if (m == 0 || rest == 0) return(NA_real_)
  (sum(rank(f)[positive]) - m * (m + 1) / 2) / (m * rest)
}

# --- functions of the user ---

own_values <- function(measure, held, fold, folds) {
  value_at <- function(rows) if (length(rows)) call_measure(measure$own, take_held(held, rows)) else NA_real_
  each <- lapply(seq_len(folds), function(k) which(fold == k))
  all <- value_at(seq_along(fold))
  if (folds == 1) return(list(own = all, without = NA_real_, all = all))
  list(own = vapply(each, value_at, 0), all = all,
       without = vapply(each, function(rows) value_at(setdiff(seq_along(fold), rows)), 0))
}

call_measure <- function(f, held) {
  as_levels <- function(code) factor(held$levels[code], levels = held$levels)
  given <- switch(held$task,
    regression = list(truth = held$y[, 1], prediction = held$f[, 1], link = held$f[, 1]),
    "multi-label" = {
      named <- function(values) structure(values, dimnames = list(NULL, held$levels))
      list(truth = named((held$y > 0) + 0L), prediction = named((held$f > 0) + 0L), link = named(held$f),
           prob = if (!is.null(held$p)) named(held$p))
    },
    list(truth = as_levels(held$class), prediction = as_levels(held$code),
         link = if (ncol(held$f) == 1) held$f[, 1] else held$f,
         prob = if (!is.null(held$p) && ncol(held$p) == 1) held$p[, 1] else held$p)
  )
  wanted <- intersect(c("link", "prob"), names(formals(args(f))))
  value <- do.call(f, c(unname(given[c("truth", "prediction")]), given[wanted]), quote = TRUE)
  if (is.numeric(value) && length(value) == 1) return(as.double(value))
  stop_zeronorm("measure", paste0("returned ", describe(value), "."), "Return one number.")
}

# --- all folds and solutions ---

# The measures of held-out values: list(measures, contributions), data frames with a row for each task and
# solution. `results`: for each task NULL, or a list with `link` (decision values, outputs of a solution
# beside each other), `z` (the same on a common scale) and `prob`.
evaluate <- function(tasks, results, labels, pairs, measures) {
  first <- results[[which(lengths(results) > 0)[1]]]
  outputs <- output_count(labels, pairs)
  solutions <- ncol(first$link) / outputs
  blank <- array(NA_real_, c(solutions, length(tasks), length(measures)))
  own <- parts <- blank
  run <- vapply(tasks, function(task) as.integer(task$run), 0L)
  for (of_run in split(seq_along(tasks), run)) {
    done <- of_run[lengths(results[of_run]) > 0]
    if (!length(done)) next
    rows <- unlist(lapply(tasks[done], `[[`, "test"))
    fold <- rep(match(done, of_run), lengths(lapply(tasks[done], `[[`, "test")))
    bound <- function(field) do.call(rbind, lapply(results[done], `[[`, field))
    here <- take_labels(labels, rows)
    link <- bound("link")
    z <- bound("z")
    prob <- bound("prob")
    classes <- ncol(prob) / solutions
    for (s in seq_len(solutions)) {
      columns <- (s - 1) * outputs + seq_len(outputs)
      held <- new_held(here, link[, columns, drop = FALSE], z[, columns, drop = FALSE],
                       if (!is.null(prob)) prob[, (s - 1) * classes + seq_len(classes), drop = FALSE], pairs)
      for (m in seq_along(measures)) {
        found <- score_folds(measures[[m]], held, fold, length(of_run))
        own[s, of_run, m] <- found$own
        parts[s, of_run, m] <- found$parts
      }
    }
  }
  head <- data.frame(run = rep(run, each = solutions),
                     fold = rep(vapply(tasks, function(task) as.integer(task$fold), 0L), each = solutions),
                     size = rep(lengths(lapply(tasks, `[[`, "test")), each = solutions),
                     solution = rep(seq_len(solutions), length(tasks)))
  with_names <- function(values) {
    data.frame(head, structure(as.data.frame(matrix(values, nrow(head))), names = names(measures)))
  }
  list(measures = with_names(own), contributions = with_names(parts))
}

output_count <- function(labels, pairs) if (is.null(pairs)) ncol(as.matrix(labels$y)) else ncol(pairs)

# Mean and standard error over folds where the value is known. Test sets of share s of the observations cover
# them all 1 / s times, and cover them again in further repeats, which share their data: so the standard
# deviation over folds is multiplied by the root of the mean share, which is 1 / sqrt(K) for K folds however
# often repeated.
fold_mean <- function(value, size, n) {
  known <- !is.na(value)
  data.frame(mean = stats::weighted.mean(value[known], size[known]),
             se = stats::sd(value[known]) * sqrt(mean(size[known]) / n), folds = sum(known))
}

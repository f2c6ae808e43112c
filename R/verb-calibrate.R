#' Calibrated probabilities
#'
#' Makes `predict(type = "prob")` work on a fit: decision values of observations that were held out, in a
#' cross-validation with the method and all arguments of the fit and with selection inside every fold, show
#' which decision values go with which class. Results of [cv_zeronorm()] are calibrated already.
#'
#' Fits to different folds have decision values on different scales: a fit that barely separates its training
#' data with few features has weights, and decision values, that are many times larger than those of its
#' neighbours. Therefore the decision values of every fit are brought to a common scale first: *z* is the
#' decision value minus the middle of the means of both classes, divided by the standard deviation, both in
#' the training data of that fit. Then
#' \deqn{P(y = 1 \mid z) = \frac{1}{1 + e^{-(a \, \mathrm{asinh}(z) + b)}}}
#' with \eqn{a \ge 0} and b by maximum likelihood on the values held out, with the targets of Platt (2000),
#' which count one more observation of each class. asinh(z) is z near 0 and grows like a logarithm, so that
#' single large values do not flatten the curve. The slope a is then multiplied by \eqn{(L - 1) / L}, where L
#' is the likelihood ratio statistic of the curve against a constant, or set to 0 where L is below 1 (the
#' heuristic shrinkage of van Houwelingen and le Cessie 1990): where the method predicts no better than
#' chance, the probabilities are the shares of the classes. bench/calibration.md in the sources compares this
#' with other calibrations, with the probabilities of a lasso and with the base rate.
#'
#' Of several classes the probabilities of the classes are normalised to sum to one. Of methods that train a
#' classifier for each pair of classes (`multiclass = "ovo"`) every pair has its own curve, and the
#' probabilities of the pairs are coupled by the second method of Wu, Lin and Weng (2004).
#'
#' @section Probability and predicted class:
#' The predicted class is the side of the decision value, \eqn{f > 0}. The probability takes into account how
#' often that side was right for observations held out, and how frequent the classes are. Where the decision
#' value is near 0, a probability above one half and the predicted class may therefore disagree: for 2 of 100
#' observations on the average of the data sets of bench/calibration.md and for 7 of 100 at most, more often
#' where classes are of very different size or where there is little to predict. `predict(type = "class",
#' cutoff = "calibrated")` gives the class that is more probable, which never disagrees with `type = "prob"`.
#'
#' @param object a fit of [zeronorm()].
#' @param x,y the data it was fitted to.
#' @param folds,repeats,foldid,block,BPPARAM as in [cv_zeronorm()].
#' @param weights as in [zeronorm()]; left out, those of the fit.
#' @param ... unused, and an error if given.
#' @return The fit, with `$calibration`: for each solution a matrix with the `center` and `spread` of its
#'   training decision values and with `a` and `b`, a column for each output.
#' @references
#' Platt, J. (2000). Probabilities for SV machines. In *Advances in Large Margin Classifiers*, 61-74. MIT
#' Press.
#'
#' Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector
#' machines. *Machine Learning* 68, 267-276.
#'
#' van Houwelingen, J. C. and le Cessie, S. (1990). Predictive value of statistical models. *Statistics in
#' Medicine* 9, 1303-1325.
#'
#' Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class classification by
#' pairwise coupling. *JMLR* 5, 975-1005.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60)
#' y <- x[, 1] - x[, 2] + rnorm(60) > 0
#' fit <- calibrate_zeronorm(zeronorm(x, y, l1_svm(C = 0.3)), x, y)
#' predict(fit, x[1:3, ], type = "prob")
#' predict(fit, x[1:3, ], type = "class", cutoff = "calibrated")
#' @export
calibrate_zeronorm <- function(object, x, y, folds = 10, repeats = 1, foldid = NULL, block = NULL, weights,
                               BPPARAM = NULL, ...) {
  check_unused(...)
  if (!inherits(object, "zeronorm")) {
    stop_zeronorm("object", paste0("is ", describe(object), "."), "Use a fit of zeronorm().")
  }
  check_result(object)
  if (object$task == "regression") {
    stop_zeronorm("object", "is a regression.", "Only classes have probabilities.")
  }
  request <- request_of(object, x, y, weights, block = block)
  if (observations(request) != object$n) {
    stop_zeronorm("x", paste("has", observations(request), "rows, but the fit saw", object$n,
                             "observations."),
                  "Give the data of the fit.")
  }
  tasks <- draw_streams(make_splits(request, folds, repeats, foldid))
  solutions <- nrow(object$certificate)
  results <- values_of(run_tasks(tasks, function(task) judge_fold(request, task, solutions),
                                 BPPARAM = BPPARAM))
  object$calibration <- calibrate_solutions(pool_held_out(tasks, results), request$labels, object$pairs,
                                            training_scale(object, request))
  object
}

check_calibrated <- function(fit, argument = "type", value = "prob") {
  if (!is.null(fit$calibration)) return(invisible())
  stop_zeronorm(argument, paste0("is \"", value,
                                 "\", but the fit is not calibrated on held-out decision values."),
                "Use calibrate_zeronorm(object, x, y), or predict from cv_zeronorm().")
}

# --- a common scale ---

# Training observations that determine a scale at most: the standard error of a spread is then about 2 %.
rows_for_scale <- 1000

# Centre and spread of a fit's decision values in its training data, a column for each output of each
# solution: the middle between the means of both classes, and the standard deviation, 0 for a constant.
training_scale <- function(fit, request) {
  if (fit$task == "regression") return(NULL)
  n <- observations(request)
  rows <- if (n <= rows_for_scale) seq_len(n) else unique(round(seq(1, n, length.out = rows_for_scale)))
  newdata <- if (length(rows) == n && !is_kernel_matrix(request$method)) request$x$x
             else held_out_data(request, rows, seq_len(n))
  f <- unname(decision_values(fit, newdata, seq_len(nrow(fit$certificate))))
  y <- output_signs(take_labels(request$labels, rows), fit$pairs)
  outputs <- ncol(y)
  scale <- matrix(0, 2, ncol(f), dimnames = list(c("center", "spread"), NULL))
  for (k in seq_len(outputs)) {
    columns <- seq(k, ncol(f), by = outputs)
    second <- f[which(y[, k] > 0), columns, drop = FALSE]
    first <- f[which(y[, k] < 0), columns, drop = FALSE]
    scale["center", columns] <- (colMeans(second) + colMeans(first)) / 2
    scale["spread", columns] <- column_spreads(rbind(first, second))
  }
  constant <- which(scale["spread", ] <= 1e-9 * abs(scale["center", ]))
  scale["spread", constant] <- 0
  scale
}

column_spreads <- function(f) sqrt(colSums(sweep(f, 2, colMeans(f))^2) / max(1, nrow(f) - 1))

# -1 and +1, a column for each output; of pairs of classes NA for the other classes.
output_signs <- function(labels, pairs) {
  if (is.null(pairs)) return(as.matrix(labels$y))
  apply(pairs, 2, function(pair) ifelse(labels$class == pair[2], 1, ifelse(labels$class == pair[1], -1, NA)))
}

# 0 where a fit is constant.
on_scale <- function(f, scale) {
  if (is.null(scale)) return(f)
  f <- sweep(f, 2, scale["center", ])
  z <- sweep(f, 2, ifelse(scale["spread", ] > 0, scale["spread", ], Inf), "/")
  z[is.na(f)] <- NA
  z
}

# --- curves ---

# Values of all tasks, one below the other: list(rows, z), rows: which observation.
pool_held_out <- function(tasks, results) {
  done <- which(lengths(results) > 0)
  list(rows = unlist(lapply(tasks[done], `[[`, "test")), z = do.call(rbind, lapply(results[done], `[[`, "z")))
}

# The calibration of each solution, a matrix with a column for each output, or NULL in regression. `scale`:
# that of the fit it is for; `without`: observations that are left out.
calibrate_solutions <- function(pool, labels, pairs, scale, without = integer()) {
  if (labels$task == "regression") return(NULL)
  used <- which(!pool$rows %in% without)
  rows <- pool$rows[used]
  # However often it was held out, an observation counts once.
  weight <- 1 / tabulate(rows, nrow(as.matrix(labels$y)))[rows]
  y <- output_signs(take_labels(labels, rows), pairs)
  outputs <- ncol(y)
  lapply(seq_len(ncol(pool$z) / outputs), function(s) {
    columns <- (s - 1) * outputs + seq_len(outputs)
    curves <- vapply(seq_len(outputs), function(k) {
      own <- which(!is.na(y[, k]) & is.finite(pool$z[used, columns[k]]))
      shrunken_sigmoid(asinh(pool$z[used[own], columns[k]]), y[own, k] > 0, weight[own])
    }, c(a = 0, b = 0))
    if (is.null(scale)) curves else rbind(scale[, columns, drop = FALSE], curves)
  })
}

# The sigmoid 1 / (1 + exp(-(a x + b))) of fit_sigmoid() with its slope shrunk, and not negative: c(a, b). NA
# where nothing was held out.
shrunken_sigmoid <- function(x, positive, weight) {
  if (!length(x)) return(c(a = NA_real_, b = NA_real_))
  target <- platt_targets(positive, weight)
  constant <- c(a = 0, b = stats::qlogis(sum(weight * target) / sum(weight)))
  curve <- fit_sigmoid(x, positive, weight)
  if (curve[["a"]] <= 0) return(constant)
  ratio <- 2 * (sigmoid_deviance(constant, x, target, weight) - sigmoid_deviance(curve, x, target, weight))
  if (ratio <= 1) return(constant)
  a <- curve[["a"]] * (ratio - 1) / ratio
  excess <- function(b) sum(weight * (stats::plogis(a * x + b) - target))
  c(a = a, b = stats::uniroot(excess, curve[["b"]] + c(-1, 1), extendInt = "upX", tol = 1e-10)$root)
}

# As by one more observation of each class (Platt).
platt_targets <- function(positive, weight) {
  m <- sum(weight[positive])
  rest <- sum(weight[!positive])
  ifelse(positive, (m + 1) / (m + 2), 1 / (rest + 2))
}

sigmoid_deviance <- function(curve, x, target, weight) {
  eta <- curve[[1]] * x + curve[[2]]
  sum(weight * (pmax(eta, 0) + log1p(exp(-abs(eta))) - target * eta))
}

# The sigmoid of the largest likelihood, by Newton's method on Platt's targets: c(a, b).  O(n) an iteration.
fit_sigmoid <- function(x, positive, weight = rep(1, length(x))) {
  target <- platt_targets(positive, weight)
  scale <- max(abs(x))
  if (scale == 0) return(c(a = 0, b = stats::qlogis(sum(weight * target) / sum(weight))))
  columns <- cbind(x / scale, 1)
  u <- c(0, stats::qlogis(sum(weight * target) / sum(weight)))
  value <- sigmoid_deviance(u, columns[, 1], target, weight)
  for (iteration in 1:100) {
    p <- stats::plogis(drop(columns %*% u))
    gradient <- crossprod(columns, weight * (p - target))
    if (max(abs(gradient)) <= 1e-10 * length(x)) break
    step <- solve(crossprod(columns, columns * (weight * p * (1 - p))) + diag(1e-12, 2), gradient)
    s <- 1
    while (s > 1e-10 && !(sigmoid_deviance(u - s * step, columns[, 1], target, weight) < value)) s <- s / 2
    if (s <= 1e-10) break
    u <- u - s * drop(step)
    value <- sigmoid_deviance(u, columns[, 1], target, weight)
  }
  c(a = u[1] / scale, b = u[2])
}

# --- probabilities ---

# Of decision values, outputs of one solution beside each other: of the second class, or of each class or
# label.
probabilities <- function(f, calibration, task, pairs = NULL) {
  z <- if ("center" %in% rownames(calibration)) on_scale(f, calibration) else f
  p <- stats::plogis(sweep(sweep(asinh(z), 2, calibration["a", ], "*"), 2, calibration["b", ], "+"))
  if (!is.null(pairs)) return(couple_pairs(p, pairs))
  if (task != "k-class") return(p)
  p <- pmax(p, .Machine$double.xmin)
  p / rowSums(p)
}

# Probabilities of classes that agree best with those of pairs (Wu, Lin and Weng 2004, second method): they
# minimise the sum over pairs of (r_ji p_i - r_ij p_j)^2, where r_ij is the probability of i among i and j. p:
# a column for each pair, the probability of its second class. O(rows classes^3).
couple_pairs <- function(p, pairs) {
  k <- max(pairs)
  p <- pmin(pmax(p, 1e-7), 1 - 1e-7)
  out <- matrix(NA_real_, nrow(p), k)
  for (i in which(rowSums(is.na(p)) == 0)) {
    r <- matrix(0, k, k)
    r[t(pairs[2:1, , drop = FALSE])] <- p[i, ]
    r[t(pairs)] <- 1 - p[i, ]
    q <- -r * t(r)
    diag(q) <- colSums(r^2)
    found <- solve(rbind(cbind(q, 1), c(rep(1, k), 0)), c(rep(0, k), 1))[seq_len(k)]
    found <- pmax(found, 0)
    out[i, ] <- found / sum(found)
  }
  out
}

# Probabilities of the picked solutions: a matrix for each.
picked_probabilities <- function(fit, f, picked) {
  outputs <- max(1L, length(fit$outputs))
  lapply(seq_along(picked), function(s) {
    columns <- (s - 1) * outputs + seq_len(outputs)
    p <- probabilities(unname(f[, columns, drop = FALSE]), fit$calibration[[picked[s]]], fit$task, fit$pairs)
    dimnames(p) <- list(rownames(f), if (!is.null(fit$outputs)) fit$levels)
    p
  })
}

# What predict(type = "prob") gives.
predicted_probabilities <- function(fit, f, picked) {
  each <- picked_probabilities(fit, f, picked)
  if (!is.null(fit$outputs)) return(one_or_list(each, fit$labels[picked]))
  if (length(each) == 1) return(structure(as.vector(each[[1]]), names = rownames(f)))
  structure(do.call(cbind, each), dimnames = list(rownames(f), fit$labels[picked]))
}

# Lal, Chapelle, Weston and Elisseeff (2006), Embedded methods: the systematic comparison that the chapter
# asks for in its conclusions.
#
# All methods are tuned and judged alike.  Ten folds outside; within the training part of each, five folds
# choose the solution of the method's path (the number of features or the price) with the fewest errors, of
# equal ones the sparsest.  A method of one solution chooses nothing.  Features are standardised, and all is
# selected, in the training part alone.  Most sets are not separable, so machines have C = 1, in the search
# and after it, where nothing else is said; the path of the machine with all features is one of C.  A method
# that has a hard margin only has no value for such a set.
#
# Methods whose work grows faster than n^2 d are `slow`: on all sets they are given at most the 64 features
# of largest correlation scores and 150 observations, out of the training part.

slow <- function(method) {
  force(method)
  function(n, d) structure(method(n, d), slow = TRUE)
}

# As functions of the numbers of observations and features.
embedded_methods <- list(
  "SVM, all features" = function(n, d) l2_svm(C = 10^(-3:2)),
  "correlation filter" = function(n, d) correlation_filter("path", refit_C = 1),
  "forward LS" = function(n, d) forward_ls(2^(0:5)[2^(0:5) <= d]),
  "Gram-Schmidt" = function(n, d) gram_schmidt(2^(0:5)[2^(0:5) <= d]),
  # lambda0 is that of Akaike's criterion.
  "grafting" = function(n, d) grafting(2^-(1:8), lambda0 = 1 / n),
  "tree" = function(n, d) tree_importance("path", refit_C = 1),
  "RFE" = function(n, d) svm_rfe("path", C = 1, refit_C = 1),
  "sensitivity RFE, Gaussian" = function(n, d) {
    sensitivity_rfe(nonzero = "path", C = 1, kernel = gaussian_kernel())
  },
  "logistic RFE" = function(n, d) logistic_rfe(1, "path"),
  "OBD" = function(n, d) obd(nonzero = "path", lambda = 1),
  "radius-margin RFE" = function(n, d) bound_rfe("radius_margin", nonzero = "path", C = 1, refit_C = 1),
  "span RFE" = function(n, d) bound_rfe("span", nonzero = "path", C = 1, refit_C = 1),
  "ALMA" = slow(function(n, d) alma_rfe(0.7)),
  "R2W2" = slow(function(n, d) r2w2("path", C = 1, refit_C = 1)),
  "adaptive scaling" = slow(function(n, d) adaptive_scaling(C = 10^(-2:2))),
  "scaling LP" = function(n, d) scaling_lp(),
  "ARD" = function(n, d) ard(),
  "MED" = function(n, d) med_svm(p0 = 0.1, nonzero = "path", refit_C = 1),
  "JCFO, Gaussian" = slow(function(n, d) jcfo(0.1, c(0.1, 1), gaussian_kernel())),
  "l1-SVM" = function(n, d) l1_svm(C = 10^seq(-3, 2, 0.5)),
  "FSV" = function(n, d) fsv(c(0.05, seq(0.1, 0.9, 0.1), 0.95)),
  "multiplicative update" = function(n, d) multiplicative_update("path", refit_C = 1),
  "LASSO" = function(n, d) lasso(),
  "generalised LASSO" = function(n, d) generalized_lasso(),
  "sparse Fisher" = function(n, d) sparse_fisher(2^(0:7) / n),
  "P-SVM" = slow(function(n, d) p_svm(n * 2^-(1:8), C = 0.3))
)
baseline <- names(embedded_methods)[1]

# --- one set ---

# A fit of the path to some rows: decision values of other rows, and what was selected by each solution.
fit_path <- function(x, y, rows, new, make) {
  method <- make(length(rows), ncol(x))
  columns <- seq_len(ncol(x))
  if (isTRUE(attr(method, "slow"))) {
    rows <- some_of(rows, y, 150)
    if (ncol(x) > 64) columns <- selected(zeronorm(x[rows, ], y[rows], correlation_filter(64)))
    method <- make(length(rows), length(columns))
  }
  fit <- zeronorm(x[rows, columns, drop = FALSE], y[rows], method)
  wrong <- (as.matrix(predict(fit, x[new, columns, drop = FALSE], "link")) > 0) != (y[new] == levels(y)[2])
  sizes <- vapply(seq_len(ncol(wrong)), function(k) length(selected(fit, index = k)), 0)
  list(errors = colSums(wrong), sizes = sizes)
}

# At most so many rows, every class in its proportion.
some_of <- function(rows, y, most) {
  if (length(rows) <= most) return(rows)
  share <- most / length(rows)
  unlist(lapply(split(rows, y[rows]), function(class) {
    class[sample.int(length(class), share * length(class))]
  }), use.names = FALSE)
}

# Error in percent and number of features of the solution chosen within the training part; NA where the method
# refuses the data.
judge_fold <- function(x, y, train, test, make, inner_folds) {
  tryCatch({
    outer <- fit_path(x, y, train, test, make)
    chosen <- 1
    if (length(outer$errors) > 1) {
      fold <- draw_folds(y[train], inner_folds)
      inner <- vapply(seq_len(inner_folds), function(k) {
        fit_path(x, y, train[fold != k], train[fold == k], make)$errors
      }, outer$errors)
      chosen <- order(rowSums(inner), outer$sizes)[1]
    }
    c(100 * outer$errors[chosen] / length(test), outer$sizes[chosen])
  }, zeronorm_error = function(refusal) c(NA, NA))
}

compare_on <- function(part, set, quick) {
  x <- if (part == "colon") log(set$x) else set$x
  y <- set$y
  if (quick) {
    rows <- some_of(seq_along(y), y, 40)
    x <- x[rows, seq_len(min(ncol(x), 12))]
    y <- y[rows]
  }
  folds <- if (quick) 2 else 10
  fold <- draw_folds(y, folds)
  results <- lapply(embedded_methods, function(make) {
    vapply(seq_len(folds), function(k) {
      judge_fold(x, y, which(fold != k), which(fold == k), make, if (quick) 2 else 5)
    }, numeric(2))
  })
  errors <- vapply(results, function(result) result[1, ], numeric(folds))
  tests <- pair_tests(errors, tabulate(fold))
  values <- list(error_pct = colMeans(errors),
                 n_features = vapply(results, function(result) mean(result[2, ]), 0),
                 n_beaten = rowSums(tests$p < 0.05 & tests$difference < 0, na.rm = TRUE),
                 n_beaten_by = rowSums(tests$p < 0.05 & tests$difference > 0, na.rm = TRUE),
                 p_against_svm = stats::p.adjust(tests$p[, baseline], "holm"))
  data.frame(dataset = part, method = names(embedded_methods), setting = "",
             metric = rep(names(values), each = length(embedded_methods)),
             value = unlist(values, use.names = FALSE))
}

# The corrected resampled t-test of all pairs of methods: methods x methods.
pair_tests <- function(errors, test) {
  split <- data.frame(train = sum(test) - test, test = test)
  names <- colnames(errors)
  p <- difference <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  whole <- names[colSums(is.na(errors)) == 0]
  for (a in whole) for (b in setdiff(whole, a)) {
    pair <- compare_pair(errors[, a], errors[, b], split, c(a, b))
    p[a, b] <- pair$p
    difference[a, b] <- pair$difference
  }
  list(p = p, difference = difference)
}

# --- over all sets ---

# Ranks among the methods that have a value for every set; the sets are the observations of Friedman's test,
# and of Wilcoxon's against the method of the best mean rank, corrected by Holm's method.
over_sets <- function(rows) {
  table_of <- function(metric) {
    here <- rows[rows$metric == metric, ]
    tapply(here$value, list(here$dataset, factor(here$method, names(embedded_methods))), identity)
  }
  errors <- table_of("error_pct")
  errors <- errors[, colSums(is.na(errors)) == 0, drop = FALSE]
  sizes <- table_of("n_features")
  ranks <- colMeans(t(apply(errors, 1, rank)))
  best <- names(which.min(ranks))
  p <- vapply(names(ranks), function(name) signed_rank(errors[, name] - errors[, best]), 0)
  p[best] <- NA
  total <- function(metric) colSums(table_of(metric)[, names(ranks), drop = FALSE])
  values <- list(mean_rank = ranks, mean_error_pct = colMeans(errors),
                 features_pct = 100 * colMeans(sizes / sizes[, baseline])[names(ranks)],
                 n_beaten = total("n_beaten"), n_beaten_by = total("n_beaten_by"),
                 p_against_best = stats::p.adjust(p, "holm"))
  derived <- data.frame(dataset = "all sets", method = names(ranks), setting = "",
                        metric = rep(names(values), each = length(ranks)),
                        value = unlist(values, use.names = FALSE))
  rbind(derived, data.frame(dataset = "all sets", method = "all methods", setting = "", metric = "friedman_p",
                            value = if (nrow(errors) > 1) stats::friedman.test(errors)$p.value else NA))
}

# What the conclusions of the chapter expect.
expectations <- function(value) {
  embedded <- setdiff(names(embedded_methods), c(baseline, "correlation filter"))
  lead <- function(sets) {
    vapply(sets, function(set) {
      stats::median(value(set, embedded), na.rm = TRUE) - value(set, "correlation filter")
    }, 0)
  }
  list(
    "fewer than 100 observations: the filter makes fewer errors than the embedded methods (median)" =
      mean(lead(c("colon", "leukemia"))) > 0,
    "more than 400 observations: it makes more" = mean(lead(c("musk", "pima", "bcw"))) < 0
  )
}

expectations_note <- function(rows) {
  rep("an expectation of the chapter, judged by one run on few sets; the filter's size is tuned as well",
      nrow(rows))
}

# Mean rank against the share of features in use, with names in the order of ranks.
draw_ranks <- function(x, ...) {
  all <- x[x$dataset == "all sets", ]
  ranks <- all[all$metric == "mean_rank", ]
  ranks <- ranks[order(ranks$ours), ]
  shares <- all[all$metric == "features_pct", ]
  share <- shares$ours[match(ranks$method, shares$method)]
  old <- graphics::par(mar = c(4.5, 4.5, 1, 13))
  on.exit(graphics::par(old))
  limits <- range(ranks$ours)
  graphics::plot(share, ranks$ours, log = "x", ylim = rev(limits), pch = 19, las = 1,
                 xlab = "features in use, % (mean over the sets)", ylab = "mean rank by error", ...)
  edge <- 10^graphics::par("usr")[2]
  places <- seq(limits[1], limits[2], length.out = nrow(ranks))
  graphics::segments(share, ranks$ours, edge, places, col = "grey80")
  graphics::points(share, ranks$ours, pch = 19)
  graphics::mtext(ranks$method, side = 4, line = 0.3, at = places, las = 1, cex = 0.8)
}

compared_sets <- c("colon", "leukemia", "sonar", "musk", "ionosphere", "wpbc24", "wpbc60", "cleveland",
                   "pima", "bcw")

protocols <- list(
  comparison = list(caption = paste("Embedded methods on ten sets, nested cross-validation, once;",
                                    "no value where a hard margin was asked for and there is none"),
                    runs = 1, parts = compared_sets, data = stats::setNames(nm = compared_sets),
                    run = compare_on, derive = over_sets, claims = expectations,
                    note = expectations_note, draw = draw_ranks)
)

# Claims: held-out error of l2_l0_svm() and fsv() against L0Learn (l0, and l0 with a ridge) and abess, over 50
# splits of four data sets: the mean paired difference is at most one point, and on no set does its corrected
# 95 % interval (Nadeau and Bengio) lie wholly above 0.
#
# Data: of the two-class sets in R packages that the studies of zeronorm use, the four with the most features
# (colon in logarithms).  Splits: two thirds for training, each class in its proportion, drawn once; columns
# are standardised by the training part.  Every method proposes machines of 1 to 20 features (the largest
# found with at most as many counts for a size).  Prices and size are those with the fewest errors in a
# cross-validation of three folds inside the training part, the same folds for all; of equals the fewest features.
# L0Learn has four ridges (gamma) and its own path of the price of a feature, abess and L0 no ridge, as by
# default.
#
# The protocol of l2_l0_svm() was changed after the first run, in which l2_l0_svm() and fsv() missed the bound
# against L0L2 by 0.18 and 0.73 points.  There l2_l0_svm() had one search, at mu = 10 and nu = 0.1, and ridges
# in the refit alone (0.01, 0.1, 1, Inf for refit_C), whereas the ridges of L0L2 act in the search.  Now mu
# takes four values, n times 0.01, 0.1, 1 and 10, nu two, 0.01 mu and 0.03 mu, and the refit has the ridge of
# the search, refit_C = mu / n.  The claims are about this one; the former is shown beside it as "one search".
# fsv() has the protocol of the first run, one search at its default lambda and four ridges in the refit, and
# so has arom("l2"), which is only shown.
#
# The choice was made on other data, 20 splits of each with the same tuning: duke, lymphoma (malignant or not;
# germinal centre or activated), prostate (singh2002), khan2001 (two classes), gina, sylva, mecs (two
# classes), sonar, splice, german and three simulated sets.  The mean errors in per cent there: l2_l0_svm()
# 25.6 before and 23.9 after, and 24.6 with all four ridges in the refit after each search; fsv() 24.8, with
# five values of lambda 25.1, and none of the other prices tried better by more than a standard error of 0.5;
# L0L2 23.2, L0 and abess 28.7.  MC_CORES=2 in the environment runs two sets at a time.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
splits <- 50
sizes <- c(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
refit_prices <- c(0.01, 0.1, 1, Inf)
search_prices <- c(0.01, 0.1, 1, 10)
nu_ratios <- c(0.01, 0.03)
names <- c("bcr_abl", "leukemia", "colon", "musk")

set_of <- function(name) {
  set <- zeronorm:::study_data(name)
  if (nzchar(set$note)) stop(name, ": ", set$note)
  list(x = if (name == "colon") log(set$x) else set$x, y = ifelse(set$y == levels(set$y)[2], 1, -1))
}

# Each method: a matrix of candidate machines, columns of intercept and weights; for each set of prices a column for
# each of `sizes`.  `machines` are methods for n observations, each of a search and the sizes cut from it.
by_zeronorm <- function(machines) function(x, y) {
  do.call(cbind, lapply(machines(nrow(x)), function(method) {
    at_sizes(as.matrix(coef(zeronorm(x, y, method, standardize = FALSE))))
  }))
}

one_search <- function(method) by_zeronorm(function(n) lapply(refit_prices, method))

# C = mu / n is the same ridge in the search and in the refit.
l2_l0_searches <- by_zeronorm(function(n) {
  prices <- expand.grid(mu = n * search_prices, ratio = nu_ratios)
  Map(function(mu, nu) l2_l0_svm(mu, nu, nonzero = rev(sizes), refit_C = mu / n),
      prices$mu, prices$mu * prices$ratio)
})

by_l0learn <- function(penalty) function(x, y) {
  fit <- L0Learn::L0Learn.fit(x, y, loss = "SquaredHinge", penalty = penalty, maxSuppSize = max(sizes), nGamma = 4,
                              gammaMax = 10, gammaMin = 0.01)
  do.call(cbind, Map(function(b, w) at_sizes(rbind(b, as.matrix(w))), fit$a0, fit$beta))
}

by_abess <- function(x, y) {
  fit <- abess::abess(x, y > 0, family = "binomial", support.size = sizes, normalize = 0, num.threads = 1)
  at_sizes(rbind(fit$intercept, as.matrix(fit$beta)))
}

# For each size the column with the most features that are not more; without one, no feature.
at_sizes <- function(W) {
  W[is.na(W)] <- 0
  counts <- colSums(W[-1, , drop = FALSE] != 0)
  vapply(sizes, function(size) {
    fitting <- which(counts <= size)
    if (length(fitting)) W[, fitting[which.max(counts[fitting])]] else numeric(nrow(W))
  }, W[, 1])
}

methods <- list(
  l2_l0_svm = l2_l0_searches,
  "l2_l0_svm, one search" = one_search(function(refit_C) {
    l2_l0_svm(mu = 10, nu = 0.1, nonzero = rev(sizes), refit_C = refit_C)
  }),
  fsv = one_search(function(refit_C) fsv(nonzero = rev(sizes), refit_C = refit_C)),
  arom = one_search(function(refit_C) arom("l2", nonzero = rev(sizes), errors = "l2", refit_C = refit_C)),
  "L0Learn L0" = by_l0learn("L0"), "L0Learn L0L2" = by_l0learn("L0L2"), abess = by_abess
)

# Errors on `test` of all candidates trained on `train`.
candidate_errors <- function(fit, set, train, test) {
  data <- standardised(list(x = set$x[train, ], y = set$y[train]))
  W <- fit(data$x, data$y)
  x <- cbind(1, scale(set$x[test, , drop = FALSE], data$center, data$scale))
  list(errors = colSums(sign(x %*% W) != set$y[test]), features = colSums(W[-1, ] != 0))
}

# Numbers 1 to k over the rows, each class evenly.
folds_of <- function(y, k) {
  fold <- integer(length(y))
  for (rows in split(seq_along(y), y)) fold[rows] <- sample(rep_len(seq_len(k), length(rows)))
  fold
}

training_rows <- function(y) {
  sort(unlist(lapply(split(seq_along(y), y), function(rows) sample(rows, round(2 / 3 * length(rows))))))
}

# Held-out error and number of features of the candidate that the inner cross-validation chooses.
tuned_error <- function(fit, set, train, fold) {
  inner <- lapply(unique(fold), function(k) candidate_errors(fit, set, train[fold != k], train[fold == k])$errors)
  outer <- candidate_errors(fit, set, train, setdiff(seq_along(set$y), train))
  best <- order(Reduce(`+`, inner), outer$features)[1]
  c(outer$errors[best] / (length(set$y) - length(train)), outer$features[best])
}

# An array: error and features, method, split.
run_set <- function(name) {
  set <- set_of(name)
  set.seed(1)
  drawn <- lapply(seq_len(splits), function(k) {
    train <- training_rows(set$y)
    list(train = train, fold = folds_of(set$y[train], 3))
  })
  message(name)
  simplify2array(lapply(drawn, function(split) {
    judged <- function(fit) tuned_error(fit, set, split$train, split$fold)
    vapply(methods, function(fit) suppressMessages(suppressWarnings(judged(fit))), c(0, 0))
  }))
}

# ours - theirs in points, with the corrected interval.
difference <- function(results, ours, theirs) {
  d <- 100 * (results[1, ours, ] - results[1, theirs, ])
  half <- stats::qt(0.975, splits - 1) * sqrt((1 / splits + 1 / 2) * stats::var(d))
  data.frame(ours = ours, theirs = theirs, points = round(mean(d), 2), lower = mean(d) - half, upper = mean(d) + half)
}

results <- parallel::mclapply(stats::setNames(nm = names), run_set, mc.cores = getOption("mc.cores", 1L),
                              mc.preschedule = FALSE)
ours <- c("l2_l0_svm", "l2_l0_svm, one search", "fsv", "arom")
theirs <- c("L0Learn L0", "L0Learn L0L2", "abess")
errors <- do.call(rbind, lapply(names, function(name) {
  r <- results[[name]]
  data.frame(data = name, method = names(methods), `held-out error` = rowMeans(r[1, , ]),
             `standard deviation` = apply(r[1, , ], 1, stats::sd), features = rowMeans(r[2, , ]), check.names = FALSE)
}))
pairs <- expand.grid(theirs = theirs, ours = ours, data = names, stringsAsFactors = FALSE)
differences <- do.call(rbind, lapply(seq_len(nrow(pairs)), function(k) {
  cbind(data = pairs$data[k], difference(results[[pairs$data[k]]], pairs$ours[k], pairs$theirs[k]))
}))

claims <- do.call(rbind, lapply(c("l2_l0_svm", "fsv"), function(method) {
  mine <- differences[differences$ours == method, ]
  rbind(
    do.call(rbind, lapply(theirs, function(peer) {
      claim(sprintf("held-out error of %s minus that of %s, mean over four sets", method, peer),
            mean(mine$points[mine$theirs == peer]), at_most = 1, unit = "points")
    })),
    claim(sprintf("intervals of %s against L0Learn and abess wholly above 0, of 12", method), sum(mine$lower > 0),
          at_most = 0)
  )
}))
picture("held-out", function() {
  graphics::par(mar = c(4.5, 17, 2, 1), las = 1)
  at <- rev(seq_len(nrow(differences)))
  graphics::plot(differences$points, at, pch = 19, yaxt = "n", ylab = "",
                 xlim = range(differences$lower, differences$upper),
                 xlab = "difference of held-out errors, points (left of 0: zeronorm is better)",
                 main = "50 splits, corrected 95 % intervals")
  graphics::segments(differences$lower, at, differences$upper, at)
  graphics::abline(v = 0, lty = 3)
  graphics::axis(2, at, paste0(differences$data, ": ", differences$ours, " - ", differences$theirs), cex.axis = 0.7)
}, height = 1000)
report("held-out", "Held-out error against L0Learn and abess", list(
  "Differences, zeronorm minus the other, in points:" = differences, "Errors:" = errors), character(), claims,
  plots = "held-out")

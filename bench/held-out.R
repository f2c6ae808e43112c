# Claims: held-out error of l2_l0_svm() and fsv() against L0Learn (l0, and l0 with a ridge) and abess, over 50
# splits of four data sets: the mean paired difference is at most one point, and on no set does its corrected
# 95 % interval (Nadeau and Bengio) lie wholly above 0.
#
# Data: of the two-class sets in R packages that the studies of zeronorm use, the four with the most features
# (colon in logarithms).  Splits: two thirds for training, each class in its proportion, drawn once; columns
# are standardised by the training part.  Every method proposes machines of 1 to 20 features (the largest
# found with at most as many counts for a size).  Prices and size are those with the fewest errors in a
# cross-validation of three folds inside the training part, the same folds for all; of equals the fewest features.
# The claims are made twice: once so, and once at equal number of features, where the cross-validation chooses the
# prices alone, at each of `sizes`, and the held-out errors are averaged over the sizes.
# L0Learn has four ridges (gamma) and its own path of the price of a feature, abess and L0 no ridge, as by
# default.
#
# The protocols of zeronorm's methods were changed after runs on the four sets, each time for a choice made on other
# data, so these four have been looked at more than once: the figures of later protocols are the kinder for it.  Each
# former protocol is shown beside the claims, under a name that says what it was.
#
# l2_l0_svm(), first run, missed L0L2 by 0.18 points more than the one allowed: "one search", at mu = 10 and nu = 0.1,
# and ridges in the refit alone (0.01, 0.1, 1, Inf for refit_C), whereas the ridges of L0L2 act in the search.  Second
# run, "start at 1": mu has four values, n times 0.01, 0.1, 1 and 10, nu two, 0.01 mu and 0.03 mu, and the refit has the
# ridge of the search, refit_C = mu / n.  That was chosen on 20 splits each of duke, lymphoma (malignant or not;
# germinal centre or activated), prostate (singh2002), khan2001 (two classes), gina, sylva, mecs (two classes), sonar,
# splice, german and three simulated sets; mean errors in per cent: 25.6 before and 23.9 after, L0L2 23.2, L0 and abess
# 28.7.  It missed L0L2 at equal number of features by 0.13 points more than allowed.
#
# Now, third run: the search begins at start = 0, as that of fsv() does, and nu is 0.03 mu and 0.1 mu.  With start = 1
# and low prices a search ends with more features than a few, and the few are cut from it by their weights; from 0 and
# at these prices it adds features until none pays, and where fewer are found than asked for, those nearest to paying
# join them.  Chosen on the same real sets (khan2001 with two pairs of classes, the large ones 250 to 300 rows) and five
# simulated ones with blocks of correlated features: four searches (start 0 or 1, alpha 5 or 25) at five values of nu on
# 10 splits each, then some nine grids of prices for start = 0 on 15 other splits of the same sets.  The grid was
# settled
# with both in view, so that neither is a check of it.  The difference from L0L2 at equal number of features on the
# first
# and the second splits: 0.20 and 0.17 points (standard errors over the sets 0.44 and 0.21), 1.13 and 1.06 for the
# second
# protocol; at the tuned size 0.69 and 0.17, and 0.34 and 0.72.  The other grids were within half a point of this one.
#
# arom("l2"), which is only shown, has one search and four ridges in the refit (0.01, 0.1, 1, Inf).
#
# fsv(), second run, missed the bound against L0L2 by 0.72 points.  Till then it had one search, at the default lambda
# and start, and the four ridges in the refit: "one search".  Its first prices are so low that it finds about as many
# features as there are observations, and keeps the largest of them.  Now lambda has five values, near the one from
# which on no feature is found and below, with start = 0, and the refit has the ridges 0.01 and 0.1.  Where such a
# search
# finds fewer features than are asked for, fsv() adds those of the least reduced costs.
#
# This was chosen on the sets above and five simulated ones, four with blocks of correlated features, 42 to 80 rows for
# training; 9 or 10 splits of each.  The mean errors: fsv() 22.6 before and 19.8 after, paired difference -2.8 with a
# standard error of 0.5 over the splits and 0.7 over the sets (on the real sets alone 18.4 and 16.7); L0L2 20.0, arom
# 19.5.  At equal number of features 24.0 before and 21.6 after, L0L2 21.8, arom 22.0.  Of the variants tried none was
# better than this by more than its standard error: four values of lambda without the lowest 19.8, without the highest
# 20.4; exp_penalty(1), also without the highest, 20.3; start at the weights of an l2 machine 19.6.
#
# MC_CORES=2 in the environment runs two sets at a time.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
splits <- 50
sizes <- c(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20)
refit_prices <- c(0.01, 0.1, 1, Inf)
search_prices <- c(0.01, 0.1, 1, 10)
nu_ratios <- c(0.03, 0.1)
former_nu_ratios <- c(0.01, 0.03)
fsv_shares <- c(0.9, 0.75, 0.55, 0.4, 0.25)
fsv_refit_prices <- c(0.01, 0.1)
names <- c("bcr_abl", "leukemia", "colon", "musk")

set_of <- function(name) {
  set <- zeronorm:::study_code()$study_data(name)
  if (nzchar(set$note)) stop(name, ": ", set$note)
  list(x = if (name == "colon") log(set$x) else set$x, y = ifelse(set$y == levels(set$y)[2], 1, -1))
}

# Each method: a matrix of candidate machines, columns of intercept and weights; for each set of prices a column for
# each of `sizes`.  `machines` are methods for x and y, each of a search and the sizes cut from it.
by_zeronorm <- function(machines) function(x, y) {
  do.call(cbind, lapply(machines(x, y), function(method) {
    at_sizes(as.matrix(coef(zeronorm(x, y, method, standardize = FALSE))))
  }))
}

one_search <- function(method) by_zeronorm(function(x, y) lapply(refit_prices, method))

# C = mu / n is the same ridge in the search and in the refit.
l2_l0_searches <- function(ratios, start) by_zeronorm(function(x, y) {
  n <- nrow(x)
  prices <- expand.grid(mu = n * search_prices, ratio = ratios)
  Map(function(mu, nu) l2_l0_svm(mu, nu, start = start, nonzero = rev(sizes), refit_C = mu / n),
      prices$mu, prices$mu * prices$ratio)
})

# The gain of a feature is the slope of the mean slack at w = 0; its price there is 5 lambda / (1 - lambda), so that
# none pays from `largest` on (with unequal classes possibly from somewhat less on).
fsv_paths <- by_zeronorm(function(x, y) {
  gain <- min(table(y)) / length(y) * abs(colMeans(x[y > 0, , drop = FALSE]) - colMeans(x[y < 0, , drop = FALSE]))
  largest <- max(gain) / 5
  prices <- expand.grid(ratio = fsv_shares * largest, refit_C = fsv_refit_prices)
  Map(function(ratio, refit_C) fsv(ratio / (1 + ratio), start = 0, nonzero = rev(sizes), refit_C = refit_C),
      prices$ratio, prices$refit_C)
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
  l2_l0_svm = l2_l0_searches(nu_ratios, start = 0),
  "l2_l0_svm, start at 1" = l2_l0_searches(former_nu_ratios, start = 1),
  "l2_l0_svm, one search" = one_search(function(refit_C) {
    l2_l0_svm(mu = 10, nu = 0.1, nonzero = rev(sizes), refit_C = refit_C)
  }),
  fsv = fsv_paths,
  "fsv, one search" = one_search(function(refit_C) fsv(nonzero = rev(sizes), refit_C = refit_C)),
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

# The errors of all candidates in the inner cross-validation and on the test part, and their features.
judge <- function(fit, set, train, fold) {
  inner <- lapply(unique(fold), function(k) candidate_errors(fit, set, train[fold != k], train[fold == k])$errors)
  outer <- candidate_errors(fit, set, train, setdiff(seq_along(set$y), train))
  list(inner = Reduce(`+`, inner), errors = outer$errors / (length(set$y) - length(train)), features = outer$features)
}

best_of <- function(judged, among) among[order(judged$inner[among], judged$features[among])[1]]

# Held-out error and number of features of the candidate that the inner cross-validation chooses.
tuned_error <- function(judged) {
  best <- best_of(judged, seq_along(judged$inner))
  c(error = judged$errors[best], features = judged$features[best])
}

# The mean, over `sizes`, of the held-out error where the inner cross-validation chooses the prices alone.
equal_number_error <- function(judged) {
  of_size <- split(seq_along(judged$inner), rep_len(seq_along(sizes), length(judged$inner)))
  mean(judged$errors[vapply(of_size, function(among) best_of(judged, among), 1L)])
}

# An array: both errors and features, method, split.
run_set <- function(name) {
  set <- set_of(name)
  set.seed(1)
  drawn <- lapply(seq_len(splits), function(k) {
    train <- training_rows(set$y)
    list(train = train, fold = folds_of(set$y[train], 3))
  })
  message(name)
  simplify2array(lapply(drawn, function(split) {
    vapply(methods, function(fit) {
      all <- suppressMessages(suppressWarnings(judge(fit, set, split$train, split$fold)))
      c(tuned_error(all), "equal number" = equal_number_error(all))
    }, c(error = 0, features = 0, "equal number" = 0))
  }))
}

# ours - theirs in points, with the corrected interval; `measure` is a name of the first dimension of `results`.
difference <- function(results, measure, ours, theirs) {
  d <- 100 * (results[measure, ours, ] - results[measure, theirs, ])
  half <- stats::qt(0.975, splits - 1) * sqrt((1 / splits + 1 / 2) * stats::var(d))
  data.frame(ours = ours, theirs = theirs, points = round(mean(d), 2), lower = mean(d) - half, upper = mean(d) + half)
}

results <- parallel::mclapply(stats::setNames(nm = names), run_set, mc.cores = getOption("mc.cores", 1L),
                              mc.preschedule = FALSE)
ours <- c("l2_l0_svm", "l2_l0_svm, start at 1", "l2_l0_svm, one search", "fsv", "fsv, one search", "arom")
theirs <- c("L0Learn L0", "L0Learn L0L2", "abess")
errors <- do.call(rbind, lapply(names, function(name) {
  r <- results[[name]]
  data.frame(data = name, method = names(methods), `held-out error` = rowMeans(r["error", , ]),
             `standard deviation` = apply(r["error", , ], 1, stats::sd), features = rowMeans(r["features", , ]),
             `error at equal number` = rowMeans(r["equal number", , ]), check.names = FALSE)
}))
pairs <- expand.grid(theirs = theirs, ours = ours, data = names, stringsAsFactors = FALSE)
differences_in <- function(measure) {
  do.call(rbind, lapply(seq_len(nrow(pairs)), function(k) {
    data <- pairs$data[k]
    cbind(data = data, difference(results[[data]], measure, pairs$ours[k], pairs$theirs[k]))
  }))
}
differences <- differences_in("error")
at_equal_number <- differences_in("equal number")

claims_of <- function(differences, protocol = "") {
  do.call(rbind, lapply(c("l2_l0_svm", "fsv"), function(method) {
    mine <- differences[differences$ours == method, ]
    rbind(
      do.call(rbind, lapply(theirs, function(peer) {
        claim(sprintf("held-out error of %s minus that of %s, mean over four sets%s", method, peer, protocol),
              mean(mine$points[mine$theirs == peer]), at_most = 1, unit = "points")
      })),
      claim(sprintf("intervals of %s against L0Learn and abess wholly above 0, of 12%s", method, protocol),
            sum(mine$lower > 0), at_most = 0)
    )
  }))
}
claims <- rbind(claims_of(differences), claims_of(at_equal_number, ", equal number of features"))
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
}, height = 1200)
report("held-out", "Held-out error against L0Learn and abess", list(
  "Differences, zeronorm minus the other, in points:" = differences,
  "The same at equal number of features:" = at_equal_number, "Errors:" = errors), character(), claims,
  plots = "held-out")

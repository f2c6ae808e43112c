# Claims: a path of l2_l0_svm() and one of fsv() take at most the time of L0Learn's path (squared hinge, l0) at the same
# numbers of features.
#
# The numbers of features are those that L0Learn's path finds by itself, at most 20; zeronorm and abess are asked for
# them.  All get the same standardised columns.  L0Learn finds the prices of its path itself; nu and lambda are found
# within the time measured: at C = 1 / q, q the pull at zero of the column that is 2 r-th in its order, r the features
# of
# the largest model, about so many columns join the l1-SVM; C is doubled until it keeps r, and the first round charges a
# weight as this machine does.  Errors are those of the largest model, on the training data and on 1,000 new cases.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sets <- list("colon 62 x 2000" = colon, "leukemia 72 x 7129" = leukemia, "simulated 100 x 20000" = wide,
             "simulated 2000 x 2000" = square)
largest <- 20
reference <- "L0Learn, squared hinge, L0"

l0learn <- function(data, penalty) {
  L0Learn::L0Learn.fit(data$x, data$y, loss = "SquaredHinge", penalty = penalty, maxSuppSize = largest)
}

sizes_of <- function(fit) sort(unique(fit$suppSize[[1]][fit$suppSize[[1]] > 0]))

# Of a weight against the mean slack.
first_price <- function(data, features) {
  n <- length(data$y)
  weight <- ifelse(data$y > 0, 1 / sum(data$y > 0), -1 / sum(data$y < 0)) * min(table(data$y))
  pull <- abs(as.vector(crossprod(data$x, weight)))
  C <- 1 / sort(pull, decreasing = TRUE)[2 * features]
  for (doubling in 1:10) {
    fit <- zeronorm(data$x, data$y, l1_svm(C), standardize = FALSE)
    if (certificate(fit)$nonzero >= features) break
    C <- 2 * C
  }
  1 / (n * C)
}

solvers <- function(data, sizes) {
  force(sizes)
  # The slope of 1 - exp(-5 w) at w = 1, where both begin, is 5 exp(-5).
  ours <- function(method) function() {
    price <- first_price(data, max(sizes)) / (5 * exp(-5))
    zeronorm(data$x, data$y, method(price), standardize = FALSE)
  }
  list(
    "zeronorm l2_l0_svm()" = ours(function(price) l2_l0_svm(mu = 10, nu = 10 * price, nonzero = rev(sizes))),
    "zeronorm fsv()" = ours(function(price) fsv(lambda = price / (1 + price), nonzero = rev(sizes))),
    "L0Learn, squared hinge, L0" = function() l0learn(data, "L0"),
    "L0Learn, squared hinge, L0L2, 10 ridges" = function() l0learn(data, "L0L2"),
    "abess, logistic" = function() {
      abess::abess(data$x, data$y > 0, family = "binomial", support.size = sizes, normalize = 0, num.threads = 1)
    }
  )
}

# Weights and intercepts of all models, a column each.
path_weights <- function(answer) {
  if (inherits(answer, "zeronorm")) return(as.matrix(coef(answer)))
  if (inherits(answer, "abess")) return(rbind(answer$intercept, as.matrix(answer$beta)))
  do.call(cbind, Map(function(b, w) rbind(b, as.matrix(w)), answer$a0, answer$beta))
}

judge <- function(data, test) function(answer) {
  W <- path_weights(answer)
  counts <- colSums(W[-1, , drop = FALSE] != 0)
  chosen <- W[, which.max(counts)]
  list(models = length(setdiff(unique(counts), 0)), `most features` = max(counts),
       `training error` = held_out_error(data, chosen[-1], chosen[1]),
       `held-out error` = if (is.null(test)) NA else held_out_error(test, chosen[-1], chosen[1]))
}

rows <- stacked(lapply(names(sets), function(name) {
  data <- standardised(sets[[name]]())
  test <- NULL
  if (grepl("simulated", name)) {
    test <- new_cases(sets[[name]])
    test$x <- scale(test$x, data$center, data$scale)
  }
  all <- solvers(data, in_fork(function() sizes_of(l0learn(data, "L0"))))
  stacked(lapply(names(all), function(what) timed(what, all[[what]], judge(data, test), data = name)))
}))

claims <- do.call(rbind, lapply(names(sets), function(name) {
  here <- rows[rows$data == name, ]
  rbind(faster(paste0(name, ": time of the l2_l0_svm() path / L0Learn's"), here,
               "zeronorm l2_l0_svm()", reference, at_most = 1),
        faster(paste0(name, ": time of the fsv() path / L0Learn's"), here, "zeronorm fsv()", reference,
               at_most = 1))
}))
picture("l0-path", function() plot_times(rows, "Paths of few features"))
report("l0-path", "Paths of few features", by_data(rows), character(), claims,
       plots = "l0-path")

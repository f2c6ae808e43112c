# The engines alone, on problems that each is made for.

solve_with <- function(data, surrogates, engine, cost, intercept = TRUE, standardize = TRUE, loss = "hinge",
                       highs = list()) {
  problem <- list(standardize = standardize, intercept = intercept, cost = cost, loss = loss)
  zeronorm:::solve_surrogates(data$x, as.double(data$y), problem, surrogates, engine, highs)
}

# The rounds of FSV for (1 - lambda) mean slack + lambda sum |w_j|, standardised columns: the prices of each follow from
# the last solution, once, so that every engine gets the same sequence.
fsv_rounds <- function(data, lambda = 0.05, alpha = 5, rounds = 6) {
  sd <- if (inherits(data$x, "dgCMatrix")) 1 / column_factors(data$x) else apply(data$x, 2, stats::sd)
  cost <- fsv_cost(data, lambda)
  surrogates <- list(list(l1 = rep(lambda, ncol(data$x))))
  for (k in seq_len(rounds)) {
    s <- solve_with(data, surrogates, "simplex", cost)
    surrogates[[k + 1]] <- list(l1 = lambda * exp(-alpha * abs(s[[k]]$w[, 1] * sd)))
  }
  surrogates
}

fsv_cost <- function(data, lambda = 0.05) rep((1 - lambda) / nrow(data$x), nrow(data$x))

# One problem for each engine: functions that solve it on standardised columns.
engine_tour <- function(data) {
  n <- nrow(data$x)
  d <- ncol(data$x)
  one <- function(engine, surrogate, cost, loss = "hinge") function() {
    solve_with(data, list(surrogate), engine, rep(cost, n), standardize = FALSE, loss = loss)[[1]]
  }
  # A tenth of the price that leaves no feature.
  price <- 0.1 * max(abs(crossprod(data$x, data$y - mean(data$y)))) / 2
  list(
    "simplex: l1-SVM, C = 10 / n" = one("simplex", list(l1 = rep(1, d)), 10 / n),
    "dual: l2-SVM, C = 1" = one("dual", list(l1 = numeric(d), scale = rep(1, d)), 1),
    "newton: l2-SVM, C = 1" = one("newton", list(l1 = numeric(d), scale = rep(1, d)), 1),
    "active_set: ridge and l1, mu = 10, nu = 0.1" =
      one("active_set", list(l1 = rep(0.1, d), scale = rep(1, d)), 10 / n),
    "smooth: logistic lasso" = one("smooth", list(l1 = rep(price, d), scale = rep(Inf, d)), 1, "logistic")
  )
}

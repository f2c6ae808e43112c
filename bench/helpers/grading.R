# Answers of all solvers are judged by the same few lines, from the data and their weights alone.

# The intercept that is best for the hinge: each of the breakpoints y_i - f_i raises the slope by 1, from minus
# the number of positive cases.
best_intercept <- function(f, y) sort(y - f)[sum(y > 0)]

# sum |w_j| + C sum max(0, 1 - y (x'w + b)), with the best intercept for these weights.
hinge_objective <- function(data, w, C) {
  f <- as.vector(data$x %*% w)
  sum(abs(w)) + C * sum(pmax(0, 1 - data$y * (f + best_intercept(f, data$y))))
}

# How far above the proven lower bound, relative to the value reached.
gap_above <- function(value, bound) (value - bound) / value

# Largest gap of a path: a column of weights for each C, a proven bound for each.
path_gaps <- function(data, W, C, bound) {
  vapply(seq_along(C), function(k) gap_above(hinge_objective(data, W[, k], C[k]), bound[k]), 0)
}

held_out_error <- function(test, w, b) mean(sign(as.vector(test$x %*% w) + b) != test$y)

# Largest violation of the optimality conditions of min sum_j |w_j| + C sum_i loss_i, relative to the price 1 of
# a weight, for the squared hinge as LiblineaR's type 5 has it; the last weight is the bias, which is penalised.
squared_hinge_violation <- function(data, w, b, C) {
  pull <- 2 * C * data$y * pmax(0, 1 - data$y * (as.vector(data$x %*% w) + b))
  violation(c(as.vector(Matrix::crossprod(data$x, pull)), sum(pull)), c(w, b))
}

# Of pulls g against weights of price 1: g = sign(w) where w is not 0, else |g| at most 1.
violation <- function(g, w) max(ifelse(w != 0, abs(g - sign(w)), abs(g) - 1), 0)

# Weights and, last, the intercept; LiblineaR's point to the class that it names first.
liblinear_weights <- function(x, y, ...) {
  fit <- LiblineaR::LiblineaR(x, y, bias = 1, ...)
  as.vector(fit$W) * fit$ClassNames[1]
}

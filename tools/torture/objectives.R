# What a solution is worth, in plain R from the data: the formulas of the help pages once more.  Columns are
# centred where there is an intercept and divided by their spread where they are standardised; U has the
# weights of the columns so changed, a column for each output.

# Mean, spread and what is left of x; weights are those of the observations.
plain_data <- function(problem) {
  settings <- problem$settings
  x <- problem$x
  n <- nrow(x)
  case <- if (is.null(settings$weights)) rep(1, n) else settings$weights
  standardize <- !isFALSE(settings$standardize)
  intercept <- !isFALSE(settings$intercept)
  total <- sum(case)
  freedom <- max(total - 1, total - sum(case^2) / total)
  mean <- colSums(x * case) / total
  spread <- if (freedom > 0) sqrt(colSums(sweep(x, 2, mean)^2 * case) / freedom) else 0 * mean
  flat <- !(spread > 1e-14 * sqrt(n) * abs(mean))
  unit <- if (standardize) ifelse(flat, 1, spread) else rep(1, ncol(x))
  z <- sweep(if (intercept) sweep(x, 2, mean) else x, 2, unit, "/")
  void <- flat & (intercept | mean == 0)
  z[, void] <- 0
  # Digits that a column loses to its mean.
  lost <- ifelse(void | !(spread > 0), 0, abs(mean) / ifelse(spread > 0, spread, 1))
  g <- list(n = n, d = ncol(x), lost = lost, x = x, z = z, mean = if (intercept) mean else 0 * mean,
            unit = unit, void = void,
            intercept = intercept, standardize = standardize, case = case, task = problem$task,
            free = settings$unpenalized, keep = settings$keep, deviation = spread)
  c(g, plain_labels(problem$y, problem$task, case, settings$class_weights))
}

# Labels as -1 and +1 (numbers in regression), a column for each output; weights with those of the classes.
plain_labels <- function(y, task, case, class_weights) {
  if (task == "regression") return(list(y = as.matrix(y), weights = case))
  if (task == "multi-label") return(list(y = 2 * unname(y) - 1, weights = case))
  y <- droplevels(y)
  levels <- levels(y)
  if (is.null(class_weights)) class_weights <- structure(rep(1, length(levels)), names = levels)
  if (identical(class_weights, "balanced")) {
    class_weights <- sum(case) / (length(levels) * tapply(case, y, sum))
  }
  weights <- case * as.vector(class_weights[as.character(y)])
  signs <- if (task == "two-class") as.matrix(ifelse(y == levels[2], 1, -1))
           else unname(outer(as.character(y), levels, "==")) * 2 - 1
  list(y = signs, weights = weights, class = as.integer(y))
}

decisions <- function(g, U, b) sweep(g$z %*% U, 2, b, "+")

plain_losses <- list(
  hinge = function(y, f) pmax(1 - y * f, 0),
  squared_hinge = function(y, f) pmax(1 - y * f, 0)^2 / 2,
  squared = function(y, f) (y - f)^2 / 2,
  logistic = function(y, f) pmax(-y * f, 0) + log1p(exp(-abs(f)))
)

# sum over other classes of (2 - f_own + f_k)_+.
weston_watkins <- function(g, f) {
  own <- f[cbind(seq_len(g$n), max.col(g$y, "first"))]
  rowSums(pmax(2 - own + f, 0)) - 2
}

# The loss of all observations; f as decisions() has it.
total_loss <- function(g, f, loss, weights = g$weights) {
  if (loss == "weston_watkins") return(sum(weights * weston_watkins(g, f)))
  sum(weights * plain_losses[[loss]](g$y, f))
}

# Prices of |w_j|: none for features outside the penalty.
l1_prices <- function(g, costs = NULL) {
  replace(if (is.null(costs)) rep(1, g$d) else costs, c(g$free, g$keep), 0)
}

ridged <- function(g) replace(rep(1, g$d), g$free, 0)

class_means <- function(g) g$weights / as.vector(rowsum(g$weights, g$class))[g$class]

# l1 sum_j c_j |u_j| + ridge/2 |u|^2 + price sum_i W_i L, a hard margin for an infinite price.
machine <- function(g, l1, ridge, price, loss = "hinge", costs = NULL, weights = g$weights, size = abs) {
  prices <- l1_prices(g, costs)
  curved <- ridged(g)
  norm <- function(U) l1 * sum(prices * size(U)) + ridge / 2 * sum(curved * U^2)
  hard <- is.infinite(price)
  list(hard = hard, price = if (hard) 0 else price, weights = weights, loss = loss, norm = norm,
       floor = if (hard) 0 else 1e-4 * price * sum(weights),
       value = function(U, b) {
         f <- decisions(g, U, b)
         if (hard) return(norm(U))
         norm(U) + price * total_loss(g, f, loss, weights)
       },
       shortfall = function(U, b) if (hard) max(0, shortfalls(g, decisions(g, U, b), loss)) else 0)
}

# How far margins are from 1 (2 between classes).
shortfalls <- function(g, f, loss) {
  if (loss != "weston_watkins") return(1 - g$y * f)
  own <- f[cbind(seq_len(g$n), max.col(g$y, "first"))]
  ahead <- 2 - own + f
  ahead[cbind(seq_len(g$n), max.col(g$y, "first"))] <- 0
  ahead
}

# For the methods whose solutions are global minima: the objective of the solution in row s of certificate().
# NULL where nothing is to be said.
convex_objectives <- list(
  l1_svm = function(g, a, s) if (is.null(a$stop)) machine(g, 1, 0, s$C, costs = a$costs),
  l2_svm = function(g, a, s) if (identical(a$kernel, "linear")) machine(g, 0, 1, s$C, a$loss),
  linf_svm = function(g, a, s) {
    o <- machine(g, 1, 0, s$C)
    priced <- setdiff(seq_len(g$d), g$free)
    o$norm <- function(U) max(0, abs(U)[priced])
    o$value <- function(U, b) o$norm(U) + if (o$hard) 0 else s$C * total_loss(g, decisions(g, U, b), "hinge")
    o
  },
  rlp = function(g, a, s) {
    machine(g, 0, 0, 1, weights = if (a$average == "sum") g$weights else class_means(g))
  },
  l2_l1_svm = function(g, a, s) {
    if (a$degree == 1) machine(g, s$nu, 1, s$mu / sum(g$weights), costs = a$costs)
  },
  m_svm = function(g, a, s) {
    loss <- if (ncol(g$y) > 1) "weston_watkins" else "hinge"
    if (is.finite(s$C)) machine(g, a$norm == "l1", a$norm == "l2", s$C, loss)
  },
  lasso = function(g, a, s) lasso_objective(g, a, s, "squared"),
  generalized_lasso = function(g, a, s) lasso_objective(g, a, s, "logistic"),
  scaling_lp = function(g, a, s) machine(g, 1, 0, Inf),
  p_svm = function(g, a, s) {
    o <- machine(g, s$epsilon, 0, 1, "squared", a$costs)
    bound <- replace(rep(if (is.null(s$C)) Inf else s$C, g$d), g$free, Inf)
    value <- o$value
    # Without what no coefficient changes: half the squares of y itself.
    known <- cbind(if (g$intercept) rep(1, g$n), g$z[, g$free, drop = FALSE])
    root <- sqrt(g$weights)
    left <- if (length(known)) qr.resid(qr(root * known), root * g$y) else root * g$y
    o$value <- function(U, b) if (any(abs(U) > bound * (1 + 1e-9))) Inf else value(U, b) - sum(left^2) / 2
    o
  },
  grafting = function(g, a, s) {
    if (a$lambda0 > 0 || (a$l2 == "norm" && a$lambda2 > 0)) return(NULL)
    machine(g, s$lambda1, 2 * a$lambda2, 1 / sum(g$weights), a$loss)
  },
  adaptive_scaling = function(g, a, s) {
    if (!identical(a$kernel, "linear") || s$p < 2) return(NULL)
    o <- machine(g, 0, 1, s$C)
    r <- 2 * s$p / (s$p + 2)
    # Scales of their own for features that are kept, none for those without a penalty.
    inside <- setdiff(seq_len(g$d), c(g$free, g$keep))
    apart <- setdiff(g$keep, g$free)
    sigma0 <- if (is.null(a$sigma0)) 1 else a$sigma0
    o$norm <- function(U) (sum(abs(U[inside])^r)^(2 / r) + sum(U[apart]^2)) / (2 * sigma0^2)
    o$value <- function(U, b) o$norm(U) + if (o$hard) 0 else s$C * total_loss(g, decisions(g, U, b), "hinge")
    o
  }
)

lasso_objective <- function(g, a, s, loss) {
  if (!is.null(a$stop)) return(NULL)
  if (is.null(a$s)) return(machine(g, s$lambda, 0, 1, loss, a$costs))
  o <- machine(g, 0, 0, 1, loss)
  prices <- l1_prices(g, a$costs)
  value <- o$value
  # The norm of each output has the bound.
  o$value <- function(U, b) if (any(colSums(prices * abs(U)) > s$s * (1 + 1e-12))) Inf else value(U, b)
  o
}

# The machine trained on selected features, with slacks at a finite price: those outside stay at 0.
refit_objective <- function(g, a, U) {
  if (is.null(a$refit) || !a$refit %in% c("l1", "l2") || g$task == "regression") return(NULL)
  C <- if (is.null(a$refit_C)) a$C else a$refit_C
  joint <- identical(a$refit_multiclass, "m_svm") && g$task == "k-class"
  if (is.null(C) || !is.finite(C) || length(C) > 1 || identical(a$average, "class_mean")) return(NULL)
  g$keep <- NULL
  o <- machine(g, a$refit == "l1", a$refit == "l2", C, if (joint) "weston_watkins" else "hinge")
  # Of each output its own.
  o$entries <- which(U != 0 | row(U) %in% g$free)
  o
}

# Least squares on selected features: nothing of them is left in the residuals.
least_squares_left <- function(g, U, b) {
  residual <- g$y - decisions(g, U, b)
  columns <- g$z[, rowSums(abs(U)) > 0, drop = FALSE]
  if (g$intercept) columns <- cbind(columns, 1)
  if (!ncol(columns)) return(0)
  products <- crossprod(columns, g$weights * residual)
  sizes <- outer(sqrt(colSums(g$weights * columns^2)), sqrt(colSums(g$weights * g$y^2)))
  max(0, abs(products / ifelse(sizes > 0, sizes, 1)))
}

# What the last digits of large weights, which cancel, can leave of them.
least_squares_rounding <- function(g, U) {
  2.2e-16 * max(abs(g$z) %*% abs(U)) * sqrt(sum(g$weights) / max(colSums(g$weights * g$y^2), 1e-300))
}

# Concave penalties and their slopes.
concave <- function(penalty, t) {
  alpha <- penalty$alpha[length(penalty$alpha)]
  switch(penalty$kind,
    exp = 1 - exp(-alpha * t),
    log = log(penalty$eps + t),
    power = (t + penalty$eps)^penalty$p,
    inverse = -(t + penalty$eps)^(-penalty$p),
    l1 = t,
    capped = pmin(t / penalty$theta, 1),
    scad = {
      lambda <- penalty$lambda
      a <- penalty$a
      ifelse(t <= lambda, lambda * t,
             ifelse(t <= a * lambda, (2 * a * lambda * t - t^2 - lambda^2) / (2 * (a - 1)),
                    lambda^2 * (a + 1) / 2))
    },
    mcp = ifelse(t <= penalty$a * penalty$lambda, penalty$lambda * t - t^2 / (2 * penalty$a),
                 penalty$a * penalty$lambda^2 / 2)
  )
}

# The objective of reweighting methods: l1 is the price of the penalty.
concave_objectives <- list(
  fsv = function(g, a, s) {
    if (!identical(a$kernel, "linear") || !is.null(a$stop)) return(NULL)
    weights <- switch(a$average, sum = g$weights, mean = g$weights / sum(g$weights), class_mean = class_means(g))
    penalised(g, machine(g, 0, 0, 1 - s$lambda, weights = weights), a$penalty, s$lambda)
  },
  fw1 = function(g, a, s) penalised(g, machine(g, 0, 0, Inf), a$penalty, 1),
  dca = function(g, a, s) {
    if (a$magnitude == "max" || ncol(g$y) > 1 || a$loss == "epsilon_insensitive") return(NULL)
    penalised(g, machine(g, 0, a$ridge, s$C, a$loss), a$penalty, 1)
  },
  l2_l0_svm = function(g, a, s) {
    if (a$degree == 1) penalised(g, machine(g, 0, 1, s$mu / sum(g$weights)), a$penalty, s$nu)
  }
)

penalised <- function(g, o, penalty, price) {
  prices <- l1_prices(g)
  value <- o$value
  o$value <- function(U, b) value(U, b) + price * sum((prices > 0) * concave(penalty, abs(U)))
  o
}

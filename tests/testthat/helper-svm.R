# min 1/2 |w|^2 + C sum weights_i xi_i by quadprog on the whole primal, list(w, b); what has no ridge gets
# one of 1e-9.  C = Inf: no slacks.  free: columns without ridge.
exact_svm <- function(x, y, C = Inf, weights = rep(1, length(y)), intercept = TRUE, free = integer()) {
  d <- ncol(x)
  rows <- y * cbind(x, if (intercept) 1)
  ridge <- replace(rep(1, ncol(rows)), c(free, if (intercept) d + 1), 1e-9)
  if (is.infinite(C)) {
    u <- quadprog::solve.QP(diag(ridge, length(ridge)), 0 * ridge, t(rows), rep(1, length(y)))$solution
  } else {
    n <- length(y)
    constraints <- rbind(cbind(rows, diag(n)), cbind(matrix(0, n, ncol(rows)), diag(n)))
    u <- quadprog::solve.QP(diag(c(ridge, rep(1e-9, n))), -c(0 * ridge, C * weights), t(constraints),
                            rep(1:0, each = n))$solution
  }
  list(w = u[seq_len(d)], b = if (intercept) u[d + 1] else 0)
}

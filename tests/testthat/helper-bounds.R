sign_of <- function(y) ifelse(y == "up", 1, -1)

# Both from primal points made feasible, hence from above: the machine stretched until its margin is 1, the
# ball around the centre found blown up until it holds every point. The tiny ridge is for the solver's sake.
reference_norm2 <- function(k, y) {
  n <- length(y)
  quadratic <- (k * tcrossprod(y)) + 1e-10 * mean(diag(k)) * diag(n)
  a <- y * quadprog::solve.QP(quadratic, rep(1, n), cbind(y, diag(n)), rep(0, n + 1), meq = 1)$solution
  f <- as.vector(k %*% a)
  margin <- (min(f[y > 0]) - max(f[y < 0])) / 2
  sum(k * tcrossprod(a)) / margin^2
}

reference_radius2 <- function(k) {
  n <- nrow(k)
  quadratic <- 2 * k + 1e-10 * mean(diag(k)) * diag(n)
  b <- quadprog::solve.QP(quadratic, diag(k), cbind(1, diag(n)), c(1, rep(0, n)), meq = 1)$solution
  max(diag(k) - 2 * as.vector(k %*% b) + sum(k * tcrossprod(b)))
}

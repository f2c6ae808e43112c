#' Sparse codes in a dictionary
#'
#' The fewest atoms of a dictionary that make up a signal:
#' \deqn{\min_c |c|_0 \quad \textrm{subject to} \quad |x - D c|_\infty \le tol}
#' by the multiplicative update of [arom()]: each round finds the code with the smallest norm of
#' \eqn{c_j / z_j}, and its magnitudes are the next scales, \eqn{z \leftarrow |c|}. With `norm = "l1"` a
#' round is a linear programme, the first of them basis pursuit. With `norm = "l2"` and `tol = 0` it is
#' \eqn{c = Z^2 D'(D Z^2 D')^{-1} x}, with `tol > 0` a quadratic programme. The fixed point is a local
#' optimum of \eqn{\sum_j \ln|c_j|}.
#'
#' Of 300 signals made of 5 among 200 Gaussian atoms in 50 dimensions, with Gaussian coefficients, `"l1"`
#' finds the atoms in all and `"l2"` in 197: it loses small coefficients.
#'
#' @param x a signal, or a matrix with a signal in each column, dense or of package Matrix.
#' @param dictionary a matrix with an atom in each column, dense or of package Matrix.
#' @param tol largest error of any entry; 0 asks for equality, which holds up to 1e-10 of the largest entry of
#'   the signal.
#' @param norm `"l1"` or `"l2"`.
#' @param standardize whether z starts with the inverse lengths of the atoms; with ones long atoms are
#'   cheap.
#' @param engine,control as for [zeronorm()].
#' @return An object of class `zeronorm_support` as of [min_support()]; for a matrix of signals `value` is a
#'   sparse matrix with a code in each column, `support` a list, and the certificate has a row for each.
#'   `fitted()` gives \eqn{D c}.
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' atoms <- matrix(rnorm(20 * 60), 20)
#' x <- atoms[, c(3, 14, 15)] %*% c(2, -1, 3)
#' sparse_code(x, atoms)
#' @export
sparse_code <- function(x, dictionary, tol = 0, norm = "l1", standardize = TRUE, engine = "auto",
                        control = zeronorm_control()) {
  D <- encode_coefficients(dictionary, "dictionary")
  signals <- encode_signals(x, nrow(D))
  tol <- check_number(tol, "tol")
  method <- arom(check_choice(norm, "norm", c("l1", "l2")))
  settings <- support_settings(engine, control)
  unit <- if (check_flag(standardize, "standardize")) 1 / column_sizes(D) else rep(1, ncol(D))
  found <- lapply(seq_len(ncol(signals)), function(k) {
    signal <- signals[, k]
    width <- max(tol, equation_tolerance * max(abs(signal)))
    find_support(D, signal - width, signal + width, method, settings, unit)
  })
  far <- which(vapply(found, failed_status, "") == "infeasible")
  if (length(far) == length(found)) {
    stop_zeronorm("tol", paste0("is ", tol, ", but no combination of the atoms comes as near to ",
                                if (ncol(signals) > 1) "any signal." else "`x`."),
                  "Use a larger tolerance, or more atoms.")
  }
  check_found(found, "sparse_code")
  new_support("sparse_code", found, D, several = ncol(signals) > 1, names = colnames(signals),
              class = "zeronorm_code", dictionary = D)
}

# Lengths of the atoms; one for an atom of zeros.
column_sizes <- function(D) {
  size <- sqrt(if (is.matrix(D)) colSums(D^2) else Matrix::colSums(D^2))
  replace(size, size == 0, 1)
}

# Equations hold up to this share of the largest entry.
equation_tolerance <- 1e-10

encode_signals <- function(x, n) {
  if (is.numeric(x) && is.null(dim(x))) x <- matrix(x, ncol = 1)
  x <- as.matrix(encode_coefficients(x, "x"))
  if (nrow(x) == n) return(x)
  stop_zeronorm("x", paste0("has ", nrow(x), " entries but the atoms have ", n, "."),
                "A signal is a column as long as the atoms.")
}

#' @method fitted zeronorm_code
#' @export
fitted.zeronorm_code <- function(object, ...) {
  check_unused(...)
  check_result(object)
  fit <- as.matrix(object$dictionary %*% object$value)
  if (is.list(object$support)) fit else fit[, 1]
}

#' Frank-Wolfe with unit step for the zero-norm
#'
#' \deqn{\min_{w,b} \sum_j \phi(|w_j|) \quad \mbox{subject to} \quad y_i (w'x_i + b) \ge 1}
#' Each round is a linear programme with the slopes of the penalty as prices; it ends after finitely many
#' rounds at a stationary vertex. An error where the classes are not separable.
#'
#' @inheritParams fsv
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Rinaldi, F., Schoen, F. and Sciandrone, M. (2010). Concave programming for minimizing the zero-norm over
#' polyhedral sets. *Computational Optimization and Applications* 46, 467-486.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' selected(zeronorm(x, y, fw1()))
#' @concept methods by a concave penalty
#' @export
fw1 <- function(penalty = exp_penalty(5), start = 0, nonzero = NULL,
                refit = "l2", refit_C = Inf) {
  args <- arguments()
  new_reweighting("fw1", "FW1", args, tuning = data.frame(row.names = 1L),
                  steps = new_steps(1, 0, 1, hard = TRUE), reference = "Rinaldi, Schoen and Sciandrone (2010)",
                  soft = "Use fsv().")
}

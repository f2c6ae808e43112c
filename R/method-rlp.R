#' Robust linear programming
#'
#' \deqn{\min_{w,b} \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i (w'x_i + b))}
#' Slacks alone, without a norm. With `average = "class_mean"` each slack is divided by the size of its class.
#' Among the optima the one with the smallest \eqn{|w|_1} is returned.
#'
#' @param average `"sum"` or `"class_mean"`.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bennett, K. P. and Mangasarian, O. L. (1992). Robust linear programming discrimination of two linearly
#' inseparable sets. *Optimization Methods and Software* 1, 23-34.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 5), 60)
#' y <- x[, 1] + rnorm(60) > 0
#' coef(zeronorm(x, y, rlp(average = "class_mean")))
#' @concept methods without selection
#' @export
rlp <- function(average = "sum") {
  args <- arguments()
  new_method("rlp", "robust linear programme", args, tuning = data.frame(row.names = 1L),
             steps = new_steps(0, 0, 1), reference = "Bennett and Mangasarian (1992)",
             model = new_model(average = check_choice(average, "average", c("sum", "class_mean"))))
}

#' Concave minimisation combined with support vector machines
#'
#' In the present subspace of features: (1) a linear l2-SVM, its C chosen by cross-validation; (2) on the
#' observations it classifies well, \eqn{I = \{i: \xi_i < 1\}}, the linear programme
#' \deqn{\min_{v,b} \sum_j \phi'(|w_j|) |v_j| \quad \mbox{subject to} \quad y_i (v'x_i + b) \ge 1, \; i \in I}
#' (3) features with \eqn{v_j = 0} are dropped; until their number does not fall. The classifier returned is
#' the machine of the last subspace.
#'
#' @param penalty a penalty, see [penalties].
#' @param C_grid values of C to choose from.
#' @param folds number of folds, drawn once and stratified by class; `zeronorm(foldid = )` overrides them.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Rinaldi, F. and Sciandrone, M. (2010). Feature selection combining linear support vector machines and
#' concave optimization. *Optimization Methods and Software* 25, 117-128.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' selected(zeronorm(x, y, fs_svmcp(C_grid = 2^(-3:3))))
#' @concept methods by a concave penalty
#' @export
fs_svmcp <- function(penalty = inverse_penalty(1, 1e-6), C_grid = 2^(-5:10), folds = 5) {
  args <- arguments()
  C_grid <- check_numbers(C_grid, "C_grid", open_lower = TRUE)
  new_method("fs_svmcp", "FS-SVMCP", args, tuning = data.frame(row.names = 1L), steps = new_steps(0, 1, 1),
             reference = "Rinaldi and Sciandrone (2010)", family = "fs_svmcp",
             core = list(penalty = as_penalty(penalty), C_grid = sort(C_grid)),
             folds = check_count(folds, "folds", lower = 2), declares = declare(first = TRUE, descends = FALSE))
}

core_options.zeronorm_fs_svmcp <- function(method, problem, steps) {
  list(penalty = unclass(method$core$penalty), C_grid = method$core$C_grid, folds = problem$folds)
}

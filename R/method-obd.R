#' Optimal brain damage
#'
#' Trains a machine, drops the features of smallest saliency \eqn{h_{jj} w_j^2 / 2}, and repeats. The
#' saliency is what the objective \eqn{T = \sum_i L(y_i, f(x_i)) + \lambda |w|^2} rises by, to second order,
#' when a weight becomes 0; \eqn{h_{jj} = \partial^2 T / \partial w_j^2}.
#'
#' For the linear machine with logistic or squared loss
#' \eqn{h_{jj} = \sum_i L''(y_i, f(x_i)) x_{ij}^2 + 2 \lambda}, which is Gauss and Newton's approximation as
#' well. The hinge loss has no second derivative but 0, so that \eqn{h_{jj} = 2 \lambda} for all features:
#' there optimal brain damage is recursive feature elimination, `svm_rfe(C = 1 / (2 * lambda))`.
#'
#' With `hidden = q` the machine is a network,
#' \deqn{f(x) = b + \sum_q v_q \tanh(w_q'x + a_q), \quad
#' T = \sum_i L(y_i, f(x_i)) + \lambda \left( \sum_q |w_q|^2 + |v|^2 \right)}
#' trained to a minimum by a quasi-Newton method, the best of `starts` random starts. The saliency of a
#' feature is \eqn{\sum_q h_{jq} w_{qj}^2 / 2}, and after each round training goes on from the weights of
#' the features that stayed. The network of the last round is the machine that predicts: its [certificate()]
#' is the relative size of the gradient at a local minimum, [feature_importance()] is \eqn{|w_{\cdot j}|}, and
#' [coef()] is an error.
#'
#' Of several classes, or labels, each has a machine (or an output of the network) of its own against the
#' rest, and the saliencies are summed over them.
#'
#' @param hidden number of hidden units of the network; 0 is the linear machine.
#' @inheritParams logistic_rfe
#' @param loss `"logistic"`, `"squared"` (\eqn{(y - f)^2 / 2}; numbers, or classes as -1 and +1), or without
#'   hidden units `"hinge"`.
#' @param hessian for hidden units: `"exact"` second derivatives, or `"gauss_newton"`, without those of the
#'   units' outputs.
#' @param starts number of networks tried first; their weights are drawn with R's random numbers.
#' @param refit the machine trained on the selected features: `"none"`, which takes that of the round (with
#'   hidden units the network), or `"l2"` or `"l1"`, a support vector machine (in regression least squares
#'   with that norm).
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' LeCun, Y., Denker, J. S. and Solla, S. A. (1990). Optimal brain damage. *NIPS* 2, 598-605.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(80 * 8), 80)
#' selected(zeronorm(x, x[, 1] - x[, 2] > 0, obd(nonzero = 2)))
#' y <- x[, 1] * x[, 2] > 0
#' fit <- zeronorm(x, y, obd(hidden = 4, nonzero = 2, step = 1))
#' selected(fit)
#' mean(predict(fit, x) == y)
#' @concept methods by dropping features
#' @export
obd <- function(hidden = 0, nonzero = NULL, step = 0.5, loss = "logistic", lambda = 0.1, hessian = "exact",
                starts = 5, groups = NULL, group_score = "sum", refit = "none", refit_C = Inf,
                refit_multiclass = "ovr") {
  args <- arguments()
  hidden <- check_count(hidden, "hidden", lower = 0)
  loss <- check_choice(loss, "loss", c("logistic", "squared", if (hidden == 0) "hinge"))
  hessian <- check_choice(hessian, "hessian", c("exact", "gauss_newton"))
  ridge_elimination("obd", "optimal brain damage", args, "LeCun, Denker and Solla (1990)", loss = loss,
                    family = "brain_damage",
                    core = list(hidden = hidden, gauss_newton = hessian == "gauss_newton",
                                starts = check_count(starts, "starts")),
                    tasks = all_tasks, takes = c(class_tasks, if (loss == "squared") "regression"),
                    certificate = if (hidden > 0 && identical(refit, "none")) "stationarity" else "gap")
}

# Normal numbers for the weights of a network, a column for each start; the only place that draws them.
prepare_problem.zeronorm_brain_damage <- function(method, problem) {
  hidden <- method$core$hidden
  if (hidden == 0) return(problem)
  outputs <- ncol(problem$y)
  size <- hidden * (problem$d + 1) + outputs * (hidden + 1)
  problem$networks <- matrix(stats::rnorm(size * method$core$starts), size)
  problem
}

core_options.zeronorm_brain_damage <- function(method, problem, steps) {
  own <- method$core[names(method$core) != "starts"]
  c(own, list(groups = problem$groups, networks = problem$networks))
}

# list(columns, W, a, V, b) for each solution that is a network, f(x) = V' tanh(W'x + a) + b.
read_networks <- function(method, problem, solutions) {
  if (all(vapply(solutions$networks, is.null, NA))) return(NULL)
  d <- problem$d
  q <- method$core$hidden
  k <- ncol(problem$y)
  lapply(solutions$networks, function(numbers) {
    if (is.null(numbers)) return(NULL)
    parts <- split(numbers, rep(1:4, c(d * q, q, q * k, k)))
    w <- matrix(parts[[1]], d, q)
    columns <- which(rowSums(w != 0) > 0)
    list(columns = columns, W = w[columns, , drop = FALSE], a = parts[[2]], V = matrix(parts[[3]], q, k),
         b = parts[[4]])
  })
}

network_decisions <- function(fit, newdata, picked) {
  networks <- fit$networks[picked]
  needed <- sort(unique(unlist(lapply(networks, `[[`, "columns"))))
  newdata <- needed_columns(fit, newdata, needed)
  outputs <- max(1, length(fit$outputs))
  values <- lapply(networks, function(net) {
    if (is.null(net)) return(matrix(NA_real_, nrow(newdata), outputs))
    x <- as.matrix(newdata[, match(net$columns, needed), drop = FALSE])
    sweep(tanh(sweep(x %*% net$W, 2, net$a, "+")) %*% net$V, 2, net$b, "+")
  })
  do.call(cbind, values)
}

#' Elimination by approximate large margin perceptrons
#'
#' Trains the perceptron ALMA of p-norms with \eqn{p = \max(2, 2 \ln d)} on the d features left, keeps the
#' features of largest \eqn{|w_j|} that satisfy
#' \deqn{\sum_{j\ kept} |w_j|^q \ge 1 - \big(a (1 - a) \gamma\big)^q, \quad q = \frac{p}{p - 1},}
#' and repeats until no feature is dropped. Here \eqn{|w|_q = 1} and \eqn{\gamma = \min_i y_i w'x_i / |x_i|_p}
#' is the margin of the perceptron, which is at least \eqn{1 - a} times the largest there is. By Hoelder's
#' inequality what is left keeps a margin of \eqn{\gamma (1 - a (1 - a))} at least, so that every perceptron
#' separates the classes. The number of features is a result; the smaller p is, the less sparse w is and the
#' fewer features go.
#'
#' The k-th update, with \eqn{\gamma_k = \sqrt{8 (p - 1) / k} / a} and \eqn{\eta_k = \sqrt{2 / ((p - 1) k)}},
#' is made at the observation of least margin (the first at that nearest to the mean of all \eqn{y_i x_i /
#' |x_i|_p}) as long as that is no more than \eqn{(1 - a) \gamma_k}: the result does not depend on the order
#' of the observations. The intercept is the weight of a column of ones beside the centred features, never
#' dropped. Time grows with \eqn{1 / (a \gamma)^2}. In `rounds()`, the objective is \eqn{\gamma} and the gap
#' its relative distance from an upper bound on any margin.
#'
#' ALMA has no soft margin. Classes that no line separates are an error.
#'
#' @param a accuracy of the perceptron, above 0 and at most 1; a vector is a path. With 1 no feature goes.
#' @param refit the machine trained on the selected features: `"l2"` or `"l1"`.
#' @param refit_C its C; Inf means a hard margin.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Gentile, C. (2001). A new approximate maximal margin classification algorithm. *JMLR* 2, 213-242.
#'
#' Gentile, C. (2004). Fast feature selection from microarray expression data via multiplicative large margin
#' algorithms. *NIPS* 16.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(30 * 100), 30)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, alma_rfe(a = 0.5))
#' selected(fit)
#' rounds(fit)
#' @concept methods by dropping features
#' @export
alma_rfe <- function(a = 0.5, refit = "l2", refit_C = Inf) {
  args <- arguments()
  a <- check_numbers(a, "a", upper = 1, open_lower = TRUE)
  new_method("alma_rfe", "ALMA", args, tuning = data.frame(a = a),
             steps = cbind(new_steps(0, 1, 1, hard = TRUE), a = a), reference = "Gentile (2004)", family = "alma",
             selection = new_selection(args, c("l2", "l1")),
             declares = declare(descends = FALSE, soft = "Use svm_rfe()."))
}

core_options.zeronorm_alma <- function(method, problem, steps) list(a = steps$a)

# Relevance determination: precisions of weights that maximise the evidence.

#' Automatic relevance determination
#'
#' Every weight has a Gaussian prior \eqn{w_j \sim N(0, 1/\beta_j)} of its own, and the precisions
#' \eqn{\beta} maximise the evidence \eqn{P(y | \beta)}. Those of features that do not help become infinite,
#' and these features are dropped. Each round finds the weights of largest posterior,
#' \deqn{\min_{w,b} \sum_i \ln(1 + e^{-y_i f(x_i)}) + \frac12 \sum_j \beta_j w_j^2,}
#' takes the Hessian H of that there (Laplace's approximation), and sets
#' \deqn{\beta_j = \frac{1 - \beta_j (H^{-1})_{jj}}{w_j^2}.}
#' The rounds start at \eqn{\beta_j = 1}, a precision above \eqn{10^9} drops the feature, and they end where
#' the equation holds; extrapolation from the last rounds makes that soon. The result is a local maximum of
#' the evidence. Precisions are those of standardised columns, and H has a row for the intercept, which has no
#' prior.
#'
#' With a kernel the features are its values at the observations,
#' \eqn{f(x) = \sum_i w_i k(x_i, x) + b}: the relevance vector machine. The kernel need not be positive
#' definite, and few observations are used. For numeric y the loss is \eqn{(y_i - f(x_i))^2 / (2 \sigma^2)}
#' with the noise \eqn{\sigma^2 = \sum_i (y_i - f(x_i))^2 / (n - \sum_j \gamma_j - 1)}, \eqn{\gamma_j = 1 -
#' \beta_j (H^{-1})_{jj}}, found in the same rounds.
#'
#' In [certificate()] `primal`, `dual` and `gap` are those of the last problem for w, and `kkt` is at least
#' \eqn{\max_j |\beta_j w_j^2 - \gamma_j|}. In [rounds()] `objective` is minus the logarithm of the evidence,
#' but for a constant; the rounds need not lower it. There may be ten times `max_rounds` of
#' [zeronorm_control()].
#'
#' @param kernel NULL for the features themselves, or a kernel as in [l2_svm()].
#' @param multiclass for several classes: `"ovr"`, one against the rest, or `"ovo"`, one against one as in
#'   [norm_svm()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' MacKay, D. J. C. (1992). The evidence framework applied to classification networks. *Neural Computation*
#' 4, 720-736.
#'
#' Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. *JMLR* 1, 211-244.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, Springer, 137-165.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60)
#' y <- x[, 1] - x[, 2] + 0.5 * rnorm(60) > 0
#' selected(zeronorm(x, y, ard()))
#'
#' z <- matrix(rnorm(100 * 2), 100)
#' fit <- zeronorm(z, rowSums(z^2) + 0.5 * rnorm(100) > 1.4, ard(gaussian_kernel(1)))
#' coef(fit)
#' @concept methods by scales and posteriors
#' @export
ard <- function(kernel = NULL, multiclass = "ovr") {
  args <- arguments()
  if (!is.null(kernel)) kernel <- as_kernel(kernel)
  new_method("ard", if (is.null(kernel)) "ARD" else "relevance vector machine", args,
             tuning = data.frame(row.names = 1L), steps = new_steps(0, 1, 1),
             reference = "Lal, Chapelle, Weston and Elisseeff (2006)", family = "ard",
             model = new_model(loss = "logistic", kernel = kernel, expansion = TRUE,
                               multiclass = check_choice(multiclass, "multiclass", c("ovr", "ovo"))),
             declares = declare(all_tasks, selects = if (is.null(kernel)) "features" else "observations",
                                certificate = "stationarity", descends = FALSE))
}

prepare_problem.zeronorm_ard <- function(method, problem) {
  if (problem$task == "regression") problem$loss <- "squared"
  problem
}

#' Feature selection by kernel-target alignment
#'
#' Scales the features within a kernel by \eqn{\theta \in [0, 1]^d},
#' \deqn{\min_\theta\; -\frac{1 - \lambda}{2}\, y_n' K_\theta\, y_n
#'   + \frac{\lambda}{d} \sum_j (1 - e^{-\alpha \theta_j}), \quad y_{n,i} = y_i / n_{y_i}}
#' where \eqn{y_n' K_\theta y_n} is the squared distance of the class centres and K the kernel
#' \eqn{\exp(-\sum_j \theta_j (x_j - z_j)^2 / (2\, width^2))} or its like. Features with
#' \eqn{\theta_j} above `threshold` are kept, seldom all of them even with \eqn{\lambda = 0}, and the
#' classifier is the l2-SVM of the kernel so scaled.
#'
#' Found by the difference-of-convex-functions algorithm from \eqn{\theta_j = 1/2}: each round is a convex
#' problem over the box, and the objective never rises. A local minimum. Rounds are cheap: there may be ten
#' times `max_rounds` of [zeronorm_control()]. The paper's Gaussian machine has no intercept:
#' `zeronorm(intercept = FALSE)`.
#'
#' @param lambda weight of the penalty, from 0 up to but not including 1; a vector is a path.
#' @param kernel [gaussian_kernel()] or [chi2_kernel()]. The default width is \eqn{\sqrt d / 2}, d the number
#'   of all features. With `standardize = TRUE` columns are centred and scaled for the Gaussian kernel, never
#'   for the chi-squared one, which takes no negative values.
#' @param alpha steepness of the penalty.
#' @param C cost parameter of the classifier: the penalty on margin violations; several make a grid.
#' @param threshold a feature is kept where \eqn{\theta_j} is larger.
#' @param tol the rounds end when no \eqn{\theta_j} changes by more, absolutely or relatively.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()]. In the fit, [selected()] has
#'   the features kept in the order of \eqn{\theta_j}, [feature_importance()] all \eqn{\theta_j}, 0 where not kept,
#'   and [coef.zeronorm()] the coefficients of the support vectors.
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(runif(64 * 4, 0, 4), 64)
#' y <- xor(x[, 1] > 2, x[, 2] > 2)
#' fit <- zeronorm(x, y, kernel_alignment(lambda = 0.1, kernel = gaussian_kernel(1), C = 10),
#'                 standardize = FALSE)
#' selected(fit)
#' mean(predict(fit, x) == y)
#' @concept methods by scales and posteriors
#' @export
kernel_alignment <- function(lambda, kernel = gaussian_kernel(), alpha = 5, C = 1, threshold = 0.01,
                             tol = 1e-3) {
  args <- arguments(c(lambda = "Give the weight of the penalty, such as 0.1."))
  tuning <- expand.grid(lambda = check_lambda(lambda), C = check_C(C), KEEP.OUT.ATTRS = FALSE)
  alignment <- list(
    alpha = check_number(alpha, "alpha", open_lower = TRUE),
    threshold = check_number(threshold, "threshold", upper = 1),
    tol = check_number(tol, "tol", open_lower = TRUE)
  )
  new_method("kernel_alignment", "kernel-target alignment", args,
             tuning = tuning[c("lambda", if (length(C) > 1) "C")],
             steps = new_steps(0, 1, tuning$C, lambda = tuning$lambda),
             reference = "Neumann, Schnoerr and Steidl (2005)", family = "kernel_alignment",
             model = new_model(kernel = check_scalable(as_kernel(kernel), c("gaussian", "chi2")), scaled = TRUE),
             core = alignment, declares = declare(sparse = FALSE, certificate = "stationarity"))
}

core_options.zeronorm_kernel_alignment <- function(method, problem, steps) {
  c(method$core, list(lambda = steps$lambda))
}

# Few support vectors: a norm of the coefficients of the expansion.

#' Arbitrary norm support vector machine
#'
#' A kernel machine \eqn{f(x) = \sum_i a_i k(x_i, x) + b} whose coefficients are free, with a norm of them as
#' a price:
#' \deqn{\min_{a,b} \frac12 a'Ka + C \sum_i \xi_i + \frac{C_\alpha}{p} \sum_i |a_i|^p, \quad
#'   \xi_i = \max(0, 1 - y_i f(x_i))}
#' For `p = 0` the last term is \eqn{C_\alpha \sum_i \ln |a_i|}, and few observations are left as support
#' vectors, which need not lie near the boundary; for `p = Inf` it is \eqn{C_\alpha \max_i |a_i|}.
#'
#' Each round replaces \eqn{|a_i|^p / p} by the parabola \eqn{\Lambda_i a_i^2 / 2} with
#' \eqn{\Lambda_i = |a_i|^{-(2-p)}} at the last coefficients, which is a support vector machine with the
#' kernel matrix \eqn{\tilde K = K (K + C_\alpha \Lambda)^{-1} K}. The first round has \eqn{a_i = 1}.
#' Coefficients that move no decision value by 1e-4 of the margin are dropped, and the rounds end when no
#' coefficient moves one by more. The objective never rises. Below `p = 1` the result is a local minimum. For
#' `p = 2` there is one round, from 1 to 2 there may be ten times `max_rounds` of [zeronorm_control()]. With
#' `C_alpha = 0` it is [l2_svm()].
#'
#' The problem for `p = Inf` is a quadratic programme, and that is solved. `form = "printed"` does what the
#' paper prints instead, the parabola of the largest coefficient alone, whose rounds may repeat for ever: then
#' `stop` is `"cycle"` in [certificate()], and a warning has the period.
#'
#' In [rounds()] `nonzero` is the number of support vectors after each round, and \eqn{\ln 0} counts as
#' \eqn{\ln 10^{-300}}. Observations of weight 0 are no support vectors.
#'
#' @section Several classes and regression:
#' With `multiclass = "ovo"` there is a machine for each pair of classes, trained on the observations of
#' these two; a pair votes for one of its classes, and among classes with as many votes the one with the
#' largest sum of decision values wins. [predict.zeronorm()] with `type = "link"` has a column for each pair,
#' such as `"b:a"`, positive where it votes for the first. With `"ovr"`, and for a matrix of labels, there is
#' a machine for each class against the rest. `support_vectors` counts those of all machines, each once. For
#' numeric y, \eqn{\xi_i = \max(0, |y_i - f(x_i)| - \epsilon)}.
#'
#' @param p the norm, from 0 to 2, or Inf.
#' @param C cost parameter: the penalty on margin violations.
#' @param C_alpha price of the norm. Vectors of `p`, `C` and `C_alpha` make a grid.
#' @param kernel a kernel as in [l2_svm()], positive semidefinite unless `fast` or not `margin`.
#' @param fast whether \eqn{\frac12 a'a} stands in the place of \eqn{\frac12 a'Ka}, which needs no inverse:
#'   \eqn{\tilde K = K \, \mathrm{diag}(|a_i|^{2-p} / (|a_i|^{2-p} + C_\alpha)) \, K}. Another objective, with
#'   more support vectors.
#' @param margin FALSE leaves the term \eqn{\frac12 a'Ka} out.
#' @param form for `p = Inf`: `"exact"` or `"printed"`.
#' @param multiclass `"ovo"`, one against one, or `"ovr"`, one against the rest.
#' @param epsilon half the width of the tube in regression.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Huang, K., Zheng, D., King, I. and Lyu, M. R. (2009). Arbitrary norm support vector machines. *Neural
#' Computation* 21, 560-582.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(100 * 2), 100)
#' y <- rowSums(x^2) + 0.5 * rnorm(100) > 1.4
#' fit <- zeronorm(x, y, norm_svm(p = c(0, 2), kernel = gaussian_kernel(1)))
#' certificate(fit)[c("p", "support_vectors", "errors")]
#' coef(fit, s = 0)
#'
#' fit <- zeronorm(as.matrix(iris[1:4]), iris$Species, norm_svm())
#' table(predict(fit, as.matrix(iris[1:4])), iris$Species)
#' @concept methods with few support vectors
#' @export
norm_svm <- function(p = 0, C = 1, C_alpha = 0.2, kernel = gaussian_kernel(), fast = FALSE, margin = TRUE,
                     form = "exact", multiclass = "ovo", epsilon = 0.1) {
  args <- arguments()
  tuning <- expand.grid(p = check_norm(p), C = check_numbers(C, "C", open_lower = TRUE),
                        C_alpha = check_numbers(C_alpha, "C_alpha"), KEEP.OUT.ATTRS = FALSE)
  fast <- check_flag(fast, "fast")
  margin <- check_flag(margin, "margin")
  form <- check_choice(form, "form", c("exact", "printed"))
  if (!margin && any(tuning$C_alpha == 0)) {
    stop_zeronorm("C_alpha", "is 0 with margin = FALSE, which leaves no price at all.",
                  "Use a price above 0, or margin = TRUE.")
  }
  kernel <- as_kernel(kernel)
  if (is.null(kernel)) kernel <- poly_kernel(1)
  convex <- tuning$p == 2 | tuning$C_alpha == 0 | (is.infinite(tuning$p) & form == "exact")
  new_method("norm_svm", paste0("L", format_norm(p), "-norm SVM"), args, tuning,
             steps = cbind(new_steps(0, 1, tuning$C), tuning[c("p", "C_alpha")]),
             reference = "Huang, Zheng, King and Lyu (2009)", family = "norm_svm",
             model = new_model(epsilon = check_number(epsilon, "epsilon"), kernel = kernel,
                               multiclass = check_choice(multiclass, "multiclass", c("ovo", "ovr")),
                               expansion = fast || !margin),
             core = list(unit = fast && margin, printed = form == "printed"),
             declares = declare(all_tasks, selects = "observations",
                                certificate = if (all(convex)) "gap" else "stationarity",
                                descends = !(form == "printed" && any(is.infinite(p)))))
}

check_norm <- function(p) {
  p <- check_numbers(p, "p", infinite = TRUE)
  if (all(p <= 2 | is.infinite(p))) return(p)
  stop_zeronorm("p", paste0("holds the value ", p[p > 2 & is.finite(p)][1], "."),
                "Use numbers from 0 to 2, or Inf.")
}

format_norm <- function(p) if (length(p) == 1) format(p) else "p"

core_options.zeronorm_norm_svm <- function(method, problem, steps) {
  c(method$core, list(p = steps$p, C_alpha = steps$C_alpha))
}

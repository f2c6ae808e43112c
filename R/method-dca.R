#' Concave penalties by d.c. programming
#'
#' \deqn{\min_{w,b} \sum_j \phi(|w_j|) + \frac{ridge}{2} |w|^2 + C \sum_i L(y_i, f(x_i))}
#' with any concave penalty and one of the losses
#'
#' | loss | \eqn{L(y, f)} | y |
#' |---|---|---|
#' | `"hinge"` | \eqn{\max(0, 1 - y f)} | classes |
#' | `"squared_hinge"` | \eqn{\max(0, 1 - y f)^2 / 2} | classes |
#' | `"logistic"` | \eqn{\ln(1 + e^{-y f})} | classes |
#' | `"squared"` | \eqn{(y - f)^2 / 2} | numbers, or classes as -1 and +1 |
#' | `"epsilon_insensitive"` | \eqn{\max(0, \vert y - f \vert - \epsilon)} | numbers |
#'
#' Each round solves the convex problem in which \eqn{\phi} is replaced by its tangent at the last weights,
#' so that the objective never rises. It ends at a local minimum, which depends on `start`; `starts` tries
#' several and keeps the lowest. With the hinge loss, `ridge = 0` and `tol = 0` the rounds are those of
#' [fsv()].
#'
#' The logistic loss falls without end along features that separate the classes. Where a penalty no longer
#' rises (`capped_penalty()`, `mcp_penalty()`, in effect `exp_penalty()`) nothing then holds their weights.
#' The rounds end at the last convex problem that has a minimum, with a warning and `"no minimum"` as `stop`
#' in [certificate()]; where there is none, it is an error. A `ridge` above 0 gives a minimum.
#'
#' With a kernel the penalty is on the coefficients of the expansion
#' \eqn{f(x) = \sum_i a_i k(x_i, x) + b} (minimal kernel classifier): few of the observations are used. There
#' is no quadratic term beside `ridge`, and the kernel need not be positive definite.
#'
#' @param loss one of the losses above.
#' @param penalty a penalty, see [penalties]; one with an increasing vector `alpha` is a schedule.
#' @param ridge weight of the squared norm; a vector makes a grid with `C`.
#' @param C price of the loss; a vector is a path, fitted with warm starts. Inf means no slack at all, for the
#'   losses that have slacks.
#' @param starts number of starts: the first from `start`, the others from magnitudes drawn uniformly from
#'   0 to 1 with R's random numbers. The solution with the lowest objective is kept.
#' @param tol the rounds end when no \eqn{|w_j|} (of standardised features) moves by more than this,
#'   absolutely or relatively, or when the next convex problem gains nothing.
#' @param epsilon half the width of the tube of the epsilon-insensitive loss.
#' @param multiclass for several classes, or a matrix of labels: `"joint"` has the slacks of [m_svm()]
#'   (hinge loss only; labels are always apart), `"coupled"` one machine for each class against the rest;
#'   both with the penalty of `magnitude`. `"ovr"` runs the whole method for each class against the rest.
#' @param magnitude what the penalty of several classes or labels is taken of: the `"sum"`
#'   \eqn{\sum_j \phi(\sum_k |w_{kj}|)} or the largest, `"max"`, \eqn{\sum_j \phi(\max_k |w_{kj}|)}, which
#'   lets a feature serve all classes at the price of one. The latter is for the hinge loss without ridge.
#' @param refit_multiclass where `nonzero` is given, the machine trained on the selected features where there
#'   are several classes: `"m_svm"` or `"ovr"`, one against the rest.
#' @inheritParams fsv
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#'
#' Fung, G. M., Mangasarian, O. L. and Smola, A. J. (2002). Minimal kernel classifiers. *JMLR* 3, 303-321.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- x[, 1] - x[, 2] + rnorm(60) > 0
#' fit <- zeronorm(x, y, dca("logistic", C = c(0.5, 1, 2)))
#' certificate(fit)[c("C", "nonzero", "errors")]
#'
#' selected(zeronorm(x, x[, 1] + rnorm(60), dca("squared", mcp_penalty(lambda = 20, a = 3))))
#' @concept methods by a concave penalty
#' @export
dca <- function(loss = "hinge", penalty = exp_penalty(5), ridge = 0, C = 1, starts = 1, tol = 1e-5, start = 1,
                nonzero = NULL, refit = "l2", refit_C = Inf, kernel = "linear", epsilon = 0.1,
                multiclass = if (loss == "hinge") "joint" else "coupled", magnitude = "sum",
                refit_multiclass = "m_svm") {
  check_argument_names()
  loss <- check_choice(loss, "loss", dca_losses)
  args <- arguments()
  C <- check_C(C)
  if (any(is.infinite(C)) && !loss %in% c("hinge", "squared_hinge", "epsilon_insensitive")) {
    stop_zeronorm("C", "is Inf, but this loss has no slacks.", "Use a finite C.")
  }
  multiclass <- check_choice(multiclass, "multiclass", c(if (loss == "hinge") "joint", "coupled", "ovr"))
  if (check_choice(magnitude, "magnitude", c("sum", "max")) == "max" && (loss != "hinge" || any(ridge > 0))) {
    stop_zeronorm("magnitude", "is \"max\", which is for the hinge loss without ridge.",
                  "Use magnitude = \"sum\".")
  }
  kernel <- as_kernel(kernel)
  grid <- expand.grid(C = C, ridge = check_numbers(ridge, "ridge"), KEEP.OUT.ATTRS = FALSE)
  epsilon <- check_number(epsilon, "epsilon")
  tube <- loss == "epsilon_insensitive"
  new_reweighting("dca", paste("DCA with", gsub("_", "-", loss), "loss"), args,
                  tuning = if (length(ridge) > 1) grid else grid["C"],
                  steps = steps_of_C(grid$C, 1, grid$ridge), reference = "Neumann, Schnoerr and Steidl (2005)",
                  model = new_model(loss = if (tube) "hinge" else loss, epsilon = if (tube) epsilon,
                                    multiclass = multiclass, kernel = kernel, expansion = TRUE,
                                    sharing = if (magnitude == "max") "outputs"),
                  tasks = all_tasks, takes = dca_tasks(loss, kernel))
}

dca_losses <- c("hinge", "squared_hinge", "logistic", "squared", "epsilon_insensitive")

# Outputs of an expansion have no verbs.
dca_tasks <- function(loss, kernel) {
  classes <- if (is.null(kernel)) class_tasks else "two-class"
  switch(loss, epsilon_insensitive = "regression", squared = c(classes, "regression"), classes)
}

#' Support vector machine with the l2 norm and a concave penalty
#'
#' \deqn{\min_{w,b} \frac{\mu}{n} \sum_i \xi_i + \frac12 |w|^2 + \nu \sum_j \phi(|w_j|)}
#' by d.c. programming: each round is the [l2_l1_svm()] whose prices are the slopes \eqn{\phi'(|w_j|)} at the
#' last weights. The default penalty \eqn{1 - e^{-\alpha |w_j|}} approximates the number of features;
#' [log_penalty()] gives \eqn{\sum_j \ln(\epsilon + |w_j|)}, the "third term" of Weston et al.
#'
#' @param mu price of the mean slack.
#' @param nu price of the penalty. Vectors of `mu` and `nu` make a grid.
#' @param alpha steepness of the default penalty; an increasing vector is a schedule.
#' @param degree above 1: the machine is trained on all monomials of the standardised features up to this
#'   degree, as in [l2_l1_svm()].
#' @inheritParams dca
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#'
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l2_l0_svm(mu = 10, nu = c(0.1, 0.5)))
#' certificate(fit)[c("mu", "nu", "nonzero")]
#' @concept methods by a concave penalty
#' @export
l2_l0_svm <- function(mu, nu, alpha = 5, penalty = exp_penalty(alpha), starts = 1, tol = 1e-5, start = 1,
                      nonzero = NULL, refit = "l2", refit_C = Inf, degree = 1) {
  args <- arguments(c(mu = "Give the price of the mean slack, such as 10.",
                      nu = "Give the price of the penalty, such as 0.1."))
  check_number(alpha, "alpha", open_lower = TRUE)
  tuning <- expand.grid(mu = check_numbers(mu, "mu", open_lower = TRUE), nu = check_numbers(nu, "nu"),
                        KEEP.OUT.ATTRS = FALSE)
  degree <- expansion_degree(degree)
  new_reweighting("l2_l0_svm", "l2-l0-SVM", args, tuning, steps = new_steps(tuning$nu, 1, tuning$mu),
                  reference = "Neumann, Schnoerr and Steidl (2005)",
                  model = new_model(average = "mean", degree = degree), max_features = most_expandable(degree))
}

#' Approximation of the zero-norm minimisation
#'
#' Trains a machine on the features times their scales z, multiplies each scale by its weight,
#' \eqn{z_j \leftarrow z_j |w_j|}, and repeats: features whose scale shrinks to 0 are gone. This minimises
#' \eqn{\sum_j \ln |w_j|} subject to \eqn{y_i (w'x_i + b) \ge 1}. `arom("l2")` trains l2 machines,
#' `arom("l1")` linear programmes, `arom("l2-l1")` first the one, then the other.
#'
#' Without `errors` the margin is hard and inseparable classes are an error. With `errors`, slacks are
#' features too, each observation adding a column \eqn{e_i / \lambda}: `"zero"` rescales them as well,
#' `"l2"` and `"l1"` leave their scale at 1, which for the l2 machine means
#' \eqn{\frac12 |w|^2 + \frac{\lambda^2}{2} \sum_i \xi_i^2} and for the linear programme
#' \eqn{|w|_1 + \lambda \sum_i \xi_i}.
#'
#' @section Kernels:
#' With `kernel = poly_kernel(degree, form)` the features are the monomials \eqn{x^a}, \eqn{1 \le |a| \le
#' degree}, of the standardised features; they are not standardised again. Monomial a stands for \eqn{m_a}
#' equal coordinates of the kernel's feature space, \eqn{m_a = |a|!/a!} for `form = "sum"` and \eqn{{degree
#' \choose |a|} |a|!/a!} for `form = "power"`, so that
#' \deqn{K_z(x, y) = \sum_a m_a z_a^2 x^a y^a, \quad w_a = z_a \sum_i \alpha_i y_i x_i^a, \quad z_a \leftarrow
#' z_a |w_a|}
#' minimises \eqn{\sum_a m_a \ln |c_a|} over the weights \eqn{c_a} of \eqn{x^a} in the decision value.
#' [coef()] and [selected()] name monomials such as `"g1"`, `"g1^2"`, `"g1*g2"`. `nonzero` counts monomials
#' and keeps those of the largest \eqn{z_a}, with the weights of the search (`refit = "none"`); a `refit` that
#' is given trains a machine on them. A monomial is `unpenalized`, or in `keep`, where all its features are.
#' A sparse x becomes dense. At most a million monomials are made.
#'
#' `kernel_form = "projected"` needs no monomials, so that there is no limit to their number: z is an
#' expansion \eqn{\sum_i b_i \phi(x_i)}, and \eqn{K_z(x, y) = \sum_{ij} b_i b_j k(x_i * x, x_j * y)} with
#' products by component. That is exact for the first two machines; afterwards z is projected on the span of
#' the images of the observations, which is possibly poor unless these span the whole feature space. Nothing
#' becomes exactly zero, so that `nonzero` is not to be had, and the time of a round grows with the fourth
#' power of the number of observations. It takes `norm = "l2"`, two classes, and `errors = NULL` or `"l2"`.
#'
#' @param norm `"l2"`, `"l1"` or `"l2-l1"`.
#' @param nonzero exact target numbers of features, `"path"`: all, half of them, a quarter, ..., 1, or
#'   NULL: run to the fixed point.
#' @param switch for `"l2-l1"`: the number of features from which on linear programmes are used, or
#'   `list(features = , round = )`. NULL means 100 features.
#' @param features `"zero"`: features are rescaled; `"norm"`: only slacks are, which needs
#'   `errors = "zero"` and minimises the number of training errors.
#' @param errors NULL (hard margin), `"zero"`, `"l1"` or `"l2"`.
#' @param lambda price of errors; a vector is a path.
#' @param slack_form for `errors = "zero"`: `"literal"`, or `"weighted"`, which minimises
#'   \eqn{\sum_j \ln|w_j| + \lambda \sum_i \ln |\xi_i|} and so keeps lambda after the first round.
#' @param epsilon for regression: \eqn{|y_i - f(x_i)| \le \epsilon} in place of the margin. y is numeric then.
#' @param multiclass for several classes: `"joint"` trains Weston-Watkins machines ([m_svm()]); `"coupled"`
#'   one machine for each class against the rest, all with the same scales; both with
#'   \eqn{z_j \leftarrow z_j \sum_k |w_{kj}|}. `"ovr"` runs the whole method for each class against the rest,
#'   so that `nonzero` counts the features of each. A matrix of labels is `"coupled"`, or `"ovr"`.
#' @param refit_multiclass the machine trained on the selected features where there are several classes:
#'   `"m_svm"` or `"ovr"`, one against the rest.
#' @param kernel `"linear"` or [poly_kernel()]: the zero-norm of the weights of the monomials of that kernel.
#' @param kernel_form for a kernel: `"explicit"` computes the monomials, `"projected"` kernel values only.
#' @param refit where `nonzero` is given, the machine trained on the selected features: `"l2"`, `"l1"` or
#'   `"none"`, which leaves the weights of the search; with a kernel `"none"` unless it is given.
#' @inheritParams fsv
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, arom("l2", nonzero = c(10, 2)))
#' selected(fit, nonzero = 2)
#' @concept methods by a concave penalty
#' @export
arom <- function(norm = "l2", nonzero = NULL, switch = NULL, features = "zero", errors = NULL, lambda = 1,
                 slack_form = "literal", epsilon = NULL, multiclass = "joint", kernel = "linear",
                 kernel_form = "explicit", refit = if (identical(kernel, "linear")) "l2" else "none", refit_C = Inf,
                 refit_multiclass = "m_svm") {
  args <- arguments()
  if (!is.null(epsilon)) epsilon <- check_number(epsilon, "epsilon")
  kernel <- as_polynomial(kernel)
  kernel_form <- check_choice(kernel_form, "kernel_form", c("explicit", "projected"))
  norm <- check_choice(norm, "norm", c("l2", "l1", "l2-l1"))
  features <- check_choice(features, "features", c("zero", "norm"))
  errors <- if (is.null(errors)) "none" else check_choice(errors, "errors", c("zero", "l1", "l2"))
  if (features == "norm" && errors != "zero") {
    stop_zeronorm("features", "is \"norm\", so that only errors are rescaled.",
                  "Use errors = \"zero\" with it.")
  }
  lambda <- check_numbers(lambda, "lambda", open_lower = TRUE)
  hard <- errors == "none"
  if (hard) lambda <- lambda[1]
  by_l1 <- norm == "l1"
  if (!is.null(kernel) && kernel_form == "projected") {
    return(projected_arom(kernel, args, norm, nonzero, features, errors, lambda, epsilon))
  }
  new_method("arom", arom_label(norm, hard), args,
             tuning = if (hard) data.frame(row.names = 1L) else data.frame(lambda = lambda),
             steps = new_steps(as.numeric(by_l1), as.numeric(!by_l1),
                               if (hard) 1 else if (by_l1) lambda else lambda^2, hard, lambda),
             reference = "Weston, Elisseeff, Schoelkopf and Tipping (2003)", family = "arom",
             model = new_model(loss = if (by_l1) "hinge" else "squared_hinge", epsilon = epsilon,
                               multiclass = check_choice(multiclass, "multiclass", c("joint", "coupled", "ovr")),
                               degree = kernel$degree),
             selection = new_selection(args),
             core = list(norm = norm, switch = check_switch(switch), features = features, errors = errors,
                         slack_form = check_choice(slack_form, "slack_form", c("literal", "weighted")),
                         monomials = kernel$form),
             declares = declare(
               all_tasks, if (is.null(epsilon)) setdiff(all_tasks, "regression") else "regression",
               blocks = if (is.null(kernel) && norm == "l2" && errors %in% c("none", "l2")) "two-class",
               certificate = "stationarity", max_features = most_expandable(kernel$degree),
               soft = "Use arom(errors = \"l2\")."
             ))
}

arom_label <- function(norm, hard) paste0(norm, "-AROM", if (!hard) " with soft errors")

check_switch <- function(at) {
  if (is.null(at)) at <- 100
  if (is.numeric(at)) at <- list(features = at)
  named <- !is.null(names(at)) && all(names(at) %in% c("features", "round"))
  if (!is.list(at) || !length(at) || !named) {
    stop_zeronorm("switch", paste0("is ", describe(at), "."),
                  "Use a number of features, or list(features = , round = ).")
  }
  # 0 stands for never.
  lapply(list(features = at$features, round = at$round),
         function(value) if (is.null(value)) 0L else check_count(value, "switch"))
}

# Monomials stand for as many coordinates of the feature space as the form of the kernel says.
prepare_problem.zeronorm_arom <- function(method, problem) {
  form <- method$core$monomials
  if (!is.null(form)) problem$multiplicity <- multiplicity(problem$monomials, form)
  problem
}

core_options.zeronorm_arom <- function(method, problem, steps) {
  own <- c("norm", "switch", "features", "errors", "slack_form")
  c(method$core[own], list(lambda = steps$lambda[1], multiplicity = problem$multiplicity))
}

call_groups.zeronorm_arom <- function(method, steps) paste(steps$hard, steps$lambda)

has_linear_tangent.zeronorm_arom <- function(method) {
  method$core$norm == "l1" && method$core$errors %in% c("none", "l1")
}

has_slack_features.zeronorm_arom <- function(method) method$core$errors == "zero"

# NULL stands for the linear kernel.
as_polynomial <- function(kernel) {
  kernel <- as_kernel(kernel)
  if (is.null(kernel) || kernel$kind == "poly") return(kernel)
  stop_zeronorm("kernel",
                paste0("is ", format(kernel), ", whose feature space has no coordinates to rescale."),
                "Use \"linear\" or poly_kernel().")
}

projected_arom <- function(kernel, args, norm, nonzero, features, errors, lambda, epsilon) {
  impossible <- c("norm", "nonzero", "errors", "epsilon")[
    c(norm != "l2", !is.null(nonzero), !errors %in% c("none", "l2") || features != "zero", !is.null(epsilon))
  ]
  if (length(impossible)) {
    stop_zeronorm("kernel_form",
                  paste0("is \"projected\", which does not go with the `", impossible[1], "` given."),
                  "Use kernel_form = \"explicit\", or norm = \"l2\" with errors = NULL or \"l2\".")
  }
  hard <- errors == "none"
  new_method("arom", paste0(arom_label(norm, hard), ", projected"), args,
             tuning = if (hard) data.frame(row.names = 1L) else data.frame(lambda = lambda),
             steps = new_steps(0, 1, if (hard) 1 else lambda^2, hard, lambda),
             reference = "Weston, Elisseeff, Schoelkopf and Tipping (2003)", family = "projected_arom",
             model = new_model(loss = "squared_hinge", kernel = kernel),
             declares = declare(certificate = "stationarity", descends = FALSE, soft = "Use arom(errors = \"l2\")."))
}

# The kernel of the monomials alone, without the constant, which the intercept makes up for.
monomial_kernel <- function(kernel, product) {
  polynomial_of(kernel, product) - as.numeric(kernel$form == "power")
}

# The kernel of the first iteration, and a function that gives those of the later ones.
prepare_problem.zeronorm_projected_arom <- function(method, problem) {
  kernel <- method$model$kernel
  x <- problem$machine$x
  problem$machine$values <- monomial_kernel(kernel, tcrossprod(x))
  problem$machine$rescaled <- function(b) rescaled_values(kernel, x, x, x, b)
  problem
}

core_options.zeronorm_projected_arom <- function(method, problem, steps) {
  list(rescaled_kernel = problem$machine$rescaled)
}

# K_z(x, y) = sum_ij b_i b_j k(r_i * x, r_j * y) between the rows of x and of z, r the rows of `images`.
# O(n_x n_z m^2 d), m rows of images in use.
rescaled_values <- function(kernel, x, z, images, b) {
  used <- which(b != 0)
  images <- images[used, , drop = FALSE]
  m <- length(used)
  k <- matrix(0, nrow(x), nrow(z))
  if (m == 0) return(k)
  each <- function(rows, of) of[rows, , drop = FALSE]
  products <- each(rep(seq_len(m), nrow(z)), images) * each(rep(seq_len(nrow(z)), each = m), z)
  for (i in seq_len(nrow(x))) {
    values <- monomial_kernel(kernel, (images * rep(x[i, ], each = m)) %*% t(products))
    k[i, ] <- colSums(matrix(b[used] %*% values, m) * b[used])
  }
  k
}

# newdata: standardised.
projected_decisions <- function(fit, newdata, picked) {
  machine <- fit$machine
  each <- lapply(picked, function(k) {
    b <- machine$expansion[, k]
    values <- if (anyNA(b)) monomial_kernel(machine$kernel, tcrossprod(newdata, machine$x))
              else rescaled_values(machine$kernel, newdata, machine$x, machine$x, b)
    combine_values(fit, values, machine$alpha[, k, drop = FALSE], fit$intercept[k])
  })
  do.call(cbind, each)
}

# A method is a value: what to solve, as data. zeronorm() adds the observations and hands both to the core.

# What a constructor returns:
#   name, label, reference   the constructor, what its models are called in print, and who proposed them
#   args       all arguments of the constructor, evaluated
#   tuning     a data frame with a row for each step of the path and a column for each tuning parameter
#   steps      the same steps as new_steps() describes them; NULL: complete_path() makes both from the data
#   family     the name under which the core knows the method, and under which the family has its S3 methods
#   model      what is solved at each step, see new_model()
#   selection  how features are cut to a number and what is trained on them, see new_selection()
#   core       values that only this family reads; core_options() makes the list for the core from them
#   folds      the number of folds that a fit draws, NULL for none
#   declares   what the method can do, see declare()
new_method <- function(name, label, args, tuning, steps, reference, family = "convex", model = new_model(),
                       selection = new_selection(), core = list(), folds = NULL, declares = declare()) {
  structure(class = c(paste0("zeronorm_", family), "zeronorm_method"), list(
    name = name, label = label, args = args, tuning = tuning, steps = steps, reference = reference,
    family = family, model = model, selection = selection, core = core, folds = folds, declares = declares
  ))
}

# What is solved at each step of the path:
#   loss        "hinge", "squared_hinge", "logistic" or "squared"
#   average     what the cost parameter of the loss is divided by: nothing ("sum"), the sum of the weights
#               ("mean"), or that of each class ("class_mean")
#   limit       whether a hard margin stands for the limit of large C, which inseparable classes have as well
#   costs       the factor of each feature in the penalty, NULL for 1
#   epsilon     half the width of the tube of a regression
#   multiclass  how several classes are classified: "joint" (Weston-Watkins), "coupled" (one against the rest with
#               one regulariser), "ovr" (one against the rest, nothing shared) or "ovo" (one against one)
#   kernel      NULL for the linear kernel
#   expansion   whether the columns of the kernel matrix are the features of a linear model
#   scaled      whether the kernel is one of scaled features
#   degree      of the monomials that take the place of the features, NULL for the features themselves
#   sharing     what is penalised together by its largest |w_j|: "all" columns, the monomials of each "feature", or
#               the "outputs" of each column; NULL for nothing
#   groups      the group of each feature, NULL for none
new_model <- function(loss = "hinge", average = "sum", limit = FALSE, costs = NULL, epsilon = NULL,
                      multiclass = "coupled", kernel = NULL, expansion = FALSE, scaled = FALSE, degree = NULL,
                      sharing = NULL, groups = NULL) {
  list(loss = loss, average = average, limit = limit, costs = costs, epsilon = epsilon, multiclass = multiclass,
       kernel = kernel, expansion = expansion, scaled = scaled, degree = degree, sharing = sharing, groups = groups)
}

# How features are cut to a number and what is trained on them, from the arguments of a constructor that has them:
#   nonzero           numbers of features, "path", or NULL: not cut; path: whether NULL stands for "path"
#   refit             the model trained on the selected features, one of `refits`
#   refit_C           its cost parameter; search_C: whether NULL stands for the C of the search
#   refit_multiclass  how that model classifies several classes
new_selection <- function(args = list(), refits = c("l2", "l1", "none"), path = FALSE, search_C = FALSE) {
  refit <- if ("refit" %in% names(args)) check_choice(args$refit, "refit", refits) else "none"
  refit_C <- argument_or(args, "refit_C", Inf)
  if (!search_C || !is.null(refit_C)) refit_C <- check_number(refit_C, "refit_C", open_lower = TRUE, infinite = TRUE)
  multiclass <- argument_or(args, "refit_multiclass", "ovr")
  list(nonzero = check_nonzero(if (path && is.null(args$nonzero)) "path" else args$nonzero),
       refit = refit,
       # Least squares has no cost parameter.
       refit_C = if (refit == "ls") Inf else refit_C,
       refit_multiclass = check_choice(multiclass, "refit_multiclass", c("m_svm", "ovr")))
}

# An argument of a constructor, or `default` where the constructor has no such argument.
argument_or <- function(args, name, default) if (name %in% names(args)) args[[name]] else default

# What a method can do:
#   tasks, takes  all tasks of the method, and those that its arguments leave
#   selects       what coefficients belong to, "features" or "observations"
#   first         whether features are always selected first and the model is trained on them afterwards
#   sparse        whether x may be a sparse matrix
#   blocks        the tasks for which x may be read from a disk in blocks
#   certificate   "gap" or "stationarity"
#   descends      whether the objective never rises
#   max_features  the largest number of features
#   chooses       what the parameter is called that the method finds for itself
declare <- function(tasks = "two-class", takes = tasks, selects = "features", first = FALSE, sparse = TRUE,
                    blocks = character(), certificate = "gap", descends = TRUE, max_features = Inf, chooses = "C") {
  list(tasks = tasks, takes = takes, selects = selects, first = first, sparse = sparse, blocks = blocks,
       certificate = certificate, descends = descends, max_features = max_features, chooses = chooses)
}

# The arguments of the calling constructor, evaluated, which have to be named in full.  Those that have no default
# and are not given are an error with the advice in `needed`, a vector named by them.
arguments <- function(needed = character()) {
  check_argument_names(2)
  frame <- parent.frame()
  for (name in names(needed)) {
    if (eval(call("missing", as.name(name)), frame)) stop_zeronorm(name, "is missing.", needed[[name]])
  }
  mget(names(formals(sys.function(-1))), envir = frame)
}

new_steps <- function(l1, ridge, slack, hard = FALSE, lambda = 1) {
  same_lengths(l1 = l1, ridge = ridge, slack = slack, hard = hard, lambda = lambda)
}

# A data frame of plain vectors, the shorter ones repeated; data.frame() takes longer than a small fit.
same_lengths <- function(...) {
  columns <- list(...)
  list2DF(lapply(columns, rep_len, max(lengths(columns))))
}

# C = Inf means no slack at all.
steps_of_C <- function(C, l1, ridge) {
  hard <- is.infinite(C)
  new_steps(l1, ridge, ifelse(hard, 1, C), hard)
}

check_C <- function(C, argument = "C") check_numbers(C, argument, open_lower = TRUE, infinite = TRUE)

check_costs <- function(costs) {
  if (is.null(costs)) return(NULL)
  structure(check_numbers(costs, "costs"), names = names(costs))
}

#' Support vector machine with the l1 norm
#'
#' \deqn{\min_{w,b} \sum_j c_j |w_j| + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i (w'x_i + b))}
#' A linear programme; many of its weights are exactly zero. `C = Inf` asks for a hard margin and is an
#' error where the classes are not separable.
#'
#' @param C price of the slacks; a vector is a path, fitted with warm starts.
#' @param costs price \eqn{c_j} of each feature, in the order of the columns or named; NULL means 1. An
#'   unpenalised feature is better named in `zeronorm(unpenalized = )`.
#' @param stop NULL, or `"validation"`: of the path only the solution is kept whose mean slack on held-out
#'   observations is least, fitted to the others; see [lasso()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- ifelse(x[, 1] - x[, 2] > 0, "up", "down")
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' certificate(fit)
#' @export
l1_svm <- function(C = 1, costs = NULL, stop = NULL) {
  args <- arguments()
  C <- check_C(C)
  new_method("l1_svm", "l1-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 1, 0),
             reference = "Bradley and Mangasarian (1998)", model = new_model(costs = check_costs(costs)),
             folds = validation_folds(stop, hard = any(is.infinite(C))), declares = declare(blocks = "two-class"))
}

#' Support vector machine with the l2 norm
#'
#' \deqn{\min_{w,b} \frac12 |w|^2 + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i f(x_i))}
#' The usual machine: dense in the features, sparse in the observations. With a kernel,
#' \eqn{f(x) = \sum_i a_i y_i k(x_i, x) + b}. With `loss = "squared_hinge"` a slack costs
#' \eqn{\xi_i^2 / 2}, which adds a ridge 1/C to the kernel matrix.
#'
#' @inheritParams l1_svm
#' @param kernel `"linear"`, a kernel (see [kernels]), a function of two vectors, or the matrix of kernel
#'   values of the training data.
#' @param loss `"hinge"` or `"squared_hinge"`.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Cortes, C. and Vapnik, V. (1995). Support-vector networks. *Machine Learning* 20, 273-297.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 2), 60)
#' y <- rowSums(x^2) > 1.4
#' fit <- zeronorm(x, y, l2_svm(C = 10, kernel = gaussian_kernel(0.7)))
#' mean(predict(fit, x) == y)
#' @export
l2_svm <- function(C = 1, kernel = "linear", loss = "hinge") {
  args <- arguments()
  C <- check_C(C)
  new_method("l2_svm", "l2-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 0, 1),
             reference = "Cortes and Vapnik (1995)",
             model = new_model(loss = check_choice(loss, "loss", c("hinge", "squared_hinge")),
                               kernel = as_kernel(kernel)))
}

#' Support vector machine with the maximum norm
#'
#' \deqn{\min_{w,b} \max_j |w_j| + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i (w'x_i + b))}
#' A linear programme. All but about as many weights as there are observations are of the same size, and none
#' is zero: it is the opposite of a sparse machine. `C = Inf` asks for a hard margin and is an error where the
#' classes are not separable.
#'
#' @inheritParams l1_svm
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 10), 40)
#' y <- x[, 1] - x[, 2] > 0
#' coef(zeronorm(x, y, linf_svm(C = 0.1)))
#' @export
linf_svm <- function(C = 1) {
  args <- arguments()
  C <- check_C(C)
  new_method("linf_svm", "linf-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 1, 0),
             reference = "Bradley and Mangasarian (1998)", model = new_model(sharing = "all"))
}

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
#' @export
rlp <- function(average = "sum") {
  args <- arguments()
  new_method("rlp", "robust linear programme", args, tuning = data.frame(row.names = 1L),
             steps = new_steps(0, 0, 1), reference = "Bennett and Mangasarian (1992)",
             model = new_model(average = check_choice(average, "average", c("sum", "class_mean"))))
}

#' Support vector machine with both norms
#'
#' \deqn{\min_{w,b} \frac{\mu}{n} \sum_i \xi_i + \frac12 |w|^2 + \nu \sum_j c_j |w_j|}
#'
#' @param mu price of the mean slack.
#' @param nu price of the l1 norm. Vectors of `mu` and `nu` make a grid.
#' @inheritParams l1_svm
#' @param degree above 1: the machine is trained on all monomials of the standardised features up to this
#'   degree, see [quadratic_fsv()]; a monomial has the largest of the prices `costs` of its features.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l2_l1_svm(mu = 10, nu = c(0.1, 0.5)))
#' certificate(fit)[c("mu", "nu", "nonzero")]
#' @export
l2_l1_svm <- function(mu, nu, costs = NULL, degree = 1) {
  args <- arguments(c(mu = "Give the price of the mean slack, such as 10.",
                      nu = "Give the price of the l1 norm, such as 0.1."))
  tuning <- expand.grid(mu = check_numbers(mu, "mu", open_lower = TRUE), nu = check_numbers(nu, "nu"),
                        KEEP.OUT.ATTRS = FALSE)
  degree <- expansion_degree(degree)
  new_method("l2_l1_svm", "l2-l1-SVM", args, tuning, steps = new_steps(tuning$nu, 1, tuning$mu),
             reference = "Neumann, Schnoerr and Steidl (2005)",
             model = new_model(average = "mean", costs = check_costs(costs), degree = degree),
             declares = declare(max_features = most_expandable(degree)))
}

#' Feature selection concave
#'
#' \deqn{\min_{w,b} (1 - \lambda) L(\xi) + \lambda \sum_j \phi(|w_j|)}
#' with a concave penalty, by successive linearisation: each round solves the linear programme whose prices
#' are the slopes \eqn{\phi'(|w_j|)} at the last solution, and the objective never rises. A local minimum,
#' which depends on `start`.
#'
#' @param lambda weight of the penalty, from 0 up to but not including 1; a vector is a path.
#' @param penalty a penalty, see [penalties].
#' @param average L: `"mean"` of the slacks, their `"sum"`, or `"class_mean"`, the sum of the means of both
#'   classes.
#' @param start magnitudes of the weights at which the slopes of the first round are taken: 1 or 0 for all, or
#'   one for each feature (on the standardised scale, as [feature_importance()] gives them), in the order of the
#'   columns or named. With a kernel one for each observation.
#' @param nonzero numbers of features wanted exactly, or `"path"`: all, half of them, a quarter, ..., 1.
#'   The largest weights of the last round with more features are kept and the classifier is refitted. Where no
#'   round has as many, those join whose reduced costs are least: nearest to being worth their price.
#'   Features named `keep` or `unpenalized` in [zeronorm()] count.
#' @param refit where `nonzero` is given, the machine trained on the selected features: `"l2"`, `"l1"` or
#'   `"none"`, which leaves the weights of the search.
#' @param refit_C its C; Inf means the smallest sum of slacks first, then the smallest norm.
#' @param stop NULL, or `"validation"`: rounds are run on all but a third of the observations, drawn at random
#'   from each class alike (with `zeronorm(foldid = )` the fold of the smallest number), and the round is kept
#'   whose solution predicts that third with the least error, of equals the last. Not with `nonzero`.
#' @param kernel `"linear"`, or a kernel as in [l2_svm()]: then the penalty is on the coefficients of the
#'   expansion \eqn{f(x) = \sum_i a_i k(x_i, x) + b}, and few of the observations are used (minimal kernel
#'   classifier). There is no quadratic term, and the kernel need not be positive definite.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, fsv(lambda = 0.05))
#' selected(fit)
#' rounds(fit)
#' @export
fsv <- function(lambda = 0.05, penalty = exp_penalty(5), average = "mean", start = 1, nonzero = NULL,
                refit = "l2", refit_C = Inf, kernel = "linear", stop = NULL) {
  args <- arguments()
  lambda <- check_lambda(lambda)
  new_reweighting("fsv", "FSV", args, tuning = data.frame(lambda = lambda),
                  steps = new_steps(lambda, 0, 1 - lambda), reference = "Bradley and Mangasarian (1998)",
                  model = new_model(average = check_choice(average, "average", c("mean", "sum", "class_mean")),
                                    kernel = as_kernel(kernel), expansion = TRUE),
                  folds = validation_folds(stop, nonzero = nonzero))
}

check_lambda <- function(lambda) {
  lambda <- check_numbers(lambda, "lambda")
  if (all(lambda < 1)) return(lambda)
  stop_zeronorm("lambda", paste0("is ", describe(lambda), "."),
                "Use values below 1: the loss has weight 1 - lambda.")
}

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
#' @export
fw1 <- function(penalty = exp_penalty(5), start = 0, nonzero = NULL,
                refit = "l2", refit_C = Inf) {
  args <- arguments()
  new_reweighting("fw1", "FW1", args, tuning = data.frame(row.names = 1L),
                  steps = new_steps(1, 0, 1, hard = TRUE), reference = "Rinaldi, Schoen and Sciandrone (2010)")
}

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
#' @param nonzero numbers of features wanted exactly, `"path"`: all, half of them, a quarter, ..., 1, or
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
               certificate = "stationarity", max_features = most_expandable(kernel$degree)
             ))
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

# Weights of observations have no meaning for slacks that are rescaled.
has_slack_features.zeronorm_arom <- function(method) method$core$errors == "zero"

call_groups.zeronorm_arom <- function(method, steps) paste(steps$hard, steps$lambda)

core_options.zeronorm_fs_svmcp <- function(method, problem, steps) {
  list(penalty = unclass(method$core$penalty), C_grid = method$core$C_grid, folds = problem$folds)
}

class_tasks <- c("two-class", "k-class", "multi-label")
all_tasks <- c(class_tasks, "regression")

arom_label <- function(norm, hard) paste0(norm, "-AROM", if (!hard) " with soft errors")

check_switch <- function(switch) {
  if (is.null(switch)) switch <- 100
  if (is.numeric(switch)) switch <- list(features = switch)
  named <- !is.null(names(switch)) && all(names(switch) %in% c("features", "round"))
  if (!is.list(switch) || !length(switch) || !named) {
    stop_zeronorm("switch", paste0("is ", describe(switch), "."),
                  "Use a number of features, or list(features = , round = ).")
  }
  # 0 stands for never.
  lapply(list(features = switch$features, round = switch$round),
         function(value) if (is.null(value)) 0L else check_count(value, "switch"))
}

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
#' @export
fs_svmcp <- function(penalty = inverse_penalty(1, 1e-6), C_grid = 2^(-5:10), folds = 5) {
  args <- arguments()
  C_grid <- check_numbers(C_grid, "C_grid", open_lower = TRUE)
  new_method("fs_svmcp", "FS-SVMCP", args, tuning = data.frame(row.names = 1L), steps = new_steps(0, 1, 1),
             reference = "Rinaldi and Sciandrone (2010)", family = "fs_svmcp",
             core = list(penalty = as_penalty(penalty), C_grid = sort(C_grid)),
             folds = check_count(folds, "folds", lower = 2), declares = declare(first = TRUE, descends = FALSE))
}

method_constructors <- function() {
  list(l1_svm = l1_svm, l2_svm = l2_svm, linf_svm = linf_svm, rlp = rlp, l2_l1_svm = l2_l1_svm, m_svm = m_svm,
       arom = arom, fsv = fsv, quadratic_fsv = quadratic_fsv, fw1 = fw1, dca = dca, l2_l0_svm = l2_l0_svm,
       fs_svmcp = fs_svmcp, svm_rfe = svm_rfe, correlation_filter = correlation_filter, top_weights = top_weights,
       ranking_filter = ranking_filter, sensitivity_rfe = sensitivity_rfe, bound_rfe = bound_rfe,
       alma_rfe = alma_rfe, lasso = lasso, generalized_lasso = generalized_lasso,
       multiplicative_update = multiplicative_update, scaling_lp = scaling_lp, sparse_fisher = sparse_fisher,
       p_svm = p_svm, med_svm = med_svm, jcfo = jcfo, norm_svm = norm_svm, ard = ard, forward_ls = forward_ls,
       gram_schmidt = gram_schmidt, grafting = grafting, tree_importance = tree_importance,
       logistic_rfe = logistic_rfe, obd = obd, r2w2 = r2w2, adaptive_scaling = adaptive_scaling,
       kernel_alignment = kernel_alignment)
}

# Values of arguments that have no default, and others that make an example small.
example_arguments <- list(
  l2_l1_svm = list(mu = 10, nu = 0.1), l2_l0_svm = list(mu = 10, nu = 0.1), quadratic_fsv = list(lambda = 0.05),
  svm_rfe = list(nonzero = 2), correlation_filter = list(nonzero = 2), top_weights = list(nonzero = 2),
  sensitivity_rfe = list(nonzero = 2), bound_rfe = list(nonzero = 2), lasso = list(s = 1),
  generalized_lasso = list(s = 1), forward_ls = list(nonzero = 2), gram_schmidt = list(nonzero = 2),
  grafting = list(lambda1 = 0.05), logistic_rfe = list(lambda = 0.1, nonzero = 2), obd = list(nonzero = 2),
  kernel_alignment = list(lambda = 0.1)
)

# A method of every constructor.
example_methods <- function() {
  constructors <- method_constructors()
  Map(function(construct, args) do.call(construct, as.list(args)), constructors,
      example_arguments[names(constructors)])
}

# Names of the methods that take a task.
task_methods <- function(task) {
  names(Filter(function(method) task %in% method$declares$tasks, example_methods()))
}

#' The methods at hand
#'
#' @return A data frame with a row per method: its name, the tasks it takes, whether x may be sparse,
#'   whether it takes kernels, the kind of its certificate (`"gap"`: distance from the global optimum;
#'   `"stationarity"`: the last convex problem is solved and would not change the solution), whether its
#'   objective is promised to descend, the largest number of features, and the reference.
#' @examples
#' zeronorm_methods()
#' @export
zeronorm_methods <- function() {
  declared <- lapply(unname(example_methods()), function(method) {
    d <- method$declares
    data.frame(method = method$name, task = paste(d$tasks, collapse = ", "), sparse = d$sparse,
               kernel = "kernel" %in% names(method$args), certificate = d$certificate, descends = d$descends,
               max_features = d$max_features, reference = method$reference)
  })
  do.call(rbind, declared)
}

as_method <- function(method) {
  if (inherits(method, "zeronorm_method")) return(method)
  constructors <- method_constructors()
  known <- names(constructors)
  for (name in known) {
    if (identical(method, name) || identical(method, constructors[[name]])) return(constructors[[name]]())
  }
  stop_zeronorm("method", paste0("is ", describe(method), "."),
                paste0("Use a method object such as fsv(lambda = 0.1); there are ",
                       paste0(known, "()", collapse = ", "), "."))
}

# One to four values in full, more by their ends.
format_values <- function(value) {
  if (is.null(value)) return("NULL")
  if (inherits(value, c("zeronorm_penalty", "zeronorm_kernel"))) return(format(value))
  if (is.function(value)) return("function")
  if (is.list(value)) return(paste0("list(", paste(names(value), vapply(value, format_values, ""),
                                                   sep = " = ", collapse = ", "), ")"))
  if (!is.null(dim(value))) return(paste(paste(dim(value), collapse = " x "), "matrix"))
  text <- if (is.character(value)) paste0("\"", value, "\"") else vapply(value, format, "", digits = 4)
  if (length(text) == 1) return(text)
  if (length(text) <= 4) return(paste0("c(", paste(text, collapse = ", "), ")"))
  paste0(text[1], ", ", text[2], ", ..., ", text[length(text)], " (", length(text), " values)")
}

#' @method format zeronorm_method
#' @export
format.zeronorm_method <- function(x, ...) {
  defaults <- formals(method_constructors()[[x$name]])
  changed <- vapply(names(x$args), function(name) !same_default(x$args[[name]], defaults[[name]], x$args), NA)
  shown <- vapply(x$args[changed], format_values, "")
  paste0(x$name, "(", paste(names(shown), shown, sep = " = ", recycle0 = TRUE, collapse = ", "), ")")
}

# The same method with some arguments changed.  Defaults that are made of other arguments follow these.
change_method <- function(method, changes) {
  construct <- method_constructors()[[method$name]]
  defaults <- formals(construct)
  given <- vapply(names(method$args), function(name) {
    !same_default(method$args[[name]], defaults[[name]], method$args)
  }, NA)
  args <- method$args[given & !names(method$args) %in% names(changes)]
  do.call(construct, c(args, changes), quote = TRUE)
}

# An argument without a default always counts as changed; a default may be made of other arguments.
same_default <- function(value, default, args) {
  if (is.symbol(default)) return(FALSE)
  identical(value, eval(default, args, topenv()))
}

#' @method print zeronorm_method
#' @export
print.zeronorm_method <- function(x, ...) {
  cat("<zeronorm method> ", x$label, "\n  ", format(x), "\n  ", x$reference, "\n", sep = "")
  invisible(x)
}

#' Filter by correlation
#'
#' Ranks each feature for itself by
#' \deqn{(\mu_{j+} - \mu_{j-})^2 / (\sigma_{j+}^2 + \sigma_{j-}^2)}
#' with the means and variances (of denominator n - 1) of both classes, and trains a machine on the best. A
#' constant feature scores 0, one that varies between the classes only is infinitely good. Observations
#' count by their weights. Of several classes, or labels, the scores of each against the rest are summed.
#'
#' @param nonzero target numbers of features, or `"path"`: all, half of them, a quarter, ..., 1.
#'   Features named `keep` or `unpenalized` in [zeronorm()] count and come first.
#' @param refit the machine trained on the selected features: `"l2"` or `"l1"`.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm.
#' @param refit_multiclass for several classes: `"ovr"`, each against the rest, or `"m_svm"`, see [m_svm()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Golub, T. R. and others (1999). Molecular classification of cancer: class discovery and class prediction
#' by gene expression monitoring. *Science* 286, 531-537.
#'
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, correlation_filter(nonzero = c(10, 2)))
#' selected(fit, nonzero = 2)
#' head(feature_ranking(fit))
#' @concept methods by ranking once
#' @export
correlation_filter <- function(nonzero, refit = "l2", refit_C = Inf, refit_multiclass = "ovr") {
  args <- arguments(needed_sizes)
  new_method("correlation_filter", "correlation filter", args, tuning = data.frame(row.names = 1L),
             steps = new_steps(0, 1, 1), reference = "Weston, Elisseeff, Schoelkopf and Tipping (2003)",
             family = "correlation", selection = new_selection(args, c("l2", "l1"), path = TRUE),
             declares = declare(class_tasks, blocks = class_tasks, descends = FALSE))
}

needed_sizes <- c(nonzero = "Give numbers of features, such as 20, or \"path\".")

#' The largest weights of one machine
#'
#' Trains one linear support vector machine on all features, ranks them by \eqn{|w_j|} on the standardised
#' columns, and trains a machine on the best: a single round of [svm_rfe()] or [arom()]. Features whose weight
#' is 0 follow in the order of \eqn{|\sum_i a_i y_i x_{ij}|}, the nearest to a weight first. Of several
#' classes, or labels, the machines of each against the rest are summed.
#'
#' @inheritParams correlation_filter
#' @param norm of the machine that ranks: `"l2"` or `"l1"`.
#' @param C its cost parameter; Inf means the smallest sum of margin violations first, then the smallest norm. A
#'   vector gives a ranking for each value.
#' @param refit the machine trained on the selected features: `"l2"`, `"l1"` or `"none"`, which leaves the
#'   largest weights as they are.
#' @param refit_C its C; Inf means the smallest sum of margin violations first, then the smallest norm, NULL
#'   the same as
#'   `C`.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' selected(zeronorm(x, y, top_weights(nonzero = 2)))
#' @concept methods by ranking once
#' @export
top_weights <- function(nonzero, norm = "l2", C = Inf, refit = "l2", refit_C = Inf,
                        refit_multiclass = "ovr") {
  args <- arguments(needed_sizes)
  by_l1 <- check_choice(norm, "norm", c("l2", "l1")) == "l1"
  C <- check_C(C)
  new_method("top_weights", paste0("top weights of the ", norm, "-SVM"), args, tuning = data.frame(C = C),
             steps = steps_of_C(C, as.numeric(by_l1), as.numeric(!by_l1)),
             reference = "Weston, Elisseeff, Schoelkopf and Tipping (2003)", family = "top_weights",
             model = new_model(limit = TRUE), selection = new_selection(args, path = TRUE, search_C = TRUE),
             declares = declare(class_tasks, blocks = "two-class", descends = FALSE))
}

#' Filter by ranking and validation
#'
#' Trains a linear l2 machine on one part of the observations and ranks the features by \eqn{|w_j|}. Machines
#' on the best feature, the best two, and so on, each trained on the same part, are judged by their errors on
#' the other part, the validation set. After `patience` additions in all that failed to lower the least error
#' so far by the share `tolerance` of it, or when all features are in, the features of the least error are
#' taken, and the classifier is trained on them and on all observations.
#'
#' @param C cost parameter of all SVMs: the penalty on margin violations; Inf means the smallest sum of margin
#'   violations first, then the smallest
#'   norm. A vector is a path.
#' @param patience number of additions that may fail, whether or not in a row.
#' @param tolerance an addition fails unless the error falls below \eqn{1 - tolerance} times the least one
#'   before.
#' @param refit the machine trained on the selected features and all observations: `"l2"`, `"l1"` or `"none"`,
#'   which leaves the machine that was judged.
#' @param refit_C its C; NULL means the same as `C`.
#' @inheritParams correlation_filter
#' @details
#' The validation set is half of the observations, drawn at random from each class alike. With
#' `zeronorm(foldid = )` nothing is drawn: the fold of the smallest number judges, the others train. Features
#' named `keep` or `unpenalized` are in from the start. The errors of the rounds are the objective that
#' [rounds()] shows.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Heiler, M., Cremers, D. and Schnoerr, C. (2001). Efficient feature subset selection for support vector
#' machines. Technical report 21/2001, University of Mannheim.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, ranking_filter())
#' selected(fit)
#' rounds(fit)[c("nonzero", "objective")]
#' @concept methods by ranking once
#' @export
ranking_filter <- function(C = 1, patience = 5, tolerance = 0.001, refit = "l2", refit_C = NULL,
                           refit_multiclass = "ovr") {
  args <- arguments()
  C <- check_C(C)
  new_method("ranking_filter", "ranking filter", args, tuning = data.frame(C = C),
             steps = steps_of_C(C, 0, 1), reference = "Neumann, Schnoerr and Steidl (2005)",
             family = "ranking_filter", model = new_model(limit = TRUE),
             selection = new_selection(args, search_C = TRUE),
             core = list(patience = check_count(patience, "patience"),
                         tolerance = check_number(tolerance, "tolerance", upper = 1)),
             folds = 2L, declares = declare(c("two-class", "k-class"), first = TRUE, descends = FALSE))
}

prepare_problem.zeronorm_ranking_filter <- function(method, problem) {
  check_validation(problem)
  problem
}

core_options.zeronorm_ranking_filter <- function(method, problem, steps) {
  c(method$core, list(folds = problem$folds))
}

# All methods of the package by their names.

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

#' Selected features and their importance
#'
#' The importance of a feature is its weight on the standardised scale, \eqn{|w_j| sd_j} (\eqn{|w_j|} where
#' the fit did not standardise); with several classes or labels the sum of these over them.
#' Of a kernel machine that selects features it is the scale of the feature within the kernel: for
#' [kernel_alignment()] \eqn{\theta_j}, for [r2w2()] with a kernel 1, for
#' [jcfo()] \eqn{\sigma_j}. Of [med_svm()] it is the posterior probability. Of [tree_importance()] it is that
#' of the tree. Of a machine with few support vectors ([norm_svm()]) `selected()` gives these: the
#' observations with a coefficient, the largest first.
#'
#' @param object a fit of [zeronorm()], a result of [cv_zeronorm()], or a trained model or workflow of tidymodels
#'   with the engine [`"zeronorm"`][svm_linear_zeronorm()].
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param ... unused, and an error if given.
#' @return `selected()`: names of the features with a nonzero weight (indices where `x` had no names) in
#'   decreasing importance, without those named `unpenalized` in [zeronorm()], which are in every model; a list
#'   for several solutions. `feature_importance()`: importance of all features, named, in decreasing order; for
#'   several solutions a matrix in the order of the columns.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm())
#' selected(fit)
#' head(feature_importance(fit))
#' @export
#' @order 1
selected <- function(object, ...) UseMethod("selected")

#' @rdname selected
#' @export
selected.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  if (selects_observations(object)) return(support_vectors(object, pick(object, nonzero, s, index)))
  check_features(object)
  picked <- pick(object, nonzero, s, index)
  sets <- lapply(picked, selected_columns, fit = object)
  named <- !is.null(object$features) || selects_monomials(object)
  if (named) sets <- lapply(sets, function(set) selectable_labels(object)[set])
  sets[!is_optimal(object)[picked]] <- list(if (named) NA_character_ else NA_integer_)
  if (length(sets) == 1) sets[[1]] else structure(sets, names = object$labels[picked])
}

# Whether the method is about few support vectors.
selects_observations <- function(fit) is_kernel_machine(fit) && fit$method$declares$selects == "observations"

# Observations with a coefficient in any output, the largest first: names, or indices where x had none.
support_vectors <- function(fit, picked) {
  sets <- lapply(picked, function(s) {
    size <- rowSums(abs(fit$machine$alpha[, output_columns(fit, s), drop = FALSE]))
    used <- which(size > 0)
    used <- used[order(-size[used])]
    if (fit$machine$named) as.character(rownames(fit$machine$alpha))[used] else fit$machine$rows[used]
  })
  sets[!is_optimal(fit)[picked]] <- list(if (fit$machine$named) NA_character_ else NA_integer_)
  one_or_list(sets, fit$labels[picked])
}

#' @rdname selected
#' @export
feature_importance <- function(object, ...) UseMethod("feature_importance")

#' @rdname selected
#' @export
feature_importance.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  check_features(object)
  picked <- pick(object, nonzero, s, index)
  out <- importance_values(object, picked)
  out[, !is_optimal(object)[picked]] <- NA
  if (length(picked) > 1) return(out)
  structure(as.vector(out), names = rownames(out))[order(-out[, 1])]
}

# Features x solutions; zeros where a solution failed.
importance_values <- function(fit, picked) {
  labels <- selectable_labels(fit)
  values <- vapply(picked, function(k) {
    used <- solution_features(fit, k)
    if (selects_features(fit)) used <- behind_monomials(fit, used)
    replace(numeric(length(labels)), used$column, used$importance)
  }, numeric(length(labels)))
  matrix(values, length(labels), dimnames = list(labels, fit$labels[picked]))
}

# Whether features have weights, or scales within a kernel.
has_features <- function(fit) !is_kernel_machine(fit) || isTRUE(fit$machine$scaled)

check_features <- function(fit) {
  if (has_features(fit)) return(invisible())
  stop_zeronorm("object", "is a kernel machine, which has no feature weights.",
                "coef() gives the coefficients of its support vectors.")
}

# Positions in the slots i and x of adjacent columns.
column_entries <- function(w, columns) {
  before <- w@p[columns[1]]
  seq_len(w@p[columns[length(columns)] + 1] - before) + before
}

# The features of solution k with a nonzero weight, by column: list(column, importance, weight); weight has
# a column for each output.
solution_features <- function(fit, k) {
  columns <- output_columns(fit, k)
  entries <- column_entries(fit$coefficients, columns)
  entries <- entries[fit$coefficients@x[entries] != 0]
  row <- fit$coefficients@i[entries] + 1L
  used <- sort(unique(row))
  list(column = used, importance = as.vector(rowsum(fit$magnitude[entries], row)),
       weight = as.matrix(fit$coefficients[used, columns, drop = FALSE]))
}

# Columns in decreasing importance, the lower column first among equals.
selected_columns <- function(fit, k) {
  used <- selectable_features(fit, k)
  used$column[order(-used$importance, used$column)]
}

# The same for what selected() names: the features behind monomials where it is these that are penalised.
selectable_features <- function(fit, k) {
  used <- without_unpenalized(fit, solution_features(fit, k))
  if (selects_features(fit)) behind_monomials(fit, used) else used
}

# Unpenalised columns are in every model, and selected in none.
without_unpenalized <- function(fit, used) {
  if (!length(fit$unpenalized)) return(used)
  penalised <- !used$column %in% fit$unpenalized
  list(column = used$column[penalised], importance = used$importance[penalised],
       weight = used$weight[penalised, , drop = FALSE])
}

# Columns of x that a solution uses, also behind monomials: list(column, importance).
used_features <- function(fit, k) {
  used <- solution_features(fit, k)
  if (is.null(fit$polynomial)) used else behind_monomials(fit, used)
}

selectable_labels <- function(fit) {
  if (!selects_features(fit)) return(feature_labels(fit))
  if (is.null(fit$features)) as.character(seq_len(fit$d)) else fit$features
}

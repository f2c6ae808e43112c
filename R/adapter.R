# What the adapters for parsnip, recipes, caret and mlr3 share: a fit by parameters that are given one by one, of
# which one solution is shown.

# A fit of zeronorm() with `asked`, the position of the solution that its verbs show where no other is pointed at.
# parameters: list(C, nonzero, epsilon), each NULL or values of that argument of the method; smaller: sizes of which
# those below `nonzero` are fitted as well; task: "classification" or "regression".
fit_adapted <- function(x, y, method, parameters, task, smaller = NULL, weights = NULL, prob = FALSE,
                        impute = NULL, unpenalized = NULL, keep = NULL, ...) {
  x <- encode_x(without_sparse_columns(x), gaps = !is.null(impute))
  unpenalized <- name_indicators(unpenalized, x)
  keep <- name_indicators(keep, x)
  parameters$nonzero <- sizes_to_fit(parameters$nonzero, smaller, x, keep, unpenalized)
  method <- adapted_method(method, parameters, y, task)
  fit <- zeronorm(x, y, method, weights = weights, impute = impute, unpenalized = unpenalized, keep = keep,
                  task = task, ...)
  fit$asked <- asked_solution(fit)
  if (check_flag(prob, "prob")) {
    fit <- calibrate_zeronorm(fit, x, y, folds = min(10, nrow(x$x)), weights = weights)
  }
  fit
}

# A method with C, nonzero and epsilon put into its arguments, as adapters get them one by one.
adapted_method <- function(method, parameters, y, task) {
  parameters <- parameters[lengths(parameters) > 0]
  method <- if (is.null(method)) default_method(parameters$nonzero, y, task) else as_method(method)
  unknown <- setdiff(names(parameters), names(method$args))
  if (length(unknown)) {
    stop_zeronorm(unknown[1], paste0("is given, but ", method$name, "() has no argument of that name."),
                  "Leave it out, or choose another method.")
  }
  if (!length(parameters)) return(method)
  do.call(constructor_of(method$name), replace(method$args, names(parameters), parameters), quote = TRUE)
}

# With the l1 norm where the number of features is left to the method.
default_method <- function(nonzero, y, task) {
  regression <- task == "regression"
  if (!is.null(nonzero)) return(arom(errors = "l2", epsilon = if (regression) 0.1))
  if (regression) return(dca("epsilon_insensitive", l1_penalty()))
  if (length(unique(y)) > 2) m_svm("l1", C = 1) else l1_svm()
}

# The only solution, or that of the largest size among solutions that differ in nothing else.
asked_solution <- function(fit) {
  table <- fit$certificate
  if (nrow(table) == 1) return(1L)
  parameters <- setdiff(fit$tuning, "target")
  several <- parameters[vapply(table[parameters], function(values) length(unique(values)) > 1, NA)]
  if (length(several)) {
    stop_zeronorm("method", paste0("has ", nrow(table), " solutions, with several values of ",
                                   enumerate(several), ", but one is needed."), "Give one value, or tune it.")
  }
  if (identical(fit$method$nonzero, "path") || is.null(table$target)) {
    stop_zeronorm("nonzero", paste0("is not given, but ", format(fit$method), " has ", nrow(table),
                                    " solutions, of which one is needed."),
                  "Give the number of features, such as nonzero = 10.")
  }
  which.max(table$target)
}

# Numbers of features cut to those there are; one number with those of `smaller` below it that leave room for the
# features of `keep`.
sizes_to_fit <- function(nonzero, smaller, x, keep, unpenalized) {
  nonzero <- check_nonzero(nonzero)
  if (!is.numeric(nonzero)) return(nonzero)
  apart <- check_variables(unpenalized, "unpenalized", x)
  count <- ncol(x$x) - length(apart)
  if (any(nonzero > count)) {
    inform_once("sizes", "`nonzero` asks for ", max(nonzero), " features, but there are ", count, ": all are taken.")
    nonzero <- unique(pmin(nonzero, count))
  }
  if (length(nonzero) > 1) return(nonzero)
  least <- max(1, length(setdiff(check_variables(keep, "keep", x), apart)))
  c(nonzero, sort(unique(smaller[smaller < nonzero & smaller >= least]), decreasing = TRUE))
}

# Recipes and parsnip make 0/1 columns of a factor before a model sees it.  A name that is no column then stands for
# the columns of zeros and ones that begin with it.
name_indicators <- function(columns, x) {
  if (!is.character(columns)) return(columns)
  lost <- setdiff(columns, c(x$names, x$encoding$variables))
  found <- lapply(lost, function(name) {
    begins <- x$names[startsWith(x$names, name)]
    begins[vapply(begins, function(column) all(as.vector(x$x[, column]) %in% c(0, 1, NA)), NA)]
  })
  for (k in which(lengths(found) > 0)) {
    inform_once(paste("indicators", lost[k]), "'", lost[k], "' is no column: it stands for ",
                enumerate(found[[k]]), ".")
  }
  c(columns[!columns %in% lost[lengths(found) > 0]], unlist(found))
}

# Columns of package sparsevctrs as a sparse matrix.
without_sparse_columns <- function(x) {
  sparse <- is.data.frame(x) && isNamespaceLoaded("sparsevctrs") && sparsevctrs::has_sparse_elements(x)
  if (sparse && all(vapply(x, is_number_column, NA))) sparsevctrs::coerce_to_sparse_matrix(x) else x
}

# What the adapters for parsnip, recipes, caret and mlr3 share: a fit by parameters that are given one by one,
# of which one solution is shown.

# A fit of zeronorm() with `asked`, the position of the solution that its verbs show where no other is pointed
# at. parameters: list(C, nonzero, epsilon), each NULL or values of that argument of the method; task:
# "classification" or "regression"; options: further arguments of zeronorm(); smaller: sizes of which those
# below `nonzero` are fitted as well.
fit_adapted <- function(x, y, method, parameters, task, options = list(), weights = NULL, prob = FALSE,
                        smaller = NULL) {
  taken <- intersect(names(options), c("x", "y", "data", "method", "weights", "task"))
  if (length(taken)) {
    stop_zeronorm(taken[1], "is given among the further arguments of zeronorm(), but it is set already.",
                  "Leave it out.")
  }
  x <- encode_x(without_sparse_columns(x), gaps = !is.null(options$impute))
  for (name in c("unpenalized", "keep")) options[[name]] <- name_indicators(options[[name]], x)
  # Partners put observations in order; names from a resampling stand for nothing.
  names(y) <- NULL
  parameters$nonzero <- sizes_to_fit(parameters$nonzero, smaller, x, options)
  method <- adapted_method(method, parameters, task, y)
  fit <- do.call(zeronorm, c(list(x, y, method, weights = weights, task = task), options), quote = TRUE)
  fit$asked <- asked_solution(fit)
  if (check_flag(prob, "prob")) {
    if (any(fit$counts < 2)) {
      stop_zeronorm("y", "has a class with one observation, but probabilities are calibrated by a cross-validation.",
                    "Give two observations of each class, or fit without probabilities.")
    }
    fit <- calibrate_zeronorm(fit, x, y, folds = min(10, nrow(x$x)))
  }
  fit
}

# A method with C, nonzero and epsilon put into its arguments, as adapters get them one by one.
adapted_method <- function(method, parameters, task = "classification", y = 1:2) {
  parameters <- parameters[lengths(parameters) > 0]
  method <- if (is.null(method)) adapter_method(parameters$nonzero, task, y) else as_method(method)
  unknown <- setdiff(names(parameters), names(method$args))
  if (length(unknown)) {
    stop_zeronorm(unknown[1], paste0("is given, but ", method$name, "() has no argument of that name."),
                  "Leave it out, or choose another method.")
  }
  if (length(parameters)) change_method(method, parameters) else method
}

# With the l1 norm where the number of features is left to the method.
adapter_method <- function(nonzero, task, y) {
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
  if (identical(fit$method$selection$nonzero, "path") || is.null(table$target)) {
    stop_zeronorm("nonzero", paste0("is not given, but ", format(fit$method), " has ", nrow(table),
                                    " solutions, of which one is needed."),
                  "Give the number of features, such as nonzero = 10.")
  }
  which.max(table$target)
}

# Numbers of features cut to those there are; one number with those of `smaller` below it that leave room for
# the features that zeronorm(keep = ) has in `options`.
sizes_to_fit <- function(nonzero, smaller, x, options) {
  nonzero <- check_nonzero(nonzero)
  if (!is.numeric(nonzero)) return(nonzero)
  apart <- check_variables(options$unpenalized, "unpenalized", x)
  count <- ncol(x$x) - length(apart)
  if (any(nonzero > count)) {
    inform_once(paste("sizes", count), "`nonzero` asks for ", max(nonzero), " features, but there are ", count,
                ": all are taken.")
    nonzero <- unique(pmin(nonzero, count))
  }
  if (length(nonzero) > 1) return(nonzero)
  least <- max(1, length(setdiff(check_variables(options$keep, "keep", x), apart)))
  c(nonzero, sort(unique(smaller[smaller < nonzero & smaller >= least]), decreasing = TRUE))
}

# Recipes and parsnip make 0/1 columns of a factor before a model sees it.  A name that is no column then
# stands for the columns of zeros and ones that begin with it.
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

# The variables that the columns of x come from: list(name, importance, kept); importance is the sum over the
# columns of a factor, and kept is also what the model has without being selected.
variables_used <- function(fit) {
  used <- used_features(fit, fit$asked)
  variables <- fit$encoding$variables
  if (is.null(variables)) variables <- fit$features
  importance <- replace(numeric(fit$d), used$column, used$importance)
  columns <- list(x = matrix(0, 0, fit$d), names = fit$features, encoding = fit$encoding)
  always <- check_variables(fit$settings$keep, "keep", columns)
  list(name = unique(variables), importance = as.vector(rowsum(importance, variables, reorder = FALSE)),
       kept = unique(variables) %in% variables[c(used$column, fit$unpenalized, always)])
}

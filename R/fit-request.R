# A request: the data and everything that zeronorm() was asked, checked and encoded.  Every verb that fits
# again, on other rows or with other labels, does so through a request, so that no argument can be lost on the
# way:
#   x         features as encode_x() gives them
#   labels    labels as encode_y() gives them
#   method    the method object, with all its arguments
#   settings  the arguments of zeronorm() that do not belong to observations
#   weights, foldid, block
#             one value for each observation, or NULL

# All arguments of zeronorm(), and `block`, whose observations resampling keeps together.
new_request <- function(x, y, method, standardize = TRUE, intercept = TRUE, weights = NULL,
                        class_weights = NULL, unpenalized = NULL, keep = NULL, groups = NULL, foldid = NULL,
                        task = "auto", engine = "auto", control = zeronorm_control(), impute = NULL,
                        assay = NULL, block = NULL, ...) {
  refuse_further(...)
  check_choice(task, "task", c("auto", "classification", "regression"))
  impute <- check_impute(impute)
  source <- read_source(x, y, assay, gaps = !is.null(impute))
  settings <- list(standardize = check_flag(standardize, "standardize"),
                   intercept = check_flag(intercept, "intercept") && source$intercept,
                   class_weights = class_weights, unpenalized = unpenalized, keep = keep, groups = groups,
                   engine = check_choice(engine, "engine", engine_names), control = check_control(control),
                   impute = impute, assay = source$x$encoding$assay)
  method <- as_method(method)
  x <- source$x
  labels <- encode_y(source$y, nrow(x$x), task, method$declares$takes)
  check_task(method, labels)
  check_delayed(x$x, method, labels$task, settings$engine)
  inform_delayed(x$x)
  settings$task <- task_of(labels)
  c(list(x = x, labels = labels, method = method, settings = settings),
    row_values(list(y = source$y, weights = weights, foldid = foldid, block = block), x$x, labels, source))
}

# What a user passes as x and y, as list(x, y, intercept, samples): x as encode_x() gives it; samples() has
# the sample data of a Bioconductor object.
read_source <- function(x, y, assay = NULL, gaps = FALSE) {
  if (inherits(x, "zeronorm_source")) {
    if (!missing(y)) stop_zeronorm("y", "is given beside a formula.", "Name it in the formula.")
    return(read_formula(x, gaps))
  }
  if (is_experiment(x)) return(encode_experiment(x, if (missing(y)) NULL else y, assay, gaps))
  if (!is.null(assay)) {
    stop_zeronorm("assay", paste0("is given, but `x` is ", describe(x), "."), "Only Bioconductor objects have assays.")
  }
  x <- encode_x(x, gaps)
  if (missing(y)) stop_missing_labels()
  list(x = x, y = y, intercept = TRUE)
}

# A formula and its data on the way to new_request().
formula_source <- function(formula, data) {
  if (!is.null(data) && !is.data.frame(data)) {
    stop_zeronorm("data", paste0("is ", describe(data), "."), "Use a data frame, or pass `x` and `y`.")
  }
  structure(list(formula = formula, data = data), class = "zeronorm_source")
}

read_formula <- function(source, gaps) {
  encoded <- encode_formula(source$formula, source$data, gaps)
  # Names in `block`, `weights` and `foldid` then stand for columns of the data.
  samples <- if (!is.null(source$data)) function() as.list(source$data)
  list(x = encoded$x, y = encoded$y, intercept = encoded$intercept, samples = samples)
}

# verb(formula = y ~ ., data = d), which no method is found for.
without_x <- function(verb, formula, ...) {
  if (missing(formula)) stop_zeronorm("x", "is missing.", "Give a matrix with a row for every observation.")
  verb(formula, ...)
}

# Checked: the values that belong to observations.  In a Bioconductor object a name stands for sample data.
row_values <- function(given, x, labels, source = NULL) {
  for (name in setdiff(names(given), "y")) {
    value <- given[[name]]
    if (is.character(value) && length(value) == 1 && !is.null(source$samples)) {
      data <- source$samples()
      if (!value %in% names(data)) {
        stop_zeronorm(name, paste0("is \"", value, "\", which is no column of the data."),
                      paste0("There are ", enumerate(names(data), 10), "."))
      }
      given[[name]] <- data[[value]]
    }
  }
  for (name in names(given)) check_names_of_rows(given[[name]], name, rownames(x))
  list(weights = if (!is.null(given$weights)) check_weights(given$weights, labels$class),
       foldid = if (!is.null(given$foldid)) check_folds(given$foldid, labels$class),
       block = check_block(given$block, nrow(x)))
}

# What zeronorm(task = ) has to be for the same labels to be read alike.
task_of <- function(labels) if (labels$task == "regression") "regression" else "classification"

# For arguments that no verb knows.
refuse_further <- function(...) {
  if (!...length()) return(invisible())
  unknown <- c(names(list(...)), "")[1]
  stop_zeronorm(if (nzchar(unknown)) unknown else "...", "is not an argument of zeronorm().",
                advice_on_argument(unknown))
}

# Words of other packages are pointed to ours; `otherwise` is the advice on any other name.
advice_on_argument <- function(name, otherwise = "Parameters of a method belong inside it, as in fsv(lambda = 0.1).") {
  ours <- c(nfolds = "folds", k = "folds", type.measure = "measure", loss = "measure",
            cutoff = "predict(cutoff = )", penalty.factor = "l1_svm(costs = )", family = "method",
            newx = "newdata", nthreads = "control", cost = "l1_svm(C = )", exclude = "x[, -j]")
  if (name %in% names(ours)) paste0("The word here is `", ours[[name]], "`.") else otherwise
}

# Values named like the rows have to be in the order of the rows.
check_names_of_rows <- function(values, argument, rows) {
  names <- if (is.matrix(values)) rownames(values) else if (is.atomic(values)) names(values)
  if (is.null(names) || is.null(rows) || length(names) != length(rows) || identical(names, rows)) {
    return(invisible())
  }
  found <- if (setequal(names, rows)) "is named like the rows of `x`, but in another order."
           else paste0("has names that are not the row names of `x`, such as '", setdiff(names, rows)[1], "'.")
  stop_zeronorm(argument, found,
                paste0("Use ", argument, "[rownames(x)]", if (is.matrix(values)) " for its rows",
                       ", or remove the names if the order is right."))
}

observations <- function(request) nrow(request$x$x)

# The same request on these rows; a row may come more than once.
take_rows <- function(request, rows) {
  request$x$x <- request$x$x[rows, , drop = FALSE]
  request$labels <- take_labels(request$labels, rows)
  for (name in c("weights", "foldid", "block")) {
    if (!is.null(request[[name]])) request[[name]] <- request[[name]][rows]
  }
  if (is_kernel_matrix(request$method)) {
    request$method$model$kernel$values <- request$method$model$kernel$values[rows, rows, drop = FALSE]
  }
  request
}

# The request with the path of a fit, where the data determine the path: folds fit the same one.
with_path_of <- function(request, fit) {
  request$method[c("tuning", "steps")] <- fit$method[c("tuning", "steps")]
  request
}

# The features of `rows` for a fit to `train`: with a kernel matrix, kernel values with the rows of `train`.
held_out_data <- function(request, rows, train) {
  if (!is_kernel_matrix(request$method)) return(request$x$x[rows, , drop = FALSE])
  request$method$model$kernel$values[rows, train, drop = FALSE]
}

is_kernel_matrix <- function(method) {
  kernel <- method$model$kernel
  identical(kernel$kind, "matrix") && !is.null(kernel$values)
}

# The fit that zeronorm() gives for a request.
fit_request <- function(request) {
  check_both_present(request$labels)
  x <- request$x
  settings <- request$settings
  imputation <- NULL
  if (!is.null(settings$impute)) {
    imputation <- imputation_values(x, settings$impute)
    x$x <- fill_in(x$x, imputation)
  }
  # Rows that were taken out of a request may lack a fold.
  if (!is.null(request$foldid)) request$foldid <- check_folds(request$foldid, request$labels$class)
  problem <- new_problem(x, request$labels, request$method, settings, request$weights, request$foldid)
  method <- complete_path(request$method, problem, settings)
  solutions <- fit_method(method, problem, settings)
  new_zeronorm(method, problem, solutions, request, imputation)
}

# Rows that were taken out of a request may lack a class.
check_both_present <- function(labels) {
  lacking <- switch(labels$task,
    "multi-label" = labels$levels[colMeans(labels$y > 0) %in% c(0, 1)],
    regression = character(),
    setdiff(labels$levels, labels$levels[unique(labels$class)])
  )
  if (!length(lacking)) return(invisible())
  found <- if (labels$task == "multi-label") paste0("has one class only in label ", enumerate(lacking), ".")
           else paste0("has no observation of class ", enumerate(lacking), ".")
  stop_zeronorm("y", found, "Use fewer folds, or more observations of each class.")
}

# --- the request of a fit ---

# The request that made a fit, on `x` and `y`, which are its training data or others of the same kind.
# Features are matched by name and labels by level, whatever order they come in.  Weights and folds are those
# of the fit unless others are given.
request_of <- function(object, x, y, weights, foldid, block = NULL) {
  check_result(object)
  if (missing(x)) stop_without_data("x", "Give the training data.")
  if (is_kernel_machine(object) && object$machine$kernel$kind == "matrix") {
    stop_zeronorm("object", "was fitted to a kernel matrix, which it does not keep.", "Fit again.")
  }
  source <- if (is_experiment(x)) open_experiment(x)
  features <- features_like(object, x)
  n <- nrow(features$x)
  y <- labels_beside(object, x, if (missing(y)) NULL else y)
  labels <- labels_like(object, y, n)
  if (missing(weights)) weights <- values_of_fit(object$weights, n, "weights")
  if (missing(foldid)) foldid <- values_of_fit(object$foldid, n, "foldid")
  c(list(x = features, labels = labels, method = object$method, settings = object$settings),
    row_values(list(y = y, weights = weights, foldid = foldid, block = block), features$x, labels, source))
}

# One value for each observation that the fit was given, for as many observations.
values_of_fit <- function(values, n, argument) {
  if (is.null(values) || length(values) == n) return(values)
  stop_zeronorm(argument, paste0("is missing: the fit had one for each of its ", length(values),
                                 " observations, but `x` has ", n, " rows."),
                paste0("Give `", argument, "` for these rows, or NULL for none."))
}

# Data encoded as a fit encoded its own, with its features in its order.
features_like <- function(object, x) {
  x <- encode_newdata(x, object$encoding, "x")
  x <- match_columns(x, object$features, seq_len(object$d), object$d, "x", load = FALSE)
  if (is.null(object$settings$impute) && !is_delayed(x) && !all_finite(x)) stop_not_finite(x, "x")
  structure(class = "zeronorm_x", list(x = x, names = object$features, encoding = object$encoding,
                                       covariates = object$covariates,
                                       tile = if (is_delayed(x)) block_size(x)))
}

# Labels as a user gives them beside data for a fit: themselves, a column of sample data, or NULL where the
# formula of the fit names them.
labels_beside <- function(object, x, y) {
  source <- if (is_experiment(x)) open_experiment(x)
  if (is.null(y)) response_of(object, x, source)
  else if (!is.null(source)) encode_sample_data(y, source, gaps = TRUE)$y
  else y
}

# The labels that a formula names.
response_of <- function(object, x, source) {
  encoding <- if (is.null(source)) object$encoding else object$encoding$covariates
  if (is.null(encoding$formula)) stop_missing_labels()
  data <- if (is.null(source)) x else source$samples()
  label <- stats::as.formula(call("~", encoding$formula[[2]]), globalenv())
  evaluate_frame(list(label, data, na.action = stats::na.pass), "y")[[1]]
}

# encode_y() with the levels of a fit in their order.
labels_like <- function(object, y, n) {
  if (object$task == "regression") return(encode_y(y, n, "regression", "regression"))
  labels <- encode_y(y, n, "classification", object$method$declares$takes)
  unknown <- setdiff(labels$levels, object$levels)
  if (length(unknown) || (labels$task == "multi-label") != (object$task == "multi-label")) {
    stop_zeronorm("y", if (length(unknown)) paste0("has the class ", enumerate(unknown), ", unknown to the fit.")
                       else "is not of the kind that the fit was trained on.",
                  paste0("The fit knows ", enumerate(object$levels), "."))
  }
  if (labels$task != "multi-label") {
    return(encode_classes(match(labels$levels, object$levels)[labels$class], object$levels))
  }
  labels$y <- labels$y[, match(object$levels, labels$levels), drop = FALSE]
  labels$levels <- object$levels
  labels
}

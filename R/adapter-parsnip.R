#' Engine for parsnip
#'
#' Makes `parsnip::set_engine("zeronorm")` work for the model `parsnip::svm_linear()`, in the modes
#' `"classification"` and `"regression"`. The engine registers itself when both packages are loaded. parsnip
#' calls `svm_linear_zeronorm()`, whose arguments after `weights` can be given to `set_engine()`.
#'
#' The arguments `cost` and `margin` of the model are `C` and `epsilon` of the method. `nonzero`, an argument
#' of the engine, is the number of features; a fit with one number up to 100 holds all smaller ones too, so
#' that `multi_predict(fit, new_data, nonzero = c(2, 5))` needs no further fit. All three can be tuned: `cost`
#' over 2^-10 to 2^5, `margin` over 0 to 0.2, `nonzero` over 1 to 100. Numbers of features above those of the
#' data mean all of them.
#'
#' One solution is shown by `predict()`, `tidy()`, `augment()`, `selected()` and the other verbs of the fit:
#' that with `nonzero` features. A method that gives several solutions, such as a path of C, is an error.
#'
#' parsnip turns factors into 0/1 columns. `unpenalized = "batch"` then stands for the columns of the factor
#' `batch`. `parsnip::fit()` itself drops rows with missing values; in a workflow, or with `fit_xy()`, they
#' reach the engine, and `impute = "median"` completes them.
#'
#' Predictions are of type `"class"`, `"prob"` and `"raw"`, the decision value, which is positive for the
#' second level, and in regression `"numeric"`. yardstick takes the first level for the event. With `prob =
#' FALSE` probabilities are NA, with a warning.
#'
#' @param x,y,weights data, as in [zeronorm()].
#' @param C cost parameter (`cost` of the model), where the method has one.
#' @param nonzero number of features, or several.
#' @param epsilon half the width of the tube of a regression (`margin` of the model), where the method has
#'   one.
#' @param method a method object or its name, into which `C`, `nonzero` and `epsilon` are put. NULL: with
#'   `nonzero` [arom()] with `errors = "l2"`; without it [l1_svm()], for several classes [m_svm()] with the l1
#'   norm, and in regression [dca()] with the epsilon-insensitive loss and the l1 norm.
#' @param prob whether the fit is calibrated for probabilities, which takes a cross-validation of ten folds:
#'   see [calibrate_zeronorm()].
#' @param task `"classification"` or `"regression"`.
#' @param ... further arguments of [zeronorm()], such as `standardize`, `unpenalized` or `impute`.
#' @return A fit of [zeronorm()] with the position `asked` of the solution that is shown.
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' set.seed(1)
#' data <- data.frame(matrix(rnorm(40 * 20), 40))
#' data$y <- factor(ifelse(data$X1 - data$X2 > 0, "up", "down"))
#' model <- parsnip::svm_linear(mode = "classification")
#' model <- parsnip::set_engine(model, "zeronorm", nonzero = 5)
#' fit <- generics::fit(model, y ~ ., data)
#' predict(fit, data[1:3, ], type = "prob")
#' selected(fit)
#' tidy(fit)
#'
#' line <- parsnip::set_engine(parsnip::svm_linear(mode = "regression", margin = 0.2), "zeronorm")
#' selected(generics::fit(line, X1 ~ . - y, data))
#' @export
svm_linear_zeronorm <- function(x, y, weights = NULL, C = NULL, nonzero = NULL, epsilon = NULL, method = NULL,
                                prob = task == "classification",
                                task = if (is.numeric(y) && length(unique(y)) > 2) "regression"
                                       else "classification", ...) {
  smaller <- if (is.numeric(nonzero) && max(nonzero) <= 100) seq_len(100)
  fit_adapted(x, y, method, list(C = C, nonzero = nonzero, epsilon = epsilon), task, list(...), weights, prob,
              smaller)
}

register_parsnip <- function() {
  if ("zeronorm" %in% parsnip::show_engines("svm_linear")$engine) return(invisible())
  for (mode in c("classification", "regression")) register_mode(mode)
  argument <- function(name, ours, fun, range, has_submodel = FALSE) {
    parsnip::set_model_arg("svm_linear", "zeronorm", name, ours,
                           list(pkg = "dials", fun = fun, range = range), has_submodel = has_submodel)
  }
  argument("cost", "C", "cost", c(-10, 5))
  argument("margin", "epsilon", "svm_margin", c(0, 0.2))
  argument("nonzero", "nonzero", "num_terms", c(1L, 100L), has_submodel = TRUE)
}

register_mode <- function(mode) {
  parsnip::set_model_engine("svm_linear", mode, "zeronorm")
  parsnip::set_dependency("svm_linear", "zeronorm", "zeronorm", mode)
  parsnip::set_fit("svm_linear", mode, "zeronorm",
                   list(interface = "matrix", protect = c("x", "y", "weights"), defaults = list(task = mode),
                        func = c(pkg = "zeronorm", fun = "svm_linear_zeronorm")))
  parsnip::set_encoding("svm_linear", mode, "zeronorm",
                        list(predictor_indicators = "traditional", compute_intercept = TRUE,
                             remove_intercept = TRUE, allow_sparse_x = TRUE))
  predicts <- function(type, as, post) {
    arguments <- list(object = quote(object$fit), newdata = quote(new_data), type = as)
    parsnip::set_pred("svm_linear", mode, "zeronorm", type,
                      list(pre = NULL, post = post, func = c(fun = "predict"), args = arguments))
  }
  plain <- function(values, object) unname(values)
  predicts("raw", "link", NULL)
  if (mode == "regression") return(predicts("numeric", "link", plain))
  predicts("class", "class", plain)
  # augment() asks every model for probabilities.
  predicts("prob", quote(if (is.null(object$fit$calibration)) "link" else "prob"), parsnip_probabilities)
}

# NA where the fit is not calibrated.
parsnip_probabilities <- function(values, object) {
  fit <- object$fit
  if (is.null(fit$calibration)) {
    warn("zeronorm: probabilities are NA, because the fit was made with prob = FALSE.")
    values <- matrix(NA_real_, NROW(values), length(fit$levels), dimnames = list(NULL, fit$levels))
  }
  as_table(as.data.frame(level_probabilities(fit, values), optional = TRUE))
}

#' @rawNamespace S3method(parsnip::multi_predict, "_zeronorm")
multi_predict._zeronorm <- function(object, new_data, type = NULL, nonzero = NULL, ...) {
  fit <- check_result(object$fit)
  if (is.null(type)) type <- if (fit$task == "regression") "numeric" else "class"
  table <- fit$certificate
  fitted <- if (is.null(table$target)) table$nonzero else table$target
  sizes <- if (is.null(nonzero)) fitted else check_nonzero(nonzero)
  # Sizes above the number of features mean all of them.
  picked <- if (is.null(nonzero)) seq_along(fitted)
            else vapply(pmin(sizes, max(fitted, na.rm = TRUE)), function(size) pick(fit, size), 0L)
  each <- lapply(picked, function(k) {
    object$fit$asked <- k
    values <- stats::predict(object, new_data, type = type)
    if (is.data.frame(values)) as.list(values) else list(.pred = values)
  })
  n <- nrow(new_data)
  columns <- structure(lapply(names(each[[1]]), function(name) do.call(c, lapply(each, `[[`, name))),
                       names = names(each[[1]]))
  all <- as_table(c(list(nonzero = rep(sizes, each = n)), columns))
  as_table(list(.pred = unname(split(all, rep(seq_len(n), length(sizes))))))
}

# Package tune fits the largest size of a grid only, and predicts the others by multi_predict().  Other
# engines of this model keep what they have.
register_tune <- function() {
  known <- utils::getS3method("min_grid", "svm_linear", optional = TRUE, envir = asNamespace("tune"))
  registerS3method("min_grid", "svm_linear", envir = asNamespace("tune"), function(x, grid, ...) {
    if (identical(x$engine, "zeronorm")) return(tune::fit_max_value(x, grid, ...))
    if (is.null(known)) NextMethod() else known(x, grid, ...)
  })
}

#' @rdname selected
#' @export
selected.model_fit <- function(object, ...) selected(parsnip_fit(object), ...)

#' @rdname selected
#' @export
feature_importance.model_fit <- function(object, ...) feature_importance(parsnip_fit(object), ...)

# The fit of zeronorm() in a model_fit of parsnip.
parsnip_fit <- function(object) {
  if (inherits(object$fit, "zeronorm")) return(object$fit)
  stop_zeronorm("object", paste0("is a model of the engine \"", object$spec$engine, "\"."),
                "Use set_engine(\"zeronorm\").")
}

#' @rdname selected
#' @export
selected.workflow <- function(object, ...) selected(workflow_part(object), ...)

#' @rdname selected
#' @export
feature_importance.workflow <- function(object, ...) feature_importance(workflow_part(object), ...)

# The trained model of a workflow.
workflow_part <- function(workflow) {
  need_package("workflows", "a workflow")
  if (!workflows::is_trained_workflow(workflow)) {
    stop_zeronorm("object", "is a workflow that is not trained.", "Use fit(object, data) first.")
  }
  workflows::extract_fit_parsnip(workflow)
}

#' Engine for parsnip
#'
#' Makes `parsnip::set_engine("zeronorm")` work for the classification model `parsnip::svm_linear()`: it
#' registers itself when both packages are loaded. parsnip calls `svm_linear_zeronorm()`, whose arguments
#' after `weights` can be given to `set_engine()`.
#'
#' `cost` of the model is C of the method. `nonzero`, an argument of the engine, is the number of features; a
#' model of one number up to 100 holds all smaller ones too, so that
#' `multi_predict(fit, new_data, nonzero = c(2, 5))` needs no further fit. Both can be tuned: `cost` over
#' 2^-10 to 2^5, `nonzero` over 1 to 100.
#'
#' Predictions are of type `"class"`, `"prob"` (NA with a warning unless `prob = TRUE` was given to the
#' engine) and `"raw"`, the decision value, which is positive for the second level; yardstick takes the first
#' level for the event.
#'
#' @param x,y,weights data, as in [zeronorm()].
#' @param C price of the slacks (`cost` of the model), where the method has one.
#' @param nonzero number of features, or several.
#' @param method a method object or its name, into which `C` and `nonzero` are put; NULL means [l1_svm()], and
#'   with `nonzero` [arom()] with `errors = "l2"`.
#' @param prob whether the fit is calibrated for probabilities, by a cross-validation: see [calibrate_zeronorm()].
#' @param ... further arguments of [zeronorm()], such as `standardize` or `unpenalized`.
#' @return A fit of [zeronorm()], with the position `asked` of the solution that `predict()` of parsnip shows:
#'   the largest size asked for, and without `nonzero` the sparsest with fewest training errors.
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' set.seed(1)
#' data <- data.frame(matrix(rnorm(40 * 20), 40))
#' data$y <- factor(ifelse(data$X1 - data$X2 > 0, "up", "down"))
#' model <- parsnip::svm_linear(mode = "classification")
#' model <- parsnip::set_engine(model, "zeronorm", nonzero = 5)
#' fit <- generics::fit(model, y ~ ., data)
#' predict(fit, data[1:3, ])
#' tidy(fit)
#' @export
svm_linear_zeronorm <- function(x, y, weights = NULL, C = NULL, nonzero = NULL, method = NULL, prob = FALSE,
                                ...) {
  method <- adapted_method(method, C, if (!is.null(nonzero)) sizes_up_to(nonzero, x, ...))
  fit <- zeronorm(x, y, method, weights = weights, ...)
  fit$asked <- if (is.null(nonzero)) shown_solution(fit) else pick(fit, nonzero = min(max(nonzero), ncol(x)))
  if (check_flag(prob, "prob")) fit <- calibrate_zeronorm(fit, x, y, folds = min(10, nrow(x)), weights = weights)
  fit
}

# A method with C and sizes put into its arguments, as adapters get them one by one.
adapted_method <- function(method, C = NULL, nonzero = NULL) {
  if (is.null(method)) method <- if (is.null(nonzero)) "l1_svm" else arom(errors = "l2")
  method <- as_method(method)
  args <- method$args
  for (name in c("C", "nonzero")) {
    value <- get(name)
    if (is.null(value)) next
    if (!name %in% names(args)) {
      stop_zeronorm(name, paste0("is given, but ", method$name, "() has no argument of that name."),
                    "Leave it out, or choose another method.")
    }
    args[[name]] <- value
  }
  do.call(constructor_of(method$name), args, quote = TRUE)
}

# A size up to 100 with all smaller ones that the forced features allow; others as they are.
sizes_up_to <- function(nonzero, x, keep = NULL, unpenalized = NULL, ...) {
  nonzero <- check_nonzero(nonzero)
  if (identical(nonzero, "path")) return(nonzero)
  nonzero <- unique(pmin(nonzero, ncol(x)))
  if (length(nonzero) > 1 || nonzero > 100) return(nonzero)
  least <- max(1, length(unique(c(keep, unpenalized))))
  if (least > nonzero) nonzero else seq(nonzero, least)
}

register_parsnip <- function() {
  if ("zeronorm" %in% parsnip::show_engines("svm_linear")$engine) return(invisible())
  parsnip::set_model_engine("svm_linear", "classification", "zeronorm")
  parsnip::set_dependency("svm_linear", "zeronorm", "zeronorm", "classification")
  parsnip::set_model_arg("svm_linear", "zeronorm", "cost", "C",
                         list(pkg = "dials", fun = "cost", range = c(-10, 5)), has_submodel = FALSE)
  parsnip::set_model_arg("svm_linear", "zeronorm", "nonzero", "nonzero",
                         list(pkg = "dials", fun = "num_terms", range = c(1L, 100L)), has_submodel = TRUE)
  parsnip::set_fit("svm_linear", "classification", "zeronorm",
                   list(interface = "matrix", protect = c("x", "y", "weights"), defaults = list(),
                        func = c(pkg = "zeronorm", fun = "svm_linear_zeronorm")))
  parsnip::set_encoding("svm_linear", "classification", "zeronorm",
                        list(predictor_indicators = "traditional", compute_intercept = TRUE,
                             remove_intercept = TRUE, allow_sparse_x = TRUE))
  predicts <- function(type, as, post) {
    arguments <- list(object = quote(object$fit), newdata = quote(new_data), index = quote(object$fit$asked),
                      type = as)
    parsnip::set_pred("svm_linear", "classification", "zeronorm", type,
                      list(pre = NULL, post = post, func = c(fun = "predict"), args = arguments))
  }
  predicts("class", "class", function(values, object) unname(values))
  predicts("raw", "link", NULL)
  # augment() and tune ask every model for probabilities.
  predicts("prob", quote(if (is.null(object$fit$calibration)) "link" else "prob"), parsnip_probabilities)
}

# NA where the fit is not calibrated.
parsnip_probabilities <- function(values, object) {
  fit <- object$fit
  if (is.null(fit$calibration)) {
    warn("zeronorm: probabilities are NA, because the fit is not calibrated; use ",
         "set_engine(\"zeronorm\", prob = TRUE).")
    values <- matrix(NA_real_, NROW(values), length(fit$levels), dimnames = list(NULL, fit$levels))
  }
  as_tibble_frame(as.data.frame(level_probabilities(fit, values), optional = TRUE))
}

#' @rawNamespace S3method(parsnip::multi_predict, "_zeronorm")
multi_predict._zeronorm <- function(object, new_data, type = NULL, nonzero = NULL, ...) {
  if (is.null(type)) type <- "class"
  fit <- check_result(object$fit)
  picked <- pick(fit, nonzero)
  sizes <- fit$certificate$nonzero[picked]
  if (!is.null(nonzero)) sizes <- nonzero
  each <- lapply(picked, function(k) {
    object$fit$asked <- k
    values <- stats::predict(object, new_data, type = type)
    if (is.data.frame(values)) as.data.frame(values) else data.frame(.pred = values)
  })
  n <- nrow(new_data)
  all <- as_tibble_frame(c(list(nonzero = rep(sizes, each = n)), do.call(rbind, each)))
  as_tibble_frame(list(.pred = unname(split(all, rep(seq_len(n), length(sizes))))))
}

# Package tune fits the largest size of a grid only, and predicts the others by multi_predict().
#' @exportS3Method tune::min_grid
min_grid.svm_linear <- function(x, grid, ...) tune::fit_max_value(x, grid, ...)

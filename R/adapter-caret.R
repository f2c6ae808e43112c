#' A model for caret
#'
#' A list for the argument `method` of `caret::train()`, which tunes the number of features: all sizes of the
#' grid come from one fit for each resample. Of a method without `nonzero`, such as [l1_svm()], it tunes `C`;
#' with several values of `C` it tunes both. `caret::varImp()` and `caret::predictors()` understand the
#' result. caret resamples the fit with its selection inside. Numeric outcomes mean regression.
#'
#' With `trainControl(classProbs = TRUE)` fits are calibrated for probabilities, which takes a
#' cross-validation of ten folds for each: see [calibrate_zeronorm()].
#'
#' @param method a method object or its name, into which sizes and `C` are put; NULL means [arom()] with
#'   `errors = "l2"`.
#' @param sizes numbers of features tried where `train()` gets no `tuneGrid`; NULL means 1, 2, 4, ...,
#'   as many as its `tuneLength`.
#' @param C cost parameter, where the method has one. Several values are tried where `train()` gets no
#'   `tuneGrid`; NULL means the value in `method`, or where C is all there is to tune, from 0.01 to 10.
#' @param ... further arguments of [zeronorm()].
#' @return A list as `caret::getModelInfo()` has them.
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60, dimnames = list(NULL, paste0("g", 1:20)))
#' y <- factor(ifelse(x[, 1] - x[, 2] > 0, "up", "down"))
#' fit <- caret::train(x, y, caret_zeronorm(sizes = c(1, 2, 5)),
#'                     trControl = caret::trainControl("cv", number = 3))
#' fit$bestTune
#' caret::predictors(fit)
#' @export
caret_zeronorm <- function(method = NULL, sizes = NULL, C = NULL, ...) {
  sizes <- check_nonzero(sizes)
  if (!is.null(C)) C <- check_C(C)
  tuned <- caret_parameters(method, sizes, C)
  further <- list(...)
  list(
    label = "zeronorm", library = "zeronorm", type = c("Classification", "Regression"),
    parameters = caret_table(tuned),
    grid = function(x, y, len = NULL, search = "grid") caret_grid(tuned, sizes, C, ncol(x), len, search),
    # One fit has every size of the grid.
    loop = if ("nonzero" %in% tuned) caret_loop,
    fit = function(x, y, wts, param, lev, last, classProbs, ...) { # nolint: object_name_linter.
      parameters <- list(C = if ("C" %in% tuned) param$C else C, nonzero = param$nonzero)
      # caret does not tell the sizes to come, so all those that can are fitted.
      fit_adapted(x, y, method, parameters, if (is.factor(y)) "classification" else "regression",
                  c(further, list(...)), wts, isTRUE(classProbs) && is.factor(y), c(sizes, seq_len(100)))
    },
    predict = function(modelFit, newdata, submodels = NULL) { # nolint: object_name_linter.
      caret_predictions(modelFit, newdata, submodels, function(...) {
        values <- unname(stats::predict(modelFit, newdata, ...))
        if (is.factor(values)) as.character(values) else values
      })
    },
    prob = function(modelFit, newdata, submodels = NULL) { # nolint: object_name_linter.
      if (is.null(modelFit$calibration)) {
        stop_zeronorm("type", "is \"prob\", but the model was trained without probabilities.",
                      "Use trainControl(classProbs = TRUE).")
      }
      caret_predictions(modelFit, newdata, submodels, function(...) {
        p <- level_probabilities(modelFit, stats::predict(modelFit, newdata, "prob", ...))
        as.data.frame(p, optional = TRUE)
      })
    },
    predictors = function(x, ...) as.character(selected(x)),
    varImp = function(object, ...) {
      values <- importance_values(check_result(object), object$asked)
      data.frame(Overall = as.vector(values), row.names = rownames(values))
    },
    levels = function(x) check_result(x, "x")$levels,
    tags = c("Support Vector Machines", "Linear Classifier", "Linear Regression", "Feature Selection"),
    sort = function(x) if (length(tuned)) x[do.call(order, unname(x[tuned])), , drop = FALSE] else x
  )
}

# Names of what train() tunes.
caret_parameters <- function(method, sizes, C) {
  # Refuses what the method does not have.
  method <- adapted_method(method, list(C = C, nonzero = if (is.null(method) && is.null(sizes)) 1 else sizes))
  has <- intersect(c("nonzero", "C"), names(method$args))
  if ("nonzero" %in% has && length(C) < 2) "nonzero" else has
}

caret_table <- function(tuned) {
  if (!length(tuned)) return(data.frame(parameter = "parameter", class = "character", label = "parameter"))
  data.frame(parameter = tuned, class = "numeric",
             label = c(nonzero = "Number of Features", C = "Cost")[tuned], row.names = NULL)
}

caret_grid <- function(tuned, sizes, C, d, len, search) {
  random <- search == "random"
  tried <- list(
    nonzero = if (random) sample.int(d, min(d, len)) else if (is.null(sizes)) 2^(seq_len(len) - 1) else sizes,
    C = if (!is.null(C)) C else if (random) 10^stats::runif(len, -2, 1) else 10^seq(-2, 1, length.out = len)
  )
  tried$nonzero <- sort(unique(pmin(tried$nonzero, d)))
  if (!length(tuned)) data.frame(parameter = "none")
  else expand.grid(tried[tuned], KEEP.OUT.ATTRS = FALSE)
}

# The largest size for each C, and the sizes below it.
caret_loop <- function(grid) {
  by_C <- split(grid, if (is.null(grid$C)) rep(1, nrow(grid)) else grid$C)
  largest <- lapply(by_C, function(rows) which.max(rows$nonzero))
  list(loop = do.call(rbind, unname(Map(function(rows, k) rows[k, , drop = FALSE], by_C, largest))),
       submodels = unname(Map(function(rows, k) rows[-k, , drop = FALSE], by_C, largest)))
}

# What `of` gives for the solution shown, and before it for the submodels of other sizes, as a list.
caret_predictions <- function(fit, newdata, submodels, of) {
  if (is.null(submodels)) return(of())
  largest <- max(fit$certificate$target)
  c(list(of()), lapply(submodels$nonzero, function(size) of(nonzero = min(size, largest))))
}

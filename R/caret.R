#' A model for caret
#'
#' A list for the argument `method` of `caret::train()`, which tunes the number of features: all sizes of the
#' grid come from one fit for each resample. `caret::varImp()` and `caret::predictors()` understand the
#' result. caret resamples the fit with its selection inside.
#'
#' @param method a method object or its name, into which sizes and `C` are put; NULL means [arom()] with
#'   `errors = "l2"`.
#' @param sizes numbers of features tried where `train()` gets no `tuneGrid`; NULL means 1, 2, 4, ...,
#'   as many as its `tuneLength`.
#' @param C price of the slacks, where the method has one.
#' @param prob whether fits are calibrated for probabilities (`classProbs` of caret): see [calibrate_zeronorm()].
#' @param ... further arguments of [zeronorm()].
#' @return A list as `caret::getModelInfo()` has them, of type classification.
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' x <- matrix(rnorm(60 * 20), 60, dimnames = list(NULL, paste0("g", 1:20)))
#' y <- factor(ifelse(x[, 1] - x[, 2] > 0, "up", "down"))
#' fit <- caret::train(x, y, caret_zeronorm(sizes = c(1, 2, 5)),
#'                     trControl = caret::trainControl("cv", number = 3))
#' fit$bestTune
#' caret::predictors(fit)
#' @export
caret_zeronorm <- function(method = NULL, sizes = NULL, C = NULL, prob = FALSE, ...) {
  if (!is.null(sizes)) sizes <- check_nonzero(sizes)
  further <- list(...)
  list(
    label = "zeronorm", library = "zeronorm", type = "Classification",
    parameters = data.frame(parameter = "nonzero", class = "numeric", label = "Number of features"),
    grid = function(x, y, len = NULL, search = "grid") {
      d <- ncol(x)
      tried <- if (search == "random") sample.int(d, min(d, len), replace = FALSE)
               else if (is.null(sizes)) 2^(seq_len(len) - 1) else sizes
      data.frame(nonzero = sort(unique(pmin(tried, d))))
    },
    # One fit has every size of the grid.
    loop = function(grid) {
      largest <- which.max(grid$nonzero)
      list(loop = grid[largest, , drop = FALSE], submodels = list(grid[-largest, , drop = FALSE]))
    },
    fit = function(x, y, wts, param, lev, last, classProbs, ...) { # nolint: object_name_linter.
      # caret does not tell the sizes to come, so all those that can are fitted.
      nonzero <- smaller_sizes(param$nonzero, sizes)
      do.call(svm_linear_zeronorm, c(list(x, y, wts, C, nonzero, method, prob), further, list(...)))
    },
    predict = function(modelFit, newdata, submodels = NULL) { # nolint: object_name_linter.
      main <- as.character(stats::predict(modelFit, newdata, index = modelFit$asked))
      if (is.null(submodels)) return(main)
      others <- lapply(submodels$nonzero, function(size) {
        as.character(stats::predict(modelFit, newdata, nonzero = size))
      })
      c(list(main), others)
    },
    prob = if (check_flag(prob, "prob")) caret_probabilities,
    predictors = function(x, ...) as.character(selected(x, index = x$asked)),
    varImp = function(object, ...) {
      data.frame(Overall = importance_values(check_result(object), object$asked)[, 1])
    },
    levels = function(x) check_result(x, "x")$levels,
    tags = c("Support Vector Machines", "Linear Classifier", "Feature Selection"),
    sort = function(x) x[order(x$nonzero), , drop = FALSE]
  )
}

caret_probabilities <- function(modelFit, newdata, submodels = NULL) { # nolint: object_name_linter.
  of <- function(...) {
    p <- level_probabilities(modelFit, stats::predict(modelFit, newdata, "prob", ...))
    as.data.frame(p, optional = TRUE)
  }
  main <- of(index = modelFit$asked)
  if (is.null(submodels)) return(main)
  c(list(main), lapply(submodels$nonzero, function(size) of(nonzero = size)))
}

# A size with the smaller ones among `sizes` and up to 100.
smaller_sizes <- function(nonzero, sizes = NULL) {
  all <- c(sizes, seq_len(100))
  c(nonzero, sort(unique(all[all < nonzero]), decreasing = TRUE))
}

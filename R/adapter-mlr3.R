#' Learners for mlr3
#'
#' `LearnerClassifZeronorm$new()` and `LearnerRegrZeronorm$new()`, or `mlr3::lrn("classif.zeronorm")` and
#' `mlr3::lrn("regr.zeronorm")` once both packages are loaded: learners of two or more classes, and of
#' numbers, which know observation weights, missing values, `$importance()` and `$selected_features()`; so
#' `mlr3fselect::fs("rfe")` and `mlr3filters::flt("selected_features")` can use them. A factor counts as
#' selected if any of its 0/1 columns is. With `predict_type = "prob"` the fit is calibrated for
#' probabilities, which takes a cross-validation of ten folds: see [calibrate_zeronorm()].
#'
#' Parameters: `method` (a method object or its name); `nonzero`, `C` and `epsilon`, which are put into it
#' (see [svm_linear_zeronorm()]); and the arguments `standardize`, `intercept`, `class_weights`,
#' `unpenalized`, `keep`, `groups`, `engine`, `control` and `impute` of [zeronorm()]. `impute` is `"median"`
#' here, because mlr3 expects a learner that takes missing values to do so without being told; NULL makes them
#' an error. Numbers of features above those of the task mean all of them.
#'
#' @format A list with the function `new()`, which makes an R6 object of class `LearnerClassifZeronorm` or
#'   `LearnerRegrZeronorm`.
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' learner <- LearnerClassifZeronorm$new()
#' learner$param_set$set_values(nonzero = 2)
#' learner$train(mlr3::tsk("iris"))
#' learner$selected_features()
#' learner$predict(mlr3::tsk("iris"))$confusion
#'
#' line <- mlr3::lrn("regr.zeronorm", nonzero = 3)
#' line$train(mlr3::tsk("mtcars"))$selected_features()
#' @export
LearnerClassifZeronorm <- list(new = function() new_learner(classif_class)) # nolint: object_name_linter.

#' @rdname LearnerClassifZeronorm
#' @export
LearnerRegrZeronorm <- list(new = function() new_learner(regr_class)) # nolint: object_name_linter.

new_learner <- function(class) {
  for (package in c("mlr3", "paradox", "R6")) need_package(package, "a learner of mlr3")
  class()$new()
}

# Methods of an R6 class find these.
utils::globalVariables(c("self", "super", "private"))

# The classes are made when they are asked for, because mlr3 may not be installed.
classif_class <- function() {
  R6::R6Class(
    "LearnerClassifZeronorm", inherit = mlr3::LearnerClassif, parent_env = topenv(),
    public = c(list(initialize = function() {
      do.call(super$initialize,
              c(learner_description("classif"), list(predict_types = c("response", "prob"))))
    }), learner_verbs()),
    private = list(
      .train = function(task) {
        train_learner(self, task, private$.get_weights(task), "classification",
                      prob = self$predict_type == "prob")
      },
      .predict = function(task) {
        # The class is that of the decision value, whether or not probabilities are wanted.
        data <- task_data(task)
        class <- list(response = unname(stats::predict(self$model, data)))
        if (self$predict_type == "response") return(class)
        c(class, list(prob = level_probabilities(self$model, stats::predict(self$model, data, "prob"))))
      }
    )
  )
}

regr_class <- function() {
  R6::R6Class(
    "LearnerRegrZeronorm", inherit = mlr3::LearnerRegr, parent_env = topenv(),
    public = c(list(initialize = function() do.call(super$initialize, learner_description("regr"))),
               learner_verbs()),
    private = list(
      .train = function(task) train_learner(self, task, private$.get_weights(task), "regression"),
      .predict = function(task) list(response = unname(stats::predict(self$model, task_data(task))))
    )
  )
}

learner_description <- function(type) {
  classes <- if (type == "classif") c("twoclass", "multiclass")
  list(
    id = paste0(type, ".zeronorm"), packages = "zeronorm", label = "Sparse Support Vector Machine",
    man = paste0("zeronorm::Learner", if (type == "classif") "Classif" else "Regr", "Zeronorm"),
    param_set = learner_parameters(), feature_types = c("logical", "integer", "numeric", "factor", "ordered"),
    properties = c(classes, "weights", "missings", "importance", "selected_features")
  )
}

learner_verbs <- function() {
  list(
    importance = function() {
      used <- variables_used(trained_fit(self))
      sort(structure(used$importance, names = used$name), decreasing = TRUE)
    },
    selected_features = function() {
      fit <- trained_fit(self)
      unique(fit$encoding$variables[selected_columns(fit, fit$asked)])
    }
  )
}

train_learner <- function(learner, task, weights, kind, prob = FALSE) {
  settings <- learner$param_set$get_values(tags = "train")
  parameters <- intersect(c("C", "nonzero", "epsilon"), names(settings))
  fit_adapted(task_data(task), task$truth(), settings$method, settings[parameters], kind,
              settings[setdiff(names(settings), c("method", parameters))], weights, prob)
}

learner_parameters <- function() {
  paradox::ps(
    method = paradox::p_uty(tags = "train"), nonzero = paradox::p_int(1, tags = "train"),
    C = paradox::p_dbl(0, tags = "train"), epsilon = paradox::p_dbl(0, tags = "train"),
    standardize = paradox::p_lgl(tags = "train"), intercept = paradox::p_lgl(tags = "train"),
    class_weights = paradox::p_uty(tags = "train"), unpenalized = paradox::p_uty(tags = "train"),
    keep = paradox::p_uty(tags = "train"), groups = paradox::p_uty(tags = "train"),
    engine = paradox::p_fct(engine_names, tags = "train"), control = paradox::p_uty(tags = "train"),
    impute = paradox::p_fct(c("median", "mean"), init = "median", tags = "train")
  )
}

task_data <- function(task) as.data.frame(task$data(cols = task$feature_names))

trained_fit <- function(learner) {
  if (!is.null(learner$model)) return(learner$model)
  stop_zeronorm("learner", "is not trained.", "Use $train(task) first.")
}

register_mlr3 <- function() {
  mlr3::mlr_learners$add("classif.zeronorm", LearnerClassifZeronorm$new)
  mlr3::mlr_learners$add("regr.zeronorm", LearnerRegrZeronorm$new)
}

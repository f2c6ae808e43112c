#' A learner for mlr3
#'
#' `LearnerClassifZeronorm$new()`, or `mlr3::lrn("classif.zeronorm")` once both packages are loaded: a learner
#' of two or more classes on numeric features, which knows observation weights, `$importance()` and
#' `$selected_features()`; so `mlr3fselect::fs("rfe")` and `mlr3filters::flt("selected_features")` can use it.
#' With `predict_type = "prob"` the fit is calibrated for probabilities, by a cross-validation: see
#' [calibrate_zeronorm()].
#'
#' Parameters: `method` (a method object or its name), `nonzero` and `C`, which are put into it (see
#' [svm_linear_zeronorm()]), and `standardize`, `intercept`, `class_weights`, `keep`, `unpenalized` and
#' `engine` of [zeronorm()].
#'
#' @format A list with the function `new()`, which makes an R6 object of class `LearnerClassifZeronorm`.
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' learner <- LearnerClassifZeronorm$new()
#' learner$param_set$set_values(nonzero = 2)
#' learner$train(mlr3::tsk("iris"))
#' learner$selected_features()
#' learner$predict(mlr3::tsk("iris"))$confusion
#' @export
LearnerClassifZeronorm <- list(new = function() { # nolint: object_name_linter.
  for (package in c("mlr3", "paradox", "R6")) need_package(package, "LearnerClassifZeronorm")
  learner_class()$new()
})

# Methods of an R6 class find these.
utils::globalVariables(c("self", "super", "private"))

# The class is made when it is asked for, because mlr3 may not be installed.
learner_class <- function() {
  R6::R6Class(
    "LearnerClassifZeronorm", inherit = mlr3::LearnerClassif, parent_env = topenv(),
    public = list(
      initialize = function() {
        super$initialize(
          id = "classif.zeronorm", packages = "zeronorm", label = "Sparse Support Vector Machine",
          man = "zeronorm::LearnerClassifZeronorm", param_set = learner_parameters(),
          feature_types = c("logical", "integer", "numeric"), predict_types = c("response", "prob"),
          properties = c("twoclass", "multiclass", "weights", "importance", "selected_features")
        )
      },
      importance = function() {
        fit <- trained_fit(self)
        feature_importance(fit, index = fit$asked)
      },
      selected_features = function() {
        fit <- trained_fit(self)
        as.character(selected(fit, index = fit$asked))
      }
    ),
    private = list(
      .train = function(task) {
        settings <- self$param_set$get_values(tags = "train")
        data <- list(learner_matrix(task), task$truth(), private$.get_weights(task))
        do.call(svm_linear_zeronorm, c(data, settings, list(prob = self$predict_type == "prob")))
      },
      .predict = function(task) {
        fit <- self$model
        predicted <- function(type) stats::predict(fit, learner_matrix(task), type, index = fit$asked)
        if (self$predict_type == "response") return(list(response = predicted("class")))
        list(prob = level_probabilities(fit, predicted("prob")))
      }
    )
  )
}

learner_parameters <- function() {
  paradox::ps(
    method = paradox::p_uty(tags = "train"), nonzero = paradox::p_int(1, tags = "train"),
    C = paradox::p_dbl(0, tags = "train"), standardize = paradox::p_lgl(tags = "train"),
    intercept = paradox::p_lgl(tags = "train"), class_weights = paradox::p_uty(tags = "train"),
    keep = paradox::p_uty(tags = "train"), unpenalized = paradox::p_uty(tags = "train"),
    engine = paradox::p_fct(engines, tags = "train")
  )
}

learner_matrix <- function(task) as.matrix(task$data(cols = task$feature_names))

trained_fit <- function(learner) {
  if (!is.null(learner$model)) return(learner$model)
  stop_zeronorm("learner", "is not trained.", "Use $train(task) first.")
}

register_mlr3 <- function() mlr3::mlr_learners$add("classif.zeronorm", LearnerClassifZeronorm$new)

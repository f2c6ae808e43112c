#' A step for recipes that selects features
#'
#' Fits [zeronorm()] to the chosen predictors when the recipe is prepared, and drops those that it does not
#' select. Within a resampling of the recipe the selection is part of what is resampled. Factors may come
#' before or after `recipes::step_dummy()`: a factor is kept if any of its 0/1 columns is selected. Case
#' weights of the recipe are used. A numeric outcome means regression.
#'
#' @param recipe a recipe.
#' @param ... which columns to select from, as in `recipes::all_predictors()`.
#' @param outcome name of the column with the labels; NULL means the recipe's outcome.
#' @param nonzero number of features, which can be tuned over 1 to 100; more than there are means all. NULL:
#'   what the method selects, and 20 where the method would otherwise give a path of sizes.
#' @param C cost parameter, where the method has one; it can be tuned over 2^-10 to 2^5.
#' @param method a method object or its name, into which `nonzero` and `C` are put where they are not NULL.
#'   NULL means [arom()] with `errors = "l2"`. A method that gives several solutions, such as a path of C, is
#'   an error.
#' @param options a list of further arguments of [zeronorm()], such as `keep` or `unpenalized`; the features
#'   named there are never dropped.
#' @param role,trained,chosen,removals,skip,id for recipes.
#' @param x a step.
#' @return The recipe with the step. `tidy()` of the trained step: `terms`, whether each is `selected` (kept),
#'   its `importance`, and the step's `id`.
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' set.seed(1)
#' data <- data.frame(matrix(rnorm(40 * 20), 40))
#' data$y <- factor(ifelse(data$X1 - data$X2 > 0, "up", "down"))
#' plan <- recipes::recipe(y ~ ., data)
#' plan <- step_select_zeronorm(plan, recipes::all_predictors(), nonzero = 3)
#' trained <- recipes::prep(plan)
#' names(recipes::bake(trained, data))
#' tidy(trained, number = 1)
#' @export
step_select_zeronorm <- function(recipe, ..., outcome = NULL, nonzero = NULL, C = NULL, method = NULL,
                                 options = list(), role = NA, trained = FALSE, chosen = NULL, removals = NULL,
                                 skip = FALSE, id = recipes::rand_id("select_zeronorm")) {
  need_package("recipes", "step_select_zeronorm()")
  terms <- rlang::enquos(...)
  recipes::add_step(recipe, recipes::step(
    subclass = "select_zeronorm", terms = terms, outcome = outcome, nonzero = nonzero, C = C, method = method,
    options = options, role = role, trained = trained, chosen = chosen, removals = removals, skip = skip,
    id = id
  ))
}

#' @exportS3Method recipes::prep
prep.step_select_zeronorm <- function(x, training, info = NULL, ...) {
  columns <- unname(recipes::recipes_eval_select(x$terms, training, info))
  data <- as.data.frame(training[columns])
  usable <- vapply(data, function(v) is_number_column(v) || is.factor(v), NA)
  if (!all(usable)) {
    stop_zeronorm("...", paste0("names the column ", enumerate(columns[!usable]), ", which is no number."),
                  "Use recipes::step_dummy() before this step, or recipes::all_numeric_predictors().")
  }
  weights <- recipes::get_case_weights(info, training)
  y <- training[[outcome_column(x, info)]]
  fit <- fit_adapted(data, y, x$method, list(C = x$C, nonzero = size_of_step(x, length(columns))),
                     if (is.numeric(y)) "regression" else "classification", x$options,
                     if (!is.null(weights)) as.double(weights))
  check_features(fit)
  used <- variables_used(fit)
  x$chosen <- data.frame(terms = columns, selected = columns %in% used$name[used$kept],
                         importance = used$importance[match(columns, used$name)])
  x$removals <- columns[!x$chosen$selected]
  if (length(x$removals) == length(columns)) {
    warn("zeronorm: ", format(fit$method), " selects no feature; all of this step's columns are dropped.")
  }
  x$trained <- TRUE
  x
}

# 20 stands for a path of all sizes.
size_of_step <- function(step, d) {
  if (!is.null(step$nonzero)) return(step$nonzero)
  if (is.null(step$method) || identical(as_method(step$method)$selection$nonzero, "path")) min(20, d)
}

outcome_column <- function(step, info) {
  found <- step$outcome
  if (is.null(found)) found <- info$variable[info$role %in% "outcome"]
  if (length(found) == 1 && found %in% info$variable) return(found)
  stop_zeronorm("outcome", if (length(found)) paste0("is ", enumerate(found), ".") else "is not known.",
                "Name one column of the recipe.")
}

#' @exportS3Method recipes::bake
bake.step_select_zeronorm <- function(object, new_data, ...) {
  new_data[!names(new_data) %in% object$removals]
}

#' @export
print.step_select_zeronorm <- function(x, width = max(20, options()$width - 30), ...) {
  recipes::print_step(x$chosen$terms[x$chosen$selected], x$terms, x$trained, "zeronorm selects ", width)
  invisible(x)
}

#' @rdname step_select_zeronorm
#' @export
tidy.step_select_zeronorm <- function(x, ...) {
  chosen <- x$chosen
  if (!x$trained) chosen <- list(terms = recipes::sel2char(x$terms), selected = NA, importance = NA_real_)
  n <- length(chosen$terms)
  as_table(c(lapply(chosen, rep_len, n), list(id = rep(x$id, n))))
}

#' @exportS3Method generics::tunable
tunable.step_select_zeronorm <- function(x, ...) {
  as_table(list(
    name = c("nonzero", "C"),
    call_info = list(list(pkg = "dials", fun = "num_terms", range = c(1L, 100L)),
                     list(pkg = "dials", fun = "cost", range = c(-10, 5))),
    source = rep("recipe", 2), component = rep("step_select_zeronorm", 2), component_id = rep(x$id, 2)
  ))
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_select_zeronorm <- function(x, ...) "zeronorm"

#' Fit a sparse support vector machine
#'
#' Fits any model of the package; `method` chooses which: a value such as [arom()], [fsv()] or [l1_svm()]. A
#' vector of a tuning parameter in it is a path, fitted with warm starts, and several vectors make a grid. The
#' decision value is \eqn{f(x) = w'x + b} with a free intercept, and an observation belongs to the second level
#' of y where f(x) is above 0.
#'
#' Features are standardised by default, without a copy of the data, and coefficients are returned on the
#' scale of `x`. Sparse matrices stay sparse and are scaled; of their columns only those without zeros are
#' centred, and the intercept makes up for the others. Without an intercept nothing is centred.
#'
#' x and y are *training data*: errors on them, as in [certificate()], say nothing about new data. *Test
#' data* are for [predict()][predict.zeronorm()] alone; [cv_zeronorm()] and [nested_zeronorm()] split the data
#' themselves.
#'
#' @param x features with observations in rows: a numeric, integer or logical matrix, a sparse matrix of
#'   package Matrix, a data frame or tibble (a factor becomes a 0/1 column for each level after its first), a
#'   formula, or a `DelayedMatrix` or [Bioconductor object][zeronorm-bioconductor].
#' @param y labels of two classes: a factor (its second level is +1, unused levels are dropped), logical, a
#'   character vector, -1/+1 or 0/1; of several classes the same with more levels, or a 0/1 matrix with a
#'   column for each label; numbers for regression. [zeronorm_methods()] lists which method takes what. Where
#'   both y and the rows of x have names, these have to be the same in the same order.
#' @param data with a formula: a data frame of its variables, of at most 5000 columns.
#' @param method a method object, or the name of a method for its default values; without one, the whole path of
#'   `arom("l2", nonzero = "path", errors = "l2")` is fitted. [zeronorm_methods()]
#'   lists them.
#' @param standardize whether columns are scaled to unit standard deviation, so that penalties treat
#'   features alike.
#' @param intercept whether the decision function has one.
#' @param weights weights of the observations, which multiply their margin violations: an observation of
#'   weight 2 counts like two. Refused where the method has a hard margin, or treats violations as features.
#' @param class_weights numbers named by the levels of y that multiply the weights of their class, or
#'   `"balanced"`.
#' @param unpenalized features that are in the model without a penalty, such as age or batches, by name or
#'   index; the name of a factor stands for all its columns. They come on top of the numbers of features that a
#'   method is asked for, and [selected()] leaves them out.
#' @param keep features that are always kept by methods that drop features, by name or index.
#' @param groups group of each feature, for methods that drop groups of features: see [svm_rfe()].
#' @param foldid fold number of each observation for methods that cross-validate inside; the others only
#'   check it.
#' @param task `"auto"`, `"classification"` or `"regression"`.
#' @param engine `"auto"`, or one of `"simplex"`, `"dual"`, `"active_set"`, `"newton"`, `"smooth"`,
#'   `"highs"`, `"osqp"` for the convex problems of the search; the refit on selected features always takes
#'   `"auto"`. An engine that cannot solve the problems of a method is an error.
#' @param control see [zeronorm_control()].
#' @param impute NULL, where missing values are an error; or `"median"` or `"mean"` of the column in the
#'   training data (of a factor its most frequent level), which the fit keeps and puts into new data as well, also
#'   for a feature that these lack. Infinite values are always an error.
#' @param assay of a Bioconductor object: the name or number of the assay. NULL is `"logcounts"` for a
#'   `SingleCellExperiment` that has it, else the first. A fit remembers it for `predict()`.
#' @param ... for a formula, any of the arguments after `method`; anything else is an error.
#' @return An object of class `zeronorm`, without the training data (kernel machines keep their support
#'   vectors). See [coef.zeronorm()], [selected()], [predict.zeronorm()], [certificate()],
#'   [plot.zeronorm()].
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40, dimnames = list(NULL, paste0("g", 1:100)))
#' y <- factor(ifelse(x[, 1] + x[, 2] > 0, "tumour", "normal"))
#' fit <- zeronorm(x, y)
#' fit
#' selected(fit, nonzero = 3)
#' predict(fit, x[1:5, ], nonzero = 3)
#'
#' zeronorm(Species ~ ., data = droplevels(iris[51:150, ]), l1_svm(C = c(0.1, 1)))
#'
#' # A fit is a plain value: saved, and read in another session.
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' identical(predict(readRDS(file), x), predict(fit, x))
#' @export
zeronorm <- function(x, ...) if (missing(x)) without_x(zeronorm.formula, ...) else UseMethod("zeronorm")

#' @rdname zeronorm
#' @export
zeronorm.default <- function(x, y, method = default_method(),
                             standardize = TRUE, intercept = TRUE, weights = NULL, class_weights = NULL,
                             unpenalized = NULL, keep = NULL, groups = NULL, foldid = NULL, task = "auto",
                             engine = "auto", control = zeronorm_control(), impute = NULL, assay = NULL,
                             ...) {
  fit_request(new_request(x, y, method, standardize = standardize, intercept = intercept, weights = weights,
                          class_weights = class_weights, unpenalized = unpenalized, keep = keep,
                          groups = groups, foldid = foldid, task = task, engine = engine, control = control,
                          impute = impute, assay = assay, ...))
}

#' @rdname zeronorm
#' @export
zeronorm.formula <- function(x, data = NULL, method = default_method(), ...) {
  zeronorm.default(formula_source(x, data), method = method, ...)
}

# The method of all verbs that are given none.
default_method <- function() arom("l2", nonzero = "path", errors = "l2")

engine_names <- c("auto", "simplex", "dual", "active_set", "newton", "smooth", "highs", "osqp")

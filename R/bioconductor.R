#' Bioconductor objects
#'
#' [zeronorm()], [cv_zeronorm()], [nested_cv()] and [stability_selection()] take a `SummarizedExperiment`, a
#' `SingleCellExperiment` or an `ExpressionSet`, which hold features in rows and samples in columns; they
#' transpose it themselves. [predict()][predict.zeronorm()] takes such objects as `newx`.
#'
#' A sparse assay stays sparse. A `DelayedMatrix`, such as an assay in an HDF5 file, stays on the disk: it is
#' read block by block, and memory holds some columns and, for the l2 norm, two matrices of samples by
#' samples. As `x` itself, with samples in rows, `zeronorm()` takes a `DelayedMatrix` too. [l1_svm()],
#' [arom()] (`norm = "l2"`, with `errors` NULL or `"l2"`), [correlation_filter()] and [top_weights()] read
#' blocks; the others refuse, and `as.matrix()` loads the data for them. Each pass over the file counts, so
#' files should have chunks that are wide in the samples.
#'
#' With a formula as y, such as `tumour ~ batch + age`, the left side is the label and the right side names
#' covariates, both in the sample data. Covariates come after the features, factors as 0/1 columns for each
#' level after the first, and are `unpenalized`: they are in every model, are named by [selected()], and count
#' in `nonzero`.
#'
#' @param x a `SummarizedExperiment` (a `SingleCellExperiment` is one) or an `ExpressionSet`.
#' @param y the name of a column of the sample data; a vector or factor of labels; or a formula, see below.
#' @param ... further arguments of the function, such as `method`.
#' @param assay name or number of the assay; NULL is `"logcounts"` for a `SingleCellExperiment` that has it,
#'   else the first. A fit remembers it for `predict()`.
#' @param unpenalized,intercept as in [zeronorm()]; `unpenalized` adds to the covariates.
#' @return What the function gives for a matrix, see [zeronorm()].
#' @seealso [annotate()] for the way back into the object.
#' @examplesIf requireNamespace("SummarizedExperiment", quietly = TRUE)
#' set.seed(1)
#' counts <- matrix(rnorm(100 * 40), 100, dimnames = list(paste0("g", 1:100), paste0("s", 1:40)))
#' samples <- data.frame(tumour = factor(counts["g1", ] > 0), age = rnorm(40, 60, 9))
#' se <- SummarizedExperiment::SummarizedExperiment(list(expression = counts), colData = samples)
#' fit <- zeronorm(se, "tumour", l1_svm())
#' selected(fit)
#' selected(zeronorm(se, tumour ~ age, l1_svm()))
#' head(predict(fit, se))
#' @name zeronorm-bioconductor
NULL

#' @rdname zeronorm-bioconductor
#' @export
zeronorm.SummarizedExperiment <- function(x, y = NULL, ..., assay = NULL, unpenalized = NULL,
                                          intercept = TRUE) {
  on_experiment(zeronorm.default, x, y, ..., assay = assay, unpenalized = unpenalized, intercept = intercept)
}

#' @rdname zeronorm-bioconductor
#' @export
zeronorm.ExpressionSet <- zeronorm.SummarizedExperiment

#' @rdname zeronorm-bioconductor
#' @export
cv_zeronorm.SummarizedExperiment <- function(x, y = NULL, ..., assay = NULL, unpenalized = NULL,
                                             intercept = TRUE) {
  on_experiment(cv_zeronorm.default, x, y, ..., assay = assay, unpenalized = unpenalized,
                intercept = intercept)
}

#' @rdname zeronorm-bioconductor
#' @export
cv_zeronorm.ExpressionSet <- cv_zeronorm.SummarizedExperiment

#' @rdname zeronorm-bioconductor
#' @export
nested_cv.SummarizedExperiment <- function(x, y = NULL, ..., assay = NULL, unpenalized = NULL,
                                           intercept = TRUE) {
  on_experiment(nested_cv.default, x, y, ..., assay = assay, unpenalized = unpenalized, intercept = intercept)
}

#' @rdname zeronorm-bioconductor
#' @export
nested_cv.ExpressionSet <- nested_cv.SummarizedExperiment

#' @rdname zeronorm-bioconductor
#' @export
stability_selection.SummarizedExperiment <- function(x, y = NULL, ..., assay = NULL, unpenalized = NULL,
                                                     intercept = TRUE) {
  on_experiment(stability_selection.default, x, y, ..., assay = assay, unpenalized = unpenalized,
                intercept = intercept)
}

#' @rdname zeronorm-bioconductor
#' @export
stability_selection.ExpressionSet <- stability_selection.SummarizedExperiment

# verb(x, y, ...) on what the object holds.
on_experiment <- function(verb, x, y, ..., assay, unpenalized, intercept) {
  data <- encode_experiment(x, y, assay)
  features <- check_columns(unpenalized, "unpenalized", data$x$names, ncol(data$x$x))
  forced <- union(features, data$covariates)
  verb(data$x, data$y, ..., unpenalized = if (length(forced)) forced,
       intercept = check_flag(intercept, "intercept") && data$intercept)
}

is_experiment <- function(x) inherits(x, c("SummarizedExperiment", "ExpressionSet"))

# list(x, y, covariates, intercept): x as encode_x() gives it, covariates the indices of its columns.
encode_experiment <- function(x, y, assay = NULL) {
  source <- open_experiment(x)
  assay <- check_assay(source, assay, "x")
  values <- samples_by_features(source$values(assay))
  tile <- if (is_delayed(values)) block_size(values)
  labels <- encode_sample_data(y, source)
  encoding <- list(assay = assay, covariates = labels$encoding)
  if (!is.null(labels$x)) values <- add_covariates(values, labels$x)
  encoded <- encode_x(values)
  encoded$encoding <- encoding
  encoded$tile <- tile
  added <- if (is.null(labels$x)) 0L else ncol(labels$x)
  list(x = encoded, y = labels$y, covariates = ncol(encoded$x) - added + seq_len(added),
       intercept = labels$intercept)
}

# The same new samples for a fit: its assay and its covariates.
encode_new_experiment <- function(x, encoding) {
  source <- open_experiment(x)
  assay <- check_assay(source, encoding$assay, "newx")
  values <- samples_by_features(source$values(assay))
  if (is.null(encoding$covariates)) return(values)
  data <- source$samples()
  absent <- setdiff(all.vars(encoding$covariates$terms), names(data))
  if (length(absent)) {
    stop_zeronorm("newx", paste0("has no sample data ", enumerate(absent), "."),
                  "The fit has it as a covariate.")
  }
  add_covariates(values, encode_newx(data, encoding$covariates))
}

# Both kinds of containers as list(assays, default, values(assay), samples(), n).
open_experiment <- function(x) {
  if (inherits(x, "ExpressionSet")) {
    need_bioconductor("Biobase", "an ExpressionSet")
    return(list(assays = Biobase::assayDataElementNames(x), default = "exprs", n = ncol(x),
                values = function(assay) Biobase::assayDataElement(x, assay),
                samples = function() Biobase::pData(x), data = "pData"))
  }
  need_bioconductor("SummarizedExperiment", "a SummarizedExperiment")
  names <- SummarizedExperiment::assayNames(x)
  count <- length(SummarizedExperiment::assays(x, withDimnames = FALSE))
  if (is.null(names)) names <- character(count)
  preferred <- if (inherits(x, "SingleCellExperiment") && "logcounts" %in% names) "logcounts" else 1L
  list(assays = names, default = preferred, n = ncol(x),
       values = function(assay) SummarizedExperiment::assay(x, assay, withDimnames = TRUE),
       samples = function() as.data.frame(SummarizedExperiment::colData(x), optional = TRUE),
       data = "colData")
}

# A name where the assay has one, else its number.
check_assay <- function(source, assay, argument) {
  count <- length(source$assays)
  if (count == 0) stop_zeronorm(argument, "has no assay.", "Give an object with data.")
  named <- all(nzchar(source$assays))
  advice <- if (named) paste0("There are ", enumerate(source$assays, 10), ".")
            else paste0("Use a number from 1 to ", count, ".")
  if (is.null(assay)) assay <- source$default
  if (is.character(assay) && length(assay) == 1) {
    if (assay %in% source$assays) return(assay)
    stop_zeronorm("assay", paste0("'", assay, "' is not in `", argument, "`."), advice)
  }
  fine <- is.numeric(assay) && length(assay) == 1 && !is.na(assay) && assay %in% seq_len(count)
  if (!fine) stop_zeronorm("assay", paste0("is ", describe(assay), "."), advice)
  if (nzchar(source$assays[assay])) source$assays[assay] else as.integer(assay)
}

# Without a dense copy where the assay is sparse or delayed.
samples_by_features <- function(values) {
  if (is_delayed(values)) need_bioconductor("DelayedArray", "a DelayedMatrix")
  if (is.data.frame(values)) values <- as.matrix(values)
  if (is.matrix(values)) return(t(values))
  if (is_delayed(values)) DelayedArray::t(values) else Matrix::t(values)
}

add_covariates <- function(values, covariates) {
  dimnames(covariates) <- list(rownames(values), colnames(covariates))
  if (is.matrix(values)) return(cbind(values, covariates))
  if (is_delayed(values)) return(DelayedArray::cbind(values, DelayedArray::DelayedArray(covariates)))
  cbind(values, as(Matrix::Matrix(covariates, sparse = TRUE), "CsparseMatrix"))
}

# list(y, x, encoding, intercept); x: covariates, or NULL.
encode_sample_data <- function(y, source) {
  if (inherits(y, "formula")) return(encode_sample_formula(y, source))
  if (is.character(y) && length(y) == 1 && source$n != 1) {
    data <- source$samples()
    if (!y %in% names(data)) stop_unknown_column("y", y, source, data)
    label <- y
    y <- data[[label]]
    check_labels(y, label, source)
  }
  if (is.null(y)) stop_zeronorm("y", "is missing.", paste0("Name a column of ", source$data, "(x)."))
  list(y = y, intercept = TRUE)
}

encode_sample_formula <- function(formula, source) {
  data <- source$samples()
  if (length(formula) != 3) {
    stop_zeronorm("y", "is a formula without a label.", "Write label ~ covariates.")
  }
  unknown <- setdiff(all.vars(formula), c(".", names(data)))
  if (length(unknown)) stop_unknown_column("y", unknown, source, data)
  label <- deparse1(formula[[2]])
  values <- evaluate_frame(list(stats::as.formula(paste("~", label), env = environment(formula)), data,
                                na.action = stats::na.pass), "y")[[1]]
  check_labels(values, label, source)
  right <- terms(formula, data = data)
  if (!length(attr(right, "term.labels"))) return(list(y = values, intercept = attr(right, "intercept") == 1))
  encoded <- encode_formula(formula, data)
  list(y = encoded$y, x = encoded$x, intercept = encoded$intercept,
       encoding = c(encoded$encoding, list(columns = encoded$names)))
}

stop_unknown_column <- function(argument, columns, source, data) {
  stop_zeronorm(argument, paste0("names ", enumerate(columns), ", which is not in ", source$data, "(x)."),
                if (length(data)) paste0("There are ", enumerate(names(data), 10), ".")
                else "It has no columns; give labels as a factor.")
}

check_labels <- function(values, label, source) {
  missing <- is.na(values)
  if (!any(missing)) return(invisible())
  stop_zeronorm("y", paste0("column '", label, "' of ", source$data, "(x) has ", sum(missing),
                            " missing label", if (sum(missing) > 1) "s", " among ", length(missing), "."),
                "Remove these samples, as in x[, !is.na(label)].")
}

#' Write a fit into the features of an object
#'
#' Adds columns to `rowData()` (`fData()` of an `ExpressionSet`): `selected`, whether the feature has a
#' nonzero weight; `importance`, see [importance()]; `weight`, its coefficient on the scale of the data, with
#' several classes or labels one column for each, as in `weight.B`; and `rank`, where the method ranks
#' features, see [ranking()]. Columns of the same name are replaced. For several solutions each column has the
#' solution's name behind it, as in `selected.nonzero = 20`.
#'
#' Features are matched by name; without names on both sides the fit's features must be those of the object,
#' in their order. Features that the fit has never seen are NA.
#'
#' @param se a `SummarizedExperiment`, `SingleCellExperiment` or `ExpressionSet`.
#' @param fit a fit of [zeronorm()].
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param prefix text before the names of the columns.
#' @param ... unused, and an error if given. For anything but such an object, arguments of
#'   `ggplot2::annotate()`, which this function passes on where ggplot2 is loaded.
#' @return `se` with the further columns.
#' @examplesIf requireNamespace("SummarizedExperiment", quietly = TRUE)
#' set.seed(1)
#' counts <- matrix(rnorm(100 * 40), 100, dimnames = list(paste0("g", 1:100), NULL))
#' se <- SummarizedExperiment::SummarizedExperiment(list(expression = counts))
#' fit <- zeronorm(se, counts["g1", ] > 0, arom("l2", nonzero = c(10, 2)))
#' se <- annotate(se, fit, nonzero = 2)
#' SummarizedExperiment::rowData(se)
#' @export
annotate <- function(se, ...) UseMethod("annotate")

#' @rdname annotate
#' @export
annotate.SummarizedExperiment <- function(se, fit, nonzero = NULL, s = NULL, index = NULL, prefix = "", ...) {
  check_unused(...)
  need_bioconductor("SummarizedExperiment", "a SummarizedExperiment")
  columns <- feature_annotations(fit, rownames(se), nrow(se), nonzero, s, index, prefix)
  data <- SummarizedExperiment::rowData(se)
  data[names(columns)] <- columns
  SummarizedExperiment::`rowData<-`(se, value = data)
}

#' @rdname annotate
#' @export
annotate.ExpressionSet <- function(se, fit, nonzero = NULL, s = NULL, index = NULL, prefix = "", ...) {
  check_unused(...)
  need_bioconductor("Biobase", "an ExpressionSet")
  columns <- feature_annotations(fit, rownames(se), nrow(se), nonzero, s, index, prefix)
  data <- Biobase::fData(se)
  data[names(columns)] <- columns
  Biobase::`fData<-`(se, value = data)
}

#' @export
annotate.default <- function(se, ...) {
  if (!isNamespaceLoaded("ggplot2")) {
    stop_zeronorm("se", paste0("is ", if (missing(se)) "missing." else paste0(describe(se), ".")),
                  "Use a SummarizedExperiment or an ExpressionSet.")
  }
  call <- sys.call()
  call[[1]] <- quote(ggplot2::annotate)
  eval.parent(call)
}

# A named list of columns for these features of an object.
feature_annotations <- function(fit, names, n, nonzero, s, index, prefix) {
  if (!inherits(fit, "zeronorm")) {
    stop_zeronorm("fit", paste0("is ", describe(fit), "."), "Use a fit of zeronorm().")
  }
  check_seal(fit, "fit")
  check_features(fit)
  if (selects_monomials(fit)) {
    stop_zeronorm("fit", "selects monomials, which are no rows of `se`.", "See selected(fit).")
  }
  place <- feature_places(fit, names, n)
  picked <- pick(fit, nonzero, s, index)
  each <- lapply(picked, solution_annotations, fit = fit, place = place)
  if (length(picked) > 1) {
    each <- Map(function(one, label) structure(one, names = paste0(names(one), ".", label)), each,
                fit$labels[picked])
  }
  columns <- do.call(c, unname(each))
  structure(columns, names = paste0(prefix, names(columns)))
}

# Where each feature of the object stands in the fit; NA where it does not.
feature_places <- function(fit, names, n) {
  if (is.null(fit$features) || is.null(names)) {
    features <- fit$d - length(covariate_names(fit))
    if (n != features) {
      stop_zeronorm("se", paste("has", n, "features, the fit", features, "."),
                    "Without names on both sides the numbers must agree.")
    }
    return(seq_len(n))
  }
  if (identical(names, head(fit$features, n))) return(seq_len(n))
  place <- match(names, fit$features)
  doubtful <- unique(names[!is.na(place) & (names %in% names[duplicated(names)] |
                                              names %in% fit$features[duplicated(fit$features)])])
  if (length(doubtful)) {
    stop_zeronorm("se", paste0("the feature name ", enumerate(doubtful), " occurs more than once."),
                  "Make feature names unique.")
  }
  if (all(is.na(place))) {
    stop_zeronorm("se", "has no feature of the fit.", "Give the features the names they had in training.")
  }
  place
}

covariate_names <- function(fit) {
  covariates <- fit$encoding$covariates
  if (is.null(covariates)) character() else covariates$columns
}

solution_annotations <- function(fit, k, place) {
  if (!is_optimal(fit)[k]) {
    unknown <- rep(NA, length(place))
    return(list(selected = unknown, importance = as.numeric(unknown), weight = as.numeric(unknown)))
  }
  used <- selectable_features(fit, k)
  importance <- replace(numeric(fit$d), used$column, used$importance)
  columns <- list(selected = (seq_len(fit$d) %in% used$column)[place], importance = importance[place])
  weights <- NULL
  if (!is_kernel_machine(fit) && is.null(fit$polynomial)) {
    weights <- lapply(output_columns(fit, k), function(column) fit$coefficients[, column][place])
    weights <- lapply(weights, unname)
    names(weights) <- if (is.null(fit$outputs)) "weight" else paste0("weight.", fit$outputs)
  }
  c(columns, weights, rank_of_features(fit, k, place))
}

rank_of_features <- function(fit, k, place) {
  order <- fit$ranking
  if (is.list(order)) order <- order[[fit$search[k]]]
  if (is.null(order)) return(NULL)
  rank <- if (is.character(order)) match(fit$features, order) else match(seq_len(fit$d), order)
  list(rank = rank[place])
}

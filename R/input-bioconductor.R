#' Bioconductor objects
#'
#' [zeronorm()] and all loops over resamples take a `SummarizedExperiment`, a `SingleCellExperiment` or an
#' `ExpressionSet`, which hold features in rows and samples in columns, and transpose them. y is then the name
#' of a column of the sample data, a vector of labels, or a formula as below; `block`, `weights` and `foldid`
#' may be such names too. [predict()][predict.zeronorm()] and all verbs that need data again take such objects
#' as well.
#'
#' A sparse assay stays sparse. A `DelayedMatrix`, such as an assay in an HDF5 file, stays on the disk: it is
#' read block by block, and memory holds some columns and, for the l2 norm, two matrices of samples by
#' samples. As `x` itself, with samples in rows, `zeronorm()` takes a `DelayedMatrix` too. [l1_svm()],
#' [arom()] (`norm = "l2"`, with `errors` NULL or `"l2"`), [correlation_filter()] and [top_weights()] read
#' blocks; the other methods refuse such data. Reading takes most of the time, so that data which fit into memory
#' are better loaded by `as.matrix()`, as a message says once in a session. Files should have chunks that are wide
#' in the samples.
#'
#' With a formula as y, such as `tumour ~ batch + age`, the left side is the label and the right side names
#' covariates, both in the sample data. Covariates come after the features, factors as 0/1 columns for each
#' level after the first, and are `unpenalized`: they are in every model, come on top of the numbers of
#' features asked for, and are not among those that [selected()] gives.
#'
#' @seealso [annotate_features()] for the way back into the object.
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

is_experiment <- function(x) inherits(x, c("SummarizedExperiment", "ExpressionSet"))

# list(x, y, intercept, samples), see read_source(); x$covariates: columns that are no features.
encode_experiment <- function(x, y, assay = NULL, gaps = FALSE) {
  source <- open_experiment(x)
  assay <- check_assay(source, assay, "x")
  values <- samples_by_features(source$values(assay))
  tile <- if (is_delayed(values)) block_size(values)
  labels <- encode_sample_data(y, source, gaps)
  encoding <- list(assay = assay, covariates = labels$encoding)
  if (!is.null(labels$x)) values <- add_covariates(values, labels$x)
  encoded <- encode_x(values, gaps)
  if (!is.null(labels$x)) {
    first <- ncol(values) - ncol(labels$x)
    encoded$covariates <- first + seq_len(ncol(labels$x))
    encoding$variables <- c(colnames(values)[seq_len(first)], labels$encoding$variables)
  }
  encoded$encoding <- encoding
  encoded$tile <- tile
  list(x = encoded, y = labels$y, intercept = labels$intercept, samples = source$samples)
}

# The same new samples for a fit: its assay and its covariates.
encode_new_experiment <- function(x, encoding, argument = "newdata") {
  source <- open_experiment(x)
  assay <- check_assay(source, encoding$assay, argument)
  values <- samples_by_features(source$values(assay))
  if (is.null(encoding$covariates)) return(values)
  data <- source$samples()
  absent <- setdiff(all.vars(encoding$covariates$terms), names(data))
  if (length(absent) && !encoding$covariates$imputes) {
    stop_zeronorm(argument, paste0("has no sample data ", enumerate(absent), "."),
                  "The fit has it as a covariate.")
  }
  add_covariates(values, encode_newdata(data, encoding$covariates, argument))
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
encode_sample_data <- function(y, source, gaps = FALSE) {
  if (inherits(y, "formula")) return(encode_sample_formula(y, source, gaps))
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

encode_sample_formula <- function(formula, source, gaps) {
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
  encoded <- encode_formula(formula, data, gaps)
  list(y = encoded$y, x = encoded$x$x, intercept = encoded$intercept,
       encoding = c(encoded$x$encoding, list(columns = encoded$x$names)))
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
#' nonzero weight; `importance`, see [feature_importance()]; `weight`, its coefficient on the scale of the
#' data, with several classes or labels one column for each, as in `weight.B`; and `rank`, where the method
#' ranks features, see [feature_ranking()]. Columns of the same name are replaced. For several solutions each
#' column has the solution's name behind it, as in `selected.nonzero = 20`.
#'
#' Features are matched by name; without names on both sides the fit's features must be those of the object,
#' in their order. Features that the fit has never seen are NA.
#'
#' @param object a `SummarizedExperiment`, `SingleCellExperiment` or `ExpressionSet`.
#' @param fit a fit of [zeronorm()], or a result of [cv_zeronorm()], whose choice `s = "1se"` it is by
#'   default.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param prefix text before the names of the columns.
#' @return `object` with the further columns.
#' @examplesIf requireNamespace("SummarizedExperiment", quietly = TRUE)
#' set.seed(1)
#' counts <- matrix(rnorm(100 * 40), 100, dimnames = list(paste0("g", 1:100), NULL))
#' se <- SummarizedExperiment::SummarizedExperiment(list(expression = counts))
#' fit <- zeronorm(se, counts["g1", ] > 0, arom("l2", nonzero = c(10, 2)))
#' se <- annotate_features(se, fit, nonzero = 2)
#' SummarizedExperiment::rowData(se)
#' @export
annotate_features <- function(object, fit, nonzero = NULL, s = NULL, index = NULL, prefix = "") {
  source <- if (is_experiment(object)) open_experiment(object)
  if (is.null(source)) {
    stop_zeronorm("object", paste0("is ", describe(object), "."),
                  "Use a SummarizedExperiment or an ExpressionSet.")
  }
  if (inherits(fit, "zeronorm_cv")) {
    index <- pick_cv(fit, if (is.null(s)) "1se" else s, nonzero, index)
    nonzero <- s <- NULL
    fit <- fit$fit
  }
  columns <- feature_annotations(fit, rownames(object), nrow(object), nonzero, s, index, prefix)
  if (inherits(object, "ExpressionSet")) {
    data <- Biobase::fData(object)
    data[names(columns)] <- columns
    return(Biobase::`fData<-`(object, value = data))
  }
  data <- SummarizedExperiment::rowData(object)
  data[names(columns)] <- columns
  SummarizedExperiment::`rowData<-`(object, value = data)
}

# A named list of columns for these features of an object.
feature_annotations <- function(fit, names, n, nonzero, s, index, prefix) {
  if (!inherits(fit, "zeronorm")) {
    stop_zeronorm("fit", paste0("is ", describe(fit), "."), "Use a fit of zeronorm().")
  }
  check_result(fit, "fit")
  check_features(fit)
  if (selects_monomials(fit)) {
    stop_zeronorm("fit", "selects monomials, which are no rows of `object`.", "See selected(fit).")
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
      stop_zeronorm("object", paste("has", n, "features, the fit", features, "."),
                    "Without names on both sides the numbers must agree.")
    }
    return(seq_len(n))
  }
  if (identical(names, head(fit$features, n))) return(seq_len(n))
  place <- match(names, fit$features)
  doubtful <- unique(names[!is.na(place) & (names %in% names[duplicated(names)] |
                                              names %in% fit$features[duplicated(fit$features)])])
  if (length(doubtful)) {
    stop_zeronorm("object", paste0("the feature name ", enumerate(doubtful), " occurs more than once."),
                  "Make feature names unique.")
  }
  if (all(is.na(place))) {
    stop_zeronorm("object", "has no feature of the fit.", "Give the features the names they had in training.")
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

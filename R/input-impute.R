# Missing values of features, filled in by what the training data say of the column.  A fit keeps the values,
# so that new data are completed as the training data were, and a fold by its own training part.

check_impute <- function(impute) if (!is.null(impute)) check_choice(impute, "impute", c("median", "mean"))

# One value for each column; the columns of a factor get those of its most frequent level.  x: as encode_x()
# gives it. O(nd), O(nonzeros) when sparse save for columns with missing values.
imputation_values <- function(x, impute) {
  data <- x$x
  if (is_delayed(data)) {
    stop_zeronorm("impute", "is given for a DelayedMatrix, which is only read.", "Use as.matrix(x).")
  }
  centre <- switch(impute, median = stats::median, mean = mean)
  sparse <- inherits(data, "dgCMatrix")
  values <- vapply(seq_len(ncol(data)), function(j) {
    as.double(centre(if (sparse) sparse_column(data, j) else data[, j], na.rm = TRUE))
  }, 0)
  void <- which(is.na(values))
  if (length(void)) {
    labels <- if (is.null(colnames(data))) void else colnames(data)[void]
    stop_zeronorm("x", paste0("has no value in column ", enumerate(labels), "."), "Leave it out.")
  }
  for (columns in columns_of_factors(x)) {
    values[columns] <- most_frequent_row(as.matrix(data[, columns, drop = FALSE]))
  }
  values
}

sparse_column <- function(x, j) {
  entries <- column_entries(x, j)
  values <- numeric(nrow(x))
  values[x@i[entries] + 1L] <- x@x[entries]
  values
}

# The columns of each factor, as a list of indices.
columns_of_factors <- function(x) {
  encoding <- x$encoding
  factors <- names(if (is.null(encoding$covariates)) encoding$levels else encoding$covariates$levels)
  columns <- lapply(factors, function(name) which(encoding$variables == name))
  columns[lengths(columns) > 0]
}

# Of rows without missing values; the first of equally frequent ones.
most_frequent_row <- function(x) {
  x <- x[stats::complete.cases(x), , drop = FALSE]
  pattern <- do.call(paste, lapply(seq_len(ncol(x)), function(j) x[, j]))
  first <- match(pattern, pattern)
  x[which.max(tabulate(first, nrow(x))), ]
}

# x with `values` of its columns where it has none.
fill_in <- function(x, values) {
  if (inherits(x, "dgCMatrix")) {
    missing <- which(is.na(x@x))
    if (length(missing)) x@x[missing] <- values[rep(seq_len(ncol(x)), diff(x@p))[missing]]
    return(x)
  }
  missing <- which(is.na(x))
  if (length(missing)) x[missing] <- values[(missing - 1) %/% nrow(x) + 1]
  x
}

# New rows at the columns `needed` of the fit, completed if the fit imputes.
fit_columns <- function(fit, newdata, needed) {
  if (is.null(fit$imputation)) return(match_columns(newdata, fit$features, needed, fit$d))
  newdata <- with_absent_columns(newdata, fit$features[needed])
  fill_in(match_columns(newdata, fit$features, needed, fit$d), fit$imputation[needed])
}

# A feature that was not measured is a column of missing values; data without any of the features are those of
# something else.
with_absent_columns <- function(newdata, names) {
  given <- colnames(newdata)
  absent <- setdiff(names, given)
  if (is.null(given) || !length(absent) || length(absent) == length(unique(names))) return(newdata)
  inform_imputed(absent)
  missing <- matrix(NA_real_, nrow(newdata), length(absent), dimnames = list(rownames(newdata), absent))
  cbind(in_memory(newdata), missing)
}

inform_imputed <- function(absent) {
  inform("`newdata` has no column ", enumerate(absent), ": it is imputed as a column of NA would be.")
}

# The same of the variables of a formula.
with_absent_variables <- function(newdata, encoding, argument) {
  needed <- all.vars(encoding$terms)
  absent <- setdiff(needed, names(newdata))
  if (!length(absent)) return(newdata)
  if (!isTRUE(encoding$imputes) || length(absent) == length(needed)) stop_absent(absent, argument)
  inform_imputed(absent)
  newdata[absent] <- lapply(absent, function(name) {
    if (name %in% names(encoding$levels)) NA_character_ else NA_real_
  })
  newdata
}

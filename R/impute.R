# Missing values of features, filled in by what the training data say of the column.  A fit keeps the values,
# so that new data are completed as the training data were, and a fold by its own training part.

check_impute <- function(impute) if (!is.null(impute)) check_choice(impute, "impute", c("median", "mean"))

# One value for each column. O(nd), O(nonzeros) when sparse save for columns with missing values.
imputation_values <- function(x, impute) {
  if (is_delayed(x)) {
    stop_zeronorm("impute", "is given for a DelayedMatrix, which is only read.", "Use as.matrix(x).")
  }
  centre <- switch(impute, median = stats::median, mean = mean)
  sparse <- inherits(x, "dgCMatrix")
  values <- vapply(seq_len(ncol(x)), function(j) {
    as.double(centre(if (sparse) sparse_column(x, j) else x[, j], na.rm = TRUE))
  }, 0)
  void <- which(is.na(values))
  if (length(void)) {
    labels <- if (is.null(colnames(x))) void else colnames(x)[void]
    stop_zeronorm("x", paste0("has no value in column ", enumerate(labels), "."), "Leave it out.")
  }
  values
}

sparse_column <- function(x, j) {
  entries <- column_entries(x, j)
  values <- numeric(nrow(x))
  values[x@i[entries] + 1L] <- x@x[entries]
  values
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

# New rows at the columns `needed` of the fit.
complete_rows <- function(fit, newdata, needed) {
  if (is.null(fit$imputation)) newdata else fill_in(newdata, fit$imputation[needed])
}

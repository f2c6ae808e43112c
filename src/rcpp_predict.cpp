#include <RcppEigen.h>

#include "core/data/decisions.h"

using namespace zeronorm;

// Returns decision values of models with coefficients w (one row for each of these one-based columns of x, one column
// for each model) and intercepts b; `outputs` consecutive models compete for each row. x is a double matrix or a
// dgCMatrix.
// [[Rcpp::export(rng = false)]]
Eigen::MatrixXd decision_sums(SEXP x, const Rcpp::IntegerVector& columns, const Rcpp::NumericMatrix& w,
                              const Eigen::VectorXd& b, int outputs) {
  const bool dense = Rf_isReal(x);
  const Rcpp::IntegerVector dim =
      dense ? Rcpp::IntegerVector{Rf_nrows(x), Rf_ncols(x)} : Rcpp::IntegerVector(Rcpp::S4(x).slot("Dim"));
  if (w.nrow() != columns.size() || w.ncol() != b.size())
    throw std::invalid_argument("w: has another size than columns and intercepts");
  for (int column : columns)
    if (column < 1 || column > dim[1]) throw std::invalid_argument("columns: beyond those of x");
  Decisions sums(dim[0], b);
  if (dense) {
    for (R_xlen_t j = 0; j < columns.size(); ++j)
      for (int k = 0; k < w.ncol(); ++k)
        sums.add(k, w(j, k), REAL(x) + (columns[j] - 1) * static_cast<R_xlen_t>(dim[0]));
    return sums.settle(outputs);
  }
  const Rcpp::S4 matrix(x);
  const Rcpp::IntegerVector p = matrix.slot("p"), i = matrix.slot("i");
  const Rcpp::NumericVector values = matrix.slot("x");
  for (R_xlen_t j = 0; j < columns.size(); ++j) {
    const int first = p[columns[j] - 1], count = p[columns[j]] - first;
    for (int k = 0; k < w.ncol(); ++k) sums.add(k, w(j, k), i.begin() + first, values.begin() + first, count);
  }
  return sums.settle(outputs);
}

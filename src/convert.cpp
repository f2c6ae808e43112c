#include "convert.h"

#include "core/data/block_design.h"

namespace zeronorm {
namespace {

// Returns the scales that give columns standard deviation 1. A column without variance adds nothing to the intercept;
// its infinite scale turns the rounding errors left in it into zeros.
Vec scales(const Moments& moments, bool standardize, bool intercept, IndexList& constant) {
  Vec scale = Vec::Ones(moments.sd.size());
  for (Index j = 0; j < scale.size(); ++j) {
    if (moments.sd[j] == 0 && (intercept || moments.mean[j] == 0)) {
      constant.push_back(j);
      scale[j] = kInf;
    } else if (standardize && moments.sd[j] > 0) {
      scale[j] = moments.sd[j];
    }
  }
  return scale;
}

void check_range(const Moments& moments) {
  if (!moments.finite) throw std::invalid_argument("x: holds values that are missing or not finite");
  for (Index j = 0; j < moments.sd.size(); ++j)
    if (!std::isfinite(moments.mean[j]) || !std::isfinite(moments.sd[j]))
      throw std::invalid_argument("x: values in column " + std::to_string(j + 1) +
                                  " are too large or too small to be squared. Use other units.");
}

// Returns the centres of sparse columns. Columns whose rows are all stored are centred like dense ones; the intercept
// replaces the centring of the others. Their zeros keep the means small relative to the standard deviation, unless
// these zeros are in rows without weight: then the digits that distinguish the entries would be lost.
Vec sparse_centers(const Rcpp::IntegerVector& p, const Moments& moments, Index n, bool intercept) {
  // A ratio of mean and standard deviation: 8 of the 16 digits of an entry are left in its square.
  constexpr double max_ratio = 1e4;
  Vec center = Vec::Zero(moments.mean.size());
  if (!intercept) return center;
  for (Index j = 0; j < center.size(); ++j) {
    if (p[j + 1] - p[j] == n)
      center[j] = moments.mean[j];
    else if (moments.sd[j] > 0 && std::abs(moments.mean[j]) > max_ratio * moments.sd[j])
      throw std::invalid_argument(
          "x: the entries of column " + std::to_string(j + 1) +
          " vary so little beside their mean that a sparse matrix with zeros in rows "
          "without weight loses their digits. Use as.matrix(x), or take the mean away.");
  }
  return center;
}

// Reads list(dim, tile, read), where read(row, rows, col, cols) returns that many entries from this position on.
Blocks read_blocks(const Rcpp::List& x) {
  const Rcpp::IntegerVector dim = x["dim"], tile = x["tile"];
  const Rcpp::Function read = x["read"];
  Blocks blocks;
  blocks.rows = dim[0];
  blocks.cols = dim[1];
  blocks.tile_rows = tile[0];
  blocks.tile_cols = tile[1];
  blocks.read = [read](Index row, Index rows, Index col, Index cols, double* out) {
    const Rcpp::NumericVector values(read(static_cast<int>(row) + 1, static_cast<int>(rows),
                                          static_cast<int>(col) + 1, static_cast<int>(cols)));
    if (values.size() != rows * cols) throw std::runtime_error("a block has another size than was asked for");
    std::copy(values.begin(), values.end(), out);
  };
  return blocks;
}

}  // namespace

Data read_data(SEXP x, const Vec& weights, bool standardize, bool intercept) {
  Data data;
  if (Rf_isReal(x)) {
    const Index n = Rf_nrows(x), d = Rf_ncols(x);
    const Moments moments = dense_moments(REAL(x), n, d, weights);
    check_range(moments);
    Vec scale = scales(moments, standardize, intercept, data.constant), squares;
    // The squares about the mean are known if the mean is the centre and all rows have weight one.
    if (intercept && (weights.array() == 1).all())
      squares = degrees_of_freedom(weights) * moments.sd.cwiseQuotient(scale).cwiseAbs2();
    data.x = dense_design(REAL(x), n, d, intercept ? moments.mean : Vec::Zero(d), std::move(scale),
                          std::move(squares));
    return data;
  }
  if (TYPEOF(x) == VECSXP) {
    const auto store = open_blocks(read_blocks(x));
    const Moments moments = block_moments(*store, weights);
    check_range(moments);
    Vec scale = scales(moments, standardize, intercept, data.constant);
    Vec center = intercept ? moments.mean : Vec::Zero(scale.size());
    data.x = block_design(store, std::move(center), std::move(scale));
    return data;
  }
  const Rcpp::S4 matrix(x);
  const Rcpp::IntegerVector p = matrix.slot("p"), i = matrix.slot("i"), dim = matrix.slot("Dim");
  const Rcpp::NumericVector values = matrix.slot("x");
  const Moments moments = sparse_moments(p.begin(), i.begin(), values.begin(), dim[0], dim[1], weights);
  check_range(moments);
  Vec scale = scales(moments, standardize, intercept, data.constant);
  Vec center = sparse_centers(p, moments, dim[0], intercept);
  data.x = sparse_design(p.begin(), i.begin(), values.begin(), dim[0], dim[1], std::move(center),
                         std::move(scale));
  return data;
}

std::shared_ptr<const Design> dense_view(SEXP x) {
  const Index n = Rf_nrows(x), d = Rf_ncols(x);
  return dense_design(REAL(x), n, d, Vec::Zero(d), Vec::Ones(d));
}

Options read_options(const Rcpp::List& list) {
  Options options;
  if (list.size() == 0) return options;
  const Rcpp::CharacterVector names = list.names();
  for (R_xlen_t k = 0; k < list.size(); ++k) {
    const std::string name = Rcpp::as<std::string>(names[k]);
    const SEXP value = list[k];
    if (Rf_isNull(value)) continue;
    if (Rf_isFunction(value)) {
      const Rcpp::Function call(value);
      options.set(name, [call](const Vec& at) {
        const Rcpp::RObject answer = call(Rcpp::wrap(at));
        return Rf_isMatrix(answer) ? Rcpp::as<Mat>(answer) : Mat(Rcpp::as<Vec>(answer));
      });
    } else if (TYPEOF(value) == VECSXP) {
      options.set(name, read_options(value));
    } else if (TYPEOF(value) == STRSXP) {
      options.set(name, Rcpp::as<std::vector<std::string>>(value));
    } else if (Rf_isMatrix(value)) {
      options.set(name, Rcpp::as<Mat>(value));
    } else {
      options.set(name, Mat(Rcpp::as<Vec>(value)));
    }
  }
  return options;
}

}  // namespace zeronorm

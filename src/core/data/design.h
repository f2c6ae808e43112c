// Immutable views of the data. Column j of a Design is (x_j - center_j) / scale_j. Dense and sparse matrices stay
// where R keeps them and are never copied, centred or scaled in place.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Weighted moments of columns. A standard deviation is infinite or NaN if squares of entries overflow or vanish.
struct Moments {
  Vec mean, sd;
  // Whether all entries are finite.
  bool finite = true;
};

class Design {
 public:
  virtual ~Design() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;

  // Returns whether columns cost no more than arithmetic, for engines that read much of x besides products. Designs
  // based on another one have to return its answer, so there is no default.
  virtual bool in_memory() const = 0;
  // Writes column j to out[0 .. rows). O(n).
  virtual void column(Index j, double* out) const = 0;
  // Writes these columns one after the other, in one pass if each would need the disk. O(n) each.
  virtual void columns(const IndexList& which, double* out) const {
    for (std::size_t k = 0; k < which.size(); ++k) column(which[k], out + k * rows());
  }
  // Returns X w. O(n) per nonzero of w.
  virtual Vec times(const Vec& w) const = 0;
  // Returns X'v. O(nd), or O(nonzeros) if sparse.
  virtual Vec transposed_times(const Vec& v) const = 0;
  // Returns X w and writes X'v to g, in one pass over x if reading dominates the cost.
  virtual Vec both_products(const Vec& w, const Vec& v, Vec& g) const {
    g = transposed_times(v);
    return times(w);
  }
  // Returns X'v if columns with large |x_j'v| will be requested next.
  virtual Vec prices(const Vec& v) const { return transposed_times(v); }
  // Returns sum_j z_j^2 x_j x_j' over the columns with 0 < z_j < Inf; the sum is unfinished if the limits stop it.
  // O(n^2 d), or O(sum nnz_j^2).
  virtual Mat gram(const Vec& z, const Limits& limits = Limits()) const = 0;
  // Returns the sum of squares of each column. O(nd).
  virtual Vec squared_norms() const = 0;
  // Returns the moments of each column with these row weights. O(nd), or O(nonzeros) if sparse.
  virtual Moments moments(const Vec& weights) const;
  // Returns the moments for several vectors of weights.
  virtual std::vector<Moments> several_moments(const std::vector<Vec>& weights) const;
  // Returns sum_i v_i x_ij^2 for each column. O(nd), or O(nonzeros) if sparse.
  virtual Vec weighted_squares(const Vec& v) const;
  // Writes x_j'v to g[j] for these columns only. O(n) each if that is cheaper than all of them.
  virtual void products(const IndexList& which, const Vec& v, double* g) const {
    const Vec all = transposed_times(v);
    for (Index j : which) g[j] = all[j];
  }
  // is_sparse() returns whether most entries are zeros that are not stored. entries() writes the other entries of
  // column j and their rows to buffers of size n and returns their number. O(nnz_j).
  virtual bool is_sparse() const { return false; }
  virtual Index entries(Index j, Index* rows, double* values) const {
    column(j, values);
    for (Index i = 0; i < this->rows(); ++i) rows[i] = i;
    return this->rows();
  }
  // Column j as a sparse design stores it, with ascending rows and multiplied by scale(j), if the view has all stored
  // rows in order; otherwise rows is null.
  struct StoredColumn {
    const int* rows = nullptr;
    const double* values = nullptr;
    Index count = 0;
  };
  virtual StoredColumn stored_column(Index) const { return {}; }
  // Returns the same data on selected rows and columns without a copy. Both may repeat, except in extended designs.
  virtual std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const = 0;

  // For Quadratic::kernel: returns the point of each row; empty if the rows are the points in their order.
  virtual IndexList points() const { return {}; }

  // Column j of the matrix of the user is center_j + scale_j * column j; the scale of a zero column may be infinite.
  virtual double center(Index j) const = 0;
  virtual double scale(Index j) const = 0;
};

// Returns the sum of weights minus one for frequency weights, or Kish's effective sample size for fractional ones.
// O(n).
double degrees_of_freedom(const Vec& weights);
// Computes the standard deviation from the weighted squares about the mean; a value that is rounding error of the
// mean is 0.
double standard_deviation(double squares, double freedom, double mean, Index n);

// Returns whether mean and squares are so small that the squares may have lost digits. Different values can then look
// equal, and their range is needed.
bool may_vanish(double mean, double squares);
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value, double weight) {
    if (!(weight > 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};
// Computes the same, but returns NaN if values differ while their squares may have vanished.
double standard_deviation(double squares, double freedom, double mean, Index n, const Range& range);

// Moments for standardising are computed in one pass over x, which is column-major n x d and must outlive the view.
Moments dense_moments(const double* x, Index n, Index d, const Vec& weights);
std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale);
// The same, with known squared_norms().
std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale,
                                           Vec squares);

// Compressed sparse columns (the dgCMatrix slots p, i, x), which must outlive the view.
Moments sparse_moments(const int* p, const int* i, const double* x, Index n, Index d, const Vec& weights);
std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec scale);
// The same minus these centres, which may be nonzero only for columns whose rows are all stored.
std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec center, Vec scale);

// An n x n kernel matrix, whose columns are kernel functions, for Quadratic::kernel. gram() returns K itself, also
// for a subset of its rows.
std::shared_ptr<const Design> kernel_design(Mat k);

// Returns base with its last Gram matrix, subset and norms stored.
std::shared_ptr<const Design> cached_design(std::shared_ptr<const Design> base);

// Returns base with n further columns e_i / lambda, the margin violations as features (extended AROM).
std::shared_ptr<const Design> extended_design(std::shared_ptr<const Design> base, double lambda);

// Returns base with these columns replaced.
std::shared_ptr<const Design> replaced_design(std::shared_ptr<const Design> base, IndexList columns,
                                              Mat values);

// Returns column j. O(n).
Vec column_of(const Design& x, Index j);

// Returns all columns. O(nd).
Mat matrix(const Design& x);

// Returns K w at the points, for any rows of K in the design. O(n^2).
Vec kernel_times(const Design& x, const Vec& w);
// Returns for each row the value at its point. O(n).
Vec at_rows(const Design& x, const Vec& values);

// Returns a column of ones if there is an intercept, then these columns of x. O(n m).
Mat equality_columns(const Design& x, bool intercept, const IndexList& columns);

}  // namespace zeronorm

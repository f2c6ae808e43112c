// Immutable views of the data.  Column j of a Design is (x_j - center_j) / scale_j; dense and sparse
// matrices stay where R keeps them and are never copied, centred or scaled in place.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Weighted moments of columns; a spread is infinite or no number where squares of entries overflow or vanish.
struct Moments {
  Vec mean, sd;
  bool finite = true;  // all entries
};

class Design {
 public:
  virtual ~Design() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;

  // Whether columns cost no more than arithmetic; engines that read much of x beside products ask for it.
  // A design on top of another one has to pass the question on, so there is no default answer.
  virtual bool in_memory() const = 0;
  // Column j written to out[0 .. rows). O(n).
  virtual void column(Index j, double* out) const = 0;
  // These columns one after the other, at once where each costs a look at the disk. O(n) each.
  virtual void columns(const IndexList& which, double* out) const {
    for (std::size_t k = 0; k < which.size(); ++k) column(which[k], out + k * rows());
  }
  // X w. O(n) per nonzero of w.
  virtual Vec times(const Vec& w) const = 0;
  // X'v. O(nd), or O(nonzeros) when sparse.
  virtual Vec transposed_times(const Vec& v) const = 0;
  // X w, and X'v into g: both in one look at x where that is what they cost.
  virtual Vec both_products(const Vec& w, const Vec& v, Vec& g) const {
    g = transposed_times(v);
    return times(w);
  }
  // The same, with a view to asking for columns of large |x_j'v| next.
  virtual Vec prices(const Vec& v) const { return transposed_times(v); }
  // sum_j z_j^2 x_j x_j' over the columns with 0 < z_j < Inf, unfinished where the limits stop it.
  // O(n^2 d), or O(sum nnz_j^2).
  virtual Mat gram(const Vec& z, const Limits& limits = Limits()) const = 0;
  // Sum of squares of each column. O(nd).
  virtual Vec squared_norms() const = 0;
  // Of each column with these weights of the rows. O(nd), or O(nonzeros) when sparse.
  virtual Moments moments(const Vec& weights) const;
  // The same for several weights.
  virtual std::vector<Moments> several_moments(const std::vector<Vec>& weights) const;
  // sum_i v_i x_ij^2 for each column. O(nd), or O(nonzeros) when sparse.
  virtual Vec weighted_squares(const Vec& v) const;
  // x_j'v into g[j] for these columns alone. O(n) each where that is cheaper than all of them.
  virtual void products(const IndexList& which, const Vec& v, double* g) const {
    const Vec all = transposed_times(v);
    for (Index j : which) g[j] = all[j];
  }
  // Whether most entries are zeros that are not stored; then the others of column j and their rows, into buffers of n.
  // Gives their number. O(nnz_j).
  virtual bool is_sparse() const { return false; }
  virtual Index entries(Index j, Index* rows, double* values) const {
    column(j, values);
    for (Index i = 0; i < this->rows(); ++i) rows[i] = i;
    return this->rows();
  }
  // Column j as a sparse design stores it, by rising rows and times scale(j), where its rows are all of the storage
  // in their order; else rows is null.
  struct StoredColumn {
    const int* rows = nullptr;
    const double* values = nullptr;
    Index count = 0;
  };
  virtual StoredColumn stored_column(Index) const { return {}; }
  // The same data on chosen rows and columns, without a copy.  Both may repeat, save in extended designs.
  virtual std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const = 0;

  // For Quadratic::kernel, where rows are not the points themselves in their order: the point of each.
  virtual IndexList points() const { return {}; }

  // Column j of the user's matrix is center_j + scale_j * column j; the scale of a column of zeros may be infinite.
  virtual double center(Index j) const = 0;
  virtual double scale(Index j) const = 0;
};

// Sum of weights less one, for frequency weights; Kish's effective size where weights are fractions. O(n).
double degrees_of_freedom(const Vec& weights);
// From the weighted squares about the mean; a spread that is rounding of the mean is none.
double standard_deviation(double squares, double freedom, double mean, Index n);

// Where both are so small that digits of the squares may be lost, values that differ look as if they did not: then
// their range is asked for.
bool may_vanish(double mean, double squares);
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value, double weight) {
    if (!(weight > 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};
// The same, but no number where values differ though their squares may have vanished.
double standard_deviation(double squares, double freedom, double mean, Index n, const Range& range);

// Moments for standardising are taken in one pass over x.
// x is column-major n x d and must outlive the view.
Moments dense_moments(const double* x, Index n, Index d, const Vec& weights);
std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale);
// The same where squared_norms() is known.
std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale,
                                           Vec squares);

// Compressed sparse columns (dgCMatrix slots p, i, x), which must outlive the view.
Moments sparse_moments(const int* p, const int* i, const double* x, Index n, Index d, const Vec& weights);
std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec scale);
// The same less these centers, which are zero but for columns whose rows are all stored.
std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec center, Vec scale);

// An n x n kernel matrix: columns are kernel functions, for Quadratic::kernel.  gram() is K itself, also of some
// of its rows.
std::shared_ptr<const Design> kernel_design(Mat k);

// base, of which the last Gram matrix, subset and norms are remembered.
std::shared_ptr<const Design> cached_design(std::shared_ptr<const Design> base);

// base with n further columns e_i / lambda: slacks as features (extended AROM).
std::shared_ptr<const Design> extended_design(std::shared_ptr<const Design> base, double lambda);

// base with these columns in the place of its own.
std::shared_ptr<const Design> replaced_design(std::shared_ptr<const Design> base, IndexList columns,
                                              Mat values);

// Column j. O(n).
Vec column_of(const Design& x, Index j);

// All columns. O(nd).
Mat matrix(const Design& x);

// K w at the points, whatever rows of K the design has. O(n^2).
Vec kernel_times(const Design& x, const Vec& w);
// Values at the points as those of the rows. O(n).
Vec at_rows(const Design& x, const Vec& values);

// A column of ones where there is an intercept, then these columns of x. O(n m).
Mat equality_columns(const Design& x, bool intercept, const IndexList& columns);

}  // namespace zeronorm

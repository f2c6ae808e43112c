#include "data/design.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "base/gram.h"
#include "base/indices.h"
#include "base/parallel.h"
#include "base/simd.h"

namespace zeronorm {
namespace {

// Number of columns that stay in cache between two products.
constexpr Index kCachedColumns = 16;
// Entries below this value lose digits in their squares.
constexpr double kMinSquarable = 1e-145;

// Means and standard deviations of columns; several threads may add different columns.
class ColumnMoments {
 public:
  ColumnMoments(const Vec& weights, Index d)
      : weights_(weights), sum_(weights.sum()),
        freedom_(degrees_of_freedom(weights)), m_{Vec(d), Vec(d), true} {}

  // Computes the mean, then the squares about it while the column is in cache. O(n).
  void full(Index j, const double* x) {
    const Index n = weights_.size();
    const double mean = simd::dot(x, weights_.data(), n) / sum_;
    const double squares = simd::centered_squares(x, mean, weights_.data(), n);
    if (!std::isfinite(squares))
      for (Index i = 0; i < n; ++i) see(x[i]);
    Range range;
    if (may_vanish(mean, squares))
      for (Index i = 0; i < n; ++i) range.add(x[i], weights_[i]);
    put(j, mean, squares, range);
  }

  // Does the same for sparse columns; each(visit) calls visit(row, value) for the stored entries. O(stored entries).
  template <class Each>
  void sparse(Index j, Each each) {
    double mean = 0, seen = 0, squares = 0;
    each([&](Index i, double value) {
      mean += weights_[i] * value;
      seen += weights_[i];
      see(value);
    });
    mean /= sum_;
    each([&](Index i, double value) { squares += weights_[i] * (value - mean) * (value - mean); });
    // If every row is stored, the difference of the two sums is rounding error.
    const bool unseen = sum_ - seen > 1e-15 * weights_.size() * sum_;
    if (unseen) squares += (sum_ - seen) * mean * mean;
    Range range;
    if (may_vanish(mean, squares)) {
      each([&](Index i, double value) { range.add(value, weights_[i]); });
      if (unseen) range.add(0, 1);
    }
    put(j, mean, squares, range);
  }

  Moments take() {
    m_.finite = finite_;
    return std::move(m_);
  }

 private:
  void see(double value) {
    if (!std::isfinite(value)) finite_ = false;
  }

  void put(Index j, double mean, double squares, const Range& range) {
    m_.mean[j] = mean;
    m_.sd[j] = standard_deviation(squares, freedom_, mean, weights_.size(), range);
  }

  const Vec& weights_;
  double sum_, freedom_;
  Moments m_;
  std::atomic<bool> finite_{true};
};

double inverse_or_zero(double scale) { return scale > 0 ? 1.0 / scale : 0.0; }

// Calls each(j) for all columns; operations is the cost of all of them.
template <class Each>
void each_column(Index d, double operations, Each each) {
  in_parts(d, operations, [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) each(j);
  });
}

// The centres and scales of the columns.
struct Standard {
  Standard(Vec means, Vec scales) : center(std::move(means)), scale(std::move(scales)) {
    inverse = scale.unaryExpr(&inverse_or_zero);
  }
  Vec center, scale, inverse;
};

class DenseDesign final : public Design {
 public:
  DenseDesign(const double* x, Index ld, IndexList rows, bool all_rows, IndexList cols,
              std::shared_ptr<const Standard> standard, Vec squares = Vec())
      : x_(x), ld_(ld), rows_(std::move(rows)), all_rows_(all_rows), cols_(std::move(cols)),
        standard_(std::move(standard)), squares_(std::move(squares)) {}

  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  bool in_memory() const override { return true; }
  double center(Index j) const override { return standard_->center[cols_[j]]; }
  double scale(Index j) const override { return standard_->scale[cols_[j]]; }

  void column(Index j, double* out) const override { scaled_column(j, 1.0, out); }

  Vec times(const Vec& w) const override {
    Vec f = Vec::Zero(rows());
    add_columns(w, 0, cols(), f);
    return f;
  }

  Vec transposed_times(const Vec& v) const override {
    Vec g(cols());
    dots(cols_, v, g.data());
    return g;
  }

  // Several columns are used for both products while they are in cache; with several threads X'v is divided instead.
  Vec both_products(const Vec& w, const Vec& v, Vec& g) const override {
    if (!alone()) return Design::both_products(w, v, g);
    g.resize(cols());
    Vec f = Vec::Zero(rows());
    for (Index from = 0; from < cols(); from += kCachedColumns) {
      const Index to = std::min(from + kCachedColumns, cols());
      some_dots(cols_.data() + from, to - from, v, g.data() + from);
      add_columns(w, from, to, f);
    }
    return f;
  }

  void products(const IndexList& which, const Vec& v, double* g) const override {
    const IndexList columns = compose(cols_, which);
    Vec found(static_cast<Index>(which.size()));
    dots(columns, v, found.data());
    for (std::size_t k = 0; k < which.size(); ++k) g[which[k]] = found[static_cast<Index>(k)];
  }

  Mat gram(const Vec& z, const Limits& limits) const override {
    const Index n = rows();
    IndexList active;
    for (Index j = 0; j < cols(); ++j)
      if (z[j] > 0 && z[j] < kInf) active.push_back(j);
    // Tiles stay in the second-level cache.
    const Index tile = std::max<Index>(128, std::min<Index>(512, (1 << 15) / std::max<Index>(n, 1)));
    PanelGram sum(n, std::min(tile, static_cast<Index>(active.size())));
    Vec buffer(all_rows_ ? 0 : n);
    const Index count = static_cast<Index>(active.size());
    for (Index from = 0; from < count && !limits.stop_now(); from += tile) {
      const Index width = std::min(tile, count - from);
      for (Index c = 0; c < width; ++c) {
        const Index j = active[static_cast<std::size_t>(from + c)];
        if (all_rows_) {
          sum.put(c, raw(j), center(j), z[j] * inverse(j));
        } else {
          scaled_column(j, z[j], buffer.data());
          sum.put(c, buffer.data(), 0, 1);
        }
      }
      sum.add(width);
    }
    return sum.take();
  }

  Vec squared_norms() const override {
    if (squares_.size() > 0) return squares_;
    Vec norms(cols());
    in_parts(cols(), operations(cols()), [&](Index from, Index to) {
      Vec buffer(rows());
      for (Index j = from; j < to; ++j) {
        column(j, buffer.data());
        norms[j] = simd::dot(buffer.data(), buffer.data(), rows());
      }
    });
    return norms;
  }

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    const bool same = all_rows_ && rows.size() == rows_.size() && rows == rows_;
    Vec squares(same && squares_.size() > 0 ? static_cast<Index>(cols.size()) : 0);
    for (Index k = 0; k < squares.size(); ++k) squares[k] = squares_[cols[static_cast<std::size_t>(k)]];
    return std::make_shared<DenseDesign>(x_, ld_, compose(rows_, rows), same, compose(cols_, cols), standard_,
                                         std::move(squares));
  }

 private:
  const double* raw(Index j) const { return x_ + cols_[j] * ld_; }
  double inverse(Index j) const { return standard_->inverse[cols_[j]]; }
  // Returns the operations for reading this many columns.
  double operations(Index columns) const {
    return static_cast<double>(rows()) * static_cast<double>(columns);
  }

  double dot_some_rows(Index stored, const Vec& v) const {
    const double *x = x_ + stored * ld_, mid = standard_->center[stored];
    double s = 0;
    for (Index i = 0; i < rows(); ++i) s += v[i] * (x[rows_[i]] - mid);
    return s * standard_->inverse[stored];
  }

  void some_dots(const Index* columns, Index count, const Vec& v, double* out) const {
    if (all_rows_)
      return simd::centered_dots(x_, ld_, columns, count, standard_->center.data(), standard_->inverse.data(),
                                 v.data(), rows(), out);
    for (Index k = 0; k < count; ++k) out[k] = dot_some_rows(columns[k], v);
  }

  // Adds sum of w_j x_j over the columns from ... to with nonzero w_j to f, four at a time. O(n) each.
  void add_columns(const Vec& w, Index from, Index to, Vec& f) const {
    const double* columns[4];
    double mid[4], c[4];
    int held = 0;
    for (Index j = from; j < to; ++j) {
      if (w[j] == 0) continue;
      columns[held] = raw(j), mid[held] = center(j), c[held] = w[j] * inverse(j);
      if (++held < 4) continue;
      add_four(columns, mid, c, f);
      held = 0;
    }
    if (held == 0) return;
    for (; held < 4; ++held) columns[held] = columns[0], mid[held] = mid[0], c[held] = 0;
    add_four(columns, mid, c, f);
  }

  void add_four(const double* const* x, const double* mid, const double* c, Vec& f) const {
    if (all_rows_) return simd::centered_axpy4(c, x, mid, f.data(), rows());
    for (Index i = 0; i < rows(); ++i)
      for (int k = 0; k < 4; ++k) f[i] += c[k] * (x[k][rows_[i]] - mid[k]);
  }

  // Sets out_k to x_c'v for the stored column c = columns_k.
  void dots(const IndexList& columns, const Vec& v, double* out) const {
    const Index count = static_cast<Index>(columns.size());
    in_parts(
        count, operations(count),
        [&](Index from, Index to) { some_dots(columns.data() + from, to - from, v, out + from); }, 4);
  }

  void scaled_column(Index j, double z, double* out) const {
    const double c = z * inverse(j);
    const double* xj = raw(j);
    if (all_rows_) {
      simd::center_scale(xj, center(j), c, out, rows());
    } else {
      for (Index i = 0; i < rows(); ++i) out[i] = c * (xj[rows_[i]] - center(j));
    }
  }

  const double* x_;
  Index ld_;
  IndexList rows_;
  bool all_rows_;
  IndexList cols_;
  std::shared_ptr<const Standard> standard_;
  // Empty if the squares are not known.
  Vec squares_;
};

class SparseDesign final : public Design {
 public:
  SparseDesign(const int* p, const int* i, const double* x, IndexList rows, Index parent_rows, IndexList cols,
               std::shared_ptr<const Standard> standard)
      : p_(p), i_(i), x_(x), rows_(std::move(rows)), place_(parent_rows, -1), twin_(rows_.size()),
        cols_(std::move(cols)), standard_(std::move(standard)) {
    all_rows_ = static_cast<Index>(rows_.size()) == parent_rows;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      all_rows_ = all_rows_ && rows_[k] == static_cast<Index>(k);
      twin_[k] = place_[rows_[k]];
      place_[rows_[k]] = static_cast<Index>(k);
    }
  }

  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  bool in_memory() const override { return true; }
  double center(Index j) const override { return standard_->center[cols_[j]]; }
  double scale(Index j) const override { return standard_->scale[cols_[j]]; }

  void column(Index j, double* out) const override {
    std::fill(out, out + rows(), 0.0);
    each(j, [&](Index i, double value) { out[i] = value; });
  }

  bool is_sparse() const override { return true; }

  StoredColumn stored_column(Index j) const override {
    if (!all_rows_ || center(j) != 0) return {};
    const Index first = p_[cols_[j]];
    return {i_ + first, x_ + first, p_[cols_[j] + 1] - first};
  }

  Index entries(Index j, Index* rows, double* values) const override {
    Index count = 0;
    each(j, [&](Index i, double value) { rows[count] = i, values[count++] = value; });
    return count;
  }

  Vec times(const Vec& w) const override {
    Vec f = Vec::Zero(rows());
    for (Index j = 0; j < cols(); ++j) add_column(w[j], j, f);
    return f;
  }

  Vec transposed_times(const Vec& v) const override {
    Vec g(cols());
    each_column(cols(), stored(cols()), [&](Index j) { g[j] = dot(j, v.data()); });
    return g;
  }

  // Each column is used for both products while it is in cache; with several threads X'v is divided instead.
  Vec both_products(const Vec& w, const Vec& v, Vec& g) const override {
    if (!alone()) return Design::both_products(w, v, g);
    g.resize(cols());
    Vec f = Vec::Zero(rows());
    for (Index j = 0; j < cols(); ++j) {
      g[j] = dot(j, v.data());
      add_column(w[j], j, f);
    }
    return f;
  }

  void products(const IndexList& which, const Vec& v, double* g) const override {
    const Index count = static_cast<Index>(which.size());
    each_column(count, stored(count), [&](Index k) { g[which[k]] = dot(which[k], v.data()); });
  }

  // Takes O(sum over columns of nnz^2).
  Mat gram(const Vec& z, const Limits& limits) const override {
    Mat k = Mat::Zero(rows(), rows());
    std::vector<std::pair<Index, double>> entries;
    for (Index j = 0; j < cols() && !limits.stop_now(); ++j) {
      if (!(z[j] > 0 && z[j] < kInf)) continue;
      entries.clear();
      each(j, [&](Index i, double value) { entries.emplace_back(i, z[j] * value); });
      for (const auto& c : entries)
        for (const auto& r : entries) k(r.first, c.first) += r.second * c.second;
    }
    return k;
  }

  Vec squared_norms() const override {
    Vec norms = Vec::Zero(cols());
    each_column(cols(), stored(cols()), [&](Index j) {
      const StoredColumn whole = stored_column(j);
      if (whole.rows)
        norms[j] = simd::dot(whole.values, whole.values, whole.count) * std::pow(inverse(j), 2);
      else
        each(j, [&](Index, double value) { norms[j] += value * value; });
    });
    return norms;
  }

  Moments moments(const Vec& weights) const override {
    ColumnMoments moments(weights, cols());
    each_column(cols(), stored(cols()),
                [&](Index j) { moments.sparse(j, [&](auto visit) { each(j, visit); }); });
    return moments.take();
  }

  Vec weighted_squares(const Vec& v) const override {
    Vec sums = Vec::Zero(cols());
    each_column(cols(), stored(cols()),
                [&](Index j) { each(j, [&](Index i, double value) { sums[j] += v[i] * value * value; }); });
    return sums;
  }

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    return std::make_shared<SparseDesign>(p_, i_, x_, compose(rows_, rows), static_cast<Index>(place_.size()),
                                          compose(cols_, cols), standard_);
  }

 private:
  double inverse(Index j) const { return standard_->inverse[cols_[j]]; }

  // Estimates the number of stored entries in this many columns from sixteen of them.
  double stored(Index columns) const {
    const std::size_t last = cols_.size();
    if (last == 0) return 0;
    double sample = 0;
    for (std::size_t k = 0; k < 16; ++k) {
      const Index c = cols_[k * last / 16];
      sample += p_[c + 1] - p_[c];
    }
    return sample / 16 * static_cast<double>(columns);
  }

  // Visits the entries as stored, not divided by the scale; with all rows in order their places are not looked up.
  template <class Visit>
  void each_stored(Index j, Visit visit) const {
    const Index c = cols_[j];
    if (all_rows_)
      for (int k = p_[c]; k < p_[c + 1]; ++k) visit(i_[k], x_[k]);
    else
      for (int k = p_[c]; k < p_[c + 1]; ++k)
        for (Index i = place_[i_[k]]; i >= 0; i = twin_[i]) visit(i, x_[k]);
  }

  void add_column(double weight, Index j, Vec& f) const {
    const double c = weight * inverse(j), mid = center(j);
    if (c != 0) each_stored(j, [&](Index i, double value) { f[i] += c * (value - mid); });
  }

  template <class Visit>
  void each(Index j, Visit visit) const {
    const double inv = inverse(j), mid = center(j);
    each_stored(j, [&](Index i, double value) { visit(i, (value - mid) * inv); });
  }

  // Uses four independent sums for long columns, so that additions do not wait for each other.
  double dot(Index j, const double* v) const {
    const int first = p_[cols_[j]], last = p_[cols_[j] + 1], even = first + (last - first) / 4 * 4;
    double s = 0;
    if (all_rows_ && center(j) == 0 && last - first >= 64) {
      double s1 = 0, s2 = 0, s3 = 0;
      for (int k = first; k < even; k += 4) {
        s += v[i_[k]] * x_[k];
        s1 += v[i_[k + 1]] * x_[k + 1];
        s2 += v[i_[k + 2]] * x_[k + 2];
        s3 += v[i_[k + 3]] * x_[k + 3];
      }
      for (int k = even; k < last; ++k) s += v[i_[k]] * x_[k];
      s = (s + s1) + (s2 + s3);
    } else {
      each(j, [&](Index i, double value) { s += v[i] * value; });
      return s;
    }
    return s * inverse(j);
  }

  const int* p_;
  const int* i_;
  const double* x_;
  // The last place of each row in this view, and the previous place of the same row.
  IndexList rows_, place_, twin_, cols_;
  // Whether the view has all rows once and in order.
  bool all_rows_;
  std::shared_ptr<const Standard> standard_;
};

}  // namespace

double degrees_of_freedom(const Vec& weights) {
  const double sum = weights.sum(), squares = weights.squaredNorm();
  return std::max(sum - 1.0, sum - squares / sum);
}

// A single observation has no standard deviation.
double standard_deviation(double squares, double freedom, double mean, Index n) {
  if (!(freedom > 0)) return 0.0;
  const double sd = std::sqrt(std::max(0.0, squares / freedom));
  return sd > 1e-14 * std::sqrt(static_cast<double>(n)) * std::abs(mean) ? sd : 0.0;
}

bool may_vanish(double mean, double squares) {
  return squares < kMinSquarable * kMinSquarable && std::abs(mean) < kMinSquarable;
}

double standard_deviation(double squares, double freedom, double mean, Index n, const Range& range) {
  if (range.low < range.high && may_vanish(mean, squares)) return std::numeric_limits<double>::quiet_NaN();
  return standard_deviation(squares, freedom, mean, n);
}

Moments Design::moments(const Vec& weights) const {
  ColumnMoments moments(weights, cols());
  Vec x(rows());
  for (Index j = 0; j < cols(); ++j) {
    column(j, x.data());
    moments.full(j, x.data());
  }
  return moments.take();
}

std::vector<Moments> Design::several_moments(const std::vector<Vec>& weights) const {
  std::vector<Moments> all;
  for (const Vec& w : weights) all.push_back(moments(w));
  return all;
}

Vec Design::weighted_squares(const Vec& v) const {
  Vec sums(cols()), x(rows());
  for (Index j = 0; j < cols(); ++j) {
    column(j, x.data());
    sums[j] = v.dot(x.cwiseAbs2());
  }
  return sums;
}

Moments dense_moments(const double* x, Index n, Index d, const Vec& weights) {
  ColumnMoments moments(weights, d);
  each_column(d, static_cast<double>(n) * d, [&](Index j) { moments.full(j, x + j * n); });
  return moments.take();
}

Moments sparse_moments(const int* p, const int* i, const double* x, Index, Index d, const Vec& weights) {
  ColumnMoments moments(weights, d);
  each_column(d, p[d], [&](Index j) {
    moments.sparse(j, [&](auto visit) {
      for (int k = p[j]; k < p[j + 1]; ++k) visit(i[k], x[k]);
    });
  });
  return moments.take();
}

std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale) {
  return dense_design(x, n, d, std::move(center), std::move(scale), Vec());
}

std::shared_ptr<const Design> dense_design(const double* x, Index n, Index d, Vec center, Vec scale,
                                           Vec squares) {
  return std::make_shared<DenseDesign>(x, n, first(n), true, first(d),
                                       std::make_shared<Standard>(std::move(center), std::move(scale)),
                                       std::move(squares));
}

std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec scale) {
  return sparse_design(p, i, x, n, d, Vec::Zero(d), std::move(scale));
}

std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec center, Vec scale) {
  for (Index j = 0; j < d; ++j)
    if (center[j] != 0 && p[j + 1] - p[j] != n)
      throw std::invalid_argument("x: a sparse column with zeros that are not stored cannot be centred");
  return std::make_shared<SparseDesign>(p, i, x, first(n), n, first(d),
                                        std::make_shared<Standard>(std::move(center), std::move(scale)));
}

Vec column_of(const Design& x, Index j) {
  Vec column(x.rows());
  x.column(j, column.data());
  return column;
}

Mat matrix(const Design& x) {
  Mat values(x.rows(), x.cols());
  for (Index j = 0; j < x.cols(); ++j) x.column(j, values.col(j).data());
  return values;
}

Mat equality_columns(const Design& x, bool intercept, const IndexList& columns) {
  const Index first = intercept ? 1 : 0;
  Mat f(x.rows(), first + columns.size());
  if (intercept) f.col(0).setOnes();
  if (!columns.empty()) x.columns(columns, f.col(first).data());
  return f;
}

}  // namespace zeronorm

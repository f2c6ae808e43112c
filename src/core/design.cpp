#include "design.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "gram.h"
#include "parallel.h"
#include "simd.h"

namespace zeronorm {
namespace {

// Mean and spread, one column after the other.
class ColumnMoments {
 public:
  ColumnMoments(const Vec& weights, Index d)
      : weights_(weights), sum_(weights.sum()),
        freedom_(degrees_of_freedom(weights)), m_{Vec(d), Vec(d), true} {}
  // Columns may come from several threads, each from one.

  // The mean, then the squares about it while the column is in cache. O(n).
  void full(Index j, const double* x) {
    const Index n = weights_.size();
    const double mean = simd::dot(x, weights_.data(), n) / sum_;
    const double squares = simd::centered_squares(x, mean, weights_.data(), n);
    put(j, mean, squares);
    if (!std::isfinite(squares))
      for (Index i = 0; i < n; ++i) see(x[i]);
  }

  // each(visit) calls visit(row, value) for the entries that are stored. O(their number).
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
    // Where every row is stored, only rounding of the two sums is left.
    const bool unseen = sum_ - seen > 1e-15 * weights_.size() * sum_;
    put(j, mean, unseen ? squares + (sum_ - seen) * mean * mean : squares);
  }

  Moments take() {
    m_.finite = finite_;
    return std::move(m_);
  }

 private:
  void see(double value) {
    if (!std::isfinite(value)) finite_ = false;
  }

  void put(Index j, double mean, double squares) {
    m_.mean[j] = mean;
    m_.sd[j] = standard_deviation(squares, freedom_, mean, weights_.size());
  }

  const Vec& weights_;
  double sum_, freedom_;
  Moments m_;
  std::atomic<bool> finite_{true};
};

double inverse_or_zero(double scale) { return scale > 0 ? 1.0 / scale : 0.0; }

// each(j) for the columns, which cost so many operations together.
template <class Each>
void each_column(Index d, double operations, Each each) {
  in_parts(d, operations, [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) each(j);
  });
}

IndexList compose(const IndexList& outer, const IndexList& inner) {
  IndexList both(inner.size());
  for (std::size_t k = 0; k < inner.size(); ++k) both[k] = outer[inner[k]];
  return both;
}

IndexList all(Index n) {
  IndexList list(n);
  for (Index i = 0; i < n; ++i) list[i] = i;
  return list;
}

class DenseDesign : public Design {
 public:
  DenseDesign(const double* x, Index ld, IndexList rows, bool all_rows, IndexList cols,
              std::shared_ptr<const Vec> center, std::shared_ptr<const Vec> scale, Vec squares = Vec())
      : x_(x), ld_(ld), rows_(std::move(rows)), all_rows_(all_rows), cols_(std::move(cols)),
        center_(std::move(center)), scale_(std::move(scale)), squares_(std::move(squares)) {}

  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  double center(Index j) const override { return (*center_)[cols_[j]]; }
  double scale(Index j) const override { return (*scale_)[cols_[j]]; }

  void column(Index j, double* out) const override { scaled_column(j, 1.0, out); }

  Vec times(const Vec& w) const override {
    Vec f = Vec::Zero(rows());
    for (Index j = 0; j < cols(); ++j) {
      if (w[j] == 0) continue;
      const double c = w[j] * inverse_or_zero(scale(j));
      const double* xj = raw(j);
      if (all_rows_) {
        simd::centered_axpy(c, xj, center(j), f.data(), rows());
      } else {
        for (Index i = 0; i < rows(); ++i) f[i] += c * (xj[rows_[i]] - center(j));
      }
    }
    return f;
  }

  Vec transposed_times(const Vec& v) const override {
    Vec g(cols());
    dot_all(cols(), v, g.data(), [](Index j) { return j; });
    return g;
  }

  void products(const IndexList& which, const Vec& v, double* g) const override {
    const Index count = static_cast<Index>(which.size());
    dot_all(count, v, g, [&](Index k) { return which[k]; });
  }

  Mat gram(const Vec& z, const Limits& limits) const override {
    const Index n = rows();
    IndexList active;
    for (Index j = 0; j < cols(); ++j)
      if (z[j] > 0 && z[j] < kInf) active.push_back(j);
    // Tiles that stay in the second-level cache.
    const Index tile = std::max<Index>(64, std::min<Index>(512, (1 << 15) / std::max<Index>(n, 1))) / 8 * 8;
    std::vector<double> buffer(static_cast<std::size_t>(n) * tile);
    Mat k = Mat::Zero(n, n);
    const Index count = static_cast<Index>(active.size());
    for (Index from = 0; from < count && !limits.stop_now(); from += tile) {
      const Index width = std::min(tile, count - from);
      for (Index c = 0; c < width; c += 8)
        interleave(&active[from + c], std::min<Index>(8, width - c), z, buffer.data() + c, width);
      add_gram(buffer.data(), width, k);
    }
    simd::mirror_lower(k.data(), n);
    return k;
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
    return std::make_shared<DenseDesign>(x_, ld_, compose(rows_, rows), same, compose(cols_, cols), center_,
                                         scale_);
  }

 private:
  const double* raw(Index j) const { return x_ + cols_[j] * ld_; }
  // Of reading so many columns.
  double operations(Index columns) const {
    return static_cast<double>(rows()) * static_cast<double>(columns);
  }

  double dot_some_rows(Index j, const Vec& v) const {
    const double *xj = raw(j), mid = center(j);
    double s = 0;
    for (Index i = 0; i < rows(); ++i) s += v[i] * (xj[rows_[i]] - mid);
    return s;
  }

  // g[at(k)] = x_at(k)'v for k below count, four columns at a time.
  template <class At>
  void dot_all(Index count, const Vec& v, double* g, At at) const {
    in_parts(count, operations(count), [&](Index from, Index to) {
      for (Index k = from; k < to; k += 4) {
        const Index width = std::min<Index>(4, to - k);
        const double* columns[4];
        double mid[4], sum[4];
        for (Index c = 0; c < 4; ++c) {  // the last again where there are no four, so that all round alike
          const Index j = at(k + std::min(c, width - 1));
          columns[c] = raw(j);
          mid[c] = center(j);
          if (!all_rows_) sum[c] = dot_some_rows(j, v);
        }
        if (all_rows_) simd::centered_dot4(columns, mid, v.data(), rows(), sum);
        for (Index c = 0; c < width; ++c) g[at(k + c)] = sum[c] * inverse_or_zero(scale(at(k + c)));
      }
    });
  }

  // Up to eight columns times z as neighbours in rows of `stride`.
  void interleave(const Index* which, Index width, const Vec& z, double* out, Index stride) const {
    const Index n = rows();
    if (width == 8 && all_rows_) {
      const double* columns[8];
      double mid[8], factor[8];
      for (Index c = 0; c < 8; ++c) {
        columns[c] = raw(which[c]);
        mid[c] = center(which[c]);
        factor[c] = z[which[c]] * inverse_or_zero(scale(which[c]));
      }
      return simd::interleave8(columns, mid, factor, n, out, stride);
    }
    Vec buffer(n);
    for (Index c = 0; c < width; ++c) {
      scaled_column(which[c], z[which[c]], buffer.data());
      for (Index i = 0; i < n; ++i) out[i * stride + c] = buffer[i];
    }
  }

  void scaled_column(Index j, double z, double* out) const {
    const double c = z * inverse_or_zero(scale(j));
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
  std::shared_ptr<const Vec> center_, scale_;
  Vec squares_;  // empty: not known
};

class SparseDesign : public Design {
 public:
  SparseDesign(const int* p, const int* i, const double* x, IndexList rows, Index parent_rows, IndexList cols,
               std::shared_ptr<const Vec> scale)
      : p_(p), i_(i), x_(x), rows_(std::move(rows)), place_(parent_rows, -1), twin_(rows_.size()),
        cols_(std::move(cols)), scale_(std::move(scale)) {
    all_rows_ = static_cast<Index>(rows_.size()) == parent_rows;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      all_rows_ = all_rows_ && rows_[k] == static_cast<Index>(k);
      twin_[k] = place_[rows_[k]];
      place_[rows_[k]] = static_cast<Index>(k);
    }
  }

  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  double center(Index) const override { return 0.0; }
  double scale(Index j) const override { return (*scale_)[cols_[j]]; }

  void column(Index j, double* out) const override {
    std::fill(out, out + rows(), 0.0);
    each(j, [&](Index i, double value) { out[i] = value; });
  }

  bool is_sparse() const override { return true; }

  Index entries(Index j, Index* rows, double* values) const override {
    Index count = 0;
    each(j, [&](Index i, double value) { rows[count] = i, values[count++] = value; });
    return count;
  }

  Vec times(const Vec& w) const override {
    Vec f = Vec::Zero(rows());
    for (Index j = 0; j < cols(); ++j) {
      const double c = w[j] * inverse_or_zero(scale(j));
      if (c != 0) each_stored(j, [&](Index i, double value) { f[i] += c * value; });
    }
    return f;
  }

  Vec transposed_times(const Vec& v) const override {
    Vec g(cols());
    each_column(cols(), stored(cols()), [&](Index j) { g[j] = dot(j, v.data()); });
    return g;
  }

  void products(const IndexList& which, const Vec& v, double* g) const override {
    const Index count = static_cast<Index>(which.size());
    each_column(count, stored(count), [&](Index k) { g[which[k]] = dot(which[k], v.data()); });
  }

  // O(sum over columns of nnz^2).
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
    each_column(cols(), stored(cols()),
                [&](Index j) { each(j, [&](Index, double value) { norms[j] += value * value; }); });
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
                                          compose(cols_, cols), scale_);
  }

 private:
  // Entries in so many columns, about.
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

  // Entries as they are stored, not divided by the scale; with all rows without a look at their places.
  template <class Visit>
  void each_stored(Index j, Visit visit) const {
    const Index c = cols_[j];
    if (all_rows_)
      for (int k = p_[c]; k < p_[c + 1]; ++k) visit(i_[k], x_[k]);
    else
      for (int k = p_[c]; k < p_[c + 1]; ++k)
        for (Index i = place_[i_[k]]; i >= 0; i = twin_[i]) visit(i, x_[k]);
  }

  template <class Visit>
  void each(Index j, Visit visit) const {
    const double inv = inverse_or_zero(scale(j));
    each_stored(j, [&](Index i, double value) { visit(i, value * inv); });
  }

  // Long columns in four sums side by side, so that none waits for the last.
  double dot(Index j, const double* v) const {
    const int first = p_[cols_[j]], last = p_[cols_[j] + 1], even = first + (last - first) / 4 * 4;
    double s = 0;
    if (all_rows_ && last - first >= 64) {
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
    return s * inverse_or_zero(scale(j));
  }

  const int* p_;
  const int* i_;
  const double* x_;
  IndexList rows_, place_, twin_, cols_;  // a row's last place here, and the same row's place before
  bool all_rows_;                         // once each, in order
  std::shared_ptr<const Vec> scale_;
};

// Rows of a kernel matrix, as often as wanted, with all its columns.
class KernelRows : public Design {
 public:
  KernelRows(std::shared_ptr<const Mat> k, IndexList rows) : k_(std::move(k)), rows_(std::move(rows)) {}
  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return k_->cols(); }
  double center(Index) const override { return 0.0; }
  double scale(Index) const override { return 1.0; }
  void column(Index j, double* out) const override {
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = (*k_)(rows_[i], j);
  }
  Vec times(const Vec& w) const override {
    const Vec all = *k_ * w;
    Vec f(rows());
    for (std::size_t i = 0; i < rows_.size(); ++i) f[i] = all[rows_[i]];
    return f;
  }
  Vec transposed_times(const Vec& v) const override {
    Vec sum = Vec::Zero(cols());
    for (std::size_t i = 0; i < rows_.size(); ++i) sum[rows_[i]] += v[i];
    return *k_ * sum;
  }
  Mat gram(const Vec&, const Limits&) const override { return *k_; }
  Vec squared_norms() const override {
    Vec norms = Vec::Zero(cols());
    for (Index i : rows_) norms += k_->col(i).cwiseAbs2();
    return norms;
  }
  IndexList points() const override { return rows_; }
  const Mat& kernel() const { return *k_; }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override;

 private:
  std::shared_ptr<const Mat> k_;
  IndexList rows_;
};

// Rows of k with all columns, or a matrix of its own.
std::shared_ptr<const Design> kernel_part(const std::shared_ptr<const Mat>& k, const IndexList& rows,
                                          const IndexList& cols);

class KernelDesign : public Design {
 public:
  explicit KernelDesign(Mat k) : k_(std::make_shared<const Mat>(std::move(k))) {}
  Index rows() const override { return k_->rows(); }
  Index cols() const override { return k_->cols(); }
  double center(Index) const override { return 0.0; }
  double scale(Index) const override { return 1.0; }
  void column(Index j, double* out) const override { Eigen::Map<Vec>(out, rows()) = k_->col(j); }
  Vec times(const Vec& w) const override { return *k_ * w; }
  Vec transposed_times(const Vec& v) const override { return k_->transpose() * v; }
  Mat gram(const Vec&, const Limits&) const override { return *k_; }
  Vec squared_norms() const override { return k_->colwise().squaredNorm(); }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    return kernel_part(k_, rows, cols);
  }

 private:
  std::shared_ptr<const Mat> k_;
};

std::shared_ptr<const Design> kernel_part(const std::shared_ptr<const Mat>& k, const IndexList& rows,
                                          const IndexList& cols) {
  bool all = static_cast<Index>(cols.size()) == k->cols() && rows != cols;
  for (std::size_t j = 0; j < cols.size() && all; ++j) all = cols[j] == static_cast<Index>(j);
  if (all) return std::make_shared<KernelRows>(k, rows);
  Mat part(rows.size(), cols.size());
  for (std::size_t j = 0; j < cols.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i) part(i, j) = (*k)(rows[i], cols[j]);
  return std::make_shared<KernelDesign>(std::move(part));
}

std::shared_ptr<const Design> KernelRows::subset(const IndexList& rows, const IndexList& cols) const {
  IndexList chosen;
  for (Index i : rows) chosen.push_back(rows_[i]);
  return kernel_part(k_, chosen, cols);
}

class ExtendedDesign : public Design {
 public:
  ExtendedDesign(std::shared_ptr<const Design> base, double lambda)
      : base_(std::move(base)), inverse_(1.0 / lambda), d_(base_->cols()), n_(base_->rows()) {}
  Index rows() const override { return n_; }
  Index cols() const override { return d_ + n_; }
  double center(Index j) const override { return j < d_ ? base_->center(j) : 0.0; }
  double scale(Index j) const override { return j < d_ ? base_->scale(j) : 1.0; }

  void column(Index j, double* out) const override {
    if (j < d_) return base_->column(j, out);
    std::fill(out, out + n_, 0.0);
    out[j - d_] = inverse_;
  }
  Vec times(const Vec& w) const override { return base_->times(w.head(d_)) + inverse_ * w.tail(n_); }
  Vec transposed_times(const Vec& v) const override {
    Vec g(d_ + n_);
    g << base_->transposed_times(v), inverse_ * v;
    return g;
  }
  Mat gram(const Vec& z, const Limits& limits) const override {
    Mat k = base_->gram(z.head(d_), limits);
    for (Index i = 0; i < n_; ++i)
      if (z[d_ + i] < kInf) k(i, i) += inverse_ * inverse_ * z[d_ + i] * z[d_ + i];
    return k;
  }
  Vec squared_norms() const override {
    Vec norms(d_ + n_);
    norms << base_->squared_norms(), Vec::Constant(n_, inverse_ * inverse_);
    return norms;
  }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override;

 private:
  std::shared_ptr<const Design> base_;
  double inverse_;
  Index d_, n_;
};

// Chosen columns of a design that mixes kinds; rows stay.
class ColumnsDesign : public Design {
 public:
  ColumnsDesign(std::shared_ptr<const Design> base, IndexList cols)
      : base_(std::move(base)), cols_(std::move(cols)) {}
  Index rows() const override { return base_->rows(); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  double center(Index j) const override { return base_->center(cols_[j]); }
  double scale(Index j) const override { return base_->scale(cols_[j]); }
  void column(Index j, double* out) const override { base_->column(cols_[j], out); }
  Vec times(const Vec& w) const override { return base_->times(spread_out(w)); }
  Vec transposed_times(const Vec& v) const override { return gather(base_->transposed_times(v)); }
  Mat gram(const Vec& z, const Limits& limits) const override { return base_->gram(spread_out(z), limits); }
  Vec squared_norms() const override { return gather(base_->squared_norms()); }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    return base_->subset(rows, compose(cols_, cols));
  }

 private:
  Vec spread_out(const Vec& part) const {
    Vec whole = Vec::Zero(base_->cols());
    for (std::size_t k = 0; k < cols_.size(); ++k) whole[cols_[k]] = part[k];
    return whole;
  }
  Vec gather(const Vec& whole) const {
    Vec part(cols_.size());
    for (std::size_t k = 0; k < cols_.size(); ++k) part[k] = whole[cols_[k]];
    return part;
  }

  std::shared_ptr<const Design> base_;
  IndexList cols_;
};

// Slack columns belong to their rows, so a choice of rows keeps the slacks of these rows in order.
std::shared_ptr<const Design> ExtendedDesign::subset(const IndexList& rows, const IndexList& cols) const {
  std::vector<Index> new_row(n_, -1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (new_row[rows[k]] >= 0) throw std::invalid_argument("x: rows beside slack columns cannot repeat");
    new_row[rows[k]] = static_cast<Index>(k);
  }
  auto part = std::make_shared<ExtendedDesign>(base_->subset(rows, all(d_)), 1.0 / inverse_);
  IndexList chosen;
  for (Index j : cols) {
    if (j < d_)
      chosen.push_back(j);
    else if (new_row[j - d_] >= 0)
      chosen.push_back(d_ + new_row[j - d_]);
  }
  return std::make_shared<ColumnsDesign>(part, chosen);
}

}  // namespace

double degrees_of_freedom(const Vec& weights) {
  const double sum = weights.sum(), squares = weights.squaredNorm();
  return std::max(sum - 1.0, sum - squares / sum);
}

// One observation alone has no spread.
double standard_deviation(double squares, double freedom, double mean, Index n) {
  if (!(freedom > 0)) return 0.0;
  const double sd = std::sqrt(std::max(0.0, squares / freedom));
  return sd > 1e-14 * std::sqrt(static_cast<double>(n)) * std::abs(mean) ? sd : 0.0;
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
  return std::make_shared<DenseDesign>(x, n, all(n), true, all(d), std::make_shared<Vec>(std::move(center)),
                                       std::make_shared<Vec>(std::move(scale)), std::move(squares));
}

std::shared_ptr<const Design> sparse_design(const int* p, const int* i, const double* x, Index n, Index d,
                                            Vec scale) {
  return std::make_shared<SparseDesign>(p, i, x, all(n), n, all(d), std::make_shared<Vec>(std::move(scale)));
}

std::shared_ptr<const Design> kernel_design(Mat k) { return std::make_shared<KernelDesign>(std::move(k)); }

std::shared_ptr<const Design> extended_design(std::shared_ptr<const Design> base, double lambda) {
  return std::make_shared<ExtendedDesign>(std::move(base), lambda);
}

Mat matrix(const Design& x) {
  Mat values(x.rows(), x.cols());
  for (Index j = 0; j < x.cols(); ++j) x.column(j, values.col(j).data());
  return values;
}

Vec kernel_times(const Design& x, const Vec& w) {
  if (x.points().empty()) return x.times(w);
  return dynamic_cast<const KernelRows&>(x).kernel() * w;
}

Vec at_rows(const Design& x, const Vec& values) {
  const IndexList points = x.points();
  if (points.empty()) return values;
  Vec rows(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) rows[i] = values[points[i]];
  return rows;
}

Mat equality_columns(const Design& x, bool intercept, const IndexList& columns) {
  const Index first = intercept ? 1 : 0;
  Mat f(x.rows(), first + columns.size());
  if (intercept) f.col(0).setOnes();
  if (!columns.empty()) x.columns(columns, f.col(first).data());
  return f;
}

}  // namespace zeronorm

#include "data/design.h"

namespace zeronorm {
namespace {

// Rows of a kernel matrix, which may repeat, with all its columns.
class KernelRows : public Design {
 public:
  KernelRows(std::shared_ptr<const Mat> k, IndexList rows) : k_(std::move(k)), rows_(std::move(rows)) {}
  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return k_->cols(); }
  bool in_memory() const override { return true; }
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

// Returns rows of k with all columns if k is the kernel matrix of its rows; otherwise a matrix of its own.
std::shared_ptr<const Design> kernel_part(const std::shared_ptr<const Mat>& k, bool own,
                                          const IndexList& rows, const IndexList& cols);

class KernelDesign : public Design {
 public:
  // own: the rows are those of the columns, in their order.
  KernelDesign(Mat k, bool own) : k_(std::make_shared<const Mat>(std::move(k))), own_(own) {}
  Index rows() const override { return k_->rows(); }
  Index cols() const override { return k_->cols(); }
  bool in_memory() const override { return true; }
  double center(Index) const override { return 0.0; }
  double scale(Index) const override { return 1.0; }
  void column(Index j, double* out) const override { Eigen::Map<Vec>(out, rows()) = k_->col(j); }
  Vec times(const Vec& w) const override { return *k_ * w; }
  Vec transposed_times(const Vec& v) const override { return k_->transpose() * v; }
  Mat gram(const Vec&, const Limits&) const override { return *k_; }
  Vec squared_norms() const override { return k_->colwise().squaredNorm(); }
  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    return kernel_part(k_, own_, rows, cols);
  }

 private:
  std::shared_ptr<const Mat> k_;
  bool own_;
};

std::shared_ptr<const Design> kernel_part(const std::shared_ptr<const Mat>& k, bool own,
                                          const IndexList& rows, const IndexList& cols) {
  bool all = own && static_cast<Index>(cols.size()) == k->cols() && rows != cols;
  for (std::size_t j = 0; j < cols.size() && all; ++j) all = cols[j] == static_cast<Index>(j);
  if (all) return std::make_shared<KernelRows>(k, rows);
  Mat part(rows.size(), cols.size());
  for (std::size_t j = 0; j < cols.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i) part(i, j) = (*k)(rows[i], cols[j]);
  return std::make_shared<KernelDesign>(std::move(part), own && rows == cols);
}

std::shared_ptr<const Design> KernelRows::subset(const IndexList& rows, const IndexList& cols) const {
  IndexList chosen;
  for (Index i : rows) chosen.push_back(rows_[i]);
  return kernel_part(k_, true, chosen, cols);
}

}  // namespace

std::shared_ptr<const Design> kernel_design(Mat k) {
  return std::make_shared<KernelDesign>(std::move(k), true);
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

}  // namespace zeronorm

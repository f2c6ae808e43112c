#include <algorithm>

#include "base/indices.h"
#include "data/design.h"

namespace zeronorm {
namespace {

// A design in which some columns are those of a matrix and the others those of the base.
class ReplacedDesign : public Design {
 public:
  ReplacedDesign(std::shared_ptr<const Design> base, IndexList columns, Mat values)
      : base_(std::move(base)), columns_(std::move(columns)), values_(std::move(values)),
        place_(std::size_t(base_->cols()), -1) {
    for (std::size_t k = 0; k < columns_.size(); ++k) place_[std::size_t(columns_[k])] = Index(k);
  }
  Index rows() const override { return base_->rows(); }
  Index cols() const override { return base_->cols(); }
  double center(Index j) const override { return place(j) < 0 ? base_->center(j) : 0.0; }
  double scale(Index j) const override { return place(j) < 0 ? base_->scale(j) : 1.0; }
  bool in_memory() const override { return base_->in_memory(); }

  void column(Index j, double* out) const override {
    if (place(j) < 0) return base_->column(j, out);
    std::copy(values_.col(place(j)).data(), values_.col(place(j)).data() + rows(), out);
  }
  void columns(const IndexList& which, double* out) const override {
    base_->columns(which, out);
    for (std::size_t k = 0; k < which.size(); ++k)
      if (place(which[k]) >= 0) column(which[k], out + Index(k) * rows());
  }
  Vec times(const Vec& w) const override {
    Vec others = w, own(values_.cols());
    for (std::size_t k = 0; k < columns_.size(); ++k) own[Index(k)] = w[columns_[k]], others[columns_[k]] = 0;
    return base_->times(others) + values_ * own;
  }
  Vec transposed_times(const Vec& v) const override {
    return with_own(base_->transposed_times(v), values_.transpose() * v);
  }
  Vec prices(const Vec& v) const override { return with_own(base_->prices(v), values_.transpose() * v); }
  void products(const IndexList& which, const Vec& v, double* g) const override {
    base_->products(which, v, g);
    for (Index j : which)
      if (place(j) >= 0) g[j] = values_.col(place(j)).dot(v);
  }
  Mat gram(const Vec& z, const Limits& limits) const override {
    Vec others = z;
    for (Index j : columns_) others[j] = 0;
    Mat k = base_->gram(others, limits);
    for (Index j : columns_)
      if (z[j] > 0 && z[j] < kInf)
        k += z[j] * z[j] * values_.col(place(j)) * values_.col(place(j)).transpose();
    return k;
  }
  Vec squared_norms() const override {
    return with_own(base_->squared_norms(), values_.colwise().squaredNorm().transpose());
  }
  Vec weighted_squares(const Vec& v) const override {
    return with_own(base_->weighted_squares(v), values_.cwiseAbs2().transpose() * v);
  }
  bool is_sparse() const override { return base_->is_sparse(); }
  Index entries(Index j, Index* rows, double* values) const override {
    return place(j) < 0 ? base_->entries(j, rows, values) : Design::entries(j, rows, values);
  }

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    IndexList at, from;
    for (std::size_t k = 0; k < cols.size(); ++k)
      if (place(cols[k]) >= 0) at.push_back(Index(k)), from.push_back(place(cols[k]));
    auto part = base_->subset(rows, cols);
    if (at.empty()) return part;
    Mat values(Index(rows.size()), Index(at.size()));
    for (Index c = 0; c < values.cols(); ++c)
      for (Index i = 0; i < values.rows(); ++i)
        values(i, c) = values_(rows[std::size_t(i)], from[std::size_t(c)]);
    return replaced_design(std::move(part), std::move(at), std::move(values));
  }

 private:
  std::shared_ptr<const Design> base_;
  IndexList columns_;
  Mat values_;
  // The place of each column in values_; -1 for columns of the base.
  IndexList place_;

  Index place(Index j) const { return place_[std::size_t(j)]; }
  Vec with_own(Vec all, const Vec& own) const {
    for (std::size_t k = 0; k < columns_.size(); ++k) all[columns_[k]] = own[Index(k)];
    return all;
  }
};

}  // namespace

std::shared_ptr<const Design> replaced_design(std::shared_ptr<const Design> base, IndexList columns,
                                              Mat values) {
  return std::make_shared<ReplacedDesign>(std::move(base), std::move(columns), std::move(values));
}

}  // namespace zeronorm

#include <stdexcept>

#include "base/indices.h"
#include "data/design.h"

namespace zeronorm {
namespace {

class ExtendedDesign : public Design {
 public:
  ExtendedDesign(std::shared_ptr<const Design> base, double lambda)
      : base_(std::move(base)), lambda_(lambda), inverse_(1.0 / lambda), d_(base_->cols()),
        n_(base_->rows()) {}
  Index rows() const override { return n_; }
  Index cols() const override { return d_ + n_; }
  bool in_memory() const override { return base_->in_memory(); }
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
  double lambda_, inverse_;
  Index d_, n_;
};

// Selected columns of an extended design with all its rows.
class ColumnsDesign : public Design {
 public:
  ColumnsDesign(std::shared_ptr<const Design> base, IndexList cols)
      : base_(std::move(base)), cols_(std::move(cols)) {}
  Index rows() const override { return base_->rows(); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  bool in_memory() const override { return base_->in_memory(); }
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

// Columns of margin violations belong to their rows, so a subset of rows keeps the columns of these rows in order.
std::shared_ptr<const Design> ExtendedDesign::subset(const IndexList& rows, const IndexList& cols) const {
  std::vector<Index> new_row(n_, -1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (new_row[rows[k]] >= 0) throw std::invalid_argument("x: rows beside slack columns cannot repeat");
    new_row[rows[k]] = static_cast<Index>(k);
  }
  auto part = std::make_shared<ExtendedDesign>(base_->subset(rows, first(d_)), lambda_);
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

std::shared_ptr<const Design> extended_design(std::shared_ptr<const Design> base, double lambda) {
  return std::make_shared<ExtendedDesign>(std::move(base), lambda);
}

}  // namespace zeronorm

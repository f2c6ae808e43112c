#include "design.h"

namespace zeronorm {
namespace {

// Remembers its last Gram matrix, subset and norms, which several engines ask for in turn.  For one thread.
class CachedDesign : public Design {
 public:
  explicit CachedDesign(std::shared_ptr<const Design> base) : base_(std::move(base)) {}

  Index rows() const override { return base_->rows(); }
  Index cols() const override { return base_->cols(); }
  double center(Index j) const override { return base_->center(j); }
  double scale(Index j) const override { return base_->scale(j); }
  bool in_memory() const override { return base_->in_memory(); }
  void column(Index j, double* out) const override { base_->column(j, out); }
  void columns(const IndexList& which, double* out) const override { base_->columns(which, out); }
  Vec times(const Vec& w) const override { return base_->times(w); }
  Vec transposed_times(const Vec& v) const override { return base_->transposed_times(v); }
  Vec both_products(const Vec& w, const Vec& v, Vec& g) const override {
    return base_->both_products(w, v, g);
  }
  Vec prices(const Vec& v) const override { return base_->prices(v); }
  void products(const IndexList& which, const Vec& v, double* g) const override {
    base_->products(which, v, g);
  }

  Mat gram(const Vec& z, const Limits& limits) const override {
    if (k_.size() > 0 && z_.size() == z.size() && z_ == z) return k_;
    Mat k = base_->gram(z, limits);
    k_.resize(0, 0);
    if (limits.stop_now()) return k;  // perhaps unfinished
    z_ = z;
    k_ = k;
    return k;
  }

  Moments moments(const Vec& weights) const override { return base_->moments(weights); }

  std::vector<Moments> several_moments(const std::vector<Vec>& weights) const override {
    return base_->several_moments(weights);
  }

  Vec squared_norms() const override {
    if (norms_.size() == 0) norms_ = base_->squared_norms();
    return norms_;
  }

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    if (!part_ || rows != part_rows_ || cols != part_cols_) {
      part_ = cached_design(base_->subset(rows, cols));
      part_rows_ = rows;
      part_cols_ = cols;
    }
    return part_;
  }

 private:
  std::shared_ptr<const Design> base_;
  mutable Vec z_, norms_;
  mutable Mat k_;
  mutable std::shared_ptr<const Design> part_;
  mutable IndexList part_rows_, part_cols_;
};

}  // namespace

std::shared_ptr<const Design> cached_design(std::shared_ptr<const Design> base) {
  return std::make_shared<CachedDesign>(std::move(base));
}

}  // namespace zeronorm

#include "data/design_view.h"

namespace zeronorm {
namespace {

// Stores its last Gram matrix, subset and norms, which several engines request one after another. For use by one
// thread.
class CachedDesign final : public DesignView {
 public:
  explicit CachedDesign(std::shared_ptr<const Design> base) : DesignView(std::move(base)) {}

  Mat gram(const Vec& z, const Limits& limits) const override {
    if (k_.size() > 0 && z_.size() == z.size() && z_ == z) return k_;
    Mat k = base_->gram(z, limits);
    k_.resize(0, 0);
    if (limits.stop_now()) return k;  // The matrix may be unfinished.
    z_ = z;
    k_ = k;
    return k;
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

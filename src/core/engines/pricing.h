// g = X'v for all columns at once, the pass that every optimality proof over d columns needs.
#pragma once

#include "../types.h"

namespace zeronorm {

class Pricing {
 public:
  // Dense data: one row-major copy of x (n d doubles). Sparse data: none.
  void setup(std::shared_ptr<const Design> x);
  // O(d) per nonzero of v when dense, O(nonzeros of x) when sparse.
  void all(const Vec& v, Vec& g) const;
  const Vec& norms() const { return norms_; }
  // Column j, or these, in O(n) each.
  void column(Index j, double* out) const;
  void columns(const IndexList& which, double* out) const;

 private:
  std::shared_ptr<const Design> x_;
  const double* row(Index i) const { return rows_.get() + static_cast<std::size_t>(i) * norms_.size(); }

  std::unique_ptr<double[]> rows_;
  Vec norms_;
};

}  // namespace zeronorm

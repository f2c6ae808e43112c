// The Gram matrix of rescaled columns, kept from one round to the next.
#pragma once

#include "base/types.h"

namespace zeronorm {

// K = sum_j z_j^2 x_j x_j' kept between calls, and w from multipliers.  Works on a view of the columns
// still present, so that rounds get cheaper as columns go.
class ScaledGram {
 public:
  void setup(std::shared_ptr<const Design> x);
  // Nothing when no scale changed, downdates when few columns left, else O(n^2 d).  Unfinished, and soon
  // forgotten, where the limits stop it.
  const Mat& gram(const Vec& scale, const Limits& limits);
  void forget() { k_.resize(0, 0); }
  // w_j = z_j^2 x_j'v. O(nd) over the columns present.
  Vec coefficients(const Vec& v, const Vec& scale) const;

 private:
  std::shared_ptr<const Design> base_, view_;
  IndexList column_;  // of the view, in the base
  Vec base_norms_, norms_, z_, full_diagonal_;
  double full_trace_ = 0;
  Mat k_;

  void look_at_all();
  void follow(const Vec& scale);
  Vec used(const Vec& scale) const;
  void stretch(const Vec& z);
  void recompute(const Vec& z, double trace, const Limits& limits);
  void downdate(const IndexList& gone, const Limits& limits);
};

}  // namespace zeronorm

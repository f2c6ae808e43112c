// The Gram matrix of rescaled columns, kept from one outer iteration to the next.
#pragma once

#include "base/types.h"

namespace zeronorm {

// K = sum_j z_j^2 x_j x_j', kept between calls, and w from multipliers. It works on a view of the columns with
// positive scale, so that iterations become cheaper as columns leave.
class ScaledGram {
 public:
  void setup(std::shared_ptr<const Design> x);
  // Returns K: unchanged if no scale changed, downdated if few columns left, otherwise computed in O(n^2 d). The
  // matrix is unfinished if the limits stop it; call forget() then.
  const Mat& gram(const Vec& scale, const Limits& limits);
  void forget() { k_.resize(0, 0); }
  // Returns w_j = z_j^2 x_j'v. O(nd) over the columns present.
  Vec coefficients(const Vec& v, const Vec& scale) const;

 private:
  std::shared_ptr<const Design> base_, view_;
  // The number in the base of each column of the view.
  IndexList column_;
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

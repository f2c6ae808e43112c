// The smallest ball around points known by their inner products:
//   R^2 = max  sum_i b_i s_i - b'K b   over  b >= 0, sum_i b_i = 1,
// K the inner products, s the squared norms (the diagonal of K, or more where points stand for several
// that differ in coordinates of their own).
#pragma once

#include "engines/parts/svm_dual.h"

namespace zeronorm {

class Ball {
 public:
  Vec beta;  // the centre is sum_i b_i x_i; kept between calls, since any K lets it start there

  // R^2, or NaN where unfinished: interrupted, or rounding won. O(n^2), and O(n |support|) per step.
  double solve(const Mat& k, const Vec& squares, const Limits& limits);

 private:
  BoxQp qp_;

  void start(const Mat& k);
};

}  // namespace zeronorm

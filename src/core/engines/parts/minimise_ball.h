// The smallest ball around points given by their inner products:
//   R^2 = max  sum_i b_i s_i - b'K b   over  b >= 0, sum_i b_i = 1,
// where K holds the inner products and s the squared norms: the diagonal of K, or more if each point stands for
// several that differ in coordinates of their own.
#pragma once

#include "engines/parts/svm_dual.h"

namespace zeronorm {

class Ball {
 public:
  // The centre is sum_i b_i x_i. It is kept between calls, because it is feasible for any K.
  Vec beta;

  // Returns R^2, or NaN if interrupted or if rounding prevents convergence. O(n^2), and O(n |support|) per step.
  double solve(const Mat& k, const Vec& squares, const Limits& limits);

 private:
  BoxQp qp_;

  void start(const Mat& k);
};

}  // namespace zeronorm

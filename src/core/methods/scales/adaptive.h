// Adaptive scaling: the scales sigma >= 0 of the features, |sigma|_p = sigma0, that minimise the value of the
// machine trained on the scaled features,
//   J(sigma) = max  sum_i a_i - 1/2 sum_ik a_i a_k y_i y_k k_sigma(x_i, x_k),  0 <= a <= C, y'a = 0.
// With the linear kernel J is convex in theta = sigma^2, and so are the constraints where p >= 2.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/radius_margin.h"

namespace zeronorm {

struct Adaptive {
  double p = 2, sigma0 = 1;
  IndexList fixed;  // features whose scale is sigma0, beside the constraint
  IndexList empty;  // without a scale: outside the regulariser, or columns that carry nothing
};

struct AdaptiveScales {
  Vec theta;  // sigma^2
  Round round;
  // primal: J; gap: how much more J could fall than it does if it fell as it does here, relative: with the
  // linear kernel and p >= 2 the distance from the minimum.
  Certificate certificate;
  Status status = Status::optimal;
};

// cost: of the rows, all infinite for a hard margin. equalities: the columns of the intercept and of the
// unpenalised features.  A kernel matrix and a warm quadratic programme for each step of the descent.
AdaptiveScales adapt_scales(GramMap& gram, const Vec& y, const Vec& cost, const Mat& equalities,
                            const Adaptive& what, const Limits& limits);

}  // namespace zeronorm

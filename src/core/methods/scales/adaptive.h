// Adaptive scaling: the scales sigma >= 0 of the features with |sigma|_p = sigma0 that minimise the objective of the
// SVM on the scaled features,
//   J(sigma) = max  sum_i a_i - 1/2 sum_ik a_i a_k y_i y_k k_sigma(x_i, x_k),  0 <= a <= C, y'a = 0.
// With the linear kernel J is convex in theta = sigma^2, and so are the constraints if p >= 2.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/radius_margin.h"

namespace zeronorm {

struct Adaptive {
  double p = 2, sigma0 = 1;
  // The features whose scale is sigma0, outside the constraint.
  IndexList fixed;
  // The features without a scale: unpenalised and constant columns.
  IndexList empty;
};

struct AdaptiveScales {
  // The squared scales sigma^2.
  Vec theta;
  Round round;
  // primal is J. gap is the relative decrease that a linear model of J at the solution allows; with the linear kernel
  // and p >= 2 it bounds the distance from the minimum.
  Certificate certificate;
  Status status = Status::optimal;
};

// cost: of the rows, all infinite for a hard margin. equalities: the columns of the intercept and of the unpenalised
// features. Each step of the descent needs a kernel matrix and a warm-started quadratic programme.
AdaptiveScales adapt_scales(GramMap& gram, const Vec& y, const Vec& cost, const Mat& equalities,
                            const Adaptive& what, const Limits& limits);

}  // namespace zeronorm

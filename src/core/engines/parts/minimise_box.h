// The second kind of problem: a smooth function on a box, for kernel alignment, scaling factors and
// their like, where no surrogate of the first kind exists.
#pragma once

#include "base/types.h"

namespace zeronorm {

struct BoxSmooth {
  // The value at x, its gradient written to the second argument. Not finite: outside the domain,
  // the step is rejected.
  std::function<double(const Vec& x, Vec& gradient)> value;
  Vec lower, upper;  // may be infinite
};

struct BoxResult {
  Vec x, gradient;
  double value = kInf;
  // max over s in the box of gradient'(x - s): where the function is convex, value - gap bounds the
  // minimum from below.  Infinite where the gradient pushes towards an infinite bound.
  double gap = kInf;
  double projected_gradient = kInf;  // largest entry of x - project(x - gradient)
  Status status = Status::numerical;
  long iterations = 0;
  std::vector<double> values;  // the least value seen, at the start and after each iteration
};

// Optimal: the projected gradient is below limits.tol times its size at the start (or 1) and the gap,
// where finite, below limits.tol times the value (or 1).  Where no step lowers the value any more the
// gap alone decides between optimal and numerical.
BoxResult minimise_box(const BoxSmooth& problem, Vec start, const Limits& limits);

}  // namespace zeronorm

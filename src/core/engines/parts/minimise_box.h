// Minimisation of a smooth function on a box,
//   min f(x)   subject to  lower <= x <= upper,
// for problems that are not surrogates: kernel alignment, scaling factors and the like.
#pragma once

#include "base/types.h"

namespace zeronorm {

struct BoxSmooth {
  // Returns the value at x and writes the gradient to the second argument. A value that is not finite means that x is
  // outside the domain; the step is then rejected.
  std::function<double(const Vec& x, Vec& gradient)> value;
  // The bounds may be infinite.
  Vec lower, upper;
};

struct BoxResult {
  Vec x, gradient;
  double value = kInf;
  // The maximum over s in the box of gradient'(x - s). If the function is convex, value - gap is a lower bound of the
  // minimum. Infinite if the gradient points towards an infinite bound.
  double gap = kInf;
  // The largest entry of x - project(x - gradient).
  double projected_gradient = kInf;
  Status status = Status::numerical;
  long iterations = 0;
  // The smallest value so far, at the start and after each iteration.
  std::vector<double> values;
};

// Minimises from start. The status is optimal if the projected gradient is below limits.tol times its value at the
// start (or times 1), and a finite gap is below limits.tol times the value (or times 1). If no step lowers the value
// any more, the gap alone decides between optimal and numerical.
BoxResult minimise_box(const BoxSmooth& problem, Vec start, const Limits& limits);

}  // namespace zeronorm

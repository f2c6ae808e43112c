// The linear problem to which a concave penalty leads at a solution.
#pragma once

#include "methods/fitting.h"

namespace zeronorm {

// The cost of a unit of each |w_j|, as an interval between the slopes of the penalty just above and just below it.
// The interval contains the slopes on both sides of a kink and those of magnitudes changed by rounding.
struct Tangent {
  // The bounds of the slope; infinite if AROM has removed the feature.
  Vec low, high;
  // The mean slope between zero and the magnitude, relative to which a slope may be negligible.
  Vec mean;
  // The costs of margin violations.
  Vec rows;
};

// Returns the tangent at the first step of the path. O(n + d).
Tangent tangent(const CommonOptions& common, const Method& method, const Vec& magnitude);

}  // namespace zeronorm

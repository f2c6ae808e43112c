// The linear problem that a concave penalty comes down to at a solution.
#pragma once

#include "methods/fitting.h"

namespace zeronorm {

// What a unit of each |w_j| costs: between the penalty's slopes just above and just below it, which hold the
// slopes of both sides of a kink, and those of magnitudes that are off by rounding.
struct Tangent {
  Vec low, high;  // infinite where AROM has removed a feature
  Vec mean;       // slope between zero and the magnitude, that beside which a slope may be nothing
  Vec rows;       // costs of the slacks
};

// Of the first step of the path. O(n + d).
Tangent tangent(const CommonOptions& common, const Method& method, const Vec& magnitude);

}  // namespace zeronorm

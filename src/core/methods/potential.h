// The potential support vector machine: the squared loss with l1 costs and a box around each coefficient,
//   min over a, b:  1/2 a'X'Xa - y'Xa + sum_j l1_j |a_j|,  |a_j| <= C,
// on rows weighted by their costs, from which the intercept and the free columns have been projected out.
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

// free: columns without cost and box. O(nd) beside the machine that it is the dual of: a tube around the d
// products X'y, with n coefficients.
Solution potential_machine(const Problem& problem, const Surrogate& surrogate, double C,
                           const IndexList& free, const EngineChoice& engine, const Limits& limits);

}  // namespace zeronorm

// The potential support vector machine: squared loss with l1 costs and a bound on each coefficient,
//   min over a, b:  1/2 a'X'Xa - y'Xa + sum_j l1_j |a_j|,  |a_j| <= C,
// on rows weighted by their costs, with intercept and unpenalised columns projected out.
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

// Solves the problem. free: columns without cost and bound. O(nd) plus the problem of which it is the dual: a tube
// around the d products X'y with n coefficients.
Solution solve_potential_svm(const Problem& problem, const Surrogate& surrogate, double C,
                             const IndexList& free, const EngineChoice& engine, const Limits& limits);

}  // namespace zeronorm

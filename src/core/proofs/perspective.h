// min lambda |w|_0 + ridge/2 |w|^2 + sum_i c_i (1 - y_i f(x_i))_+  to proven optimality, by branch and bound.
//
// Relaxed, a feature costs lambda z + ridge w^2 / (2 z) for the best z in [0, 1].  For given z that is a machine with
// scaled features, which the dual engine solves; z = min(1, |w| sqrt(ridge / (2 lambda))) is best for given w.  Any
// multipliers a, with g = X'(y a), prove
//   optimum >= 1'a - sum_j (g_j^2 / (2 ridge) - lambda)_+ ,
// so every machine on the way gives a bound.
#pragma once

#include "base/types.h"

namespace zeronorm {

struct RidgeProblem {
  double lambda = 1, ridge = 1;
};

struct RidgeProof {
  double lower = -kInf, upper = kInf;
  IndexList support;  // of the best machine found
  Vec w;
  double b = 0;
  Index fixed = 0;  // features in or out for good after the first bounds
  long nodes = 0;
  bool complete = false;  // the bounds meet to 1e-6 of the upper one
};

// problem: hinge loss, one output, finite costs.  start: sets to begin with.
RidgeProof prove_ridge(const Problem& problem, const RidgeProblem& what, const std::vector<IndexList>& start,
                       const Limits& limits);

}  // namespace zeronorm

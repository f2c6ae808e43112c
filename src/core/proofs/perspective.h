// Branch and bound for
//   min lambda |w|_0 + ridge/2 |w|^2 + sum_i c_i (1 - y_i f(x_i))_+  ,
// solved to proven optimality. In the relaxation a feature costs lambda z + ridge w^2 / (2 z) for the best z in [0,
// 1]. For given z this is an SVM with scaled features, which the dual engine solves; z = min(1, |w| sqrt(ridge / (2
// lambda))) is the best for given w. Any multipliers a prove, with g = X'(y a),
//   optimum >= 1'a - sum_j (g_j^2 / (2 ridge) - lambda)_+ ,
// so every SVM on the way gives a bound.
#pragma once

#include "base/types.h"

namespace zeronorm {

struct RidgeProblem {
  double lambda = 1, ridge = 1;
};

struct RidgeProof {
  double lower = -kInf, upper = kInf;
  // The features of the best SVM found.
  IndexList support;
  Vec w;
  double b = 0;
  // The number of features that the first bounds fix.
  Index fixed = 0;
  long nodes = 0;
  // Whether the bounds meet to 1e-6 of the upper one.
  bool complete = false;
};

// problem: hinge loss, one output, finite costs. start: sets of features to begin with.
RidgeProof prove_ridge(const Problem& problem, const RidgeProblem& what, const std::vector<IndexList>& start,
                       const Limits& limits);

}  // namespace zeronorm

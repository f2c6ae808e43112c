// Joint classifier and feature optimisation: scales sigma >= 0 of the features in a kernel together with a sparse
// expansion, both with Laplace priors,
//   min over a, b, sigma:  sum_i -c_i log Phi(y_i f(x_i)) + gamma1 |a|_1 + gamma2 sum_j sigma_j,
//   f(x) = sum_k a_k k(sigma * x, sigma * x_k) + b.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct JointFeatures {
  // w is the expansion a, zero for rows without weight; dual is the same and marks the observations in use. The gap
  // of the certificate is the larger of that of (a, b) for given sigma and the distance from stationarity.
  Solution solution;
  Vec sigma;
  // The search for sigma, with minus the log posterior at the best a and b.
  std::vector<Round> rounds;
  StopReason stop = StopReason::failed;
};

// x: the points at which the kernel is evaluated. problem: labels and intercept. Finds a local minimum from sigma =
// 1. O(n^2 d) and a model on n columns for each trial.
JointFeatures find_joint_features(const KernelForm& form, const Mat& x, const Problem& problem,
                                  const Vec& weights, double gamma1, double gamma2, const Stop& stop);

}  // namespace zeronorm

// Joint classifier and feature optimisation: scales sigma >= 0 of the features within a kernel together with
// a sparse expansion, both with Laplace priors,
//   min over a, b, sigma:  sum_i -c_i log Phi(y_i f(x_i)) + gamma1 |a|_1 + gamma2 sum_j sigma_j,
//   f(x) = sum_k a_k k(sigma * x, sigma * x_k) + b.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct JointFeatures {
  // w: the expansion a, 0 for rows without weight, and dual the same: those of the observations that are used.
  // The certificate's gap is the larger of that of (a, b) given sigma and the distance from stationarity.
  Solution solution;
  Vec sigma;
  std::vector<Round> rounds;  // of the search for sigma: minus the log posterior, a and b at their best
  StopReason stop = StopReason::failed;
};

// x: the points as the kernel sees them; problem: labels and intercept. From sigma = 1. O(n^2 d) and a machine
// on n columns for each trial; a local minimum.
JointFeatures find_joint_features(const KernelForm& form, const Mat& x, const Problem& problem,
                                  const Vec& weights, double gamma1, double gamma2, const Stop& stop);

}  // namespace zeronorm

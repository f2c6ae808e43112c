// Kernel-target alignment: the scales theta in [0, 1]^d of the features of a kernel k_theta that minimise
//   -(1 - lambda)/2 y_n'K y_n + (lambda/d) sum_j (1 - e^(-alpha theta_j)),   y_n,i = y_i / n_{y_i},
// where y_n'K y_n is the squared distance of the class centres.  A difference of convex functions g - h, g
// the part of pairs from both classes: each round minimises g minus the tangent of h.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct Alignment {
  double lambda = 0;  // from 0 up to but not including 1
  double alpha = 5;
  double tol = 1e-3;        // ends the rounds: change of every theta, absolute or relative
  double threshold = 1e-2;  // above it a feature counts
};

struct Aligned {
  Vec theta;
  std::vector<Round> rounds;  // objective, features above the threshold, gap of the convex problem
  StopReason stop = StopReason::converged;
  Status status = Status::optimal;
  Certificate certificate;  // of the last convex problem
};

// Weights count rows: an entry of 2 is the row twice.
Aligned align(const KernelForm& form, const Mat& x, const Vec& y, const Vec& weights, const Alignment& what,
              const Stop& stop);

}  // namespace zeronorm

// Kernel-target alignment: the scales theta in [0, 1]^d of the features of a kernel k_theta that minimise
//   -(1 - lambda)/2 y_n'K y_n + (lambda/d) sum_j (1 - e^(-alpha theta_j)),   y_n,i = y_i / n_{y_i},
// where y_n'K y_n is the squared distance of the class centres. The objective is a difference of convex functions g -
// h, where g is the part of the pairs from both classes; each iteration minimises g minus the tangent of h.
#pragma once

#include "loop/minimise.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct Alignment {
  // At least 0 and below 1.
  double lambda = 0;
  double alpha = 5;
  // The iterations end when no theta changes by more than this, absolutely or relatively.
  double tol = 1e-3;
  // A feature is selected if its theta is above this value.
  double threshold = 1e-2;
};

struct Aligned {
  Vec theta;
  // For each iteration the objective, the number of features above the threshold, and the gap of the convex problem.
  std::vector<Round> rounds;
  StopReason stop = StopReason::converged;
  Status status = Status::optimal;
  // The certificate of the last convex problem.
  Certificate certificate;
};

// Weights count rows: an entry of 2 means that the row occurs twice.
Aligned align(const KernelForm& form, const Mat& x, const Vec& y, const Vec& weights, const Alignment& what,
              const Stop& stop);

}  // namespace zeronorm

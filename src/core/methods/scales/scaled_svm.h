// The l2 SVM with a kernel on scaled features.
#pragma once

#include "engines/engine.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct ScaledSvm {
  // The coefficients w are a_i y_i of the expansion f(x) = sum_i a_i y_i k_theta(x_i, x) + b.
  Solution solution;
  // The decision values f at the training points.
  Vec decision;
};

// Trains the SVM. x: the points in rows; the design and the costs of the problem are not used. An infinite C means a
// hard margin or, if there is none, its limit: a C from which on violations no longer decrease. O(n^2 d) and a
// quadratic programme.
ScaledSvm train_scaled_svm(const KernelForm& form, const Mat& x, const Vec& theta, Problem problem,
                           const Vec& weights, double C, const EngineChoice& engine, const Limits& limits);

}  // namespace zeronorm

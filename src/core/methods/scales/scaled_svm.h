// The l2 machine of a kernel on scaled features.
#pragma once

#include "engines/engine.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

struct ScaledMachine {
  Solution solution;  // w: the coefficients a_i y_i of the expansion f(x) = sum_i a_i y_i k_theta(x_i, x) + b
  Vec decision;       // f at the training points
};

// x: the points of this problem, in rows; its own design and costs are not looked at.  C infinite: a hard
// margin, or where that cannot be its limit, a C from which on the slacks shrink no more.
// O(n^2 d), and a dual programme.
ScaledMachine scaled_machine(const KernelForm& form, const Mat& x, const Vec& theta, Problem problem,
                             const Vec& weights, double C, const EngineChoice& engine, const Limits& limits);

}  // namespace zeronorm

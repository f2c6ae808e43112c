// The smooth losses of one output as functions of the decision value f of a row, per unit of its cost.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/types.h"

namespace zeronorm {

// Returns whether the loss is a function of margin violations; otherwise it depends on f itself.
inline bool has_slacks(Loss loss) {
  return loss != Loss::squared && loss != Loss::logistic && loss != Loss::probit;
}

inline bool is_smooth(Loss loss) { return !has_slacks(loss) || loss == Loss::squared_hinge; }

// Return -log Phi(t), where Phi is the normal distribution function; minus its derivative phi / Phi; and its second
// derivative. Asymptotic series are used where Phi is almost 0.
double probit_value(double t);
double probit_force(double t);
double probit_curvature(double t);
// Returns the t at which the force has this positive value.
double probit_at(double force);

inline double loss_value(Loss loss, double y, double f, double margin = 1) {
  if (loss == Loss::squared) return 0.5 * (y - f) * (y - f);
  if (loss == Loss::logistic) return std::max(-y * f, 0.0) + std::log1p(std::exp(-std::abs(f)));
  if (loss == Loss::probit) return probit_value(y * f);
  const double slack = std::max(0.0, margin - y * f);
  return 0.5 * slack * slack;
}

// Returns the force of the row on f: minus the derivative of the loss.
inline double loss_force(Loss loss, double y, double f, double margin = 1) {
  if (loss == Loss::squared) return y - f;
  if (loss == Loss::logistic) return y / (1 + std::exp(y * f));
  if (loss == Loss::probit) return y * probit_force(y * f);
  return y * std::max(0.0, margin - y * f);
}

// Returns the second derivative; for the squared hinge that of the violated side, also slightly beyond the kink.
inline double loss_curvature(Loss loss, double y, double f, double margin = 1) {
  if (loss == Loss::squared) return 1;
  if (loss == Loss::squared_hinge) return y * f < margin + 1e-9 ? 1 : 0;
  if (loss == Loss::probit) return probit_curvature(y * f);
  const double e = std::exp(-std::abs(f));
  return e / ((1 + e) * (1 + e));
}

// Returns  min over f of  loss + force f , the contribution of the row to a dual value.
inline double loss_dual(Loss loss, double y, double force, double margin = 1) {
  const double a = y * force;
  if (loss == Loss::squared) return a - 0.5 * force * force;
  if (loss == Loss::squared_hinge) return margin * a - 0.5 * a * a;
  if (loss == Loss::probit) {
    if (a <= 0) return 0.0;
    const double t = probit_at(a);
    return probit_value(t) + a * t;
  }
  return a <= 0 || a >= 1 ? 0.0 : -a * std::log(a) - (1 - a) * std::log1p(-a);
}

// Converts Solution::dual to forces on f, which X' and the regulariser balance: multipliers times labels. Not for
// coupled outputs.
inline Mat forces(const Problem& problem, const Mat& dual) {
  return problem.loss == Loss::squared ? dual : Mat(dual.cwiseProduct(problem.y));
}

}  // namespace zeronorm

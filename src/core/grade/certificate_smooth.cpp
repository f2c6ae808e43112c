// Certificates for losses without margins; the dual point consists of their derivatives.
#include "grade/certificate.h"

#include <algorithm>
#include <cmath>

#include "base/line_search.h"
#include "data/design.h"
#include "grade/regulariser.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

// A variation of y below this fraction of y counts as rounding error.
constexpr double kMinVariation = 1e-9;

double weighted_mean(const Vec& values, const Vec& weights) {
  const double sum = weights.sum();
  return sum > 0 ? weights.dot(values) / sum : 0.0;
}

// Returns the difference of the multipliers and the forces of the loss at f, relative to the largest; `unit` is the
// size of f. O(n).
double force_violation(const Problem& p, const Vec& f, const Vec& force, double unit) {
  double worst = 0, largest = 0;
  for (Index i = 0; i < f.size(); ++i) {
    const double wanted = p.cost[i] * loss_force(p.loss, p.y(i, 0), f[i]);
    worst = std::max(worst, std::abs(force[i] - wanted));
    largest = std::max({largest, std::abs(wanted), 1e-12 * p.cost[i] * unit});
  }
  return largest > 0 ? worst / largest : worst;
}

}  // namespace

// Returns a weighted mean, or the solution of Newton's method within a bracket. O(n) per step.
double smooth_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss) {
  if (loss == Loss::squared) return weighted_mean(y - f, cost);
  // Beyond these ends all remaining forces have one sign or are rounding errors.
  const double low = -f.maxCoeff() - 40, high = -f.minCoeff() + 40;
  const auto step = [&](double b) {
    double force = 0, curve = 0;
    for (Index i = 0; i < f.size(); ++i) {
      force += cost[i] * loss_force(loss, y[i], f[i] + b);
      curve += cost[i] * loss_curvature(loss, y[i], f[i] + b);
    }
    return force == 0 ? 0.0 : force / curve;
  };
  return newton_in_bracket(step, low, high, 0.5 * (low + high));
}

double decision_unit(const Problem& p) {
  if (p.loss != Loss::squared) return 1;
  return std::sqrt(weighted_mean(p.y.col(0).cwiseAbs2(), p.cost));
}

double gap_floor(const Problem& p) {
  if (p.hard()) return 1e-300;
  double loss = p.cost.sum();
  if (p.loss == Loss::squared) {
    const Vec y = p.y.col(0);
    const double mean = p.intercept ? weighted_mean(y, p.cost) : 0.0;
    const double squares = p.cost.dot((y.array() - mean).square().matrix());
    loss = 0.5 * std::max(squares, kMinVariation * kMinVariation * p.cost.dot(y.cwiseAbs2()));
  }
  return std::max(1e-4 * loss, 1e-300);
}

Certificate certify_smooth(const Problem& p, const Surrogate& s, const Solution& out) {
  const Vec w = out.w.col(0), y = p.y.col(0);
  const double b = p.intercept ? out.b[0] : 0.0;
  const Vec f_less_b = p.x->times(w), f = f_less_b.array() + b;
  Vec dual = out.dual.col(0);
  if (p.loss == Loss::logistic) dual = dual.cwiseMax(0.0).cwiseMin(p.cost);
  if (p.loss == Loss::probit) dual = dual.cwiseMax(0.0);
  const Vec force = forces(p, dual).col(0), g = p.x->transposed_times(force);

  Certificate c;
  c.primal = regulariser(p, s, w, f_less_b);
  for (Index i = 0; i < f.size(); ++i) c.primal += p.cost[i] * loss_value(p.loss, y[i], f[i]);
  const double unit_f = decision_unit(p), reach_b = kReach * std::max(unit_f, std::abs(b));
  const IndexList which = concerned(s, g, w);
  const Vec reach = reaches(p, s, g, which, w, c.primal, unit_f, Vec());
  const auto dual_value = [&](double t) {
    double value = -conjugate(s, g, which, reach, t);
    for (Index i = 0; i < f.size(); ++i)
      if (p.cost[i] > 0) value += p.cost[i] * loss_dual(p.loss, y[i], t * force[i] / p.cost[i]);
    if (p.intercept) value -= std::abs(t * force.sum()) * reach_b;
    return value;
  };
  c.dual = dual_value(1);
  const double shrink = shrink_factor(s, g, which);
  if (shrink < 1) c.dual = std::max(c.dual, dual_value(shrink));
  c.gap = relative_gap(c.primal, c.dual, gap_floor(p));
  const double total = std::max(force.cwiseAbs().sum(), 1e-300);
  const double balance = p.intercept ? std::abs(force.sum()) / total : 0.0;
  c.kkt = std::max(
      {force_violation(p, f, force, unit_f), column_violation(p, s, g, which, w, force.norm()), balance});
  return c;
}

}  // namespace zeronorm

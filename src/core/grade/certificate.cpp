#include "grade/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "base/indices.h"
#include "data/design.h"
#include "grade/flat.h"
#include "grade/regulariser.h"
#include "problem/free_columns.h"
#include "problem/loss.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

double slack_cost(double r, double cost, Loss loss) {
  if (r <= 0 || cost == 0) return 0;
  return loss == Loss::squared_hinge ? 0.5 * cost * r * r : cost * r;
}

struct Pieces {
  // The residuals m - y f.
  Vec slack;
  // The multipliers, clipped to their bounds.
  Vec a;
  // The product X'(ya).
  Vec g;
  // The product y'a.
  double ya = 0;
};

double primal_value(const Problem& p, const Surrogate& s, const Vec& w, const Vec& f_less_b, const Vec& r,
                    const Vec& a) {
  const double reg = regulariser(p, s, w, f_less_b);
  if (p.hard()) {
    const double worst = std::max(0.0, r.maxCoeff());
    if (p.margin.size()) {
      // The cost of removing the violations, estimated by the multipliers.
      return worst > kProof ? kInf : reg + a.dot(r.cwiseMax(0.0));
    }
    // Scaling by 1/(1 - worst violation) makes (w, b) feasible to the last digit.
    if (worst > 0.01) return kInf;
    const double t = 1.0 / (1.0 - worst);
    return reg >= 0 ? reg * t * t : reg;
  }
  double value = reg;
  for (Index i = 0; i < r.size(); ++i) value += slack_cost(r[i], p.cost[i], p.loss);
  return value;
}

// Returns the dual value at t * a: the conjugate of the regulariser at t * g, where violations of hard constraints on
// g are multiplied by the reach of the coefficient. Any t in [0, 1] gives a valid bound.
double dual_value(const Problem& p, const Surrogate& s, const Pieces& z, const IndexList& which,
                  const Vec& reach, double reach_b, double t) {
  double value = 0;
  for (Index i = 0; i < z.a.size(); ++i) {
    const double a = t * z.a[i];
    value += p.margin_of(i) * a;
    if (p.loss == Loss::squared_hinge && a > 0) value -= 0.5 * a * a / p.cost[i];
  }
  value -= conjugate(s, z.g, which, reach, t);
  if (p.intercept) value -= std::abs(t * z.ya) * reach_b;
  return value;
}

// Returns an upper bound of  max over u of g'u - 1/2 u'Ku - 1/2 sum (u_j/z_j)^2.  With r the residual of g after the
// gradient of the two terms at w, the two terms at w and w'r leave at most 1/2 sum (z_j r_j)^2. O(n^2).
double ridge_conjugate_near(const Problem& p, const Surrogate& s, const Vec& g, const Vec& w) {
  const Vec kw = kernel_times(*p.x, w);
  double value = 0.5 * w.dot(kw);
  for (Index j = 0; j < g.size(); ++j) {
    const double z = s.scale[j];
    if (z == 0) continue;
    const double along = w[j] / z, r = g[j] - kw[j] - along / z;
    value += 0.5 * along * along + w[j] * r + 0.5 * (z * r) * (z * r);
  }
  return value;
}

// Returns the maximum itself if some z_j are infinite. O(n^3).
double ridge_conjugate(const Problem& p, const Surrogate& s, const Vec& g) {
  const Mat k = p.x->gram(s.scale);
  IndexList active;
  for (Index j = 0; j < g.size(); ++j)
    if (s.scale[j] > 0) active.push_back(j);
  const Index m = static_cast<Index>(active.size());
  Mat hessian(m, m);
  Vec target(m);
  for (Index a = 0; a < m; ++a) {
    target[a] = g[active[a]];
    for (Index b = 0; b < m; ++b) hessian(a, b) = k(active[a], active[b]);
    const double z = s.scale[active[a]];
    if (z < kInf) hessian(a, a) += 1.0 / (z * z);
  }
  return 0.5 * target.dot(Eigen::LDLT<Mat>(hessian).solve(target));
}

// For Quadratic::kernel: without a ridge the conjugate is 1/2 (ya)'K(ya); a ridge couples all columns.
double kernel_dual_value(const Problem& p, const Surrogate& s, const Pieces& z, const Vec& w,
                         double reach_b) {
  double value = p.margins().dot(z.a);
  if (p.loss == Loss::squared_hinge)
    for (Index i = 0; i < z.a.size(); ++i)
      if (z.a[i] > 0) value -= 0.5 * z.a[i] * z.a[i] / p.cost[i];
  if (s.scale.minCoeff() == kInf)
    value -= 0.5 * z.a.cwiseProduct(p.y.col(0)).dot(at_rows(*p.x, z.g));
  else if (s.scale.maxCoeff() == kInf)
    value -= ridge_conjugate(p, s, z.g);
  else
    value -= ridge_conjugate_near(p, s, z.g, w);
  if (p.intercept) value -= std::abs(z.ya) * reach_b;
  return value;
}

double row_violation(const Problem& p, const Pieces& z) {
  const double r_scale = std::max(1.0, z.slack.cwiseAbs().maxCoeff());
  const double a_scale = std::max(z.a.size() ? z.a.maxCoeff() : 0.0, 1e-300);
  double worst = 0;
  for (Index i = 0; i < z.a.size(); ++i) {
    const double r = z.slack[i];
    if (p.cost[i] == 0) continue;
    double v;
    if (p.loss == Loss::squared_hinge && !p.hard()) {
      v = std::abs(z.a[i] - p.cost[i] * std::max(0.0, r)) / std::max(a_scale, p.cost[i] * 1e-12);
    } else if (r > 0) {
      v = p.cost[i] == kInf ? r / r_scale : std::min(r / r_scale, (p.cost[i] - z.a[i]) / p.cost[i]);
    } else {
      v = std::min(-r / r_scale, z.a[i] / a_scale);
    }
    worst = std::max(worst, v);
  }
  return worst;
}

// Returns approximately the smallest cost of moving all margins by one. An optimum near zero is measured relative to
// it if some rows are met without any weights. O(nd).
double cost_of_margins(const Problem& p, const Surrogate& s) {
  const Vec squares = p.x->squared_norms();
  const double n = static_cast<double>(p.x->rows());
  double least = kInf, bend = p.quadratic == Quadratic::kernel ? std::sqrt(squares.sum()) : 0.0;
  for (Index j = 0; j < squares.size(); ++j) {
    if (s.scale[j] < kInf)
      bend += s.scale[j] * s.scale[j] * squares[j];
    else if (s.l1[j] > 0 && squares[j] > 0)
      least = std::min(least, s.l1[j] * std::sqrt(n / squares[j]));
  }
  if (bend > 0) least = std::min(least, 0.5 * n / bend);
  return least < kInf ? least : 0.0;
}

// Returns the value to which the gap is relative if primal and dual values are smaller.
double smallest_value(const Problem& p, const Surrogate& s, const Vec& w) {
  if (!p.hard()) return gap_floor(p);
  const bool empty = s.l1.size() == 0 || w.size() == 0;
  const double dearest = empty ? 0.0 : s.l1.maxCoeff() * w.cwiseAbs().maxCoeff();
  return p.margin.size() ? std::max(1e-6 * dearest, 1e-4 * cost_of_margins(p, s)) : 1e-9 * dearest;
}

}  // namespace

Vec slacks(const Problem& problem, const Vec& w, double b) {
  const Vec f = problem.x->times(w).array() + b;
  return (problem.margins().array() - problem.y.col(0).array() * f.array()).max(0.0);
}

namespace {

// The intercept at which the violation of a row begins: below it for a positive row, above it for others.
struct Kink {
  double at, cost;
  bool positive;
};

// Returns the minimum of  1/2 sum cost (b - at)^2  over the violated rows by Newton's method in a bracket; after a
// few steps the set of these rows no longer changes. Some row is violated at every b. O(n) per step; NaN if it does
// not converge.
double squared_intercept(const std::vector<Kink>& kinks, double b) {
  double low = -kInf, high = kInf;
  for (int step = 0; step < 100; ++step) {
    double bend = 0, pull = 0;
    for (const Kink& k : kinks) {
      if (k.positive ? b >= k.at : b <= k.at) continue;
      bend += k.cost;
      pull += k.cost * k.at;
    }
    const double to = pull / bend;
    (to > b ? low : high) = b;
    if (!(std::abs(to - b) > 1e-15 * std::abs(b))) return to;
    b = to > low && to < high ? to : 0.5 * (low + high);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Returns the minimum of the sum of  cost * violation  or half its square. O(n log n).
double lowest_kink(std::vector<Kink>& kinks, bool squared, double tiny) {
  std::sort(kinks.begin(), kinks.end(), [](const Kink& i, const Kink& k) { return i.at < k.at; });
  // The slope on the segment to the right of a kink is  level + steep * b , with steep = 0 for the hinge.
  double level = 0, steep = 0;
  for (const Kink& k : kinks) {
    if (!k.positive) continue;
    level -= squared ? k.cost * k.at : k.cost;
    if (squared) steep += k.cost;
  }
  for (std::size_t i = 0; i < kinks.size(); ++i) {
    const Kink& k = kinks[i];
    if (squared) {
      level += k.positive ? k.cost * k.at : -k.cost * k.at;
      steep += k.positive ? -k.cost : k.cost;
    } else {
      level += k.cost;
    }
    const double right = i + 1 < kinks.size() ? kinks[i + 1].at : kInf;
    if (squared && steep > tiny) {
      const double zero = -level / steep;
      if (zero <= right) return std::max(zero, k.at);
    } else if (!squared) {
      if (std::abs(level) <= tiny) return right < kInf ? 0.5 * (k.at + right) : k.at;
      if (level > 0) return k.at;
    }
  }
  return kinks.back().at;
}

}  // namespace

double best_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss, const Vec& margin) {
  if (!has_slacks(loss)) return smooth_intercept(f, y, cost, loss);
  std::vector<Kink> kinks;
  double low = -kInf, high = kInf;
  for (Index i = 0; i < f.size(); ++i) {
    if (cost[i] == 0) continue;
    const Kink k = {y[i] * (margin.size() ? margin[i] : 1.0) - f[i], cost[i], y[i] > 0};
    kinks.push_back(k);
    if (k.positive)
      low = std::max(low, k.at);
    else
      high = std::min(high, k.at);
  }
  const bool squared = loss == Loss::squared_hinge, bounded = low > -kInf && high < kInf;
  if (cost[0] == kInf && !bounded) return low > -kInf ? low : high < kInf ? high : 0.0;
  // The squared hinge is constant only where no row is violated.
  if (cost[0] == kInf || (bounded && low <= high && squared)) return 0.5 * (low + high);
  if (kinks.empty()) return 0;
  if (squared && bounded) {
    const double b = squared_intercept(kinks, 0.5 * (low + high));
    if (std::isfinite(b)) return b;
  }
  return lowest_kink(kinks, squared, 1e-12 * cost.sum());
}

double reach(const Vec& column, double found, double cost, double primal, double unit) {
  const double most =
      kReach * std::max(found, unit * std::sqrt(static_cast<double>(column.size())) / column.norm());
  return cost > 0 ? std::min(most, primal / cost) : most;
}

double relative_gap(double primal, double dual, double floor) {
  if (!std::isfinite(primal) || !std::isfinite(dual)) return kInf;
  return std::max(0.0, primal - dual) / std::max({std::abs(primal), std::abs(dual), floor, 1e-300});
}

bool proves_inseparable(const Problem& problem, const Surrogate& surrogate, const Vec& a) {
  // Violations of the conditions of a ray up to this value, relative to its size, count as rounding errors.
  constexpr double near = 1e-6;
  if (problem.margin.size()) {
    const Units units(problem);
    if (!units.plain()) return proves_inseparable(units.enter(problem), units.enter(surrogate), a);
  }
  const FreeColumns free = free_basis(problem, surrogate);
  if (free.near()) return proves_inseparable(on_basis(problem, free), surrogate, a);
  // The product g'w + b y'a of a bounded (w, b) must stay below this value, from which rounding errors are excluded.
  const Vec ma = problem.margins().cwiseProduct(a);
  const double beyond = ma.sum();
  if (!(beyond > 1e-9 * ma.cwiseAbs().sum())) return false;
  const double size = std::min(a.norm(), beyond);
  if (!(size > 0) || a.minCoeff() < -near * size) return false;
  const Vec ya = problem.y.col(0).cwiseProduct(a);
  if (problem.intercept && std::abs(ya.sum()) > near * std::min(a.sum(), beyond)) return false;
  const Vec g = problem.x->transposed_times(ya), squares = problem.x->squared_norms();
  for (Index j = 0; j < g.size(); ++j)
    if (surrogate.scale[j] > 0 && std::abs(g[j]) > near * size * std::sqrt(squares[j])) return false;
  return true;
}

namespace {

// Number of columns in memory from which on leaving out half of them pays.
constexpr Index kManyColumns = 1000;

// Returns whether removed columns, which do not affect the certificate, are worth leaving out.
bool skips_columns(const Problem& problem, const Surrogate& surrogate) {
  if (!surrogate.groups.empty() || problem.quadratic != Quadratic::none) return false;
  if (problem.x->in_memory() && problem.x->cols() < kManyColumns) return false;
  return 2 * (surrogate.scale.array() > 0).count() <= surrogate.scale.size();
}

Certificate certify_present(const Problem& problem, const Surrogate& surrogate, const Solution& solution) {
  const IndexList present = nonzero_entries(surrogate.scale);
  const Index d = static_cast<Index>(present.size());
  const Problem part = restrict_to(problem, first(problem.x->rows()), present);
  Surrogate s{Vec(d), Vec(d), Vec(surrogate.linear.size() ? d : 0), {}};
  Solution inside = solution;
  inside.w.resize(d, solution.w.cols());
  for (Index k = 0; k < d; ++k) {
    s.l1[k] = surrogate.l1[present[k]];
    s.scale[k] = surrogate.scale[present[k]];
    if (s.linear.size()) s.linear[k] = surrogate.linear[present[k]];
    inside.w.row(k) = solution.w.row(present[k]);
  }
  return certify(part, s, inside);
}

}  // namespace

Certificate certify(const Problem& problem, const Surrogate& surrogate, const Solution& solution) {
  if (solution.network.size()) return certify_network(problem, surrogate, solution);
  if (skips_columns(problem, surrogate)) return certify_present(problem, surrogate, solution);
  const FreeColumns free = free_basis(problem, surrogate);
  if (free.near()) return certify(on_basis(problem, free), surrogate, free.enter(solution));
  if (linked(problem, surrogate)) {
    const Flat flat(problem);
    return certify(flat.problem(), flat.enter(surrogate), flat.enter(solution));
  }
  if (problem.margin.size()) {
    const Units units(problem);
    if (!units.plain()) {
      Solution inside = units.enter(solution);
      inside.certificate = certify(units.enter(problem), units.enter(surrogate), inside);
      return units.leave(std::move(inside)).certificate;
    }
  }
  if (problem.loss == Loss::weston_watkins) return certify_multiclass(problem, surrogate, solution);
  if (problem.y.cols() > 1) return certify_separate(problem, surrogate, solution);
  if (!has_slacks(problem.loss)) return certify_smooth(problem, surrogate, solution);
  if (!surrogate.groups.empty()) return certify_groups(problem, surrogate, solution);
  const Vec w = solution.w.col(0), y = problem.y.col(0);
  const double b = problem.intercept ? solution.b[0] : 0.0;
  Pieces z;
  z.a = solution.dual.col(0).cwiseMax(0.0);
  if (problem.loss == Loss::hinge) z.a = z.a.cwiseMin(problem.cost);
  const Vec ya = y.cwiseProduct(z.a);
  z.ya = ya.sum();
  const Vec f = problem.x->both_products(w, ya, z.g);
  z.slack = problem.margins().array() - y.array() * (f.array() + b);

  Certificate c;
  c.primal = primal_value(problem, surrogate, w, f, z.slack, z.a);
  const double reach_b = kReach * std::max(1.0, std::abs(b));
  IndexList which;
  if (problem.quadratic == Quadratic::kernel) {
    c.dual = kernel_dual_value(problem, surrogate, z, w, reach_b);
  } else {
    which = concerned(surrogate, z.g, w);
    const Vec reach = reaches(problem, surrogate, z.g, which, w, c.primal, 1, z.a);
    const double shrink = shrink_factor(surrogate, z.g, which);
    c.dual = dual_value(problem, surrogate, z, which, reach, reach_b, 1);
    if (shrink < 1)
      c.dual = std::max(c.dual, dual_value(problem, surrogate, z, which, reach, reach_b, shrink));
  }
  c.gap = relative_gap(c.primal, c.dual, smallest_value(problem, surrogate, w));
  // If nothing has a cost, scaling the solution costs nothing either, so the violation itself is the gap.
  if (problem.hard()) c.gap = std::max(c.gap, z.slack.maxCoeff());
  const double balance = problem.intercept ? std::abs(z.ya) / std::max(z.a.sum(), 1e-300) : 0.0;
  c.kkt = std::max(
      {row_violation(problem, z), column_violation(problem, surrogate, z.g, which, w, z.a.norm()), balance});
  return c;
}

}  // namespace zeronorm

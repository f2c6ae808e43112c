#include "grade/regulariser.h"

#include <algorithm>
#include <cmath>

#include "base/simd.h"
#include "data/design.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

double penalty_value(const Surrogate& s, const Vec& w, Index j) {
  double value = w[j] > 0 ? s.cost_up(j) * w[j] : -s.cost_down(j) * w[j];
  if (s.scale[j] < kInf && w[j] != 0) value += 0.5 * (w[j] / s.scale[j]) * (w[j] / s.scale[j]);
  return value;
}

// Returns the distance of g from the interval of subgradients at zero.
inline double excess(const Surrogate& s, Index j, double g) {
  return std::max(0.0, std::max(g - s.cost_up(j), -g - s.cost_down(j)));
}

// Keeps the column in the rows whose multipliers, within their bounds, can correct a price that is wrong by e, and
// scales other rows by the share that they can correct. A weight that only changes the other rows has no bound.
void mend(const Problem& p, const Vec& a, double e, bool high, Vec& column) {
  for (Index i = 0; i < column.size(); ++i) {
    const bool lower = (p.y(i, 0) * column[i] > 0) == high;
    const double above = p.loss == Loss::hinge ? p.cost[i] - a[i] : p.cost[i] > 0 ? kInf : 0.0;
    column[i] *=
        // The factor is one if the quotient is NaN.
        std::min(1.0, (lower ? a[i] : above) * std::abs(column[i]) / e);
  }
}

}  // namespace

double regulariser(const Problem& p, const Surrogate& s, const Vec& w, const Vec& f_less_b) {
  double value = 0;
  for (Index j = 0; j < w.size(); ++j)
    if (w[j] != 0) value += penalty_value(s, w, j);
  if (p.quadratic == Quadratic::kernel)
    value += 0.5 * w.dot(p.x->points().empty() ? f_less_b : kernel_times(*p.x, w));
  return value;
}

IndexList concerned(const Surrogate& s, const Vec& g, const Vec& w) {
  const Index d = w.size();
  IndexList found;
  if (s.linear.size() == 0 && d > 0 && s.scale.minCoeff() == kInf) {
    found.resize(d);
    const Index beyond = simd::collect_beyond(g.data(), s.l1.data(), s.l1.data(), 1, d, found.data());
    found.resize(beyond);
    for (Index j = 0; j < d; ++j)
      if (w[j] != 0 && std::abs(g[j]) < s.l1[j]) found.push_back(j);
    std::inplace_merge(found.begin(), found.begin() + beyond, found.end());
    return found;
  }
  for (Index j = 0; j < d; ++j) {
    if (s.scale[j] == 0) continue;
    if (w[j] != 0 || excess(s, j, g[j]) > 0 || std::min(s.cost_up(j), s.cost_down(j)) < 0) found.push_back(j);
  }
  return found;
}

double conjugate(const Surrogate& s, const Vec& g, const IndexList& which, const Vec& reach, double t) {
  double value = 0;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Index j = which[k];
    const double e = excess(s, j, t * g[j]);
    if (e > 0) value += s.scale[j] < kInf ? 0.5 * s.scale[j] * s.scale[j] * e * e : e * reach[Index(k)];
  }
  return value;
}

double shrink_factor(const Surrogate& s, const Vec& g, const IndexList& which) {
  double t = 1;
  for (Index j : which) {
    if (s.scale[j] < kInf || excess(s, j, g[j]) == 0) continue;
    const double cost = g[j] > 0 ? s.cost_up(j) : s.cost_down(j);
    if (cost > 0) t = std::min(t, cost / std::abs(g[j]));
  }
  return t < 1 ? t * (1 - 1e-15) : t;  // Rounding must not exceed a cost again.
}

Vec reaches(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which, const Vec& w,
            double primal, double unit, const Vec& a) {
  const double largest = w.size() ? w.cwiseAbs().maxCoeff() : 0.0;
  Vec result = Vec::Zero(static_cast<Index>(which.size())), column(p.x->rows());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Index j = which[k];
    if (s.scale[j] < kInf) continue;
    const double e = excess(s, j, g[j]);
    if (e == 0) continue;
    p.x->column(j, column.data());
    if (a.size()) mend(p, a, e, g[j] > s.cost_up(j), column);
    const double found = w[j] != 0 ? std::abs(w[j]) : largest;
    result[Index(k)] = reach(column, found, std::min(s.cost_up(j), s.cost_down(j)), primal, unit);
  }
  return result;
}

double column_violation(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which,
                        const Vec& w, double force) {
  if (p.quadratic == Quadratic::kernel) return 0;
  // If all multipliers are zero, prices are rounding errors; they are then relative to the cost of violating all
  // margins.
  const double all_slacks = p.hard() ? 0.0 : 1e-6 * p.cost.sum();
  const double g_scale = std::max({g.size() ? g.cwiseAbs().maxCoeff() : 0.0, all_slacks, 1e-300});
  const double w_scale = std::max(w.size() ? w.cwiseAbs().maxCoeff() : 0.0, 1e-300);
  double worst = 0;
  for (Index j : which) {
    const double e = excess(s, j, g[j]);
    if (e == 0 && w[j] == 0) continue;
    double v;
    if (s.scale[j] < kInf) {
      const double target = s.scale[j] * s.scale[j] * (g[j] > s.cost_up(j) ? e : -e);
      v = std::abs(w[j] - target) / w_scale;
    } else {
      const double cost = w[j] >= 0 ? s.cost_up(j) : s.cost_down(j);
      double size = std::max(cost, 1e-6 * g_scale);
      if (size > cost && (e > 0 || w[j] != 0)) size = std::max(size, column_of(*p.x, j).norm() * force);
      v = e / size;
      const double short_of = cost - (w[j] > 0 ? g[j] : -g[j]);
      const double unearned = std::max(0.0, short_of) / size;
      if (w[j] != 0) v = std::max(v, std::min(std::abs(w[j]) / w_scale, unearned));
    }
    worst = std::max(worst, v);
  }
  return worst;
}

}  // namespace zeronorm

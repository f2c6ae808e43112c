#include "problem/problem.h"

#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "data/design.h"

namespace zeronorm {

Problem restrict_to(const Problem& problem, const IndexList& rows, const IndexList& columns) {
  Problem part = problem;
  const Index n = static_cast<Index>(rows.size());
  part.x = problem.x->subset(rows, columns);
  part.y.resize(n, problem.y.cols());
  part.cost.resize(n);
  if (problem.margin.size()) part.margin.resize(n);
  for (Index i = 0; i < n; ++i) {
    part.y.row(i) = problem.y.row(rows[i]);
    part.cost[i] = problem.cost[rows[i]];
    if (problem.margin.size()) part.margin[i] = problem.margin[rows[i]];
  }
  return part;
}

IndexList bound_decisions(Problem& problem, const Vec& lower, const Vec& upper) {
  IndexList rows;
  std::vector<double> label, margin;
  for (double sign : {1.0, -1.0}) {
    const Vec& bound = sign > 0 ? lower : upper;
    for (Index i = 0; i < bound.size(); ++i) {
      if (!std::isfinite(bound[i])) continue;
      rows.push_back(i);
      label.push_back(sign);
      margin.push_back(sign * bound[i]);
    }
  }
  const Index n = static_cast<Index>(rows.size());
  problem.x = problem.x->subset(rows, first(problem.x->cols()));
  problem.y = Eigen::Map<const Vec>(label.data(), n);
  problem.margin = Eigen::Map<const Vec>(margin.data(), n);
  problem.cost = Vec::Ones(n);
  return rows;
}

// A row bounds f at y_i m_i. The unit is half the range of these values, about their middle if there is an intercept.
Units::Units(const Problem& problem) {
  if (problem.margin.size() == 0) return;
  double low = problem.intercept ? kInf : 0.0, high = problem.intercept ? -kInf : 0.0;
  for (Index i = 0; i < problem.margin.size(); ++i) {
    if (problem.cost[i] == 0) continue;
    const double at = problem.y(i, 0) * problem.margin[i];
    low = std::min(low, at);
    high = std::max(high, at);
  }
  if (!(low <= high)) return;
  double shift = 0, scale = std::max(high, -low);
  if (problem.intercept) {
    shift = low + 0.5 * (high - low);
    scale = 0.5 * (high - low);
  }
  if (scale == 0) scale = 1;
  if (scale >= 0.5 && scale <= 2 && std::abs(shift) <= 0.5) return;
  shift_ = shift;
  scale_ = scale;
}

Problem Units::enter(const Problem& problem) const {
  Problem p = problem;
  p.margin = (problem.margins() - shift_ * problem.y.col(0)) / scale_;
  if (problem.loss == Loss::hinge) p.cost /= scale_;
  return p;
}

Surrogate Units::enter(const Surrogate& surrogate) const {
  Surrogate s = surrogate;
  s.l1 /= scale_;
  s.linear /= scale_;
  return s;
}

Solution Units::enter(const Solution& solution) const {
  Solution s = solution;
  s.w /= scale_;
  s.b.array() = (s.b.array() - shift_) / scale_;
  s.dual /= scale_;
  s.certificate.primal /= scale_ * scale_;
  s.certificate.dual /= scale_ * scale_;
  return s;
}

Solution Units::leave(Solution s) const {
  s.w *= scale_;
  s.b.array() = shift_ + scale_ * s.b.array();
  s.dual *= scale_;
  s.certificate.primal *= scale_ * scale_;
  s.certificate.dual *= scale_ * scale_;
  return s;
}

}  // namespace zeronorm

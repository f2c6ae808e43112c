#include "methods/ranking/retrain.h"

#include <cmath>

#include "grade/certificate.h"
#include "loop/minimise.h"
#include "problem/outputs.h"

namespace zeronorm {
namespace {

// Importance of a unit of violations, which exceeds that of any change of the norm.
constexpr double kViolationWeight = 1e150;
// Relative increase of the violations that counts as rounding.
constexpr double kRounding = 1e-7;

IndexList present(const IndexList& unit, const Surrogate& s) {
  IndexList found;
  for (Index j : unit)
    if (s.scale[j] > 0) found.push_back(j);
  return found;
}

}  // namespace

UnitImportance importance_without(const std::vector<IndexList>& units, const Surrogate& surrogate,
                                  const SvmNorm& whole, bool hard,
                                  const std::function<SvmNorm(const Surrogate&)>& train) {
  UnitImportance worth;
  worth.importance = Vec::Zero(surrogate.scale.size());
  for (const IndexList& all : units) {
    const IndexList unit = present(all, surrogate);
    if (unit.empty()) continue;
    Surrogate without = surrogate;
    for (Index j : unit) without.scale[j] = without.l1[j] = 0;
    const SvmNorm rest = train(without);
    if (rest.status != Status::optimal) {
      worth.status = rest.status;
      return worth;
    }
    double loss = std::sqrt((rest.norm2 - whole.norm2).cwiseAbs().sum());
    if (hard && rest.slack > whole.slack + kRounding * (1 + whole.slack))
      loss += kViolationWeight * (rest.slack - whole.slack);
    for (Index j : unit) worth.importance[j] = loss / unit.size();
  }
  return worth;
}

void Retrain::setup(const Problem& problem) {
  problem_ = &problem;
  engine_->setup(problem);
}

SvmNorm Retrain::strength(const Surrogate& s, const Solution& solution) const {
  SvmNorm found;
  found.status = solution.status;
  if (solution.status != Status::optimal) return found;
  const Vec ridge = (s.scale.array() < kInf).cast<double>();
  found.norm2 = solution.w.cwiseAbs2().transpose() * ridge;
  for (Index k = 0; k < solution.w.cols(); ++k) {
    const Problem one = one_output(*problem_, k);
    found.slack += weights_.dot(slacks(one, solution.w.col(k), one.intercept ? solution.b[k] : 0.0));
  }
  return found;
}

Solution Retrain::solve(const Surrogate& surrogate, const Limits& limits) {
  Solution whole = solve_certified(*engine_, *problem_, surrogate, limits);
  if (whole.status != Status::optimal) return whole;
  const UnitImportance worth = importance_without(
      units_, surrogate, strength(surrogate, whole), hard_,
      [&](const Surrogate& s) { return strength(s, solve_certified(*engine_, *problem_, s, limits)); });
  whole.status = worth.status;
  whole.importance = worth.importance;
  return whole;
}

}  // namespace zeronorm

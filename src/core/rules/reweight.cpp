#include "rules/reweight.h"

#include <algorithm>
#include <cmath>

#include "grade/flat.h"

namespace zeronorm {
namespace {

// Relative gain of the optimum of a surrogate below which the loop ends, because the old solution then solves its own
// linearisation.
constexpr double kMinGain = 1e-9;

double l1_part(const Surrogate& s, const Vec& magnitude) {
  double value = 0;
  for (Index j = 0; j < magnitude.size(); ++j)
    if (magnitude[j] != 0) value += s.l1[j] * magnitude[j];
  return value;
}

}  // namespace

void Reweight::set_slopes(const Vec& magnitude, Surrogate& surrogate) {
  last_ = magnitude;
  for (Index j = 0; j < surrogate.l1.size(); ++j)
    surrogate.l1[j] = what_.cost[j] > 0 ? what_.cost[j] * penalty().slope(magnitude[j]) : 0.0;
}

// Returns minus the decrease of cost at which each feature would enter; linked outputs share its cost. O(ndk).
Vec Reweight::reduced_costs(const Problem& problem, const Trace& trace) {
  const Mat g = transposed_times(*problem.x, signed_multipliers(problem, trace.solution.dual)).cwiseAbs();
  if (linked(problem, trace.surrogate)) return g.rowwise().sum() - trace.surrogate.l1;
  return g.rowwise().maxCoeff() - trace.surrogate.l1;
}

bool Reweight::moves(const Vec& magnitude) const {
  for (Index j = 0; j < magnitude.size(); ++j) {
    const double change = std::abs(magnitude[j] - last_[j]);
    if (change > what_.tol * std::max(1.0, last_[j])) return true;
  }
  return false;
}

bool Reweight::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.empty()) {
    const Vec& start = what_.start;
    set_slopes(start.size() == 1 ? Vec::Constant(what_.cost.size(), start[0]) : start, surrogate);
    return true;
  }
  const Vec magnitude = magnitudes(trace.surrogate, trace.solution.w);
  const Index nonzero = trace.rounds.back().nonzero;
  if (!selection_.sizes().empty()) {
    // Zeros are ordered by reduced cost; those nearest to entering come first.
    selection_.observe(trace.solution.w, reduced_costs(problem, trace), nonzero);
  }
  if (selection_.settled(nonzero)) {
    reason_ = StopReason::reached;
    return false;
  }
  const double value = trace.solution.certificate.primal;
  const bool still = expected_ < kInf && expected_ - value <= kMinGain * std::abs(expected_);
  if (still || !moves(magnitude)) {
    if (stage_ + 1 == what_.schedule.size()) return false;
    ++stage_;
  }
  const double rest = value - l1_part(trace.surrogate, magnitude);
  set_slopes(magnitude, surrogate);
  expected_ = rest + l1_part(surrogate, magnitude);
  return true;
}

double Reweight::objective(const Problem&, const Surrogate& surrogate, const Solution& solution) const {
  const Vec magnitude = magnitudes(surrogate, solution.w);
  double value = solution.certificate.primal - l1_part(surrogate, magnitude);
  for (Index j = 0; j < magnitude.size(); ++j)
    if (what_.cost[j] > 0) value += what_.cost[j] * penalty().value(magnitude[j]);
  return value;
}

}  // namespace zeronorm

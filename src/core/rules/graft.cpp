#include "rules/graft.h"

#include <cmath>

#include "data/design.h"
#include "loop/refit.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Relative excess of a gradient over the cost of a feature that is required for the feature to join.
constexpr double kRelativeExcess = 1e-9;
// Rounding error of a gradient, relative to the norms of column and forces.
constexpr double kRounding = 1e-11;
// Difference of ln|w| and ln(radius) at which the parabola touches.
constexpr double kRadiusTol = 1e-9;
// Difference that suffices if the accuracy of the engine prevents convergence.
constexpr double kAcceptedRadiusTol = 1e-6;
// Number of radii that are tried without halving this difference.
constexpr int kMaxTries = 20;

}  // namespace

// Sets up the first working set. O(nd).
void Graft::start(const Problem& problem, Surrogate& surrogate) {
  whole_ = surrogate;
  lengths_ = problem.x->squared_norms().cwiseSqrt();
  candidate_.assign(surrogate.scale.size(), 1);
  for (Index j : what_.start) candidate_[j] = 0;
  for (std::size_t j = 0; j < candidate_.size(); ++j) {
    candidate_[j] = candidate_[j] && surrogate.scale[j] > 0;
    if (candidate_[j]) surrogate.scale[j] = 0;
  }
}

// Returns the norm over the penalised columns.
double Graft::length(const Solution& s) const {
  double sum = s.w.squaredNorm();
  for (Index j : what_.free) sum -= s.w.row(j).squaredNorm();
  return std::sqrt(std::max(0.0, sum));
}

// Sets the scales of the upper bound norm (|w|^2 / radius + radius) / 2 of norm |w|.
void Graft::bend(Surrogate& surrogate) const {
  for (Index j = 0; j < surrogate.scale.size(); ++j)
    if (!candidate_[j] && whole_.scale[j] > 0) surrogate.scale[j] = std::sqrt(radius_ / what_.norm);
  for (Index j : what_.free) surrogate.scale[j] = whole_.scale[j];
}

// Returns whether the parabola touches at the solution. Otherwise chooses the next radius by a secant in logarithms:
// ln|w| increases with ln(radius), but more slowly.
bool Graft::settled(const Trace& trace, Surrogate& surrogate) {
  const double found = length(trace.solution);
  if (what_.norm == 0 || radius_ == 0 || found == 0) return true;
  const double at = std::log(radius_), off = std::log(found) - at;
  if (std::abs(off) <= kRadiusTol) return true;
  if (std::abs(off) < 0.5 * nearest_) {
    nearest_ = std::abs(off);
    tries_ = 0;
  } else if (++tries_ > kMaxTries) {
    unsettled_ = unsettled_ || nearest_ > kAcceptedRadiusTol;
    return true;
  }
  double slope = -1;
  if (off_ != 0 && at != tried_) slope = std::min(-0.01, std::max(-1.0, (off - off_) / (at - tried_)));
  tried_ = at;
  off_ = off;
  radius_ = std::exp(at - off / slope);
  bend(surrogate);
  return false;
}

// Returns the column outside the working set that exceeds its cost with the largest gradient; -1 if there is none.
// O(nd).
Index Graft::steepest(const Problem& problem, const Trace& trace) const {
  const Mat force = forces(problem, trace.solution.dual);
  const Vec slope = transposed_times(*problem.x, force).cwiseAbs().rowwise().maxCoeff();
  const double size = force.norm(), norm = length(trace.solution) == 0 ? what_.norm : 0.0;
  Index best = -1;
  for (Index j = 0; j < slope.size(); ++j) {
    if (!candidate_[j] ||
        slope[j] <= (whole_.l1[j] + norm) * (1 + kRelativeExcess) + kRounding * lengths_[j] * size)
      continue;
    if (best < 0 || without_rounding(slope[j]) > without_rounding(slope[best])) best = j;
  }
  return best;
}

bool Graft::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.empty()) {
    start(problem, surrogate);
    return true;
  }
  if (!settled(trace, surrogate)) return true;
  if (what_.l0 > 0) {
    took_back_ = !(trace.rounds.back().objective < kept_value_);
    if (took_back_) return false;
    kept_value_ = trace.rounds.back().objective;
    kept_ = trace.solution;
    kept_rounds_ = trace.rounds.size();
  }
  const Index j = steepest(problem, trace);
  if (j < 0) return false;
  candidate_[j] = 0;
  surrogate.scale[j] = whole_.scale[j];
  if (what_.norm > 0) {
    if (radius_ == 0) radius_ = std::sqrt(static_cast<double>(problem.cost.size())) / lengths_[j];
    off_ = 0;
    tries_ = 0;
    nearest_ = kInf;
    bend(surrogate);
  }
  return true;
}

double Graft::objective(const Problem&, const Surrogate&, const Solution& solution) const {
  double value = solution.certificate.primal;
  if (what_.norm > 0 && radius_ > 0) {
    const double found = length(solution);
    value += what_.norm * found * (1 - 0.5 * found / radius_);
  }
  if (what_.l0 == 0) return value;
  Index count = static_cast<Index>(nonzeros(magnitudes(solution.w)).size());
  for (Index j : what_.free) count -= solution.w.row(j).norm() > 0;
  return value + what_.l0 * static_cast<double>(count);
}

}  // namespace zeronorm

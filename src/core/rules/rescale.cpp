#include "rules/rescale.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"

namespace zeronorm {
namespace {

// Largest relative change of a scale at the fixed point.
constexpr double kSettledChange = 1e-6;
// Smallest argument of a logarithm in the objective.
constexpr double kLogFloor = 1e-300;

}  // namespace

bool Rescale::rescaled(Index j) const {
  if (fixed_[j]) return false;
  return j < what_.features ? what_.rescale_features : what_.rescale_slacks;
}

// Returns the weight of a column in the objective.
double Rescale::weight(Index j) const {
  if (j < what_.features) return what_.multiplicity.size() ? what_.multiplicity[j] : 1.0;
  if (what_.rescale_slacks) return what_.slack_weight;
  return what_.slack_weights.size() ? what_.slack_weights[j - what_.features] : 1.0;
}

// Returns the scale of one coordinate: the coefficient of a column is divided among all coordinates for which it
// stands.
Vec Rescale::scales(const Solution& solution) const {
  const Vec all = magnitudes(solution.w).head(what_.features);
  return what_.multiplicity.size() ? Vec(all.cwiseQuotient(what_.multiplicity)) : all;
}

// Sets the scale z_j of the ridge (l2), or the cost 1/z_j of |w_j| (l1).
void Rescale::write(Surrogate& s) const {
  const Index d = z_.size();
  for (Index j = 0; j < d; ++j) {
    if (z_[j] == 0) {
      s.scale[j] = 0;
      s.l1[j] = 0;
    } else if (l1_now_) {
      s.scale[j] = kInf;
      s.l1[j] = weight(j) / z_[j];
    } else {
      s.scale[j] = weight(j) > 0 ? z_[j] / std::sqrt(weight(j)) : kInf;
      s.l1[j] = 0;
    }
  }
  for (Index j : what_.free) {
    s.scale[j] = kInf;
    s.l1[j] = 0;
  }
}

bool Rescale::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  const Index d = problem.x->cols();
  if (trace.rounds.empty()) {
    fixed_.assign(d, 0);
    for (Index j : what_.free) fixed_[j] = 1;
    for (Index j : what_.keep) fixed_[j] = 1;
    z_ = surrogate.scale.cwiseMin(1.0);  // The scale is 0 if a column is left out from the start.
    if (what_.multiplicity.size()) z_.head(what_.features).array() *= what_.multiplicity.array();
    l1_now_ = what_.l1;
    write(surrogate);
    return true;
  }
  const Vec magnitude = magnitudes(trace.solution.w);
  const Index nonzero = static_cast<Index>(nonzeros(magnitude.head(what_.features)).size());
  const Mat features = trace.solution.w.topRows(what_.features);
  selection_.observe(features, Vec(), nonzero, what_.multiplicity.size() ? scales(trace.solution) : Vec());
  if (selection_.settled(nonzero)) {
    reason_ = StopReason::reached;
    return false;
  }
  if (lengths_.size() == 0) lengths_ = problem.x->squared_norms().cwiseSqrt();
  const std::vector<char> stays = felt(magnitude, lengths_);
  double change = 0;
  for (Index j = 0; j < d; ++j) {
    if (!rescaled(j) || z_[j] == 0) continue;
    const double z = stays[j] ? magnitude[j] : 0.0;
    change = std::max(change, std::abs(z / z_[j] - 1.0));
    z_[j] = z;
  }
  const bool by_size = what_.switch_features > 0 && nonzero <= what_.switch_features;
  const bool by_round = what_.switch_round > 0 && static_cast<int>(trace.rounds.size()) >= what_.switch_round;
  if (!l1_now_ && (by_size || by_round))
    l1_now_ = true;
  else if (change <= kSettledChange)
    return false;
  write(surrogate);
  return true;
}

// Returns the value of the surrogate with each majoriser of ln|w_j| replaced by ln|w_j| itself.
double Rescale::objective(const Problem&, const Surrogate& surrogate, const Solution& solution) const {
  double value = solution.certificate.primal;
  const Vec t = magnitudes(solution.w);
  for (Index j = 0; j < t.size(); ++j) {
    if (!rescaled(j)) continue;
    value += weight(j) * std::log(std::max(t[j], kLogFloor));
    if (t[j] == 0) continue;
    value -= surrogate.l1[j] * t[j] + 0.5 * (solution.w.row(j) / surrogate.scale[j]).squaredNorm();
  }
  return value;
}

}  // namespace zeronorm

#include "admit.h"

#include <algorithm>

#include "../design.h"

namespace zeronorm {

// O(d).
bool Admit::next(const Problem&, const Trace& trace, Surrogate& surrogate) {
  const Index d = static_cast<Index>(what_.order.size());
  if (trace.rounds.empty()) {
    scale_ = surrogate.scale;
    surrogate.scale.setZero();
    admitted_ = std::min(what_.first, d);
  } else {
    const double error = trace.rounds.back().objective;
    if (error < least_ * (1 - what_.tolerance)) {
      least_ = error;
      best_ = admitted_;
      machine_ = trace.solution;
    } else {
      ++failures_;
    }
    if (failures_ == what_.patience || admitted_ == d) return false;
    ++admitted_;
  }
  for (Index k = 0; k < admitted_; ++k) surrogate.scale[what_.order[k]] = scale_[what_.order[k]];
  return true;
}

double Admit::objective(const Problem& problem, const Surrogate&, const Solution& solution) const {
  const Problem& rows = what_.held_out;
  const Vec f = rows.x->times(solution.w.col(0)).array() + (problem.intercept ? solution.b[0] : 0.0);
  double errors = 0;
  for (Index i = 0; i < f.size(); ++i)
    if ((f[i] > 0 ? 1.0 : -1.0) != rows.y(i, 0)) errors += rows.cost[i];
  return errors / rows.cost.sum();
}

}  // namespace zeronorm

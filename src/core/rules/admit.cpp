#include "rules/admit.h"

#include <algorithm>

#include "rules/validate.h"

namespace zeronorm {

// Takes O(d).
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
      solution_ = trace.solution;
    } else {
      ++failures_;
    }
    if (failures_ == what_.patience || admitted_ == d) return false;
    ++admitted_;
  }
  for (Index k = 0; k < admitted_; ++k) surrogate.scale[what_.order[k]] = scale_[what_.order[k]];
  return true;
}

double Admit::objective(const Problem&, const Surrogate&, const Solution& solution) const {
  return held_out_error(what_.held_out, solution);
}

}  // namespace zeronorm

#include "admit.h"

#include <algorithm>

#include "../margins.h"

namespace zeronorm {
namespace {

// The side of zero, or among several classes the one of the largest value.
Index predicted(const Mat& f, Index i) {
  if (f.cols() == 1) return f(i, 0) > 0;
  Index best = 0;
  f.row(i).maxCoeff(&best);
  return best;
}

}  // namespace

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
  const Mat f = decision_values(*rows.x, solution.w, problem.intercept ? solution.b : Vec());
  double errors = 0;
  for (Index i = 0; i < f.rows(); ++i)
    if (predicted(f, i) != predicted(rows.y, i)) errors += rows.cost[i];
  return errors / rows.cost.sum();
}

}  // namespace zeronorm

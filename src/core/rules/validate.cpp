#include "rules/validate.h"

#include "problem/margins.h"

namespace zeronorm {
namespace {

// Returns the side of zero or, among several classes, the class of the largest value.
Index predicted(const Mat& f, Index i) {
  if (f.cols() == 1) return f(i, 0) > 0;
  Index best = 0;
  f.row(i).maxCoeff(&best);
  return best;
}

}  // namespace

// Takes O(n * nonzeros).
double held_out_error(const Problem& rows, const Solution& solution, Predicts what) {
  const Mat w = solution.w.topRows(rows.x->cols());
  const Mat f = decision_values(*rows.x, w, rows.intercept ? solution.b : Vec());
  double errors = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    if (what == Predicts::numbers)
      errors += rows.cost[i] * (f.row(i) - rows.y.row(i)).squaredNorm();
    else if (what == Predicts::labels ? ((f.row(i).array() > 0) != (rows.y.row(i).array() > 0)).any()
                                      : predicted(f, i) != predicted(rows.y, i))
      errors += rows.cost[i];
  }
  return errors / rows.cost.sum();
}

bool Validate::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.size() > seen_) {
    seen_ = trace.rounds.size();
    const double error = held_out_error(held_out_, trace.solution, what_);
    if (error <= least_) {
      least_ = error;
      surrogate_ = trace.surrogate;
      solution_ = trace.solution;
    }
  }
  return rule_.next(problem, trace, surrogate);
}

void Validate::keep_best(Trace& trace) const {
  const bool finished = trace.stop != StopReason::interrupted && trace.stop != StopReason::failed;
  if (!finished || !(least_ < kInf)) return;
  trace.surrogate = surrogate_;
  trace.solution = solution_;
}

}  // namespace zeronorm

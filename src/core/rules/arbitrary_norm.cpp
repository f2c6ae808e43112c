#include "rules/arbitrary_norm.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Changes of decision values by a coefficient, and their size, that count as zero.
constexpr double kSettledChange = 1e-4;
// Smallest argument of a logarithm in the objective.
constexpr double kLogFloor = 1e-300;

}  // namespace

void ArbitraryNorm::measure(const Problem& problem) {
  const Design& x = *problem.x;
  size_.resize(x.cols());
  Vec column(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    x.column(j, column.data());
    size_[j] = (column.array() + x.center(j)).abs().maxCoeff();
  }
  size_ /= Units(problem).scale();
}

// Sets the scales z_j with 1/z_j^2 = price L_j, plus 1 with the term 1/2 a'a.
void ArbitraryNorm::write(Surrogate& s) const {
  const double rest = what_.unit ? 1.0 : 0.0;
  s.scale.setConstant(what_.unit ? 1.0 : kInf);
  if (what_.price > 0 && what_.p == kInf && !what_.printed) {
    s.groups.assign(a_.size(), {0});
    s.l1 = Vec::Constant(1, what_.price);
  } else if (what_.price > 0 && what_.p == kInf) {
    Index at;
    const double most = a_.cwiseAbs().maxCoeff(&at);
    s.scale[at] = std::sqrt(most / (rest * most + what_.price));
  } else if (what_.price > 0) {
    for (Index j = 0; j < a_.size(); ++j) {
      const double t = std::pow(std::abs(a_[j]), 2 - what_.p);
      s.scale[j] = std::sqrt(t / (rest * t + what_.price));
    }
  }
  if (what_.price > 0 || what_.unit)
    for (Index j : left_out_) s.scale[j] = 0;
}

// Drops coefficients that do not affect any decision value; returns whether there were any.
bool ArbitraryNorm::prune() {
  if (what_.p == kInf) return false;
  bool any = false;
  for (Index j = 0; j < a_.size(); ++j) {
    if (a_[j] == 0 || std::abs(a_[j]) * size_[j] >= kSettledChange) continue;
    a_[j] = 0;
    any = true;
  }
  return any;
}

bool ArbitraryNorm::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.empty()) {
    measure(problem);
    a_ = Vec::Ones(problem.x->cols());
    for (Index j : left_out_) a_[j] = 0;
    write(surrogate);
    return true;
  }
  if (convex()) return false;
  const Vec w = trace.solution.w.col(0), last = a_;
  a_ = w;
  const bool pruned = prune();
  if (!pruned && largest(w - last) <= kSettledChange) return false;
  if (printed()) {
    for (std::size_t k = 0; k < seen_.size() && period_ == 0; ++k)
      if (largest(w - seen_[k]) <= kSettledChange) period_ = seen_.size() - k;
    if (period_ > 0) {
      reason_ = StopReason::cycled;
      return false;
    }
    if (a_.isZero(0)) return false;
    seen_.push_back(w);
  }
  write(surrogate);
  return true;
}

double ArbitraryNorm::penalty(const Vec& a) const {
  if (what_.price == 0) return 0;
  if (what_.p == kInf) return what_.price * a.cwiseAbs().maxCoeff();
  double sum = 0;
  for (Index j = 0; j < a.size(); ++j) {
    const double t = std::abs(a[j]);
    sum += what_.p == 0 ? std::log(std::max(t, kLogFloor)) : std::pow(t, what_.p) / what_.p;
  }
  if (what_.p == 0) sum -= double(left_out_.size()) * std::log(kLogFloor);
  return what_.price * sum;
}

// Returns the value of the surrogate with its parabola replaced by the norm itself.
double ArbitraryNorm::objective(const Problem&, const Surrogate& surrogate, const Solution& solution) const {
  double value = solution.certificate.primal;
  const Vec w = solution.w.col(0);
  if (!surrogate.groups.empty()) return value;
  for (Index j = 0; j < w.size(); ++j) {
    if (w[j] == 0) continue;
    value -= 0.5 * std::pow(w[j] / surrogate.scale[j], 2);
    if (what_.unit) value += 0.5 * w[j] * w[j];
  }
  return value + penalty(w);
}

}  // namespace zeronorm

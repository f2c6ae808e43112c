#include "limit.h"

#include <algorithm>
#include <cmath>

#include "margins.h"
#include "minimise.h"
#include "problem.h"

namespace zeronorm {
namespace {

constexpr double kLargestC = 1e13;
constexpr double kHard = 1e7;  // from this C on OSQP cannot do what our own engine cannot

bool has_free(const Surrogate& s) {
  for (Index j = 0; j < s.scale.size(); ++j)
    if (s.scale[j] == kInf && s.l1[j] == 0) return true;
  return false;
}

}  // namespace

std::unique_ptr<Engine> make_limit_machine(bool l1, const Vec& weights, const std::string& engine) {
  return make_each_output([=]() { return std::make_unique<LimitMachine>(l1, weights, engine); });
}

std::string LimitMachine::name() const { return margin_->name(); }

std::string LimitMachine::refuses(const Problem& problem, const Surrogate& surrogate) const {
  return make_engine(engine_)->refuses(problem, surrogate);
}

void LimitMachine::setup(const Problem& problem) {
  hard_ = soft_ = problem;
  if (problem.loss != Loss::weston_watkins) hard_.loss = soft_.loss = Loss::hinge;
  hard_.cost = Vec::Constant(weights_.size(), kInf);
  soft_.cost = weights_;
  margin_ = make_engine(engine_);
  margin_->setup(hard_);
  slacks_.reset();
  growing_.reset();
  given_up_.resize(0);
  C_ = 1;
}

Solution LimitMachine::solve(const Surrogate& surrogate, const Limits& limits) {
  if (!hopeless(surrogate)) {
    Solution s = solve_certified(*margin_, hard_, surrogate, limits);
    const bool settled = s.status == Status::optimal || s.status == Status::interrupted;
    if (settled || s.status == Status::refused) return s;
    given_up_ = surrogate.scale;  // a hard margin that defies the engine may yet be reached by growing C
    margin_->setup(hard_);        // without what it kept in memory
  }
  return limit(surrogate, limits);
}

// Fewer columns cannot separate what more could not. O(d).
bool LimitMachine::hopeless(const Surrogate& surrogate) const {
  if (given_up_.size() != surrogate.scale.size()) return false;
  return ((surrogate.scale.array() == 0) || (given_up_.array() > 0)).all();
}

// The least sum of slacks by a linear programme, whose tie rule already picks the smallest |w|_1; for l2, and
// where some columns carry no norm, C grows until the sum is reached.  Columns next to each other may put either
// out of reach of any arithmetic: then the largest C that was solved stands.
Solution LimitMachine::limit(const Surrogate& surrogate, const Limits& limits) {
  Solution least = least_slacks(surrogate, limits);
  const bool known = least.status == Status::optimal;
  const bool settled = known && l1_ && !has_free(surrogate) && soft_.y.cols() == 1;
  if (settled || least.status == Status::interrupted) return least;
  const double unit = Units(soft_).scale(), more = std::max(1e-9, limits.tol);
  const double aim = known ? slack_sum(least) * (1 + more) + 1e-10 * unit * weights_.sum() : -1.0;
  Solution best;
  for (double C = C_; C < kLargestC; C *= 100) {
    Solution s = soft(surrogate, C, limits);
    if (s.status == Status::interrupted) return s;
    if (s.status != Status::optimal) {
      if (best.status == Status::optimal || C == 1) break;
      C = 0.01;  // what was in reach of other columns is not in reach of these
      continue;
    }
    best = std::move(s);
    if (slack_sum(best) > aim) continue;
    C_ = C;
    return best;
  }
  if (best.status != Status::optimal) best = std::move(least);
  best.note = "The machine stopped before the limit of C.";
  return best;
}

Solution LimitMachine::least_slacks(const Surrogate& surrogate, const Limits& limits) {
  if (!slacks_) {
    slacks_ = make_engine("exact");
    slacks_->setup(soft_);
  }
  Surrogate nothing;
  nothing.l1 = Vec::Zero(surrogate.scale.size());
  nothing.scale = (surrogate.scale.array() > 0).select(Vec::Constant(surrogate.scale.size(), kInf), 0.0);
  return solve_certified(*slacks_, soft_, nothing, limits);
}

// Certificates in the convention  regulariser + C * slacks.
Solution LimitMachine::soft(Surrogate surrogate, double C, const Limits& limits) {
  const bool exact = engine_ == "auto" && C > kHard;
  if (!growing_ || exact_ != exact) {
    growing_ = make_engine(exact ? "exact" : engine_);
    growing_->setup(soft_);
    exact_ = exact;
  }
  surrogate.l1 /= C;
  surrogate.scale *= std::sqrt(C);
  Solution s = solve_certified(*growing_, soft_, surrogate, limits);
  s.certificate.primal *= C;
  s.certificate.dual *= C;
  return s;
}

double LimitMachine::slack_sum(const Solution& s) const {
  const Margins margins(soft_);
  const Mat f = decision_values(*soft_.x, s.w, soft_.intercept ? s.b : Vec());
  return margins.costs(soft_).dot((margins.rhs - margins.margins(f)).cwiseMax(0.0));
}

}  // namespace zeronorm

#include "engines/hard_margin_limit.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "data/design.h"
#include "engines/sizes.h"
#include "engines/solve_certified.h"
#include "grade/certificate.h"
#include "problem/margins.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Largest cost parameter that is tried.
constexpr double kLargestC = 1e13;
// From this C on OSQP does not stand in for our own engine, because it fails where our engine does.
constexpr double kMinCWithoutOsqp = 1e7;
// Number of values of C that are tried before a linear programme computes the least sum of violations.
constexpr int kTrialsBeforeLeastSum = 3;
// Relative distance from a bound above which a multiplier counts as lying between its bounds.
constexpr double kBoundTol = 1e-7;

bool has_free(const Surrogate& s) {
  for (Index j = 0; j < s.scale.size(); ++j)
    if (s.scale[j] == kInf && s.l1[j] == 0) return true;
  return false;
}

// Returns the surrogate without any norm, whose solution has the least sum of violations.
Surrogate slacks_alone(const Surrogate& surrogate) {
  Surrogate nothing;
  nothing.l1 = Vec::Zero(surrogate.scale.size());
  nothing.scale = (surrogate.scale.array() > 0).select(Vec::Constant(surrogate.scale.size(), kInf), 0.0);
  return nothing;
}

}  // namespace

std::unique_ptr<Engine> make_hard_margin_limit(bool l1, const Vec& weights, const EngineChoice& engine) {
  return make_each_output([=]() { return std::make_unique<HardMarginLimit>(l1, weights, engine); });
}

std::string HardMarginLimit::name() const { return margin_->name(); }

std::string HardMarginLimit::refuses(const Problem& problem, const Surrogate& surrogate) const {
  return make_engine(engine_)->refuses(problem, surrogate);
}

void HardMarginLimit::setup(const Problem& problem) {
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

Solution HardMarginLimit::solve(const Surrogate& surrogate, const Limits& limits) {
  const bool late = crowded(surrogate);
  if (!late && !hopeless(surrogate)) {
    Solution s = hard(surrogate, limits);
    if (s.status == Status::optimal || s.status == Status::interrupted || s.status == Status::refused)
      return s;
  }
  Solution s = limit(surrogate, limits);
  if (late && s.status == Status::optimal && slack_sum(s) <= rounding() && !hopeless(surrogate)) {
    Solution without = hard(surrogate, limits);
    if (without.status == Status::optimal || without.status == Status::interrupted) return without;
  }
  return s;
}

// Solves with a hard margin. If this fails, the limit of C may still reach a hard margin.
Solution HardMarginLimit::hard(const Surrogate& surrogate, const Limits& limits) {
  Solution s = solve_certified(*margin_, hard_, surrogate, limits);
  if (s.status == Status::optimal || s.status == Status::interrupted || s.status == Status::refused) return s;
  given_up_ = surrogate.scale;
  margin_->setup(hard_);  // This releases the memory of the engine.
  return s;
}

// Returns whether a hard margin failed on these or more columns, so that these cannot be separated either. O(d).
bool HardMarginLimit::hopeless(const Surrogate& surrogate) const {
  if (given_up_.size() != surrogate.scale.size()) return false;
  return ((surrogate.scale.array() == 0) || (given_up_.array() > 0)).all();
}

// Returns whether there are so many rows per column that the hard margin is tried last. O(d).
bool HardMarginLimit::crowded(const Surrogate& surrogate) const {
  const Index columns = (surrogate.scale.array() > 0).count() + 1;
  return !l1_ && soft_.y.cols() == 1 && soft_.x->rows() > kRowsPerColumnWithoutMargin * columns;
}

// Raises C until the sum of violations is the least. For one output the multipliers show when this is reached. If
// they do not, and for several outputs, a linear programme computes the least sum, with ties broken by the smallest
// |w|_1. Nearly collinear columns may put both out of reach of double precision; then the solution at the largest C
// solved is returned.
Solution HardMarginLimit::limit(const Surrogate& surrogate, const Limits& limits) {
  const bool single = soft_.y.cols() == 1;
  const double more = std::max(1e-9, limits.tol);
  bool asked = false;
  double aim = -1;
  Solution least, best, s;
  const auto ask = [&]() {
    asked = true;
    least = least_slacks(surrogate, limits);
    if (least.status == Status::optimal) aim = slack_sum(least) * (1 + more) + rounding();
  };
  if (l1_ || !single) {
    ask();
    const bool settled = least.status == Status::optimal && l1_ && !has_free(surrogate) && single;
    if (settled || least.status == Status::interrupted) return least;
  }
  int tried = 0;
  for (double C = C_; C < kLargestC; C *= 100) {
    s = soft(surrogate, C, limits);
    if (s.status == Status::interrupted) return s;
    if (s.status != Status::optimal) {
      if (best.status == Status::optimal || C == 1) break;
      C = 0.01;  // A value of C reached on other columns may be too large for these.
      continue;
    }
    best = s;
    bool reached = single && !l1_ && reaches_least(surrogate, best, more);
    if (!reached && !asked && ++tried == kTrialsBeforeLeastSum) ask();
    if (least.status == Status::interrupted) return least;
    reached = reached || slack_sum(best) <= aim;
    if (!reached) continue;
    C_ = C;
    return best;
  }
  if (best.status != Status::optimal) {
    if (engine_.named()) return s;
    if (!asked) ask();
    best = std::move(least);
  }
  best.note = "The SVM was trained with the largest C that could be solved, before the limit of large C.";
  return best;
}

double HardMarginLimit::rounding() const { return 1e-10 * Units(soft_).scale() * weights_.sum(); }

// Returns whether the multipliers of this SVM, corrected on the rows between their bounds to balance the gradient of
// the ridge, prove that its sum of violations is the least. O(nd + |R| d^2).
bool HardMarginLimit::reaches_least(const Surrogate& surrogate, const Solution& s, double more) const {
  const Vec a = s.dual.col(0), y = soft_.y.col(0);
  IndexList rows, columns;
  for (Index i = 0; i < a.size(); ++i)
    if (a[i] > kBoundTol * weights_[i] && a[i] < (1 - kBoundTol) * weights_[i]) rows.push_back(i);
  for (Index j = 0; j < surrogate.scale.size(); ++j)
    if (surrogate.scale[j] > 0) columns.push_back(j);
  const Index height = static_cast<Index>(columns.size()) + soft_.intercept;
  // The contribution of each row's multiplier to X'(y a).
  Mat push(height, static_cast<Index>(rows.size()));
  Vec total(height), x(a.size());
  const Vec ya = y.cwiseProduct(a);
  const auto enter = [&](Index k) {
    total[k] = x.dot(ya);
    for (std::size_t r = 0; r < rows.size(); ++r) push(k, static_cast<Index>(r)) = y[rows[r]] * x[rows[r]];
  };
  for (std::size_t k = 0; k < columns.size(); ++k) {
    soft_.x->column(columns[k], x.data());
    enter(static_cast<Index>(k));
  }
  if (soft_.intercept) {
    x.setOnes();
    enter(height - 1);
  }
  Vec shift = Vec::Zero(push.cols());
  if (push.size() > 0) shift = Eigen::CompleteOrthogonalDecomposition<Mat>(push).solve(total);
  Solution alone = s;
  for (std::size_t r = 0; r < rows.size(); ++r)
    alone.dual(rows[r], 0) =
        std::min(weights_[rows[r]], std::max(0.0, a[rows[r]] - shift[static_cast<Index>(r)]));
  return certify(soft_, slacks_alone(surrogate), alone).gap <= more;
}

Solution HardMarginLimit::least_slacks(const Surrogate& surrogate, const Limits& limits) {
  if (!slacks_) {
    slacks_ = make_engine(l1_ && engine_.named() ? engine_ : engine_.without_osqp());
    slacks_->setup(soft_);
  }
  return solve_certified(*slacks_, soft_, slacks_alone(surrogate), limits);
}

// Solves with cost parameter C; the certificate is that of  regulariser + C * violations.
Solution HardMarginLimit::soft(Surrogate surrogate, double C, const Limits& limits) {
  const bool exact = !engine_.named() && C > kMinCWithoutOsqp;
  if (!growing_ || exact_ != exact) {
    growing_ = make_engine(exact ? engine_.without_osqp() : engine_);
    growing_->setup(soft_);
    exact_ = exact;
  }
  for (Index j = 0; j < surrogate.l1.size(); ++j) surrogate.l1[j] = l1_per_loss(surrogate.l1[j], C);
  surrogate.scale *= scale_per_loss(1, C);
  Solution s = solve_certified(*growing_, soft_, surrogate, limits);
  s.certificate.primal *= C;
  s.certificate.dual *= C;
  return s;
}

double HardMarginLimit::slack_sum(const Solution& s) const {
  const Margins margins(soft_);
  const Mat f = decision_values(*soft_.x, s.w, soft_.intercept ? s.b : Vec());
  return margins.costs(soft_).dot((margins.rhs - margins.margins(f)).cwiseMax(0.0));
}

}  // namespace zeronorm

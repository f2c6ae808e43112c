#include "engines/newton.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "base/line_search.h"
#include "base/simd.h"
#include "data/design.h"
#include "grade/certificate.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

// Factor by which the stiffness grows from one proximal iteration to the next.
constexpr double kStiffnessGrowth = 2;
// Factor by which it grows after an iteration that took one Newton step.
constexpr double kFastStiffnessGrowth = 4;
// Largest stiffness in units of 1 / curvature.
constexpr double kMaxStiffness = 1e11;
// Largest stiffness in units of 1 / curvature if the rows are in single precision.
constexpr double kMaxStiffnessSingle = 1e5;
// Largest number of proximal iterations.
constexpr int kMaxIterations = 100;
// Largest number of Newton steps in one call.
constexpr long kMaxSteps = 500;
// Relative accuracy to which the first Newton systems are solved.
constexpr double kFirstAccuracy = 0.1;
// Smallest relative accuracy of a Newton system; see kMaxPoorSteps.
constexpr double kLastAccuracy = 1e-3;
// After this many steps without the required decrease, Newton systems are solved ten times more accurately.
constexpr int kMaxPoorSteps = 3;
// Factor by which the gap of a proximal iteration has to decrease for a step to count as progress.
constexpr double kRequiredDecrease = 0.5;
// Share of the target gap that is left to each of its smaller causes, unless the target itself is larger.
constexpr double kGapShare = 0.03;
// Largest tolerance that the engine uses, because the certificate measures more causes of a gap than the engine does.
constexpr double kMaxTol = 0.1;
// A line search ends when the slope is below this fraction of the first slope.
constexpr double kFinalSlope = 0.01;
// A step shorter than this shows that other rows lie between their bounds than the step assumed.
constexpr double kShortStep = 0.9;
// A step from guessed places that is shorter than this shows that the guess was wrong.
constexpr double kFailedGuessStep = 1e-2;
// The predicted multipliers are not tested while the remaining gap exceeds this many times the target.
constexpr double kProofGapRatio = 10;
// Largest step of a coefficient of an unpenalised column, relative to its size, if no row determines it.
constexpr double kMaxThetaStep = 100;
// Tolerance from which on rows in single precision suffice.
constexpr double kSinglePrecisionTol = 1e-5;
// Sum of y_i a_i relative to the sum of a_i that counts as balanced.
constexpr double kBalanceTol = 1e-15;
// Number of columns up to which an additional Newton step costs little.
constexpr Index kFewColumns = 1000;
// Fraction of the tolerance that is the target for so few columns; it makes the coefficients accurate.
constexpr double kFewColumnsTol = 1e-3;

}  // namespace

std::string Newton::refusal(const Problem& problem, const Surrogate& surrogate) {
  if (!has_slacks(problem.loss) || problem.loss == Loss::weston_watkins)
    return "The newton engine takes the hinge and the squared hinge loss.";
  if (problem.y.cols() != 1) return "The newton engine takes one output.";
  if (problem.quadratic != Quadratic::none) return "The newton engine has no kernel term.";
  if (!surrogate.groups.empty()) return "The newton engine takes no groups of columns.";
  if (surrogate.l1.size() > 0 && surrogate.has_l1()) return "The newton engine takes no l1 or linear term.";
  if (!surrogate.has_ridge()) return "The newton engine needs columns with a ridge.";
  return "";
}

void Newton::setup(const Problem& problem) {
  problem_ = &problem;
  y_ = problem.y.col(0);
  margin_ = problem.margins();
  cost_ = problem.cost;
  cap_ = squared() ? Vec((cost_.array() > 0).select(Vec::Constant(n(), kInf), 0.0)) : cost_;
  squares_ = problem.x->squared_norms();
  rows_.reset();
  part_.reset();
  columns_.clear();
  copied_.clear();
  warm_ = false;
}

// Returns X Z u. One pass over x, or over its copied rows if these are precise enough.
Vec Newton::product(const Vec& u) const {
  if (precise_) return part_->times(z_.cwiseProduct(u));
  Vec spread = Vec::Zero(rows_->cols());
  for (Index k = 0; k < u.size(); ++k) spread[place_[std::size_t(k)]] = z_[k] * u[k];
  return rows_->times(spread);
}

// Returns Z X'ya by the same data; of the copied rows only those with nonzero ya are read.
Vec Newton::transposed_product(const Vec& ya) const {
  if (precise_) return z_.cwiseProduct(part_->transposed_times(ya));
  const Vec sums = rows_->weighted_sum(nonzero_entries(ya), ya);
  Vec products(z_.size());
  for (Index k = 0; k < z_.size(); ++k) products[k] = z_[k] * sums[place_[std::size_t(k)]];
  return products;
}

// Returns the objective at u; for hard margins at the multiple of u that meets them. O(n).
double Newton::primal(const Vec& r) const {
  const double regulariser = 0.5 * u_.squaredNorm();
  double slacks = 0;
  for (Index i = 0; i < n(); ++i) {
    if (!(cap_[i] > 0)) continue;
    const double slack = std::max(0.0, r[i]);
    if (squared()) {
      slacks += 0.5 * cost_[i] * slack * slack;
    } else if (cap_[i] < kInf) {
      slacks += cost_[i] * slack;
    } else if (slack < margin_[i]) {
      const double held = margin_[i] / (margin_[i] - slack);
      slacks = std::max(slacks, regulariser * (held * held - 1));
    } else {
      return kInf;
    }
  }
  return regulariser + slacks;
}

// Returns a lower bound of the optimum if the unpenalised columns are balanced; products is Z X'ya. O(n + d).
double Newton::dual(const Vec& a, const Vec& products) const {
  double value = margin_.dot(a) - 0.5 * products.squaredNorm();
  for (Index i = 0; i < n() && squared(); ++i)
    if (a[i] > 0) value -= 0.5 * a[i] * a[i] / cost_[i];
  return value;
}

// Sets the proximal term (a - centre)^2 / (2 sigma). O(n).
void Newton::centre() {
  stiff_.resize(n());
  base_.resize(n());
  for (Index i = 0; i < n(); ++i) {
    stiff_[i] = squared() && cost_[i] > 0 ? 1 / (1 / cost_[i] + 1 / sigma_) : sigma_;
    base_[i] = centre_[i] * (stiff_[i] / sigma_);
  }
}

inline double Newton::multiplier(Index i, double r) const {
  if (!(cap_[i] > 0)) return 0;
  return std::min(cap_[i], std::max(0.0, base_[i] + stiff_[i] * r));
}

inline Newton::Place Newton::place_at(Index i, double r) const {
  const double a = base_[i] + stiff_[i] * r;
  return !(cap_[i] > 0) || a <= 0 ? Place::zero : a >= cap_[i] ? Place::cost : Place::between;
}

// Finds which multipliers are at a bound at r. O(n).
void Newton::find_places() {
  places_.resize(std::size_t(n()));
  for (Index i = 0; i < n(); ++i) places_[std::size_t(i)] = place_at(i, r_[i]);
  assume(places_);
}

// Computes a and the gradient from r. One pass over x.
void Newton::evaluate() {
  find_places();
  gradient_ = u_ - transposed_product(y_.cwiseProduct(a_));
}

// Sets the multipliers to the given places: at a bound or between the bounds. O(n).
void Newton::assume(const std::vector<Place>& places) {
  a_.resize(n());
  between_.clear();
  for (Index i = 0; i < n(); ++i) {
    const Place place = places[std::size_t(i)];
    a_[i] = place == Place::zero ? 0 : place == Place::cost ? cap_[i] : base_[i] + stiff_[i] * r_[i];
    if (place == Place::between) between_.push_back(i);
  }
  imbalance_ = -(f_.transpose() * y_.cwiseProduct(a_));
  // If no row determines theta, its step is limited to a multiple of its own size.
  const Vec held = imbalance_.array().abs() / (kMaxThetaStep * (1 + theta_.array().abs()));
  system_.weigh(between_, stiff_, held);
}

// Computes the relative gap of (u, theta) and a from parts that are each zero at the optimum. O(n).
void Newton::measure_gap() {
  double value = 0.5 * u_.squaredNorm();
  complement_ = 0;
  double worst = 0;  // The largest violation of a hard margin.
  for (Index i = 0; i < n(); ++i) {
    if (cap_[i] == 0) continue;
    const double slack = std::max(0.0, r_[i]);
    if (squared()) {
      const double off = a_[i] - cost_[i] * slack;
      value += 0.5 * cost_[i] * slack * slack;
      complement_ += 0.5 * off * off / cost_[i] + a_[i] * (slack - r_[i]);
    } else if (cap_[i] == kInf) {
      complement_ += a_[i] * std::abs(r_[i]);
      worst = std::max(worst, slack);
    } else {
      value += cost_[i] * slack;
      complement_ += cost_[i] * slack - a_[i] * r_[i];
    }
  }
  complement_ += 2 * worst * a_.sum();
  unsettled_ = 0.5 * gradient_.squaredNorm() + system_.energy(imbalance_);
  value_ = std::max({value, 1e-12 * complement_, 1e-300});
  gap_ = (complement_ + unsettled_) / value_;
}

// Returns whether these multipliers, once balanced, prove u to within `aim`; if so, they become a. One pass over x.
bool Newton::proves(const Vec& multipliers, double aim) {
  const double value = primal(r_);
  const Vec a = balanced(multipliers);
  const Vec left = f_.transpose() * y_.cwiseProduct(a);
  const double unbalanced = left.cwiseAbs().dot(theta_.cwiseAbs()) + system_.energy(left);
  const double gap = (value - dual(a, transposed_product(y_.cwiseProduct(a))) + unbalanced) / value;
  if (!(gap <= aim)) return false;
  a_ = a;
  value_ = value;
  gap_ = gap;
  return true;
}

// Returns whether the multipliers that the last step predicted prove u. If the step was shortened, they are far
// closer to the optimum than the multipliers that follow from u.
bool Newton::prediction_proves(double aim) {
  return complement_ <= kProofGapRatio * aim * value_ && proves(predicted_, aim);
}

// Takes one Newton step, from the guessed places if there are any; returns false if nothing is gained.
bool Newton::step(double accuracy, const Limits& limits) {
  ++steps_;
  if (!guess_.empty()) {
    const Vec before = a_;
    assume(guess_);
    gradient_ -= transposed_product(y_.cwiseProduct(a_ - before));
    if (advance(accuracy, limits)) return true;
    guess_.clear();
    evaluate();
  }
  if (advance(accuracy, limits)) return true;
  predicted_ = a_;
  return false;
}

// Takes a step from the present multipliers, gradient and rows, with a line search.
bool Newton::advance(double accuracy, const Limits& limits) {
  const NewtonSystem::Step full = system_.solve(gradient_, imbalance_, accuracy, limits);
  return full.u.allFinite() && search(full.u, full.theta);
}

// Moves close to the minimum along the step. O(n) for each slope and one pass over x.
bool Newton::search(const Vec& du, const Vec& dtheta) {
  const Vec dr = -y_.cwiseProduct(product(du) + f_ * dtheta);
  const double linear = u_.dot(du), bend = du.squaredNorm();
  const Vec at = base_ + stiff_.cwiseProduct(r_), move = stiff_.cwiseProduct(dr);
  const auto slope = [&](double t) {
    return linear + t * bend + simd::capped_slope(at.data(), move.data(), cap_.data(), dr.data(), t, n());
  };
  const double start = slope(0);
  if (!(start < 0)) return false;
  double low = 0, high = 1, at_low = start, at_high = slope(1);
  for (int k = 0; k < 10 && at_high < kFinalSlope * start; ++k) {
    low = high, at_low = at_high;
    high *= 2;
    at_high = slope(high);
  }
  const double enough = -kFinalSlope * start;
  const double t = at_high > enough ? flat_point(slope, low, at_low, high, at_high, enough) : high;
  // If a step ends early, multipliers reached bounds that the step did not see. The next step then assumes the places
  // to which the whole step leads, and places rows between their bounds that it takes from one bound to the other.
  const bool guessed = !guess_.empty();
  guess_.clear();
  if (t < kShortStep && !(guessed && t < kFailedGuessStep)) {
    guess_.resize(std::size_t(n()));
    for (Index i = 0; i < n(); ++i) {
      const Place from = place_at(i, r_[i]), to = place_at(i, r_[i] + dr[i]);
      guess_[std::size_t(i)] = from != Place::between && to != from ? Place::between : to;
    }
  }
  predicted_ = a_;
  for (Index i : between_) predicted_[i] = multiplier(i, r_[i] + dr[i]);
  u_ += t * du;
  theta_ += t * dtheta;
  r_ += t * dr;
  return true;
}

// Takes Newton steps until the gap is at most `aim`, or until the part of the gap that steps can lower is small beside
// the part that only the next proximal iteration can lower. At least one step is taken, so that the stiffness grows
// no faster than the steps can follow.
Newton::Outcome Newton::take_steps(double aim, const Limits& limits) {
  double least = kInf;
  for (int poor = 0, taken = 0;; ++poor, ++taken) {
    evaluate();
    measure_gap();
    const double share = std::max(kGapShare, aim);
    const double enough = share * std::max(aim * value_, complement_);
    // If x nearly contains an unpenalised column, balancing costs more than energy() estimates.
    const bool unproven = gap_ <= aim && f_.cols() > 0 && !proves(a_, kToleranceShare * limits.tol);
    if ((gap_ <= aim && !unproven) || (taken > 0 && !unproven && unsettled_ <= enough))
      return Outcome::optimal;
    if (limits.stop_now()) return Outcome::interrupted;
    if (steps_ >= kMaxSteps || !(gap_ < kInf)) return Outcome::limit;
    if (unsettled_ <= kRequiredDecrease * least) {
      least = unsettled_;
      poor = 0;
    } else if (poor == kMaxPoorSteps) {
      accuracy_ = std::max(kLastAccuracy, 0.1 * accuracy_);
      poor = 0;
    }
    // The accuracy is no finer than the target requires and increases towards the end.
    const double finest = std::sqrt(kGapShare * enough / unsettled_), rough = std::sqrt(unsettled_ / value_);
    if (!step(std::min(accuracy_, std::max(finest, rough)), limits)) return Outcome::limit;
    if (prediction_proves(aim)) return Outcome::optimal;
  }
}

// Moves multipliers between their bounds until F'(y a) is zero. O(n) for each pair of unpenalised columns.
Vec Newton::balanced(Vec a) const {
  for (int round = 0; round < 3 && f_.cols() > 0; ++round) {
    const Vec left = f_.transpose() * y_.cwiseProduct(a);
    if (round > 0 && left.norm() <= kBalanceTol * a.lpNorm<1>()) break;
    const Vec inside = ((a.array() > 0) && (a.array() < cap_.array())).cast<double>();
    const Mat m = f_.transpose() * inside.asDiagonal() * f_;
    const Vec shift = m.completeOrthogonalDecomposition().solve(left);
    a -= inside.cwiseProduct(y_).cwiseProduct(f_ * shift);
    a = a.cwiseMax(0.0).cwiseMin(cap_);
  }
  return a;
}

// Returns the direction in which the multipliers diverge if no hard margin exists. O(n).
Vec Newton::divergent_multipliers() const {
  const Vec ray = balanced((a_ - centre_).cwiseMax(0.0));
  return ray / std::max(ray.maxCoeff(), 1e-300);
}

Newton::Outcome Newton::run(const Limits& limits) {
  steps_ = 0;
  accuracy_ = kFirstAccuracy;
  places_.clear();
  // With few columns a further step costs little and makes the coefficients more accurate.
  const double aim = (u_.size() <= kFewColumns ? kFewColumnsTol : kToleranceShare) * limits.tol;

  if (swept_) {
    centre();
    find_places();
    if (proves(centre_, aim)) return Outcome::optimal;
    places_.clear();
  }
  double best = kInf;
  for (int round = 0, idle = 0; round < kMaxIterations && idle < 3; ++round) {
    const long before = steps_;
    centre();
    guess_ = places_;  // Multipliers keep their places when the stiffness grows.
    const Outcome outcome = take_steps(aim, limits);
    if (outcome == Outcome::interrupted) return outcome;
    if (gap_ <= aim) return Outcome::optimal;
    if (problem_->hard() && proves_inseparable(*problem_, *surrogate_, divergent_multipliers()))
      return Outcome::infeasible;
    const double stiffest = (rows_->rounded() ? kMaxStiffnessSingle : kMaxStiffness) / curvature_;
    idle = gap_ < 0.5 * best || sigma_ < stiffest ? 0 : idle + 1;
    best = std::min(best, gap_);
    centre_ = predicted_;
    sigma_ = std::min(stiffest, sigma_ * (steps_ - before == 1 ? kFastStiffnessGrowth : kStiffnessGrowth));
  }
  return best <= limits.tol ? Outcome::optimal : Outcome::limit;
}

// Returns the solution; weights of overlooked columns follow from the multipliers. One pass over these columns.
Solution Newton::solution(Outcome outcome) {
  Solution s;
  s.engine = name();
  s.iterations = steps_;
  s.status = outcome == Outcome::optimal      ? Status::optimal
             : outcome == Outcome::limit      ? Status::limit
             : outcome == Outcome::infeasible ? Status::infeasible
                                              : Status::interrupted;
  if (outcome == Outcome::infeasible) a_ = divergent_multipliers();
  a_ = balanced(std::move(a_));
  s.w = Mat::Zero(squares_.size(), 1);
  last_products_ = Vec::Zero(squares_.size());
  overlooked_gain_ = 0;
  for (Index k = 0; k < u_.size(); ++k) {
    s.w(columns_[std::size_t(k)], 0) = z_[k] * u_[k];
    last_products_[columns_[std::size_t(k)]] = u_[k] / z_[k];
  }
  if (!overlooked_.empty()) {
    const Vec g = restrict_columns(overlooked_)->transposed_times(y_.cwiseProduct(a_));
    for (Index k = 0; k < g.size(); ++k) {
      const Index j = overlooked_[std::size_t(k)];
      s.w(j, 0) = scale_[j] * (scale_[j] * g[k]);
      last_products_[j] = g[k];
      overlooked_gain_ += 0.5 * s.w(j, 0) * g[k];
    }
  }
  w_ = s.w.col(0);
  last_a_ = a_;
  s.dual = a_;
  for (std::size_t l = 0; l < free_.size(); ++l) s.w(free_[l], 0) = theta_[Index(l)];
  s.b = Vec::Zero(1);
  if (!problem_->intercept) return s;
  double& b = theta_[theta_.size() - 1];
  const Vec rest = y_.cwiseProduct(margin_ - r_).array() - b;  // Labels are their own inverse.
  s.b[0] = b = best_intercept(rest, y_, cost_, problem_->loss, problem_->margin);
  return s;
}

Solution Newton::solve(const Surrogate& surrogate, const Limits& asked) {
  Limits limits = asked;
  limits.tol = std::min(kMaxTol, asked.tol);
  surrogate_ = &surrogate;
  fine_ = limits.tol < kSinglePrecisionTol;
  Solution s;
  for (const double tol : {limits.tol, 0.0}) {
    take(surrogate, tol);
    start(limits);
    const Outcome outcome = limits.stop_now() ? Outcome::interrupted : run(limits);
    if (a_.size() != n()) {  // The solver was interrupted before the first step.
      centre();
      evaluate();
    }
    s = solution(outcome);
    warm_ = outcome == Outcome::optimal;
    if (!warm_ || overlooked_gain_ <= kGapShare * limits.tol * value_) break;
  }
  return s;
}

std::unique_ptr<Engine> make_newton() { return std::make_unique<Newton>(); }

const EngineKind kNewtonEngine{"newton", Newton::refusal, [](const HighsSettings&) { return make_newton(); }};

}  // namespace zeronorm

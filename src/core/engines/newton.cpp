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

constexpr double kGrow = 2;               // of the stiffness from round to round, and
constexpr double kGrowFast = 4;           // where a round took one step, at most
constexpr double kStiffest = 1e11;        // in units of 1 / curvature, and
constexpr double kStiffestRounded = 1e5;  // where rows are in single precision,
constexpr int kRounds = 100;              // of the proximal method
constexpr long kSteps = 500;              // of Newton in all
constexpr double kRough = 0.1;            // accuracy of a step, at first,
constexpr double kFinest = 1e-3;          // and at last: ten times finer whenever
constexpr int kPoor = 3;                  // steps after another do not bring what is unsettled
constexpr double kBetter = 0.5;           // to this share of its least
constexpr double kShare = 0.03;      // of what is asked for, left to each cause, or what is asked for itself
constexpr double kLoosest = 0.1;     // what is asked for at most: the certificate looks at more causes
constexpr double kFlat = 0.01;       // slope left by a line search, relative to the first
constexpr double kShort = 0.9;       // steps below say that the rows between their ends were others, and
constexpr double kStuck = 1e-2;      // below, of a guess, that it was none
constexpr double kHope = 10;         // of what is asked for, left to another round: no hope yet
constexpr double kThetaStep = 100;   // of its own order, at most
constexpr double kCoarse = 1e-5;     // gap from which rows in single precision will do
constexpr double kBalanced = 1e-15;  // of all multipliers, left out of balance
constexpr Index kCheap = 1000;       // columns up to which a step more costs little, and
constexpr double kDigits = 1e-3;     // of what is asked for gives the coefficients theirs

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

// X Z u. A pass over x, or over its copy where that has digits enough.
Vec Newton::push(const Vec& u) const {
  if (precise_) return part_->times(z_.cwiseProduct(u));
  Vec spread = Vec::Zero(rows_->cols());
  for (Index k = 0; k < u.size(); ++k) spread[place_[std::size_t(k)]] = z_[k] * u[k];
  return rows_->times(spread);
}

// Z X'ya, by the same; of the copy only those rows are read where ya is not zero.
Vec Newton::pull(const Vec& ya) const {
  if (precise_) return z_.cwiseProduct(part_->transposed_times(ya));
  const Vec sums = rows_->weighted_sum(nonzero_entries(ya), ya);
  Vec pulled(z_.size());
  for (Index k = 0; k < z_.size(); ++k) pulled[k] = z_[k] * sums[place_[std::size_t(k)]];
  return pulled;
}

// The value at u, for hard margins at the multiple of it that holds them. O(n).
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

// A lower bound of the optimum where the free columns balance; pulled is Z X'ya. O(n + d).
double Newton::dual(const Vec& a, const Vec& pulled) const {
  double value = margin_.dot(a) - 0.5 * pulled.squaredNorm();
  for (Index i = 0; i < n() && squared(); ++i)
    if (a[i] > 0) value -= 0.5 * a[i] * a[i] / cost_[i];
  return value;
}

// The proximal term  (a - centre)^2 / (2 sigma). O(n).
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

// Where the multipliers stand at r. O(n).
void Newton::find_places() {
  places_.resize(std::size_t(n()));
  for (Index i = 0; i < n(); ++i) places_[std::size_t(i)] = place_at(i, r_[i]);
  assume(places_);
}

// a and the gradient from r. A pass over x.
void Newton::evaluate() {
  find_places();
  gradient_ = u_ - pull(y_.cwiseProduct(a_));
}

// Multipliers at, and between, their ends as told. O(n).
void Newton::assume(const std::vector<Place>& places) {
  a_.resize(n());
  between_.clear();
  for (Index i = 0; i < n(); ++i) {
    const Place place = places[std::size_t(i)];
    a_[i] = place == Place::zero ? 0 : place == Place::cost ? cap_[i] : base_[i] + stiff_[i] * r_[i];
    if (place == Place::between) between_.push_back(i);
  }
  imbalance_ = -(f_.transpose() * y_.cwiseProduct(a_));
  // Steps of theta are to be of its order where no row holds it.
  const Vec held = imbalance_.array().abs() / (kThetaStep * (1 + theta_.array().abs()));
  system_.weigh(between_, stiff_, held);
}

// The relative gap of (u, theta) and a, and what it is made of, each part zero at its own optimum.  O(n).
void Newton::judge() {
  double value = 0.5 * u_.squaredNorm();
  complement_ = 0;
  double worst = 0;  // slack of a hard margin
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

// Whether these multipliers, balanced, prove u to within `aim`; then they are a. A pass over x.
bool Newton::proves(const Vec& multipliers, double aim) {
  const double value = primal(r_);
  const Vec a = balanced(multipliers);
  const Vec left = f_.transpose() * y_.cwiseProduct(a);
  const double unbalanced = left.cwiseAbs().dot(theta_.cwiseAbs()) + system_.energy(left);
  const double gap = (value - dual(a, pull(y_.cwiseProduct(a))) + unbalanced) / value;
  if (!(gap <= aim)) return false;
  a_ = a;
  value_ = value;
  gap_ = gap;
  return true;
}

// Whether the multipliers that the last step hoped for already do: where it ended early they are far nearer to the
// optimum than those that follow from u.
bool Newton::bridged(double aim) { return complement_ <= kHope * aim * value_ && proves(hoped_, aim); }

// One Newton step, by the guess if there is one; false where nothing is gained.
bool Newton::step(double accuracy, const Limits& limits) {
  ++steps_;
  if (!guess_.empty()) {
    const Vec before = a_;
    assume(guess_);
    gradient_ -= pull(y_.cwiseProduct(a_ - before));
    if (advance(accuracy, limits)) return true;
    guess_.clear();
    evaluate();
  }
  if (advance(accuracy, limits)) return true;
  hoped_ = a_;
  return false;
}

// By the multipliers, the gradient and the rows as they are, with a line search.
bool Newton::advance(double accuracy, const Limits& limits) {
  const NewtonSystem::Step full = system_.solve(gradient_, imbalance_, accuracy, limits);
  return full.u.allFinite() && search(full.u, full.theta);
}

// To the lowest point along the step, roughly. O(n) for each slope, one pass over x.
bool Newton::search(const Vec& du, const Vec& dtheta) {
  const Vec dr = -y_.cwiseProduct(push(du) + f_ * dtheta);
  const double linear = u_.dot(du), bend = du.squaredNorm();
  const Vec at = base_ + stiff_.cwiseProduct(r_), move = stiff_.cwiseProduct(dr);
  const auto slope = [&](double t) {
    return linear + t * bend + simd::capped_slope(at.data(), move.data(), cap_.data(), dr.data(), t, n());
  };
  const double start = slope(0);
  if (!(start < 0)) return false;
  double low = 0, high = 1, at_low = start, at_high = slope(1);
  for (int k = 0; k < 10 && at_high < kFlat * start; ++k) {
    low = high, at_low = at_high;
    high *= 2;
    at_high = slope(high);
  }
  const double enough = -kFlat * start;
  const double t = at_high > enough ? flat_point(slope, low, at_low, high, at_high, enough) : high;
  // Where a step ends early, rows meet their ends that were not seen: the next one sees the rows that a whole
  // step leaves between them, or takes from one to the other.
  const bool guessed = !guess_.empty();
  guess_.clear();
  if (t < kShort && !(guessed && t < kStuck)) {
    guess_.resize(std::size_t(n()));
    for (Index i = 0; i < n(); ++i) {
      const Place from = place_at(i, r_[i]), to = place_at(i, r_[i] + dr[i]);
      guess_[std::size_t(i)] = from != Place::between && to != from ? Place::between : to;
    }
  }
  hoped_ = a_;
  for (Index i : between_) hoped_[i] = multiplier(i, r_[i] + dr[i]);
  u_ += t * du;
  theta_ += t * dtheta;
  r_ += t * dr;
  return true;
}

// Newton until the gap is no more than `aim`, or what is unsettled is little beside what only another round of
// the proximal method can lower.  A step at least, so that rounds grow stiffer no faster than steps can follow.
Newton::Outcome Newton::climb(double aim, const Limits& limits) {
  double least = kInf;
  for (int poor = 0, taken = 0;; ++poor, ++taken) {
    evaluate();
    judge();
    const double share = std::max(kShare, aim);
    const double enough = share * std::max(aim * value_, complement_);
    // Where x is much of a free column, balance costs more than energy() says.
    const bool unproven = gap_ <= aim && f_.cols() > 0 && !proves(a_, kReserve * limits.tol);
    if ((gap_ <= aim && !unproven) || (taken > 0 && !unproven && unsettled_ <= enough))
      return Outcome::optimal;
    if (limits.stop_now()) return Outcome::interrupted;
    if (steps_ >= kSteps || !(gap_ < kInf)) return Outcome::limit;
    if (unsettled_ <= kBetter * least) {
      least = unsettled_;
      poor = 0;
    } else if (poor == kPoor) {
      accuracy_ = std::max(kFinest, 0.1 * accuracy_);
      poor = 0;
    }
    // No finer than asked for, and the finer the nearer the end.
    const double finest = std::sqrt(kShare * enough / unsettled_), rough = std::sqrt(unsettled_ / value_);
    if (!step(std::min(accuracy_, std::max(finest, rough)), limits)) return Outcome::limit;
    if (bridged(aim)) return Outcome::optimal;
  }
}

// Multipliers between their ends move until F'(y a) is zero. O(n) for each pair of free columns.
Vec Newton::balanced(Vec a) const {
  for (int round = 0; round < 3 && f_.cols() > 0; ++round) {
    const Vec left = f_.transpose() * y_.cwiseProduct(a);
    if (round > 0 && left.norm() <= kBalanced * a.lpNorm<1>()) break;
    const Vec inside = ((a.array() > 0) && (a.array() < cap_.array())).cast<double>();
    const Mat m = f_.transpose() * inside.asDiagonal() * f_;
    const Vec shift = m.completeOrthogonalDecomposition().solve(left);
    a -= inside.cwiseProduct(y_).cwiseProduct(f_ * shift);
    a = a.cwiseMax(0.0).cwiseMin(cap_);
  }
  return a;
}

// Where the multipliers of a hard margin that does not exist run to. O(n).
Vec Newton::away() const {
  const Vec ray = balanced((a_ - centre_).cwiseMax(0.0));
  return ray / std::max(ray.maxCoeff(), 1e-300);
}

Newton::Outcome Newton::run(const Limits& limits) {
  steps_ = 0;
  accuracy_ = kRough;
  places_.clear();
  // Where steps are cheap a further one costs little, and gives the coefficients their digits.
  const double aim = (u_.size() <= kCheap ? kDigits : kReserve) * limits.tol;

  if (relaxed_) {
    centre();
    find_places();
    if (proves(centre_, aim)) return Outcome::optimal;
    places_.clear();
  }
  double best = kInf;
  for (int round = 0, idle = 0; round < kRounds && idle < 3; ++round) {
    const long before = steps_;
    centre();
    guess_ = places_;  // stiffer, multipliers start from where they were
    const Outcome outcome = climb(aim, limits);
    if (outcome == Outcome::interrupted) return outcome;
    if (gap_ <= aim) return Outcome::optimal;
    if (problem_->hard() && proves_inseparable(*problem_, *surrogate_, away())) return Outcome::infeasible;
    const double stiffest = (rows_->rounded() ? kStiffestRounded : kStiffest) / curvature_;
    idle = gap_ < 0.5 * best || sigma_ < stiffest ? 0 : idle + 1;
    best = std::min(best, gap_);
    centre_ = hoped_;
    sigma_ = std::min(stiffest, sigma_ * (steps_ - before == 1 ? kGrowFast : kGrow));
  }
  return best <= limits.tol ? Outcome::optimal : Outcome::limit;
}

// The columns that were overlooked follow from the multipliers. A pass over these.
Solution Newton::solution(Outcome outcome) {
  Solution s;
  s.engine = name();
  s.iterations = steps_;
  s.status = outcome == Outcome::optimal      ? Status::optimal
             : outcome == Outcome::limit      ? Status::limit
             : outcome == Outcome::infeasible ? Status::infeasible
                                              : Status::interrupted;
  if (outcome == Outcome::infeasible) a_ = away();
  a_ = balanced(std::move(a_));
  s.w = Mat::Zero(squares_.size(), 1);
  pull_ = Vec::Zero(squares_.size());
  missed_ = 0;
  for (Index k = 0; k < u_.size(); ++k) {
    s.w(columns_[std::size_t(k)], 0) = z_[k] * u_[k];
    pull_[columns_[std::size_t(k)]] = u_[k] / z_[k];
  }
  if (!overlooked_.empty()) {
    const Vec g = restrict_columns(overlooked_)->transposed_times(y_.cwiseProduct(a_));
    for (Index k = 0; k < g.size(); ++k) {
      const Index j = overlooked_[std::size_t(k)];
      s.w(j, 0) = scale_[j] * (scale_[j] * g[k]);
      pull_[j] = g[k];
      missed_ += 0.5 * s.w(j, 0) * g[k];
    }
  }
  w_ = s.w.col(0);
  last_a_ = a_;
  s.dual = a_;
  for (std::size_t l = 0; l < free_.size(); ++l) s.w(free_[l], 0) = theta_[Index(l)];
  s.b = Vec::Zero(1);
  if (!problem_->intercept) return s;
  double& b = theta_[theta_.size() - 1];
  const Vec rest = y_.cwiseProduct(margin_ - r_).array() - b;  // y is its own inverse
  s.b[0] = b = best_intercept(rest, y_, cost_, problem_->loss, problem_->margin);
  return s;
}

Solution Newton::solve(const Surrogate& surrogate, const Limits& asked) {
  Limits limits = asked;
  limits.tol = std::min(kLoosest, asked.tol);
  surrogate_ = &surrogate;
  fine_ = limits.tol < kCoarse;
  Solution s;
  for (const double tol : {limits.tol, 0.0}) {
    take(surrogate, tol);
    start(limits);
    const Outcome outcome = limits.stop_now() ? Outcome::interrupted : run(limits);
    if (a_.size() != n()) {  // stopped before the first step
      centre();
      evaluate();
    }
    s = solution(outcome);
    warm_ = outcome == Outcome::optimal;
    if (!warm_ || missed_ <= kShare * limits.tol * value_) break;
  }
  return s;
}

std::unique_ptr<Engine> make_newton() { return std::make_unique<Newton>(); }

const EngineKind kNewtonEngine{"newton", Newton::refusal, [](const HighsSettings&) { return make_newton(); }};

}  // namespace zeronorm

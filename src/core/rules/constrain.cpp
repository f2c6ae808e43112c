#include "rules/constrain.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "data/design.h"
#include "grade/certificate.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

// Relative difference of the measure from its target that is accepted.
constexpr double kTargetTol = 1e-11;
// Relative width of an interval of lambda that is not divided further.
constexpr double kMinInterval = 1e-14;
// The constraint does not bind if lambda is below this fraction of the largest lambda.
constexpr double kMinMultiplier = 1e-12;
// Below this fraction of the largest lambda, lambda = 0 is tried.
constexpr double kSmallMultiplier = 1e-3;
// Smallest distance of a column of length one from the span of the others at which it counts as independent.
constexpr double kIndependentTol = 1e-5;
// Smallest factor by which lambda decreases at a time while the target is not bracketed.
constexpr double kMaxDecrease = 0.1;

// The weighted means of both classes and their weights; the class of the labels +1 is first.
struct ClassMeans {
  double mean[2] = {0, 0}, weight[2] = {0, 0};
  ClassMeans(const Problem& p, const Vec& f) {
    for (Index i = 0; i < f.size(); ++i) {
      const int k = p.y(i, 0) > 0 ? 0 : 1;
      mean[k] += p.cost[i] * f[i];
      weight[k] += p.cost[i];
    }
    for (int k : {0, 1}) mean[k] /= weight[k];
  }
  double distance() const { return mean[0] - mean[1]; }
};

// Returns whether the squared loss alone has a unique minimum that is well determined. O(n d^2).
bool has_one_minimum(const Problem& p, const Surrogate& s) {
  if (p.loss != Loss::squared) return false;
  const IndexList used = nonzero_entries(s.scale);
  const Vec root = p.cost.cwiseSqrt();
  if (Index(used.size()) + p.intercept >= (root.array() > 0).count()) return false;
  Mat x = root.asDiagonal() * equality_columns(*p.x, p.intercept, used);
  for (Index k = 0; k < x.cols(); ++k) x.col(k) /= std::max(x.col(k).norm(), 1e-300);
  Eigen::ColPivHouseholderQR<Mat> qr;
  qr.setThreshold(kIndependentTol);
  return qr.compute(x).isInjective();
}

void grade(Certificate& c, double primal, double dual, const Problem& p) {
  c.primal = primal;
  c.dual = dual;
  c.gap = std::abs(primal - dual) / std::max({std::abs(primal), std::abs(dual), gap_floor(p)});
}

// Returns the loss without the penalty. O(nd).
double loss_of(const Problem& p, const Solution& s) {
  const Vec f = p.x->times(s.w.col(0)).array() + (p.intercept ? s.b[0] : 0.0);
  double loss = 0;
  for (Index i = 0; i < f.size(); ++i) loss += p.cost[i] * loss_value(p.loss, p.y(i, 0), f[i]);
  return loss;
}

}  // namespace

double Constrain::norm(const Solution& solution) const { return base_.l1.dot(solution.w.col(0).cwiseAbs()); }

double Constrain::measure(const Problem& problem, const Solution& solution) const {
  if (measure_ == Measure::norm) return norm(solution);
  return ClassMeans(problem, problem.x->times(solution.w.col(0))).distance() / lambda_;
}

double Constrain::objective(const Problem&, const Surrogate&, const Solution& solution) const {
  if (measure_ == Measure::distance) return solution.certificate.primal;
  return solution.certificate.primal - lambda_ * norm(solution);
}

// Computes the largest lambda from the solution without measured columns. O(nd).
void Constrain::learn_largest(const Problem& problem, const Solution& solution) {
  const Vec g = problem.x->transposed_times(forces(problem, solution.dual).col(0));
  largest_ = 0;
  for (Index j = 0; j < g.size(); ++j)
    if (base_.l1[j] > 0 && base_.scale[j] > 0) largest_ = std::max(largest_, std::abs(g[j]) / base_.l1[j]);
  if (measure_ == Measure::distance) {
    unpenalized_distance_ = ClassMeans(problem, problem.x->times(solution.w.col(0))).distance();
    if (!(unpenalized_distance_ > kTargetTol)) unpenalized_distance_ = 0;
  }
  lambda_ = largest_;
  known_[largest_] = unpenalized_distance_ > 0 ? unpenalized_distance_ / std::max(largest_, 1e-300) : 0.0;
}

bool Constrain::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  const bool opening = trace.rounds.empty();
  if (opening)
    base_ = surrogate, one_sided_ = 0, fell_back_ = false, within_lambda_ = kInf, beyond_lambda_ = -1;
  if (opening && largest_ < 0) {
    for (Index j = 0; j < base_.l1.size(); ++j)
      if (base_.l1[j] > 0) surrogate.scale[j] = 0;
    lambda_ = 0;
    return true;
  }
  if (largest_ < 0)
    learn_largest(problem, trace.solution);
  else if (!opening)
    known_[lambda_] = measure(problem, trace.solution);
  if (!opening) remember(trace.solution);
  if (!choose(problem, opening)) return false;
  surrogate.scale = base_.scale;
  surrogate.l1 = lambda_ * base_.l1;
  return true;
}

void Constrain::remember(const Solution& solution) {
  if (measure_ != Measure::norm) return;
  const bool within = norm(solution) <= target_;
  if (within ? lambda_ >= within_lambda_ : lambda_ <= beyond_lambda_) return;
  (within ? within_ : beyond_) = solution;
  (within ? within_lambda_ : beyond_lambda_) = lambda_;
}

void Constrain::fall_back(const Problem& problem, Trace& trace) {
  if (within_lambda_ == kInf) return;
  const double last = lambda_;
  lambda_ = within_lambda_;
  fell_back_ = true;
  if (within_norm(problem, within_).status == Status::optimal || mixed(problem).status == Status::optimal) {
    trace.solution = within_;
    trace.solution.note = "The norm stays below its bound: up to it the loss falls by less than the gap.";
    trace.stop = StopReason::converged;
    return;
  }
  lambda_ = last;
  fell_back_ = false;
}

// Chooses the next lambda; returns false if the last solution is the result.
bool Constrain::choose(const Problem& problem, bool opening) {
  if (opening && wanted() == 0) {
    lambda_ = 2 * largest_;
    return true;
  }
  // The unpenalised columns separate the class means so far that no other column is worth its cost.
  if (unpenalized_distance_ > 0 && unpenalized_distance_ >= largest_ * wanted()) {
    const double before = lambda_;
    lambda_ = unpenalized_distance_ / wanted();
    return opening || lambda_ != before;
  }
  if (!opening) {
    const double off = known_[lambda_] - wanted();
    if (largest_ == 0 || std::abs(off) <= kTargetTol * wanted()) return false;
    if (off < 0 && lambda_ <= kMinMultiplier * largest_) return false;
    if ((off > 0) != (one_sided_ > 0)) one_sided_ = 0;
    one_sided_ += off > 0 ? 1 : -1;
  }
  // The smallest lambda whose measure is too small, and the next one below it.
  Known high = known_.begin();
  while (high != known_.end() && high->second > wanted()) ++high;
  if (high == known_.end()) --high;
  if (high == known_.begin()) {
    const bool bound = high->first > kMinMultiplier * largest_;
    const double before = lambda_;
    if (!bound || largest_ == 0)
      lambda_ = high->first;
    else if (high->first <= kSmallMultiplier * largest_ && has_one_minimum(problem, base_))
      lambda_ = 0;
    else
      lambda_ = beyond(high);
    return opening || lambda_ != before;
  }
  const Known low = std::prev(high);
  if (high->first - low->first <= kMinInterval * high->first) {
    const bool there = !opening && (lambda_ == high->first || lambda_ == low->first);
    if (!there) lambda_ = high->first;
    return !there;
  }
  lambda_ = between(low, high);
  return true;
}

// Extrapolates along the secant of the last two values, within limits.
double Constrain::beyond(Known high) const {
  const Known before = std::next(high);
  if (before == known_.end()) return 0.5 * high->first;
  const double x = position(high->first),
               rise = (high->second - before->second) / (x - position(before->first));
  const double lambda = position(x + (wanted() - high->second) / rise);
  if (!(lambda > kMaxDecrease * high->first)) return kMaxDecrease * high->first;
  return std::min(lambda, 0.7 * high->first);
}

// Regula falsi, which is exact on a linear piece; bisection after three iterations on the same side.
double Constrain::between(Known low, Known high) {
  double lambda = -1;
  if (std::abs(one_sided_) < 3 && (low->first > 0 || measure_ == Measure::norm)) {
    const double from = position(low->first), to = position(high->first);
    const double share = (low->second - wanted()) / (low->second - high->second);
    lambda = position(from + share * (to - from));
  } else {
    one_sided_ = 0;
  }
  if (lambda > low->first && lambda < high->first) return lambda;
  return low->first > 0 ? std::sqrt(low->first * high->first) : kMaxDecrease * high->first;
}

Solution Constrain::constrained(const Problem& problem, Solution solution) const {
  if (solution.status != Status::optimal) return solution;
  if (measure_ == Measure::distance) return at_distance(problem, std::move(solution));
  // The convex combination of two solutions with the same features satisfies both optimality conditions; scaling one
  // does not.
  const bool above = norm(solution) > target_;
  if (above && within_lambda_ < kInf && ((solution.w.array() != 0) || (within_.w.array() == 0)).all()) {
    Solution other = mixed(problem);
    if (other.status == Status::optimal) return other;
  }
  Solution found = within_norm(problem, std::move(solution));
  if (found.status == Status::optimal) return found;
  Solution other = mixed(problem);
  return other.status == Status::optimal ? other : found;
}

// Scales the weights to the bound if the norm depends on lambda too steeply to meet it in double precision. Returns
// the loss. O(nd).
double Constrain::take_back(const Problem& problem, double share, Solution& solution) const {
  for (Index j = 0; j < base_.l1.size(); ++j)
    if (base_.l1[j] > 0) solution.w.row(j) *= share;
  return loss_of(problem, solution);
}

// Returns the convex combination of the two sides that meets the bound if the norm jumps, as between nearly collinear
// columns; each side has its own proof. O(nd).
Solution Constrain::mixed(const Problem& problem) const {
  Solution s = within_;
  s.status = Status::limit;
  if (measure_ != Measure::norm || within_lambda_ == kInf || !(beyond_lambda_ > kMinMultiplier * largest_))
    return s;
  const double less = norm(within_), more = norm(beyond_), t = (target_ - less) / (more - less);
  s.w = (1 - t) * within_.w + t * beyond_.w;
  s.b = (1 - t) * within_.b + t * beyond_.b;
  s.dual = (1 - t) * within_.dual + t * beyond_.dual;
  Certificate& c = s.certificate;
  c.kkt = std::max(c.kkt, beyond_.certificate.kkt);
  const double dual = std::max(within_.certificate.dual - within_lambda_ * target_,
                               beyond_.certificate.dual - beyond_lambda_ * target_);
  grade(c, loss_of(problem, s), std::max(0.0, dual), problem);
  if (c.holds(kProof)) s.status = Status::optimal;
  return s;
}

// Certifies by the dual of the constraint at lambda, the minimum of loss + lambda (norm - target). Losses are
// nonnegative, and a norm whose bound is not active is assumed to be at most kReach times the norm found.
Solution Constrain::within_norm(const Problem& problem, Solution solution) const {
  Certificate& c = solution.certificate;
  const double norm = this->norm(solution);
  const bool binds = lambda_ > kMinMultiplier * largest_;
  const double bound = binds ? target_ : std::min(target_, kReach * norm);
  const double dual = std::min(c.primal, c.dual) - lambda_ * bound;
  double primal = c.primal - lambda_ * norm;
  if (norm > target_ && norm <= target_ * (1 + kProof)) primal = take_back(problem, target_ / norm, solution);
  if (binds && target_ > 0 && !fell_back_) c.kkt = std::max(c.kkt, std::abs(norm / target_ - 1));
  grade(c, primal, std::max(0.0, dual), problem);
  if (norm > target_ * (1 + kProof) || !c.holds(kProof)) {
    solution.status = Status::limit;
    solution.note = "The search for the multiplier of the norm ended before the bound was met for certain.";
  }
  return solution;
}

// With labels scaled by k = target / (2 lambda), the multiplier nu of the distance of the class means is 2 (k - 1) /
// S, where S is the sum of 1 / weight of both classes, and the dual value is 2 (k^2 dual - S nu^2 / 2).
Solution Constrain::at_distance(const Problem& problem, Solution solution) const {
  Certificate& c = solution.certificate;
  if (largest_ == 0 && unpenalized_distance_ == 0) {
    solution.status = Status::infeasible;
    solution.note = "The class means do not differ in any feature.";
    return solution;
  }
  const double stretch = target_ / (2 * lambda_);
  solution.w *= stretch;
  solution.dual *= stretch;
  const Vec less_b = problem.x->times(solution.w.col(0));
  const ClassMeans means(problem, less_b);
  solution.b[0] = -0.5 * (means.mean[0] + means.mean[1]);
  const Vec xi = less_b.array() + solution.b[0] - problem.y.col(0).array();
  const double spread = 1 / means.weight[0] + 1 / means.weight[1], nu = 2 * (stretch - 1) / spread;
  const double primal = problem.cost.dot(xi.cwiseAbs2()) + target_ * norm(solution);
  c.kkt = std::max(c.kkt, std::abs(means.distance() / 2 - 1));
  grade(c, primal, 2 * stretch * stretch * c.dual - spread * nu * nu, problem);
  if (!c.holds(kProof)) {
    solution.status = Status::limit;
    solution.note = "The search for the distance of the class means ended before it was met for certain.";
  }
  return solution;
}

}  // namespace zeronorm

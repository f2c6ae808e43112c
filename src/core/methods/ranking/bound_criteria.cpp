#include "methods/ranking/bound_criteria.h"

#include <cmath>

#include "base/indices.h"
#include "data/design.h"
#include "loop/minimise.h"
#include "problem/free_columns.h"

namespace zeronorm {
namespace {

// The ridge that replaces a hard margin, as a fraction of the mean squared distance from the mean.
constexpr double kRidgeShare = 0.1;

// Returns whether column j has a ridge and has not been eliminated.
bool penalized(const Surrogate& s, Index j) { return s.scale[j] > 0 && s.scale[j] < kInf; }

Vec indicator(const Surrogate& s, const IndexList& columns) {
  Vec theta(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) theta[k] = penalized(s, columns[k]);
  return theta;
}

}  // namespace

std::string BoundEngine::refuses(const Problem&, const Surrogate&) const {
  return named_ == "auto" || named_ == "dual" ? "" : "Bounds are found with the dual engine.";
}

void BoundEngine::setup(const Problem& problem) {
  problem_ = problem;
  weights_ = problem.cost;
  inverse_ = weights_.cwiseInverse();
  if (kernel_)
    points_ = matrix(*problem.x);
  else
    gram_.setup(problem.x);
  map_.reset();
  choose_svm();
}

void BoundEngine::choose_svm() {
  problem_.loss = ridge_ > 0 ? Loss::squared_hinge : Loss::hinge;
  problem_.cost = ridge_ > 0 ? Vec(weights_ / ridge_) : Vec(Vec::Constant(weights_.size(), kInf));
  engine_ = make_engine("dual");
  if (!kernel_) engine_->setup(problem_);
}

void BoundEngine::soften(const Mat& k) {
  const Vec mean = weights_ / weights_.sum();
  const double spread = mean.dot(k.diagonal()) - mean.dot(k * mean);
  ridge_ = spread > 1e-12 * k.diagonal().maxCoeff() ? kRidgeShare * spread : 1.0;
  choose_svm();
}

// Restricts the kernel map to the remaining columns once half of them have been eliminated.
void BoundEngine::narrow(const Surrogate& s) {
  IndexList left;
  for (Index j = 0; j < s.scale.size(); ++j)
    if (penalized(s, j)) left.push_back(j);
  if (map_ && 2 * left.size() > columns_.size()) return;
  columns_ = std::move(left);
  if (!kernel_) {
    map_ = linear_gram(problem_.x->subset(first(problem_.x->rows()), columns_));
    return;
  }
  Mat points(points_.rows(), columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k) points.col(k) = points_.col(columns_[k]);
  map_ = kernel_gram(form_, points);
}

Solution BoundEngine::solve_kernel(const Mat& k, const Limits& limits) const {
  Problem problem = problem_;
  problem.x = kernel_design(k);
  problem.quadratic = Quadratic::kernel;
  Surrogate surrogate;
  surrogate.l1 = Vec::Zero(k.rows());
  surrogate.scale = Vec::Constant(k.rows(), kInf);
  const auto engine = make_engine("dual");
  engine->setup(problem);
  return solve_certified(*engine, problem, surrogate, limits);
}

BoundEngine::Trained BoundEngine::train(const Surrogate& s, const Limits& limits) {
  Trained svm;
  svm.k = kernel_ ? map_->at(indicator(s, columns_), limits) : gram_.gram(s.scale, limits);
  if (limits.stop_now()) {
    svm.solution.status = Status::interrupted;
    return svm;
  }
  svm.solution = kernel_ ? solve_kernel(svm.k, limits) : solve_certified(*engine_, problem_, s, limits);
  if (svm.solution.status != Status::optimal) return svm;
  svm.v = svm.solution.dual.col(0).cwiseProduct(problem_.y.col(0));
  svm.f = equality_columns(*problem_.x, problem_.intercept, kernel_ ? IndexList() : free_columns(s));
  grade(svm, limits);
  return svm;
}

void BoundEngine::grade(Trained& m, const Limits& limits) {
  Mat k = m.k;
  k.diagonal() += ridge_ * inverse_;
  m.norm2 = 2 * m.v.cwiseAbs().sum() - m.v.dot(k * m.v);
  if (judge_ == FeatureScore::span) {
    m.span = std::make_unique<Span>(m.k, ridge_, weights_, m.f, problem_.y.col(0), m.v);
    m.bound = m.span->value();
  } else {
    m.radius2 = ball_.solve(k, m.k.diagonal().array() + ridge_, limits);
    m.bound = 4 * m.radius2 * m.norm2;
  }
  if (limits.stop_now())
    m.solution.status = Status::interrupted;
  else if (!std::isfinite(m.bound))
    m.solution.status = Status::numerical;
}

Solution BoundEngine::solve(const Surrogate& surrogate, const Limits& limits) {
  narrow(surrogate);
  Trained svm = train(surrogate, limits);
  const Status status = svm.solution.status;
  if (ridge_ == 0 && (status == Status::infeasible || status == Status::numerical)) {
    soften(svm.k);
    svm = train(surrogate, limits);
  }
  Solution& s = svm.solution;
  if (s.status != Status::optimal) return s;
  bound_ = svm.bound;
  s.importance = Vec::Zero(surrogate.scale.size());
  if (!units_.empty()) {
    s.status = weigh_by_retraining(surrogate, svm.bound, limits, s.importance);
    if (s.status == Status::infeasible) {  // Every unit is necessary for separation.
      soften(svm.k);
      return solve(surrogate, limits);
    }
    return s;
  }
  const Vec theta = indicator(surrogate, columns_);
  if (kernel_) map_->at(theta, limits);
  const Vec worth = order_ == 0 ? rises(svm, theta, limits) : slopes(svm, limits);
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (theta[k] > 0) s.importance[columns_[k]] = worth[k];
  if (limits.stop_now()) s.status = Status::interrupted;
  return s;
}

Vec BoundEngine::rises(const Trained& m, const Vec& theta, const Limits& limits) const {
  return judge_ == FeatureScore::span ? span_rises(m, theta, limits) : radius_rises(m, theta, limits);
}

// The centre of the ball and the multipliers are kept, so that weak duality bounds both factors from below: R^2 by
// sum_i b_i s_i - b'Kb and |w|^2 by 2 sum a - v'(K + D)v.
Vec BoundEngine::radius_rises(const Trained& m, const Vec& theta, const Limits& limits) const {
  const Vec less = map_->losses(ball_.beta, ball_.beta, theta, limits);
  const Vec more = -map_->losses(Vec::Zero(m.v.size()), m.v, theta, limits);
  Vec rise(theta.size());
  for (Index j = 0; j < rise.size(); ++j) {
    const bool none = m.radius2 <= less[j] || m.norm2 + more[j] <= 0;
    rise[j] = none ? -m.bound : 4 * (m.radius2 * more[j] - less[j] * m.norm2 - less[j] * more[j]);
  }
  return rise;
}

// The multipliers are scaled by their best factor without the feature, sum a / v'(K + D)v.
Vec BoundEngine::span_rises(const Trained& m, const Vec& theta, const Limits& limits) const {
  const IndexList& at = m.span->support();
  Vec rise(theta.size());
  if (kernel_) {
    for (Index j = 0; j < rise.size() && !limits.stop_now(); ++j)
      rise[j] = theta[j] > 0 ? m.span->with(map_->without(j, theta)) : 0.0;
  } else {
    const Mat u = matrix(*problem_.x->subset(at, columns_));
    rise = m.span->losing(u * theta.asDiagonal());
  }
  const double sum = m.v.cwiseAbs().sum();
  const double squares = m.v.dot(m.k * m.v) + ridge_ * m.v.cwiseAbs2().dot(inverse_);
  const Vec less = -map_->losses(Vec::Zero(m.v.size()), m.v, theta, limits);
  for (Index j = 0; j < rise.size(); ++j) {
    const double left = squares - less[j];
    rise[j] = left > 1e-12 * squares ? rise[j] * sum / left - m.bound : squares > 0 ? kInf : 0.0;
  }
  return rise;
}

// Returns |d bound / d sigma_j| at sigma = 1, where theta = sigma^2.
Vec BoundEngine::slopes(const Trained& m, const Limits& limits) const {
  Vec slope;
  if (judge_ == FeatureScore::span) {
    if (m.span->support().empty()) return Vec::Zero(columns_.size());
    slope = map_->slopes(m.span->slopes().weight, m.span->support(), limits);
  } else {
    slope = 4 * (m.norm2 * map_->slopes(ball_.beta, ball_.beta, limits) +
                 m.radius2 * map_->slopes(Vec::Zero(m.v.size()), m.v, limits));
  }
  return 2 * slope.cwiseAbs();
}

// The importance is infinite if the remaining features do not separate the classes. If this is so for every unit, the
// status is infeasible.
Status BoundEngine::weigh_by_retraining(const Surrogate& surrogate, double bound, const Limits& limits,
                                        Vec& importance) {
  bool any = false, spared = false;
  for (const IndexList& all : units_) {
    IndexList unit;
    Surrogate without = surrogate;
    for (Index j : all)
      if (penalized(surrogate, j)) unit.push_back(j);
    if (unit.empty()) continue;
    any = true;
    for (Index j : unit) without.scale[j] = without.l1[j] = 0;
    const Trained rest = train(without, limits);
    const bool needed = rest.solution.status == Status::infeasible && ridge_ == 0;
    if (!needed && rest.solution.status != Status::optimal) return rest.solution.status;
    spared = spared || !needed;
    const double rise = needed ? kInf : rest.bound - bound;
    for (Index j : unit) importance[j] = rise / static_cast<double>(unit.size());
  }
  return any && !spared ? Status::infeasible : Status::optimal;
}

}  // namespace zeronorm

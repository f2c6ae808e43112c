#include "engines/parts/push_qp.h"

#include <algorithm>
#include <cmath>

#include "base/line_search.h"
#include "engines/parts/project_multipliers.h"

namespace zeronorm {
namespace {

// The relative spacing of doubles.
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Largest number of Newton steps in one call.
constexpr long kMaxSteps = 2000;
// Largest number of proximal iterations.
constexpr int kMaxIterations = 200;
// Newton steps of one iteration after which delta counts as too small.
constexpr int kMaxNewtonSteps = 40;
// Value of delta in the first iteration.
constexpr double kFirstDelta = 1e-2;
// Factor on delta after an iteration.
constexpr double kDeltaFactor = 0.3;
// Factor on delta after an iteration of at most three steps.
constexpr double kFastDeltaFactor = 0.1;
// Smallest product of delta and the largest multiplier; below it, rounding dominates.
constexpr double kLeastDelta = 1e-6;
// Value of delta in exact solves, which are refined.
constexpr double kExactDelta = 1e-7;
// Largest cost at which a path of increasing costs begins.
constexpr double kFirstMaxCost = 300;
// Factor between the costs on this path.
constexpr double kCostFactor = 10;
// Largest Newton step of theta, relative to the size of theta.
constexpr double kMaxThetaStep = 100;
// Multipliers below this value are rounding errors if the unpenalised columns alone meet the margins.
constexpr double kNegligibleMultiplier = 1e-6;
// Violations below this value are rounding errors.
constexpr double kRoundingViolation = 1e-10;
// Largest r'K r, relative to r'r, at which r counts as a ray.
constexpr double kRayTol = 1e-14;

}  // namespace

// --- factors ---

// Inverts K + delta on the samples of one class. O(|R_k|^3).
bool WestonWatkinsFactor::invert(const Mat& k, const Mat& f, double delta, Block& b) {
  const Index m = Index(b.rows.size());
  Mat a(m, m), part(m, f.cols());
  for (Index c = 0; c < m; ++c) {
    const double* column = k.col(b.rows[std::size_t(c)]).data();
    for (Index r = 0; r < m; ++r) a(r, c) = column[b.rows[std::size_t(r)]];
    a(c, c) += delta;
    part.row(c) = f.row(b.rows[std::size_t(c)]);
  }
  const Eigen::LLT<Mat> factor(a);
  if (factor.info() != Eigen::Success) return false;
  b.inverse = factor.solve(Mat::Identity(m, m));
  b.g = b.inverse * part;
  b.fg = part.transpose() * b.g;
  return true;
}

// Eliminates the multipliers class by class, then the levels of the samples. This leaves the equations of turn, in
// which a change common to all classes has no effect.
bool WestonWatkinsFactor::compute(const Mat& k, const Mat& f, const Marks& free, double delta,
                                  double epsilon) {
  free_ = free;
  f_ = f;
  epsilon_ = epsilon;
  const Index p = f.cols(), q = free.cols();
  place_.assign(std::size_t(free.rows()), -1);
  active_ = 0;
  for (Index i = 0; i < free.rows(); ++i)
    if (free.row(i).any()) place_[std::size_t(i)] = active_++;
  blocks_.assign(std::size_t(q), Block());
  Mat s = Mat::Zero(active_, active_), g = Mat::Zero(active_, p * q), t = Mat::Zero(p * q, p * q);
  for (Index l = 0; l < q; ++l) {
    Block& b = blocks_[std::size_t(l)];
    for (Index i = 0; i < free.rows(); ++i)
      if (free(i, l)) b.rows.push_back(i);
    if (!invert(k, f, delta, b)) return false;
    for (Index c = 0; c < b.inverse.cols(); ++c) {
      for (Index r = c; r < b.inverse.rows(); ++r) s(place(b, r), place(b, c)) += b.inverse(r, c);
      g.block(place(b, c), p * l, 1, p) = b.g.row(c);
    }
    t.block(p * l, p * l, p, p) = b.fg;
  }
  schur_.compute(s);
  if (schur_.info() != Eigen::Success) return false;
  if (p == 0) return true;
  coupling_ = schur_.solve(g);
  t.noalias() -= g.transpose() * coupling_;
  const double common = std::max(t.diagonal().maxCoeff(), epsilon) / double(q);
  for (Index l = 0; l < q; ++l)
    for (Index o = 0; o < q; ++o) t.block(p * l, p * o, p, p).diagonal().array() += common;
  t.diagonal().array() += epsilon;
  border_.compute(t);
  return true;
}

void WestonWatkinsFactor::solve(const Mat& r, const Mat& imbalance) {
  d = Mat::Zero(free_.rows(), free_.cols());
  turn = Mat::Zero(f_.cols(), free_.cols());
  // The mean of the right-hand side over the free multipliers of a sample belongs to its level.
  Mat apart = r;
  for (Index i = 0; i < r.rows(); ++i) {
    double sum = 0, count = 0;
    for (Index k = 0; k < r.cols(); ++k)
      if (free_(i, k)) sum += r(i, k), count += 1;
    if (count > 0) apart.row(i).array() -= sum / count;
  }
  add_solution(apart, Vec::Zero(active_), imbalance);
  for (int round = 0; round < 2; ++round) {
    Vec excess(active_);
    for (Index i = 0; i < d.rows(); ++i)
      if (place_[std::size_t(i)] >= 0) excess[place_[std::size_t(i)]] = -d.row(i).sum();
    add_solution(Mat::Zero(d.rows(), d.cols()), excess, imbalance - f_.transpose() * d + epsilon_ * turn);
  }
}

// Adds to d and turn the solution for which the multipliers of each sample sum to excess.
void WestonWatkinsFactor::add_solution(const Mat& r, const Vec& excess, const Mat& imbalance) {
  const Index p = f_.cols(), q = free_.cols();
  Vec sum = -excess, right(p * q);
  std::vector<Vec> step;
  // Eigen's products bind references to the data of their operands, which empty factors do not have.
  const auto onto_free = [&](const Block& b, const Vec& part) {
    return p > 0 && part.size() > 0 ? Vec(b.g.transpose() * part) : Vec(Vec::Zero(p));
  };
  for (Index l = 0; l < q; ++l) {
    const Block& b = blocks_[std::size_t(l)];
    Vec part(b.inverse.rows());
    for (Index c = 0; c < part.size(); ++c) part[c] = r(b.rows[std::size_t(c)], l);
    step.push_back(part.size() > 0 ? Vec(b.inverse * part) : part);
    for (Index c = 0; c < part.size(); ++c) sum[place(b, c)] += step.back()[c];
    right.segment(p * l, p) = onto_free(b, part) - imbalance.col(l);
  }
  Vec level = -schur_.solve(sum);
  const auto levels = [&](const Block& b) {
    Vec part(b.inverse.rows());
    for (Index c = 0; c < part.size(); ++c) part[c] = level[place(b, c)];
    return part;
  };
  Mat change = Mat::Zero(p, q);
  if (p > 0) {
    for (Index l = 0; l < q; ++l)
      right.segment(p * l, p) += onto_free(blocks_[std::size_t(l)], levels(blocks_[std::size_t(l)]));
    const Vec flat = border_.solve(right);
    if (level.size() > 0) level += coupling_ * flat;
    change = Eigen::Map<const Mat>(flat.data(), p, q);
  }
  turn += change;
  for (Index l = 0; l < q; ++l) {
    const Block& b = blocks_[std::size_t(l)];
    Vec part = step[std::size_t(l)];
    if (part.size() == 0) continue;
    part += b.inverse * levels(b);
    if (p > 0) part -= b.g * change.col(l);
    for (Index c = 0; c < part.size(); ++c) d(b.rows[std::size_t(c)], l) += part[c];
  }
}

// --- proximal iterations ---

void WestonWatkinsDual::setup(const Mat& y, const Vec& cost) {
  cost_ = cost;
  own_.assign(std::size_t(y.rows()), 0);
  for (Index i = 0; i < y.rows(); ++i) y.row(i).maxCoeff(&own_[std::size_t(i)]);
  beta = Mat::Zero(y.rows(), y.cols());
  theta.resize(0, y.cols());
}

WestonWatkinsDual::Outcome WestonWatkinsDual::solve(const Mat& k, const Mat& equalities,
                                                    const Limits& limits) {
  take(k, equalities);
  warm_start();
  tol_ = limits.tol;
  const long most = limits.iterations > 0 ? limits.iterations : kMaxSteps;
  double shrink = kDeltaFactor;
  State best;
  steps = 0;
  Outcome outcome = still_optimal() ? Outcome::optimal : Outcome::limit;
  for (int round = 0; round < kMaxIterations && steps < most && outcome == Outcome::limit; ++round) {
    const long before = steps;
    const bool converged = minimise_smooth(limits);
    if (limits.stop_now()) return Outcome::interrupted;
    if (!converged) {
      theta_ = theta_anchor_;
      shrink = std::sqrt(shrink);
      near(std::min(1.0, 4 * delta_));
      continue;
    }
    const Mat moved = m_ - anchor_;
    values_.noalias() = k_ * m_;
    forget_rounding();
    const State now = state();
    if (cap_ == full_cap_ && now.gap < best.gap) best = now;
    const bool optimal = now.gap <= tolerance() || (now.gap <= 0.1 && polish());
    if (optimal ? raise_caps() : found_ray(moved))
      outcome = optimal ? Outcome::optimal : Outcome::ray;
    else if (!optimal && round > 0 && steps == before)
      break;  // Only rounding errors are left.
    else if (!optimal)
      near(std::max(kLeastDelta / largest_multiplier(),
                    delta_ * (steps - before <= 3 && shrink == kDeltaFactor ? kFastDeltaFactor : shrink)));
    anchor_ = m_;
    theta_anchor_ = theta_;
  }
  if (outcome == Outcome::limit && best.gap < kInf) {
    restore(best);
    factor_.compute(k_, f_, free_, kExactDelta, kExactDelta);
  }
  finish();
  return outcome;
}

void WestonWatkinsDual::take(const Mat& k, const Mat& equalities) {
  double sum = 0, rows = 0;
  for (Index i = 0; i < samples(); ++i)
    if (cost_[i] > 0) sum += k(i, i), rows += 1;
  unit_ = sum > 0 ? sum / rows : 1.0;
  k_ = k / unit_;
  full_cap_ = cost_ * unit_;
  cap_ = hard() ? full_cap_ : Vec(full_cap_.cwiseMin(kFirstMaxCost));
  f_scale_ = (equalities.colwise().squaredNorm() / double(std::max<Index>(1, samples()))).cwiseSqrt();
  for (Index e = 0; e < f_scale_.size(); ++e)
    if (!(f_scale_[e] > 0)) f_scale_[e] = 1;
  f_ = equalities * f_scale_.cwiseInverse().asDiagonal();
}

void WestonWatkinsDual::warm_start() {
  const bool same = theta.rows() == f_.cols();
  m_ = unit_ * beta;
  values_.noalias() = k_ * m_;
  const double square = m_.cwiseProduct(values_).sum(), linear = m_.cwiseMax(0.0).sum();
  m_ *= square > 0 ? 2 * linear / square : 0.0;
  clip(m_);
  theta_ = same ? Mat(f_scale_.asDiagonal() * theta) : Mat::Zero(f_.cols(), classes());
  anchor_ = m_;
  theta_anchor_ = theta_;
  values_.noalias() = k_ * m_;
  free_.setConstant(samples(), classes(), false);
  tried_.resize(0, 0);
  near(kFirstDelta);
}

WestonWatkinsDual::State WestonWatkinsDual::state() const {
  return {m_, theta_, values_, cap_, free_, gap(decision())};
}

void WestonWatkinsDual::restore(const State& s) {
  m_ = s.m;
  theta_ = s.theta;
  values_ = s.values;
  cap_ = s.cap;
  free_ = s.free;
}

// Returns the tolerance that the rounding of the decision values allows.
double WestonWatkinsDual::tolerance() const { return std::max(tol_, std::min(10 * noise(), kProof)); }

void WestonWatkinsDual::finish() {
  beta = m_ / unit_;
  theta = f_scale_.cwiseInverse().asDiagonal() * theta_;
}

// Returns whether the last multipliers, with the same ones at their bounds, are still optimal after a small change of
// costs or scales.
bool WestonWatkinsDual::still_optimal() {
  if (beta.isZero(0.0)) return false;
  const Vec caps = cap_;
  cap_ = full_cap_;
  const State before = state();
  m_ = unit_ * beta;
  for (Index i = 0; i < samples(); ++i) {
    for (Index k = 0; k < classes(); ++k) {
      const bool at_cap = m_(i, k) <= -(1 - 1e-12) * cap_[i];
      if (at_cap) m_(i, k) = -cap_[i];
      free_(i, k) = k != own(i) && m_(i, k) < 0 && !at_cap;
    }
    free_(i, own(i)) = free_.row(i).any();
  }
  clip(m_);
  values_.noalias() = k_ * m_;
  if (polish()) return true;
  restore(before);
  cap_ = caps;
  return false;
}

void WestonWatkinsDual::near(double delta) { delta_ = epsilon_ = delta; }

// Returns a damping that limits a Newton step of theta to its own size; it grows with the imbalance of the
// multipliers.
double WestonWatkinsDual::damping(const Mat& imbalance) const {
  if (imbalance.size() == 0) return epsilon_;
  return epsilon_ + imbalance.cwiseAbs().maxCoeff() / (kMaxThetaStep * (1 + theta_.cwiseAbs().maxCoeff()));
}

// Projects the multipliers of one sample and marks those between their bounds. O(k) for each of a few steps.
void WestonWatkinsDual::project_sample(Index i, Vec& q, Mat& m) {
  const Index mine = own(i);
  const double cap = cap_[i];
  project_on_multipliers(q.data(), classes(), mine, cap);
  m.row(i) = q.transpose();
  for (Index k = 0; k < classes(); ++k) free_(i, k) = k != mine && q[k] < 0 && q[k] > -cap;
  free_(i, mine) = free_.row(i).any();
}

// Returns the multipliers that minimise the proximal problem at given decision values: anchor + (2 e_own - decision)
// / delta, projected on P_i. O(nk).
Mat WestonWatkinsDual::project(const Mat& decision) {
  Mat m = Mat::Zero(samples(), classes());
  free_.setConstant(samples(), classes(), false);
  Vec q(classes());
  for (Index i = 0; i < samples(); ++i) {
    if (cap_[i] == 0) continue;
    for (Index k = 0; k < classes(); ++k) q[k] = anchor_(i, k) - decision(i, k) / delta_;
    q[own(i)] += 2 / delta_;
    project_sample(i, q, m);
  }
  return m;
}

// Takes Newton steps on the smooth dual of the proximal problem; returns false if it takes too many.
bool WestonWatkinsDual::minimise_smooth(const Limits& limits) {
  carrier_ = anchor_;
  carried_.noalias() = k_ * carrier_;
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const Mat decision = carried_ + f_ * theta_;
    m_ = project(decision);
    const Mat imbalance = epsilon_ * (theta_ - theta_anchor_) - f_.transpose() * m_;
    const double rounding = noise() / delta_ * std::sqrt(double(free_.count()));
    const double close = 1e-3 * (m_ - anchor_).norm() + rounding + kEps * m_.norm();
    if ((m_ - carrier_).norm() <= close && imbalance.norm() <= close) {
      m_ = carrier_;  // Rounding errors of the decision values are not magnified in it.
      clip(m_);
      return true;
    }
    if (limits.stop_now() || !factor_.compute(k_, f_, free_, delta_, damping(imbalance))) return false;
    ++steps;
    values_.noalias() = k_ * m_;
    factor_.solve(carried_ - values_, imbalance);
    d_carrier_ = m_ + factor_.d - carrier_;
    d_theta_ = factor_.turn;
    d_carried_.noalias() = k_ * d_carrier_;
    d_decision_ = d_carried_ + f_ * d_theta_;
    const double s = search(decision);
    carrier_ += s * d_carrier_;
    carried_ += s * d_carried_;
    theta_ += s * d_theta_;
  }
  return false;
}

// Returns the derivative of the smooth function along the step. O(nk).
double WestonWatkinsDual::slope_at(double s, const Mat& decision) {
  const Mat m = project(decision + s * d_decision_);
  return d_carried_.cwiseProduct(carrier_ + s * d_carrier_).sum() - m.cwiseProduct(d_decision_).sum() +
         epsilon_ * d_theta_.cwiseProduct(theta_ + s * d_theta_ - theta_anchor_).sum();
}

// Returns the length of the step: one, or the point before it where the derivative nearly vanishes.
double WestonWatkinsDual::search(const Mat& decision) {
  const double start = slope_at(0, decision), end = slope_at(1, decision);
  if (end <= 1e-3 * std::abs(start)) return 1;
  const auto slope = [&](double s) { return slope_at(s, decision); };
  return flat_point(slope, 0, start, 1, end, 0.03 * std::abs(start));
}

// --- exact solution ---

// Returns the residuals of the equations decision_i,own - decision_ik = 2, up to levels.
Mat WestonWatkinsDual::residual(const Mat& decision) const {
  Mat r = -decision;
  for (Index i = 0; i < samples(); ++i) r(i, own(i)) += 2;
  return r;
}

// Clips the multipliers to their bounds. O(nk).
void WestonWatkinsDual::clip(Mat& m) const {
  for (Index i = 0; i < samples(); ++i) {
    for (Index k = 0; k < classes(); ++k)
      m(i, k) = k == own(i) ? 0.0 : std::min(0.0, std::max(-cap_[i], m(i, k)));
    m(i, own(i)) = -m.row(i).sum();
  }
}

// Solves for the multipliers between their bounds without proximal terms. Returns false, and changes nothing, if this
// does not reach the tolerance.
bool WestonWatkinsDual::polish() {
  if (tried_.size() == free_.size() && (tried_ == free_).all()) return false;
  tried_ = free_;
  if (!factor_.compute(k_, f_, free_, kExactDelta, kExactDelta)) return false;
  const State before = state();
  solve_exactly();
  if (gap(decision()) <= tolerance()) return true;
  restore(before);
  return false;
}

// If the unpenalised columns alone meet the margins, the multipliers are rounding errors, and scaling theta costs
// nothing.
void WestonWatkinsDual::forget_rounding() {
  if (m_.cwiseAbs().maxCoeff() > kNegligibleMultiplier) return;
  const State before = state();
  m_.setZero();
  values_.setZero();
  const double worst = worst_slack(decision());
  if (worst < 0.1) theta_ *= 2 / (2 - std::max(0.0, worst)) * (1 + 4 * kEps);
  if (worst_slack(decision()) > kRoundingViolation) restore(before);
}

double WestonWatkinsDual::worst_slack(const Mat& decision) const {
  double worst = -kInf;
  for (Index i = 0; i < samples(); ++i)
    for (Index k = 0; k < classes() && cap_[i] > 0; ++k)
      if (k != own(i)) worst = std::max(worst, 2 - decision(i, own(i)) + decision(i, k));
  return worst;
}

void WestonWatkinsDual::solve_exactly() {
  for (int round = 0; round < 5; ++round) {
    factor_.solve(residual(decision()), -(f_.transpose() * m_));
    m_ += factor_.d;
    theta_ += factor_.turn;
    clip(m_);
    values_.noalias() = k_ * m_;
    if (factor_.d.norm() <= 1e-14 * m_.norm()) return;
  }
}

double WestonWatkinsDual::gap(const Mat& decision) const {
  double over = 0, under = 0, value = 0, floor = 1e-300;
  for (Index i = 0; i < samples(); ++i) {
    if (cap_[i] == 0) continue;
    if (cap_[i] < kInf) floor += 1e-4 * cap_[i];
    for (Index k = 0; k < classes(); ++k) {
      if (k == own(i)) continue;
      const double slack = 2 - decision(i, own(i)) + decision(i, k), a = -m_(i, k);
      value += 2 * a;
      if (slack < 0) under -= a * slack;
      if (slack > 0 && cap_[i] < kInf) over += (cap_[i] - a) * slack;
    }
  }
  value -= 0.5 * m_.cwiseProduct(values_).sum();
  const double size = std::max(std::abs(value), floor);
  const double reach = theta_.size() ? std::max(1.0, theta_.cwiseAbs().maxCoeff()) : 0.0;
  const double worst = std::max(0.0, worst_slack(decision));
  const double rest = (under + (f_.transpose() * m_).cwiseAbs().sum() * reach) / size;
  if (hard()) return rest + worst;
  return rest + (worst <= kRoundingViolation ? std::min(worst, over / size) : over / size);
}

// --- large costs ---

bool WestonWatkinsDual::reaches_caps() const {
  for (Index i = 0; i < samples(); ++i)
    if (cap_[i] < full_cap_[i] && m_.row(i).minCoeff() <= -cap_[i]) return true;
  return false;
}

// Moves from the optimum at lower costs to the full costs, at once if the same multipliers stay between their bounds.
// Returns false if another iteration is needed.
bool WestonWatkinsDual::raise_caps() {
  while (cap_ != full_cap_) {
    if (!reaches_caps()) {
      cap_ = full_cap_;
      return true;
    }
    const Vec next = full_cap_.cwiseMin(kCostFactor * cap_.maxCoeff());
    if (jump(full_cap_) || jump(next)) continue;
    cap_ = next;
    near(1 / cap_.maxCoeff());
    return false;
  }
  return true;
}

bool WestonWatkinsDual::jump(const Vec& caps) {
  const State before = state();
  for (Index i = 0; i < samples(); ++i)
    for (Index k = 0; k < classes(); ++k)
      if (k != own(i) && m_(i, k) <= -cap_[i]) m_(i, k) = -caps[i];
  cap_ = caps;
  clip(m_);
  values_.noalias() = k_ * m_;
  tried_.resize(0, 0);
  if (polish()) return true;
  restore(before);
  return false;
}

// --- rays ---

// Returns whether hard margins cannot be met: the multipliers then diverge along a direction that increases the dual
// value and on which K vanishes. The approximate direction is solved for on its own nonzero entries.
bool WestonWatkinsDual::found_ray(const Mat& moved) {
  if (!hard()) return false;
  ray = moved;
  clip(ray);
  const double square = ray.squaredNorm();
  if (!(square > 0) || ray.cwiseProduct(k_ * ray).sum() > 1e-6 * square) return false;
  return sharpen_ray(k_);
}

bool WestonWatkinsDual::sharpen_ray(const Mat& k) {
  ray /= ray.norm();
  WestonWatkinsFactor::Marks on = ray.array() < -1e-9;
  for (Index i = 0; i < samples(); ++i) on(i, own(i)) = on.row(i).any();
  if (!factor_.compute(k, f_, on, kExactDelta, kExactDelta)) return false;
  ray = on.select(ray, 0.0);
  clip(ray);
  for (int round = 0; round < 4; ++round) {
    factor_.solve(-(k * ray), -(f_.transpose() * ray));
    ray += factor_.d;
    clip(ray);
  }
  if (ray.norm() < 0.1 || (f_.transpose() * ray).norm() > 1e-10) return false;
  return ray.cwiseProduct(k * ray).sum() <= kRayTol * ray.squaredNorm();
}

// --- rounding ---

double WestonWatkinsDual::noise() const {
  const Vec root = k_.diagonal().cwiseMax(0.0).cwiseSqrt();
  const double reach = theta_.size() ? (f_ * theta_).cwiseAbs().maxCoeff() : 0.0;
  return 4 * kEps * (2 + reach + root.maxCoeff() * root.dot(m_.cwiseAbs().rowwise().sum()));
}

Mat WestonWatkinsDual::refine(const Mat& exact) {
  factor_.solve(residual(exact + f_ * theta_), -(f_.transpose() * m_));
  theta_ += factor_.turn;
  m_ += factor_.d;
  finish();
  return factor_.d / unit_;
}

}  // namespace zeronorm

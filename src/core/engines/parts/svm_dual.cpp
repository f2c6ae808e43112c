#include "engines/parts/svm_dual.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/simd.h"

namespace zeronorm {
namespace {

// The relative spacing of doubles.
constexpr double kEps = std::numeric_limits<double>::epsilon();
// With fewer rows the active-set method alone is as fast as with a start by sequential minimal optimisation.
constexpr Index kMinRowsForSmo = 150;

}  // namespace

void BasisFactor::clear(Index equalities, Index most) {
  rows.clear();
  most_ = most;
  g_.resize(u_.cols(), equalities);
}

void BasisFactor::solve_lower(Eigen::Ref<Vec> v) const {
  u_.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().transpose().solveInPlace(v);
}

void BasisFactor::solve_upper(Eigen::Ref<Vec> v) const {
  u_.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().solveInPlace(v);
}

void BasisFactor::append(Index p, const Eigen::Ref<const Vec>& l, double pivot, const Vec& f_row) {
  const Index m = size();
  if (m == u_.cols()) grow();
  u_.col(m).head(m) = l;
  u_(m, m) = pivot;
  if (g_.cols() > 0) g_.row(m) = (f_row - g().transpose() * l).transpose() / pivot;
  rows.push_back(p);
}

void BasisFactor::remove(Index at, Eigen::Ref<Vec> l) {
  const Index m = size();
  cos_.resize(m);
  sin_.resize(m);
  for (Index c = at; c + 1 < m; ++c) {
    double* to = u_.col(c).data();
    const double* from = u_.col(c + 1).data();
    std::copy(from, from + at, to);
    double top = from[at];
    for (Index j = at; j < c; ++j) {
      to[j] = cos_[j] * top + sin_[j] * from[j + 1];
      top = cos_[j] * from[j + 1] - sin_[j] * top;
    }
    const double length = std::hypot(top, from[c + 1]);
    cos_[c] = top / length;
    sin_[c] = from[c + 1] / length;
    to[c] = length;
    turn(l[c], l[c + 1], c);
    for (Index e = 0; e < g_.cols(); ++e) turn(g_(c, e), g_(c + 1, e), c);
  }
  rows.erase(rows.begin() + at);
}

void BasisFactor::turn(double& a, double& b, Index j) const {
  const double first = cos_[j] * a + sin_[j] * b;
  b = cos_[j] * b - sin_[j] * a;
  a = first;
}

void BasisFactor::grow() {
  const Index old = u_.cols(), room = std::min(most_, std::max<Index>(32, 2 * old));
  Mat u(room, room);  // Only its upper triangle is ever used.
  for (Index c = 0; c < old; ++c) u.col(c).head(c + 1) = u_.col(c).head(c + 1);
  u_.swap(u);
  g_.conservativeResize(room, g_.cols());
}

void BoxQp::setup(const Vec& y, const Vec& margin, const Vec& cost, Loss loss) {
  const Index n = y.size();
  const bool soft = loss == Loss::squared_hinge;
  target_ = y.cwiseProduct(margin);
  margins_ = true;
  d_ = lo_ = hi_ = beta = Vec::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double bound = cost[i] == 0 ? 0.0 : soft ? kInf : cost[i];
    if (soft && cost[i] > 0) d_[i] = 1.0 / cost[i];
    (y[i] > 0 ? hi_[i] : lo_[i]) = y[i] * bound;
  }
}

void BoxQp::setup(const Vec& linear, const Vec& lower, const Vec& upper) {
  target_ = linear;
  lo_ = lower;
  hi_ = upper;
  d_ = beta = Vec::Zero(linear.size());
  margins_ = false;
}

BoxQp::Outcome BoxQp::solve(const Mat& k, const Mat& equalities, const Limits& limits) {
  k_ = &k;
  limits_ = &limits;
  steps = 0;
  take_equalities(equalities);
  diag_ = k.diagonal() + d_;
  const double mean = diag_.mean();
  rho_ = mean > 0 ? mean : 1.0;
  root_ = (diag_ + rho_ * f_.rowwise().squaredNorm()).cwiseSqrt();
  refresh_values();
  forget_runaway();
  if (constant_ && target_.size() > kMinRowsForSmo && beta.isZero(0.0)) {
    if (!crash()) return Outcome::interrupted;
    forget_runaway();
  }
  choose_basis();
  restore();
  return iterate();
}

Vec BoxQp::coefficients() const {
  Vec out = Vec::Zero(f_scale_.size());
  for (std::size_t e = 0; e < kept_.size(); ++e) out[kept_[e]] = theta[e] / f_scale_[kept_[e]];
  return out;
}

double BoxQp::noise() const { return 4 * kEps * root_.maxCoeff() * root_.dot(beta.cwiseAbs()); }

Vec BoxQp::refine(const Vec& exact) {
  set_values(exact);
  Vec r(factor_.size());
  for (Index c = 0; c < r.size(); ++c) r[c] = target_[factor_.rows[c]] - value_[factor_.rows[c]];
  solve_basis(r, -(f_.transpose() * beta));
  // A long step along a flat direction may reach a bound, and w must follow the multipliers.
  const double t = std::min(1.0, ratio_test(1.0, false, 1e-13 * largest_step()).t);
  advance(t);
  Vec delta = Vec::Zero(target_.size());
  for (Index c = 0; c < r.size(); ++c) delta[factor_.rows[c]] = t * step_[c];
  return delta;
}

void BoxQp::refine_ray(const Vec& exact) {
  Vec r(factor_.size());
  for (Index c = 0; c < r.size(); ++c) r[c] = -exact[factor_.rows[c]];
  solve_basis(r, -(f_.transpose() * ray));
  for (Index c = 0; c < r.size(); ++c) ray[factor_.rows[c]] += step_[c];
}

double BoxQp::residual(Index i) const {
  return target_[i] - value_[i] - (f_.cols() > 0 ? f_.row(i).dot(theta) : 0.0);
}

double BoxQp::violation(Index i, double r) const {
  return (r > 0 ? beta[i] < hi_[i] : beta[i] > lo_[i]) ? std::abs(r) : 0.0;
}

double BoxQp::q(Index i, Index j) const {
  double value = (*k_)(i, j);
  if (f_.cols() > 0) value += rho_ * f_.row(i).dot(f_.row(j));
  return i == j ? value + d_[i] : value;
}

// Adds (K + D) delta to value_, four columns at a time. O(n) each.
void BoxQp::add_values(const IndexList& at, const Vec& delta) {
  const Index n = target_.size(), m = static_cast<Index>(at.size());
  auto column = [&](Index c) { return k_->col(at[c]).data(); };
  Index c = 0;
  for (; c + 4 <= m; c += 4)
    simd::axpy4(delta.data() + c, column(c), column(c + 1), column(c + 2), column(c + 3), value_.data(), n);
  for (; c < m; ++c) simd::axpy(delta[c], column(c), value_.data(), n);
  for (c = 0; c < m; ++c) value_[at[c]] += d_[at[c]] * delta[c];
}

// Computes all values from beta. O(n * support vectors).
void BoxQp::refresh_values() {
  value_ = Vec::Zero(target_.size());
  touched_.clear();
  for (Index i = 0; i < target_.size(); ++i)
    if (beta[i] != 0) touched_.push_back(i);
  old_ = Vec::Zero(touched_.size());
  settle_values();
}

// Stores multipliers that are about to change, so that settle_values() can update the values. O(|R|), then O(n |R|).
void BoxQp::remember(Index p) {
  touched_ = factor_.rows;
  if (p >= 0) touched_.push_back(p);
  old_.resize(touched_.size());
  for (std::size_t c = 0; c < touched_.size(); ++c) old_[c] = beta[touched_[c]];
}

void BoxQp::settle_values() {
  Vec delta(touched_.size());
  for (std::size_t c = 0; c < touched_.size(); ++c) delta[c] = beta[touched_[c]] - old_[c];
  add_values(touched_, delta);
}

// Takes F and resets multipliers that no longer satisfy F'v = 0. O(n m^2).
void BoxQp::take_equalities(const Mat& given) {
  const Vec moves = (hi_ - lo_).array().sign();
  f_scale_ = (given.cwiseAbs2().transpose() * moves / std::max(1.0, moves.sum())).cwiseSqrt();
  for (Index e = 0; e < f_scale_.size(); ++e)
    if (!(f_scale_[e] > 0)) f_scale_[e] = 1;
  const Mat scaled = given * f_scale_.cwiseInverse().asDiagonal();
  const Vec balance = scaled.transpose() * beta;
  if (balance.size() > 0 && balance.cwiseAbs().maxCoeff() > 1e-10 * beta.cwiseAbs().sum()) beta.setZero();
  kept_ = eliminate(scaled);
  f_.resize(target_.size(), kept_.size());
  for (std::size_t e = 0; e < kept_.size(); ++e) f_.col(e) = scaled.col(kept_[e]);
  f_largest_ = f_.size() ? f_.cwiseAbs().maxCoeff() : 0.0;
  constant_ = f_.cols() == 0 || (f_.cols() == 1 && f_.minCoeff() == f_.maxCoeff());
  theta = Vec::Zero(f_.cols());
}

// Gaussian elimination on the rows that may move: returns independent columns, with a row for each (one with an
// interior multiplier if possible), so that F on these rows is regular. O(n m^2).
IndexList BoxQp::eliminate(Mat rest) {
  IndexList columns;
  std::vector<char> used(rest.cols(), 0);
  pivots_.clear();
  while (static_cast<Index>(columns.size()) < rest.cols()) {
    double best = 0, inner_best = 0;
    Index row = -1, col = -1, inner_row = -1, inner_col = -1;
    for (Index e = 0; e < rest.cols(); ++e) {
      if (used[e]) continue;
      for (Index i = 0; i < target_.size(); ++i) {
        const double size = std::abs(rest(i, e));
        if (size > best && lo_[i] < hi_[i]) best = size, row = i, col = e;
        if (size > inner_best && interior(i)) inner_best = size, inner_row = i, inner_col = e;
      }
    }
    if (best < 1e-9) break;
    if (inner_best > 1e-2 * best) row = inner_row, col = inner_col;
    used[col] = 1;
    columns.push_back(col);
    pivots_.push_back(row);
    for (Index e = 0; e < rest.cols(); ++e)
      if (!used[e]) rest.col(e) -= rest.col(col) * (rest(row, e) / rest(row, col));
  }
  return columns;
}

// Sequential minimal optimisation, which brings most multipliers to their bounds before the active-set method. O(n)
// per step; returns false if interrupted.
bool BoxQp::crash() {
  for (long s = 1; s <= 10 * target_.size(); ++s) {
    if (s % 1000 == 0 && limits_->stop_now()) return false;
    const Pair pair = most_violating();
    if (pair.high - pair.low <= 1e-3) break;
    ++steps;
    if (!(f_.cols() == 0 ? crash_single(pair) : crash_pair(pair))) break;
  }
  return true;
}

// Returns the largest residual whose multiplier may rise and the smallest whose multiplier may fall. Without
// equalities both are compared with zero.
BoxQp::Pair BoxQp::most_violating() const {
  Pair pair;
  pair.high = f_.cols() > 0 ? -kInf : 0.0;
  pair.low = f_.cols() > 0 ? kInf : 0.0;
  for (Index i = 0; i < target_.size(); ++i) {
    const double r = target_[i] - value_[i];
    if (beta[i] < hi_[i] && r > pair.high) pair.high = r, pair.up = i;
    if (beta[i] > lo_[i] && r < pair.low) pair.low = r, pair.down = i;
  }
  return pair;
}

double BoxQp::curvature(Index i, Index j) const {
  const double sum = diag_[i] + diag_[j];
  return std::max(sum - 2 * (*k_)(i, j), 1e-12 * sum);
}

// Returns the partner with the largest gain in the second-order model of the pair.
Index BoxQp::best_partner(Index up, double high) const {
  Index down = -1;
  double most = -1;
  for (Index j = 0; j < target_.size(); ++j) {
    const double drop = high - (target_[j] - value_[j]);
    if (!(beta[j] > lo_[j]) || drop <= 0) continue;
    const double gain = drop * drop / curvature(up, j);
    if (gain > most) most = gain, down = j;
  }
  return down;
}

// The next two return false if nothing bounds the move; the active-set method then decides.
bool BoxQp::crash_single(const Pair& pair) {
  const Index i = pair.high >= -pair.low ? pair.up : pair.down;
  const double r = target_[i] - value_[i];
  const double room = r > 0 ? hi_[i] - beta[i] : beta[i] - lo_[i];
  const double move = std::min(room, std::abs(r) / diag_[i]);
  if (!(move < kInf)) return false;
  shift(i, r > 0 ? move : -move);
  return true;
}

bool BoxQp::crash_pair(const Pair& pair) {
  const Index down = best_partner(pair.up, pair.high);
  const double drop = pair.high - (target_[down] - value_[down]);
  const double room = std::min(hi_[pair.up] - beta[pair.up], beta[down] - lo_[down]);
  const double bend = curvature(pair.up, down);
  if (room == kInf && bend <= 1e-12 * (diag_[pair.up] + diag_[down])) return false;
  const double move = std::min(room, drop / bend);
  shift(pair.up, move);
  shift(down, -move);
  return true;
}

void BoxQp::shift(Index i, double by) {
  beta[i] = std::min(hi_[i], std::max(lo_[i], beta[i] + by));
  simd::axpy(by, k_->col(i).data(), value_.data(), target_.size());
  value_[i] += by * d_[i];
}

// Computes l_ = U'^-1 Q_Rp and returns the squared pivot. O(|R|^2).
double BoxQp::pivot_of(Index p) {
  const Index m = factor_.size();
  l_.resize(m);
  for (Index c = 0; c < m; ++c) l_[c] = q(factor_.rows[c], p);
  factor_.solve_lower(l_);
  return q(p, p) - l_.squaredNorm();
}

void BoxQp::enter(Index p, const Eigen::Ref<const Vec>& l, double pivot2) {
  factor_.append(p, l, std::sqrt(pivot2), f_.row(p).transpose());
  basic_[p] = 1;
}

void BoxQp::leave(Index at, Eigen::Ref<Vec> l) {
  basic_[factor_.rows[at]] = 0;
  factor_.remove(at, l);
}

// Puts the pivot rows and the interior multipliers with independent columns in the basis; fewer if interrupted.
// O(|R|^3).
void BoxQp::choose_basis() {
  factor_.clear(f_.cols(), target_.size());
  basic_.assign(target_.size(), 0);
  for (Index p : pivots_) try_enter(p);
  for (Index p = 0; p < target_.size() && !limits_->stop_now(); ++p)
    if (!basic_[p] && interior(p)) try_enter(p);
}

void BoxQp::try_enter(Index p) {
  const double pivot2 = pivot_of(p);
  if (pivot2 > 1e-12 * q(p, p)) enter(p, l_, pivot2);
}

// Solves S = F_R'Q^-1 F_R = G'G for h. O(|R| m^2).
Vec BoxQp::solve_equalities(const Vec& h) const {
  if (f_.cols() == 0) return h;
  if (f_.cols() == 1) return h / factor_.g().col(0).squaredNorm();
  return (factor_.g().transpose() * factor_.g()).ldlt().solve(h);
}

// Computes theta and step_ with  Q_RR step + F_R theta = r  and  F_R' step = imbalance. O(|R|^2).
void BoxQp::solve_basis(const Eigen::Ref<const Vec>& r, const Vec& imbalance) {
  step_ = r;
  factor_.solve_lower(step_);
  theta = solve_equalities(factor_.g().transpose() * step_ - imbalance);
  step_ -= factor_.g() * theta;
  factor_.solve_upper(step_);
  if (factor_.size() == f_.cols()) step_.setZero();  // Only the correction of the imbalance is possible.
  balance_step(imbalance);
  theta += rho_ * imbalance;
}

// Makes F_R'step equal to the imbalance even if a tiny K magnifies rounding errors. O(|R| m), or O(|R|^2) per
// correction.
void BoxQp::balance_step(const Vec& imbalance) {
  for (int round = 0; round < 3 && f_.cols() > 0; ++round) {
    Vec error = imbalance;
    for (Index c = 0; c < step_.size(); ++c) error -= step_[c] * f_.row(factor_.rows[c]).transpose();
    if (error.cwiseAbs().maxCoeff() <= kEps * step_.cwiseAbs().sum()) return;
    Vec correction = factor_.g() * solve_equalities(error);
    factor_.solve_upper(correction);
    step_ += correction;
  }
}

double BoxQp::largest_step() const { return step_.size() ? step_.cwiseAbs().maxCoeff() : 0.0; }

// Returns the first bound reached along s * step_ by moves above `tiny`. Ties go to the largest pivot, or to the lowest
// row. O(|R|).
BoxQp::Block BoxQp::ratio_test(double s, bool lowest, double tiny) const {
  Block block;
  double size = 0;
  for (Index c = 0; c < step_.size(); ++c) {
    const double move = s * step_[c];
    if (std::abs(move) <= tiny) continue;
    const Index i = factor_.rows[c];
    const double t = std::max(0.0, (move > 0 ? hi_[i] - beta[i] : beta[i] - lo_[i]) / std::abs(move));
    const bool tie = block.at >= 0 && std::abs(t - block.t) <= 4 * kEps * block.t;
    const bool better = !tie ? t < block.t : lowest ? i < factor_.rows[block.at] : std::abs(move) > size;
    if (!better) continue;
    block.t = tie ? std::min(t, block.t) : t;
    block.at = c;
    size = std::abs(move);
  }
  return block;
}

// Returns whether F on the basis would lose rank without this row. O(|R|^2); O(1) if F is constant.
bool BoxQp::holds_rank(Index at) const {
  if (f_.cols() == 0) return false;
  if (factor_.size() <= f_.cols()) return true;
  if (constant_) return false;
  Vec e = Vec::Zero(factor_.size());
  e[at] = 1;
  factor_.solve_lower(e);
  const Vec h = factor_.g().transpose() * e;
  return e.squaredNorm() - h.dot(solve_equalities(h)) <= 1e-10 * e.squaredNorm();
}

void BoxQp::advance(double t) {
  for (Index c = 0; c < step_.size(); ++c) {
    const Index i = factor_.rows[c];
    beta[i] = std::min(hi_[i], std::max(lo_[i], beta[i] + t * step_[c]));
  }
}

// Steps to the optimum of the basis; multipliers that reach a bound leave it. This also makes F'v exact. O(|R|^2) per
// departure, then O(n |R|).
void BoxQp::restore() {
  remember(-1);
  Vec r(factor_.size());
  for (Index c = 0; c < r.size(); ++c) r[c] = target_[factor_.rows[c]] - value_[factor_.rows[c]];
  Vec imbalance = -(f_.transpose() * beta);
  while (factor_.size() > 0 && !limits_->stop_now()) {
    const Index m = factor_.size();
    solve_basis(r.head(m), imbalance);
    Block block = ratio_test(1.0, false, 1e-13 * largest_step());
    while (block.t < 1 && holds_rank(block.at)) {  // Such a row moves by rounding only.
      step_[block.at] = 0;
      block = ratio_test(1.0, false, 1e-13 * largest_step());
    }
    const double t = std::min(1.0, block.t);
    advance(t);
    if (block.t >= 1) break;
    for (Index c = 0; c < m; ++c) {
      const double target = f_.cols() > 0 ? f_.row(factor_.rows[c]).dot(theta) : 0.0;
      r[c] += t * (target - r[c]);
    }
    imbalance *= 1 - t;
    snap(factor_.rows[block.at], step_[block.at]);
    std::copy(r.data() + block.at + 1, r.data() + m, r.data() + block.at);
    l_ = Vec::Zero(m);
    leave(block.at, l_);
  }
  settle_values();
}

double BoxQp::theta_noise() const { return 4 * kEps * (1 + f_largest_ * theta.cwiseAbs().sum()); }

bool BoxQp::imbalanced() const {
  if (f_.cols() == 0) return false;
  return (f_.transpose() * beta).cwiseAbs().maxCoeff() > 64 * kEps * beta.cwiseAbs().sum();
}

double BoxQp::basis_residual() const {
  double worst = 0;
  for (Index i : factor_.rows) worst = std::max(worst, std::abs(residual(i)));
  return worst;
}

// Refines the basis iteratively, with a new factor if the present one is too inaccurate. O(n |R|).
void BoxQp::settle_basis() {
  const double tol = noise() + 4 * theta_noise();
  for (int round = 0; round < 8 && (imbalanced() || basis_residual() > tol); ++round) {
    if (round == 4) {
      pivots_ = factor_.rows;
      choose_basis();
    }
    restore();
  }
}

// Returns the multiplier with the largest predicted gain, or the lowest index; -1 if all are optimal. O(n m).
Index BoxQp::price(bool lowest) const {
  Vec fit = value_;
  if (f_.cols() > 0) fit.noalias() += f_ * theta;
  const double noise = 2 * kEps * root_.dot(beta.cwiseAbs()), level = 1e-13 + 2 * theta_noise();
  Index best = -1;
  double most = 0;
  for (Index i = 0; i < target_.size(); ++i) {
    if (basic_[i]) continue;
    const double r = target_[i] - fit[i], v = violation(i, r);
    if (v <= level + noise * root_[i]) continue;
    if (lowest) return i;
    const double score = v * v / (diag_[i] + 1e-12 * rho_);
    if (score > most) most = score, best = i;
  }
  return best;
}

// Moves v_p until its residual vanishes or it reaches its other bound; basic multipliers that reach theirs leave. If
// F on the basis would lose rank, p replaces the one that leaves. O(|R|^2) per departure, then O(n |R|).
BoxQp::Move BoxQp::improve(Index p, bool lowest) {
  double r = residual(p), travelled = 0;
  const double s = r > 0 ? 1.0 : -1.0, start = beta[p];
  double pivot2 = std::max(0.0, pivot_of(p));
  bool swapped = false;
  remember(p);
  while (!swapped) {
    const Index m = factor_.size();
    const Vec h = f_.row(p).transpose() - factor_.g().transpose() * l_.head(m);
    const Vec turn = solve_equalities(h);
    step_ = -(l_.head(m) + factor_.g() * turn);
    factor_.solve_upper(step_);
    balance_step(-f_.row(p).transpose());
    double bend = pivot2 + h.dot(turn), weight = root_[p];
    for (Index c = 0; c < m; ++c) weight += std::abs(step_[c]) * root_[factor_.rows[c]];
    const bool flat = bend <= 16 * kEps * weight * weight;
    const double largest = std::max(1.0, largest_step());
    const Block block = ratio_test(s, lowest, 1e-13 * largest);
    const double room = s > 0 ? hi_[p] - beta[p] : beta[p] - lo_[p];
    // Along a ray, entries of the step that are rounding errors do not count as bounds.
    if (flat && room == kInf && d_[p] == 0 && ratio_test(s, lowest, 1e-9 * largest).at < 0) {
      take_ray(p, s);
      settle_values();
      return Move::ray;
    }
    const double vanish = bend > 0 ? std::abs(r) / bend : kInf;
    const double t = std::min({vanish, block.t, room});
    travelled += t;
    advance(s * t);
    beta[p] = std::min(hi_[p], std::max(lo_[p], beta[p] + s * t));
    theta += s * t * turn;
    r -= s * t * bend;
    if (t == room && room <= block.t) {
      snap(p, s);
      break;
    }
    if (vanish <= block.t) {
      if (!flat && pivot2 > 4 * kEps * q(p, p)) enter(p, l_.head(m), pivot2);
      break;
    }
    snap(factor_.rows[block.at], s * step_[block.at]);
    swapped = holds_rank(block.at);
    leave(block.at, l_.head(m));
    pivot2 += l_[m - 1] * l_[m - 1];
    if (swapped) enter(p, l_.head(m - 1), pivot2);
  }
  settle_values();
  if (swapped) restore();
  return travelled > 4 * kEps * std::abs(start) ? Move::progress : Move::degenerate;
}

void BoxQp::take_ray(Index p, double s) {
  ray = Vec::Zero(target_.size());
  ray[p] = s;
  for (Index c = 0; c < step_.size(); ++c) ray[factor_.rows[c]] = s * step_[c];
}

// Resets unbounded multipliers that are so large that rounding errors dominate their values. O(n).
void BoxQp::forget_runaway() {
  if (noise() <= 1e-6 || (hi_ - lo_).maxCoeff() < kInf) return;
  beta.setZero();
  value_.setZero();
}

// Resets multipliers that are rounding errors: their value is far below that of any margin, because the unpenalised
// columns alone meet the margins.
void BoxQp::forget_rounding() {
  if (!margins_) return;
  const double mean = diag_.mean();
  const double natural = std::min((hi_ - lo_).sum(), mean > 0 ? 1.0 / mean : kInf);
  if (target_.dot(beta) > 1e-14 * std::min(natural, 1e300)) return;
  beta.setZero();
  value_.setZero();
}

BoxQp::Outcome BoxQp::iterate() {
  const Index n = target_.size();
  const long most = limits_->iterations > 0 ? limits_->iterations : 100 * n + 10000;
  // The number of steps between two checks for an interrupt.
  const long pause = std::max<long>(1, 100000 / n);
  Index idle = 0, verified = 0;
  for (long s = 1; s <= most; ++s) {
    if ((s - 1) % pause == 0 && limits_->stop_now()) return Outcome::interrupted;
    const bool lowest = idle > 20 + 2 * factor_.size();  // Choosing the lowest index prevents cycling.
    const Index p = price(lowest);
    if (p >= 0) {
      ++steps;
      const Move move = improve(p, lowest);
      if (move == Move::ray) return Outcome::ray;
      idle = move == Move::progress ? 0 : idle + 1;
      if (idle > 20 * n + 1000) return Outcome::stalled;
      continue;
    }
    // Fresh values are free of the rounding errors of the updates; what remains is solved again.
    refresh_values();
    settle_basis();
    if (limits_->stop_now()) return Outcome::interrupted;
    if (price(false) < 0) {
      forget_rounding();
      return Outcome::optimal;
    }
    if (++verified > 20) return Outcome::stalled;
  }
  return Outcome::limit;
}

}  // namespace zeronorm

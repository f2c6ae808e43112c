// The dual of the (rescaled) l2 machine by a primal active set:
//   max  y'v - 1/2 v'(K + D) v   over signed multipliers v = y a,  0 <= a <= c,  F'v = 0,
// K the Gram matrix of the scaled columns, D = diag(1/c) for squared slacks, F = [1, free columns].
// Multipliers between their bounds form the basis R; its residuals y - Kv - Dv - F theta are zero, and
// one multiplier at a time moves until its residual vanishes, dragging R along.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "../certificate.h"
#include "../design.h"
#include "engine.h"

namespace zeronorm {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// Cholesky factor U'U of Q on the basis, Q = K + D + rho F F' (positive definite there: F'v = 0 makes
// the added term harmless), with G = U'^-1 F beside it.
class BasisFactor {
 public:
  IndexList rows;

  Index size() const { return static_cast<Index>(rows.size()); }
  void clear(Index equalities) {
    rows.clear();
    g_.resize(u_.cols(), equalities);
  }
  auto g() const { return g_.topRows(size()); }

  void solve_lower(Eigen::Ref<Vec> v) const {
    u_.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().transpose().solveInPlace(v);
  }
  void solve_upper(Eigen::Ref<Vec> v) const {
    u_.topLeftCorner(size(), size()).triangularView<Eigen::Upper>().solveInPlace(v);
  }

  // l = U'^-1 Q_Rp is known; f_row is row p of F. O(|R|).
  void append(Index p, const Eigen::Ref<const Vec>& l, double pivot, const Vec& f_row) {
    const Index m = size();
    if (m == u_.cols()) grow();
    u_.col(m).head(m) = l;
    u_(m, m) = pivot;
    if (g_.cols() > 0) g_.row(m) = (f_row - g().transpose() * l).transpose() / pivot;
    rows.push_back(p);
  }

  // Givens rotations restore the triangle; l turns along, its last entry leaves the factor. O(|R|^2).
  void remove(Index at, Eigen::Ref<Vec> l) {
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

 private:
  Mat u_, g_;
  Vec cos_, sin_;

  void turn(double& a, double& b, Index j) const {
    const double first = cos_[j] * a + sin_[j] * b;
    b = cos_[j] * b - sin_[j] * a;
    a = first;
  }
  void grow() {
    const Index room = std::max<Index>(32, 2 * u_.cols());
    u_.conservativeResize(room, room);
    g_.conservativeResize(room, g_.cols());
  }
};

enum class Outcome { optimal, ray, limit, stalled, interrupted };

class DualQp {
 public:
  Vec beta;      // signed multipliers, kept between calls: feasible for any K
  Vec theta;     // multipliers of F'v = 0: intercept and free coefficients
  Vec ray;       // where the dual is unbounded
  long steps = 0;

  // f is n x m and may have dependent columns, which then get no coefficient.
  void setup(const Vec& y, const Vec& cost, Loss loss) {
    y_ = y;
    const Index n = y.size();
    const bool soft = loss == Loss::squared_hinge;
    d_ = Vec::Zero(n);
    lo_ = hi_ = Vec::Zero(n);
    for (Index i = 0; i < n; ++i) {
      const double bound = cost[i] == 0 ? 0.0 : soft ? kInf : cost[i];
      if (soft && cost[i] > 0) d_[i] = 1.0 / cost[i];
      (y[i] > 0 ? hi_[i] : lo_[i]) = y[i] * bound;
    }
    beta = Vec::Zero(n);
    equalities_.resize(n, 0);
  }

  // O(steps * n |R|); warm from beta.
  Outcome solve(const Mat& k, const Mat& equalities, bool intercept_only, const Limits& limits) {
    k_ = &k;
    steps = 0;
    take_equalities(equalities);
    diag_ = k.diagonal() + d_;
    const double mean = diag_.mean();
    rho_ = mean > 0 ? mean : 1.0;
    root_ = (diag_ + rho_ * f_.rowwise().squaredNorm()).cwiseSqrt();
    refresh_values();
    const bool cold = beta.isZero(0.0);
    const bool large = y_.size() > kLarge;
    if (large || (cold && y_.size() > kCrash))
      if (intercept_only && !crash(large, limits)) return Outcome::interrupted;
    choose_basis();
    restore();
    return iterate(limits);
  }

  // Kv, without D and F theta.
  Vec values() const { return value_ - d_.cwiseProduct(beta); }

  // Rounding in a value formed from K. O(n).
  double noise() const { return 4 * kEps * root_.maxCoeff() * root_.dot(beta.cwiseAbs()); }

  double dual_value() const { return y_.dot(beta) - 0.5 * beta.dot(value_); }

  // One step of iterative refinement against values formed from the data instead of K: the correction
  // of the multipliers, unrounded. O(|R|^2).
  Vec refine(const Vec& exact) {
    value_ = exact + d_.cwiseProduct(beta);
    Vec r(factor_.size());
    for (Index c = 0; c < r.size(); ++c) r[c] = y_[factor_.rows[c]] - value_[factor_.rows[c]];
    solve_basis(r, -(f_.transpose() * beta));
    advance(1.0);
    Vec delta = Vec::Zero(y_.size());
    for (Index c = 0; c < r.size(); ++c) delta[factor_.rows[c]] = step_[c];
    return delta;
  }
  // Values formed from the data, to grade by. O(n).
  void set_values(const Vec& exact) { value_ = exact + d_.cwiseProduct(beta); }

  // Coefficients of the columns handed to solve(). O(m).
  Vec coefficients() const {
    Vec out = Vec::Zero(given_);
    for (std::size_t e = 0; e < kept_.size(); ++e) out[kept_[e]] = theta[e] / f_scale_[kept_[e]];
    return out;
  }

 private:
  static constexpr Index kCrash = 150, kLarge = 2000;

  const Mat* k_ = nullptr;
  Vec y_, d_, lo_, hi_, diag_, root_;
  Mat equalities_, f_;          // as given (scaled), and its independent columns
  Vec f_scale_;
  IndexList kept_, pivots_;
  Index given_ = 0;
  bool nowhere_zero_ = false;   // one equality, any row of it regular
  double rho_ = 1, f_largest_ = 0;
  Vec value_;                   // (K + D) beta
  BasisFactor factor_;
  std::vector<char> basic_;
  Vec l_, step_, old_;
  IndexList touched_;

  double residual(Index i) const {
    return y_[i] - value_[i] - (f_.cols() > 0 ? f_.row(i).dot(theta) : 0.0);
  }
  double violation(Index i, double r) const { return (r > 0 ? beta[i] < hi_[i] : beta[i] > lo_[i]) ? std::abs(r) : 0.0; }
  bool interior(Index i) const { return beta[i] > lo_[i] && beta[i] < hi_[i]; }
  double q(Index i, Index j) const {
    double value = (*k_)(i, j);
    if (f_.cols() > 0) value += rho_ * f_.row(i).dot(f_.row(j));
    return i == j ? value + d_[i] : value;
  }

  // value_ += (K + D) delta, four columns at a time. O(n) each.
  void add_values(const IndexList& at, const Vec& delta) {
    const Index m = static_cast<Index>(at.size());
    Index c = 0;
    for (; c + 4 <= m; c += 4)
      value_.noalias() += delta[c] * k_->col(at[c]) + delta[c + 1] * k_->col(at[c + 1]) +
                          delta[c + 2] * k_->col(at[c + 2]) + delta[c + 3] * k_->col(at[c + 3]);
    for (; c < m; ++c) value_.noalias() += delta[c] * k_->col(at[c]);
    for (c = 0; c < m; ++c) value_[at[c]] += d_[at[c]] * delta[c];
  }

  void refresh_values() {
    value_ = Vec::Zero(y_.size());
    touched_.clear();
    for (Index i = 0; i < y_.size(); ++i)
      if (beta[i] != 0) touched_.push_back(i);
    Vec delta(touched_.size());
    for (std::size_t c = 0; c < touched_.size(); ++c) delta[c] = beta[touched_[c]];
    add_values(touched_, delta);
  }

  void remember(Index p) {
    touched_ = factor_.rows;
    if (p >= 0) touched_.push_back(p);
    old_.resize(touched_.size());
    for (std::size_t c = 0; c < touched_.size(); ++c) old_[c] = beta[touched_[c]];
  }

  void settle_values() {
    Vec delta(touched_.size());
    for (std::size_t c = 0; c < touched_.size(); ++c) delta[c] = beta[touched_[c]] - old_[c];
    add_values(touched_, delta);
  }

  // Columns to unit mean square; a change of F forgets multipliers that no longer satisfy it.
  void take_equalities(const Mat& given) {
    given_ = given.cols();
    f_scale_ = (given.colwise().squaredNorm() / std::max<Index>(1, given.rows())).cwiseSqrt();
    for (Index e = 0; e < given_; ++e)
      if (!(f_scale_[e] > 0)) f_scale_[e] = 1;
    Mat scaled = given * f_scale_.cwiseInverse().asDiagonal();
    const Vec balance = scaled.transpose() * beta;
    if (given_ > 0 && balance.cwiseAbs().maxCoeff() > 1e-10 * beta.cwiseAbs().sum()) beta.setZero();
    equalities_ = std::move(scaled);
    eliminate();
  }

  // Gaussian elimination on the rows that may move: independent columns, and for each a row (one with
  // an interior multiplier if possible) so that F on these rows is regular. O(n m^2).
  void eliminate() {
    Mat rest = equalities_;
    kept_.clear();
    pivots_.clear();
    std::vector<char> used(given_, 0);
    for (Index s = 0; s < given_; ++s) {
      double best = 0, best_interior = 0;
      Index row = -1, col = -1, row_interior = -1, col_interior = -1;
      for (Index e = 0; e < given_; ++e) {
        if (used[e]) continue;
        for (Index i = 0; i < y_.size(); ++i) {
          const double size = std::abs(rest(i, e));
          if (size > best && lo_[i] < hi_[i]) best = size, row = i, col = e;
          if (size > best_interior && interior(i)) best_interior = size, row_interior = i, col_interior = e;
        }
      }
      if (best < 1e-9) break;
      if (best_interior > 1e-2 * best) row = row_interior, col = col_interior;
      used[col] = 1;
      kept_.push_back(col);
      pivots_.push_back(row);
      for (Index e = 0; e < given_; ++e)
        if (!used[e]) rest.col(e) -= rest.col(col) * (rest(row, e) / rest(row, col));
    }
    f_.resize(y_.size(), kept_.size());
    for (std::size_t e = 0; e < kept_.size(); ++e) f_.col(e) = equalities_.col(kept_[e]);
    nowhere_zero_ = f_.cols() == 1 && f_.cwiseAbs().minCoeff() > 1e-3;
    f_largest_ = f_.size() ? f_.cwiseAbs().maxCoeff() : 0.0;
    theta = Vec::Zero(f_.cols());
  }

  // Sequential minimal optimisation with second-order pairs (no equality: single coordinates), to bring
  // most multipliers to their side before the exact method. O(n) per step; false when interrupted.
  bool crash(bool large, const Limits& limits) {
    const Index n = y_.size();
    const long most = (large ? 100 : 10) * n;
    const double tol = large ? 1e-7 : 1e-3;
    for (long s = 0; s < most; ++s) {
      if (s % 1000 == 999 && limits.stop_now()) return false;
      ++steps;
      Index up = -1, down = -1;
      double high = f_.cols() > 0 ? -kInf : 0.0, low = f_.cols() > 0 ? kInf : 0.0, gain = 0;
      for (Index i = 0; i < n; ++i) {
        const double r = y_[i] - value_[i];
        if (beta[i] < hi_[i] && r > high) high = r, up = i;
        if (beta[i] > lo_[i] && r < low) low = r, down = i;
      }
      if (high - low <= tol) break;
      double move, room;
      if (f_.cols() == 0) {
        const Index i = high >= -low ? up : down;
        const double r = y_[i] - value_[i];
        room = r > 0 ? hi_[i] - beta[i] : beta[i] - lo_[i];
        move = std::min(room, std::abs(r) / diag_[i]);
        if (!(move < kInf)) break;
        shift(i, r > 0 ? move : -move);
        continue;
      }
      for (Index j = 0; j < n; ++j) {
        const double drop = high - (y_[j] - value_[j]);
        if (!(beta[j] > lo_[j]) || drop <= 0) continue;
        const double bend = std::max(diag_[up] + diag_[j] - 2 * (*k_)(up, j), 1e-12 * (diag_[up] + diag_[j]));
        if (drop * drop / bend > gain) gain = drop * drop / bend, down = j;
      }
      const double bend = std::max(diag_[up] + diag_[down] - 2 * (*k_)(up, down),
                                   1e-12 * (diag_[up] + diag_[down]));
      room = std::min(hi_[up] - beta[up], beta[down] - lo_[down]);
      move = std::min(room, (high - (y_[down] - value_[down])) / bend);
      if (!(move < kInf)) break;
      shift(up, move);
      shift(down, -move);
    }
    return true;
  }

  void shift(Index i, double by) {
    beta[i] = std::min(hi_[i], std::max(lo_[i], beta[i] + by));
    value_.noalias() += by * k_->col(i);
    value_[i] += by * d_[i];
  }

  // l_ = U'^-1 Q_Rp and the squared pivot. O(|R|^2).
  double pivot_of(Index p) {
    const Index m = factor_.size();
    l_.resize(m);
    for (Index c = 0; c < m; ++c) l_[c] = q(factor_.rows[c], p);
    factor_.solve_lower(l_);
    return q(p, p) - l_.squaredNorm();
  }

  void enter(Index p, const Eigen::Ref<const Vec>& l, double pivot2) {
    factor_.append(p, l, std::sqrt(pivot2), f_.row(p).transpose());
    basic_[p] = 1;
  }

  void leave(Index at, Eigen::Ref<Vec> l) {
    basic_[factor_.rows[at]] = 0;
    factor_.remove(at, l);
  }

  // Interior multipliers whose columns are independent, beside the pivot rows. O(|R|^3).
  void choose_basis() {
    factor_.clear(f_.cols());
    basic_.assign(y_.size(), 0);
    for (Index p : pivots_) try_enter(p);
    for (Index p = 0; p < y_.size(); ++p)
      if (!basic_[p] && interior(p)) try_enter(p);
  }
  void try_enter(Index p) {
    const double pivot2 = pivot_of(p);
    if (pivot2 > 1e-12 * q(p, p)) enter(p, l_, pivot2);
  }

  // S = F_R'Q^-1 F_R = G'G, solved for h.
  Vec solve_equalities(const Vec& h) const {
    if (f_.cols() == 0) return h;
    if (f_.cols() == 1) return h / factor_.g().col(0).squaredNorm();
    return (factor_.g().transpose() * factor_.g()).ldlt().solve(h);
  }

  struct Block {
    double t = kInf;
    Index at = -1;
  };
  // The first bound met along s * step_, where moves that are rounding beside unit do not count; ties go
  // to the largest pivot, or the lowest row.
  Block ratio_test(double s, bool lowest, double unit) const {
    Block block;
    const double largest = std::max(unit, step_.size() ? step_.cwiseAbs().maxCoeff() : 0.0);
    double size = 0;
    for (Index c = 0; c < step_.size(); ++c) {
      const double move = s * step_[c];
      if (std::abs(move) <= 1e-13 * largest) continue;
      const Index i = factor_.rows[c];
      const double t = std::max(0.0, (move > 0 ? hi_[i] - beta[i] : beta[i] - lo_[i]) / std::abs(move));
      const bool tie = std::abs(t - block.t) <= 4 * kEps * block.t;
      const bool better = tie && block.at >= 0 ? (lowest ? i < factor_.rows[block.at] : std::abs(move) > size)
                                               : t < block.t;
      if (!better) continue;
      block.t = tie ? std::min(t, block.t) : t;
      block.at = c;
      size = std::abs(move);
    }
    return block;
  }

  void advance(double t) {
    for (Index c = 0; c < step_.size(); ++c) {
      const Index i = factor_.rows[c];
      beta[i] = std::min(hi_[i], std::max(lo_[i], beta[i] + t * step_[c]));
    }
  }
  void snap(Index i, double direction) { beta[i] = direction > 0 ? hi_[i] : lo_[i]; }

  // theta and step_ with  Q_RR step + F_R theta = r,  F_R' step = imbalance. O(|R|^2).
  void solve_basis(const Eigen::Ref<const Vec>& r, const Vec& imbalance) {
    step_ = r;
    factor_.solve_lower(step_);
    theta = solve_equalities(factor_.g().transpose() * step_ - imbalance);
    step_ -= factor_.g() * theta;
    factor_.solve_upper(step_);
    if (factor_.size() == f_.cols()) step_.setZero();  // no freedom beside the imbalance
    balance_step(imbalance);
    theta += rho_ * imbalance;
  }

  // F_R'step is what it must be, also where a tiny K magnifies rounding. O(|R| m), else O(|R|^2).
  void balance_step(const Vec& imbalance) {
    for (int round = 0; round < 3 && f_.cols() > 0; ++round) {
      Vec error = imbalance;
      for (Index c = 0; c < step_.size(); ++c) error -= step_[c] * f_.row(factor_.rows[c]).transpose();
      if (error.cwiseAbs().maxCoeff() <= kEps * step_.cwiseAbs().sum()) return;
      Vec correction = factor_.g() * solve_equalities(error);
      factor_.solve_upper(correction);
      step_ += correction;
    }
  }

  // Steps to the optimum of the basis, multipliers that meet a bound leaving it; also what makes F'v
  // exact. O(|R|^2) per departure, then O(n |R|).
  void restore() {
    remember(-1);
    Vec r(factor_.size());
    for (Index c = 0; c < r.size(); ++c) r[c] = y_[factor_.rows[c]] - value_[factor_.rows[c]];
    Vec imbalance = -(f_.transpose() * beta);
    while (factor_.size() > 0) {
      const Index m = factor_.size();
      solve_basis(r.head(m), imbalance);
      Block block = ratio_test(1.0, false, 0.0);
      while (block.t < 1 && holds_rank(block.at)) {  // moves by rounding only
        step_[block.at] = 0;
        block = ratio_test(1.0, false, 0.0);
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
      l_.resize(m);
      l_.setZero();
      leave(block.at, l_);
    }
    settle_values();
  }

  // Would F on the basis lose rank without this row?  O(|R|^2) with several equalities.
  bool holds_rank(Index at) const {
    if (f_.cols() == 0) return false;
    if (factor_.size() <= f_.cols()) return true;
    if (nowhere_zero_) return false;
    Vec e = Vec::Zero(factor_.size());
    e[at] = 1;
    factor_.solve_lower(e);
    const Vec h = factor_.g().transpose() * e;
    return e.squaredNorm() - h.dot(solve_equalities(h)) <= 1e-10 * e.squaredNorm();
  }

  enum class Move { progress, degenerate, ray };

  // Moves v_p until its residual vanishes or it meets its other bound. O(|R|^2) per departure.
  Move improve(Index p, bool lowest) {
    double r = residual(p);
    const double s = r > 0 ? 1.0 : -1.0;
    const double start = beta[p];
    double pivot2 = std::max(0.0, pivot_of(p));
    double travelled = 0;
    bool swapped = false;
    remember(p);
    while (true) {
      const Index m = factor_.size();
      const Vec h = f_.row(p).transpose() - factor_.g().transpose() * l_.head(m);
      const Vec turn = solve_equalities(h);
      step_ = -(l_.head(m) + factor_.g() * turn);
      factor_.solve_upper(step_);
      balance_step(-f_.row(p).transpose());
      const double bend = pivot2 + h.dot(turn);
      double weight = root_[p];
      for (Index c = 0; c < m; ++c) weight += std::abs(step_[c]) * root_[factor_.rows[c]];
      const bool flat = bend <= 16 * kEps * weight * weight;
      const Block block = ratio_test(s, lowest, 1.0);
      const double room = s > 0 ? hi_[p] - beta[p] : beta[p] - lo_[p];
      if (flat && block.t == kInf && room == kInf) {
        ray = Vec::Zero(y_.size());
        ray[p] = s;
        for (Index c = 0; c < m; ++c) ray[factor_.rows[c]] = s * step_[c];
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
      if (swapped) {
        enter(p, l_.head(m - 1), pivot2);
        break;
      }
    }
    settle_values();
    if (swapped) restore();
    return travelled > 4 * kEps * std::abs(start) ? Move::progress : Move::degenerate;
  }

  double theta_noise() const { return 4 * kEps * (1 + f_largest_ * theta.cwiseAbs().sum()); }
  bool imbalanced() const {
    if (f_.cols() == 0) return false;
    return (f_.transpose() * beta).cwiseAbs().maxCoeff() > 64 * kEps * beta.cwiseAbs().sum();
  }
  double basis_residual() const {
    double worst = 0;
    for (Index i : factor_.rows) worst = std::max(worst, std::abs(residual(i)));
    return worst;
  }

  // Iterative refinement; where the factor is too worn for it, a new one. O(n |R|).
  void settle_basis() {
    const double tol = noise() + 4 * theta_noise();
    for (int round = 0; round < 8 && (imbalanced() || basis_residual() > tol); ++round) {
      if (round == 4) {
        pivots_ = factor_.rows;
        choose_basis();
      }
      restore();
    }
  }

  // The multiplier with the steepest promise, or the lowest index. O(n m).
  Index price(bool lowest) const {
    Vec fit = value_;
    if (f_.cols() > 0) fit.noalias() += f_ * theta;
    const double noise = 2 * kEps * root_.dot(beta.cwiseAbs()), level = 1e-13 + 2 * theta_noise();
    Index best = -1;
    double most = 0;
    for (Index i = 0; i < y_.size(); ++i) {
      if (basic_[i]) continue;
      const double r = y_[i] - fit[i], v = violation(i, r);
      if (v <= level + noise * root_[i]) continue;
      if (lowest) return i;
      const double score = v * v / (diag_[i] + 1e-12 * rho_);
      if (score > most) most = score, best = i;
    }
    return best;
  }

  // Where the free columns alone fit, multipliers are rounding: a value far below that of any margin.
  void forget_rounding() {
    const double natural = std::min((hi_ - lo_).sum(), diag_.mean() > 0 ? 1.0 / diag_.mean() : kInf);
    if (y_.dot(beta) > 1e-14 * std::min(natural, 1e300)) return;
    beta.setZero();
    value_.setZero();
  }

  Outcome iterate(const Limits& limits) {
    const Index n = y_.size();
    const long most = limits.iterations > 0 ? limits.iterations : 100 * n + 10000;
    long idle = 0, verified = 0;
    for (long s = 0; s < most; ++s) {
      if (s % 100 == 99 && limits.stop_now()) return Outcome::interrupted;
      const bool lowest = idle > 20 + 2 * factor_.size();
      const Index p = price(lowest);
      if (p < 0) {
        // Rounding of the updates is gone after fresh values; what then remains is solved again.
        refresh_values();
        settle_basis();
        if (price(false) < 0) {
          forget_rounding();
          return Outcome::optimal;
        }
        if (++verified > 20) return Outcome::stalled;
        continue;
      }
      ++steps;
      const Move move = improve(p, lowest);
      if (move == Move::ray) return Outcome::ray;
      idle = move == Move::progress ? 0 : idle + 1;
      if (idle > 20 * n + 1000) return Outcome::stalled;
    }
    return Outcome::limit;
  }
};

// K = sum_j z_j^2 x_j x_j' kept between calls, and w from multipliers.  Works on a view of the columns
// still present, so that rounds get cheaper as columns go.
class ScaledGram {
 public:
  void setup(std::shared_ptr<const Design> x) {
    base_ = std::move(x);
    base_norms_ = base_->squared_norms();
    k_.resize(0, 0);
    look_at_all();
  }

  // Nothing when no scale changed, downdates when few columns left, else O(n^2 d).
  const Mat& gram(const Vec& scale) {
    follow(scale);
    const Vec z = used(scale);
    const double trace = z.cwiseAbs2().dot(norms_);
    IndexList gone;
    Index left = 0;
    bool changed = k_.size() == 0;
    for (Index j = 0; j < z.size() && !changed; ++j) {
      left += z[j] > 0;
      if (z[j] == z_[j]) continue;
      if (z[j] == 0) gone.push_back(j);
      else changed = true;
    }
    if (changed || trace < 0.5 * full_trace_ || static_cast<Index>(gone.size()) > left) {
      recompute(z, trace);
    } else if (!gone.empty()) {
      downdate(gone);
      z_ = z;
      if ((k_.diagonal().array() < 0.05 * full_diagonal_.array()).any()) recompute(z, trace);
    }
    return k_;
  }

  // w_j = z_j^2 x_j'v. O(nd) over the columns present.
  Vec coefficients(const Vec& v, const Vec& scale) const {
    const Vec g = view_->transposed_times(v);
    Vec w = Vec::Zero(base_->cols());
    for (Index j = 0; j < g.size(); ++j) {
      const double z = scale[column_[j]];
      if (z < kInf) w[column_[j]] = z * (z * g[j]);
    }
    return w;
  }

 private:
  std::shared_ptr<const Design> base_, view_;
  IndexList column_;      // of the view, in the base
  Vec base_norms_, norms_, z_, full_diagonal_;
  double full_trace_ = 0;
  Mat k_;

  void look_at_all() {
    view_ = base_;
    norms_ = base_norms_;
    column_.resize(base_->cols());
    for (std::size_t j = 0; j < column_.size(); ++j) column_[j] = static_cast<Index>(j);
    z_ = Vec::Zero(base_->cols());
  }

  // Narrows the view when half of its columns are gone; a column that comes back widens it. O(d).
  void follow(const Vec& scale) {
    IndexList present;
    for (Index j = 0; j < scale.size(); ++j)
      if (scale[j] > 0) present.push_back(j);
    const bool inside = std::includes(column_.begin(), column_.end(), present.begin(), present.end());
    if (!inside) {
      look_at_all();
      k_.resize(0, 0);
    }
    if (2 * present.size() > column_.size() || column_.size() < 32) return;
    Vec old = Vec::Zero(base_->cols());
    for (std::size_t j = 0; j < column_.size(); ++j) old[column_[j]] = z_[j];
    IndexList kept;  // also what K still holds
    for (Index j : column_)
      if (scale[j] > 0 || old[j] > 0) kept.push_back(j);
    if (2 * kept.size() > column_.size()) {
      kept = std::move(present);
      k_.resize(0, 0);
    }
    IndexList rows(base_->rows());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    view_ = base_->subset(rows, kept);
    column_ = std::move(kept);
    norms_.resize(column_.size());
    z_.resize(column_.size());
    for (std::size_t j = 0; j < column_.size(); ++j) {
      norms_[j] = base_norms_[column_[j]];
      z_[j] = old[column_[j]];
    }
  }

  // Scales of the view; columns whose share of the trace is rounding are left out. O(d).
  Vec used(const Vec& scale) const {
    Vec z(column_.size());
    for (Index j = 0; j < z.size(); ++j) z[j] = scale[column_[j]] < kInf ? scale[column_[j]] : 0.0;
    const double cut = 1e-14 * z.cwiseAbs2().dot(norms_) / std::max<Index>(1, z.size());
    for (Index j = 0; j < z.size(); ++j)
      if (z[j] * z[j] * norms_[j] <= cut) z[j] = 0;
    return z;
  }

  void recompute(const Vec& z, double trace) {
    k_ = view_->gram(z);
    z_ = z;
    full_trace_ = trace;
    full_diagonal_ = k_.diagonal();
  }

  // O(n^2) per column.
  void downdate(const IndexList& gone) {
    if (gone.size() > 8) {
      Vec z = Vec::Zero(z_.size());
      for (Index j : gone) z[j] = z_[j];
      k_ -= view_->gram(z);
      return;
    }
    Vec x(k_.rows());
    for (Index j : gone) {
      view_->column(j, x.data());
      x *= z_[j];
      k_.noalias() -= x * x.transpose();
    }
  }
};

// An expansion over the columns of a kernel matrix with ridge 1/2 w'Kw + 1/2 sum (w_j/z_j)^2: the dual
// sees B'B, B = L^-1 S K on the rows with z_j > 0, LL' = S K S + (S/Z)^2, S = min(z, 1), and
// w = S L^-T B v.  With all z infinite K itself.
class ExpansionGram {
 public:
  void setup(std::shared_ptr<const Design> x) {
    kernel_ = x->gram(Vec::Ones(x->cols()));
    z_.resize(0);
  }

  // O(n^2 m + m^3) for m columns, nothing when no scale changed.
  const Mat& gram(const Vec& scale) {
    if (z_.size() == scale.size() && z_ == scale) return plain_ ? kernel_ : k_;
    z_ = scale;
    plain_ = scale.minCoeff() == kInf;
    if (plain_) return kernel_;
    active_.clear();
    const double cut = 1e-12 * scale.cwiseMin(1.0).maxCoeff();
    for (Index j = 0; j < scale.size(); ++j)
      if (scale[j] > cut) active_.push_back(j);
    const Index m = static_cast<Index>(active_.size());
    s_.resize(m);
    for (Index c = 0; c < m; ++c) s_[c] = std::min(1.0, scale[active_[c]]);
    b_.resize(m, kernel_.cols());
    for (Index c = 0; c < m; ++c) b_.row(c) = s_[c] * kernel_.row(active_[c]);
    Mat a(m, m);
    for (Index c = 0; c < m; ++c) a.col(c) = b_.col(active_[c]) * s_[c];
    const double tiny = m > 0 ? 1e-14 * a.trace() / m : 0.0;
    for (Index c = 0; c < m; ++c) {
      const double inverse = s_[c] / scale[active_[c]];
      a(c, c) += scale[active_[c]] < kInf ? inverse * inverse : tiny;
    }
    factor_.compute(a);
    factor_.matrixL().solveInPlace(b_);
    k_ = Mat::Zero(kernel_.cols(), kernel_.cols());
    k_.selfadjointView<Eigen::Lower>().rankUpdate(b_.transpose());
    k_.triangularView<Eigen::StrictlyUpper>() = k_.transpose();
    return k_;
  }

  Vec coefficients(const Vec& v) const {
    if (plain_) return v;
    Vec u = b_ * v;
    factor_.matrixU().solveInPlace(u);
    Vec w = Vec::Zero(z_.size());
    for (std::size_t c = 0; c < active_.size(); ++c) w[active_[c]] = s_[c] * u[c];
    return w;
  }

  // False where the kernel is not positive semidefinite on these columns.
  bool definite() const { return plain_ || active_.empty() || factor_.info() == Eigen::Success; }

 private:
  Mat kernel_, k_, b_;
  Vec z_, s_;
  IndexList active_;
  Eigen::LLT<Mat> factor_;
  bool plain_ = true;
};

class DualEngine : public Engine {
 public:
  std::string name() const override { return "dual"; }

  std::string refuses(const Problem& p, const Surrogate& s) const override {
    if (p.loss == Loss::weston_watkins || p.y.cols() != 1) return "The dual engine takes one output.";
    if (!s.groups.empty()) return "The dual engine takes no groups of columns.";
    if (s.l1.size() > 0 && s.has_l1()) return "The dual engine takes no l1 or linear term.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    qp_ = DualQp();
    qp_.setup(problem.y.col(0), problem.cost, problem.loss);
    if (kernel()) expansion_.setup(problem.x);
    else scaled_.setup(problem.x);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    Solution out;
    out.engine = name();
    out.w = Mat::Zero(problem_->x->cols(), 1);
    out.b = Vec::Zero(1);
    out.dual = Mat::Zero(problem_->x->rows(), 1);
    out.note = refuses(*problem_, surrogate);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    const Mat& k = kernel() ? expansion_.gram(surrogate.scale) : scaled_.gram(surrogate.scale);
    if (kernel() && !expansion_.definite()) {
      out.note = "The kernel matrix is not positive semidefinite.";
      return out;
    }
    const IndexList free = free_columns(surrogate);
    const bool intercept_only = free.empty();
    const Outcome outcome = qp_.solve(k, equalities(free), intercept_only, limits);
    out.iterations = qp_.steps;
    if (outcome == Outcome::ray) return separated_by(out);
    const double gap = recover(surrogate, free, out);
    if (outcome == Outcome::interrupted) out.status = Status::interrupted;
    else if (gap <= limits.tol) out.status = Status::optimal;
    else if (outcome == Outcome::limit) out.status = Status::limit;
    else out.note = "Rounding kept the dual engine from the tolerance.";
    return out;
  }

 private:
  const Problem* problem_ = nullptr;
  DualQp qp_;
  ScaledGram scaled_;
  ExpansionGram expansion_;

  bool kernel() const { return problem_->quadratic == Quadratic::kernel; }

  IndexList free_columns(const Surrogate& s) const {
    IndexList free;
    for (Index j = 0; !kernel() && j < s.scale.size(); ++j)
      if (s.scale[j] == kInf) free.push_back(j);
    return free;
  }

  Mat equalities(const IndexList& free) const {
    const Index first = problem_->intercept ? 1 : 0;
    Mat f(problem_->x->rows(), first + free.size());
    if (first) f.col(0).setOnes();
    for (std::size_t e = 0; e < free.size(); ++e) problem_->x->column(free[e], f.col(first + e).data());
    return f;
  }

  // Multipliers on the bounded side of zero only: y a is the ray.
  Solution separated_by(Solution out) {
    out.status = Status::infeasible;
    out.note = "The classes are not separable by these columns.";
    out.dual.col(0) = qp_.ray.cwiseProduct(problem_->y.col(0)).cwiseMax(0.0);
    out.dual /= out.dual.sum();
    qp_.beta.setZero();
    return out;
  }

  Vec coefficients(const Surrogate& s, const Vec& v) const {
    return kernel() ? expansion_.coefficients(v) : scaled_.coefficients(v, s.scale);
  }

  // w by its formula, free columns and b from the equality multipliers, then b to its midpoint.
  // One pass over X; a second one only where K has lost digits to cancellation.
  // Returns the relative gap.
  double recover(const Surrogate& s, const IndexList& free, Solution& out) {
    Vec w = coefficients(s, qp_.beta);
    Vec fit = qp_.values();
    if (qp_.noise() > 1e-12) {
      for (int round = 0; round < 2; ++round) w += coefficients(s, qp_.refine(problem_->x->times(w)));
      fit = problem_->x->times(w);
      qp_.set_values(fit);
    }
    const Vec theta = qp_.coefficients();
    const Index first = problem_->intercept ? 1 : 0;
    const Mat f = equalities(free);
    for (std::size_t e = 0; e < free.size(); ++e) w[free[e]] = theta[first + e];
    if (!free.empty()) fit += f.rightCols(free.size()) * theta.tail(free.size());
    out.w.col(0) = w;
    const Vec y = problem_->y.col(0);
    if (first) out.b[0] = best_intercept(fit, y, problem_->cost, problem_->loss);
    stretch(fit, y, out);
    out.dual.col(0) = qp_.beta.cwiseProduct(y).cwiseMax(0.0);
    return relative_gap(fit.array() + out.b[0], out.dual.col(0));
  }

  // Where rounding alone leaves slack, a large cost would magnify it: the margin is made to hold. O(n).
  void stretch(Vec& fit, const Vec& y, Solution& out) const {
    if (problem_->loss != Loss::hinge) return;
    double worst = 0;
    for (Index i = 0; i < y.size(); ++i)
      if (problem_->cost[i] > 0) worst = std::max(worst, 1.0 - y[i] * (fit[i] + out.b[0]));
    if (worst <= 0 || worst > 1e-10) return;
    out.w *= 1 + 2 * worst;
    out.b *= 1 + 2 * worst;
    fit *= 1 + 2 * worst;
  }

  // Complementarity of multipliers and decision values; hard margins count by their violation. O(n).
  double relative_gap(const Vec& f, const Vec& a) const {
    const Vec& cost = problem_->cost;
    double sum = 0, worst = 0;
    for (Index i = 0; i < f.size(); ++i) {
      const double slack = 1.0 - problem_->y(i, 0) * f[i], excess = std::max(0.0, slack);
      if (cost[i] == kInf) {
        worst = std::max(worst, excess);
        sum += a[i] * std::max(0.0, -slack);
      } else if (cost[i] > 0 && problem_->loss == Loss::squared_hinge) {
        sum += 0.5 * cost[i] * excess * excess - a[i] * slack + 0.5 * a[i] * a[i] / cost[i];
      } else if (cost[i] > 0) {
        sum += cost[i] * excess - a[i] * slack;
      }
    }
    const double floor = problem_->hard() ? 1e-300 : 1e-6 * cost.sum();
    return 2 * worst + (sum > 0 ? sum / std::max({std::abs(qp_.dual_value()), floor, 1e-300}) : 0.0);
  }
};

}  // namespace

std::unique_ptr<Engine> make_dual_qp() { return std::make_unique<DualEngine>(); }

}  // namespace zeronorm

// Models with a smooth loss (squared, logistic, probit, squared hinge), l1 costs, ridges and unpenalised columns:
//   min over w, b:  sum_i c_i loss(y_i, f(x_i)) + sum_j v_j |w_j| + 1/2 sum_j (w_j / z_j)^2 - g'w
//
// Two kinds of moves alternate on a working set of columns. Coordinate descent on the quadratic model finds signs and
// zeros, many at a time; a Newton step with fixed signs gives the digits. Both search their line for its minimum and
// take the kinks into account at which a coefficient becomes zero, so that the objective always decreases and zeros
// are exact. Once the working columns are optimal, all columns are priced, and those that violate their cost join.
//
// Columns with a ridge and no l1 cost are never zero. If there are more of them than rows, they form one block, w_j =
// z_j^2 (x_j'alpha + g_j), which is represented by its n x n Gram matrix.
#include "base/line_search.h"
#include "base/simd.h"
#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/semidefinite.h"
#include "engines/parts/working_columns.h"
#include "grade/certificate.h"
#include "grade/regulariser.h"
#include "problem/loss.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

// Relative gap that is the target even if the limits ask for less.
constexpr double kTargetGap = 1e-10;
// Relative gap that is the target while columns are still entering.
constexpr double kFirstGap = 1e-3;
// Rounding error of a price, relative to the norms of column and forces.
constexpr double kRounding = 2e-15;
// The relative spacing of doubles.
constexpr double kEps = std::numeric_limits<double>::epsilon();
// Added to the unit diagonal of Newton's matrix.
constexpr double kJitter = 1e-13;
// A line search ends when the slope is below this fraction of the first slope.
constexpr double kFinalSlope = 0.1;
// Fewest columns that one pricing pass adds.
constexpr Index kBatch = 64;
// Number of working columns up to which inactive ones are kept for the next call.
constexpr Index kIdleColumns = 256;
// Largest number of sweeps of coordinate descent in one move.
constexpr int kSweeps = 20;
// A move that decreases the objective by less than this fraction counts as slow.
constexpr double kSlowDecrease = 1e-3;
// After this many slow moves columns enter one at a time.
constexpr int kMaxSlowMoves = 20;
// Moves without a decrease above rounding before the engine gives up.
constexpr int kMaxStalls = 5;
// Number of corrections of the final forces.
constexpr int kForceCorrections = 2;
// Residual, relative to its terms, that is required if the loss is close to zero.
constexpr double kResidualTol = 1e-9;
// Moves allowed in one call, to which 20 per row are added.
constexpr long kMinMoveBudget = 1000;
// Steps allowed in the second attempt, each of which factors the columns again.
constexpr long kCarefulSteps = 200;
// A move separates the classes if no margin is below minus this fraction of the largest one.
constexpr double kRayTol = 1e-8;
// The same fraction once moves no longer decrease the objective.
constexpr double kStalledRayTol = 1e-5;
// A force below this fraction of the cost of its row counts as zero.
constexpr double kVanishedForce = 1e-20;
// An objective below this many such forces counts as zero.
constexpr double kVanishedForces = 1e3;

class Smooth final : public BareEngine {
 public:
  Smooth() : BareEngine(kSmoothEngine) {}

  static std::string refusal(const Problem& problem, const Surrogate& surrogate);
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  // A change of all unknowns and the resulting change of the decision values.
  struct Move {
    Vec u, alpha, f;
  };

  Index n() const { return y_.size(); }
  Index size() const { return work_.size(); }
  bool has_block() const { return !block_.empty(); }

  void take(const Surrogate& surrogate, const Limits& limits);
  void take_block(const Surrogate& surrogate, const Limits& limits);
  void keep_columns(const Surrogate& surrogate);
  void add_column(Index j);
  void evaluate();
  void price_working();
  void polish();
  double residual(Index k) const;
  double noise(double norm) const { return norm * force_noise_; }
  bool held(Index k) const { return u_[k] != 0 || work_.up[k] + work_.down[k] == 0; }
  Index best_entering() const;
  double gap();
  bool balanced(double tol) const;
  Move descend() const;
  Move newton(Index entering = -1) const;
  Vec primal_step(const IndexList& columns) const;
  Move kernel_step(const IndexList& columns) const;
  double value(const Vec& u, const Vec& alpha, const Vec& f) const;
  KinkedLine line(const Move& move) const;
  double advance(const Move& move);
  bool has_margins() const { return problem_->loss == Loss::logistic || problem_->loss == Loss::probit; }
  bool separates(const Move& move, double ray) const;
  bool gone() const;
  Status settle(double aim, const Limits& limits, long& budget);
  bool price(double tol);
  Status run(const Limits& limits, long& budget);
  Solution attempt(const Limits& limits, long steps);
  void centre_intercept();
  Solution solution(Status status) const;

  const Problem* problem_ = nullptr;
  const Surrogate* surrogate_ = nullptr;
  Vec y_, cost_, margin_, norms_;
  // The smallest value to which gaps are relative, and the size of decision values.
  double floor_ = 0, unit_ = 1;

  // The intercept is a working column of ones.
  WorkingColumns work_;
  // The coefficients of the working columns.
  Vec u_;

  // The columns with a ridge and no l1 cost, if there are more of them than rows.
  IndexList block_;
  std::vector<char> in_block_;
  Vec block_scale_, alpha_, block_linear_;
  Mat gram_;

  // For each row the decision value, minus the gradient and the curvature of the loss.
  Vec f_, force_, curve_;
  // X'force of the working columns.
  Vec q_;
  // The rounding error of the forces, as a norm.
  double force_noise_ = 0;
  // The objective, and the part of the gap due to columns that are not zero.
  double value_ = 0, held_gap_ = 0;
  double jitter_ = kJitter;
  // Whether Newton steps factor the columns themselves, which keeps the digits that their Gram matrix loses.
  bool careful_ = false;
  bool warm_ = false;
};

std::string Smooth::refusal(const Problem& problem, const Surrogate& surrogate) {
  if (!is_smooth(problem.loss) || problem.y.cols() != 1)
    return "The smooth engine takes the squared, logistic, probit and squared hinge losses of one output.";
  if (problem.quadratic != Quadratic::none) return "The smooth engine has no kernel term.";
  if (!surrogate.groups.empty()) return "The smooth engine has no linking rows for groups.";
  if (!(problem.cost.maxCoeff() < kInf)) return "The smooth engine needs finite costs.";
  return "";
}

void Smooth::setup(const Problem& problem) {
  problem_ = &problem;
  y_ = problem.y.col(0);
  cost_ = problem.cost;
  margin_ = problem.margins();
  norms_ = problem.x->squared_norms().cwiseSqrt();
  floor_ = gap_floor(problem);
  unit_ = decision_unit(problem);
  work_.setup(problem.x, kBatch);
  u_.resize(0);
  block_.clear();
  warm_ = false;
}

void Smooth::take(const Surrogate& surrogate, const Limits& limits) {
  surrogate_ = &surrogate;
  if (!warm_) {
    work_.clear();
    u_.resize(0);
    block_.clear();
  }
  take_block(surrogate, limits);
  keep_columns(surrogate);
  if (problem_->intercept && size() == 0) add_column(-1);
  for (Index j = 0; j < norms_.size(); ++j)
    if (surrogate.scale[j] > 0 && surrogate.l1[j] == 0 && !work_.has(j) && !in_block_[j]) add_column(j);
  work_.read(surrogate, norms_);
}

// Finds the block and its Gram matrix. O(n^2 |block|) if its columns or their scales changed.
void Smooth::take_block(const Surrogate& s, const Limits& limits) {
  IndexList block;
  for (Index j = 0; j < s.scale.size(); ++j)
    if (s.l1[j] == 0 && s.scale[j] > 0 && s.scale[j] < kInf) block.push_back(j);
  if (Index(block.size()) <= n()) block.clear();
  const bool same = block == block_;
  block_ = std::move(block);
  in_block_.assign(norms_.size(), 0);
  for (Index j : block_) in_block_[j] = 1;
  if (!has_block()) {
    alpha_ = block_linear_ = Vec::Zero(n());
    block_scale_.resize(0);
    return;
  }
  Vec scale = Vec::Zero(s.scale.size());
  for (Index j : block_) scale[j] = s.scale[j];
  if (!same) alpha_ = Vec::Zero(n());
  if (!same || scale != block_scale_) gram_ = problem_->x->gram(scale, limits);
  block_scale_ = scale;
  block_linear_ = Vec::Zero(n());
  if (s.linear.size()) block_linear_ = problem_->x->times(scale.cwiseAbs2().cwiseProduct(s.linear));
}

// Keeps the working columns that are in the problem, outside the block, and nonzero unless there are few.
void Smooth::keep_columns(const Surrogate& s) {
  const bool few = size() <= kIdleColumns;
  const IndexList kept = work_.keep(
      [&](Index k, Index j) { return j < 0 || (s.scale[j] > 0 && !in_block_[j] && (few || u_[k] != 0)); });
  for (std::size_t k = 0; k < kept.size(); ++k) u_[k] = u_[kept[k]];
  u_.conservativeResize(size());
}

void Smooth::add_column(Index j) {
  work_.add(j);
  u_.conservativeResize(size());
  u_[size() - 1] = 0;
}

// Evaluates everything at the present coefficients. O(n |W|), plus O(n^2) with a block.
void Smooth::evaluate() {
  f_ = block_linear_;
  if (has_block()) f_ += gram_ * alpha_;
  for (Index k = 0; k < size(); ++k)
    if (u_[k] != 0) f_ += u_[k] * work_.col(k);
  force_.resize(n());
  curve_.resize(n());
  for (Index i = 0; i < n(); ++i) {
    force_[i] = cost_[i] * loss_force(problem_->loss, y_[i], f_[i], margin_[i]);
    curve_[i] = cost_[i] * loss_curvature(problem_->loss, y_[i], f_[i], margin_[i]);
  }
  force_noise_ = kRounding * force_.norm() + kEps * curve_.maxCoeff() * u_.cwiseProduct(work_.length).norm();
  price_working();
}

void Smooth::price_working() {
  q_.resize(size());
  for (Index k = 0; k < size(); ++k) q_[k] = simd::dot(work_.col(k).data(), force_.data(), n());
}

// Replaces the forces at the decision values, which lose the digits that large coefficients cancel, by those of
// Newton's linear model, which meet the costs of the working columns to full precision.
void Smooth::polish() {
  jitter_ = kJitter;
  for (int step = 0; step < kForceCorrections; ++step) {
    const Move move = newton();
    if (!move.f.allFinite()) return;
    force_ -= curve_.cwiseProduct(move.f);
    alpha_ += move.alpha;
    price_working();
  }
  force_noise_ = kRounding * force_.norm();
}

// Returns the violation of the optimality condition of a working column: minus the gradient for the present sign; at
// zero, the excess of the price over its cost.
double Smooth::residual(Index k) const {
  const double q = q_[k] - work_.bend[k] * u_[k];
  if (u_[k] != 0) return u_[k] > 0 ? q - work_.up[k] : q + work_.down[k];
  return soft(q, work_.up[k], work_.down[k]);
}

// Returns the working column at zero with the largest residual relative to its norm; -1 if none enters.
Index Smooth::best_entering() const {
  Index best = -1;
  double most = 0;
  for (Index k = 0; k < size(); ++k) {
    if (held(k)) continue;
    const double r = std::abs(residual(k));
    if (r <= noise(work_.length[k]) || r <= most * work_.length[k]) continue;
    best = k;
    most = r / work_.length[k];
  }
  return best;
}

// Returns the objective up to a constant of the block. O(n + |W|), plus O(n^2) with a block.
double Smooth::value(const Vec& u, const Vec& alpha, const Vec& f) const {
  double value = has_block() ? 0.5 * alpha.dot(gram_ * alpha) : 0.0;
  for (Index i = 0; i < n(); ++i) value += cost_[i] * loss_value(problem_->loss, y_[i], f[i], margin_[i]);
  for (Index k = 0; k < size(); ++k)
    value += u[k] * (0.5 * work_.bend[k] * u[k] + (u[k] > 0 ? work_.up[k] : -work_.down[k]));
  return value;
}

// Returns the duality gap that the residuals can cause, relative to the objective. With a ridge they also count to
// first order, for accurate coefficients. O(n + |W|), plus O(n^2) with a block.
double Smooth::gap() {
  value_ = value(u_, alpha_, f_);
  double spread = 0, held_spread = 0;
  // Multipliers of zero prove the value zero if there is no linear term; with a block a constant of the value is
  // unknown.
  const double most = surrogate_->linear.size() || has_block() ? kInf : value_;
  if (has_block()) {
    const Vec off = force_ - alpha_;
    held_spread = 0.5 * off.dot(gram_ * off);
  }
  const double unit = std::sqrt(f_.squaredNorm() / double(n())) + unit_;
  for (Index k = 0; k < size(); ++k) {
    const double r = std::max(0.0, std::abs(residual(k)) - noise(work_.length[k]));
    if (r == 0) continue;
    const double cost = std::min(work_.up[k], work_.down[k]);
    double reach = kReach * std::max(std::abs(u_[k]), unit * std::sqrt(double(n())) / work_.length[k]);
    if (cost > 0) reach = std::min(reach, std::abs(value_) / cost);
    if (work_.bend[k] > 0) reach = std::min(reach, std::max(std::abs(u_[k]), r / work_.bend[k]));
    (held(k) ? held_spread : spread) += r * reach;
  }
  const double size = std::max(std::abs(value_), floor_);
  held_gap_ = held_spread / size;
  return std::min(held_spread + spread, most) / size;
}

// For separated classes the gap is negligible beside the costs long before the coefficients are optimal, or are found
// not to exist. There the residuals have to be small relative to the costs and the forces. O(|W|).
bool Smooth::balanced(double tol) const {
  if (!has_margins() || value_ >= floor_) return true;
  const double force = force_.norm();
  for (Index k = 0; k < size(); ++k) {
    const double cost = u_[k] < 0 ? work_.down[k] : work_.up[k];
    const double most = std::max(cost, work_.length[k] * force);
    if (std::abs(residual(k)) > tol * most + noise(work_.length[k])) return false;
  }
  return true;
}

// Coordinate descent on the quadratic model. O(n |W|) per sweep.
Smooth::Move Smooth::descend() const {
  Move move{u_, Vec::Zero(n()), Vec::Zero(n())};
  Vec force = force_, own(size());
  for (Index k = 0; k < size(); ++k) own[k] = work_.col(k).cwiseAbs2().dot(curve_);
  double first = 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double gain = 0;
    for (Index k = 0; k < size(); ++k) {
      const double h = own[k] + work_.bend[k];
      if (!(h > 0)) continue;
      const double q = simd::dot(work_.col(k).data(), force.data(), n());
      double price = soft(q + own[k] * move.u[k], work_.up[k], work_.down[k]);
      if (move.u[k] == 0 && std::abs(price) <= noise(work_.length[k])) price = 0;
      const double change = price / h - move.u[k];
      if (change == 0) continue;
      move.u[k] += change;
      simd::axpy(change, work_.col(k).data(), move.f.data(), n());
      force -= change * curve_.cwiseProduct(work_.col(k));
      gain = std::max(gain, h * change * change);
    }
    first = std::max(first, gain);
    if (gain <= 1e-4 * first) break;
  }
  move.u -= u_;
  return move;
}

// Returns the Newton step with signs and zeros fixed, except for one column that may enter.
Smooth::Move Smooth::newton(Index entering) const {
  IndexList columns;
  Index ridges = 0;
  for (Index k = 0; k < size(); ++k)
    if (held(k) || k == entering) columns.push_back(k), ridges += work_.bend[k] > 0;
  if (has_block() || ridges > n()) return kernel_step(columns);
  Move move{Vec::Zero(size()), Vec::Zero(n()), Vec::Zero(n())};
  if (columns.empty()) return move;
  const Vec step = primal_step(columns);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    move.u[columns[c]] = step[c];
    move.f += step[c] * work_.col(columns[c]);
  }
  return move;
}

// Returns the step of p columns. O(n p^2 + p^3).
Vec Smooth::primal_step(const IndexList& columns) const {
  const Index p = Index(columns.size());
  const Vec root = curve_.cwiseSqrt();
  Mat x(n(), p);
  Vec r(p), otherwise(p), bend(p);
  const double mean = std::max(cost_.mean(), 1e-300);
  for (Index c = 0; c < p; ++c) {
    x.col(c) = root.cwiseProduct(work_.col(columns[c]));
    r[c] = residual(columns[c]);
    otherwise[c] = mean * std::max(work_.length[columns[c]] * work_.length[columns[c]], 1e-300);
    bend[c] = work_.bend[columns[c]];
  }
  if (careful_) return solve_normal(x, bend, r, otherwise);
  Mat h = Mat::Zero(p, p);
  h.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  h.diagonal() += bend;
  return solve_semidefinite(std::move(h), r, otherwise, jitter_);
}

// Returns the same step by rows if ridges outnumber rows, from the scaled Gram matrix of all columns with a ridge.
// O(n^3 + n^2 p).
Smooth::Move Smooth::kernel_step(const IndexList& columns) const {
  IndexList ridges, others;
  for (Index k : columns) (work_.bend[k] > 0 ? ridges : others).push_back(k);
  Move move{Vec::Zero(size()), Vec::Zero(n()), Vec::Zero(n())};
  Vec rho = Vec::Zero(n());
  Mat m = Mat::Zero(n(), n());
  if (has_block()) {
    move.alpha = force_ - alpha_;
    m = gram_;
    rho = gram_ * move.alpha;
  }
  if (!ridges.empty()) {
    Mat x(n(), ridges.size());
    for (std::size_t c = 0; c < ridges.size(); ++c) {
      x.col(c) = work_.col(ridges[c]) / std::sqrt(work_.bend[ridges[c]]);
      rho += (residual(ridges[c]) / work_.bend[ridges[c]]) * work_.col(ridges[c]);
    }
    m.selfadjointView<Eigen::Lower>().rankUpdate(x);
  }
  Mat b(n(), others.size());
  Vec r(others.size()), otherwise(others.size());
  for (std::size_t c = 0; c < others.size(); ++c) {
    b.col(c) = work_.col(others[c]);
    r[c] = residual(others[c]);
    otherwise[c] = std::max(work_.length[others[c]] * work_.length[others[c]], 1e-300);
  }
  const RowStep step = solve_by_rows(std::move(m), curve_, b, r, rho, otherwise, jitter_);
  for (std::size_t c = 0; c < others.size(); ++c) move.u[others[c]] = step.v[c];
  move.f = step.f;
  if (has_block()) {
    move.alpha -= step.force;
    move.f += gram_ * move.alpha;
  }
  for (Index k : ridges) {
    move.u[k] = (residual(k) - work_.col(k).dot(step.force)) / work_.bend[k];
    move.f += move.u[k] * work_.col(k);
  }
  return move;
}

// Returns the objective along a move, which must outlive it. O(p log p), plus O(n^2) with a block; each slope O(n).
KinkedLine Smooth::line(const Move& move) const {
  KinkedLine line;
  double constant = line.set_kinks(u_, move.u, work_.up, work_.down), rise = 0;
  for (Index k = 0; k < size(); ++k) {
    constant += move.u[k] * work_.bend[k] * u_[k];
    rise += work_.bend[k] * move.u[k] * move.u[k];
  }
  if (has_block()) {
    const Vec g = gram_ * move.alpha;
    constant += alpha_.dot(g);
    rise += move.alpha.dot(g);
  }
  line.smooth = [this, &f = move.f, constant, rise](double t) {
    double s = constant + rise * t;
    for (Index i = 0; i < n(); ++i)
      if (f[i] != 0) s -= cost_[i] * loss_force(problem_->loss, y_[i], f_[i] + t * f[i], margin_[i]) * f[i];
    return s;
  };
  return line;
}

// Moves to the minimum along the move, or to its end with every coefficient that would change sign set to zero,
// whichever has the lower objective. Returns the slope at the start, or zero if nothing is gained. O(n log p), plus
// O(n) per sign.
double Smooth::advance(const Move& move) {
  const KinkedLine line = this->line(move);
  const double start = line.slope(0, 0);
  if (!(start < 0)) return 0;
  const double t = line.lowest(kFinalSlope * -start);
  Vec u = u_ + t * move.u, alpha = alpha_ + t * move.alpha;
  for (const auto& kink : line.kinks)
    if (kink.first == t) u[kink.second] = 0;
  if (!line.kinks.empty() && line.kinks[0].first < 1) {
    Vec clipped = u_ + move.u, f = f_ + move.f;
    for (const auto& kink : line.kinks) {
      if (kink.first >= 1) break;
      f -= clipped[kink.second] * work_.col(kink.second);
      clipped[kink.second] = 0;
    }
    const Vec end = alpha_ + move.alpha;
    if (value(clipped, end, f) < value(u, alpha, f_ + t * move.f)) u = clipped, alpha = end;
  }
  u_ = std::move(u);
  alpha_ = std::move(alpha);
  return start;
}

// Returns whether columns without any cost separate the classes along this move: the logistic loss then has no
// minimum. O(n) per such column.
bool Smooth::separates(const Move& move, double ray) const {
  if (!has_margins()) return false;
  Vec f = Vec::Zero(n());
  for (Index k = 0; k < size(); ++k)
    if (work_.up[k] == 0 && work_.down[k] == 0 && work_.bend[k] == 0) f += move.u[k] * work_.col(k);
  double worst = 0, best = 0;
  for (Index i = 0; i < n(); ++i) {
    if (cost_[i] == 0) continue;
    worst = std::min(worst, y_[i] * f[i]);
    best = std::max(best, y_[i] * f[i]);
  }
  return best > 0 && -worst <= ray * best;
}

// Returns whether the classes are separated so far that every loss is negligible and the penalty is too small to
// bound the coefficients within the range of double precision. O(n).
bool Smooth::gone() const {
  if (!has_margins() || value_ > kVanishedForces * kVanishedForce * cost_.sum()) return false;
  bool any = false;
  for (Index i = 0; i < n(); ++i) {
    if (std::abs(force_[i]) > kVanishedForce * cost_[i]) return false;
    any = any || cost_[i] > 0;
  }
  return any;
}

// Takes moves until the working columns are optimal or rounding prevents progress.
Status Smooth::settle(double aim, const Limits& limits, long& budget) {
  double best = kInf;
  int stalls = 0, slow = 0;
  double last = kInf;
  for (;;) {
    evaluate();
    if (gone()) return Status::unbounded;
    const double now = gap();
    const bool close = now <= aim || (now <= kTargetGap && slow > 5 * kMaxSlowMoves);
    if (close && balanced(std::max(aim, kResidualTol))) return Status::optimal;
    if (!(now < kInf)) return Status::numerical;
    if (limits.stop_now()) return Status::interrupted;
    if (budget == 0) return close ? Status::optimal : Status::limit;
    --budget;
    slow += value_ > (1 - kSlowDecrease) * last;
    jitter_ = kJitter * std::pow(10.0, std::min(slow / (5 * kMaxSlowMoves), 6));
    last = value_;
    double slope = 0;
    const Index entering = best_entering();
    const bool descending = entering >= 0 && slow < kMaxSlowMoves;
    if (descending) {
      slope = advance(descend());
      evaluate();
    }
    const Move move = newton(!descending && held_gap_ <= kFinalSlope * now ? entering : -1);
    if (!move.u.allFinite() || !move.f.allFinite()) return Status::numerical;
    if (separates(move, kRayTol)) return Status::unbounded;
    slope = std::min(slope, advance(move));
    if (slope == 0 && entering >= 0) slope = advance(descend());
    stalls = now < 0.5 * best ? 0 : stalls + (-slope <= 1e-14 * std::abs(value_));
    best = std::min(best, now);
    if (stalls <= kMaxStalls) continue;
    // If only some observations are separated, rounding of the others limits the accuracy of the ray.
    if (best > kProof && separates(move, kStalledRayTol)) return Status::unbounded;
    return best <= kProof ? Status::optimal : Status::numerical;
  }
}

// Returns true if no column outside the working set violates its cost; otherwise adds those with the largest gain.
// O(nd).
bool Smooth::price(double tol) {
  const Vec g = problem_->x->transposed_times(force_);
  const double mean = curve_.mean();
  std::vector<std::pair<double, Index>> found;
  for (Index j = 0; j < g.size(); ++j) {
    if (work_.has(j) || in_block_[j] || surrogate_->scale[j] == 0) continue;
    const double up = surrogate_->cost_up(j), down = surrogate_->cost_down(j);
    const double v = std::abs(soft(g[j], up, down));
    if (v <= noise(norms_[j]) + 1e-3 * tol * std::min(up, down)) continue;
    const double z = surrogate_->scale[j];
    found.emplace_back(-v / std::sqrt(mean * norms_[j] * norms_[j] + 1 / (z * z) + 1e-300), j);
  }
  if (found.empty()) return true;
  const Index more = std::min<Index>(found.size(), std::max<Index>(kBatch, size() / 2));
  std::partial_sort(found.begin(), found.begin() + more, found.end());
  IndexList entering;
  for (Index k = 0; k < more; ++k) entering.push_back(found[k].second);
  std::sort(entering.begin(), entering.end());  // The first of several equal columns gets the weight.
  for (Index j : entering) add_column(j);
  work_.read(*surrogate_, norms_);
  return false;
}

Status Smooth::run(const Limits& limits, long& budget) {
  const double tol = std::min(limits.tol, kTargetGap);
  for (double aim = kFirstGap;;) {
    const Status status = settle(aim, limits, budget);
    if (status != Status::optimal) return status;
    if (aim <= tol) polish();
    if (!price(tol)) continue;
    if (aim <= tol) return Status::optimal;
    aim = 1e-2 * tol;
  }
}

// Moves the intercept to the midpoint of the optimal ones; only the squared hinge can have several. O(n log n).
void Smooth::centre_intercept() {
  if (!problem_->intercept || problem_->loss != Loss::squared_hinge) return;
  const double old = u_[0],
               mid = best_intercept(f_.array() - old, y_, cost_, problem_->loss, problem_->margin);
  if (!(std::abs(mid - old) > 1e-8 * (1 + std::abs(old)))) return;
  const double before = gap();
  u_[0] = mid;
  evaluate();
  if (gap() <= std::max(before, kTargetGap)) return;
  u_[0] = old;
  evaluate();
}

// Returns the solution. O(nd) with a block.
Solution Smooth::solution(Status status) const {
  const Index d = norms_.size();
  Solution s;
  s.engine = name();
  s.status = status;
  s.w = Mat::Zero(d, 1);
  if (has_block()) {
    const Vec p = problem_->x->transposed_times(alpha_);
    for (Index j : block_) {
      const double pull = p[j] + (surrogate_->linear.size() ? surrogate_->linear[j] : 0.0);
      s.w(j, 0) = block_scale_[j] * (block_scale_[j] * pull);
    }
  }
  s.b = Vec::Zero(1);
  for (Index k = 0; k < size(); ++k) (work_.id(k) < 0 ? s.b[0] : s.w(work_.id(k), 0)) = u_[k];
  s.dual = forces(*problem_, force_);
  if (status == Status::unbounded)
    s.note = "Features with no penalty, or next to none, tell the classes apart: the loss has no minimum.";
  return s;
}

Solution Smooth::solve(const Surrogate& surrogate, const Limits& limits) {
  take(surrogate, limits);
  const long asked = limits.iterations;
  careful_ = false;
  Solution s = attempt(limits, asked > 0 ? asked : kMinMoveBudget + 20 * n());
  const bool failed = s.status == Status::numerical || s.status == Status::limit ||
                      (s.status == Status::optimal && !s.certificate.holds(kProof));
  const long left = asked > 0 ? asked - s.iterations : kCarefulSteps;
  if (!failed || has_block() || left == 0) return s;
  careful_ = true;
  Solution again = attempt(limits, left);
  again.iterations += s.iterations;
  return again.status == Status::optimal || s.status != Status::optimal ? again : s;
}

// Solves from the present coefficients with at most this many steps.
Solution Smooth::attempt(const Limits& limits, long steps) {
  long budget = steps;
  Status status = limits.stop_now() ? Status::interrupted : run(limits, budget);
  if (force_.size() != n()) evaluate();
  warm_ = status == Status::optimal;
  if (warm_) centre_intercept();
  Solution s = solution(status);
  s.iterations = steps - budget;
  if (warm_) s.certificate = certify(*problem_, *surrogate_, s);
  return s;
}

}  // namespace

std::unique_ptr<Engine> make_smooth() { return std::make_unique<Smooth>(); }

const EngineKind kSmoothEngine{"smooth", Smooth::refusal, [](const HighsSettings&) { return make_smooth(); }};

}  // namespace zeronorm

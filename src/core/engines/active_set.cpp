// SVMs with an l1 penalty and a ridge: hinge or squared hinge loss, l1 costs per column, finite scales.
//   min over w, b:  sum_i c_i h(m_i - y_i f(x_i)) + sum_j v_j |w_j| + 1/2 sum_j (w_j / z_j)^2 - g'w
// With u = w / z every column has unit ridge, and for multipliers a in the box [0, c] the minimiser is u_j =
// soft(g_j) with g = X'(y a), so all signs and zeros of u follow from a. The dual
//   m'a - 1/2 sum_j soft(g_j)^2 - [squared hinge] sum a_i^2 / (2 c_i)
// is a smooth piecewise quadratic on a box. A proximal method of multipliers replaces the box and the equations of
// the unpenalised columns by penalties with multipliers of their own. Each outer iteration then maximises a smooth
// concave function without constraints by semismooth Newton steps with an exact line search, and prices the remaining
// columns in between. Every linear system is regular, so neither ties nor duplicated columns can make the method
// cycle. The right active set is found after finitely many iterations, and one solve of its KKT system ends the
// search.
#include "base/gram.h"
#include "base/line_search.h"
#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/hinge_start.h"
#include "engines/parts/kkt_step.h"
#include "engines/parts/pricing.h"
#include "grade/certificate.h"
#include "grade/regulariser.h"
#include "problem/loss.h"
#include "problem/margins.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

// Fewest columns that one pricing pass adds to the working set.
constexpr Index kBatch = 64;
// From this number of rows on, a start at zero multipliers needs too many Newton steps; see guess().
constexpr Index kManyRows = 1000;
// Up to this number of rows X_P X_P' is kept from step to step if there are at least half as many active columns.
constexpr Index kMaxRowsForOuterProduct = 4000;
// Relative gap to which the SVM without l1 costs is solved when its multipliers are the start.
constexpr double kRidgeStartTol = 1e-4;
// Number of working columns up to which inactive ones are kept for the next call.
constexpr Index kIdleColumns = 256;
// Largest entry of the gradient that the first proximal iterations, in which columns still enter, have to reach.
constexpr double kFirstTol = 0.1;
// Smallest tolerance on the gradient; an iteration that runs at it counts towards kMaxFailures.
constexpr double kLastTol = 1e-12;
// Newton steps of an iteration at kFirstTol; iterations at smaller tolerances may take ten times as many.
constexpr int kFirstNewtonSteps = 30;
// Newton steps end when the predicted change is below this fraction of the sum of the multipliers.
constexpr double kRounding = 1e-16;
// Newton steps allowed in one call, to which 20 per row are added.
constexpr long kMinStepBudget = 1000;
// Iterations that miss their tolerance, or run at the smallest one, before the engine gives up.
constexpr int kMaxFailures = 50;
// Largest product of sigma and the curvature, which keeps the Newton matrix well conditioned.
constexpr double kMaxStiffness = 1e10;
// Largest growth of the proximal terms: beyond it the forces at the bounds are lost in rounding.
constexpr double kMaxGrowth = 1e8;
// Largest violation of a hard margin that counts as rounding.
constexpr double kMaxViolation = 1e-9;

class ActiveSet final : public BareEngine {
 public:
  ActiveSet() : BareEngine(kActiveSetEngine) {}

  static std::string refusal(const Problem& problem, const Surrogate& surrogate);
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  void take(const Surrogate& surrogate);
  void take_free(const Surrogate& surrogate);
  void start();
  bool guess(const Surrogate& surrogate, const Limits& limits);
  bool follow_ridge(Surrogate ridge, const Limits& limits);
  void lean_on_bounds(const Vec& residual);
  void add_column(Index j);
  void drop_columns();
  void prune();
  Violators& violators(const Vec& a);
  bool price();
  void evaluate();
  void threshold();
  void gradient();
  Vec newton();
  void update_outer(const IndexList& cols);
  void add_outer(const IndexList& cols, double sign);
  IndexList support() const;
  double bound_force(Index i, double a) const;
  bool climb(double tol, const Limits& limits, long& budget);
  void recentre();
  double gap() const;
  void settle();
  Vec correction(const IndexList& rows, bool singular) const;
  void refine_primal(const IndexList& rows, const Vec& step);
  bool polish(double tol);
  void centre_intercept(double tol);
  bool ray(Vec& a) const;
  void set_lengths(double growth);
  Status climb_to_top(const Limits& limits, long& budget, Vec& farkas);
  Solution solution(Status status) const;

  Index n() const { return y_.size(); }
  Index f() const { return tau_.size(); }

  const Problem* problem_ = nullptr;
  // Signed labels, required margins, upper bounds of the multipliers, and 1 / c for the squared hinge (else 0).
  Vec y_, margin_, upper_, quad_;
  // The surrogate in units of u = w / z: scales and the costs of positive and negative weights.
  Vec z_, up_, down_;
  // The unpenalised columns. The intercept, if any, is the last column of free_x_ and has no index here.
  IndexList free_;
  // Unpenalised columns times the labels.
  Mat free_x_;
  Vec free_linear_, tau_;
  Pricing pricing_;
  // Costs of the surrogate; infinite where a column has scale zero or none.
  Vec cost_up_, cost_down_;
  // X'(y a) of all columns; columns that cannot enter keep an outdated value.
  Vec prices_;
  Violators violators_;
  // The first ids_.size() columns are the working columns, times labels and scales.
  Mat work_;
  IndexList ids_;
  // One flag for each column of x.
  std::vector<char> working_;
  // Sum of x x' over the working columns that counted_ marks (lower half).
  Mat outer_;
  std::vector<char> counted_;
  // The multipliers a, and X'(y a) for working and unpenalised columns.
  Vec a_, g_, free_g_;
  // What follows from a: scaled weights, coefficients of unpenalised columns, forces at the bounds, gradient.
  Vec u_, b_, force_, grad_;
  // Centres of the proximal terms.
  Vec a0_, b0_, force0_;
  // Lengths of the proximal terms of the multipliers and of the box.
  double sigma_ = 0, omega_ = 0;
  bool warm_ = false;
};

std::string ActiveSet::refusal(const Problem& problem, const Surrogate& surrogate) {
  if (!has_slacks(problem.loss)) return "The active-set engine takes the hinge and the squared hinge loss.";
  if (problem.y.cols() != 1) return "The active-set engine takes one column of labels.";
  if (problem.loss == Loss::weston_watkins) return "The active-set engine has no Weston-Watkins loss.";
  if (problem.quadratic != Quadratic::none) return "The active-set engine has no kernel term.";
  if (!surrogate.groups.empty()) return "The active-set engine has no linking rows for groups.";
  for (Index j = 0; j < surrogate.scale.size(); ++j)
    if (surrogate.scale[j] == kInf && surrogate.l1[j] > 0)
      return "The active-set engine needs a ridge on every column with an l1 cost.";
  return "";
}

void ActiveSet::setup(const Problem& problem) {
  problem_ = &problem;
  y_ = problem.y.col(0);
  margin_ = problem.margins();
  const bool squared = problem.loss == Loss::squared_hinge;
  upper_ = problem.cost;
  quad_ = Vec::Zero(n());
  for (Index i = 0; squared && i < n(); ++i) {
    upper_[i] = problem.cost[i] > 0 ? kInf : 0.0;
    if (problem.cost[i] > 0) quad_[i] = 1 / problem.cost[i];
  }
  pricing_.setup(problem.x);
  prices_ = Vec::Zero(problem.x->cols());
  work_.resize(n(), kBatch);
  ids_.clear();
  working_.assign(problem.x->cols(), 0);
  warm_ = false;
}

// Expresses the surrogate in units of u and rescales the working columns. O(d + n |W|).
void ActiveSet::take(const Surrogate& surrogate) {
  const Index d = problem_->x->cols();
  const Vec old = z_;
  z_ = surrogate.scale;
  up_ = down_ = Vec::Zero(d);
  cost_up_ = cost_down_ = Vec::Constant(d, kInf);
  for (Index j = 0; j < d; ++j) {
    if (z_[j] == kInf) z_[j] = 0;
    if (z_[j] == 0) continue;
    cost_up_[j] = surrogate.cost_up(j);
    cost_down_[j] = surrogate.cost_down(j);
    up_[j] = z_[j] * cost_up_[j];
    down_[j] = z_[j] * cost_down_[j];
  }
  take_free(surrogate);
  if (!warm_) return;
  const IndexList kept = ids_;
  ids_.clear();
  for (Index k = 0; k < Index(kept.size()); ++k) {
    const Index j = kept[k];
    working_[j] = z_[j] > 0;
    if (z_[j] == 0) continue;
    work_.col(ids_.size()) = work_.col(k) * (z_[j] / old[j]);
    ids_.push_back(j);
  }
}

void ActiveSet::take_free(const Surrogate& surrogate) {
  const IndexList before = free_;
  free_.clear();
  for (Index j = 0; j < surrogate.scale.size(); ++j)
    if (surrogate.scale[j] == kInf) free_.push_back(j);
  const Index k = free_.size() + problem_->intercept;
  if (free_ != before) warm_ = false;
  free_x_.resize(n(), k);
  free_linear_ = tau_ = Vec::Zero(k);
  for (Index l = 0; l < Index(free_.size()); ++l) {
    problem_->x->column(free_[l], free_x_.col(l).data());
    free_x_.col(l).array() *= y_.array();
    free_linear_[l] = (surrogate.cost_down(free_[l]) - surrogate.cost_up(free_[l])) / 2;
  }
  if (problem_->intercept) free_x_.col(k - 1) = y_;
}

void ActiveSet::drop_columns() {
  for (Index j : ids_) working_[j] = 0;
  ids_.clear();
}

void ActiveSet::add_column(Index j) {
  const Index k = ids_.size();
  if (k == work_.cols()) work_.conservativeResize(n(), 2 * k);
  problem_->x->column(j, work_.col(k).data());
  work_.col(k).array() *= y_.array() * z_[j];
  ids_.push_back(j);
  working_[j] = 1;
}

// Starts without working columns at multipliers inversely proportional to class sizes, where w = 0 violates the
// margin, scaled to their best length. O(nd).
void ActiveSet::start() {
  drop_columns();
  double plus = 0, minus = 0;
  const auto pays = [&](Index i) { return upper_[i] > 0 && margin_[i] > 0; };
  for (Index i = 0; i < n(); ++i)
    if (pays(i)) (y_[i] > 0 ? plus : minus) += 1;
  double longest = kInf;
  a_ = Vec::Zero(n());
  for (Index i = 0; i < n(); ++i) {
    if (!pays(i)) continue;
    a_[i] = 1 / (y_[i] > 0 ? plus : minus);
    longest = std::min(longest, upper_[i] / a_[i]);
  }
  Vec g = problem_->x->transposed_times(y_.cwiseProduct(a_)).cwiseProduct(z_);
  const Vec norms = pricing_.norms().cwiseProduct(z_);
  for (Index j = 0; j < g.size(); ++j)
    if (std::abs(g[j]) <= 1e-12 * norms[j] * a_.norm()) g[j] = 0;
  const double mass = margin_.dot(a_), bend = a_.cwiseAbs2().dot(quad_);
  const auto slope = [&](double t) {
    double s = bend * t - mass;
    for (Index j = 0; j < g.size(); ++j) s += g[j] * soft(t * g[j], up_[j], down_[j]);
    return s;
  };
  double t = 1;
  if (slope(t) < 0) {
    int doubled = 0;
    for (; doubled < 100 && 2 * t < longest && slope(2 * t) < 0; ++doubled) t *= 2;
    if (doubled == 100) t = 1;  // The dual is unbounded along these multipliers, so no length is best.
  } else {
    for (int k = 0; k < 60 && slope(t) > 0; ++k) t /= 2;
  }
  a_ *= std::min(t, longest);
  b_ = Vec::Zero(f());
  force0_ = Vec::Zero(n());
}

// With many rows, moves the start to the minimum of a rounded hinge on working columns, because Newton steps from
// zero would take only a few rows at a time to their bounds. If too many columns enter, the solution of the SVM
// without l1 costs is the start instead. Returns false if that fails, too.
bool ActiveSet::guess(const Surrogate& surrogate, const Limits& limits) {
  if (problem_->loss != Loss::hinge || problem_->hard() || n() < kManyRows) return false;
  HingeStart smooth(margin_, upper_);
  const auto length = [&](Index l) { return std::max(free_x_.col(l).norm(), 1e-300); };
  for (Index l = 0; l < f(); ++l) {
    const double cost = free_linear_[l] / length(l);
    smooth.add_column(free_x_.col(l) / length(l), -cost, cost);
  }
  const auto join = [&](Index j) {
    add_column(j);
    const double size = pricing_.norms()[j] * z_[j];
    smooth.add_column(work_.col(ids_.size() - 1) / size, up_[j] / size, down_[j] / size, 1 / (size * size));
  };
  const auto candidates = [&](const Vec& a) -> Violators& { return violators(a); };
  const Index most = n() / 2;
  if (!approach(smooth, a_, {candidates, join, kBatch, most}, limits)) {
    drop_columns();
    return smooth.size() > most && follow_ridge(surrogate, limits);
  }
  a_ = smooth.multipliers();
  lean_on_bounds(smooth.residuals());
  for (Index l = 0; l < f(); ++l) b_[l] = smooth.coefficient(l) / length(l);
  return true;
}

// Starts from the SVM without l1 costs and adds every column that its multipliers violate. If most columns enter, the
// l1 costs are small beside the gradients, and this solution is close.
bool ActiveSet::follow_ridge(Surrogate ridge, const Limits& limits) {
  ridge.l1 = Vec::Zero(ridge.l1.size());
  ridge.linear.resize(0);
  if (!kNewtonEngine.refusal(*problem_, ridge).empty()) return false;
  const auto engine = make_newton();
  engine->setup(*problem_);
  Limits rough = limits;
  rough.tol = std::max(kRidgeStartTol, limits.tol);
  const Solution s = engine->solve(ridge, rough);
  if (s.status != Status::optimal) return false;
  a_ = s.dual.col(0);
  for (const auto& [excess, j] : violators(a_)) add_column(j);
  lean_on_bounds(margin_ - y_.cwiseProduct(decision_values(*problem_->x, s.w, s.b).col(0)));
  for (std::size_t l = 0; l < free_.size(); ++l) b_[Index(l)] = s.w(free_[l], 0);
  if (problem_->intercept) b_[f() - 1] = s.b[0];
  return true;
}

// Sets the forces of the rows whose multiplier is at a bound to their residuals. O(n).
void ActiveSet::lean_on_bounds(const Vec& residual) {
  for (Index i = 0; i < n(); ++i) {
    const bool below = a_[i] <= 0 && residual[i] < 0, above = a_[i] >= upper_[i] && residual[i] > 0;
    force0_[i] = below || above ? residual[i] : 0.0;
  }
}

// Chooses the lengths of the proximal terms from the curvature and the size of a. They grow towards the end, when few
// Newton steps are left. O(n |P|).
void ActiveSet::set_lengths(double growth) {
  double active = 0, largest = 0;
  for (Index k = 0; k < u_.size(); ++k) {
    const double square = work_.col(k).squaredNorm() / n();
    if (u_[k] != 0) active += square;
    largest = std::max(largest, square);
  }
  const double curvature = active > 0 ? active : largest > 0 ? largest : 1;
  const double reach = std::min(upper_.maxCoeff() > 0 ? upper_.maxCoeff() : 1, 1 / curvature);
  const double size = std::max(a_.maxCoeff(), 0.01 * reach);
  sigma_ = std::min(kMaxStiffness / curvature, growth * std::max(30 / curvature, size));
  const double stiffness = std::max(curvature, 1 / size);
  omega_ = std::sqrt(growth) * stiffness;
  for (Index l = 0; l < f(); ++l)
    tau_[l] = 100 * stiffness * n() / std::max(free_x_.col(l).squaredNorm(), 1e-300);
}

// Computes X'(y a) for working and unpenalised columns. O(n |W|).
void ActiveSet::evaluate() {
  g_ = work_.leftCols(ids_.size()).transpose() * a_;
  free_g_ = free_x_.transpose() * a_ + free_linear_;
}

// Returns the penalty gradient that moves a_i back into its box. At a bound it is the residual of the row, free of
// cancellation.
inline double ActiveSet::bound_force(Index i, double a) const {
  const double below = omega_ * a + force0_[i], above = omega_ * (a - upper_[i]) + force0_[i];
  return below < 0 ? below : above > 0 ? above : 0.0;
}

// Computes u from g by soft thresholding. O(|W|).
void ActiveSet::threshold() {
  u_.resize(ids_.size());
  for (Index k = 0; k < u_.size(); ++k) u_[k] = soft(g_[k], up_[ids_[k]], down_[ids_[k]]);
}

IndexList ActiveSet::support() const {
  IndexList cols;
  for (Index k = 0; k < u_.size(); ++k)
    if (u_[k] != 0) cols.push_back(k);
  return cols;
}

// Computes u, b and the gradient of the proximal dual from g. O(n |P|).
void ActiveSet::gradient() {
  threshold();
  force_.resize(n());
  for (Index i = 0; i < n(); ++i) force_[i] = bound_force(i, a_[i]);
  grad_ = (a_ - a0_) / sigma_ + quad_.cwiseProduct(a_) + force_;
  grad_ -= margin_;
  for (Index k = 0; k < u_.size(); ++k)
    if (u_[k] != 0) grad_ += u_[k] * work_.col(k);
  b_ = b0_ + tau_.cwiseProduct(free_g_);
  grad_ += free_x_ * b_;
}

// Updates x_P x_P' (lower half) for the columns with u != 0 by the columns that changed since the last call. O(n^2)
// per changed column.
void ActiveSet::update_outer(const IndexList& cols) {
  std::vector<char> now(ids_.size(), 0);
  for (Index k : cols) now[k] = 1;
  counted_.resize(ids_.size(), 0);
  IndexList in, out;
  for (Index k = 0; k < Index(now.size()); ++k)
    if (now[k] != counted_[k]) (now[k] ? in : out).push_back(k);
  if (outer_.rows() != n() || in.size() + out.size() > cols.size() / 2) {
    outer_ = Mat::Zero(n(), n());
    in = cols;
    out.clear();
  }
  add_outer(in, 1);
  add_outer(out, -1);
  counted_ = now;
}

void ActiveSet::add_outer(const IndexList& cols, double sign) {
  if (cols.empty()) return;
  Mat m(n(), cols.size());
  for (std::size_t k = 0; k < cols.size(); ++k) m.col(k) = work_.col(cols[k]);
  outer_.selfadjointView<Eigen::Lower>().rankUpdate(m, sign);
}

// Returns the Newton step from the smaller of the n x n and |P| x |P| systems. With many rows the n x n system is
// also used if it is slightly larger, because it is kept from step to step. O(min(n, |P|)^2 max(n, |P|)).
Vec ActiveSet::newton() {
  const IndexList cols = support();
  const Index p = cols.size(), q = p + f();
  Vec diag = quad_.array() + 1 / sigma_;
  for (Index i = 0; i < n(); ++i)
    if (force_[i] != 0) diag[i] += omega_;
  if (n() <= q || (n() >= kManyRows && n() <= kMaxRowsForOuterProduct && n() <= 2 * q)) {
    update_outer(cols);
    Mat s = outer_;
    for (Index l = 0; l < f(); ++l) s.selfadjointView<Eigen::Lower>().rankUpdate(free_x_.col(l), tau_[l]);
    s.diagonal() += diag;
    return Eigen::LLT<Eigen::Ref<Mat>>(s).solve(-grad_);
  }
  if (q == 0) return -grad_.cwiseQuotient(diag);
  const Vec root = diag.cwiseSqrt().cwiseInverse();
  Mat m(n(), q);
  for (Index k = 0; k < p; ++k) m.col(k) = root.cwiseProduct(work_.col(cols[k]));
  for (Index l = 0; l < f(); ++l) m.col(p + l) = std::sqrt(tau_[l]) * root.cwiseProduct(free_x_.col(l));
  Mat t = Mat::Identity(q, q);
  add_gram(m.data(), n(), t);
  const Vec v = -root.cwiseProduct(grad_);
  const Vec inner = Eigen::LLT<Eigen::Ref<Mat>>(t).solve(m.transpose() * v);
  return root.cwiseProduct(v - m * inner);
}

// Takes semismooth Newton steps with an exact line search; returns false if they end before the gradient reaches `tol`.
bool ActiveSet::climb(double tol, const Limits& limits, long& budget) {
  int left = tol >= kFirstTol ? kFirstNewtonSteps : 10 * kFirstNewtonSteps;
  const Index m = ids_.size();
  double last = kInf;
  for (;;) {
    gradient();
    const double worst = grad_.cwiseAbs().maxCoeff();
    if (!(worst < kInf)) return false;
    if (worst <= tol) return true;
    if (--left < 0 || --budget < 0 || limits.stop_now()) return false;
    const Vec move = newton();
    const double s0 = move.dot(grad_);
    if (!(s0 < 0)) return false;
    // Large costs magnify residuals that no longer change the dual value.
    if (-s0 <= kRounding * a_.cwiseAbs().sum() && worst > 0.5 * last) return true;
    last = worst;
    const Vec dg = work_.leftCols(m).transpose() * move;
    const Vec df = free_x_.transpose() * move;
    const double fixed =
        -move.dot(margin_) + move.dot((a_ - a0_) / sigma_ + quad_.cwiseProduct(a_)) + df.dot(b_);
    const double bend = move.squaredNorm() / sigma_ + move.cwiseAbs2().dot(quad_) + df.cwiseAbs2().dot(tau_);
    const auto slope = [&](double t) {
      double s = fixed + t * bend;
      for (Index k = 0; k < m; ++k) s += dg[k] * soft(g_[k] + t * dg[k], up_[ids_[k]], down_[ids_[k]]);
      for (Index i = 0; i < n(); ++i) s += move[i] * bound_force(i, a_[i] + t * move[i]);
      return s;
    };
    const double s1 = slope(1);
    const double t = s1 <= -0.1 * s0 ? 1.0 : flat_point(slope, 0, s0, 1, s1, -0.1 * s0);
    a_ += t * move;
    evaluate();
  }
}

// Returns the columns outside the working set that violate their cost, with the excess. O(nd) at most.
Violators& ActiveSet::violators(const Vec& a) {
  violators_.clear();
  const Vec& g = prices_;
  for (Index j : pricing_.update(y_.cwiseProduct(a), cost_up_, cost_down_, 1, prices_)) {
    if (working_[j] || z_[j] == 0) continue;
    const double v = std::abs(soft(g[j] * z_[j], up_[j], down_[j]));
    const double cost = std::max(std::abs(up_[j]), std::abs(down_[j]));
    if (v > 1e-10 * cost && v > 1e-13 * std::abs(g[j] * z_[j])) violators_.emplace_back(v, j);
  }
  return violators_;
}

// Returns true if no column enters; otherwise adds the columns with the largest excess.
bool ActiveSet::price() {
  Violators& found = violators(a_);
  if (found.empty()) return true;
  for (Index j : worst(found, std::max<Index>(kBatch, ids_.size() / 2))) add_column(j);
  evaluate();
  threshold();
  return false;
}

void ActiveSet::recentre() {
  a0_ = a_;
  b0_ = b_;
  force0_ = force_;
}

// Returns primal minus dual value at (u, b, a), relative to the value, as a sum of terms that are each zero at the
// optimum. O(n |P|).
double ActiveSet::gap() const {
  Vec r = margin_;
  double value = 0, spread = 0;
  for (Index k = 0; k < Index(ids_.size()); ++k)
    if (u_[k] != 0) {
      r -= u_[k] * work_.col(k);
      value += u_[k] * (0.5 * u_[k] + (u_[k] > 0 ? up_[ids_[k]] : -down_[ids_[k]]));
      const double off = u_[k] - soft(g_[k], up_[ids_[k]], down_[ids_[k]]);
      spread += 0.5 * off * off;
    }
  r -= free_x_ * b_;
  value -= free_linear_.dot(b_);
  const bool squared = problem_->loss == Loss::squared_hinge;
  for (Index i = 0; i < n(); ++i) {
    const double s = std::max(r[i], 0.0), c = problem_->cost[i];
    const bool stiff = c == kInf;
    const double loss = s == 0 || stiff ? 0.0 : squared ? 0.5 * c * s * s : c * s;
    value += loss;
    spread += loss + 0.5 * quad_[i] * a_[i] * a_[i] - a_[i] * r[i];
    if (stiff && s > kMaxViolation) return kInf;
    if (stiff) spread += 2 * a_.sum() * s;
  }
  spread += kReach * b_.cwiseAbs().cwiseMax(1.0).dot(free_g_.cwiseAbs());
  const double floor = problem_->hard() ? 0.0 : 1e-6 * problem_->cost.sum();
  return std::abs(spread) / std::max({std::abs(value), floor, 1e-300});
}

// Moves a to the face of the box that the signs of the forces indicate.
void ActiveSet::settle() {
  for (Index i = 0; i < n(); ++i)
    a_[i] = force_[i] < 0 ? 0.0 : force_[i] > 0 ? upper_[i] : std::min(std::max(a_[i], 0.0), upper_[i]);
  evaluate();
  threshold();
}

// Returns the correction of (a_R, b) that solves the KKT system of the present active set without proximal terms.
// O(|R| |P|) plus the solve.
Vec ActiveSet::correction(const IndexList& rows, bool singular) const {
  const IndexList cols = support();
  const Index r = rows.size(), p = cols.size();
  Vec fit = free_x_ * b_ + quad_.cwiseProduct(a_);
  for (Index k : cols) fit += u_[k] * work_.col(k);
  Mat m(r, p), free(r, f());
  Vec left(r), bend(r);
  for (Index i = 0; i < r; ++i) {
    for (Index k = 0; k < p; ++k) m(i, k) = work_(rows[i], cols[k]);
    free.row(i) = free_x_.row(rows[i]);
    left[i] = margin_[rows[i]] - fit[rows[i]];
    bend[i] = quad_[rows[i]];
  }
  return kkt_step(m, free, bend, left, -free_g_, singular);
}

// Moves u and b, but not a, by a correction. If the ridge is small, u = soft(g) loses the digits that g and the costs
// have in common. O(|R| |P|).
void ActiveSet::refine_primal(const IndexList& rows, const Vec& step) {
  if (!step.allFinite()) return;
  const Index r = rows.size();
  Vec move = Vec::Zero(n());
  for (Index i = 0; i < r; ++i) move[rows[i]] = step[i];
  for (Index k : support()) {
    const double to = u_[k] + work_.col(k).dot(move);
    if (to * u_[k] > 0) u_[k] = to;
  }
  b_ += step.tail(f());
}

// Ends on the exact solution of the present active set if the gap closes there. If ties make the system singular, the
// present point is accepted if its gap is small enough.
bool ActiveSet::polish(double tol) {
  const Vec a = a_, b = b_;
  settle();
  const Vec on_face = a_;
  const double before = gap();
  IndexList rows;
  for (Index i = 0; i < n(); ++i)
    if (force_[i] == 0) rows.push_back(i);
  const Index r = rows.size();
  for (bool singular : {false, true}) {
    if (r + f() == 0 || (singular && before > std::sqrt(tol))) break;
    const Vec step = correction(rows, singular);
    if (!step.allFinite()) continue;
    for (Index i = 0; i < r; ++i) a_[rows[i]] += step[i];
    a_ = a_.cwiseMax(0.0).cwiseMin(upper_);
    b_ += step.tail(f());
    evaluate();
    threshold();
    if (gap() > 1e-2 * tol) refine_primal(rows, correction(rows, singular));
    if (gap() <= std::min(tol, std::max(before, 1e-3 * tol))) return true;
    a_ = on_face, b_ = b;
    evaluate();
    threshold();
  }
  if (before <= tol) return true;
  a_ = a;
  evaluate();
  return false;
}

// For hard margins: returns whether the last change of the multipliers proves that no (w, b) reaches every margin.
// O(nd).
bool ActiveSet::ray(Vec& ray) const {
  ray = (a_ - a0_).cwiseMax(0.0);
  const double length = ray.maxCoeff();
  if (!(length > 0)) return false;
  ray /= length;
  if (!(ray.dot(margin_) > 1e-9 * ray.dot(margin_.cwiseAbs()))) return false;
  const Vec g = problem_->x->transposed_times(y_.cwiseProduct(ray));
  const Vec size = pricing_.norms() * ray.norm();
  for (Index j = 0; j < g.size(); ++j)
    if (z_[j] > 0 && std::abs(g[j]) > 1e-9 * size[j]) return false;
  for (Index l = 0; l < f(); ++l)
    if (std::abs(free_x_.col(l).dot(ray)) > 1e-9 * free_x_.col(l).norm() * ray.norm()) return false;
  return true;
}

// Drops inactive working columns if there are more than kIdleColumns columns. O(n |W|).
void ActiveSet::prune() {
  if (Index(ids_.size()) <= kIdleColumns) return;
  const IndexList kept = ids_;
  ids_.clear();
  for (Index k = 0; k < Index(kept.size()); ++k) {
    if (k < u_.size() && u_[k] == 0) {
      working_[kept[k]] = 0;
      continue;
    }
    work_.col(ids_.size()) = work_.col(k);
    ids_.push_back(kept[k]);
  }
}

Solution ActiveSet::solution(Status status) const {
  Solution s;
  s.engine = name();
  s.status = status;
  s.w = Mat::Zero(problem_->x->cols(), 1);
  for (Index k = 0; k < Index(ids_.size()); ++k) s.w(ids_[k], 0) = z_[ids_[k]] * u_[k];
  for (Index l = 0; l < Index(free_.size()); ++l) s.w(free_[l], 0) = b_[l];
  s.b = Vec::Constant(1, problem_->intercept ? b_[f() - 1] : 0.0);
  s.dual = a_;
  return s;
}

// Moves the intercept to the midpoint of the optimal ones if the gap allows it. O(n log n + n |P|).
void ActiveSet::centre_intercept(double tol) {
  if (!problem_->intercept) return;
  Vec fit = free_x_ * b_;
  for (Index k : support()) fit += u_[k] * work_.col(k);
  double& b = b_[f() - 1];
  const Vec rest = y_.array() * fit.array() - b;
  const double old = b, mid = best_intercept(rest, y_, problem_->cost, problem_->loss, problem_->margin);
  if (!(std::abs(mid - old) > 1e-8 * (1 + std::abs(old)))) return;
  b = mid;
  if (gap() > tol) b = old;
}

// Repeats proximal iterations until the active set is the right one.
Status ActiveSet::climb_to_top(const Limits& limits, long& budget, Vec& farkas) {
  double tol = kFirstTol, growth = 1;
  outer_.resize(0, 0);
  counted_.clear();
  evaluate();
  price();
  threshold();
  a0_ = a_, b0_ = b_;
  set_lengths(1);
  for (int failures = 0; failures < kMaxFailures;) {
    if (limits.stop_now()) return Status::interrupted;
    const bool reached = climb(tol, limits, budget);
    if (limits.stop_now()) return Status::interrupted;
    const bool priced = price();
    gradient();
    const double enough = (tol > kLastTol ? 1e-3 : 0.1) * limits.tol;
    if (priced && polish(enough) && price()) return Status::optimal;
    if (!a_.allFinite()) return Status::numerical;
    if (budget < 0) return Status::limit;
    if (priced && problem_->hard() && ray(farkas)) return Status::infeasible;
    if (priced && reached) {
      tol = std::max(kLastTol, std::min(tol, 1e-2 * (a_ - a0_).cwiseAbs().maxCoeff() / sigma_));
      growth = std::min(10 * growth, kMaxGrowth);
    } else if (!reached) {
      growth = std::max(1.0, 0.1 * growth);
    }
    if (tol <= kLastTol || !reached) ++failures;
    gradient();
    recentre();
    set_lengths(growth);
  }
  gradient();
  return polish(limits.tol) && price() ? Status::optimal : Status::numerical;
}

// Starts from the last solution or from guess(); if this start ends in numerical failure, solves again from start().
Solution ActiveSet::solve(const Surrogate& surrogate, const Limits& limits) {
  if (warm_) prune();
  take(surrogate);
  bool led = warm_;
  if (!warm_) {
    start();
    led = guess(surrogate, limits);
  }
  const long steps = limits.iterations > 0 ? limits.iterations : kMinStepBudget + 20 * n();
  long budget = steps;
  Vec farkas;
  Status status = climb_to_top(limits, budget, farkas);
  if (led && status == Status::numerical) {
    start();
    status = climb_to_top(limits, budget, farkas);
  }
  warm_ = status == Status::optimal;
  if (warm_) centre_intercept(limits.tol);
  Solution s = solution(status);
  if (status == Status::infeasible) s.dual = farkas;
  s.iterations = steps - std::max(budget, 0L);
  return s;
}

}  // namespace

std::unique_ptr<Engine> make_active_set() { return std::make_unique<ActiveSet>(); }

const EngineKind kActiveSetEngine{"active_set", ActiveSet::refusal,
                                  [](const HighsSettings&) { return make_active_set(); }};

}  // namespace zeronorm

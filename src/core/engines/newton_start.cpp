// Where newton begins: which columns count, their rows, and from what solution.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "base/indices.h"
#include "data/design.h"
#include "engines/newton.h"
#include "engines/parts/sweeps.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

constexpr double kNothing = 1e-13;    // share of the squares of all scaled columns that may be overlooked, or
constexpr double kLittle = 0.02;      // of what is asked for, where the pull at columns is known
constexpr double kRebuild = 0.75;     // share of the copied entries below which the others are dropped,
constexpr std::size_t kUnused = 2;    // and copied columns for each in use
constexpr double kNear = 0.8;         // gap of a start that is worth it, and
constexpr double kClose = 0.01;       // that needs no other
constexpr double kFar = 0.1;          // above which rows are swept first,
constexpr double kColumns = 0.3;      // where columns are more than this share of the rows,
constexpr double kRoundedAim = 1e-6;  // to no less a gap where these are in single precision,
constexpr int kAttempts = 3;          // again where it is not what sweeps took it for,
constexpr double kFurther = 0.5;      // to less than that much less
constexpr double kFirst = 10;         // stiffness of the first round in units of 1 / curvature, at most,
constexpr double kSoft = 0.1;         // in units of the costs, and
constexpr double kWarm = 10;          // times this from a start,
constexpr double kNoTerm = 1e6;       // in units of the costs: the squared hinge as it is
constexpr std::initializer_list<double> kLess = {0.85, 0.7, 0.5, 0.35, 0.25};  // multiples of a start that
constexpr std::initializer_list<double> kMore = {1.2, 1.4, 2};  // are tried, as long as they are better

}  // namespace

// The surrogate in units of u; overlooks columns that can change the optimum by no more than a little of
// `tol`. O(d log d).
void Newton::take(const Surrogate& surrogate, double tol) {
  const Index d = surrogate.scale.size();
  scale_ = surrogate.scale;
  const IndexList before = free_;
  free_.clear();
  for (Index j = 0; j < d; ++j)
    if (scale_[j] == kInf) free_.push_back(j), scale_[j] = 0;
  const bool judged = warm_ && tol > 0 && foresee();
  const Vec part = judged ? gains() : Vec(scale_.cwiseAbs2().cwiseProduct(squares_));
  const double most = judged ? kLittle * tol * foreseen_ : kNothing * part.sum();
  IndexList order;
  for (Index j = 0; j < d; ++j)
    if (scale_[j] > 0 && squares_[j] > 0) order.push_back(j);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return part[a] < part[b]; });
  auto first = order.begin();
  for (double sum = 0; first != order.end() && (sum += part[*first]) <= most; ++first) continue;
  const IndexList last = columns_;
  overlooked_.assign(order.begin(), first);
  columns_.assign(first, order.end());
  std::sort(columns_.begin(), columns_.end());
  if (!part_ || columns_ != last || rows_->worn(fine_)) take_columns();
  z_.resize(Index(columns_.size()));
  for (Index k = 0; k < z_.size(); ++k) z_[k] = scale_[columns_[std::size_t(k)]];
  if (free_ != before) warm_ = false, system_.forget();
  const Index f = Index(free_.size()) + problem_->intercept;
  f_.resize(n(), f);
  if (!free_.empty()) problem_->x->columns(free_, f_.data());
  if (problem_->intercept) f_.col(f - 1).setOnes();
}

// The best multiple of the last multipliers under the new scales, and the value that it proves; false where it
// proves none. O(n + d).
bool Newton::foresee() {
  double longest = kInf, bend = scale_.cwiseProduct(pull_).squaredNorm();
  for (Index i = 0; i < n(); ++i) {
    if (!(last_a_[i] > 0)) continue;
    longest = std::min(longest, cap_[i] / last_a_[i]);
    if (squared()) bend += last_a_[i] * last_a_[i] / cost_[i];
  }
  const double slope = margin_.dot(last_a_);
  share_ = std::min(longest, slope / bend);
  foreseen_ = share_ * (slope - 0.5 * share_ * bend);
  return share_ > 0 && share_ < kInf && foreseen_ > 0;
}

// By how much a column can lower the optimum, judged by how hard these multipliers pull at it, and never
// less hard than twice what chance would make of them. O(d).
Vec Newton::gains() const {
  const double chance = 4 * last_a_.squaredNorm() / double(n());
  return 0.5 * share_ * share_ *
         scale_.cwiseAbs2().cwiseProduct(pull_.cwiseAbs2().cwiseMax(chance * squares_));
}

std::shared_ptr<const Design> Newton::restrict_columns(const IndexList& columns) const {
  return problem_->x->subset(first(n()), columns);
}

// Drops columns from the copied rows where enough are gone, and copies anew where others came. O(entries), else
// O(n + d).
void Newton::take_columns() {
  part_ = restrict_columns(columns_);
  std::vector<char> wanted(std::size_t(squares_.size()), 0);
  for (Index j : columns_) wanted[std::size_t(j)] = 1;
  std::vector<char> kept;
  for (Index j : copied_) kept.push_back(wanted[std::size_t(j)]);
  const bool there = rows_ && std::count(kept.begin(), kept.end(), char(1)) == Index(columns_.size());
  if (there &&
      (rows_->share(kept) < kRebuild || kUnused * columns_.size() < kept.size() || rows_->worn(fine_))) {
    rows_->keep(kept);
    system_.keep(kept);
  }
  if (!there || rows_->worn(fine_)) {
    rows_.reset();  // before there are two
    rows_ = copy_rows(*problem_->x, columns_);
    if (!there || fine_) system_.forget();
  }
  copied_ = rows_->columns();
  std::vector<Index> at(std::size_t(squares_.size()), -1);
  for (std::size_t k = 0; k < copied_.size(); ++k) at[std::size_t(copied_[k])] = Index(k);
  place_.clear();
  for (Index j : columns_) place_.push_back(at[std::size_t(j)]);
}

// What the last solution says under the new scales, if that is near: its weights, or those that its multipliers
// make, whichever cost less at their best multiple. Two passes over x.
bool Newton::resume() {
  start_gap_ = 1;
  const Index p = Index(columns_.size());
  std::vector<Vec> starts;
  Vec pulled(p);
  for (Index k = 0; k < p; ++k) pulled[k] = z_[k] * pull_[columns_[std::size_t(k)]];
  if (!foresee()) return false;
  if (w_.size() > 0)
    starts.push_back(Vec::NullaryExpr(p, [&](Index k) { return w_[columns_[std::size_t(k)]] / z_[k]; }));
  starts.push_back(share_ * pulled);
  centre_ = share_ * last_a_;
  const double proven = dual(centre_, share_ * pulled);
  double least = kInf;
  Vec best_u, best_theta;
  const Vec theta = theta_;
  for (const Vec& u : starts) {
    if (least < kInf && least - proven <= kClose * least) break;
    Vec f = push(u), coefficients = theta;
    if (problem_->intercept) {
      coefficients[f_.cols() - 1] = 0;
      const Vec rest = f + f_ * coefficients;
      coefficients[f_.cols() - 1] = best_intercept(rest, y_, cost_, problem_->loss, problem_->margin);
    }
    f = y_.cwiseProduct(f + f_ * coefficients);
    const auto value_at = [&](double t) {
      u_ = t * u;
      const Vec r = margin_ - t * f;
      const double value = primal(r);
      if (value < least) least = value, best_u = u_, best_theta = t * coefficients, r_ = r;
      return value;
    };
    const double whole = value_at(1);
    if (whole - proven <= kClose * whole) continue;
    // Convex in t.
    for (const auto& multiples : {kLess, kMore}) {
      double last = whole;
      for (double t : multiples) {
        const double value = value_at(t);
        if (!(value < last)) break;
        last = value;
      }
    }
  }
  start_gap_ = 1 - proven / least;
  if (!(least < kInf) || start_gap_ > kNear) return false;
  u_ = best_u;
  theta_ = best_theta;
  return true;
}

// Where columns are many beside the rows: else steps by Cholesky are few and short.
bool Newton::sweeps_pay() const {
  return !problem_->hard() && double(z_.size()) > kColumns * double(n()) && start_gap_ > kFar;
}

// Sweeps over the rows from the multipliers at hand, until what they found is proven or they gain little; then a start
// from there, if that is near.
bool Newton::relax(const Limits& limits) {
  Vec squares = Vec::Zero(rows_->cols());
  for (Index k = 0; k < z_.size(); ++k) squares[place_[std::size_t(k)]] = z_[k] * z_[k];
  const DualMachine machine{*rows_, squares, y_, margin_, cost_, cap_, squared(), f_};
  const double aim = std::max(kReserve * limits.tol, rows_->rounded() ? kRoundedAim : 0.0);
  Multipliers found{centre_, theta_, kInf};
  bool near = false, reached = true;
  double target = aim;
  for (int attempt = 0; attempt < kAttempts && reached; ++attempt) {
    reached = sweep(machine, target, limits, found);
    if (!found.a.allFinite() || !found.theta.allFinite()) return false;
    last_a_ = balanced(found.a);
    const Vec pulled = pull(y_.cwiseProduct(last_a_));
    pull_ = Vec::Zero(squares_.size());
    for (Index k = 0; k < z_.size(); ++k) pull_[columns_[std::size_t(k)]] = pulled[k] / z_[k];
    w_.resize(0);  // they follow from the multipliers
    theta_ = found.theta;
    near = resume();
    if (!(start_gap_ > aim)) break;
    target *= kFurther * aim / start_gap_;
  }
  return near;
}

// From the last solution if that is near, else from zero. O(n + d), two passes over x more where there is one.
void Newton::start(const Limits& limits) {
  const Index p = Index(columns_.size());
  precise_ = rows_->rounded() && fine_;
  system_.take(*rows_, place_, z_, f_, problem_->intercept);
  warm_ = warm_ && resume();
  if (!warm_) {
    theta_ = Vec::Zero(f_.cols());
    centre_ = Vec::Zero(n());
    start_gap_ = 1;
  }
  relaxed_ = false;
  if (sweeps_pay()) warm_ = relaxed_ = relax(limits);
  if (!warm_) {
    u_ = Vec::Zero(p);
    theta_ = Vec::Zero(f_.cols());
    centre_ = Vec::Zero(n());
    r_ = margin_;
  }
  double squares = 0, largest = 0, rows = 0;
  for (Index k = 0; k < p; ++k) squares += z_[k] * z_[k] * squares_[columns_[std::size_t(k)]];
  for (Index i = 0; i < n(); ++i)
    if (cost_[i] > 0) rows += 1, largest = std::max(largest, cost_[i]);
  curvature_ = squares > 0 && rows > 0 ? squares / rows : 1;
  // Where rows are many beside the columns, most multipliers end at a cost.
  sigma_ = (warm_ ? kWarm : 1) * kFirst / curvature_;
  const bool many = 4 * p < n();
  if (squared() && (many || (warm_ && !(relaxed_ && start_gap_ > kFar))))
    sigma_ = kNoTerm * largest;
  else if (largest < kInf)
    sigma_ = many ? kSoft * largest : std::min(kSoft * largest, sigma_);
  if (!(sigma_ > 0)) sigma_ = 1;
}

}  // namespace zeronorm

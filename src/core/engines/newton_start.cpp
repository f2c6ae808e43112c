// The start of the newton engine: the columns in use, the copy of their rows, and the first point.
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

// Columns may be overlooked while their scaled squared norms sum to at most this fraction of those of all columns.
constexpr double kNegligibleShare = 1e-13;
// Once X'(y a) is known, columns may be overlooked while their possible gains sum to at most this fraction of the
// tolerance.
constexpr double kNegligibleGain = 0.02;
// Unused columns are dropped from the copied rows if the used ones hold less than this fraction of the entries.
constexpr double kMinShareInUse = 0.75;
// Unused columns are also dropped if there are more than this many copied columns for each column in use.
constexpr std::size_t kMaxCopiedColumns = 2;
// Largest relative gap at which a start is used instead of zero.
constexpr double kUsableStartGap = 0.8;
// Relative gap at which no better start is searched for.
constexpr double kGoodStartGap = 0.01;
// The rows are swept first if the relative gap of the start is above this value.
constexpr double kSweepGap = 0.1;
// The rows are swept first if there are more than this many columns per row.
constexpr double kMinColumnsToSweep = 0.3;
// Smallest relative gap that sweeps aim at if the copied rows are in single precision.
constexpr double kSinglePrecisionGap = 1e-6;
// Number of calls of sweep(): it is repeated if the proven gap is larger than the gap that it estimated.
constexpr int kSweepAttempts = 3;
// Each repeated call of sweep() aims at this fraction of the gap that would have sufficed.
constexpr double kSweepTargetFactor = 0.5;
// Largest stiffness of the first iteration, in units of 1 / curvature.
constexpr double kFirstStiffness = 10;
// Largest stiffness of the first iteration, in units of the largest cost.
constexpr double kCostStiffness = 0.1;
// Factor on the first stiffness if there is a start.
constexpr double kWarmStiffness = 10;
// Stiffness in units of the largest cost at which the proximal term of a squared hinge is negligible.
constexpr double kNegligibleTermStiffness = 1e6;
// Scaling factors of a start that are tried in this order while each one lowers the objective.
constexpr std::initializer_list<double> kSmallerScales = {0.85, 0.7, 0.5, 0.35, 0.25};
// Larger scaling factors, tried in the same way.
constexpr std::initializer_list<double> kLargerScales = {1.2, 1.4, 2};

}  // namespace

// Expresses the surrogate in units of u and overlooks columns that together can change the optimum by no more than a
// small fraction of `tol`. O(d log d).
void Newton::take(const Surrogate& surrogate, double tol) {
  const Index d = surrogate.scale.size();
  scale_ = surrogate.scale;
  const IndexList before = free_;
  free_.clear();
  for (Index j = 0; j < d; ++j)
    if (scale_[j] == kInf) free_.push_back(j), scale_[j] = 0;
  const bool judged = warm_ && tol > 0 && predict_value();
  const Vec part = judged ? gains() : Vec(scale_.cwiseAbs2().cwiseProduct(squares_));
  const double most = judged ? kNegligibleGain * tol * predicted_value_ : kNegligibleShare * part.sum();
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

// Computes the best scale of the last multipliers for the new scales of the columns and the value that it proves.
// Returns false if it proves none. O(n + d).
bool Newton::predict_value() {
  double longest = kInf, bend = scale_.cwiseProduct(last_products_).squaredNorm();
  for (Index i = 0; i < n(); ++i) {
    if (!(last_a_[i] > 0)) continue;
    longest = std::min(longest, cap_[i] / last_a_[i]);
    if (squared()) bend += last_a_[i] * last_a_[i] / cost_[i];
  }
  const double slope = margin_.dot(last_a_);
  last_scale_ = std::min(longest, slope / bend);
  predicted_value_ = last_scale_ * (slope - 0.5 * last_scale_ * bend);
  return last_scale_ > 0 && last_scale_ < kInf && predicted_value_ > 0;
}

// Returns for each column how much it can lower the optimum, estimated from its product with the last multipliers.
// This product counts as at least twice as large as that of a random column. O(d).
Vec Newton::gains() const {
  const double chance = 4 * last_a_.squaredNorm() / double(n());
  return 0.5 * last_scale_ * last_scale_ *
         scale_.cwiseAbs2().cwiseProduct(last_products_.cwiseAbs2().cwiseMax(chance * squares_));
}

std::shared_ptr<const Design> Newton::restrict_columns(const IndexList& columns) const {
  return problem_->x->subset(first(n()), columns);
}

// Drops columns from the copied rows if enough of them are unused, and copies the rows again if new columns are
// needed. O(entries) for these; otherwise O(n + d).
void Newton::take_columns() {
  part_ = restrict_columns(columns_);
  std::vector<char> wanted(std::size_t(squares_.size()), 0);
  for (Index j : columns_) wanted[std::size_t(j)] = 1;
  std::vector<char> kept;
  for (Index j : copied_) kept.push_back(wanted[std::size_t(j)]);
  const bool there = rows_ && std::count(kept.begin(), kept.end(), char(1)) == Index(columns_.size());
  if (there && (rows_->share(kept) < kMinShareInUse || kMaxCopiedColumns * columns_.size() < kept.size() ||
                rows_->worn(fine_))) {
    rows_->keep(kept);
    system_.keep(kept);
  }
  if (!there || rows_->worn(fine_)) {
    rows_.reset();  // The old copy is released before the new one is made.
    rows_ = copy_rows(*problem_->x, columns_);
    if (!there || fine_) system_.forget();
  }
  copied_ = rows_->columns();
  std::vector<Index> at(std::size_t(squares_.size()), -1);
  for (std::size_t k = 0; k < copied_.size(); ++k) at[std::size_t(copied_[k])] = Index(k);
  place_.clear();
  for (Index j : columns_) place_.push_back(at[std::size_t(j)]);
}

// Starts from the last solution under the new scales: from its weights, or from the weights that its multipliers
// imply, whichever have the lower objective at their best scale. Returns false if neither is near. Two passes over x.
bool Newton::resume() {
  start_gap_ = 1;
  const Index p = Index(columns_.size());
  std::vector<Vec> starts;
  Vec products(p);
  for (Index k = 0; k < p; ++k) products[k] = z_[k] * last_products_[columns_[std::size_t(k)]];
  if (!predict_value()) return false;
  if (w_.size() > 0)
    starts.push_back(Vec::NullaryExpr(p, [&](Index k) { return w_[columns_[std::size_t(k)]] / z_[k]; }));
  starts.push_back(last_scale_ * products);
  centre_ = last_scale_ * last_a_;
  const double proven = dual(centre_, last_scale_ * products);
  double least = kInf;
  Vec best_u, best_theta;
  const Vec theta = theta_;
  for (const Vec& u : starts) {
    if (least < kInf && least - proven <= kGoodStartGap * least) break;
    Vec f = product(u), coefficients = theta;
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
    if (whole - proven <= kGoodStartGap * whole) continue;
    // The objective is convex in t, so the search ends at the first increase.
    for (const auto& multiples : {kSmallerScales, kLargerScales}) {
      double last = whole;
      for (double t : multiples) {
        const double value = value_at(t);
        if (!(value < last)) break;
        last = value;
      }
    }
  }
  start_gap_ = 1 - proven / least;
  if (!(least < kInf) || start_gap_ > kUsableStartGap) return false;
  u_ = best_u;
  theta_ = best_theta;
  return true;
}

// Returns whether sweeps over the rows pay. If there are few columns, a few Newton steps by Cholesky are faster.
bool Newton::sweeps_pay() const {
  return !problem_->hard() && double(z_.size()) > kMinColumnsToSweep * double(n()) && start_gap_ > kSweepGap;
}

// Sweeps over the rows from the present multipliers until the result is proven or the sweeps gain little. Returns
// whether the result is near enough to be the start.
bool Newton::sweep_rows(const Limits& limits) {
  Vec squares = Vec::Zero(rows_->cols());
  for (Index k = 0; k < z_.size(); ++k) squares[place_[std::size_t(k)]] = z_[k] * z_[k];
  const RidgeDual dual{*rows_, squares, y_, margin_, cost_, cap_, squared(), f_};
  const double aim = std::max(kToleranceShare * limits.tol, rows_->rounded() ? kSinglePrecisionGap : 0.0);
  Multipliers found{centre_, theta_, kInf};
  bool near = false, reached = true;
  double target = aim;
  for (int attempt = 0; attempt < kSweepAttempts && reached; ++attempt) {
    reached = sweep(dual, target, limits, found);
    if (!found.a.allFinite() || !found.theta.allFinite()) return false;
    last_a_ = balanced(found.a);
    const Vec products = transposed_product(y_.cwiseProduct(last_a_));
    last_products_ = Vec::Zero(squares_.size());
    for (Index k = 0; k < z_.size(); ++k) last_products_[columns_[std::size_t(k)]] = products[k] / z_[k];
    w_.resize(0);  // The weights follow from the multipliers.
    theta_ = found.theta;
    near = resume();
    if (!(start_gap_ > aim)) break;
    target *= kSweepTargetFactor * aim / start_gap_;
  }
  return near;
}

// Starts from the last solution if it is near, otherwise from zero. O(n + d), plus two passes over x for the former.
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
  swept_ = false;
  if (sweeps_pay()) warm_ = swept_ = sweep_rows(limits);
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
  // If there are many rows per column, most multipliers end at a cost, so the stiffness is in units of the costs.
  sigma_ = (warm_ ? kWarmStiffness : 1) * kFirstStiffness / curvature_;
  const bool many = 4 * p < n();
  if (squared() && (many || (warm_ && !(swept_ && start_gap_ > kSweepGap))))
    sigma_ = kNegligibleTermStiffness * largest;
  else if (largest < kInf)
    sigma_ = many ? kCostStiffness * largest : std::min(kCostStiffness * largest, sigma_);
  if (!(sigma_ > 0)) sigma_ = 1;
}

}  // namespace zeronorm

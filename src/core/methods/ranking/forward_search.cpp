#include "methods/ranking/forward_search.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "loop/refit.h"

namespace zeronorm {
namespace {

// A column is spanned by others if at most this share of its length remains; most software uses this value.
constexpr double kDependent = 1e-7;
// A target is fitted if at most this share of its length remains.
constexpr double kZeroResidual = 1e-10;
// Sums of squares that subtraction has reduced to this share are computed again.
constexpr double kMaxCancellation = 1e-6;

// Returns the mean over rows of (r_i / (1 - h_i))^2, summed over targets, where a row of weight 2 is two rows of
// which one is left out. Residuals and leverages are those of rows times the roots of their weights. O(n) per target.
double mean_left_out(const Mat& residual, const Vec& leverage, const Vec& weights) {
  double sum = 0;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const double left = 1 - leverage[i] / weights[i];
    if (left <= 1e-12) return kInf;
    sum += residual.row(i).squaredNorm() / (left * left);
  }
  return sum / weights.sum();
}

// The orthonormal directions of the model, the residuals, and the inner products that give the gain of a column. Rows
// are multiplied by the roots of their weights throughout.
class Model {
 public:
  Model(const Problem& p, const IndexList& empty)
      : p_(p), root_(p.cost.cwiseSqrt()), residual_(root_.asDiagonal() * p.y), basis_(p.cost.size(), 16),
        leverage_(Vec::Zero(p.cost.size())), squares_(p.x->weighted_squares(p.cost)),
        lengths_(residual_.colwise().norm()), out_(p.x->cols(), 0), total_(p.cost.sum()) {
    for (Index j : empty) out_[j] = 1;
    fresh_ = squares_;
    refresh_products();
    if (p.intercept) add(root_ / std::sqrt(total_));
    // Lengths are relative to columns and targets after removing their mean.
    own_ = squares_;
    least_ = (kZeroResidual * residual_.colwise().norm()).cwiseMax(1e-14 * lengths_);
  }

  Index directions() const { return count_; }
  // Returns the degrees of freedom of the residuals.
  double freedom() const { return total_ - count_; }
  const Vec& root() const { return root_; }
  double error() const { return residual_.squaredNorm(); }
  Mat basis() const { return basis_.leftCols(count_); }

  bool fitted() const {
    for (Index k = 0; k < residual_.cols(); ++k)
      if (!fitted(k)) return false;
    return true;
  }

  // Returns the sum over targets of the squared cosine of each column with the residuals. O(d) per target.
  Vec scores(Angle angle) const {
    const Vec& length2 = angle == Angle::rest ? squares_ : own_;
    Vec score = Vec::Zero(length2.size());
    for (Index k = 0; k < residual_.cols(); ++k) {
      if (fitted(k)) continue;
      const double r2 = residual_.col(k).squaredNorm();
      for (Index j = 0; j < score.size(); ++j)
        if (!out_[j] && length2[j] > 0) score[j] += products_(j, k) * products_(j, k) / (length2[j] * r2);
    }
    return score.unaryExpr(&without_rounding);
  }

  // Returns the same score for a vector orthogonal to the model.
  double score(const Vec& rest) const {
    double sum = 0;
    const double length2 = rest.squaredNorm();
    for (Index k = 0; length2 > 0 && k < residual_.cols(); ++k)
      if (!fitted(k))
        sum += std::pow(residual_.col(k).dot(rest), 2) / (length2 * residual_.col(k).squaredNorm());
    return sum;
  }

  // Returns the part of a vector orthogonal to the model. O(nk); projected twice for orthogonality.
  Vec rest(Vec v) const {
    for (int pass = 0; pass < 2; ++pass)
      v -= basis_.leftCols(count_) * (basis_.leftCols(count_).transpose() * v);
    return v;
  }

  Vec column(Index j) const {
    Vec x(root_.size());
    p_.x->column(j, x.data());
    return root_.cwiseProduct(x);
  }

  // Returns the direction that column j would add; empty if it is spanned, and the column is then excluded.
  Vec direction(Index j) {
    if (out_[j]) return Vec();
    const Vec whole = column(j), left = rest(whole);
    const double length = left.norm();
    if (length <= std::max(kDependent * std::sqrt(own_[j]), 1e-13 * whole.norm())) {
      out_[j] = 1;
      return Vec();
    }
    return left / length;
  }

  void join(Index j, const Vec& q) {
    out_[j] = 1;
    add(q);
  }

  // Returns the leave-one-out error with q as a further direction, which may be empty.
  double leave_one_out(const Vec& q) const {
    if (q.size() == 0) return mean_left_out(residual_, leverage_, p_.cost);
    return mean_left_out(residual_ - q * (q.transpose() * residual_), leverage_ + q.cwiseAbs2(), p_.cost);
  }

 private:
  bool fitted(Index k) const { return residual_.col(k).norm() <= least_[k]; }

  // Adds a direction by one pass over x. O(nd).
  void add(const Vec& q) {
    if (count_ == basis_.cols()) basis_.conservativeResize(q.size(), 2 * count_);
    basis_.col(count_++) = q;
    leverage_ += q.cwiseAbs2();
    const Vec along = p_.x->transposed_times(root_.cwiseProduct(q));
    const Eigen::RowVectorXd part = q.transpose() * residual_;
    residual_ -= q * part;
    squares_ -= along.cwiseAbs2();
    products_ -= along * part;
    for (Index j = 0; j < squares_.size(); ++j) {
      if (out_[j] || squares_[j] > kMaxCancellation * fresh_[j]) continue;
      fresh_[j] = squares_[j] = rest(column(j)).squaredNorm();
      const double whole = own_.size() ? own_[j] : fresh_[j];
      if (!(squares_[j] > kDependent * kDependent * whole)) out_[j] = 1;
    }
    if ((residual_.colwise().squaredNorm().array() <= kMaxCancellation * seen_.array()).any())
      refresh_products();
  }

  void refresh_products() {
    products_.resize(squares_.size(), residual_.cols());
    for (Index k = 0; k < residual_.cols(); ++k)
      products_.col(k) = p_.x->transposed_times(root_.cwiseProduct(residual_.col(k)));
    seen_ = residual_.colwise().squaredNorm();
  }

  const Problem& p_;
  Vec root_;
  Mat residual_, basis_;
  Vec leverage_;
  // The squared lengths of the columns orthogonal to the model: now, when last computed, and beside the mean.
  Vec squares_, fresh_, own_;
  // The lengths of the targets, the lengths below which residuals count as zero, and the squares at the last refresh.
  Eigen::RowVectorXd lengths_, least_, seen_;
  // The inner products of columns and residuals.
  Mat products_;
  // The columns that are in the model, spanned, or empty.
  std::vector<char> out_;
  double total_;
  Index count_ = 0;
};

// Drops columns of a least-squares fit, in the coordinates of its basis, where columns are upper triangular.
class Shrinking {
 public:
  Shrinking(const Model& model, const Problem& p, const IndexList& columns, Index first, const Forward& what)
      : what_(what), basis_(model.basis().leftCols(first + columns.size())), root_(model.root()),
        weights_(p.cost), columns_(columns), first_(first) {
    Mat x(root_.size(), first_ + columns.size());
    if (first_ > 0) x.leftCols(first_) = basis_.leftCols(first_);
    for (std::size_t k = 0; k < columns.size(); ++k) x.col(first_ + k) = model.column(columns[k]);
    x_ = basis_.transpose() * x;
    const Mat y = root_.asDiagonal() * p.y;
    target_ = basis_.transpose() * y;
    outside_ = y - basis_ * target_;
    outside_ -= basis_ * (basis_.transpose() * outside_);
  }

  // Returns the columns that remain. O(k^3) per dropped column, plus O(nk^2) for leave-one-out errors.
  IndexList run() {
    double before = what_.backward == Test::loo ? leave_one_out(x_) : 0.0;
    while (!columns_.empty()) {
      const Index worst = least_useful();
      Mat less(x_.rows(), x_.cols() - 1);
      less << x_.leftCols(first_ + worst), x_.rightCols(x_.cols() - first_ - worst - 1);
      if (what_.backward == Test::loo) {
        const double after = leave_one_out(less);
        if (after > before) break;
        before = after;
      } else if (probe_tail(rise_ / (rise_ + error_), weights_.sum() - static_cast<double>(less.cols())) <=
                 what_.level) {
        break;
      }
      x_ = less;
      columns_.erase(columns_.begin() + worst);
    }
    return columns_;
  }

 private:
  // Returns the column whose removal raises the error least, the last of equals; stores the rise and the error.
  Index least_useful() {
    const Index k = x_.cols();
    const Eigen::HouseholderQR<Mat> qr(x_);
    const Mat r = qr.matrixQR().topRows(k);
    const Mat inverse = r.triangularView<Eigen::Upper>().solve(Mat::Identity(k, k));
    const Mat part = qr.householderQ().transpose() * target_;
    error_ = outside_.squaredNorm() + part.bottomRows(part.rows() - k).squaredNorm();
    const Mat beta = inverse * part.topRows(k);
    Index worst = -1;
    for (Index j = first_; j < k; ++j) {
      const double rise = beta.row(j).squaredNorm() / inverse.row(j).squaredNorm();
      if (worst >= 0 && without_rounding(rise) > without_rounding(rise_)) continue;
      worst = j - first_;
      rise_ = rise;
    }
    return worst;
  }

  double leave_one_out(const Mat& x) const {
    const Eigen::HouseholderQR<Mat> qr(x);
    const Mat q = qr.householderQ() * Mat::Identity(x.rows(), x.cols());
    const Mat residual = outside_ + basis_ * (target_ - q * (q.transpose() * target_));
    return mean_left_out(residual, (basis_ * q).rowwise().squaredNorm(), weights_);
  }

  const Forward& what_;
  Mat basis_;
  const Vec& root_;
  const Vec& weights_;
  IndexList columns_;
  // The number of directions that are never dropped.
  Index first_;
  // Columns and targets in the basis.
  Mat x_, target_;
  // The residuals of the full fit.
  Mat outside_;
  double rise_ = 0, error_ = 0;
};

class Search {
 public:
  Search(const Problem& p, const Forward& what, const IndexList& sizes, const IndexList& forced,
         const IndexList& empty, const Limits& limits)
      : p_(p), what_(what), sizes_(sizes), forced_(forced), limits_(limits), model_(p, empty),
        probes_(what.probes), beaten_(what.probes.cols(), 0) {}

  ForwardSearch run() {
    for (Index j : forced_) {
      const Vec q = model_.direction(j);
      if (q.size()) model_.join(j, q);
    }
    first_ = model_.directions();
    probes_ = model_.root().asDiagonal() * probes_;
    for (Index k = 0; k < probes_.cols(); ++k) probes_.col(k) = model_.rest(probes_.col(k));
    record();
    loo_ = what_.stop == Test::loo ? model_.leave_one_out(Vec()) : 0.0;
    found_.trace.stop = StopReason::reached;
    while (size() < most()) {
      if (limits_.stop_now()) {
        found_.trace.stop = StopReason::interrupted;
        break;
      }
      if (!step()) {
        found_.trace.stop = StopReason::converged;
        break;
      }
    }
    finish();
    return std::move(found_);
  }

 private:
  Index size() const { return static_cast<Index>(forced_.size() + joined_.size()); }
  Index most() const {
    if (what_.stop != Test::none) return what_.most;
    return sizes_.empty() ? 0 : *std::max_element(sizes_.begin(), sizes_.end());
  }

  // Adds one feature; returns false if nothing is left to fit, no feature is left, or the test fails.
  bool step() {
    for (;;) {
      if (model_.fitted()) return false;
      const Vec score = model_.scores(what_.angle);
      const Index best = std::max_element(score.data(), score.data() + score.size()) - score.data();
      if (!(score[best] > 0)) return false;
      const Vec q = model_.direction(best);
      if (q.size() == 0) continue;
      if (!passes(q)) return false;
      model_.join(best, q);
      joined_.push_back(best);
      for (Index k = 0; k < probes_.cols(); ++k) probes_.col(k) -= q * q.dot(probes_.col(k));
      record();
      return true;
    }
  }

  bool passes(const Vec& q) {
    switch (what_.stop) {
      case Test::none: return true;
      case Test::fisher: return probe_tail(model_.score(q), model_.freedom()) <= what_.level;
      case Test::probe: return probes_.cols() ? beats_probes(model_.score(q)) : beats_chance(model_.score(q));
      case Test::loo: {
        const double next = model_.leave_one_out(q);
        if (!(next < loo_)) return false;
        loo_ = next;
        return true;
      }
    }
    return false;
  }

  // Tests the probability that a probe would have joined by now.
  bool beats_chance(double score) {
    chance_ += (1 - chance_) * probe_tail(score, model_.freedom());
    return chance_ <= what_.level;
  }

  // Tests the share of the probes that would have joined by now.
  bool beats_probes(double score) {
    Index count = 0;
    for (Index k = 0; k < probes_.cols(); ++k) {
      if (!beaten_[k]) beaten_[k] = model_.score(probes_.col(k)) >= score;
      count += beaten_[k];
    }
    return static_cast<double>(count) <= what_.level * static_cast<double>(probes_.cols());
  }

  void record() { found_.trace.rounds.push_back({model_.error(), size(), std::nan(""), "least squares"}); }

  IndexList first(Index size) const {
    IndexList all = forced_;
    all.insert(all.end(), joined_.begin(), joined_.end());
    all.resize(std::min<std::size_t>(all.size(), size));
    return all;
  }

  void finish() {
    found_.order = largest(model_.scores(what_.angle), Vec(), first(size()), p_.x->cols());
    const IndexList leading = first(size());
    std::copy(leading.begin(), leading.end(), found_.order.begin());
    IndexList sizes = sizes_;
    if (what_.stop != Test::none) sizes = {size()};
    for (Index asked : sizes)
      found_.chosen.push_back(what_.backward == Test::none ? first(asked) : shrunk(asked));
  }

  IndexList shrunk(Index asked) const {
    const IndexList all = first(asked);
    const IndexList joined(all.begin() + forced_.size(), all.end());
    IndexList kept = forced_;
    for (Index j : Shrinking(model_, p_, joined, first_, what_).run()) kept.push_back(j);
    return kept;
  }

  const Problem& p_;
  const Forward& what_;
  const IndexList& sizes_;
  IndexList forced_;
  const Limits& limits_;
  Model model_;
  Mat probes_;
  // Whether each probe would have joined.
  std::vector<char> beaten_;
  IndexList joined_;
  // The number of directions of the intercept and of forced columns.
  Index first_ = 0;
  double loo_ = 0, chance_ = 0;
  ForwardSearch found_;
};

// Returns the continued fraction of the incomplete beta function by Lentz's method, which converges fast for x < (a +
// 1)/(a + b + 2).
double beta_fraction(double x, double a, double b) {
  const double tiny = 1e-300;
  const auto guarded = [&](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1, d = 1 / guarded(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

// Returns I_x(a, b), where y = 1 - x.
double incomplete_beta(double x, double y, double a, double b) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(y, b, a) / b;
}

}  // namespace

double probe_tail(double squared_cosine, double nu) {
  if (nu <= 1) return 1;
  const double x = std::min(1.0, std::max(0.0, squared_cosine));
  return incomplete_beta(1 - x, x, 0.5 * (nu - 1), 0.5);
}

ForwardSearch search_forward(const Problem& problem, const Forward& what, const IndexList& sizes,
                             const IndexList& forced, const IndexList& empty, const Limits& limits) {
  return Search(problem, what, sizes, forced, empty, limits).run();
}

}  // namespace zeronorm

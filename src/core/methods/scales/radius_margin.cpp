#include "methods/scales/radius_margin.h"

#include <cmath>
#include <limits>

#include "base/indices.h"

namespace zeronorm {
namespace {

// The relative spacing of doubles.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class LinearGram : public GramMap {
 public:
  explicit LinearGram(std::shared_ptr<const Design> x) : x_(std::move(x)) {}
  Index rows() const override { return x_->rows(); }
  Index features() const override { return x_->cols(); }
  bool linear() const override { return true; }
  Mat at(const Vec& theta, const Limits& limits) override { return x_->gram(theta.cwiseSqrt(), limits); }
  // The derivative is dK/dtheta_j = x_j x_j'. O(nd).
  Vec slopes(const Vec& d, const Vec& u, const Limits&) const override {
    Vec slopes = -x_->transposed_times(u).cwiseAbs2();
    if (!d.isZero(0.0)) slopes += x_->weighted_squares(d);
    return slopes;
  }
  // Computed about the mean, where an offset costs no digits. O(nd).
  Vec variances(const Vec& b, const Limits&) const override {
    return degrees_of_freedom(b) * x_->moments(b).sd.cwiseAbs2();
  }
  Vec slopes(const Mat& weight, const IndexList& rows, const Limits&) const override {
    const Mat x = matrix(*x_->subset(rows, first(features())));
    return x.cwiseProduct(weight * x).colwise().sum().transpose();
  }
  Vec losses(const Vec& d, const Vec& u, const Vec& theta, const Limits& limits) const override {
    return theta.cwiseProduct(slopes(d, u, limits));
  }
  Mat without(Index j, const Vec& theta) const override {
    Vec rest = theta;
    rest[j] = 0;
    return x_->gram(rest.cwiseSqrt());
  }

 private:
  std::shared_ptr<const Design> x_;
};

class KernelGram : public GramMap {
 public:
  KernelGram(KernelForm form, const Mat& x) : rows_(x.rows()), kernel_(form, x, x) {}
  Index rows() const override { return rows_; }
  Index features() const override { return kernel_.features(); }
  bool linear() const override { return false; }
  Mat at(const Vec& theta, const Limits& limits) override { return kernel_.at(theta, limits); }
  Vec slopes(const Vec& d, const Vec& u, const Limits& limits) const override {
    Mat weight = -u * u.transpose();
    weight.diagonal() += d;
    return kernel_.slopes(weight, limits);
  }
  Vec slopes(const Mat& weight, const IndexList& rows, const Limits& limits) const override {
    Mat spread = Mat::Zero(rows_, rows_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < rows.size(); ++k) spread(rows[i], rows[k]) = weight(i, k);
    return kernel_.slopes(spread, limits);
  }
  Vec losses(const Vec& d, const Vec& u, const Vec& theta, const Limits& limits) const override {
    return kernel_.diagonal_losses(d, theta) - kernel_.losses(u, theta, limits);
  }
  Mat without(Index j, const Vec& theta) const override { return kernel_.without(j, theta); }

 private:
  Index rows_;
  ScaledKernel kernel_;
};

}  // namespace

std::unique_ptr<GramMap> linear_gram(std::shared_ptr<const Design> x) {
  return std::make_unique<LinearGram>(std::move(x));
}

std::unique_ptr<GramMap> kernel_gram(KernelForm form, const Mat& x) {
  return std::make_unique<KernelGram>(form, x);
}

Status svm_status(BoxQp& svm, BoxQp::Outcome outcome, const Mat& k, const GramMap& gram, const Vec& theta,
                  const IndexList& rows) {
  // A column counts as present in the ray if its product exceeds this fraction of the product of the norms.
  constexpr double near = 1e-6;
  if (outcome == BoxQp::Outcome::optimal) return Status::optimal;
  svm.beta.setZero();
  if (outcome == BoxQp::Outcome::interrupted) return Status::interrupted;
  if (outcome != BoxQp::Outcome::ray) return Status::numerical;
  if (!gram.linear()) return Status::infeasible;
  svm.refine_ray(k * svm.ray);
  Vec ray = svm.ray, ones = Vec::Ones(svm.ray.size());
  if (!rows.empty()) {
    ray = ones = Vec::Zero(gram.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) ray[rows[i]] = svm.ray[i], ones[rows[i]] = 1;
  }
  const Vec none = Vec::Zero(ray.size()), seen = -gram.slopes(none, ray, Limits()),
            squares = gram.slopes(ones, none, Limits());
  for (Index j = 0; j < theta.size(); ++j)
    if (theta[j] > 0 && seen[j] > near * near * ray.squaredNorm() * squares[j]) return Status::numerical;
  return Status::infeasible;
}

RadiusMargin::RadiusMargin(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
                           Spread spread)
    : gram_(gram), y_(y), equalities_(equalities), spread_(spread), inverse_(weights.cwiseInverse()),
      mean_(weights / weights.sum()) {
  svm_.setup(y, Vec::Ones(y.size()), Vec::Constant(y.size(), kInf), Loss::hinge);
}

void RadiusMargin::set_pull(double share, const Vec& center) {
  pull_ = share * radius2_;
  center_ = center;
}

Vec RadiusMargin::nearness() const {
  Vec near = Vec::Zero(gram_.features());
  for (Index j = 0; j < near.size(); ++j)
    if (radius_slopes_[j] > 0) near[j] = std::max(0.0, -norm_slopes_[j] / radius_slopes_[j]);
  return near;
}

void RadiusMargin::begin(bool homogeneous) { level_ = homogeneous ? 2 * std::sqrt(value()) : 0.0; }

double RadiusMargin::descent(Vec& slopes) const {
  if (level_ > 0) {
    slopes = (radius_slopes_ + norm_slopes_) / level_;
    return (radius2_ + norm2_) / level_;
  }
  slopes = radius_slopes_ / radius2_ + norm_slopes_ / norm2_;
  return std::log(radius2_) + std::log(norm2_);
}

double RadiusMargin::stretch() const { return std::sqrt(norm2_ / radius2_); }

double RadiusMargin::radius2_of(const Mat& k, const Vec& squares, const Limits& limits) {
  if (spread_ == Spread::variance) {
    ball_.beta = mean_;
    return mean_.dot(squares) - mean_.dot(k * mean_);
  }
  if (pull_ == 0) return ball_.solve(k, squares, limits);
  Mat pulled = k;
  pulled.diagonal().array() += pull_;
  return ball_.solve(pulled, squares + 2 * pull_ * center_, limits) - pull_ * center_.squaredNorm();
}

Status RadiusMargin::evaluate(const Vec& theta, double ridge, const Limits& limits) {
  Mat k = gram_.at(theta, limits);
  if (limits.stop_now()) return Status::interrupted;
  const Vec squares = k.diagonal().array() + ridge;
  k.diagonal() += ridge * inverse_;
  const Status status = svm_status(svm_, svm_.solve(k, equalities_, limits), k, gram_, theta);
  if (status != Status::optimal) return status;
  norm2_ = 2 * svm_.dual_value();
  sum_ = y_.dot(svm_.beta);
  radius2_ = radius2_of(k, squares, limits);
  if (limits.stop_now()) return Status::interrupted;
  if (!(radius2_ > 0) || !(norm2_ >= 0)) return Status::numerical;

  const Vec& b = ball_.beta;
  radius_slopes_.resize(theta.size() + 1);
  norm_slopes_.resize(theta.size() + 1);
  radius_slopes_ << gram_.variances(b, limits), 1 - b.cwiseAbs2().dot(inverse_);
  norm_slopes_ << gram_.slopes(Vec::Zero(b.size()), svm_.beta, limits), -svm_.beta.cwiseAbs2().dot(inverse_);
  return Status::optimal;
}

// For any weights b of the ball and multipliers a of the SVM, with s = (theta, ridge), r and -g the slopes:
//   R^2(s) >= sum_j s_j r_j,  |w|^2(s) >= (sum a)^2 / sum_j s_j g_j  (with the best scale of a).
// So R^2 |w|^2 is at least (sum a)^2 times the smallest ratio of these sums: the smallest r_j / g_j or, with a fixed
// ridge, the value of a fractional programme over the box (Dinkelbach's method). g includes the rounding error of
// x_j'a, because a constant column without an intercept has r_j = 0 and a g that is all rounding error.
double RadiusMargin::bound(const Vec& upper, bool fixed_ridge) const {
  if (!gram_.linear()) return -kInf;
  const Index d = gram_.features();
  const Vec r = radius_slopes_.cwiseMax(0.0);
  Vec g = (-norm_slopes_).cwiseMax(0.0);
  // The rounding error of x_j'a is zero if every entry of x_j meets a zero multiplier.
  const double n = static_cast<double>(y_.size()), rounding = n * std::sqrt(n) * kEpsilon;
  const Vec met = gram_.slopes(svm_.beta.cwiseAbs2(), Vec::Zero(y_.size()), Limits());
  g.head(d) = (g.head(d).cwiseSqrt() + rounding * met.cwiseSqrt()).cwiseAbs2();
  double least = kInf;
  if (!fixed_ridge) {
    for (Index j = 0; j <= d; ++j)
      if (upper[j] > 0 && g[j] > 0) least = std::min(least, r[j] / g[j]);
    return sum_ * sum_ * least;
  }
  for (double next = r[d] / g[d]; next < least;) {
    least = next;
    double above = upper[d] * r[d], below = upper[d] * g[d];
    for (Index j = 0; j < d; ++j) {
      if (!(r[j] < least * g[j])) continue;
      above += upper[j] * r[j];
      below += upper[j] * g[j];
    }
    next = above / below;
  }
  return sum_ * sum_ * least;
}

}  // namespace zeronorm

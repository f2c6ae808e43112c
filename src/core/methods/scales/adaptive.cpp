#include "methods/scales/adaptive.h"

#include <algorithm>
#include <cmath>

#include "engines/parts/minimise_box.h"

namespace zeronorm {
namespace {

// Largest number of descents; a descent that rounding or a kink has stopped starts again.
constexpr int kMaxDescents = 20;

// The descent is over tau >= 0, of which only the direction matters. theta_j is proportional to tau_j, or for p < 2
// to tau_j^(2/p), so that slopes are finite at zero.
class Descent {
 public:
  Descent(GramMap& gram, const Vec& y, const Vec& cost, const Mat& equalities, const Adaptive& what,
          const Limits& limits)
      : gram_(gram), equalities_(equalities), limits_(limits), d_(gram.features()), half_p_(what.p / 2),
        bend_(std::max(1.0, 1 / half_p_)), level_(what.sigma0 * what.sigma0), open_(d_, 1),
        fixed_(Vec::Zero(d_)) {
    svm_.setup(y, Vec::Ones(y.size()), cost, Loss::hinge);
    for (Index j : what.empty) open_[j] = 0;
    for (Index j : what.fixed) {
      open_[j] = 0;
      fixed_[j] = level_;
    }
  }

  AdaptiveScales run(const Vec& start) {
    AdaptiveScales out;
    Vec tau = start;
    out.theta = scales(tau);
    out.status = look(out.theta);
    double gap = kInf;
    for (int k = 0; k < kMaxDescents && out.status == Status::optimal; ++k) {
      const double before = gap, value = value_;
      gap = value_ > 0 ? first_order_gap(out.theta) / value_ : 0.0;
      if (gap <= limits_.tol || (k > 1 && !(gap < before))) break;
      const BoxResult r = minimise_box(box(), tau, limits_);
      if (limits_.stop_now()) out.status = Status::interrupted;
      if (!(r.value * value <= value)) break;
      tau = r.x / r.x.maxCoeff();
      out.theta = scales(tau);
      out.status = look(out.theta);
    }
    gap = value_ > 0 ? first_order_gap(out.theta) / value_ : 0.0;
    out.certificate = {value_, value_ * (1 - gap), gap, gap};
    out.round = {value_, (out.theta.array() > 0).count(), gap, "box"};
    return out;
  }

  // Returns the tau of these scales.
  Vec places(const Vec& theta) const {
    Vec tau = Vec::Zero(d_);
    const double largest = theta.maxCoeff();
    for (Index j = 0; j < d_; ++j)
      if (open_[j] && largest > 0) tau[j] = std::pow(theta[j] / largest, 1 / bend_);
    return tau;
  }

  Vec everywhere() const {
    Vec tau(d_);
    for (Index j = 0; j < d_; ++j) tau[j] = open_[j];
    return tau;
  }

 private:
  GramMap& gram_;
  const Mat& equalities_;
  const Limits& limits_;
  Index d_;
  double half_p_, bend_, level_;
  std::vector<char> open_;
  Vec fixed_;
  BoxQp svm_;
  double value_ = 0;
  // The derivative dJ / dtheta.
  Vec slopes_;

  // Returns sum_j sigma_j^p at theta = tau^bend; the derivative by tau_j is p/2 bend tau_j^(p/2 bend - 1).
  double power_sum(const Vec& tau) const { return tau.array().pow(bend_ * half_p_).sum(); }

  Vec scales(const Vec& tau) const {
    const double largest = tau.size() ? tau.maxCoeff() : 0.0;
    if (!(largest > 0)) return fixed_;
    const Vec unit = tau / largest;
    return fixed_ + Vec(level_ * unit.array().pow(bend_) * std::pow(power_sum(unit), -1 / half_p_));
  }

  Status look(const Vec& theta) {
    const Mat k = gram_.at(theta, limits_);
    if (limits_.stop_now()) return Status::interrupted;
    const Status status = svm_status(svm_, svm_.solve(k, equalities_, limits_), k, gram_, theta);
    if (status != Status::optimal) return status;
    value_ = svm_.dual_value();
    slopes_ = 0.5 * gram_.slopes(Vec::Zero(svm_.beta.size()), svm_.beta, limits_);
    return limits_.stop_now() ? Status::interrupted : Status::optimal;
  }

  // Returns the box problem of J divided by its value at the start.
  BoxSmooth box() {
    BoxSmooth box;
    box.lower = Vec::Zero(d_);
    box.upper = Vec::Zero(d_);
    for (Index j = 0; j < d_; ++j)
      if (open_[j]) box.upper[j] = kInf;
    const double unit = value_;
    box.value = [=](const Vec& tau, Vec& gradient) {
      gradient = Vec::Zero(d_);
      const double largest = tau.maxCoeff();
      if (!(largest > 0)) return kInf;
      const Vec theta = scales(tau);
      if (look(theta) != Status::optimal) return kInf;
      // The gradient of theta_j = level tau_j^bend / sum^(1/half_p) includes that of the sum, which depends on every
      // tau.
      const Vec at = tau / largest;
      const double sum = power_sum(at), power = bend_ * half_p_;
      const double along = slopes_.dot(theta - fixed_) / sum;
      for (Index j = 0; j < d_; ++j) {
        if (!open_[j]) continue;
        const double own = slopes_[j] * level_ * std::pow(sum, -1 / half_p_) * std::pow(at[j], bend_ - 1);
        gradient[j] = bend_ / (largest * unit) * (own - along * std::pow(at[j], power - 1));
      }
      return value_ / unit;
    };
    return box;
  }

  // Returns slopes'(theta - t) for p >= 2, where t are the best admissible scales if J decreased linearly. For p < 2
  // the admissible scales are not convex in theta, and t is the best in tau = sigma^p.
  double first_order_gap(const Vec& theta) const {
    const Vec open = theta - fixed_;
    Vec fall = Vec::Zero(d_);
    for (Index j = 0; j < d_; ++j)
      if (open_[j]) fall[j] = -slopes_[j];
    if (half_p_ < 1) {
      const double level = std::pow(level_, half_p_);
      double here = 0, best = fall.size() ? -kInf : 0.0;
      for (Index j = 0; j < d_; ++j) {
        if (!open_[j]) continue;
        const double tau = std::pow(open[j], half_p_);
        const double slope = tau > 0 ? fall[j] * std::pow(tau, bend_ - 1) * bend_ : 0.0;
        here += tau * slope;
        best = std::max(best, slope);
      }
      return std::max(0.0, level * best - here);
    }
    return std::max(0.0, level_ * dual_norm(fall) - fall.dot(open));
  }

  // Returns the maximum of fall't over t >= 0 with sum_j t_j^(p/2) = 1.
  double dual_norm(const Vec& fall) const {
    const double largest = fall.maxCoeff();
    if (half_p_ == 1 || largest <= 0) return largest;
    const double other = half_p_ / (half_p_ - 1);
    return largest * std::pow((fall / largest).cwiseMax(0.0).array().pow(other).sum(), 1 / other);
  }
};

}  // namespace

AdaptiveScales adapt_scales(GramMap& gram, const Vec& y, const Vec& cost, const Mat& equalities,
                            const Adaptive& what, const Limits& limits) {
  Adaptive convex = what;
  convex.p = std::max(2.0, what.p);
  Descent first(gram, y, cost, equalities, convex, limits);
  AdaptiveScales found = first.run(first.everywhere());
  if (what.p >= 2 || found.status != Status::optimal) return found;
  Descent descent(gram, y, cost, equalities, what, limits);
  Vec open = found.theta;
  for (Index j : what.fixed) open[j] = 0;
  return descent.run(descent.places(open));
}

}  // namespace zeronorm

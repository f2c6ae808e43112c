// Projected quasi-Newton method: two-loop L-BFGS on the coordinates that are not at a bound, with backtracking along
// the projected path.
#include "engines/parts/minimise_box.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace zeronorm {
namespace {

// Number of pairs of steps and gradient changes that L-BFGS keeps.
constexpr std::size_t kMemory = 10;
// Fraction of the predicted decrease that a step has to achieve.
constexpr double kArmijo = 1e-4;
// Largest number of iterations if the limits give none.
constexpr long kMaxIterations = 10000;
// Relative change of the value that counts as rounding.
constexpr double kRounding = 1e-14;

struct Pair {
  Vec step, change;  // Changes of x and of the gradient.
};

class BoxDescent {
 public:
  BoxDescent(const BoxSmooth& problem, const Limits& limits) : problem_(problem), limits_(limits) {}

  BoxResult run(const Vec& start) {
    r_.x = project(start);
    r_.gradient = Vec::Zero(start.size());
    r_.value = problem_.value(r_.x, r_.gradient);
    measure();
    if (!std::isfinite(r_.value) || !r_.gradient.allFinite()) return r_;
    r_.values.push_back(r_.value);
    first_ = std::max(r_.projected_gradient, 1e-300);
    r_.status = descend();
    return r_;
  }

 private:
  Vec project(const Vec& x) const { return x.cwiseMax(problem_.lower).cwiseMin(problem_.upper); }

  // Measures the stationarity of the present point. O(d).
  void measure() {
    const Vec& x = r_.x;
    const Vec& g = r_.gradient;
    r_.projected_gradient = x.size() ? (x - project(x - g)).cwiseAbs().maxCoeff() : 0.0;
    r_.gap = 0;
    for (Index j = 0; j < x.size(); ++j) {
      if (g[j] > 0) r_.gap += g[j] * (x[j] - problem_.lower[j]);
      if (g[j] < 0) r_.gap += g[j] * (x[j] - problem_.upper[j]);
    }
  }

  bool stationary() const {
    const bool flat = r_.projected_gradient <= limits_.tol * std::min(1.0, first_);
    return flat && (r_.gap == kInf || gap_closed());
  }

  bool gap_closed() const { return r_.gap <= limits_.tol * std::max(1.0, std::abs(r_.value)); }

  // Marks the coordinates that are at a bound, or so near that the projected gradient reaches it, and that the
  // gradient moves towards it.
  std::vector<char> held() const {
    const double near = std::min(1e-8, r_.projected_gradient);
    std::vector<char> held(r_.x.size());
    for (Index j = 0; j < r_.x.size(); ++j)
      held[j] = (r_.gradient[j] > 0 && r_.x[j] <= problem_.lower[j] + near) ||
                (r_.gradient[j] < 0 && r_.x[j] >= problem_.upper[j] - near);
    return held;
  }

  // Returns the L-BFGS direction by the two-loop recursion on the other coordinates. O(memory * d).
  Vec direction(const std::vector<char>& held) const {
    const auto dot = [&](const Vec& a, const Vec& b) {
      double s = 0;
      for (Index j = 0; j < a.size(); ++j)
        if (!held[j]) s += a[j] * b[j];
      return s;
    };
    Vec q = r_.gradient;
    std::vector<double> alpha(pairs_.size(), 0.0), rho(pairs_.size(), 0.0);
    double scale = 0;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      const double sy = dot(pairs_[k].step, pairs_[k].change), yy = dot(pairs_[k].change, pairs_[k].change);
      if (!(sy > 1e-10 * yy * scale && sy > 0)) continue;  // The pair has no curvature left on this face.
      if (scale == 0) scale = sy / yy;
      rho[k] = 1 / sy;
      alpha[k] = rho[k] * dot(pairs_[k].step, q);
      q -= alpha[k] * pairs_[k].change;
    }
    if (scale == 0) scale = first_scale(held);
    q *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      if (rho[k] > 0) q += (alpha[k] - rho[k] * dot(pairs_[k].change, q)) * pairs_[k].step;
    for (Index j = 0; j < q.size(); ++j)
      if (held[j]) q[j] = r_.gradient[j];  // Held coordinates move on to their bound.
    return -q;
  }

  // Limits the first step to length one.
  double first_scale(const std::vector<char>& held) const {
    double norm = 0;
    for (Index j = 0; j < r_.x.size(); ++j)
      if (!held[j]) norm += r_.gradient[j] * r_.gradient[j];
    return 1 / std::max(1.0, std::sqrt(norm));
  }

  // Backtracks along the projected path until the value decreases enough. One evaluation per trial.
  bool step(const Vec& direction) {
    Vec gradient(r_.x.size());
    for (double t = 1; t > 1e-20; t *= 0.3) {
      const Vec to = project(r_.x + t * direction);
      const double slope = r_.gradient.dot(to - r_.x);
      if (slope >= 0) continue;
      const double value = problem_.value(to, gradient);
      if (!std::isfinite(value) || !gradient.allFinite()) continue;
      if (!(value <= r_.value + kArmijo * slope) && !flat(to, value, gradient)) continue;
      remember(to, gradient);
      r_.x = to, r_.value = value, r_.gradient = gradient;
      return true;
    }
    return false;
  }

  // Accepts a step whose change of the value is hidden by rounding if it reduces the projected gradient.
  bool flat(const Vec& to, double value, const Vec& gradient) const {
    if (std::abs(value - r_.value) > kRounding * std::abs(r_.value)) return false;
    return (to - project(to - gradient)).cwiseAbs().maxCoeff() < 0.9 * r_.projected_gradient;
  }

  void remember(const Vec& to, const Vec& gradient) {
    pairs_.push_back({to - r_.x, gradient - r_.gradient});
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }

  Status descend() {
    const long most = limits_.iterations > 0 ? limits_.iterations : kMaxIterations;
    while (!stationary()) {
      if (limits_.stop_now()) return Status::interrupted;
      if (r_.iterations >= most) return Status::limit;
      if (!step(direction(held()))) {
        if (pairs_.empty()) return gap_closed() ? Status::optimal : Status::numerical;
        pairs_.clear();  // The next step is one of steepest descent.
        continue;
      }
      ++r_.iterations;
      r_.values.push_back(std::min(r_.value, r_.values.back()));
      measure();
    }
    return Status::optimal;
  }

  const BoxSmooth& problem_;
  const Limits& limits_;
  BoxResult r_;
  std::deque<Pair> pairs_;
  double first_ = 1;
};

}  // namespace

BoxResult minimise_box(const BoxSmooth& problem, Vec start, const Limits& limits) {
  return BoxDescent(problem, limits).run(start);
}

}  // namespace zeronorm

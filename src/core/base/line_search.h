// Roots of monotone functions, and line searches along a convex function by its slope.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/types.h"

namespace zeronorm {

// A t between low and high where the slope is at most enough in size. It is negative at low and positive at
// high. False position; an end that stays twice counts half (Illinois), one that stays on is met halfway.
double flat_point(const std::function<double(double)>& slope, double low, double at_low, double high,
                  double at_high, double enough);

// The root of a monotone function between low and high by Newton's method, which bisects where a step leaves the
// bracket. step(t) is the Newton step at t: positive where the root lies to the right, zero at the root.
template <class Step>
double newton_in_bracket(Step step, double low, double high, double t) {
  constexpr int most = 200;
  constexpr double same = 1e-16;  // relative change of t
  for (int k = 0; k < most; ++k) {
    const double move = step(t);
    if (move == 0) return t;
    (move > 0 ? low : high) = t;
    double next = t + move;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= same * std::abs(t) || next == low || next == high) return next;
    t = next;
  }
  return t;
}

// A convex function that bends suddenly where coefficients become zero.
struct KinkedLine {
  std::vector<std::pair<double, Index>> kinks;  // where, in order, and of which coefficient
  std::vector<double> jumps;                    // of the slope in all, once so many kinks are passed
  std::function<double(double)> smooth;         // the slope without these

  // Those of  sum_k (up_k w_k^+ + down_k w_k^-)  along w + t move; gives its slope at 0. O(p log p).
  double set_kinks(const Vec& w, const Vec& move, const Eigen::Ref<const Vec>& up,
                   const Eigen::Ref<const Vec>& down);
  double slope(double t, std::size_t passed) const { return smooth(t) + jumps[passed]; }
  // The t > 0 of the lowest point, to a slope of that size; exactly where it is a kink. The slope at 0 is negative.
  double lowest(double enough) const;
};

}  // namespace zeronorm

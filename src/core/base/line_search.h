// Roots of monotone functions, and line searches for convex functions, by their slope.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "base/types.h"

namespace zeronorm {

// Returns a t between low and high at which the slope is at most `enough` in absolute value. The slope is negative at
// low and positive at high. False position with the Illinois modification; an end that does not move for long is met
// by bisection.
double flat_point(const std::function<double(double)>& slope, double low, double at_low, double high,
                  double at_high, double enough);

// Returns the root of a monotone function between low and high by Newton's method, which bisects if a step leaves the
// bracket. step(t) is the Newton step at t: positive if the root lies to the right, zero at the root.
template <class Step>
double newton_in_bracket(Step step, double low, double high, double t) {
  // Largest number of steps.
  constexpr int most = 200;
  // Relative change of t at which the search ends.
  constexpr double same = 1e-16;
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

// A convex function with kinks where coefficients become zero.
struct KinkedLine {
  // The kinks in ascending order, and the coefficients that become zero there.
  std::vector<std::pair<double, Index>> kinks;
  // The total jump of the slope after each number of kinks.
  std::vector<double> jumps;
  // The slope without the jumps.
  std::function<double(double)> smooth;

  // Sets the kinks of  sum_k (up_k w_k^+ + down_k w_k^-)  along w + t move and returns its slope at 0. O(p log p).
  double set_kinks(const Vec& w, const Vec& move, const Eigen::Ref<const Vec>& up,
                   const Eigen::Ref<const Vec>& down);
  double slope(double t, std::size_t passed) const { return smooth(t) + jumps[passed]; }
  // Returns the t > 0 of the minimum, up to a slope of size `enough`; exact at a kink. The slope at 0 has to be
  // negative.
  double lowest(double enough) const;
};

}  // namespace zeronorm

// Line searches along a convex function by its slope.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/types.h"

namespace zeronorm {

// A t between low and high where the slope is at most enough in size. It is negative at low and positive at
// high. False position; an end that stays twice counts half (Illinois), one that stays on is met halfway.
double flat_point(const std::function<double(double)>& slope, double low, double at_low, double high,
                  double at_high, double enough);

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

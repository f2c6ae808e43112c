#include "base/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zeronorm {
namespace {

// Largest multiple of a step that is tried.
constexpr double kMaxStepFactor = 1e15;
// Largest number of evaluations of the slope in flat_point().
constexpr int kMaxTrials = 60;
// Evaluations after which an end that did not move is met by bisection, because slopes may differ by many orders of
// magnitude.
constexpr int kPatience = 4;

}  // namespace

double flat_point(const std::function<double(double)>& slope, double low, double at_low, double high,
                  double at_high, double enough) {
  double t = low;
  // The number of evaluations for which the upper end did not move, or minus that of the lower end.
  int stayed = 0;
  for (int k = 0; k < kMaxTrials; ++k) {
    t = low + (high - low) * at_low / (at_low - at_high);
    if (!(t > low && t < high) || std::abs(stayed) > kPatience) t = 0.5 * (low + high);
    const double s = slope(t);
    if (std::abs(s) <= enough) break;
    if (s < 0) {
      low = t, at_low = s;
      if (stayed > 0) at_high *= 0.5;
      stayed = std::max(stayed, 0) + 1;
    } else {
      high = t, at_high = s;
      if (stayed < 0) at_low *= 0.5;
      stayed = std::min(stayed, 0) - 1;
    }
  }
  return t;
}

double KinkedLine::set_kinks(const Vec& w, const Vec& move, const Eigen::Ref<const Vec>& up,
                             const Eigen::Ref<const Vec>& down) {
  kinks.clear();
  double first = 0;
  for (Index k = 0; k < w.size(); ++k) {
    const double m = move[k];
    if (m == 0) continue;
    first += m * (w[k] > 0 || (w[k] == 0 && m > 0) ? up[k] : -down[k]);
    if (w[k] * m < 0 && up[k] + down[k] > 0) kinks.emplace_back(-w[k] / m, k);
  }
  std::sort(kinks.begin(), kinks.end());
  jumps = {0};
  for (const auto& kink : kinks)
    jumps.push_back(jumps.back() + std::abs(move[kink.second]) * (up[kink.second] + down[kink.second]));
  return first;
}

double KinkedLine::lowest(double enough) const {
  const auto passed = [&](double t) {
    const auto key = std::make_pair(t, std::numeric_limits<Index>::max());
    return static_cast<std::size_t>(std::upper_bound(kinks.begin(), kinks.end(), key) - kinks.begin());
  };
  double high = 1, at_high = slope(high, passed(high));
  while (at_high < -enough && high < kMaxStepFactor) high *= 4, at_high = slope(high, passed(high));
  // Bisection finds the first kink at which the function no longer decreases enough.
  std::size_t low = 0, end = passed(high);
  const std::size_t within = end;
  while (low < end) {
    const std::size_t mid = (low + end) / 2;
    if (slope(kinks[mid].first, mid + 1) >= -enough)
      end = mid;
    else
      low = mid + 1;
  }
  if (low < within) {
    high = kinks[low].first, at_high = slope(high, low);
    if (at_high <= 0) return high;
  }
  if (at_high <= enough) return high;
  const double from = low > 0 ? kinks[low - 1].first : 0;
  return flat_point([&](double t) { return slope(t, low); }, from, slope(from, low), high, at_high, enough);
}

}  // namespace zeronorm

#include "engines/parts/project_multipliers.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {

void project_on_multipliers(double* q, Index classes, Index own, double cost) {
  double low = q[0];
  for (Index l = 1; l < classes; ++l) low = std::min(low, q[l]);
  double high = q[own], level = high;
  low = std::max(low, q[own] - double(classes - 1) * cost);
  for (int step = 0; step < 100; ++step) {
    double sum = q[own] - level, slope = 1;
    for (Index l = 0; l < classes; ++l) {
      const double value = q[l] - level;
      if (l == own || value >= 0) continue;
      sum += std::max(value, -cost);
      slope += value > -cost;
    }
    if (std::abs(sum) <= slope * 2e-16 * (std::abs(level) + std::abs(q[own]))) break;
    (sum > 0 ? low : high) = level;
    const double next = level + sum / slope;
    level = next > low && next < high ? next : 0.5 * (low + high);
  }
  double total = 0;
  for (Index l = 0; l < classes; ++l) {
    if (l == own) continue;
    q[l] = std::min(0.0, std::max(-cost, q[l] - level));
    total -= q[l];
  }
  q[own] = total;
}

}  // namespace zeronorm

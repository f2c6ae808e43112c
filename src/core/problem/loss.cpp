#include "problem/loss.h"
#include "base/line_search.h"

namespace zeronorm {
namespace {

// A force below this value is replaced by it.
constexpr double kMinForce = 1e-300;
// Argument below which the asymptotic series are as accurate as the functions.
constexpr double kSeriesBound = -30;

double normal_density(double t) { return std::exp(-0.5 * t * t) / std::sqrt(2 * std::acos(-1.0)); }

// Returns Phi(t) |t| / phi(t) for t far below 0.
double mills(double t) {
  const double s = 1 / (t * t);
  return 1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s)));
}

}  // namespace

double probit_value(double t) {
  if (t > 0) return -std::log1p(-0.5 * std::erfc(t / std::sqrt(2.0)));
  if (t > kSeriesBound) return -std::log(0.5 * std::erfc(-t / std::sqrt(2.0)));
  return 0.5 * t * t + std::log(-t * std::sqrt(2 * std::acos(-1.0))) - std::log(mills(t));
}

double probit_force(double t) {
  if (t > kSeriesBound) return normal_density(t) / (0.5 * std::erfc(-t / std::sqrt(2.0)));
  return -t / mills(t);
}

double probit_curvature(double t) {
  if (t > kSeriesBound) {
    const double r = probit_force(t);
    return std::max(0.0, r * (r + t));
  }
  const double s = 1 / (t * t);
  return 1 - s * (1 - 6 * s);
}

// Newton's method for log force in a bracket: the force is above -t everywhere and at most 2 phi(t) for t above 0.
double probit_at(double force) {
  force = std::max(force, kMinForce);
  const double low = -force, high = 1 + std::sqrt(2 * std::max(0.0, std::log(0.8 / force)));
  const double t = force < 0.8 ? 0.5 * (low + high) : low + 0.5;
  const auto step = [&](double at) {
    const double r = probit_force(at);
    return r == force ? 0.0 : std::log(r / force) / (r + at);
  };
  return newton_in_bracket(step, low, high, t);
}

}  // namespace zeronorm

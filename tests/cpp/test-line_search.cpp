// Tests points where the slope of functions with known roots vanishes, and the number of evaluations.
#include <testthat/vendor/catch.h>

#include "base/line_search.h"
#include "instances.h"

using namespace zeronorm;

TEST_CASE("flat_point: few slopes, also where one end would stay for ever") {
  const auto slopes = [](const std::function<double(double)>& slope, double high, double root) {
    int asked = 0;
    const auto counted = [&](double t) {
      ++asked;
      return slope(t);
    };
    const double t = flat_point(counted, 0, slope(0), high, slope(high), 1e-10);
    CHECK(std::abs(slope(t)) <= 1e-10);
    CHECK(t == Approx(root).epsilon(1e-8));
    return asked;
  };
  CHECK(slopes([](double t) { return t - 0.3; }, 1, 0.3) == 1);
  // Each trial adds 0.4 times the digits: 10 digits take about eight trials, and bisection takes 33.
  CHECK(slopes([](double t) { return std::exp(t) - 2; }, 1, std::log(2.0)) <= 10);
  CHECK(slopes([](double t) { return t * t - 0.5; }, 1, std::sqrt(0.5)) <= 10);
  CHECK(slopes([](double t) { return std::log1p(t) - 1; }, 10, std::exp(1.0) - 1) <= 10);
  CHECK(slopes([](double t) { return std::pow(t, 5) - 0.1; }, 1, std::pow(0.1, 0.2)) <= 15);
  // The slope at one end is 1e30, as slopes of losses are if a step goes too far.
  CHECK(slopes([](double t) { return std::expm1(69 * (t - 0.1)); }, 1.1, 0.1) <= 40);
}

TEST_CASE("kinked lines: the lowest point of |.| sums, by looking everywhere") {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec w = gaussian(6, random), up = gaussian(6, random).cwiseAbs(),
              down = gaussian(6, random).cwiseAbs();
    Vec move = -2 * w + gaussian(6, random);
    move[trial % 6] = 0;
    const double pull = uniform(random);
    // The value of the function itself, plus half a square.
    const auto value = [&](double t) {
      double sum = 0.5 * (t - pull) * (t - pull);
      for (Index k = 0; k < 6; ++k) {
        const double v = w[k] + t * move[k];
        sum += v > 0 ? up[k] * v : -down[k] * v;
      }
      return sum;
    };
    KinkedLine line;
    const double first = line.set_kinks(w, move, up, down);
    line.smooth = [&](double t) { return first + t - pull; };
    CHECK(line.slope(0, 0) == Approx((value(1e-7) - value(0)) / 1e-7).epsilon(1e-5).margin(1e-5));
    if (line.slope(0, 0) >= 0) continue;
    const double t = line.lowest(1e-12);
    double least = kInf;
    for (double other = 0; other < 5; other += 1e-3) least = std::min(least, value(other));
    CHECK(value(t) <= least + 1e-12);
  }
}

// Points where a slope vanishes, of functions whose roots are known, and how many slopes it takes to find them.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "line_search.h"

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
  // Each trial adds four tenths to the digits: 10 of them take about eight, halving takes 33.
  CHECK(slopes([](double t) { return std::exp(t) - 2; }, 1, std::log(2.0)) <= 10);
  CHECK(slopes([](double t) { return t * t - 0.5; }, 1, std::sqrt(0.5)) <= 10);
  CHECK(slopes([](double t) { return std::log1p(t) - 1; }, 10, std::exp(1.0) - 1) <= 10);
  CHECK(slopes([](double t) { return std::pow(t, 5) - 0.1; }, 1, std::pow(0.1, 0.2)) <= 15);
  // A slope of 1e30 at one end, as losses have where a step goes too far.
  CHECK(slopes([](double t) { return std::expm1(69 * (t - 0.1)); }, 1.1, 0.1) <= 40);
}

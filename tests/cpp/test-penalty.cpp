// Tests penalties against numerical derivatives and values by hand.
#include <testthat/vendor/catch.h>

#include <cmath>

#include "problem/penalty.h"

using namespace zeronorm;

namespace {

const std::map<std::string, double> kParameters = {{"alpha", 5},   {"eps", 0.1},    {"p", 0.5},
                                                   {"theta", 0.7}, {"lambda", 0.4}, {"a", 3.7}};

// The slope has a kink or a jump here, so no derivative is tested.
bool near_kink(double t) {
  for (double kink : {0.7, 0.4, 0.4 * 3.7})
    if (std::abs(t - kink) < 1e-3) return true;
  return false;
}

}  // namespace

TEST_CASE("penalties: slope is the derivative; concave, increasing, finite slope at zero") {
  CHECK(penalty_names().size() >= 8);
  for (const std::string& name : penalty_names()) {
    INFO(name);
    const Penalty penalty = make_penalty(name, kParameters);
    CHECK(std::isfinite(penalty.slope(0)));
    CHECK(penalty.slope(0) > 0);
    CHECK(std::isfinite(penalty.value(0)));
    for (double t = 0.01; t < 4; t += 0.013) {
      const double h = 1e-5;
      if (!near_kink(t)) {
        const double numerical = (penalty.value(t + h) - penalty.value(t - h)) / (2 * h);
        CHECK(penalty.slope(t) == Approx(numerical).epsilon(1e-7).margin(1e-9));
      }
      CHECK(penalty.slope(t) >= 0);
      CHECK(penalty.slope(t) <= penalty.slope(t - 0.01) + 1e-15);
      CHECK(penalty.value(t) >= penalty.value(t - 0.01));
      // The tangent lies above the penalty, so the linear surrogate is a majoriser.
      for (double u : {0.0, 0.3, 0.7, 1.5, 5.0})
        CHECK(penalty.value(u) <= penalty.value(t) + penalty.slope(t) * (u - t) + 1e-12);
    }
  }
}

TEST_CASE("penalties: values by hand") {
  auto value = [](const char* name, std::map<std::string, double> q, double t) {
    return make_penalty(name, q).value(t);
  };
  auto slope = [](const char* name, std::map<std::string, double> q, double t) {
    return make_penalty(name, q).slope(t);
  };
  CHECK(value("exp", {{"alpha", 5}}, 0) == 0);
  CHECK(value("exp", {{"alpha", 5}}, 0.2) == Approx(1 - std::exp(-1)));
  CHECK(value("exp", {{"alpha", 5}}, 1e-18) == Approx(5e-18));  // No digits are lost near zero.
  CHECK(slope("exp", {{"alpha", 5}}, 0) == 5);
  CHECK(slope("log", {{"eps", 0.25}}, 0.25) == 2);
  CHECK(value("log", {{"eps", 0.5}}, 0.5) == 0);
  CHECK(value("power", {{"p", 0.5}, {"eps", 1}}, 3) == Approx(2));
  CHECK(slope("power", {{"p", 0.5}, {"eps", 1}}, 3) == Approx(0.25));
  CHECK(value("inverse", {{"p", 1}, {"eps", 1e-6}}, 1) == Approx(-1 / (1 + 1e-6)));
  CHECK(slope("inverse", {{"p", 1}, {"eps", 1e-6}}, 0) == Approx(1e12));
  CHECK(value("l1", {}, 2.5) == 2.5);
  CHECK(slope("l1", {}, 2.5) == 1);
  CHECK(value("capped", {{"theta", 2}}, 1) == 0.5);
  CHECK(value("capped", {{"theta", 2}}, 3) == 1);
  CHECK(slope("capped", {{"theta", 2}}, 1) == 0.5);
  CHECK(slope("capped", {{"theta", 2}}, 3) == 0);
  // For SCAD with lambda 1 and a 3 the value is t up to 1, then (6t - t^2 - 1)/4 up to 3, then 2.
  const std::map<std::string, double> q = {{"lambda", 1}, {"a", 3}};
  CHECK(value("scad", q, 0.5) == 0.5);
  CHECK(value("scad", q, 2) == Approx(1.75));
  CHECK(value("scad", q, 10) == Approx(2));
  CHECK(slope("scad", q, 2) == Approx(0.5));
  CHECK(slope("scad", q, 4) == 0);
  // For MCP the value is t - t^2/6 up to 3, then 3/2.
  CHECK(value("mcp", q, 1.5) == Approx(1.125));
  CHECK(value("mcp", q, 7) == Approx(1.5));
  CHECK(slope("mcp", q, 1.5) == Approx(0.5));
  CHECK(slope("mcp", q, 7) == 0);
}

TEST_CASE("penalties: unknown names and missing parameters are errors") {
  CHECK_THROWS_AS(make_penalty("l0", {}), std::invalid_argument);
  CHECK_THROWS_AS(make_penalty("exp", {}), std::invalid_argument);
  CHECK_THROWS_AS(make_penalty("scad", {{"lambda", 1}}), std::invalid_argument);
}

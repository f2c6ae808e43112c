// Tests the projected quasi-Newton method against clipped closed forms and known minima.
#include <testthat/vendor/catch.h>

#include <cmath>
#include <random>

#include "../../src/core/engines/box.h"

using namespace zeronorm;

namespace {

// The function 1/2 sum h_j (x_j - c_j)^2, whose minimiser is c clipped to the box.
BoxSmooth diagonal(const Vec& h, const Vec& c, double lower, double upper) {
  BoxSmooth p;
  p.value = [=](const Vec& x, Vec& g) {
    g = h.cwiseProduct(x - c);
    return 0.5 * g.dot(x - c);
  };
  p.lower = Vec::Constant(c.size(), lower);
  p.upper = Vec::Constant(c.size(), upper);
  return p;
}

double rosenbrock(const Vec& x, Vec& g) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  g.resize(2);
  g << -2 * a - 400 * x[0] * b, 200 * b;
  return a * a + 100 * b * b;
}

void never_rises(const BoxResult& r) {
  for (std::size_t k = 1; k < r.values.size(); ++k) REQUIRE(r.values[k] <= r.values[k - 1]);
  CHECK(r.values.back() == Approx(r.value).epsilon(1e-13));
}

}  // namespace

TEST_CASE("box: a diagonal quadratic is clipped", "[box]") {
  std::mt19937 g(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const Index d = 1 + 10 * trial;
    Vec h(d), c(d);
    for (Index j = 0; j < d; ++j) h[j] = std::exp(2 * normal(g)), c[j] = 0.5 + normal(g);
    const BoxSmooth p = diagonal(h, c, 0, 1);
    const BoxResult r = minimise_box(p, Vec::Constant(d, 0.5), {});
    REQUIRE(r.status == Status::optimal);
    const Vec best = c.cwiseMax(0.0).cwiseMin(1.0);
    CHECK((r.x - best).cwiseAbs().maxCoeff() <= 1e-7);
    for (Index j = 0; j < d; ++j)
      if (c[j] < -0.01) CHECK(r.x[j] == 0.0);
    Vec unused(d);
    const double minimum = p.value(best, unused);
    CHECK(r.value - minimum <= r.gap + 1e-14);  // The function is convex, so the gap is a bound.
    CHECK(r.gap <= 1e-9 * std::max(1.0, r.value));
    never_rises(r);
  }
}

TEST_CASE("box: Rosenbrock, inside and against a bound", "[box]") {
  BoxSmooth p;
  p.value = rosenbrock;
  p.lower = Vec::Constant(2, -2);
  p.upper = Vec::Constant(2, 2);
  Vec start(2);
  start << -1.2, 1;
  BoxResult r = minimise_box(p, start, {});
  REQUIRE(r.status == Status::optimal);
  CHECK((r.x - Vec::Ones(2)).norm() <= 1e-7);
  never_rises(r);
  // With x_0 <= 1/2, x_1 = 1/4 and the value is 1/4.
  p.upper[0] = 0.5;
  r = minimise_box(p, start, {});
  REQUIRE(r.status == Status::optimal);
  CHECK(r.x[0] == 0.5);
  CHECK(r.x[1] == Approx(0.25).epsilon(1e-8));
  CHECK(r.value == Approx(0.25).epsilon(1e-12));
  never_rises(r);
}

TEST_CASE("box: a linear function goes to a vertex and its gap is exact", "[box]") {
  Vec c(4);
  c << 1, -2, 3, 0;
  BoxSmooth p;
  p.value = [&](const Vec& x, Vec& g) {
    g = c;
    return c.dot(x);
  };
  p.lower = Vec::Constant(4, -1);
  p.upper = Vec::Constant(4, 2);
  const Vec start = Vec::Zero(4);
  Limits none;
  none.interrupted = [] { return true; };
  const BoxResult first = minimise_box(p, start, none);
  CHECK(first.status == Status::interrupted);
  CHECK(first.gap == Approx(1 + 4 + 3));
  const BoxResult r = minimise_box(p, start, {});
  REQUIRE(r.status == Status::optimal);
  CHECK(r.x[0] == -1);
  CHECK(r.x[1] == 2);
  CHECK(r.x[2] == -1);
  CHECK(r.gap == 0);
}

TEST_CASE("box: steps out of the domain are rejected", "[box]") {
  // The function x - log x has its minimum at 1, and the logarithm is not finite at the bound.
  BoxSmooth p;
  p.value = [](const Vec& x, Vec& g) {
    g = 1 - x.array().inverse();
    return x.sum() - x.array().log().sum();
  };
  p.lower = Vec::Zero(3);
  p.upper = Vec::Constant(3, 100);
  Vec start(3);
  start << 60, 0.01, 3;
  const BoxResult r = minimise_box(p, start, {});
  REQUIRE(r.status == Status::optimal);
  CHECK((r.x - Vec::Ones(3)).norm() <= 1e-7);
  never_rises(r);
}

TEST_CASE("box: the limit on iterations is kept", "[box]") {
  BoxSmooth p;
  p.value = rosenbrock;
  p.lower = Vec::Constant(2, -2);
  p.upper = Vec::Constant(2, 2);
  Limits limits;
  limits.iterations = 3;
  const BoxResult r = minimise_box(p, Vec::Constant(2, -1.5), limits);
  CHECK(r.status == Status::limit);
  CHECK(r.iterations == 3);
  CHECK(r.values.size() == 4);
}

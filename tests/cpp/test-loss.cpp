// Tests the probit loss far in both tails, and a model with it against coordinate-wise optimality.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "problem/loss.h"

using namespace zeronorm;

TEST_CASE("the normal distribution in its tails") {
  // Values of log Phi by continued fractions to 30 digits, as pnorm(log.p = TRUE) in R.
  CHECK(probit_value(0) == Approx(std::log(2.0)));
  CHECK(probit_value(-5) == Approx(15.064998393988725).epsilon(1e-14));
  CHECK(probit_value(-40) == Approx(804.60844201375381).epsilon(1e-14));
  CHECK(probit_value(8) == Approx(6.2209605742717861e-16).epsilon(1e-10));
  CHECK(probit_value(50) >= 0);
  for (double t : {-1e6, -100.0, -31.0, -30.1, -29.9, -10.0, -1.0, 0.0, 1.0, 5.0}) {
    const double h = 1e-4 * std::max(1.0, std::abs(t));
    const double slope = (probit_value(t - h) - probit_value(t + h)) / (2 * h);
    CHECK(probit_force(t) == Approx(slope).epsilon(1e-6));
    CHECK(probit_at(probit_force(t)) == Approx(t).epsilon(1e-8).margin(1e-12));
    const double curve = loss_curvature(Loss::probit, 1, t);
    CHECK(curve >= 0);
    CHECK(curve <= 1 + 1e-9);
    // The conjugate touches at the force of t and is a lower bound elsewhere.
    const double force = loss_force(Loss::probit, 1, t);
    CHECK(loss_dual(Loss::probit, 1, force) ==
          Approx(probit_value(t) + force * t).epsilon(1e-9).margin(1e-12));
    for (double other = -5; other < 5; other += 0.5)
      CHECK(probit_value(other) + force * other >= loss_dual(Loss::probit, 1, force) - 1e-9);
  }
  CHECK(loss_force(Loss::probit, -1, 2) == Approx(-probit_force(-2)));
}

TEST_CASE("a probit machine closes its gap") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Index n = 20, d = seed % 2 ? 60 : 6;
    const Mat x = shifted(n, d, seed % 3, random);
    Problem p = svm_problem(x, alternating(n), 1 + seed % 5, seed % 4 > 0);
    p.loss = Loss::probit;
    const Surrogate s = surrogate(d, std::pow(10, 2 * uniform(random) - 1.5), seed % 5 ? kInf : 0.7);
    const Solution out = solve(make_smooth(), p, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-9);
    CHECK(out.certificate.kkt <= 1e-6);
  }
  // Without a cost, separable classes have no optimum.
  Random random(1);
  const Mat x = shifted(20, 3, 5, random);
  Problem p = svm_problem(x, alternating(20), 1);
  p.loss = Loss::probit;
  CHECK(solve(make_smooth(), p, surrogate(3, 0, kInf)).status == Status::unbounded);
}

// The rounded hinge, of which the simplex takes its first vertex, against the simplex.
#include <testthat/vendor/catch.h>

#include "engines/smoothed.h"
#include "instances.h"

using namespace zeronorm;

TEST_CASE("smoothed: multipliers keep to their bounds, and rounds end near the optimum") {
  Random random(51);
  for (double price : {0.5, 2.0, 5.0}) {
    Mat x = shifted(300, 5, 0.4, random);
    for (Index j = 0; j < 5; ++j) x.col(j) /= x.col(j).norm();
    const Vec y = alternating(300), cost = Vec::LinSpaced(300, 0.5, 1.5);
    Problem p = machine(x, y, 1, false);
    p.cost = cost;
    const Surrogate s = surrogate(5, price, kInf);
    const Solution best = solve(make_simplex(), p, s);
    REQUIRE(best.status == Status::optimal);
    Smoothed rounded(Vec::Ones(300), cost);
    for (Index j = 0; j < 5; ++j) rounded.add_column(x.col(j).cwiseProduct(y), price, price);
    for (int round = 0; round < 20 && rounded.round(Limits()); ++round) {
      CHECK(rounded.multipliers().minCoeff() >= 0);
      CHECK((cost - rounded.multipliers()).minCoeff() >= 0);
    }
    Vec w(5);
    for (Index j = 0; j < 5; ++j) w[j] = rounded.coefficient(j);
    CHECK(objective(x, p, s, w, 0) == Approx(best.certificate.primal).epsilon(1e-3));
  }
}

// Tests the rounded hinge, which gives the simplex its first vertex and the active-set engine its start, against
// other engines.
#include <testthat/vendor/catch.h>

#include <algorithm>

#include "engines/parts/hinge_start.h"
#include "instances.h"

using namespace zeronorm;

TEST_CASE("smoothed: multipliers keep to their bounds, and rounds end near the optimum") {
  Random random(51);
  for (double price : {0.5, 2.0, 5.0}) {
    Mat x = shifted(300, 5, 0.4, random);
    for (Index j = 0; j < 5; ++j) x.col(j) /= x.col(j).norm();
    const Vec y = alternating(300), cost = Vec::LinSpaced(300, 0.5, 1.5);
    Problem p = svm_problem(x, y, 1, false);
    p.cost = cost;
    const Surrogate s = surrogate(5, price, kInf);
    const Solution best = solve(make_simplex(), p, s);
    REQUIRE(best.status == Status::optimal);
    HingeStart rounded(Vec::Ones(300), cost);
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

TEST_CASE("smoothed: with ridges, on columns that join where they violate most") {
  Random random(52);
  const Index n = 400, d = 60;
  Mat x = shifted(n, d, 0.4, random);
  for (Index j = 0; j < d; ++j) x.col(j) /= x.col(j).norm();
  const Vec y = alternating(n);
  const Problem p = svm_problem(x, y, 1, false);
  const Surrogate s = surrogate(d, 1.5, 2);
  const Solution best = solve(make_engine("osqp"), p, s);
  REQUIRE(best.status == Status::optimal);
  HingeStart rounded(Vec::Ones(n), p.cost);
  IndexList members;
  Violators found;
  const auto violators = [&](const Vec& a) -> Violators& {
    found.clear();
    const Vec g = x.transpose() * y.cwiseProduct(a);
    for (Index j = 0; j < d; ++j)
      if (std::abs(g[j]) > 1.5 && std::find(members.begin(), members.end(), j) == members.end())
        found.push_back({std::abs(g[j]) - 1.5, j});
    return found;
  };
  const auto join = [&](Index j) {
    members.push_back(j);
    rounded.add_column(x.col(j).cwiseProduct(y), 1.5, 1.5, 0.25);
  };
  REQUIRE(approach(rounded, Vec::Ones(n), {violators, join, 4, d}, Limits()));
  CHECK(violators(rounded.multipliers()).empty());
  Vec w = Vec::Zero(d);
  for (std::size_t k = 0; k < members.size(); ++k) w[members[k]] = rounded.coefficient(Index(k));
  CHECK(objective(x, p, s, w, 0) == Approx(best.certificate.primal).epsilon(1e-3));

  HingeStart few(Vec::Ones(n), p.cost);
  const auto take = [&](Index) { few.add_column(x.col(few.size()).cwiseProduct(y), 1.5, 1.5, 0.25); };
  members.clear();
  CHECK_FALSE(approach(few, Vec::Ones(n), {violators, take, 4, 3}, Limits()));
}

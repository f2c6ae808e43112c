// Tests the limit of large C against hard margins, large C by OSQP, and an engine that does not store columns that
// left.
#include <testthat/vendor/catch.h>

#include "engines/hard_margin_limit.h"
#include "instances.h"
#include "loop/minimise.h"

using namespace zeronorm;

namespace {

Solution fresh(const Problem& p, const Surrogate& s, bool l1, const Vec& weights) {
  HardMarginLimit engine(l1, weights);
  engine.setup(p);
  return solve_certified(engine, p, s, Limits());
}

double norm(const Solution& s, bool l1) { return l1 ? s.w.cwiseAbs().sum() : 0.5 * s.w.squaredNorm(); }

}  // namespace

TEST_CASE("limit: columns may leave, also those that separated") {
  Random random(7);
  for (bool l1 : {false, true}) {
    const Mat x = shifted(30, 12, 1.2, random);
    const Vec y = alternating(30), weights = Vec::LinSpaced(30, 1, 3);
    const Problem p = svm_problem(x, y, 1);
    Surrogate s = l1 ? surrogate(12, 1, kInf) : surrogate(12, 0, 1);
    HardMarginLimit engine(l1, weights);
    engine.setup(p);
    bool hard = false, soft = false;
    for (Index j = 11; j > 0; --j) {
      const Solution warm = solve_certified(engine, p, s, Limits()), cold = fresh(p, s, l1, weights);
      REQUIRE(warm.status == Status::optimal);
      REQUIRE(cold.status == Status::optimal);
      CHECK(warm.certificate.gap < 1e-8);
      CHECK(norm(warm, l1) == Approx(norm(cold, l1)).epsilon(1e-6));
      (largest_slack(x, p, warm.w.col(0), warm.b[0]) < 1e-8 ? hard : soft) = true;
      s.scale[j] = s.l1[j] = 0;
    }
    CHECK(hard);
    CHECK(soft);
  }
}

TEST_CASE("limit: where nothing separates it is the machine of a large C") {
  Random random(8);
  const Mat x = shifted(40, 4, 0.3, random);
  const Vec y = alternating(40);
  const Problem p = svm_problem(x, y, 1);
  const Solution found = fresh(p, surrogate(4, 0, 1), false, Vec::Ones(40));
  REQUIRE(found.status == Status::optimal);
  const Solution large = solve(make_osqp(), svm_problem(x, y, 1e4), surrogate(4, 0, 1), 1e-10);
  REQUIRE(large.status == Status::optimal);
  CHECK((found.w - large.w).norm() < 1e-4 * large.w.norm());
  // The objective is the norm plus C times the violations, where C is a power of 100.
  const double slack = slacks(p, found.w.col(0), found.b[0]).sum();
  const double C = std::pow(100, std::round(std::log(found.certificate.primal / slack) / std::log(100.0)));
  CHECK(found.certificate.primal - C * slack == Approx(norm(found, false)).epsilon(1e-3));
}

TEST_CASE("limit: with many rows for each column") {
  Random random(9);
  for (const bool intercept : {true, false}) {
    const Mat x = shifted(120, 3, 0.4, random);
    const Vec y = alternating(120), weights = Vec::LinSpaced(120, 1, 3);
    Problem p = svm_problem(x, y, 1, intercept);
    const Solution found = fresh(p, surrogate(3, 0, 1), false, weights);
    REQUIRE(found.status == Status::optimal);
    CHECK(found.note.empty());
    p.cost = weights;
    const Solution least = solve(make_highs(), p, surrogate(3, 0, kInf));
    REQUIRE(least.status == Status::optimal);
    const double b = intercept ? found.b[0] : 0.0;
    CHECK(weights.dot(slacks(p, found.w.col(0), b)) == Approx(least.certificate.primal).epsilon(2e-9));
    p.cost = 1e4 * weights;
    const Solution large = solve(make_osqp(), p, surrogate(3, 0, 1), 1e-10);
    REQUIRE(large.status == Status::optimal);
    CHECK((found.w - large.w).norm() < 1e-4 * large.w.norm());
    // There is a hard margin between distant classes.
    const Mat apart = shifted(120, 3, 6, random);
    const Problem hard = svm_problem(apart, y, kInf, intercept);
    const Solution margin = fresh(svm_problem(apart, y, 1, intercept), surrogate(3, 0, 1), false, weights);
    REQUIRE(margin.status == Status::optimal);
    CHECK(largest_slack(apart, hard, margin.w.col(0), margin.b[0]) < 1e-9);
    const Solution other = solve(make_osqp(), hard, surrogate(3, 0, 1), 1e-10);
    REQUIRE(other.status == Status::optimal);
    CHECK((margin.w - other.w).norm() < 1e-4 * other.w.norm());
  }
}

TEST_CASE("limit: an engine that is named gives every solution, hard margin or not") {
  Random random(9);
  for (double shift : {0.2, 3.0}) {
    const Mat x = shifted(30, 5, shift, random);
    const Problem p = svm_problem(x, alternating(30), 1);
    for (bool l1 : {false, true}) {
      const Surrogate s = l1 ? surrogate(5, 1, kInf) : surrogate(5, 0, 1);
      const Solution reference = fresh(p, s, l1, Vec::Ones(30));
      const std::vector<std::string> names =
          l1 ? std::vector<std::string>{"simplex", "highs"}
             : std::vector<std::string>{"dual", "active_set", "newton", "osqp"};
      for (const std::string& name : names) {
        HardMarginLimit engine(l1, Vec::Ones(30), name);
        engine.setup(p);
        const Solution found = solve_certified(engine, p, s, Limits());
        REQUIRE(found.status == Status::optimal);
        CHECK(found.engine == name);
        CHECK((found.w - reference.w).norm() <= 1e-3 * reference.w.norm());
      }
    }
  }
}

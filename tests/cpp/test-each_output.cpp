// Tests that independent outputs are the binary problems side by side.
#include <testthat/vendor/catch.h>

#include "data/design.h"
#include "engines/engine.h"
#include "engines/hard_margin_limit.h"
#include "grade/certificate.h"
#include "loop/minimise.h"
#include "problem/outputs.h"

using namespace zeronorm;

namespace {

Surrogate plain_ridge(Index d) {
  Surrogate s;
  s.l1 = Vec::Zero(d);
  s.scale = Vec::Ones(d);
  return s;
}

// Three outputs on the same 30 x 8 rows. overlap: the labels of output 1 contain noise that no hyperplane separates.
struct Labels {
  Mat x = Mat(30, 8), y = Mat(30, 3);
  explicit Labels(bool overlap) {
    unsigned state = 7;
    auto next = [&state]() {
      state = state * 1664525u + 1013904223u;
      return double(state >> 8) / double(1u << 24) - 0.5;
    };
    for (Index e = 0; e < x.size(); ++e) x(e) = next();
    for (Index k = 0; k < 3; ++k)
      for (Index i = 0; i < 30; ++i) {
        const double noise = overlap && k == 1 ? 2 * next() : 0;
        y(i, k) = x(i, k) + noise > 0 ? 1 : -1;
      }
  }
  Problem problem(double cost) const {
    Problem p;
    p.x = dense_design(x.data(), 30, 8, Vec::Zero(8), Vec::Ones(8));
    p.y = y;
    p.cost = Vec::Constant(30, cost);
    return p;
  }
};

}  // namespace

TEST_CASE("independent outputs are solved and certified as their sum") {
  const Labels data(true);
  const Problem all = data.problem(2);
  const auto engine = make_engine("auto");
  engine->setup(all);
  const Solution s = solve_certified(*engine, all, plain_ridge(8), Limits());
  REQUIRE(s.status == Status::optimal);
  CHECK(s.certificate.gap < 1e-8);
  double primal = 0;
  for (Index k = 0; k < 3; ++k) {
    const Problem one = one_output(all, k);
    const auto alone = make_engine("auto");
    alone->setup(one);
    const Solution t = solve_certified(*alone, one, plain_ridge(8), Limits());
    CHECK((s.w.col(k) - t.w.col(0)).norm() < 1e-10);
    primal += t.certificate.primal;
  }
  CHECK(s.certificate.primal == Approx(primal).epsilon(1e-9));
}

TEST_CASE("one inseparable output makes hard margins infeasible, and its limit stays") {
  const Labels data(true);
  const Problem hard = data.problem(kInf);
  const auto engine = make_engine("auto");
  engine->setup(hard);
  const Solution s = solve_certified(*engine, hard, plain_ridge(8), Limits());
  CHECK(s.status == Status::infeasible);
  CHECK(s.dual.col(0).norm() == 0);
  CHECK(s.dual.col(1).norm() > 0);

  const Problem soft = data.problem(1);
  const auto limit = make_hard_margin_limit(false, soft.cost);
  limit->setup(soft);
  const Solution t = solve_certified(*limit, soft, plain_ridge(8), Limits());
  REQUIRE(t.status == Status::optimal);
  CHECK(t.certificate.gap < 1e-6);
  for (Index k = 0; k < 3; ++k) {
    const double slack = slacks(one_output(soft, k), t.w.col(k), t.b[k]).sum();
    CHECK((k == 1 ? slack > 1e-3 : slack < 1e-6));
  }
}

// Tests the newton engine against the dual engine, which is an exact active-set method, and its reports of failures.
#include <testthat/vendor/catch.h>

#include <cmath>
#include <numeric>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "grade/certificate.h"
#include "instances.h"

using namespace zeronorm;

namespace {

std::mt19937 generator(77);
double normal() { return std::normal_distribution<double>()(generator); }
double uniform() { return std::uniform_real_distribution<double>()(generator); }

struct Case {
  Mat x;
  Problem problem;
  Surrogate surrogate;

  Case(Index n, Index d, double cost, double density = 1, double mean = 0) : x(n, d) {
    for (Index k = 0; k < x.size(); ++k) x.data()[k] = uniform() < density ? mean + normal() : 0.0;
    problem.y.resize(n, 1);
    for (Index i = 0; i < n; ++i) problem.y(i, 0) = x(i, 0) + normal() > mean ? 1 : -1;
    problem.cost = Vec::Constant(n, cost);
    surrogate.l1 = Vec::Zero(d);
    surrogate.scale = Vec::Ones(d);
    dense();
  }
  void dense() {
    const Index d = x.cols();
    problem.x = dense_design(x.data(), x.rows(), d, Vec::Zero(d), Vec::Ones(d));
  }
};

Solution graded(Engine& engine, const Case& c, double tol = 1e-9) {
  Limits limits;
  limits.tol = tol;
  Solution s = engine.solve(c.surrogate, limits);
  if (s.status == Status::optimal) s.certificate = certify(c.problem, c.surrogate, s);
  return s;
}

void agrees(const Case& c) {
  auto newton = make_newton(), dual = make_dual_qp();
  newton->setup(c.problem);
  dual->setup(c.problem);
  const Solution s = graded(*newton, c), t = graded(*dual, c);
  REQUIRE(t.status == Status::optimal);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.certificate.gap <= 1e-8);
  CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-8));
  CHECK((s.w - t.w).norm() <= 1e-3 * t.w.norm() + 1e-8);
}

}  // namespace

TEST_CASE("newton finds the dual engine's optimum") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const double cost : {0.01, 1.0, 100.0})
      for (const Index n : {40, 150})
        for (const Index d : {5, 100}) {
          Case c(n, d, cost);
          c.problem.loss = loss;
          agrees(c);
          c.problem.intercept = false;
          agrees(c);
        }
}

TEST_CASE("newton: columns many and of very unlike lengths, where sweeps over the rows gain little") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(150, 300, 1, 0.5, 1);
    c.problem.loss = loss;
    for (Index j = 0; j < 300; ++j) c.surrogate.scale[j] = std::pow(10.0, 4 * uniform() - 2);
    agrees(c);
  }
}

TEST_CASE("newton: scales of many sizes, columns without, rows without cost, unequal costs") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(120, 30, 1);
    c.problem.loss = loss;
    for (Index j = 0; j < 30; ++j)
      c.surrogate.scale[j] = j % 5 == 0 ? 0.0 : std::pow(10.0, 2 * uniform() - 1);
    for (Index i = 0; i < 120; ++i) c.problem.cost[i] = i % 7 == 0 ? 0.0 : 3 * uniform();
    agrees(c);
  }
}

TEST_CASE("newton: free columns beside and instead of the intercept") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const bool intercept : {true, false}) {
      Case c(100, 12, 0.5);
      c.problem.loss = loss;
      c.problem.intercept = intercept;
      c.surrogate.scale[3] = c.surrogate.scale[7] = kInf;
      agrees(c);
    }
}

TEST_CASE("newton: columns far from zero, duplicated and constant ones") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(150, 10, 1, 1, 50);
    c.problem.loss = loss;
    c.x.col(4) = c.x.col(1);
    c.x.col(5).setConstant(2);
    agrees(c);
  }
}

TEST_CASE("newton: a sparse design gives the dense one's solution") {
  Case c(300, 60, 1, 0.1);
  auto dense = make_newton(), sparse = make_newton();
  dense->setup(c.problem);
  const Solution s = graded(*dense, c);
  const Compressed compressed(c.x);
  Case other = c;
  other.problem.x = compressed.view(300, Vec::Ones(60));
  sparse->setup(other.problem);
  const Solution t = graded(*sparse, other);
  REQUIRE(s.status == Status::optimal);
  REQUIRE(t.status == Status::optimal);
  CHECK(t.certificate.primal == Approx(s.certificate.primal).epsilon(1e-8));
}

TEST_CASE("newton stays warm while scales shrink, and overlooked columns keep their small weights") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(200, 80, 1);
    c.problem.loss = loss;
    auto warm = make_newton();
    warm->setup(c.problem);
    for (int round = 0; round < 6; ++round) {
      const Solution s = graded(*warm, c);
      auto cold = make_dual_qp();
      cold->setup(c.problem);
      const Solution t = graded(*cold, c);
      REQUIRE(s.status == Status::optimal);
      CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-7));
      for (Index j = 0; j < 80; ++j)
        if (c.surrogate.scale[j] > 1e-4 && std::abs(t.w(j, 0)) > 1e-3 * t.w.cwiseAbs().maxCoeff())
          CHECK(s.w(j, 0) == Approx(t.w(j, 0)).epsilon(0.02));
      c.surrogate.scale = c.surrogate.scale.cwiseProduct(t.w.col(0).cwiseAbs());
    }
  }
}

TEST_CASE("newton: where half the columns go, it is no slower than from nothing") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const double cost : {10.0, 0.01}) {
      // There are so many columns that conjugate gradients solve all steps, so that their numbers can be compared.
      const Index all = 8400;
      Case c(100, all, cost);
      c.problem.loss = loss;
      auto kept = make_newton();
      kept->setup(c.problem);
      for (Index left = all; left >= all / 4; left /= 2) {
        c.surrogate.scale.tail(all - left).setZero();
        auto fresh = make_newton(), dual = make_dual_qp();
        fresh->setup(c.problem);
        dual->setup(c.problem);
        const Solution s = graded(*kept, c, 1e-6), t = graded(*fresh, c, 1e-6), reference = graded(*dual, c);
        REQUIRE(s.status == Status::optimal);
        CHECK(s.certificate.primal == Approx(reference.certificate.primal).epsilon(1e-6));
        CHECK(t.certificate.primal == Approx(reference.certificate.primal).epsilon(1e-6));
        CHECK(double(s.iterations) <= 1.25 * double(t.iterations) + 3);
      }
    }
}

TEST_CASE("newton: hard margins, and data without") {
  Case c(400, 8, kInf);
  for (Index i = 0; i < 400; ++i) {
    c.problem.y(i, 0) = i % 2 ? 1 : -1;
    c.x(i, 0) = c.problem.y(i, 0) * (0.5 + uniform());
  }
  c.dense();
  agrees(c);
  c.x(0, 0) = -5 * c.problem.y(0, 0);
  for (Index j = 1; j < 8; ++j) c.x(0, j) = 0;
  c.x.row(1) = c.x.row(0);  // One point has two labels.
  auto newton = make_newton();
  newton->setup(c.problem);
  const Solution s = newton->solve(c.surrogate, Limits());
  REQUIRE(s.status == Status::infeasible);
  CHECK(proves_inseparable(c.problem, c.surrogate, s));
}

TEST_CASE("newton: a hard margin whose last weights have lost the columns that held it") {
  Case c(25, 75, kInf);
  c.x.leftCols(25) *= 20;  // These columns dominate the first solution.
  c.dense();
  auto kept = make_newton(), dual = make_dual_qp();
  kept->setup(c.problem);
  dual->setup(c.problem);
  REQUIRE(graded(*kept, c).status == Status::optimal);
  c.surrogate.scale.head(25).setZero();
  const Solution s = graded(*kept, c), t = graded(*dual, c);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-8));
}

TEST_CASE("newton: two points whose multipliers end at their costs, by hand") {
  Mat x(2, 1);
  x << 1, -1;
  const Vec y = (Vec(2) << 1, -1).finished();
  for (double cost : {0.01, 0.2}) {
    const Solution s = solve(make_newton(), svm_problem(x, y, cost), surrogate(1, 0, 1));
    REQUIRE(s.status == Status::optimal);
    CHECK(s.w(0, 0) == Approx(2 * cost));
    CHECK(s.dual.isApproxToConstant(cost));
    CHECK(s.b[0] == Approx(0).margin(1e-9));
  }
}

TEST_CASE("newton stops where it is told to") {
  Case c(300, 50, 1);
  std::unique_ptr<Engine> newton;
  for (const int after : {0, 1, 2}) {  // The value 0 means before the first step.
    newton = make_newton();
    newton->setup(c.problem);
    Limits limits;
    int calls = 0;
    limits.interrupted = [&]() { return ++calls > after; };
    CHECK(newton->solve(c.surrogate, limits).status == Status::interrupted);
  }
  c.surrogate.l1[0] = 1;
  CHECK_FALSE(newton->refuses(c.problem, c.surrogate).empty());
}

TEST_CASE("newton: columns of zeros are no columns") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const bool intercept : {true, false}) {
      Case c(50, 3, 1);
      c.x.setZero();
      c.problem.loss = loss;
      c.problem.intercept = intercept;
      agrees(c);
      c.surrogate.scale[1] = kInf;
      agrees(c);
    }
}

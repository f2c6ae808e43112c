#include <testthat/vendor/catch.h>

#include <cmath>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "grade/certificate.h"

using namespace zeronorm;

namespace {

struct Data {
  Mat x;
  Problem problem;
};

Data simulated(Index n, Index d, double cost, unsigned seed, double shift = 0.7) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Data data;
  data.x = Mat::NullaryExpr(n, d, [&] { return normal(random); });
  data.problem.y = Mat::NullaryExpr(n, 1, [&](Index i, Index) { return i % 3 ? 1.0 : -1.0; });
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < std::min<Index>(3, d); ++j) data.x(i, j) += shift * data.problem.y(i, 0);
  data.problem.cost = Vec::Constant(n, cost);
  return data;
}

void attach(Data& data) {
  const Index d = data.x.cols();
  data.problem.x = dense_design(data.x.data(), data.x.rows(), d, Vec::Zero(d), Vec::Ones(d));
}

Surrogate elastic(Index d, double l1, double scale) {
  Surrogate s;
  s.l1 = Vec::Constant(d, l1);
  s.scale = Vec::Constant(d, scale);
  return s;
}

Solution solve(const Problem& problem, const Surrogate& s) {
  auto engine = make_osqp();
  engine->setup(problem);
  Solution out = engine->solve(s, Limits());
  if (out.status == Status::optimal) out.certificate = certify(problem, s, out);
  return out;
}

// The points x = -1, 1 with labels equal to them: f = w x, and b = 0 by symmetry.
Data two_points(double cost) {
  Data data;
  data.x.resize(2, 1);
  data.x << -1, 1;
  data.problem.y = data.x;
  data.problem.cost = Vec::Constant(2, cost);
  return data;
}

}  // namespace

TEST_CASE("osqp solves what can be solved by hand") {
  Data data = two_points(0.2);
  attach(data);
  // The objective is w^2/2 + 0.4 (1 - w).
  CHECK(solve(data.problem, elastic(1, 0, 1)).w(0, 0) == Approx(0.4).epsilon(1e-8));
  // The objective is 0.1 |w| + w^2/2 + 0.4 (1 - w).
  CHECK(solve(data.problem, elastic(1, 0.1, 1)).w(0, 0) == Approx(0.3).epsilon(1e-8));
  CHECK(solve(data.problem, elastic(1, 0.5, 1)).w(0, 0) == 0);
  // The objective is w^2/8 + 0.4 (1 - w), with its minimum at the kink w = 1.
  const Solution kink = solve(data.problem, elastic(1, 0, 2));
  CHECK(kink.w(0, 0) == Approx(1).epsilon(1e-8));
  CHECK(kink.b[0] == Approx(0).margin(1e-8));

  data.problem.loss = Loss::squared_hinge;  // With w^2/2 + 0.2 (1 - w)^2 the optimum solves 1.4 w = 0.4.
  CHECK(solve(data.problem, elastic(1, 0, 1)).w(0, 0) == Approx(0.4 / 1.4).epsilon(1e-8));
  // The objective is 0.1 |w| + 0.2 (1 - w)^2 without a ridge, so w = 1 - 0.1 / 0.4.
  CHECK(solve(data.problem, elastic(1, 0.1, kInf)).w(0, 0) == Approx(0.75).epsilon(1e-8));
}

TEST_CASE("osqp finds the widest hard margin of two points in the plane") {
  Data data;
  data.x.resize(2, 2);
  data.x << 3, 1, -1, -2;
  data.problem.y.resize(2, 1);
  data.problem.y << 1, -1;
  data.problem.cost = Vec::Constant(2, kInf);
  attach(data);
  const Vec apart = (data.x.row(0) - data.x.row(1)).transpose();
  const Solution out = solve(data.problem, elastic(2, 0, 1));
  REQUIRE(out.status == Status::optimal);
  CHECK((out.w.col(0) - 2 * apart / apart.squaredNorm()).norm() < 1e-8);
}

TEST_CASE("osqp's solutions are certified from the data") {
  for (unsigned seed = 0; seed < 6; ++seed)
    for (Loss loss : {Loss::hinge, Loss::squared_hinge})
      for (double l1 : {0.0, 0.3})
        for (Index d : {6, 300}) {
          Data data = simulated(40, d, 0.5, seed);
          attach(data);
          data.problem.loss = loss;
          data.problem.intercept = seed % 3 != 2;
          Surrogate s = elastic(d, l1, 0.8);
          s.scale[1] = 0;                    // This column is removed.
          s.l1[2] = 0, s.scale[2] = kInf;    // This column is unpenalised.
          s.l1[3] = 0.4, s.scale[3] = kInf;  // This column has an l1 cost only.
          s.scale[4] = 3;
          const Solution out = solve(data.problem, s);
          INFO("seed " << seed << " loss " << int(loss) << " l1 " << l1 << " d " << d);
          REQUIRE(out.status == Status::optimal);
          CHECK(out.certificate.gap < 1e-7);
          CHECK(out.w(1, 0) == 0);
          const Vec g = data.x.transpose() * out.dual.col(0).cwiseProduct(data.problem.y.col(0));
          for (Index j = 4; j < d; ++j) CHECK((out.w(j, 0) == 0) == (std::abs(g[j]) <= l1));
        }
}

TEST_CASE("osqp solves hard margins with rescaled features and warm starts") {
  Data data = simulated(30, 200, kInf, 3);
  attach(data);
  auto engine = make_osqp();
  engine->setup(data.problem);
  Surrogate s = elastic(200, 0, 1);
  for (int round = 0; round < 5; ++round) {
    const Solution out = engine->solve(s, Limits());
    REQUIRE(out.status == Status::optimal);
    CHECK(certify(data.problem, s, out).gap < 1e-7);
    s.scale = s.scale.cwiseProduct(out.w.col(0).cwiseAbs());
    s.scale /= s.scale.maxCoeff();
  }
}

TEST_CASE("osqp on a linear kernel is the linear machine") {
  Data data = simulated(25, 4, 0.7, 9);
  attach(data);
  const Solution linear = solve(data.problem, elastic(4, 0, 1));
  Problem kernel = data.problem;
  kernel.x = kernel_design(data.x * data.x.transpose());
  kernel.quadratic = Quadratic::kernel;
  const Solution expansion = solve(kernel, elastic(25, 0, kInf));
  REQUIRE(expansion.status == Status::optimal);
  CHECK((data.x.transpose() * expansion.w.col(0) - linear.w.col(0)).norm() < 1e-7);
  CHECK(expansion.b[0] == Approx(linear.b[0]).margin(1e-7));
  CHECK(expansion.certificate.gap < 1e-7);
}

TEST_CASE("osqp on a kernel with a ridge meets the conditions of the optimum") {
  Data data = simulated(25, 4, 0.7, 10);
  const Mat k =
      (-0.2 * Mat::NullaryExpr(
                  25, 25, [&](Index i, Index j) { return (data.x.row(i) - data.x.row(j)).squaredNorm(); }))
          .array()
          .exp();
  data.problem.x = kernel_design(k);
  data.problem.quadratic = Quadratic::kernel;
  Surrogate s = elastic(25, 0, 1);
  s.scale = Vec::LinSpaced(25, 0.0, 2.0);
  const Solution out = solve(data.problem, s);
  REQUIRE(out.status == Status::optimal);
  CHECK(out.w(0, 0) == 0);
  const Vec w = out.w.col(0), a = out.dual.col(0), y = data.problem.y.col(0);
  Vec residual = k * (y.cwiseProduct(a) - w);
  residual.tail(24).array() -= w.tail(24).array() / s.scale.tail(24).array().square();
  CHECK(residual.tail(24).norm() < 1e-8 * w.norm());
  const Vec margin = y.array() * ((k * w).array() + out.b[0]);
  for (Index i = 0; i < 25; ++i) {
    if (a[i] > 1e-7) CHECK(margin[i] < 1 + 1e-6);
    if (a[i] < 0.7 - 1e-7) CHECK(margin[i] > 1 - 1e-6);
  }
}

TEST_CASE("osqp says that columns of zeros separate nothing") {
  Data data = simulated(4, 2, kInf, 1);
  data.x.setZero();
  attach(data);
  data.problem.intercept = false;
  const Problem two = data.problem;
  Problem three = data.problem;
  three.loss = Loss::weston_watkins;
  three.y = Mat::Constant(4, 3, -1);
  for (Index i = 0; i < 4; ++i) three.y(i, i % 3) = 1;
  for (const Problem& p : {two, three})
    for (double l1 : {0.0, 1.0}) {
      const auto engine = make_osqp();
      engine->setup(p);
      const Solution out = engine->solve(elastic(2, l1, 1), Limits());
      REQUIRE(out.status == Status::infeasible);
      CHECK(proves_inseparable(p, elastic(2, l1, 1), out));
    }
}

TEST_CASE("osqp reports overlap, refuses linear programs, stops when asked") {
  Data data;
  data.x.resize(4, 2);
  data.x << 1, 1, -1, -1, 1, -1, -1, 1;
  data.problem.y.resize(4, 1);
  data.problem.y << 1, 1, -1, -1;
  data.problem.cost = Vec::Constant(4, kInf);
  attach(data);
  for (double l1 : {0.0, 0.5}) {
    const Solution out = solve(data.problem, elastic(2, l1, 1));
    REQUIRE(out.status == Status::infeasible);
    const Vec ya = out.dual.col(0).cwiseProduct(data.problem.y.col(0));
    CHECK((data.x.transpose() * ya).norm() < 1e-9 * out.dual.sum());
    CHECK(std::abs(ya.sum()) < 1e-9 * out.dual.sum());
    CHECK(out.dual.minCoeff() >= 0);
  }
  auto engine = make_osqp();
  CHECK_FALSE(engine->refuses(data.problem, elastic(2, 1, kInf)).empty());
  engine->setup(data.problem);
  CHECK(engine->solve(elastic(2, 1, kInf), Limits()).status == Status::refused);
  Limits stop;
  stop.interrupted = [] { return true; };
  CHECK(engine->solve(elastic(2, 0, 1), stop).status == Status::interrupted);
}

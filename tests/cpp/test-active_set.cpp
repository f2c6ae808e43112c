// Tests the active-set engine against enumeration of all active sets, closed forms and the certificate.
#include <testthat/vendor/catch.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "../../src/core/certificate.h"
#include "../../src/core/design.h"
#include "../../src/core/engines/engine.h"

using namespace zeronorm;

namespace {

struct Instance {
  Mat x;
  Problem problem;
  Surrogate surrogate;

  void view() {
    problem.x = dense_design(x.data(), x.rows(), x.cols(), Vec::Zero(x.cols()), Vec::Ones(x.cols()));
  }
};

Instance make(const Mat& x, const Vec& y, const Vec& cost, double l1, double scale) {
  Instance q;
  q.x = x;
  q.problem.y = y;
  q.problem.cost = cost;
  q.surrogate.l1 = Vec::Constant(x.cols(), l1);
  q.surrogate.scale = Vec::Constant(x.cols(), scale);
  q.view();
  return q;
}

Solution solve(const Instance& q) {
  auto engine = make_active_set();
  REQUIRE(engine->refuses(q.problem, q.surrogate).empty());
  engine->setup(q.problem);
  return engine->solve(q.surrogate, {});
}

double objective(const Instance& q, const Vec& w, double b) {
  double value = 0;
  for (Index i = 0; i < q.x.rows(); ++i) {
    const double s = std::max(0.0, 1 - q.problem.y(i, 0) * (q.x.row(i).dot(w) + b));
    if (q.problem.hard())
      value += s > 1e-7 ? kInf : 0.0;
    else
      value += q.problem.cost[i] * (q.problem.loss == Loss::hinge ? s : 0.5 * s * s);
  }
  for (Index j = 0; j < w.size(); ++j) {
    value += w[j] > 0 ? q.surrogate.cost_up(j) * w[j] : -q.surrogate.cost_down(j) * w[j];
    if (q.surrogate.scale[j] < kInf && w[j] != 0) value += 0.5 * std::pow(w[j] / q.surrogate.scale[j], 2);
  }
  return value;
}

// Returns the best stationary point over every choice of signs of w and of sides of the rows (above, on or below the
// margin), with one linear system for each of these 3^(n + d) choices.
double enumerate(const Instance& q) {
  const Index n = q.x.rows(), d = q.x.cols();
  const Vec y = q.problem.y.col(0);
  const bool squared = q.problem.loss == Loss::squared_hinge;
  long patterns = 1;
  for (Index k = 0; k < n + d; ++k) patterns *= 3;
  double best = kInf;
  for (long pattern = 0; pattern < patterns; ++pattern) {
    std::vector<int> part(n + d);
    long rest = pattern;
    for (int& p : part) p = rest % 3 - 1, rest /= 3;
    // The unknowns are w, b and a; the equations are stationarity in w and b and one row for each multiplier.
    const Index m = d + 1 + n;
    Mat k = Mat::Zero(m, m);
    Vec rhs = Vec::Zero(m);
    for (Index j = 0; j < d; ++j) {
      const int sign = part[n + j];
      const bool free = q.surrogate.scale[j] == kInf;
      if (sign == 0 || q.surrogate.scale[j] == 0) {
        k(j, j) = 1;
        continue;
      }
      k(j, j) = free ? 0 : 1 / (q.surrogate.scale[j] * q.surrogate.scale[j]);
      for (Index i = 0; i < n; ++i) k(j, d + 1 + i) = -y[i] * q.x(i, j);
      rhs[j] = sign > 0 ? -q.surrogate.cost_up(j) : q.surrogate.cost_down(j);
    }
    if (q.problem.intercept)
      for (Index i = 0; i < n; ++i) k(d, d + 1 + i) = y[i];
    else
      k(d, d) = 1;
    for (Index i = 0; i < n; ++i) {
      const Index row = d + 1 + i;
      if (part[i] < 0) {
        k(row, row) = 1;
      } else if (part[i] > 0 && !squared && !q.problem.hard()) {
        k(row, row) = 1, rhs[row] = q.problem.cost[i];
      } else {
        for (Index j = 0; j < d; ++j) k(row, j) = y[i] * q.x(i, j);
        k(row, d) = y[i];
        if (squared && part[i] > 0 && q.problem.cost[i] > 0) k(row, row) = 1 / q.problem.cost[i];
        rhs[row] = 1;
      }
    }
    const Vec v = k.fullPivLu().solve(rhs);
    if (!v.allFinite() || (k * v - rhs).norm() > 1e-8 * (1 + v.norm())) continue;
    best = std::min(best, objective(q, v.head(d), v[d]));
  }
  return best;
}

Instance random_instance(unsigned seed) {
  std::mt19937 g(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  auto coin = [&](double p) { return uniform(g) < p; };
  const Index n = 4 + g() % 50, d = 1 + g() % 80;
  Mat x(n, d);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = normal(g);
  const int kind = seed % 4;
  if (kind == 1) x = x.array().round();
  if (kind == 2) x = x.array().sign() * (x.array().abs() > 0.5).cast<double>();
  if (kind == 3)
    for (Index j = 1; j < d; ++j)
      if (coin(0.3)) x.col(j) = x.col(j - 1);
  Vec y(n), cost(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = x(i, 0) + normal(g) > 0 ? 1 : -1;
    cost[i] = coin(0.5) ? 1 : coin(0.1) ? 0 : 2 * uniform(g);
  }
  y[0] = 1, y[1] = -1;
  cost[0] = cost[1] = 1;
  Instance q = make(x, y, cost * std::pow(10, 2 * uniform(g) - 1), 1, 1);
  q.problem.intercept = coin(0.7);
  if (coin(0.3)) q.problem.loss = Loss::squared_hinge;
  if (coin(0.5)) q.surrogate.linear = Vec::Zero(d);
  for (Index j = 0; j < d; ++j) {
    q.surrogate.l1[j] = coin(0.15) ? 0 : n * 0.1 * uniform(g);
    q.surrogate.scale[j] = coin(0.1) ? 0 : std::pow(10, 2 * uniform(g) - 1.5);
    if (q.surrogate.linear.size()) q.surrogate.linear[j] = q.surrogate.l1[j] * (2 * uniform(g) - 1);
    if (j < 2 && coin(0.15)) {
      q.surrogate.l1[j] = 0, q.surrogate.scale[j] = kInf;
      if (q.surrogate.linear.size()) q.surrogate.linear[j] = 0;
    }
  }
  q.view();
  return q;
}

}  // namespace

TEST_CASE("active_set: the optimum over all active sets of tiny problems", "[active_set]") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 g(seed);
    std::normal_distribution<double> normal;
    const Index n = 3 + seed % 3, d = 1 + seed % 2;
    Mat x(n, d);
    for (Index k = 0; k < x.size(); ++k) x.data()[k] = seed % 5 == 0 ? std::round(normal(g)) : normal(g);
    Vec y(n);
    for (Index i = 0; i < n; ++i) y[i] = i % 2 ? -1 : 1;
    Instance q = make(x, y, Vec::LinSpaced(n, 0.5, 2), 0.1 * (seed % 4), 1 + seed % 3);
    q.problem.intercept = seed % 3 != 0;
    if (seed % 7 == 0) q.problem.loss = Loss::squared_hinge;
    if (seed % 4 == 2) q.surrogate.linear = Vec::Constant(d, 0.15);
    if (seed % 11 == 0) q.surrogate.l1[0] = 0, q.surrogate.scale[0] = kInf, q.surrogate.linear.resize(0);
    q.view();
    const Solution s = solve(q);
    CAPTURE(seed);
    REQUIRE(s.status == Status::optimal);
    const double best = enumerate(q);
    CHECK(objective(q, s.w.col(0), s.b[0]) == Approx(best).epsilon(1e-9));
  }
}

TEST_CASE("active_set: hard margin is the optimum over all active sets, or a ray", "[active_set]") {
  int separable = 0, inseparable = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 g(seed);
    std::normal_distribution<double> normal;
    const Index n = 4 + seed % 2, d = 2;
    Mat x(n, d);
    Vec y(n);
    for (Index i = 0; i < n; ++i) {
      y[i] = i % 2 ? -1 : 1;
      for (Index j = 0; j < d; ++j) x(i, j) = normal(g) + 0.5 * y[i];
    }
    Instance q = make(x, y, Vec::Constant(n, kInf), 0.2 * (seed % 3), 1);
    q.problem.intercept = seed % 3 != 1;
    const Solution s = solve(q);
    CAPTURE(seed);
    const double best = enumerate(q);
    if (best < kInf) {
      ++separable;
      REQUIRE(s.status == Status::optimal);
      CHECK(objective(q, s.w.col(0), s.b[0]) == Approx(best).epsilon(1e-8));
    } else {
      ++inseparable;
      REQUIRE(s.status == Status::infeasible);
      const Vec ya = y.cwiseProduct(s.dual.col(0));
      CHECK(s.dual.minCoeff() >= 0);
      CHECK(s.dual.sum() > 0);
      CHECK((x.transpose() * ya).norm() <= 1e-7 * s.dual.sum());
      if (q.problem.intercept) CHECK(std::abs(ya.sum()) <= 1e-7 * s.dual.sum());
    }
  }
  CHECK(separable > 5);
  CHECK(inseparable > 5);
}

TEST_CASE("active_set: orthogonal designs have a closed form", "[active_set]") {
  // Row i depends on column i only, so |w_i| = min(soft(c_i m_i), 1 / m_i) with m_i = |x_ii|.
  const Index n = 12;
  Mat x = Mat::Zero(n, n);
  Vec y(n);
  for (Index i = 0; i < n; ++i) x(i, i) = 0.3 * (i + 1), y[i] = i % 2 ? 1 : -1;
  Instance q = make(x, y, Vec::Ones(n), 0.9, 1);
  q.problem.intercept = false;
  const Solution s = solve(q);
  REQUIRE(s.status == Status::optimal);
  for (Index i = 0; i < n; ++i) {
    const double m = x(i, i), w = std::min(std::max(0.0, m - 0.9), 1 / m);
    CHECK(s.w(i, 0) == Approx(y[i] * w).epsilon(1e-12));
    if (w == 0) CHECK(s.w(i, 0) == 0.0);
  }
}

TEST_CASE("active_set: two points, by hand", "[active_set]") {
  // With x = +-1, w = 1 is the hard margin with value 1/2 + l1; with cost c < (1 + l1) / 2, w = 2c - l1.
  Mat x(2, 1);
  x << 3, 1;
  Vec y(2);
  y << 1, -1;
  Solution s = solve(make(x, y, Vec::Constant(2, kInf), 0.25, 1));
  REQUIRE(s.status == Status::optimal);
  CHECK(s.w(0, 0) == Approx(1));
  CHECK(s.b[0] == Approx(-2));
  s = solve(make(x, y, Vec::Constant(2, 0.3), 0.25, 1));
  CHECK(s.w(0, 0) == Approx(0.35));
  // Every intercept between -1 - f(1) and 1 - f(3) is optimal, and the midpoint is returned.
  CHECK(s.b[0] == Approx(-0.7));
}

TEST_CASE("active_set: the certificate holds on random and degenerate problems", "[active_set]") {
  double worst = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Instance q = random_instance(seed);
    const Solution s = solve(q);
    CAPTURE(seed);
    REQUIRE(s.status == Status::optimal);
    const Certificate c = certify(q.problem, q.surrogate, s);
    worst = std::max(worst, c.gap);
    CHECK(c.gap <= 1e-9);
    for (Index j = 0; j < q.x.cols(); ++j)
      if (q.surrogate.scale[j] == 0) CHECK(s.w(j, 0) == 0.0);
  }
  CHECK(worst <= 1e-9);
}

TEST_CASE("active_set: warm starts end where cold starts do", "[active_set]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Instance q = random_instance(seed);
    for (Index j = 0; j < q.x.cols(); ++j)
      if (q.surrogate.scale[j] == kInf) q.surrogate.scale[j] = 1;
    auto warm = make_active_set();
    warm->setup(q.problem);
    const Vec start = q.surrogate.l1;
    Solution s = warm->solve(q.surrogate, {});
    for (int round = 0; round < 4; ++round) {
      q.surrogate.l1 = start.array() * (-3 * s.w.col(0).array().abs()).exp();
      if (q.surrogate.linear.size()) q.surrogate.linear *= 0.5;
      if (round == 2) q.surrogate.scale *= 0.5;
      s = warm->solve(q.surrogate, {});
      const Solution cold = solve(q);
      CAPTURE(seed);
      REQUIRE(s.status == Status::optimal);
      REQUIRE(cold.status == Status::optimal);
      CHECK((s.w - cold.w).norm() <= 1e-7 * (1e-6 + cold.w.norm()));
    }
  }
}

TEST_CASE("active_set: weight 2 equals the row twice", "[active_set]") {
  Instance q = random_instance(8);
  q.problem.cost.setOnes();
  const Index n = q.x.rows();
  Instance twice = q;
  twice.x.conservativeResize(n + 1, Eigen::NoChange);
  twice.x.row(n) = q.x.row(0);
  twice.problem.y.conservativeResize(n + 1, 1);
  twice.problem.y(n, 0) = q.problem.y(0, 0);
  twice.problem.cost = Vec::Ones(n + 1);
  twice.view();
  q.problem.cost[0] = 2;
  const Solution a = solve(q), b = solve(twice);
  CHECK((a.w - b.w).norm() <= 1e-8 * a.w.norm());
}

TEST_CASE("active_set: without an l1 cost it is the dual engine's machine", "[active_set]") {
  Instance q = random_instance(12);
  q.problem.loss = Loss::hinge;
  q.surrogate.l1.setZero();
  q.surrogate.linear.resize(0);
  q.surrogate.scale.setOnes();
  const Solution a = solve(q);
  auto dual = make_dual_qp();
  dual->setup(q.problem);
  const Solution b = dual->solve(q.surrogate, {});
  REQUIRE(a.status == Status::optimal);
  REQUIRE(b.status == Status::optimal);
  CHECK((a.w - b.w).norm() <= 1e-6 * a.w.norm());
}

TEST_CASE("active_set: large costs on integer data full of ties, with and without a free column",
          "[active_set]") {
  std::mt19937 random(44);
  std::normal_distribution<double> normal;
  const Vec y = Vec::NullaryExpr(24, [](Index i) { return i % 2 ? -1.0 : 1.0; });
  for (int trial = 0; trial < 200; ++trial) {
    Mat x = Mat::NullaryExpr(24, 3, [&] { return normal(random); });
    x.leftCols(2).colwise() += 0.5 * y;
    Instance q = make(x.array().round(), y, Vec::Constant(24, 1e6), 0, 1);
    if (trial % 2) q.surrogate.scale[2] = kInf;
    INFO("trial " << trial);
    Limits limits;
    limits.tol = 1e-10;
    auto engine = make_active_set();
    engine->setup(q.problem);
    const Solution s = engine->solve(q.surrogate, limits);
    REQUIRE(s.status == Status::optimal);
    CHECK(certify(q.problem, q.surrogate, s).gap <= 1e-9);
  }
}

TEST_CASE("active_set: overlap where the class means agree", "[active_set]") {
  Mat x(7, 2);
  x << 0, 0, 1, 0, 1, 0, 0, -1, 0, -1, -1, 1, -1, 1;
  const Vec y = Vec::NullaryExpr(7, [](Index i) { return i % 2 ? -1.0 : 1.0; });
  Instance q = make(x, y, Vec::Constant(7, kInf), 0, 1);
  q.surrogate.scale[1] = kInf;
  const Solution s = solve(q);
  REQUIRE(s.status == Status::infeasible);
  const Vec ya = y.cwiseProduct(s.dual.col(0));
  CHECK(s.dual.minCoeff() >= 0);
  CHECK(s.dual.maxCoeff() > 0);
  CHECK((x.transpose() * ya).norm() <= 1e-9 * ya.norm());
  CHECK(std::abs(ya.sum()) <= 1e-9 * ya.norm());
}

TEST_CASE("active_set: many rows take few steps to where OSQP ends", "[active_set]") {
  std::mt19937 random(45);
  std::normal_distribution<double> normal;
  const Index n = 1200, d = 8;
  for (double l1 : {5.0, 40.0}) {
    const Mat x = Mat::NullaryExpr(n, d, [&] { return normal(random); });
    Vec y(n);
    for (Index i = 0; i < n; ++i) y[i] = x(i, 0) - x(i, 1) + normal(random) > 0.3 ? 1 : -1;
    Vec cost = Vec::LinSpaced(n, 0.5, 1.5);
    cost.head(100).setZero();
    Instance q = make(x, y, cost, l1, 0.1);
    q.surrogate.l1[7] = 0, q.surrogate.scale[7] = kInf;
    q.surrogate.linear = Vec::Zero(d);
    q.surrogate.linear[1] = -0.5 * l1;
    auto referee = make_engine("osqp");
    referee->setup(q.problem);
    const Solution s = solve(q), other = referee->solve(q.surrogate, {});
    CAPTURE(l1);
    REQUIRE(s.status == Status::optimal);
    REQUIRE(other.status == Status::optimal);
    CHECK(s.iterations < 100);
    CHECK(certify(q.problem, q.surrogate, s).gap <= 1e-8);
    CHECK(objective(q, s.w.col(0), s.b[0]) <= objective(q, other.w.col(0), other.b[0]) * (1 + 1e-6));
  }
}

TEST_CASE("active_set: more rows on their margins than columns hold there", "[active_set]") {
  std::mt19937 random(46);
  std::normal_distribution<double> normal;
  const Mat x = Mat::NullaryExpr(40, 4, [&] { return normal(random); });
  Vec y(40);
  for (Index i = 0; i < 40; ++i) y[i] = x(i, 0) + normal(random) > 0.5 ? 1 : -1;
  const Instance once = make(x, y, Vec::Constant(40, 30), 5, 1);
  const Solution a = solve(once);
  REQUIRE(a.status == Status::optimal);
  for (Index copies : {5, 60}) {  // The copies make 200 rows, or many.
    const Instance q =
        make(x.replicate(copies, 1), y.replicate(copies, 1), Vec::Constant(40 * copies, 30.0 / copies), 5, 1);
    const Solution b = solve(q);
    REQUIRE(b.status == Status::optimal);
    CHECK((a.w - b.w).norm() <= 1e-8 * a.w.norm());
  }
  // If all weights are zero, every row of the larger class is on its margin, and the others have loss 2.
  Instance zero = make(x.replicate(100, 1), y.replicate(100, 1), Vec::Ones(4000), 1e5, 1);
  const Solution s = solve(zero);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.w.isZero(0));
  const double smaller = 100 * std::min((y.array() > 0).count(), (y.array() < 0).count());
  CHECK(objective(zero, s.w.col(0), s.b[0]) == Approx(2 * smaller));
}

TEST_CASE("active_set: says why it refuses, and stops when asked", "[active_set]") {
  Instance q = random_instance(4);
  auto engine = make_active_set();
  Surrogate bad = q.surrogate;
  bad.scale[0] = kInf, bad.l1[0] = 1;
  CHECK_FALSE(engine->refuses(q.problem, bad).empty());
  Problem several = q.problem;
  several.y = Mat::Ones(q.x.rows(), 2);
  CHECK_FALSE(engine->refuses(several, q.surrogate).empty());
  engine->setup(q.problem);
  Limits limits;
  limits.interrupted = [] { return true; };
  CHECK(engine->solve(q.surrogate, limits).status == Status::interrupted);
}

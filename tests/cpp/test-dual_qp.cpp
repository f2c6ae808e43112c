// Tests the dual engine against enumeration of active sets, hand computation and identities.
#include <testthat/vendor/catch.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "grade/certificate.h"

using namespace zeronorm;

namespace {

std::mt19937 generator(20030);
double normal() { return std::normal_distribution<double>()(generator); }
double uniform() { return std::uniform_real_distribution<double>()(generator); }
Index below(Index n) { return static_cast<Index>(generator() % n); }

struct Case {
  Mat x;
  Problem problem;
  Surrogate surrogate;

  Case(Mat data, double cost) : x(std::move(data)) {
    const Index n = x.rows(), d = x.cols();
    problem.y = Mat::Ones(n, 1);
    for (Index i = 1; i < n; i += 2) problem.y(i, 0) = -1;
    problem.cost = Vec::Constant(n, cost);
    surrogate.l1 = Vec::Zero(d);
    surrogate.scale = Vec::Ones(d);
    view();
  }
  void view() {
    const Index d = x.cols();
    problem.x = dense_design(x.data(), x.rows(), d, Vec::Zero(d), Vec::Ones(d));
  }
};

Mat simulated(Index n, Index d, double shift = 0) {
  Mat x(n, d);
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = normal();
  for (Index i = 0; i < n; ++i) x(i, 0) += i % 2 ? -shift : shift;
  return x;
}

Solution solve(const Problem& problem, const Surrogate& surrogate) {
  auto engine = make_dual_qp();
  engine->setup(problem);
  Solution s = engine->solve(surrogate, Limits());
  if (s.status == Status::optimal) s.certificate = certify(problem, surrogate, s);
  return s;
}
Solution solve(const Case& c) { return solve(c.problem, c.surrogate); }

// Returns the dual maximum over all choices of {0, free, cost} for each row, from 3^n small linear systems.
double brute_force_dual(const Mat& k, const Vec& y, const Vec& cost, const Mat& f) {
  const Index n = y.size(), m = f.cols();
  double best = -kInf;
  long sets = 1;
  for (Index i = 0; i < n; ++i) sets *= 3;
  for (long code = 0; code < sets; ++code) {
    Vec v = Vec::Zero(n);
    IndexList free;
    long rest = code;
    for (Index i = 0; i < n; ++i, rest /= 3) {
      if (rest % 3 == 1) v[i] = y[i] * cost[i];
      if (rest % 3 == 2) free.push_back(i);
    }
    const Index r = static_cast<Index>(free.size());
    if (v.cwiseAbs().maxCoeff() == kInf) continue;
    Mat system = Mat::Zero(r + m, r + m);
    Vec right(r + m);
    for (Index a = 0; a < r; ++a) {
      for (Index b = 0; b < r; ++b) system(a, b) = k(free[a], free[b]);
      system.block(a, r, 1, m) = f.row(free[a]);
      system.block(r, a, m, 1) = f.row(free[a]).transpose();
      right[a] = y[free[a]] - k.row(free[a]).dot(v);
    }
    right.tail(m) = -f.transpose() * v;
    Vec solution(r + m);
    if (r + m > 0) solution = system.completeOrthogonalDecomposition().solve(right);
    for (Index a = 0; a < r; ++a) v[free[a]] = solution[a];
    const Vec a = y.cwiseProduct(v);
    const bool balanced = m == 0 || (f.transpose() * v).cwiseAbs().maxCoeff() < 1e-9;
    const bool feasible = balanced && a.minCoeff() >= -1e-9 && (cost - a).minCoeff() >= -1e-9;
    if (feasible) best = std::max(best, y.dot(v) - 0.5 * v.dot(k * v));
  }
  return best;
}

void check_ray(const Case& c, const Solution& s) {
  const Vec ya = c.problem.y.col(0).cwiseProduct(s.dual.col(0));
  CHECK(s.dual.minCoeff() >= 0);
  CHECK(s.dual.sum() == Approx(1.0).epsilon(1e-9));
  const Vec g = c.x.transpose() * ya;
  for (Index j = 0; j < g.size(); ++j)
    if (c.surrogate.scale[j] > 0) CHECK(std::abs(g[j]) < 1e-9);
  if (c.problem.intercept) CHECK(std::abs(ya.sum()) < 1e-9);
}

}  // namespace

TEST_CASE("two points, by hand") {
  Mat x(2, 2);
  x << 3, 1, -1, -2;
  Case c(x, kInf);
  // The solution is w = 2 (x1 - x2)/|x1 - x2|^2 with x1 - x2 = (4, 3), and b = 1 - w'x1.
  const Solution s = solve(c);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.w(0, 0) == Approx(8.0 / 25).epsilon(1e-13));
  CHECK(s.w(1, 0) == Approx(6.0 / 25).epsilon(1e-13));
  CHECK(s.b[0] == Approx(1 - 30.0 / 25).epsilon(1e-12));
  CHECK(s.dual(0, 0) == Approx(2.0 / 25).epsilon(1e-13));
  // With scales (1, 2) the Gram entry between the points is 16 + 4 * 9.
  c.surrogate.scale << 1, 2;
  const Solution t = solve(c);
  CHECK(t.w(0, 0) == Approx(8.0 / 52).epsilon(1e-13));
  CHECK(t.w(1, 0) == Approx(24.0 / 52).epsilon(1e-13));
}

TEST_CASE("the dual value is the best over all active sets") {
  generator.seed(1998);
  for (int trial = 0; trial < 60; ++trial) {
    const double costs[] = {0.3, 2.0, kInf};
    const Index n = 4 + below(3), d = 1 + below(6);
    Case c(simulated(n, d, 1), costs[trial % 3]);
    c.problem.intercept = trial % 2 == 0;
    if (trial % 5 == 0) c.surrogate.scale[0] = kInf;
    if (c.problem.cost[0] < kInf)
      for (Index i = 0; i < n; ++i) c.problem.cost[i] *= uniform();
    const bool free = c.surrogate.scale[0] == kInf;
    Mat f(n, 0);
    if (c.problem.intercept) f.conservativeResize(n, 1), f.col(0).setOnes();
    if (free) f.conservativeResize(n, f.cols() + 1), f.rightCols(1) = c.x.col(0);
    const Mat xr = c.x.rightCols(d - free);
    const double best = brute_force_dual(xr * xr.transpose(), c.problem.y.col(0), c.problem.cost, f);
    const Solution s = solve(c);
    if (s.status == Status::infeasible) {
      check_ray(c, s);
      continue;
    }
    REQUIRE(s.status == Status::optimal);
    CHECK(s.certificate.gap <= 1e-9);
    CHECK(std::abs(s.certificate.dual - best) <= 1e-8 * (1 + std::abs(best)));
  }
}

TEST_CASE("random problems have no gap, cold and warm under rescaling") {
  generator.seed(2003);
  int infeasible = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double costs[] = {0.1, 1, 100, 1e6, kInf};
    const Index n = 2 + below(30), d = 1 + below(40);
    Case c(simulated(n, d, 3 * uniform()), costs[below(5)]);
    if (below(3) == 0) c.problem.loss = Loss::squared_hinge;
    c.problem.intercept = below(3) > 0;
    if (below(3) == 0) c.x = c.x.array().round();
    if (below(4) == 0 && n > 3) c.x.row(2) = c.x.row(0);
    if (below(4) == 0 && n > 3) c.x.row(1) = c.x.row(0);
    if (below(4) == 0 && d > 3) c.x.col(1) = c.x.col(0);
    if (below(3) == 0) c.surrogate.scale[below(d)] = kInf;
    for (Index j = 0; j < d; ++j)
      if (below(4) == 0) c.surrogate.scale[j] = below(2) ? 0 : uniform();
    if (!c.problem.hard() && below(3) == 0)
      for (Index i = 1; i < n; ++i) c.problem.cost[i] *= below(4) ? uniform() : 0;
    auto engine = make_dual_qp();
    engine->setup(c.problem);
    for (int round = 0; round < 4; ++round) {
      const Solution s = engine->solve(c.surrogate, Limits());
      if (s.status == Status::infeasible) {
        REQUIRE(c.problem.hard());
        check_ray(c, s);
        ++infeasible;
        break;
      }
      REQUIRE(s.status == Status::optimal);
      CHECK(certify(c.problem, c.surrogate, s).gap <= 1e-9);
      for (Index j = 0; j < d; ++j)
        if (c.surrogate.scale[j] < kInf) c.surrogate.scale[j] = std::abs(s.w(j, 0));
    }
  }
  CHECK(infeasible > 5);
}

TEST_CASE("the hard margin is the limit of large costs") {
  Case hard(simulated(20, 30), kInf), soft(hard.x, 1e4);
  const Solution a = solve(hard), b = solve(soft);
  REQUIRE(a.status == Status::optimal);
  CHECK((a.w - b.w).norm() <= 1e-10 * a.w.norm());
  CHECK(a.b[0] == Approx(b.b[0]).epsilon(1e-9));
  // Every margin holds, and support vectors lie on it.
  const Vec m = hard.problem.y.col(0).array() * ((hard.x * a.w.col(0)).array() + a.b[0]);
  CHECK(m.minCoeff() >= 1 - 1e-12);
  for (Index i = 0; i < m.size(); ++i) CHECK(std::min(a.dual(i, 0), m[i] - 1) <= 1e-11);
}

TEST_CASE("inseparable data: a Farkas ray under a hard margin, no gap under a huge cost") {
  for (Index n : {10, 40, 200}) {
    Case c(simulated(n, 3), kInf);
    c.x.row(1) = c.x.row(0);
    const Solution s = solve(c);
    REQUIRE(s.status == Status::infeasible);
    check_ray(c, s);
    c.problem.cost.setConstant(1e6);
    const Solution t = solve(c);
    REQUIRE(t.status == Status::optimal);
    CHECK(t.certificate.gap <= 1e-9);
  }
}

TEST_CASE("free columns") {
  Case c(simulated(25, 8, 0.5), 1.0);
  SECTION("a free constant column is the intercept") {
    const Solution s = solve(c);
    Mat x(25, 9);
    x << c.x, Vec::Constant(25, 0.5);
    Case d(x, 1.0);
    d.problem.intercept = false;
    d.surrogate.scale[8] = kInf;
    const Solution t = solve(d);
    REQUIRE(t.status == Status::optimal);
    CHECK((t.w.topRows(8) - s.w).norm() <= 1e-10 * s.w.norm());
  }
  SECTION("what lies along a free column is eliminated") {
    c.surrogate.scale[2] = kInf;
    const Solution s = solve(c);
    REQUIRE(s.status == Status::optimal);
    Case d(c.x, 1.0);
    d.surrogate.scale[2] = kInf;
    for (Index j = 0; j < 8; ++j)
      if (j != 2) d.x.col(j) += normal() * c.x.col(2) + Vec::Constant(25, normal());
    const Solution t = solve(d);
    for (Index j = 0; j < 8; ++j)
      if (j != 2) CHECK(t.w(j, 0) == Approx(s.w(j, 0)).epsilon(1e-9));
    CHECK(t.certificate.primal == Approx(s.certificate.primal).epsilon(1e-10));
  }
  SECTION("a second copy of a free column gets nothing, the optimum stays") {
    c.surrogate.scale[2] = kInf;
    const double primal = solve(c).certificate.primal;
    c.x.col(3) = 2 * c.x.col(2);
    Case without = c;
    without.view();
    c.surrogate.scale[3] = kInf;
    without.surrogate.scale[3] = 0;
    CHECK(solve(c).certificate.primal == Approx(solve(without).certificate.primal).epsilon(1e-10));
    CHECK(solve(c).certificate.primal >= primal * (1 - 1e-9));
  }
  SECTION("beside an intercept only what a free column varies by counts, however little") {
    // Weights of 1e9 leave no violation.
    Mat x(3, 1);
    x << 1 + 2e-9, 1 + 1e-9, 1 + 2e-9;
    for (Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      Case d(x, 1.0);
      d.problem.y << -1, 1, -1;
      d.problem.loss = loss;
      d.surrogate.scale[0] = kInf;
      const Solution s = solve(d);
      REQUIRE(s.status == Status::optimal);
      CHECK(s.certificate.primal <= 1e-5);
      CHECK(s.w(0, 0) == Approx(-2e9).epsilon(1e-5));
    }
  }
  SECTION("a column without spread and columns far from zero, beside an intercept") {
    c.surrogate.scale[2] = kInf;
    const Solution s = solve(c);
    for (double mean : {0.0, 3.0, 1e5}) {
      Mat x(25, 9);
      x << c.x, Vec::Constant(25, 0.3);
      x.col(2).array() += mean;
      Case d(x, 1.0);
      d.surrogate.scale[2] = d.surrogate.scale[8] = kInf;
      const Solution t = solve(d);
      REQUIRE(t.status == Status::optimal);
      CHECK(t.certificate.gap <= 1e-8);
      CHECK(t.w(8, 0) == 0);
      CHECK((t.w.topRows(8) - s.w).norm() <= 1e-8 * s.w.norm());
      CHECK(t.b[0] + mean * t.w(2, 0) == Approx(s.b[0]).epsilon(1e-8));
    }
  }
  SECTION("other columns may be free from one round to the next") {
    // At small costs most multipliers are at their bounds and cannot balance columns that they do not fit.
    for (double cost : {1.0, 0.05, 0.005}) {
      c.problem.cost.setConstant(cost);
      auto engine = make_dual_qp();
      engine->setup(c.problem);
      for (Index free : {2, 3, 5, 0, 7}) {
        c.surrogate.scale.setOnes();
        c.surrogate.scale[free] = kInf;
        Solution warm = engine->solve(c.surrogate, Limits());
        REQUIRE(warm.status == Status::optimal);
        warm.certificate = certify(c.problem, c.surrogate, warm);
        CHECK(warm.certificate.gap <= 1e-9);
        CHECK(warm.certificate.primal == Approx(solve(c).certificate.primal).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("squared hinge is the hard margin with slacks as features") {
  Case c(simulated(30, 6), 4.0);
  c.problem.loss = Loss::squared_hinge;
  const Solution s = solve(c);
  REQUIRE(s.status == Status::optimal);
  Problem hard = c.problem;
  hard.x = extended_design(c.problem.x, 2.0);
  hard.cost.setConstant(kInf);
  hard.loss = Loss::hinge;
  Surrogate extended;
  extended.l1 = Vec::Zero(36);
  extended.scale = Vec::Ones(36);
  const Solution t = solve(hard, extended);
  REQUIRE(t.status == Status::optimal);
  CHECK((t.w.topRows(6) - s.w).norm() <= 1e-10 * s.w.norm());
  CHECK(t.b[0] == Approx(s.b[0]).epsilon(1e-9));
}

TEST_CASE("kernel expansions") {
  Case linear(simulated(20, 30), 2.0);
  const Mat k = linear.x * linear.x.transpose();
  Problem kernel = linear.problem;
  kernel.x = kernel_design(k);
  kernel.quadratic = Quadratic::kernel;
  Surrogate s;
  s.l1 = Vec::Zero(20);
  s.scale = Vec::Constant(20, kInf);
  SECTION("a linear kernel is the linear machine") {
    const Solution a = solve(linear), b = solve(kernel, s);
    REQUIRE(b.status == Status::optimal);
    CHECK(b.certificate.gap <= 1e-9);
    CHECK((linear.x.transpose() * b.w - a.w).norm() <= 1e-10 * a.w.norm());
  }
  SECTION("with scales, K~ = K (K + 1/z^2)^-1 K") {
    for (Index j = 0; j < 20; ++j) s.scale[j] = j % 4 ? 3 * uniform() : 0;
    const Solution b = solve(kernel, s);
    REQUIRE(b.status == Status::optimal);
    CHECK(b.certificate.gap <= 1e-9);
    // The same problem is solved directly on the columns that are present.
    IndexList on;
    for (Index j = 0; j < 20; ++j)
      if (s.scale[j] > 0) on.push_back(j);
    Mat a(on.size(), on.size()), rows(on.size(), 20);
    for (std::size_t i = 0; i < on.size(); ++i) {
      rows.row(i) = k.row(on[i]);
      for (std::size_t j = 0; j < on.size(); ++j) a(i, j) = k(on[i], on[j]);
      a(i, i) += 1 / (s.scale[on[i]] * s.scale[on[i]]);
    }
    const Mat inverse = a.inverse();
    const Vec v = kernel.y.col(0).cwiseProduct(b.dual.col(0));
    const Vec w = inverse * (rows * v);
    for (std::size_t i = 0; i < on.size(); ++i) CHECK(b.w(on[i], 0) == Approx(w[i]).epsilon(1e-8));
    Problem direct = kernel;
    direct.x = kernel_design(rows.transpose() * inverse * rows);
    Surrogate plain = s;
    plain.scale.setConstant(kInf);
    const Solution c = solve(direct, plain);
    CHECK((c.dual - b.dual).norm() <= 1e-7 * c.dual.norm());
  }
}

TEST_CASE("dropping columns one by one and in blocks equals starting afresh") {
  Case c(simulated(24, 120), kInf);
  auto engine = make_dual_qp();
  engine->setup(c.problem);
  for (Index left = 120; left > 30; left -= left > 90 ? 1 : 11) {
    const Solution warm = engine->solve(c.surrogate, Limits()), cold = solve(c);
    REQUIRE(warm.status == Status::optimal);
    CHECK((warm.w - cold.w).norm() <= 1e-10 * cold.w.norm());
    CHECK(std::abs(warm.b[0] - cold.b[0]) <= 1e-9);
    std::vector<std::pair<double, Index>> order;
    for (Index j = 0; j < 120; ++j)
      if (c.surrogate.scale[j] > 0) order.emplace_back(std::abs(warm.w(j, 0)), j);
    std::sort(order.begin(), order.end());
    for (Index k = 0; k < (left > 90 ? 1 : 11); ++k) c.surrogate.scale[order[k].second] = 0;
  }
  // Columns come back.
  c.surrogate.scale.setOnes();
  const Solution warm = engine->solve(c.surrogate, Limits()), cold = solve(c);
  CHECK((warm.w - cold.w).norm() <= 1e-10 * cold.w.norm());
}

TEST_CASE("a row of zero cost is no row") {
  Case c(simulated(15, 4), 1.0);
  c.problem.cost[3] = c.problem.cost[8] = 0;
  const Solution s = solve(c);
  IndexList rows;
  for (Index i = 0; i < 15; ++i)
    if (i != 3 && i != 8) rows.push_back(i);
  Problem part = c.problem;
  part.x = c.problem.x->subset(rows, {0, 1, 2, 3});
  part.y.resize(13, 1);
  for (Index i = 0; i < 13; ++i) part.y(i, 0) = c.problem.y(rows[i], 0);
  part.cost = Vec::Ones(13);
  const Solution t = solve(part, c.surrogate);
  CHECK((t.w - s.w).norm() <= 1e-11 * s.w.norm());
  CHECK(s.dual(3, 0) == 0);
}

TEST_CASE("larger problems, with many multipliers at their bounds") {
  for (double cost : {1.0, 1e6}) {
    Case c(simulated(2300, 4, 0.5), cost);
    const Solution s = solve(c);
    REQUIRE(s.status == Status::optimal);
    CHECK(s.certificate.gap <= 1e-9);
  }
}

TEST_CASE("an interrupt anywhere, inside the gram matrix too, leaves an engine that starts again") {
  Case c(simulated(170, 500), 1.0);
  const Solution fresh = solve(c);
  auto engine = make_dual_qp();
  engine->setup(c.problem);
  int interrupted = 0;
  for (int last = 1; last <= 60; ++last) {
    int polls = 0;
    Limits limits;
    limits.interrupted = [&] { return ++polls >= last; };
    c.surrogate.scale.setConstant(last % 2 ? 2.0 : 0.5);
    interrupted += engine->solve(c.surrogate, limits).status == Status::interrupted;
    c.surrogate.scale.setOnes();
    const Solution s = engine->solve(c.surrogate, Limits());
    INFO("stopped at poll " << last);
    REQUIRE(s.status == Status::optimal);
    CHECK((s.w - fresh.w).norm() <= 1e-9 * fresh.w.norm());
  }
  CHECK(interrupted > 10);
}

TEST_CASE("what the engine refuses, and interrupts") {
  Case c(simulated(400, 30), 1.0);
  auto engine = make_dual_qp();
  engine->setup(c.problem);
  Limits limits;
  limits.interrupted = [] { return true; };
  CHECK(engine->solve(c.surrogate, limits).status == Status::interrupted);
  CHECK(engine->solve(c.surrogate, Limits()).status == Status::optimal);
  c.surrogate.l1[0] = 1;
  CHECK(!engine->refuses(c.problem, c.surrogate).empty());
  CHECK(engine->solve(c.surrogate, Limits()).status == Status::refused);
}

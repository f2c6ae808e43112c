// Tests the engine of Weston-Watkins SVMs with many rows against the one that works on the dual, and by hand.
#include <testthat/vendor/catch.h>

#include <algorithm>

#include "data/design.h"
#include "engines/parts/class_sweeps.h"
#include "engines/solve_certified.h"
#include "instances.h"

using namespace zeronorm;

namespace {

struct Instance {
  Mat x;
  std::vector<int> start, row;
  std::vector<double> value;
  Problem problem;
  Surrogate surrogate;
};

// Columns with means, some rows without cost, and now and then a column that occurs twice, unpenalised columns, and no
// intercept.
void draw(Instance& it, int seed) {
  Random random(seed);
  const auto uniform = [&](Index most) { return Index(random() % std::uint32_t(most)); };
  const Index n = 20 + uniform(60), d = 3 + uniform(40), k = 2 + uniform(5);
  it.x = gaussian(n, d, random);
  for (Index j = 0; j < d; ++j) it.x.col(j).array() += double(j % 3);
  if (seed % 4 == 0) it.x.col(1) = it.x.col(0);
  const bool sparse = seed % 2 == 0;
  if (sparse) it.x = (it.x.array() > 0.5).select(it.x, 0.0);
  Problem& p = it.problem;
  p.y = Mat::Constant(n, k, -1);
  p.cost = Vec(n);
  for (Index i = 0; i < n; ++i) {
    p.y(i, i % k) = 1;
    it.x(i, i % std::min(k, d)) += 1;
    p.cost[i] = i >= k && i % 7 == 0 ? 0.0 : std::pow(10.0, double(seed % 5) - 3) * double(1 + uniform(3));
  }
  p.loss = Loss::weston_watkins;
  p.intercept = seed % 5 != 0;
  const Vec centre = p.intercept && !sparse ? Vec(it.x.colwise().mean()) : Vec::Zero(d);
  const Vec scale = Vec::Constant(d, 2);
  if (sparse) {
    it.start.assign(1, 0);
    for (Index j = 0; j < d; ++j) {
      for (Index i = 0; i < n; ++i)
        if (it.x(i, j) != 0) it.row.push_back(int(i)), it.value.push_back(it.x(i, j));
      it.start.push_back(int(it.row.size()));
    }
    p.x = sparse_design(it.start.data(), it.row.data(), it.value.data(), n, d, scale);
  } else {
    p.x = dense_design(it.x.data(), n, d, centre, scale);
  }
  Surrogate& s = it.surrogate;
  s.l1 = Vec::Zero(d);
  s.scale = Vec(d);
  for (Index j = 0; j < d; ++j) s.scale[j] = j % 5 == 4 ? 0.0 : 0.5 + double(j % 3);
  if (seed % 3 == 0) s.scale[2] = kInf;
}

}  // namespace

TEST_CASE("class_newton: the optimum of the dual engine") {
  for (int seed = 1; seed <= 60; ++seed) {
    Instance it;
    draw(it, seed);
    const auto rows = make_class_newton(), dual = make_weston_watkins();
    rows->setup(it.problem);
    dual->setup(it.problem);
    Limits limits;
    limits.tol = 1e-8;
    const Solution ours = solve_certified(*rows, it.problem, it.surrogate, limits);
    const Solution theirs = solve_certified(*dual, it.problem, it.surrogate, limits);
    INFO("seed " << seed << ": " << ours.note << " " << theirs.note);
    REQUIRE(theirs.status == Status::optimal);
    REQUIRE(ours.status == Status::optimal);
    CHECK(ours.certificate.gap <= 1e-6);
    CHECK(ours.certificate.primal == Approx(theirs.certificate.primal).epsilon(1e-6));
    // Another scale of the columns, from the last solution on.
    it.surrogate.scale *= 0.5;
    const Solution warm = solve_certified(*rows, it.problem, it.surrogate, limits);
    REQUIRE(warm.status == Status::optimal);
    CHECK(warm.certificate.primal ==
          Approx(solve_certified(*dual, it.problem, it.surrogate, limits).certificate.primal).epsilon(1e-6));
  }
}

TEST_CASE("class_newton: many columns, by sweeps and conjugate gradients") {
  Random random(7);
  const Index n = 150, d = 400, k = 4;
  Mat x = gaussian(n, d, random);
  Problem p;
  p.y = Mat::Constant(n, k, -1);
  for (Index i = 0; i < n; ++i) p.y(i, i % k) = 1, x(i, i % k) += 2;
  p.loss = Loss::weston_watkins;
  p.x = dense_design(x.data(), n, d, Vec::Zero(d), Vec::Ones(d));
  const Surrogate s{Vec::Zero(d), Vec::Ones(d), Vec(), {}};
  for (double cost : {0.001, 0.1, 10.0}) {
    p.cost = Vec::Constant(n, cost);
    const auto rows = make_class_newton(), dual = make_weston_watkins();
    rows->setup(p);
    dual->setup(p);
    const Solution ours = solve_certified(*rows, p, s, Limits());
    REQUIRE(ours.status == Status::optimal);
    CHECK(ours.certificate.primal ==
          Approx(solve_certified(*dual, p, s, Limits()).certificate.primal).epsilon(1e-6));
  }
}

TEST_CASE("class_newton: the nearest multipliers, by hand and by comparison") {
  // Own class 0, wishes of -1 and -3 for the others, a cost of 2: with -1 taken off all three, 2 + 0 - 2 is zero.
  Vec q(3);
  q << 1, -1, -3;
  project_on_multipliers(q.data(), 3, 0, 2);
  CHECK(q.sum() == Approx(0).margin(1e-15));
  CHECK(q[2] == Approx(-2));
  CHECK(q[1] == Approx(0).margin(1e-15));
  Random random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Vec wish = 2 * gaussian(4, 1, random).col(0);
    Vec best = wish;
    project_on_multipliers(best.data(), 4, 1, 0.7);
    CHECK(best.sum() == Approx(0).margin(1e-14));
    for (int other = 0; other < 20; ++other) {
      Vec m(4);
      for (Index l = 0; l < 4; ++l) m[l] = -0.7 * double(random() % 1001) / 1000;
      m[1] = 0;
      m[1] = -m.sum();
      CHECK((best - wish).squaredNorm() <= (m - wish).squaredNorm() + 1e-12);
    }
  }
}

TEST_CASE("class_newton: refuses what it cannot state, and stops when asked") {
  Instance it;
  draw(it, 1);
  Problem hard = it.problem;
  hard.cost.setConstant(kInf);
  CHECK_FALSE(make_class_newton()->refuses(hard, it.surrogate).empty());
  Surrogate sparse = it.surrogate;
  sparse.l1.setOnes();
  CHECK_FALSE(make_class_newton()->refuses(it.problem, sparse).empty());
  const auto engine = make_class_newton();
  engine->setup(it.problem);
  Limits stop;
  stop.interrupted = [] { return true; };
  CHECK(engine->solve(it.surrogate, stop).status == Status::interrupted);
}

// Tests the simplex against HiGHS on the full programme at a tolerance of 1e-10, objectives written out from the
// data, and rays checked by their definition.
#include <testthat/vendor/catch.h>

#include "instances.h"

using namespace zeronorm;

namespace {

enum Kind {
  plain,
  rounded,
  signs,
  duplicated,
  scales,
  asymmetric,
  free_columns,
  zero_rows,
  removed,
  hard,
  kinds
};

Mat entries(Index n, Index d, int kind, Random& random) {
  Mat x = shifted(n, d, kind == hard ? 1.0 : 0.5, random);
  switch (kind) {
    case rounded: x = x.array().round(); break;
    case signs: x = Mat::NullaryExpr(n, d, [&] { return double(random() % 3) - 1; }); break;
    case duplicated:
      for (Index j = 0; j + 1 < d; j += 2) x.col(j + 1) = x.col(j);
      break;
    case scales:
      for (Index j = 0; j < d; ++j) x.col(j) *= std::pow(10, 6 * uniform(random) - 3);
      break;
    default: break;
  }
  return x;
}

Surrogate costs(Index d, int kind, Random& random) {
  Surrogate s = surrogate(d, 1, kInf);
  if (kind != signs && kind != rounded) s.l1 = s.l1.array() * (0.5 + gaussian(d, random).array().abs());
  if (kind == asymmetric)
    s.linear = s.l1.cwiseProduct(Vec::NullaryExpr(d, [&] { return 2 * uniform(random) - 1; }));
  if (kind == free_columns)
    for (Index j = 2; j < std::min<Index>(d, 5); ++j) s.l1[j] = 0;
  if (kind == removed)
    for (Index j = 0; j < d; j += 3) s.scale[j] = 0;
  return s;
}

struct Instance {
  Mat x;
  Problem problem;
  Surrogate costs;
};

void draw(Instance& q, int trial, Random& random) {
  const int kind = trial % kinds;
  const bool wide = random() % 2;
  const Index n = 6 + Index(random() % 30), d = wide ? n + Index(random() % 60) : 1 + Index(random() % 8);
  q.x = entries(n, d, kind, random);
  q.problem =
      svm_problem(q.x, alternating(n), kind == hard ? kInf : std::exp(normal(random)), random() % 4 > 0);
  if (kind == zero_rows)
    for (Index i = 0; i < n; ++i) q.problem.cost[i] *= double(random() % 3);
  q.costs = costs(d, kind, random);
}

// Checks multipliers that no (w, b) with y f >= 1 can satisfy: sum a > 0, while X'(ya) = 0 and y'a = 0.
void check_ray(const Instance& q, const Vec& a) {
  const Vec ya = a.cwiseProduct(q.problem.y.col(0));
  CHECK(a.minCoeff() >= 0);
  REQUIRE(a.sum() > 0);
  if (q.problem.intercept) CHECK(std::abs(ya.sum()) <= 1e-9 * a.sum());
  for (Index j = 0; j < q.x.cols(); ++j)
    if (q.costs.scale[j] > 0) CHECK(std::abs(q.x.col(j).dot(ya)) <= 1e-9 * a.dot(q.x.col(j).cwiseAbs()));
}

void check_same(const Instance& q, const Solution& found, const Solution& reference) {
  REQUIRE(found.status == reference.status);
  if (found.status == Status::infeasible) return check_ray(q, found.dual.col(0));
  REQUIRE(found.status == Status::optimal);
  CHECK(found.certificate.gap <= 1e-9);
  const double cost = objective(q.x, q.problem, q.costs, found),
               expected = objective(q.x, q.problem, q.costs, reference);
  CHECK(cost == Approx(expected).epsilon(1e-8).margin(q.problem.hard() ? 1e-9 : 1e-8 * q.problem.cost.sum()));
  for (Index j = 0; j < q.x.cols(); ++j)
    if (q.costs.scale[j] == 0) CHECK(found.w(j) == 0);
  if (q.problem.hard())
    CHECK(largest_slack(q.x, q.problem, found.w.col(0), q.problem.intercept ? found.b[0] : 0) <= 1e-8);
  else
    CHECK((found.dual.col(0) - q.problem.cost).maxCoeff() <= 0);
}

// Tests problems with enough rows for the vertex to be guessed first.
void check_tall(unsigned seed) {
  Random random(seed);
  for (int kind = 0; kind < kinds; ++kind) {
    Instance q;
    q.x = entries(1000, 12, kind, random);
    q.problem = svm_problem(q.x, alternating(1000), kind == hard ? kInf : 0.05, kind != signs);
    if (kind == zero_rows)
      for (Index i = 0; i < 1000; ++i) q.problem.cost[i] *= double(random() % 3);
    q.costs = costs(12, kind, random);
    INFO("kind " << kind);
    const Solution found = solve(make_simplex(), q.problem, q.costs);
    check_same(q, found, solve(make_highs({false}), q.problem, q.costs, 1e-10));
  }
}

void check_many(unsigned seed) {
  Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    Instance q;
    draw(q, trial, random);
    INFO("trial " << trial << ", kind " << trial % kinds << ", n " << q.x.rows() << ", d " << q.x.cols()
                  << ", intercept " << q.problem.intercept);
    const auto warm = make_simplex();
    warm->setup(q.problem);
    REQUIRE(warm->refuses(q.problem, q.costs).empty());
    for (int round = 0; round < (trial % 5 ? 1 : 4); ++round) {
      INFO("round " << round);
      const Solution found = solve(*warm, q.problem, q.costs);
      check_same(q, found, solve(make_highs({false}), q.problem, q.costs, 1e-10));
      if (found.status != Status::optimal) break;
      if (round > 0) {
        const Solution cold = solve(make_simplex(), q.problem, q.costs);
        REQUIRE(cold.status == Status::optimal);
        CHECK(found.certificate.primal == Approx(cold.certificate.primal).epsilon(1e-10).margin(1e-12));
      }
      const Vec w = found.w.col(0).cwiseAbs();
      const Vec before = q.costs.l1;
      for (Index j = 0; j < w.size(); ++j)
        if (before[j] > 0) q.costs.l1[j] = 5 * std::exp(-5 * w[j]);
      if (q.costs.linear.size())
        for (Index j = 0; j < w.size(); ++j) q.costs.linear[j] *= q.costs.l1[j] / before[j];
    }
  }
}

}  // namespace

TEST_CASE("simplex and HiGHS agree on 500 programmes of ten kinds; warm starts change nothing") {
  check_many(11);
}

TEST_CASE("simplex and HiGHS agree on many rows") { check_tall(5); }

TEST_CASE("simplex: weights of rounding leave no side to chance") {
  check_many(28011);  // This seed has degenerate vertices where a basic weight is zero up to rounding.
}

TEST_CASE("ties: of equal columns the lowest") {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat half = shifted(20, 6, 0.7, random);
    Mat x(20, 18);
    x << half, half, half;
    for (double cost : {0.3, kInf}) {
      const Problem p = svm_problem(x, alternating(20), cost);
      const Solution out = solve(make_simplex(), p, surrogate(18, 1, kInf));
      if (cost == kInf && out.status == Status::infeasible) continue;
      REQUIRE(out.status == Status::optimal);
      CHECK(out.w.col(0).head(6).cwiseAbs().maxCoeff() > 0);
      CHECK(out.w.col(0).tail(12).cwiseAbs().maxCoeff() == 0);
    }
  }
}

TEST_CASE("ties: of all hyperplanes that separate, the smallest |w|_1") {
  Random random(13);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat x = shifted(16, 30, 1, random);
    const Problem soft = svm_problem(x, alternating(16), 1),
                  hard_margin = svm_problem(x, alternating(16), kInf);
    const Solution bare = solve(make_simplex(), soft, surrogate(30, 0, kInf));
    const Solution least = solve(make_highs({false}), hard_margin, surrogate(30, 1, kInf), 1e-10);
    REQUIRE(bare.status == Status::optimal);
    REQUIRE(least.status == Status::optimal);
    CHECK(largest_slack(x, soft, bare.w.col(0), bare.b[0]) <= 1e-9);
    CHECK(bare.w.cwiseAbs().sum() == Approx(least.w.cwiseAbs().sum()).epsilon(1e-8));
    CHECK(bare.certificate.gap <= 1e-9);
  }
}

TEST_CASE("ties: of all hyperplanes with the least slack, the smallest |w|_1") {
  Random random(18);
  for (int trial = 0; trial < 60; ++trial) {
    const Mat x = shifted(24, 3, 0.6, random).array().round();
    const Problem p = svm_problem(x, alternating(24), 1 + double(trial % 3));
    const Solution bare = solve(make_simplex(), p, surrogate(3, 0, kInf));
    const Solution least = solve(make_highs({false}), p, surrogate(3, 1e-4, kInf), 1e-10);
    REQUIRE(bare.status == Status::optimal);
    REQUIRE(least.status == Status::optimal);
    CHECK(objective(x, p, surrogate(3, 0, kInf), bare) ==
          Approx(objective(x, p, surrogate(3, 0, kInf), least)).epsilon(1e-8));
    CHECK(bare.w.cwiseAbs().sum() == Approx(least.w.cwiseAbs().sum()).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("ties: b is the midpoint of its interval") {
  Random random(14);
  for (int trial = 0; trial < 50; ++trial) {
    const Mat x = shifted(20, 5, 0.5, random).array().round();
    const Problem p = svm_problem(x, alternating(20), 0.2);
    const Solution out = solve(make_simplex(), p, surrogate(5, 1, kInf));
    REQUIRE(out.status == Status::optimal);
    // Every end of the interval is some y_i - f_i.
    const Vec w = out.w.col(0), breaks = p.y.col(0) - x * w;
    const double best = objective(x, p, surrogate(5, 1, kInf), out);
    double low = kInf, high = -kInf;
    for (Index i = 0; i < 20; ++i)
      if (objective(x, p, surrogate(5, 1, kInf), w, breaks[i]) <= best + 1e-9)
        low = std::min(low, breaks[i]), high = std::max(high, breaks[i]);
    CHECK(out.b[0] == Approx(0.5 * (low + high)).margin(1e-9));
  }
}

TEST_CASE("simplex: rows through the origin, long and short, that all block at once") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Index n = 8 + Index(random() % 40), d = 2 + Index(random() % 30);
    Mat x = shifted(n, d, 0.5, random).array().round();
    for (Index i = 0; i < n; ++i)
      if (random() % 3 == 0) x.row(i) *= std::pow(10, -6 * uniform(random));
    Problem p = svm_problem(x, alternating(n), std::exp(normal(random)), random() % 2);
    p.margin = Vec::NullaryExpr(n, [&] { return random() % 4 == 0 ? 1.0 : 0.0; });
    Surrogate s = surrogate(d, 1, kInf);
    auto engine = make_simplex();
    engine->setup(p);
    for (int round = 0; round < 4; ++round) {
      INFO("seed " << seed << ", round " << round);
      const Solution out = solve(*engine, p, s);
      REQUIRE(out.status == Status::optimal);
      CHECK(out.certificate.gap <= 1e-9);
      for (Index j = 0; j < d; ++j) s.l1[j] = random() % 3 ? std::exp(normal(random)) : 1.0;
    }
  }
}

TEST_CASE("simplex: a copy that has become cheaper by a millionth takes the weight") {
  Random random(41);
  Mat x(20, 4);
  x.leftCols(3) = shifted(20, 3, 0.7, random);
  x.col(3) = x.col(0);
  const Problem p = svm_problem(x, alternating(20), 1);
  Surrogate s = surrogate(4, 1, kInf);
  s.l1[3] = 1e3;  // The column is far from entering, so that the next prices have to find it.
  auto engine = make_simplex();
  engine->setup(p);
  const Solution before = solve(*engine, p, s);
  REQUIRE(before.status == Status::optimal);
  REQUIRE(before.w(0, 0) != 0);
  s.l1[3] = 1 - 1e-6;
  const Solution after = solve(*engine, p, s);
  REQUIRE(after.status == Status::optimal);
  CHECK(after.w(0, 0) == 0);
  CHECK(after.w(3, 0) == Approx(before.w(0, 0)).epsilon(1e-4));
  CHECK(after.certificate.gap <= 1e-9);
}

TEST_CASE("simplex: hard margins leave no slack, however dear the last of it") {
  // The first two rows imply w_1 = 1, and the third lacks 0.005, which only the second column can give.
  Mat x = Mat::Zero(5, 4);
  x.col(0) << 1, -1, 0.995, 0, 0;
  x(2, 1) = x(3, 2) = x(4, 3) = 1;
  Problem p = svm_problem(x, Vec::Ones(5), kInf, false);
  p.margin.resize(5);
  p.margin << 1, -1, 1, -1, -1;
  Surrogate s = surrogate(4, 1, kInf);
  s.l1[1] = 1e7;
  const Solution out = solve(make_simplex(), p, s);
  REQUIRE(out.status == Status::optimal);
  CHECK(out.w(0, 0) == Approx(1).epsilon(1e-9));
  CHECK(out.w(1, 0) == Approx(0.005).epsilon(1e-6));
  CHECK(largest_slack(x, p, out.w.col(0), 0) <= 1e-9);
}

TEST_CASE("costs of an inverse penalty reach 1e12") {
  Random random(15);
  for (double cost : {1.0, kInf}) {
    for (int trial = 0; trial < 10; ++trial) {
      const Mat x = shifted(24, 40, 1, random);
      const Problem p = svm_problem(x, alternating(24), cost);
      Surrogate s = surrogate(40, 1, kInf);
      const auto engine = make_simplex();
      engine->setup(p);
      Index before = 41;
      for (int round = 0; round < 5; ++round) {
        const Solution out = solve(*engine, p, s);
        INFO("trial " << trial << ", round " << round << ", cost " << cost);
        REQUIRE(out.status == Status::optimal);
        CHECK(out.certificate.gap <= 1e-9);
        const Vec w = out.w.col(0).cwiseAbs();
        // Only with hard margins do zeros remain zero; with soft ones a cost of 1e12 may become worthwhile.
        const Index now = Index(nonzeros(s.l1.cwiseProduct(w)).size());
        CHECK(now <= std::max<Index>(before, 1));
        before = now;
        s.l1 = (w.array() + 1e-6).pow(-2);
      }
    }
  }
}

TEST_CASE("costs of an exponential penalty fall to 1e-20") {
  Random random(16);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat x = shifted(30, 50, 0.7, random);
    const Problem p = svm_problem(x, alternating(30), 0.5);
    Surrogate s = surrogate(50, 1, kInf);
    for (Index j = 0; j < 50; ++j)
      s.l1[j] = j % 5 == 0 ? 5 * std::exp(-5 * (1 + 9 * uniform(random))) : 5 * std::exp(-uniform(random));
    const Solution out = solve(make_simplex(), p, s);
    const Solution reference = solve(make_highs({false}), p, s, 1e-10);
    REQUIRE(out.status == Status::optimal);
    REQUIRE(reference.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-9);
    CHECK(objective(x, p, s, out) ==
          Approx(objective(x, p, s, reference)).epsilon(1e-7).margin(1e-8 * p.cost.sum()));
  }
}

TEST_CASE("overlap under hard margins is proven") {
  Instance q;
  q.x = Mat(4, 1);
  q.x << 0, 1, 2, 3;
  q.problem = svm_problem(q.x, Eigen::Vector4d(1, -1, 1, -1), kInf);
  q.costs = surrogate(1, 1, kInf);
  const Solution out = solve(make_simplex(), q.problem, q.costs);
  REQUIRE(out.status == Status::infeasible);
  check_ray(q, out.dual.col(0));
  CHECK(out.w.cwiseAbs().maxCoeff() == 0);
  CHECK_FALSE(out.note.empty());
}

TEST_CASE("an interrupt ends the simplex, and the next solve is sound") {
  Random random(17);
  const Mat x = gaussian(60, 100, random);
  const Problem p = svm_problem(x, alternating(60), 1);
  const Surrogate s = surrogate(100, 1, kInf);
  const auto engine = make_simplex();
  engine->setup(p);
  for (int after : {0, 1, 3}) {
    int calls = 0;
    Limits limits;
    limits.interrupted = [&] { return calls++ >= after; };
    const Status status = engine->solve(s, limits).status;
    CHECK((status == Status::interrupted || (after > 0 && status == Status::optimal)));
  }
  const Solution out = solve(*engine, p, s);
  REQUIRE(out.status == Status::optimal);
  CHECK(out.certificate.gap <= 1e-9);
}

TEST_CASE("the simplex says in a sentence what it does not take") {
  const Mat x = Mat::Identity(4, 2);
  const Problem p = svm_problem(x, alternating(4), 1);
  const auto engine = make_simplex();
  auto refused = [&](const Problem& problem, const Surrogate& s) {
    const std::string why = engine->refuses(problem, s);
    return why.size() > 10 && why.back() == '.';
  };
  CHECK(engine->refuses(p, surrogate(2, 1, kInf)) == "");
  CHECK(refused(p, surrogate(2, 1, 1)));
  Surrogate s = surrogate(2, 1, kInf);
  s.groups = {{0}, {1}};
  CHECK(refused(p, s));
  s = surrogate(2, 1, kInf);
  s.linear = Vec::Constant(2, 1.5);
  CHECK(refused(p, s));
  Problem other = p;
  other.loss = Loss::squared_hinge;
  CHECK(refused(other, surrogate(2, 1, kInf)));
  other = p;
  other.quadratic = Quadratic::kernel;
  CHECK(refused(other, surrogate(2, 1, kInf)));
  other = p;
  other.y = Mat::Ones(4, 3);
  CHECK(refused(other, surrogate(2, 1, kInf)));
}

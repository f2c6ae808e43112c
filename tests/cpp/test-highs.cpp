#include <testthat/vendor/catch.h>

#include <Eigen/LU>
#include <cmath>
#include <numeric>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "engines/highs.h"
#include "grade/certificate.h"

using namespace zeronorm;

namespace {

struct Data {
  Mat x;
  Problem problem;
};

Data simulated(Index n, Index d, double cost, unsigned seed, double shift = 1.0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Data data;
  data.x = Mat::NullaryExpr(n, d, [&] { return normal(random); });
  data.problem.y = Mat::NullaryExpr(n, 1, [&](Index i, Index) { return i % 2 ? 1.0 : -1.0; });
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < std::min<Index>(3, d); ++j) data.x(i, j) += shift * data.problem.y(i, 0);
  data.problem.cost = Vec::Constant(n, cost);
  return data;
}

void attach(Data& data) {
  const Index d = data.x.cols();
  data.problem.x = dense_design(data.x.data(), data.x.rows(), d, Vec::Zero(d), Vec::Ones(d));
}

Surrogate weights(Vec l1) {
  Surrogate s;
  s.scale = Vec::Constant(l1.size(), kInf);
  s.l1 = std::move(l1);
  return s;
}

double objective(const Data& data, const Surrogate& s, const Vec& w, double b) {
  double value = 0;
  for (Index j = 0; j < w.size(); ++j) value += w[j] > 0 ? s.cost_up(j) * w[j] : -s.cost_down(j) * w[j];
  for (Index i = 0; i < data.x.rows(); ++i) {
    const double slack = 1 - data.problem.y(i, 0) * (data.x.row(i).dot(w) + b);
    if (slack > 1e-9 && data.problem.hard()) return kInf;
    if (!data.problem.hard()) value += data.problem.cost[i] * std::max(0.0, slack);
  }
  return value;
}

// At the optimum as many of the functions 1 - y f and w_j vanish as there are unknowns.
double by_enumeration(const Data& data, const Surrogate& s) {
  const Index n = data.x.rows(), d = data.x.cols(), p = d + (data.problem.intercept ? 1 : 0);
  Mat lines = Mat::Zero(n + d, p);
  Vec rhs = Vec::Zero(n + d);
  for (Index i = 0; i < n; ++i) {
    lines.row(i).head(d) = data.x.row(i);
    if (p > d) lines(i, d) = 1;
    rhs[i] = data.problem.y(i, 0);
  }
  lines.block(n, 0, d, d).setIdentity();
  std::vector<bool> pick(std::size_t(n + d), false);
  std::fill(pick.end() - p, pick.end(), true);
  double best = kInf;
  do {
    Mat a(p, p);
    Vec r(p);
    Index k = 0;
    for (Index i = 0; i < n + d; ++i)
      if (pick[std::size_t(i)]) a.row(k) = lines.row(i), r[k++] = rhs[i];
    const Eigen::FullPivLU<Mat> lu(a);
    if (!lu.isInvertible()) continue;
    const Vec v = lu.solve(r);
    best = std::min(best, objective(data, s, v.head(d), p > d ? v[d] : 0.0));
  } while (std::next_permutation(pick.begin(), pick.end()));
  return best;
}

Solution solve(const Data& data, const Surrogate& s, bool generate) {
  auto engine = make_highs({generate});
  engine->setup(data.problem);
  Solution out = engine->solve(s, Limits());
  if (out.status == Status::optimal) out.certificate = certify(data.problem, s, out);
  return out;
}

void check_both_modes(const Data& data, const Surrogate& s, double expected) {
  for (bool generate : {false, true}) {
    const Solution out = solve(data, s, generate);
    REQUIRE(out.status == Status::optimal);
    CHECK(objective(data, s, out.w, out.b[0]) == Approx(expected).epsilon(1e-9));
    CHECK(out.certificate.gap < 1e-9);
  }
}

}  // namespace

TEST_CASE("highs finds the optimum that enumeration finds") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Data data = simulated(7, 3, 0.3, seed, 0.5);
    attach(data);
    data.problem.intercept = seed % 3 != 0;
    Surrogate s = weights(Vec::Constant(3, 0.2));
    if (seed % 2) {
      s.linear = Vec::Zero(3);  // The costs are 0.4 for negative and 0 for positive weights.
      s.linear[1] = 0.2;
    }
    if (seed % 4 == 3) s.l1[2] = 0;  // This column is unpenalised.
    check_both_modes(data, s, by_enumeration(data, s));
  }
}

TEST_CASE("highs finds hard margins that enumeration finds") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Data data = simulated(6, 3, kInf, seed, 2.5);
    attach(data);
    const Surrogate s = weights(Vec(Eigen::Vector3d(1, 2, 0.5)));
    const double expected = by_enumeration(data, s);
    if (expected < kInf) check_both_modes(data, s, expected);
  }
}

TEST_CASE("highs leaves removed columns alone and takes them back") {
  Data data = simulated(20, 10, 1, 5);
  attach(data);
  auto engine = make_highs();
  engine->setup(data.problem);
  Surrogate s = weights(Vec::Constant(10, 0.5));
  REQUIRE(engine->solve(s, Limits()).status == Status::optimal);
  Surrogate fewer = s;
  fewer.scale.head(2).setZero();
  const Solution without = engine->solve(fewer, Limits());
  REQUIRE(without.status == Status::optimal);
  CHECK(without.w(0, 0) == 0);
  CHECK(without.w(1, 0) == 0);
  CHECK(certify(data.problem, fewer, without).gap < 1e-9);
  CHECK(certify(data.problem, s, engine->solve(s, Limits())).gap < 1e-9);
}

TEST_CASE("highs warm starts through weights that span many orders") {
  for (bool hard : {false, true}) {
    Data data = simulated(30, 60, hard ? kInf : 1.0, 7);
    attach(data);
    auto engine = make_highs();
    engine->setup(data.problem);
    Surrogate s = weights(Vec::Constant(60, 0.3));
    for (int round = 0; round < 5; ++round) {
      const Solution out = engine->solve(s, Limits());
      REQUIRE(out.status == Status::optimal);
      CHECK(certify(data.problem, s, out).gap < 1e-8);
      const Solution fresh = solve(data, s, false);
      CHECK(objective(data, s, out.w, out.b[0]) ==
            Approx(objective(data, s, fresh.w, fresh.b[0])).epsilon(1e-8));
      s.l1 = (out.w.col(0).cwiseAbs().array() + 1e-12).inverse() * 0.1;
    }
  }
}

TEST_CASE("highs solves soft margins beside costs of next to nothing") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Data data = simulated(30, 50, 0.5, seed, 0.7);
    attach(data);
    const Surrogate s = weights(Vec::NullaryExpr(50, [&](Index j) {
      return 5 * std::exp(j % 5 == 0 ? -5 - 45 * uniform(random) : -uniform(random));
    }));
    for (bool generated : {true, false}) {
      INFO("seed " << seed << ", column generation " << generated);
      const auto engine = make_highs({generated});
      engine->setup(data.problem);
      const Solution found = engine->solve(s, Limits());
      REQUIRE(found.status == Status::optimal);
      const Certificate proof = certify(data.problem, s, found);
      CHECK(proof.gap <= kProof);
    }
  }
}

TEST_CASE("highs proves that classes overlap") {
  Data data;
  data.x.resize(4, 2);
  data.x << 1, 1, -1, -1, 1, -1, -1, 1;
  data.problem.y.resize(4, 1);
  data.problem.y << 1, 1, -1, -1;
  data.problem.cost = Vec::Constant(4, kInf);
  attach(data);
  for (bool generate : {false, true}) {
    const Solution out = solve(data, weights(Vec::Ones(2)), generate);
    REQUIRE(out.status == Status::infeasible);
    const Vec a = out.dual.col(0), ya = a.cwiseProduct(data.problem.y.col(0));
    CHECK(a.minCoeff() >= 0);
    CHECK(a.sum() > 0);
    CHECK(std::abs(ya.sum()) < 1e-9);
    CHECK((data.x.transpose() * ya).norm() < 1e-9);
  }
}

TEST_CASE("highs proves that what is left of the features does not separate") {
  Data data;
  data.x.resize(4, 3);  // The third feature separates; without it the classes are arranged crosswise.
  data.x << 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, 1, -1;
  data.problem.y = data.x.col(2);
  data.problem.cost = Vec::Constant(4, kInf);
  attach(data);
  auto engine = make_highs();
  engine->setup(data.problem);
  Surrogate s = weights(Vec::Ones(3));
  CHECK(engine->solve(s, Limits()).status == Status::optimal);
  s.scale[2] = 0;
  CHECK(engine->solve(s, Limits()).status == Status::infeasible);
  s.scale[2] = kInf;
  CHECK(engine->solve(s, Limits()).status == Status::optimal);
}

TEST_CASE("highs says what it refuses and when it was stopped") {
  Data data = simulated(20, 40, 1, 1);
  attach(data);
  auto engine = make_highs();
  Surrogate s = weights(Vec::Ones(40));
  CHECK(engine->refuses(data.problem, s).empty());
  Surrogate ridge = s;
  ridge.scale.setOnes();
  CHECK_FALSE(engine->refuses(data.problem, ridge).empty());
  Problem squared = data.problem;
  squared.loss = Loss::squared_hinge;
  CHECK_FALSE(engine->refuses(squared, s).empty());

  engine->setup(data.problem);
  CHECK(engine->solve(ridge, Limits()).status == Status::refused);
  Limits stop;
  stop.interrupted = [] { return true; };
  CHECK(engine->solve(s, stop).status == Status::interrupted);
  Limits few;
  few.iterations = 1;
  CHECK(engine->solve(weights(Vec::Constant(40, 0.01)), few).status == Status::limit);
  CHECK(engine->solve(s, Limits()).status == Status::optimal);
}

TEST_CASE("highs column generation and full program agree on 62 x 2000") {
  Data data = simulated(62, 2000, 0.95 / 62, 11, 0.6);
  attach(data);
  const Surrogate s = weights(Vec::Constant(2000, 0.05));
  const Solution full = solve(data, s, false), some = solve(data, s, true);
  CHECK(full.certificate.primal == Approx(some.certificate.primal).epsilon(1e-10));
  CHECK(full.certificate.gap < 1e-9);
  CHECK(some.certificate.gap < 1e-9);
}

TEST_CASE("the mixed-integer bound is the smallest separating set") {
  // Neither feature alone separates, both together do, and the third is noise.
  Data data;
  data.x.resize(4, 3);
  data.x << 1, 2, 0.3, 2, 1, -0.2, 1, -2, 0.1, -2, 1, 0.4;
  data.problem.y.resize(4, 1);
  data.problem.y << 1, 1, -1, -1;
  data.problem.cost = Vec::Constant(4, kInf);
  attach(data);
  const MipResult mip = min_support_mip(data.problem, 10, Limits());
  REQUIRE(mip.status == Status::optimal);
  CHECK(mip.lower_bound == 2);
  CHECK(mip.support == IndexList({0, 1}));
  CHECK(mip.gap == 0);
  CHECK(objective(data, weights(Vec::Ones(3)), mip.w, mip.b) < kInf);

  CHECK(min_support_mip(data.problem, 1e6, Limits()).status == Status::refused);
  const MipResult never = min_support_mip(data.problem, 1e-3, Limits());
  CHECK(never.status == Status::infeasible);
  CHECK(never.gap == kInf);
}

TEST_CASE("a limit of time leaves a bound that holds") {
  Data data = simulated(24, 20, kInf, 3, 0.7);
  attach(data);
  const MipResult cut = min_support_mip(data.problem, 20, Limits(), {}, 1e-3);
  const MipResult proven = min_support_mip(data.problem, 20, Limits());
  REQUIRE(proven.status == Status::optimal);
  CHECK(cut.lower_bound <= proven.lower_bound);
  CHECK(long(proven.support.size()) == proven.lower_bound);
  Limits stop;
  stop.interrupted = [] { return true; };
  CHECK(min_support_mip(data.problem, 20, stop).status == Status::interrupted);
  // If nothing better is found, the start is returned.
  IndexList all(20);
  std::iota(all.begin(), all.end(), 0);
  const MipResult from_all = min_support_mip(data.problem, 20, Limits(), all, 1e-3);
  REQUIRE(!from_all.support.empty());
  const double size = static_cast<double>(from_all.support.size());
  CHECK(from_all.gap == Approx((size - static_cast<double>(from_all.lower_bound)) / size));
}

// Two rows of opposite classes differ by 2e-6, and weights that separate them would cost more than the violation of
// the cheaper one, 4 at a cost of 100 each; weights of 4e-6 satisfy the third row. HiGHS alternates between its
// phases here.
TEST_CASE("HiGHS goes on where its simplex method does for ever without a pivot") {
  Data data;
  data.x = Eigen::Vector3d(1e-6, -1e-6, 1e6);
  attach(data);
  data.problem.loss = Loss::weston_watkins;
  data.problem.y.resize(3, 3);
  data.problem.y << 1, -1, -1, -1, 1, -1, 1, -1, -1;
  data.problem.cost = Eigen::Vector3d(100, 1e6, 100);
  const Surrogate s = weights(Vec::Ones(1));
  auto engine = make_highs();
  engine->setup(data.problem);
  const Solution out = engine->solve(s, Limits());
  REQUIRE(out.status == Status::optimal);
  CHECK(certify(data.problem, s, out).primal == Approx(400).epsilon(1e-7));
}

TEST_CASE("highs: its settings reach it where it is the engine that auto takes") {
  Data data = simulated(40, 120, 1.0, 11, 0.3);
  attach(data);
  data.problem.loss = Loss::weston_watkins;
  data.problem.y = Mat::Constant(40, 3, -1.0);
  for (Index i = 0; i < 40; ++i) data.problem.y(i, i % 3) = 1;
  const auto pivots = [&](const char* name, bool column_generation) {
    HighsSettings settings;
    settings.column_generation = column_generation;
    const auto engine = make_engine({name, settings});
    engine->setup(data.problem);
    const Solution s = engine->solve(weights(Vec::Ones(120)), Limits());
    REQUIRE(s.status == Status::optimal);
    REQUIRE(s.engine == "highs");
    return s.iterations;
  };
  REQUIRE(pivots("highs", true) != pivots("highs", false));
  CHECK(pivots("auto", true) == pivots("highs", true));
  CHECK(pivots("auto", false) == pivots("highs", false));
}

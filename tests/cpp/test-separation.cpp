// Tests scans against answers for every single set, these against thresholds and planes found by enumeration, and the
// perspective bound against all sets.
#include <testthat/vendor/catch.h>

#include <cmath>

#include "base/simd.h"
#include "data/design.h"
#include "engines/engine.h"
#include "instances.h"
#include "proofs/perspective.h"
#include "proofs/separation.h"

using namespace zeronorm;

namespace {

std::vector<IndexList> sets_of(Index size, Index d) {
  std::vector<IndexList> all;
  IndexList set(size);
  for (Index k = 0; k < size; ++k) set[k] = k;
  while (true) {
    all.push_back(set);
    Index k = size - 1;
    while (k >= 0 && set[k] == d - size + k) --k;
    if (k < 0) return all;
    ++set[k];
    for (Index m = k + 1; m < size; ++m) set[m] = set[m - 1] + 1;
  }
}

// Lines through two points, turned slightly both ways, and thresholds: one of them separates the plane if any line
// does.
bool plane_separates(const Mat& x, const Vec& y) {
  for (Index a = 0; a < x.rows(); ++a)
    for (Index b = 0; b < x.rows(); ++b) {
      if (a == b) continue;
      const Eigen::Vector2d along = (x.row(a) - x.row(b)).transpose();
      for (double turn : {-1e-7, 0.0, 1e-7}) {
        const Eigen::Vector2d w(-along[1] + turn * along[0], along[0] + turn * along[1]);
        const Vec f = x * w;
        double low = kInf, high = -kInf;
        for (Index i = 0; i < f.size(); ++i) {
          if (y[i] > 0)
            low = std::min(low, f[i]);
          else
            high = std::max(high, f[i]);
        }
        if (low > high) return true;
      }
    }
  return false;
}

}  // namespace

TEST_CASE("separation: one_sided is what its definition says") {
  std::srand(3);
  const Mat a = Mat::Random(40, 3), b = Mat::Random(40, 3);
  const double c[] = {0.2, 0.7, 0.5}, e[] = {0.8, 0.3, 0.5};
  const double* as[] = {a.col(0).data(), a.col(1).data(), a.col(2).data()};
  const double* bs[] = {b.col(0).data(), b.col(1).data(), b.col(2).data()};
  for (simd::Size n : {1, 15, 16, 17, 40}) {
    std::vector<simd::Size> out(n), expected;
    for (simd::Size j = 0; j < n; ++j) {
      bool up = false, down = false;
      for (int k = 0; k < 3; ++k) {
        const double v = c[k] * a(j, k) + e[k] * b(j, k);
        up = up || v > 1e-12;
        down = down || v < -1e-12;
      }
      if (!(up && down)) expected.push_back(j);
    }
    out.resize(simd::one_sided(as, bs, c, e, 3, n, 1e-12, out.data()));
    CHECK(out == expected);
  }
}

TEST_CASE("separation: pairs are those that a line separates, with ties and copies") {
  std::srand(5);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Index n = 5 + repeat % 8, d = 6;
    Mat x = Mat::Random(n, d);
    if (repeat % 3 == 0) x = (3 * x).array().round();
    x.col(5) = x.col(repeat % 5);
    Vec y(n);
    for (Index i = 0; i < n; ++i) y[i] = i % 2 ? 1 : -1;
    Separation separation(x, y, Forgiven());
    for (const IndexList& set : sets_of(2, d)) {
      Mat plane(n, 2);
      plane << x.col(set[0]), x.col(set[1]);
      const bool fits = separation.answer(set, Limits()) == Answer::yes;
      CHECK(fits == plane_separates(plane, y));
    }
  }
}

TEST_CASE("separation: one feature fits where a threshold by force errs no more than is forgiven") {
  Random random(8);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index n = 5 + repeat % 8;
    Mat x = gaussian(n, 4, random);
    if (repeat % 2) x = x.array().round();
    const Vec y = Vec::NullaryExpr(n, [&](Index i) { return i < 2 + repeat % 3 ? 1.0 : -1.0; });
    Forgiven forgiven;
    forgiven.errors = repeat % 4;
    const Separation separation(x, y, forgiven);
    for (Index j = 0; j < 4; ++j) {
      Index least = n;
      for (Index t = 0; t <= n; ++t)
        for (double side : {1.0, -1.0}) {
          Index errors = 0;  // Rows above the value of row t, or all rows, have this label.
          for (Index i = 0; i < n; ++i) errors += (t == n || x(i, j) > x(t, j) ? side : -side) != y[i];
          least = std::min(least, errors);
        }
      CHECK((separation.answer({j}, Limits()) == Answer::yes) == (least <= forgiven.errors));
    }
  }
}

TEST_CASE("separation: a scan finds the sets that fit one by one, whatever is forgiven") {
  std::srand(7);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const Index n = 9 + repeat % 6, d = 7;
    Mat x = Mat::Random(n, d);
    if (repeat % 4 == 1) x = (2 * x).array().round();
    if (repeat % 4 == 2) x.col(3).setConstant(2);
    Vec y(n);
    for (Index i = 0; i < n; ++i) y[i] = i % 2 ? 1 : -1;
    Forgiven forgiven;
    forgiven.errors = repeat % 3;
    Separation separation(x, y, forgiven);
    for (Index size = 1; size <= 4; ++size) {
      std::vector<IndexList> expected;
      for (const IndexList& set : sets_of(size, d))
        if (separation.answer(set, Limits()) == Answer::yes) expected.push_back(set);
      const SizeScan scan = separation.scan(size, 1000, Limits());
      CHECK(scan.complete);
      CHECK(scan.sets == sets_of(size, d).size());
      CHECK(scan.unclear == 0);
      CHECK(scan.found == expected);
      if (!expected.empty()) break;
    }
    IndexList all(d);
    for (Index j = 0; j < d; ++j) all[j] = j;
    if (separation.answer(all, Limits()) != Answer::yes) continue;
    const IndexList fewer = separation.shrink(all, Limits());
    CHECK(separation.answer(fewer, Limits()) == Answer::yes);
  }
}

TEST_CASE("separation: columns that are always there belong to every set and count for nothing") {
  Random random(9);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Index n = 8 + repeat % 5, d = 7, always = 1 + repeat % 3;
    Mat x = gaussian(n, d, random);
    if (repeat % 4 == 1) x = (2 * x).array().round();
    const Vec y = alternating(n);
    Forgiven forgiven;
    forgiven.errors = repeat % 2;
    const Separation plain(x, y, forgiven);
    Separation separation(x, y, forgiven, always);
    for (Index size = 0; size + always <= d; ++size) {
      std::vector<IndexList> expected;
      for (IndexList set : size ? sets_of(size, d - always) : std::vector<IndexList>{{}}) {
        for (Index& j : set) j += always;
        IndexList whole = set;
        for (Index j = 0; j < always; ++j) whole.push_back(j);
        if (plain.answer(whole, Limits()) == Answer::yes) expected.push_back(set);
      }
      const SizeScan scan = separation.scan(size, 1000, Limits());
      CHECK(scan.complete);
      CHECK(scan.unclear == 0);
      CHECK(scan.found == expected);
      for (std::size_t k = 0; k < scan.found.size(); ++k) {
        IndexList whole = scan.found[k];
        for (Index j = always; j-- > 0;) whole.insert(whole.begin(), j);
        CHECK(proves(RelativeMargin(x, y), forgiven, n, whole, scan.decisions[k]));
      }
      if (!expected.empty()) break;
    }
  }
}

TEST_CASE("separation: a limit ends a scan, which says so") {
  const Mat x = Mat::Random(30, 400);
  Vec y(30);
  for (Index i = 0; i < 30; ++i) y[i] = i % 2 ? 1 : -1;
  Separation separation(x, y, Forgiven());
  Limits limits;
  limits.interrupted = []() { return true; };
  CHECK_FALSE(separation.scan(2, 10, limits).complete);
}

TEST_CASE("perspective: the optimum over all sets, and bounds that never pass it") {
  std::srand(11);
  for (int repeat = 0; repeat < 12; ++repeat) {
    const Index n = 10, d = 5;
    const Mat x = Mat::Random(n, d);
    Problem problem;
    problem.x = dense_design(x.data(), n, d, Vec::Zero(d), Vec::Ones(d));
    problem.y = Mat(n, 1);
    for (Index i = 0; i < n; ++i) problem.y(i, 0) = i % 2 ? 1 : -1;
    problem.cost = Vec::Constant(n, 0.5 + repeat % 4);
    RidgeProblem what;
    what.lambda = 0.2 * (1 + repeat % 5);
    what.ridge = 0.3 + repeat % 3;
    double best = kInf;
    const auto engine = make_engine("auto");
    engine->setup(problem);
    for (Index size = 0; size <= d; ++size)
      for (const IndexList& set : size ? sets_of(size, d) : std::vector<IndexList>{{}}) {
        Surrogate s;
        s.l1 = Vec::Zero(d);
        s.scale = Vec::Zero(d);
        for (Index j : set) s.scale[j] = 1 / std::sqrt(what.ridge);
        const Solution solved = engine->solve(s, Limits());
        const Vec f = x * solved.w.col(0) + Vec::Constant(n, solved.b[0]);
        double value = what.lambda * size + what.ridge / 2 * solved.w.squaredNorm();
        for (Index i = 0; i < n; ++i) value += problem.cost[i] * std::max(0.0, 1 - problem.y(i, 0) * f[i]);
        best = std::min(best, value);
      }
    const RidgeProof proof = prove_ridge(problem, what, {}, Limits());
    CHECK(proof.complete);
    CHECK(proof.lower <= best * (1 + 1e-9));
    CHECK(proof.upper == Approx(best).epsilon(1e-6));
    Limits stop;
    stop.interrupted = [] { return true; };
    CHECK(prove_ridge(problem, what, {}, stop).lower <= best * (1 + 1e-9));
  }
}

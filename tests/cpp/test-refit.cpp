// Tests SVMs on selected features against hard margins and increasing C by OSQP on a copy of these columns, sums of
// violations by HiGHS, and repeated instead of weighted rows.
#include <testthat/vendor/catch.h>

#include <algorithm>

#include "instances.h"
#include "loop/refit.h"

using namespace zeronorm;

namespace {

const IndexList kFeatures = {4, 0, 1};

Mat chosen(const Mat& x, const IndexList& columns) {
  Mat part(x.rows(), Index(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) part.col(Index(c)) = x.col(columns[c]);
  return part;
}

Vec at(const Solution& s, const IndexList& columns) { return chosen(s.w.transpose(), columns).transpose(); }

// Checks that coefficients elsewhere are zero.
void check_places(const Solution& s, IndexList columns) {
  for (Index j = 0; j < s.w.rows(); ++j)
    if (std::find(columns.begin(), columns.end(), j) == columns.end()) CHECK(s.w(j) == 0);
}

double sum_of_slacks(const Mat& x, const Vec& y, const Vec& weights, const Vec& w, double b) {
  return weights.dot((1 - y.array() * ((x * w).array() + b)).max(0.0).matrix());
}

Solution refit_at(const Mat& x, const Vec& weights, bool l1, double C, const IndexList& features = kFeatures,
                  const IndexList& free = {}) {
  ClassifierSpec m;
  m.l1 = l1;
  m.C = C;
  return refit(svm_problem(x, alternating(x.rows()), 1), weights, features, free, m, Limits());
}

}  // namespace

TEST_CASE("refit: separable data and an infinite C give the hard margin") {
  Random random(41);
  const Mat x = shifted(20, 6, 3, random), part = chosen(x, kFeatures);
  const Vec y = alternating(20);
  for (bool l1 : {false, true}) {
    const Solution found = refit_at(x, Vec::Ones(20), l1, kInf);
    const Problem hard = svm_problem(part, y, kInf);
    const Surrogate s = l1 ? surrogate(3, 1, kInf) : surrogate(3, 0, 1);
    const Solution expected = solve(l1 ? make_highs({false}) : make_osqp(), hard, s, 1e-10);
    REQUIRE(found.status == Status::optimal);
    REQUIRE(expected.status == Status::optimal);
    CHECK(found.certificate.gap < 1e-8);
    CHECK(objective(part, hard, s, at(found, kFeatures), 0) ==
          Approx(objective(part, hard, s, expected)).epsilon(1e-7));
    CHECK(largest_slack(x, svm_problem(x, y, kInf), found.w.col(0), found.b[0]) < 1e-8);
    check_places(found, kFeatures);
  }
}

TEST_CASE("refit: a finite C is the soft margin, in units of C times slacks") {
  Random random(42);
  const Mat x = shifted(30, 6, 0.5, random), part = chosen(x, kFeatures);
  const Vec y = alternating(30), weights = gaussian(30, random).cwiseAbs();
  for (bool l1 : {false, true})
    for (double C : {0.01, 1.0, 50.0}) {
      INFO("l1 " << l1 << ", C " << C);
      const Solution found = refit_at(x, weights, l1, C);
      Problem soft = svm_problem(part, y, 1);
      soft.cost = C * weights;
      const Surrogate s = l1 ? surrogate(3, 1, kInf) : surrogate(3, 0, 1);
      const Solution expected = solve(l1 ? make_highs({false}) : make_osqp(), soft, s, 1e-10);
      REQUIRE(found.status == Status::optimal);
      const double value = objective(part, soft, s, expected);
      CHECK(objective(part, soft, s, at(found, kFeatures), found.b[0]) == Approx(value).epsilon(1e-7));
      CHECK(found.certificate.primal == Approx(value).epsilon(1e-7));
      CHECK(found.certificate.dual == Approx(value).epsilon(1e-6));
      check_places(found, kFeatures);
    }
}

TEST_CASE("refit: overlap and an infinite C give the limit: least slacks, then the smallest norm") {
  Random random(43);
  for (int trial = 0; trial < 6; ++trial) {
    // The data are rounded, so that many hyperplanes have the least sum of violations.
    Mat x = shifted(24, 6, 0.6, random);
    if (trial % 2) x = x.array().round();
    const Mat part = chosen(x, kFeatures);
    const Vec y = alternating(24);
    Vec weights = Vec::Ones(24);
    if (trial % 3 == 0) weights = Vec::NullaryExpr(24, [&] { return double(1 + random() % 3); });
    Problem bare = svm_problem(part, y, 1);
    bare.cost = weights;
    const Solution least = solve(make_highs({false}), bare, surrogate(3, 0, kInf), 1e-10);
    REQUIRE(least.status == Status::optimal);
    const double target = sum_of_slacks(part, y, weights, least.w.col(0), least.b[0]);
    if (target < 1e-6) continue;
    for (bool l1 : {false, true}) {
      INFO("trial " << trial << ", l1 " << l1);
      const Solution found = refit_at(x, weights, l1, kInf);
      REQUIRE(found.status == Status::optimal);
      CHECK(found.note == "");
      const Vec w = at(found, kFeatures);
      CHECK(sum_of_slacks(part, y, weights, w, found.b[0]) == Approx(target).epsilon(1e-7));
      check_places(found, kFeatures);
      // The path in C reaches its limit long before a million.
      bare.cost = 1e6 * weights;
      const Surrogate s = l1 ? surrogate(3, 1, kInf) : surrogate(3, 0, 1);
      const Solution far = solve(l1 ? make_highs({false}) : make_dual_qp(), bare, s, 1e-10);
      REQUIRE(far.status == Status::optimal);
      const double norm = l1 ? w.lpNorm<1>() : w.norm(),
                   expected = l1 ? far.w.col(0).lpNorm<1>() : far.w.col(0).norm();
      CHECK(norm == Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("refit: free columns carry no norm, chosen or not") {
  Random random(44);
  const Mat x = shifted(30, 6, 0.5, random);
  const Vec y = alternating(30);
  const IndexList columns = {4, 0, 1, 3};
  const Mat part = chosen(x, columns);
  for (const auto& [l1, C] : {std::pair(false, 0.05), {true, 0.05}, {false, kInf}, {true, kInf}}) {
    Surrogate s = l1 ? surrogate(4, 1, kInf) : surrogate(4, 0, 1);
    s.l1[3] = 0;
    s.scale[3] = kInf;
    const Problem soft = svm_problem(part, y, std::min(C, 1e6));
    const Solution expected = solve(l1 ? make_highs({false}) : make_active_set(), soft, s, 1e-10);
    REQUIRE(expected.status == Status::optimal);
    const double value = objective(part, soft, s, expected);
    for (const IndexList& features : {kFeatures, IndexList{3, 4, 0, 1}}) {
      const Solution found = refit_at(x, Vec::Ones(30), l1, C, features, {3});
      INFO("l1 " << l1 << ", C " << C << ", " << features.size() << " features");
      REQUIRE(found.status == Status::optimal);
      CHECK(objective(part, soft, s, at(found, columns), found.b[0]) == Approx(value).epsilon(1e-7));
      if (C == kInf) {
        const Vec norm = at(found, columns).head(3), far = expected.w.col(0).head(3);
        CHECK((l1 ? norm.lpNorm<1>() : norm.norm()) ==
              Approx(l1 ? far.lpNorm<1>() : far.norm()).epsilon(1e-5));
      }
      check_places(found, columns);
    }
  }
}

TEST_CASE("refit: a weight of two is the row twice, a weight of zero no row") {
  Random random(45);
  const Mat x = shifted(16, 6, 0.5, random);
  Vec weights(16);
  IndexList rows;
  for (Index i = 0; i < 16; ++i) {
    weights[i] = double(i / 2 % 3);
    for (Index copy = 0; copy < i / 2 % 3; ++copy) rows.push_back(i);
  }
  Mat copies(Index(rows.size()), 6);
  Vec y(Index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    copies.row(Index(i)) = x.row(rows[i]);
    y[Index(i)] = alternating(16)[rows[i]];
  }
  for (bool l1 : {false, true})
    for (double C : {0.3, kInf}) {
      INFO("l1 " << l1 << ", C " << C);
      ClassifierSpec m;
      m.l1 = l1;
      m.C = C;
      const Solution weighted = refit_at(x, weights, l1, C);
      const Solution repeated =
          refit(svm_problem(copies, y, 1), Vec::Ones(copies.rows()), kFeatures, {}, m, Limits());
      REQUIRE(weighted.status == Status::optimal);
      REQUIRE(repeated.status == Status::optimal);
      CHECK((weighted.w - repeated.w).norm() <= 1e-5 * repeated.w.norm());
      CHECK(weighted.b[0] == Approx(repeated.b[0]).epsilon(1e-5));
    }
}

TEST_CASE("refit: rows of weight zero do not bind a hard margin") {
  Mat x(5, 1);
  Vec weights = Vec::Ones(5);
  weights[4] = 0;
  // The last point, of the first class, is on the wrong side or inside the margin.
  for (double last : {-7.0, 2.0, 1.5})
    for (bool l1 : {false, true}) {
      x << 3, 1, 4, 0, last;
      const Solution s = refit_at(x, weights, l1, kInf, {0});
      REQUIRE(s.status == Status::optimal);
      CHECK(s.w(0) == Approx(1).epsilon(1e-6));
      CHECK(s.b[0] == Approx(-2).epsilon(1e-6));
      REQUIRE(s.dual.rows() == 5);
      CHECK(s.dual(4) == 0);
    }
}

TEST_CASE("refit: no features leave the intercept") {
  Mat x = Mat::Identity(5, 2);
  for (bool l1 : {false, true})
    for (double C : {0.5, kInf}) {
      const Solution s = refit_at(x, Vec::Ones(5), l1, C, {});
      INFO("l1 " << l1 << ", C " << C);
      REQUIRE(s.status == Status::optimal);
      CHECK(s.b[0] == 1);  // There are three rows against two.
      CHECK(s.w.cwiseAbs().maxCoeff() == 0);
    }
}

TEST_CASE("largest: forced first, then magnitude, then the second order, then the column") {
  Vec magnitude(6), second(6);
  magnitude << 1, 3, 0, 3, 0, 2;
  second << 0, 1, 5, 2, 7, 0;
  CHECK(largest(magnitude, Vec(), {}, 3) == IndexList({1, 3, 5}));
  CHECK(largest(magnitude, second, {}, 3) == IndexList({3, 1, 5}));
  CHECK(largest(magnitude, second, {}, 5) == IndexList({3, 1, 5, 0, 4}));
  CHECK(largest(magnitude, Vec(), {}, 5) == IndexList({1, 3, 5, 0, 2}));
  CHECK(largest(magnitude, Vec(), {4}, 2) == IndexList({4, 1}));
  CHECK(largest(magnitude, second, {2, 0}, 3) == IndexList({0, 2, 3}));
  CHECK(largest(magnitude, Vec(), {}, 9).size() == 6);
  CHECK(largest(magnitude, Vec(), {}, 0).empty());
}

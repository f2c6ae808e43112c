// Tests the margin of the perceptron against that of the hard-margin l2 SVM for p = 2, its bound, and the selected
// features.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/ranking/perceptron.h"

using namespace zeronorm;

namespace {

double norm(const Vec& x, double p) { return std::pow(x.cwiseAbs().array().pow(p).sum(), 1 / p); }

}  // namespace

TEST_CASE("alma: the margin is as large as promised", "[alma]") {
  Random random(1);
  const Mat x = shifted(20, 30, 2.0, random);
  const Vec y = alternating(20);
  for (double p : {2.0, 3.0, 7.0})
    for (double a : {0.1, 0.5, 0.9}) {
      Mat rows = x;
      for (Index i = 0; i < 20; ++i) rows.row(i) *= y[i] / norm(x.row(i).transpose(), p);
      const Perceptron found = alma(rows, p, a, {});
      REQUIRE(found.status == Status::optimal);
      CHECK(norm(found.w, p / (p - 1)) == Approx(1).epsilon(1e-10));
      CHECK((rows * found.w).minCoeff() == Approx(found.margin).epsilon(1e-10));
      CHECK(found.margin >= (1 - a) * found.bound * 0.9);
      CHECK(found.margin <= found.bound);
      if (p != 2) continue;
      // The rows are multiplied by their labels.
      const Vec ones = Vec::Ones(20);
      const Solution hard =
          solve(make_engine("dual"), svm_problem(rows, ones, kInf, false), surrogate(30, 0, 1));
      const double best = 1 / hard.w.norm();
      CHECK(found.margin >= (1 - a) * best);
      CHECK(found.margin <= best * (1 + 1e-9));
      CHECK(found.bound >= best * (1 - 1e-9));
    }
}

TEST_CASE("alma: features go until the rule keeps all", "[alma]") {
  Random random(2);
  Mat x = shifted(24, 50, 2.0, random);
  x.col(9).setZero();
  const Vec y = alternating(24);
  const Problem p = svm_problem(x, y, kInf);
  const AlmaSearch found = search_alma(p, 0.5, {7}, {9}, {});
  REQUIRE(found.trace.solution.status == Status::optimal);
  CHECK(found.order.size() == 50);
  CHECK(found.order.back() == 9);
  CHECK(std::count(found.chosen.begin(), found.chosen.end(), 7) == 1);
  CHECK(found.trace.rounds.front().nonzero == 49);
  CHECK(found.trace.rounds.back().nonzero == static_cast<Index>(found.chosen.size()));
  for (const Round& round : found.trace.rounds) CHECK(round.gap <= 0.5);
}

TEST_CASE("alma: a stop asked for is heard", "[alma]") {
  Mat rows(2, 1);
  rows << 1, -1;  // These rows have no margin.
  Limits limits;
  int looks = 0;
  limits.interrupted = [&] { return ++looks > 3; };
  CHECK(alma(rows, 2, 0.5, limits).status == Status::interrupted);
}

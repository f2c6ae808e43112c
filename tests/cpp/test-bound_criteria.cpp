// Tests the importance of features by the bounds: SVMs trained without them, slopes by finite differences of the
// scale, and the ridge if there is no hard margin.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/ranking/bound_criteria.h"

using namespace zeronorm;

namespace {

Problem weighted(const Mat& x, const Vec& y) {
  Problem p = svm_problem(x, y, 1);
  p.cost[2] = 2;
  return p;
}

// Returns the bound on all features of x.
double bound(const Mat& x, const Vec& y, FeatureScore judge, double C) {
  const Problem p = weighted(x, y);
  BoundEngine engine(judge, {0, C}, false, {}, "auto", {});
  engine.setup(p);
  REQUIRE(engine.solve(surrogate(x.cols(), 0, 1), {}).status == Status::optimal);
  return engine.bound();
}

std::vector<IndexList> alone(Index d) {
  std::vector<IndexList> units;
  for (Index j = 0; j < d; ++j) units.push_back({j});
  return units;
}

}  // namespace

TEST_CASE("bounds: importances are rises and slopes of the bound", "[bounds]") {
  Random random(1);
  const Index n = 16, d = 6;
  const Mat x = shifted(n, d, 0.5, random);
  const Vec y = alternating(n);
  for (FeatureScore judge : {FeatureScore::radius_margin, FeatureScore::span}) {
    const double C = 0.05, whole = bound(x, y, judge, C);
    const Problem p = weighted(x, y);
    BoundEngine retrained(judge, {0, C}, false, {}, "auto", alone(d));
    BoundEngine sloping(judge, {1, C}, false, {}, "auto", {});
    retrained.setup(p);
    sloping.setup(p);
    const Vec rise = retrained.solve(surrogate(d, 0, 1), {}).importance;
    const Vec slope = sloping.solve(surrogate(d, 0, 1), {}).importance;
    for (Index j = 0; j < d; ++j) {
      Mat scaled = x;
      scaled.col(j).setZero();
      CHECK(rise[j] == Approx(bound(scaled, y, judge, C) - whole).epsilon(1e-6));
      const double step = 1e-4;
      scaled.col(j) = (1 + step) * x.col(j);
      const double above = bound(scaled, y, judge, C);
      scaled.col(j) = (1 - step) * x.col(j);
      const double found = (above - bound(scaled, y, judge, C)) / (2 * step);
      CHECK(std::abs(std::abs(found) - slope[j]) <= 1e-6 * slope.maxCoeff());
    }
  }
}

TEST_CASE("bounds: eliminations go on where no margin is hard, views narrow", "[bounds]") {
  Random random(2);
  const Mat x = shifted(14, 40, 0.3, random);
  const Vec y = alternating(14);
  const Problem p = weighted(x, y);
  using Kind = KernelForm::Kind;
  for (FeatureScore judge : {FeatureScore::radius_margin, FeatureScore::span})
    for (int order : {0, 1})
      for (bool kernel : {false, true})
        for (bool retrain : {false, true}) {
          if (retrain && order == 1) continue;
          const std::vector<IndexList> units = retrain ? alone(40) : std::vector<IndexList>();
          BoundEngine engine(judge, {order, kInf}, kernel, {Kind::poly_sum, 1}, "auto", units);
          Elimination what;
          what.step = 1;
          what.sizes = {1};
          EliminateByBound rule(what, engine);
          engine.setup(p);
          Stop stop;
          stop.rounds = 1000;
          const Trace trace = minimise(p, engine, rule, surrogate(40, 0, 1), stop);
          CHECK(trace.stop == StopReason::reached);
          CHECK(trace.rounds.size() == 40);
          CHECK(engine.C() < kInf);
          CHECK(rule.chosen(0).size() == 1);
        }
}

TEST_CASE("bounds: columns of nothing, and free ones", "[bounds]") {
  Random random(3);
  Mat x = shifted(14, 5, 1.0, random);
  x.col(3).setZero();
  const Vec y = alternating(14);
  const Problem p = weighted(x, y);
  for (FeatureScore judge : {FeatureScore::radius_margin, FeatureScore::span})
    for (int order : {0, 1}) {
      BoundEngine engine(judge, {order, 1.0}, false, {}, "auto", {});
      engine.setup(p);
      Surrogate s = surrogate(5, 0, 1);
      s.scale[4] = kInf;
      const Solution found = engine.solve(s, {});
      REQUIRE(found.status == Status::optimal);
      CHECK(found.importance[3] == Approx(0).margin(1e-9));
      CHECK(found.importance[4] == 0);
      s.scale.setZero();
      CHECK(engine.solve(s, {}).status == Status::optimal);
    }
}

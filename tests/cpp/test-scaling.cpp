// Tests the radius-margin criterion: slopes by finite differences, its lower bound, its minima against a grid and
// against the linear programme that is equivalent to the variance form, and the discarded features.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/ranking/error_estimates.h"
#include "methods/scales/scaling.h"

using namespace zeronorm;

namespace {

struct Instance {
  Mat x;
  Vec y, weights, ones;
  Mat equalities;
  Instance(Index n, Index d, double shift, unsigned seed) {
    Random random(seed);
    x = shifted(n, d, shift, random);
    y = alternating(n);
    weights = Vec::Ones(n);
    equalities = Mat::Ones(n, 1);
  }
  ScaleSearch search(const Scaling& scaling, const IndexList& sizes) const {
    const auto gram = linear_gram(view(x));
    return search_scales(*gram, y, weights, equalities, scaling, sizes, Stop());
  }
};

double criterion(const Instance& in, const Vec& theta, double ridge, Spread spread) {
  const auto gram = linear_gram(view(in.x));
  RadiusMargin margin(*gram, in.y, in.weights, in.equalities, spread);
  return margin.evaluate(theta, ridge, {}) == Status::optimal ? margin.value() : kInf;
}

}  // namespace

TEST_CASE("scaling: slopes are those of finite differences", "[scaling]") {
  const Instance in(24, 30, 1.0, 1);
  Random random(2);
  using Kind = KernelForm::Kind;
  std::vector<std::unique_ptr<GramMap>> grams;
  grams.push_back(linear_gram(view(in.x)));
  grams.push_back(kernel_gram({Kind::gaussian, 3}, in.x));
  grams.push_back(kernel_gram({Kind::poly_power, 2}, in.x));
  grams.push_back(kernel_gram({Kind::chi2, 0.1}, in.x.cwiseAbs()));
  Vec weights = in.weights;
  weights[3] = 2;
  for (const auto& gram : grams)
    for (Spread spread : {Spread::ball, Spread::variance})
      for (double ridge : {0.0, 0.3}) {
        RadiusMargin margin(*gram, in.y, weights, in.equalities, spread);
        Vec theta = 0.5 + 0.5 * gaussian(30, random).cwiseAbs().array();
        REQUIRE(margin.evaluate(theta, ridge, {}) == Status::optimal);
        const Vec slopes = margin.norm2() * margin.radius_slopes() + margin.radius2() * margin.norm_slopes();
        const double size = slopes.head(30).cwiseAbs().maxCoeff();
        for (Index j : {0, 1, 2, 29}) {
          const double step = 1e-4 * theta[j], kept = theta[j];
          theta[j] = kept + step;
          REQUIRE(margin.evaluate(theta, ridge, {}) == Status::optimal);
          const double above = margin.value();
          theta[j] = kept - step;
          REQUIRE(margin.evaluate(theta, ridge, {}) == Status::optimal);
          CHECK(std::abs((above - margin.value()) / (2 * step) - slopes[j]) <= 1e-6 * size);
          theta[j] = kept;
        }
        if (ridge == 0) continue;
        const double step = 1e-4 * ridge;
        REQUIRE(margin.evaluate(theta, ridge + step, {}) == Status::optimal);
        const double above = margin.value();
        REQUIRE(margin.evaluate(theta, ridge - step, {}) == Status::optimal);
        CHECK((above - margin.value()) / (2 * step) == Approx(slopes[30]).epsilon(1e-5));
      }
}

TEST_CASE("scaling: no random scales beat the minimum, which lies on its bound", "[scaling]") {
  Random random(3);
  for (double C : {kInf, 1e6, 1.0, 0.01})
    for (Spread spread : {Spread::ball, Spread::variance})
      for (Index d : {4, 12, 60}) {
        const Instance in(20, d, d < 12 ? 3.0 : 1.0, static_cast<unsigned>(d));
        Scaling scaling;
        scaling.C = C;
        scaling.criterion = spread == Spread::ball ? Criterion::ball : Criterion::variance;
        const ScaleSearch found = in.search(scaling, {2});
        REQUIRE(found.trace.solution.status == Status::optimal);
        const Round& round = found.trace.rounds.at(0);
        CHECK(round.gap <= 1e-6);
        CHECK(found.chosen.chosen(0).size() == 2);
        if (found.C != C) continue;  // The classes are inseparable, so it has a ridge of its own.
        for (int trial = 0; trial < 30; ++trial) {
          Vec theta = Vec::NullaryExpr(d, [&] { return std::pow(uniform(random), 3); });
          CHECK(criterion(in, theta, C < kInf ? 1 / C : 0.0, spread) >= round.objective * (1 - 1e-7));
        }
      }
}

TEST_CASE("scaling: two features against a grid", "[scaling]") {
  const Instance in(16, 2, 3.0, 5);
  const ScaleSearch found = in.search(Scaling(), {1});
  double least = kInf;
  for (int k = 0; k <= 400; ++k) {
    Vec theta(2);
    theta << std::pow(std::cos(k * M_PI / 800), 2), std::pow(std::sin(k * M_PI / 800), 2);
    least = std::min(least, criterion(in, theta, 0, Spread::ball));
  }
  CHECK(found.trace.rounds.at(0).objective <= least * (1 + 1e-9));
  CHECK(found.trace.rounds.at(0).objective >= least * (1 - 1e-3));
}

TEST_CASE("scaling: with the variance it is the linear programme", "[scaling]") {
  for (unsigned seed : {1u, 2u, 3u}) {
    Instance in(18, 40, 1.0, seed);
    in.x.rowwise() -= in.x.colwise().mean().eval();
    const Vec sd = (in.x.colwise().squaredNorm() / 18.0).cwiseSqrt();
    Scaling scaling;
    scaling.criterion = Criterion::variance;
    const ScaleSearch found = in.search(scaling, {3});
    const Problem p = svm_problem(in.x, in.y, kInf);
    Surrogate s = surrogate(40, 1, kInf);
    s.l1 = sd;
    const Solution lp = solve(make_simplex(), p, s);
    REQUIRE(lp.status == Status::optimal);
    CHECK(found.trace.rounds.at(0).objective ==
          Approx(std::pow(sd.cwiseProduct(lp.w.col(0)).lpNorm<1>(), 2)).epsilon(1e-6));
    // At the optimum sigma^2 var is proportional to |w| sd.
    Vec share = lp.w.col(0).cwiseAbs().cwiseQuotient(sd);
    IndexList best;
    for (int k = 0; k < 3; ++k) {
      Index at;
      share.maxCoeff(&at);
      share[at] = -1;
      best.push_back(at);
    }
    IndexList chosen = found.chosen.chosen(0);
    std::sort(best.begin(), best.end());
    std::sort(chosen.begin(), chosen.end());
    CHECK(chosen == best);
  }
}

TEST_CASE("scaling: inseparable classes get a ridge, chosen like a scale", "[scaling]") {
  Instance in(40, 5, 0.3, 7);
  const ScaleSearch found = in.search(Scaling(), {2});
  REQUIRE(found.trace.solution.status == Status::optimal);
  REQUIRE(found.C < kInf);
  const Round& round = found.trace.rounds.at(0);
  CHECK(round.gap <= 1e-6);
  for (double C : {0.5, 2.0}) {
    Scaling fixed;
    fixed.C = C * found.C;
    const ScaleSearch other = in.search(fixed, {2});
    CHECK(other.trace.rounds.at(0).objective >= round.objective * (1 - 1e-7));
    CHECK(other.C == fixed.C);
  }
}

TEST_CASE("scaling: every way to discard goes down to the size asked for", "[scaling]") {
  Instance in(30, 24, 2.5, 9);
  in.x.rowwise() -= in.x.colwise().mean().eval();
  in.x.colwise().normalize();
  for (Discard discard : {Discard::scale, Discard::retrain, Discard::second_order})
    for (double step : {0.5, 1.0, 3.0, kInf}) {
      Scaling scaling;
      scaling.discard = discard;
      scaling.step = step;
      scaling.keep = {20};
      const ScaleSearch found = in.search(scaling, {7, 3});
      REQUIRE(found.trace.solution.status == Status::optimal);
      CHECK(found.trace.stop == StopReason::reached);
      for (std::size_t k = 0; k < 2; ++k) {
        const IndexList& chosen = found.chosen.chosen(k);
        INFO("discard " << int(discard) << " step " << step << " size " << chosen.size());
        CHECK(chosen.size() == (k == 0 ? 7 : 3));
        CHECK(std::count(chosen.begin(), chosen.end(), 20) == 1);
        if (discard != Discard::second_order)  // The second-order estimate predicts less.
          CHECK(std::count_if(chosen.begin(), chosen.end(), [](Index j) { return j < 2; }) >= 1);
      }
      if (step == kInf) CHECK(found.trace.rounds.size() == 1);
      for (const Round& round : found.trace.rounds) CHECK(round.gap <= 1e-6);
    }
}

TEST_CASE("scaling: nothing to scale, and an interrupt", "[scaling]") {
  Instance in(10, 3, 1.0, 11);
  Scaling scaling;
  scaling.empty = {0, 1, 2};
  const ScaleSearch nothing = in.search(scaling, {1});
  CHECK(nothing.trace.solution.status == Status::optimal);
  CHECK(nothing.chosen.chosen(0).size() == 1);
  const auto gram = linear_gram(view(in.x));
  Stop stop;
  stop.limits.interrupted = [] { return true; };
  const ScaleSearch stopped = search_scales(*gram, in.y, in.weights, in.equalities, Scaling(), {1}, stop);
  CHECK(stopped.trace.solution.status == Status::interrupted);
  CHECK(stopped.trace.stop == StopReason::interrupted);
}

// The constant column dominates the other one, which separates the classes.
TEST_CASE("scaling: what rounding hides is not called inseparable", "[scaling]") {
  Mat x(2, 2);
  x << 1, 1, -1, 1;
  const Vec y = alternating(2), weights = Vec::Ones(2);
  const Mat none(2, 0);
  const auto gram = linear_gram(view(x));
  RadiusMargin margin(*gram, y, weights, none, Spread::ball);
  SpanEstimate span(*gram, y, weights, none);
  CHECK(margin.evaluate((Vec(2) << 1, 1e18).finished(), 0, {}) == Status::numerical);
  CHECK(span.evaluate((Vec(2) << 1, 1e18).finished(), 0, {}) == Status::numerical);
  CHECK(margin.evaluate((Vec(2) << 0, 1).finished(), 0, {}) == Status::infeasible);
  CHECK(span.evaluate((Vec(2) << 0, 1).finished(), 0, {}) == Status::infeasible);
  REQUIRE(margin.evaluate((Vec(2) << 1, 1).finished(), 0, {}) == Status::optimal);
  CHECK(margin.norm2() == Approx(1));
}

// Without an intercept a constant column has no radius: the larger its scale, the lower the criterion.
TEST_CASE("scaling: the bound holds beside columns that rounding makes vary", "[scaling]") {
  Random random(7);
  for (int draw = 0; draw < 40; ++draw) {
    const Index n = 2 + draw % 5;
    Mat x = gaussian(n, 6, random);
    x.col(5).setConstant(draw % 3 == 0 ? 7.7 : std::exp(gaussian(1, random)[0]));
    const bool constant = draw % 4 != 3;
    if (!constant) x.col(5) += 1e-13 * gaussian(n, random);
    Vec upper = Vec::Constant(7, kInf);
    upper[6] = 0;
    const Vec y = alternating(n), weights = gaussian(n, random).cwiseAbs().array() + 0.1;
    const Mat none(n, 0);
    const auto gram = linear_gram(view(x));
    for (Spread spread : {Spread::ball, Spread::variance}) {
      RadiusMargin margin(*gram, y, weights, none, spread);
      double bound = 0, least = kInf;
      // At larger scales rounding of the kernel matrix hides the varying column.
      for (double scale = 1; scale <= (constant ? 1e12 : 1e6); scale *= 1e3) {
        Vec theta = gaussian(6, random).cwiseAbs2();
        theta[5] = scale;
        if (margin.evaluate(theta, 0, {}) != Status::optimal) continue;
        bound = std::max(bound, margin.bound(upper, false));
        least = std::min(least, margin.value());
      }
      CHECK(bound <= (constant ? 1e-6 : 1 + 1e-9) * least);
    }
  }
}

// The last column is zero where the multipliers (at -1 and 1) and the weights of the ball (at -1.5 and 1.5) are
// nonzero.
TEST_CASE("scaling: the bound is tight beside a column that nothing meets", "[scaling]") {
  Mat x(6, 2);
  x << 1, 0, -1, 0, 1.5, 0, -1.5, 0, 1.2, 0.1, -1.2, -0.1;
  const Vec y = alternating(6), weights = Vec::Ones(6);
  const Mat equalities = Mat::Ones(6, 1);
  const auto gram = linear_gram(view(x));
  RadiusMargin margin(*gram, y, weights, equalities, Spread::ball);
  REQUIRE(margin.evaluate(Vec::Ones(2), 0, {}) == Status::optimal);
  CHECK(margin.value() == Approx(2.25));
  CHECK(margin.bound((Vec(3) << kInf, kInf, 0).finished(), false) == Approx(2.25));
}

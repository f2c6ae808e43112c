// Tests adaptive scaling: no random scales of the same norm are better if the problem is convex, the certificate
// agrees, and columns outside the norm are unchanged.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/scales/adaptive.h"

using namespace zeronorm;

namespace {

double value(const Mat& x, const Vec& y, const Vec& theta, double C) {
  Surrogate s = surrogate(x.cols(), 0, 1);
  s.scale = theta.cwiseSqrt();
  return solve(make_engine("dual"), svm_problem(x, y, C), s).certificate.primal;
}

double norm(const Vec& theta, double p) { return std::pow(theta.array().pow(p / 2).sum(), 1 / p); }

}  // namespace

TEST_CASE("adaptive: the scales found are the best of their norm", "[adaptive]") {
  Random random(1);
  const Mat x = shifted(24, 7, 0.5, random);
  const Vec y = alternating(24);
  const Mat equalities = Mat::Ones(24, 1);
  for (double p : {2.0, 3.0, 6.0})
    for (double C : {0.05, 1.0}) {
      Adaptive what;
      what.p = p;
      what.sigma0 = 1.5;
      const auto gram = linear_gram(view(x));
      const AdaptiveScales found = adapt_scales(*gram, y, Vec::Constant(24, C), equalities, what, {});
      REQUIRE(found.status == Status::optimal);
      CHECK(norm(found.theta, p) == Approx(1.5).epsilon(1e-10));
      CHECK(found.certificate.gap <= 1e-7);
      CHECK(value(x, y, found.theta, C) == Approx(found.certificate.primal).epsilon(1e-7));
      for (int k = 0; k < 20; ++k) {
        Vec other = (found.theta.array() + 0.1 * gaussian(7, random).cwiseAbs().array()).matrix();
        if (k % 2) other = gaussian(7, random).cwiseAbs2();
        other *= std::pow(1.5 / norm(other, p), 2);
        CHECK(value(x, y, other, C) >= found.certificate.dual * (1 - 1e-7));
      }
    }
}

TEST_CASE("adaptive: any p and kernel ends where it is stationary", "[adaptive]") {
  Random random(2);
  const Mat x = shifted(20, 5, 0.7, random);
  const Vec y = alternating(20);
  const Mat equalities = Mat::Ones(20, 1);
  using Kind = KernelForm::Kind;
  std::vector<std::unique_ptr<GramMap>> grams;
  grams.push_back(linear_gram(view(x)));
  grams.push_back(kernel_gram({Kind::gaussian, 1.5}, x));
  grams.push_back(kernel_gram({Kind::poly_power, 2}, x));
  for (const auto& gram : grams)
    for (double p : {0.7, 1.0, 2.0, 4.0}) {
      Adaptive what;
      what.p = p;
      what.empty = {3};
      what.fixed = {4};
      const AdaptiveScales found = adapt_scales(*gram, y, Vec::Ones(20), equalities, what, {});
      REQUIRE(found.status == Status::optimal);
      CHECK(found.theta[3] == 0);
      CHECK(found.theta[4] == 1);
      CHECK(norm(found.theta.head(3), p) == Approx(1).epsilon(1e-8));
      CHECK(found.certificate.gap <= 1e-6);
    }
}

TEST_CASE("adaptive: nothing to scale, classes without a margin", "[adaptive]") {
  Random random(3);
  const Mat x = gaussian(20, 2, random);
  const Vec y = alternating(20);
  const Mat equalities = Mat::Ones(20, 1);
  const auto gram = linear_gram(view(x));
  Adaptive what;
  CHECK(adapt_scales(*gram, y, Vec::Constant(20, kInf), equalities, what, {}).status == Status::infeasible);
  what.empty = {0, 1};
  const AdaptiveScales found = adapt_scales(*gram, y, Vec::Ones(20), equalities, what, {});
  CHECK(found.status == Status::optimal);
  CHECK(found.theta.isZero());
  CHECK(found.certificate.gap == 0);
}

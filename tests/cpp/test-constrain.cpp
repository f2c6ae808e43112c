// Tests the smallest loss within a norm against closed forms.
#include <testthat/vendor/catch.h>

#include <Eigen/QR>

#include "instances.h"
#include "loop/minimise.h"
#include "rules/constrain.h"

using namespace zeronorm;

TEST_CASE("constrain: least squares on orthonormal columns are soft thresholds that sum to the target") {
  Random random(71);
  const Mat x = Eigen::HouseholderQR<Mat>(gaussian(20, 6, random)).householderQ() * Mat::Identity(20, 6);
  Problem p = svm_problem(x, 3 * gaussian(20, random), 1, false);
  p.loss = Loss::squared;
  Surrogate s = surrogate(6, 1, kInf);
  s.l1 << 1, 2, 0.5, 1, 3, 0.7;
  const Vec c = x.transpose() * p.y.col(0);
  const auto thresholds = [&](double lambda) {
    Vec w = (c.cwiseAbs() - lambda * s.l1).cwiseMax(0.0);
    for (Index j = 0; j < 6; ++j) w[j] = std::copysign(w[j], c[j]);
    return w;
  };
  const auto norm = [&](const Vec& w) { return s.l1.dot(w.cwiseAbs()); };
  const double most = norm(c);

  const auto engine = make_smooth();
  engine->setup(p);
  Constrain rule(Constrain::Measure::norm);
  for (double share : {0.1, 0.9, 0.5, 0.02, 2.0}) {
    INFO("share " << share);
    double low = 0, high = 100;  // They bracket the multiplier at which the thresholds sum to the target.
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (norm(thresholds(middle)) > share * most ? low : high) = middle;
    }
    rule.aim(share * most);
    const Trace trace = minimise(p, *engine, rule, s, Stop());
    const Solution out = rule.constrained(p, trace.solution);
    REQUIRE(out.status == Status::optimal);
    CHECK((out.w.col(0) - thresholds(high)).norm() <= 1e-6 * c.norm());
    CHECK(rule.multiplier() == Approx(high).margin(1e-6));
    CHECK(out.certificate.primal == Approx(0.5 * (p.y.col(0) - x * thresholds(high)).squaredNorm()));
    CHECK(out.certificate.gap <= kProof);
  }
}

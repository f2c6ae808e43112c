// Tests kernels of scaled features: values by the definition, slopes by finite differences.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/scales/scaled_kernel.h"

using namespace zeronorm;

namespace {

double by_definition(const KernelForm& form, const Vec& x, const Vec& z, const Vec& theta) {
  double sum = 0;
  for (Index j = 0; j < x.size(); ++j) {
    if (form.kind == KernelForm::Kind::gaussian) sum += theta[j] * std::pow(x[j] - z[j], 2);
    if (form.kind == KernelForm::Kind::chi2 && x[j] + z[j] > 0)
      sum += theta[j] * std::pow(x[j] - z[j], 2) / (x[j] + z[j]);
    if (!form.distance()) sum += theta[j] * x[j] * z[j];
  }
  switch (form.kind) {
    case KernelForm::Kind::gaussian: return std::exp(-sum / (2 * form.parameter * form.parameter));
    case KernelForm::Kind::chi2: return std::exp(-form.parameter * sum);
    case KernelForm::Kind::poly_power: return std::pow(sum + 1, form.parameter);
    default: return sum + sum * sum + sum * sum * sum;
  }
}

}  // namespace

TEST_CASE("scaled kernel: values and slopes", "[scaled_kernel]") {
  Random random(1);
  const Index n = 70, m = 9, d = 5;
  Mat x = gaussian(n, d, random).cwiseAbs(), z = gaussian(m, d, random).cwiseAbs();
  x(0, 1) = z(0, 1) = 0;
  Vec theta = gaussian(d, random).cwiseAbs();
  theta[2] = 0;
  const Mat weight = gaussian(n, m, random);
  using Kind = KernelForm::Kind;
  for (const KernelForm form : {KernelForm{Kind::gaussian, 1.3}, KernelForm{Kind::chi2, 0.4},
                                KernelForm{Kind::poly_sum, 3}, KernelForm{Kind::poly_power, 3}}) {
    ScaledKernel kernel(form, x, z);
    const Mat values = kernel.at(theta, {});
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < m; ++k)
        REQUIRE(values(i, k) ==
                Approx(by_definition(form, x.row(i), z.row(k), theta)).epsilon(1e-12).margin(1e-14));
    const Vec slopes = kernel.slopes(weight, {});
    for (Index j = 0; j < d; ++j) {
      const double step = 1e-5;
      Vec up = theta, down = theta;
      up[j] += step;
      down[j] -= step;
      const double above = kernel.at(up, {}).cwiseProduct(weight).sum();
      const double below = kernel.at(down, {}).cwiseProduct(weight).sum();
      CHECK(slopes[j] == Approx((above - below) / (2 * step)).epsilon(1e-6).margin(1e-6));
    }
  }
}

TEST_CASE("scaled kernel: an offset costs the Gaussian no digits", "[scaled_kernel]") {
  Random random(2);
  const Mat x = gaussian(20, 3, random);
  const Mat away = x.array() + 1e6;
  const KernelForm form{KernelForm::Kind::gaussian, 1};
  const Vec theta = Vec::Constant(3, 0.5);
  const Mat near = ScaledKernel(form, x, x).at(theta, {}), far = ScaledKernel(form, away, away).at(theta, {});
  CHECK((near - far).cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("scaled kernel: what is lost without a feature", "[scaled_kernel]") {
  Random random(3);
  const Mat x = gaussian(20, 5, random).cwiseAbs();
  Vec theta = gaussian(5, random).cwiseAbs(), v = gaussian(20, random);
  theta[3] = 0;
  v.head(6).setZero();
  using Kind = KernelForm::Kind;
  for (const KernelForm form : {KernelForm{Kind::gaussian, 1.3}, KernelForm{Kind::chi2, 0.4},
                                KernelForm{Kind::poly_sum, 3}, KernelForm{Kind::poly_power, 3}}) {
    ScaledKernel kernel(form, x, x);
    for (Index j = 0; j < 5; ++j) {
      Vec without = theta;
      without[j] = 0;
      const double rest = v.dot(kernel.at(without, {}) * v), whole = v.dot(kernel.at(theta, {}) * v);
      CHECK(kernel.losses(v, theta, {})[j] == Approx(whole - rest).epsilon(1e-9).margin(1e-12));
    }
    CHECK(kernel.losses(v, theta, {})[3] == 0);
  }
}

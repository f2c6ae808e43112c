// Tests the maximum norm beside a quadratic term, and kernel matrices with repeated rows.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "problem/problem.h"

using namespace zeronorm;

namespace {

Mat gaussian_kernel(const Mat& points) {
  Mat k(points.rows(), points.rows());
  for (Index i = 0; i < k.rows(); ++i)
    for (Index j = 0; j < k.cols(); ++j)
      k(i, j) = std::exp(-0.5 * (points.row(i) - points.row(j)).squaredNorm());
  return k;
}

Surrogate shared_price(Index d, double price, double scale) {
  Surrogate s = surrogate(d, 0, scale);
  s.l1 = Vec::Constant(1, price);
  s.groups.assign(std::size_t(d), {0});
  return s;
}

double value(const Mat& k, const Mat& q, const Problem& p, double price, const Vec& w, double b) {
  const Vec slack = (1 - p.y.col(0).array() * ((k * w).array() + b)).max(0.0);
  return 0.5 * w.dot(q * w) + price * w.cwiseAbs().maxCoeff() + p.cost.dot(slack);
}

}  // namespace

TEST_CASE("interior: by hand on one point of each class") {
  // With f = +-a the objective is a^2 + price a + 2 (1 - a)_+, with minimum at a = 1 - price/2.
  const Mat k = Mat::Identity(2, 2);
  Problem p = svm_problem(k, Vec(Eigen::Vector2d(1, -1)), 1);
  p.x = kernel_design(k);
  p.quadratic = Quadratic::kernel;
  auto engine = make_interior();
  engine->setup(p);
  for (double price : {0.1, 1.0, 1.9}) {
    const Solution out = engine->solve(shared_price(2, price, kInf), Limits());
    REQUIRE(out.status == Status::optimal);
    CHECK(out.w(0, 0) == Approx(1 - price / 2).epsilon(1e-7));
    CHECK(out.w(1, 0) == Approx(price / 2 - 1).epsilon(1e-7));
  }
}

TEST_CASE("interior: certified, and no step from there descends") {
  Random random(3);
  const Mat points = shifted(30, 3, 0.6, random), k = gaussian_kernel(points);
  Problem p = svm_problem(k, alternating(30), 2);
  p.x = kernel_design(k);
  for (bool kernel : {true, false}) {
    p.quadratic = kernel ? Quadratic::kernel : Quadratic::none;
    const Surrogate s = shared_price(30, 0.4, kernel ? kInf : 1.0);
    const Mat q = kernel ? k : Mat(Mat::Identity(30, 30));
    auto engine = make_engine("auto");
    engine->setup(p);
    const Solution out = engine->solve(s, Limits());
    REQUIRE(out.status == Status::optimal);
    CHECK(out.engine == "interior");
    const Certificate c = certify(p, s, out);
    CHECK(c.gap < 1e-7);
    const Vec w = out.w.col(0);
    const double at = value(k, q, p, 0.4, w, out.b[0]);
    CHECK(c.primal == Approx(at).epsilon(1e-12));
    for (int trial = 0; trial < 200; ++trial) {
      const Vec moved = w + 1e-3 * gaussian(30, random);
      CHECK(value(k, q, p, 0.4, moved, out.b[0] + 1e-3 * normal(random)) >= at * (1 - 1e-7));
    }
    Solution off = out;
    off.dual *= 0.9;
    CHECK(certify(p, s, off).gap > 1e-4);
  }
}

TEST_CASE("interior: without rows that cost, and without columns") {
  Random random(4);
  const Mat x = shifted(5, 3, 0.5, random);
  Problem p = svm_problem(x, alternating(5), 2);
  auto engine = make_interior();
  engine->setup(p);
  // With the intercept alone the violation is 2 for each row of the smaller class.
  const Solution alone = solve(*engine, p, shared_price(3, 1, 0));
  REQUIRE(alone.status == Status::optimal);
  CHECK(alone.w.cwiseAbs().maxCoeff() == 0);
  CHECK(alone.certificate.primal == Approx(8).epsilon(1e-12));
  CHECK(alone.certificate.dual == Approx(8).epsilon(1e-12));
  p.cost.setZero();
  engine->setup(p);
  const Solution nothing = solve(*engine, p, shared_price(3, 1, 1));
  REQUIRE(nothing.status == Status::optimal);
  CHECK(nothing.w.cwiseAbs().maxCoeff() == 0);
  CHECK(nothing.certificate.primal == 0);
}

TEST_CASE("interior refuses what it cannot state") {
  const Mat k = Mat::Identity(2, 2);
  const Problem p = svm_problem(k, Vec(Eigen::Vector2d(1, -1)), 1);
  auto engine = make_interior();
  CHECK(engine->refuses(p, surrogate(2, 1, 1)).find("one l1 cost") != std::string::npos);
  CHECK(engine->refuses(svm_problem(k, p.y.col(0), kInf), shared_price(2, 1, 1)).find("finite") !=
        std::string::npos);
}

TEST_CASE("rows of a kernel matrix taken twice are one row of twice the cost") {
  Random random(5);
  const Mat points = shifted(20, 3, 0.5, random), k = gaussian_kernel(points);
  Problem once = svm_problem(k, alternating(20), 1);
  once.x = kernel_design(k);
  once.quadratic = Quadratic::kernel;
  once.cost.head(5).setConstant(2);
  IndexList rows, columns;
  for (Index i = 0; i < 20; ++i) columns.push_back(i), rows.push_back(i);
  for (Index i = 0; i < 5; ++i) rows.push_back(i);
  Problem twice = restrict_to(once, rows, columns);
  twice.cost.setOnes();
  for (double scale : {kInf, 1.5}) {
    const Surrogate s = surrogate(20, 0, scale);
    auto one = make_dual_qp(), two = make_dual_qp();
    one->setup(once);
    two->setup(twice);
    const Solution a = one->solve(s, Limits()), b = two->solve(s, Limits());
    REQUIRE(a.status == Status::optimal);
    REQUIRE(b.status == Status::optimal);
    CHECK(certify(once, s, a).gap < 1e-9);
    CHECK(certify(twice, s, b).gap < 1e-9);
    CHECK((k * (a.w - b.w)).norm() < 1e-8);
  }
}

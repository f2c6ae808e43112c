// Tests problems that need all parts of the basic types.
#include <testthat/vendor/catch.h>

#include <cmath>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/minimise_box.h"
#include "grade/certificate.h"

using namespace zeronorm;

namespace {

std::shared_ptr<const Design> design(const Mat& x) {
  return dense_design(x.data(), x.rows(), x.cols(), Vec::Zero(x.cols()), Vec::Ones(x.cols()));
}

Surrogate surrogate(Index d, double l1, double scale) {
  Surrogate s;
  s.l1 = Vec::Constant(d, l1);
  s.scale = Vec::Constant(d, scale);
  return s;
}

Solution solve(std::unique_ptr<Engine> engine, const Problem& problem, const Surrogate& s) {
  engine->setup(problem);
  Solution out = engine->solve(s, Limits());
  if (out.status == Status::optimal) out.certificate = certify(problem, s, out);
  return out;
}

Mat labels(const std::vector<int>& classes, Index k) {
  Mat y = Mat::Constant(Index(classes.size()), k, -1);
  for (std::size_t i = 0; i < classes.size(); ++i) y(Index(i), classes[i]) = 1;
  return y;
}

// Three points e_1, e_2, e_3, one per class. By symmetry b = 0, and every sample has the same own weight p and two
// other weights -q, with p + q >= 2 - violation.
Problem corners(const Mat& x, double cost) {
  Problem problem;
  problem.x = design(x);
  problem.y = labels({0, 1, 2}, 3);
  problem.cost = Vec::Constant(3, cost);
  problem.loss = Loss::weston_watkins;
  return problem;
}

Problem random_classes(const Mat& x, Index k, double cost) {
  std::vector<int> classes;
  for (Index i = 0; i < x.rows(); ++i) classes.push_back(int(i % k));
  Problem problem;
  problem.x = design(x);
  problem.y = labels(classes, k);
  problem.cost = Vec::Constant(x.rows(), cost);
  problem.loss = Loss::weston_watkins;
  return problem;
}

Mat gaussian_classes(Index n, Index d, Index k, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Mat x = Mat::NullaryExpr(n, d, [&] { return normal(random); });
  for (Index i = 0; i < n; ++i) x(i, i % k) += 1.5;
  return x;
}

// Returns the Weston-Watkins objective, written out sample by sample.
double multiclass_objective(const Mat& x, const Problem& p, const Surrogate& s, const Mat& w, const Vec& b) {
  double value = 0;
  for (Index j = 0; j < w.rows(); ++j)
    for (Index k = 0; k < w.cols(); ++k)
      value += s.l1[j] * std::abs(w(j, k)) + 0.5 * std::pow(w(j, k) / s.scale[j], 2);
  for (Index i = 0; i < x.rows(); ++i) {
    const Vec f = w.transpose() * x.row(i).transpose() + b;
    Index own;
    p.y.row(i).maxCoeff(&own);
    for (Index k = 0; k < f.size(); ++k)
      if (k != own) value += p.cost[i] * std::max(0.0, 2 - f[own] + f[k]);
  }
  return value;
}

// Checks that no small random step lowers the objective, which suffices because it is convex.
void check_no_descent(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const double at = multiclass_objective(x, p, s, out.w, out.b);
  for (int trial = 0; trial < 200; ++trial) {
    const Mat w = out.w + 1e-3 * Mat::NullaryExpr(out.w.rows(), out.w.cols(), [&] {
                            return trial % 2 || random() % 4 == 0 ? normal(random) : 0.0;
                          });
    const Vec b = out.b + 1e-3 * Vec::NullaryExpr(out.b.size(), [&] { return normal(random); });
    CHECK(multiclass_objective(x, p, s, w, b) >= at - 1e-9 * std::abs(at));
  }
}

}  // namespace

TEST_CASE("multi-class l1: three corners by hand") {
  const Mat x = Mat::Identity(3, 3);
  // The weights p = 2, q = 0 cost 2 l1 per sample if l1 < 2 c; otherwise w = 0 and each sample loses 2 * 2 c.
  for (double l1 : {0.5, 1.9, 2.1}) {
    const Problem problem = corners(x, 1);
    const Surrogate s = surrogate(3, l1, kInf);
    for (bool generate : {false, true}) {
      const Solution out = solve(make_highs({generate}), problem, s);
      REQUIRE(out.status == Status::optimal);
      CHECK(out.certificate.primal == Approx(l1 < 2 ? 6 * l1 : 12).epsilon(1e-10));
      CHECK(out.certificate.gap < 1e-9);
      CHECK(out.b.sum() == Approx(0).margin(1e-12));
    }
  }
}

TEST_CASE("multi-class l2: three corners by hand") {
  const Mat x = Mat::Identity(3, 3);
  // The minimum of p^2/2 + q^2 with p + q = 2 is at p = 4/3, q = 2/3, with 4/3 per sample and multipliers of 2/3.
  for (double cost : {1.0, kInf}) {
    const Solution out = solve(make_osqp(), corners(x, cost), surrogate(3, 0, 1));
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.primal == Approx(4).epsilon(1e-8));
    CHECK(out.certificate.gap < 1e-8);
    CHECK((out.w - (2 * Mat::Identity(3, 3) - Mat::Constant(3, 3, 2.0 / 3))).norm() < 1e-7);
    CHECK(out.dual(0, 0) == 0);
    CHECK(out.dual(0, 1) == Approx(2.0 / 3).epsilon(1e-7));
  }
}

TEST_CASE("multi-class problems are certified and no step descends") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Mat x = gaussian_classes(30, 12, 4, seed);
    const Problem problem = random_classes(x, 4, 0.2);
    const Surrogate l1 = surrogate(12, 0.6, kInf), l2 = surrogate(12, 0, 1), both = surrogate(12, 0.4, 1.5);
    const Solution full = solve(make_highs({false}), problem, l1), some = solve(make_highs(), problem, l1);
    REQUIRE(full.status == Status::optimal);
    REQUIRE(some.status == Status::optimal);
    CHECK(full.certificate.gap < 1e-9);
    CHECK(some.certificate.gap < 1e-9);
    CHECK(some.certificate.primal == Approx(full.certificate.primal).epsilon(1e-9));
    check_no_descent(x, problem, l1, full);
    for (const Surrogate& s : {l2, both}) {
      const Solution out = solve(make_osqp(), problem, s);
      REQUIRE(out.status == Status::optimal);
      CHECK(out.certificate.gap < 1e-7);
      CHECK(out.certificate.primal ==
            Approx(multiclass_objective(x, problem, s, out.w, out.b)).epsilon(1e-9));
      check_no_descent(x, problem, s, out);
    }
  }
}

TEST_CASE("multi-class with two classes is the two-class machine") {
  // With w_1 = -w_0 = w, f_own - f_other = 2 y g: the violation is 2 (1 - y g), and the penalty twice |w| and twice
  // w^2/2.
  const Mat x = gaussian_classes(20, 5, 2, 3);
  const Problem joint = random_classes(x, 2, 0.25);
  Problem two = joint;
  two.loss = Loss::hinge;
  two.y = -joint.y.col(0);
  const Solution many = solve(make_osqp(), joint, surrogate(5, 0, 1));
  const Solution one = solve(make_osqp(), two, surrogate(5, 0, 1));
  REQUIRE(many.status == Status::optimal);
  REQUIRE(one.status == Status::optimal);
  CHECK(many.certificate.primal == Approx(2 * one.certificate.primal).epsilon(1e-8));
  CHECK((many.w.col(1) - one.w.col(0)).norm() < 1e-7);
  CHECK((many.w.col(0) + one.w.col(0)).norm() < 1e-7);
}

TEST_CASE("multi-class hard margins: overlap is proven") {
  Mat x(4, 1);
  x << 0, 1, 2, 1;  // The classes 0, 1, 2 come in order, then a copy of the second point in class 0.
  Problem problem;
  problem.x = design(x);
  problem.y = labels({0, 1, 2, 0}, 3);
  problem.cost = Vec::Constant(4, kInf);
  problem.loss = Loss::weston_watkins;
  for (const Solution& out : {solve(make_highs(), problem, surrogate(1, 1, kInf)),
                              solve(make_osqp(), problem, surrogate(1, 0, 1))}) {
    REQUIRE(out.status == Status::infeasible);
    CHECK(out.dual.minCoeff() >= 0);
    Mat push = -out.dual;  // These are the signed multipliers of each sample and class.
    for (Index i = 0; i < 4; ++i)
      for (Index k = 0; k < 3; ++k)
        if (problem.y(i, k) > 0) push(i, k) += out.dual.row(i).sum();
    CHECK(push.colwise().sum().norm() < 1e-9 * out.dual.sum());
    CHECK((x.transpose() * push).norm() < 1e-9 * out.dual.sum());
  }
}

TEST_CASE("quadratic features: a product costs both its features") {
  Mat x(4, 3);  // The columns are x_0, x_1 and x_0 x_1, with the labels of the product.
  x << 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, 1, -1;
  Problem problem;
  problem.x = design(x);
  problem.y = x.col(2);
  problem.cost = Vec::Constant(4, 1);
  Surrogate s;
  s.scale = Vec::Constant(3, kInf);
  s.groups = {{0}, {1}, {0, 1}};
  s.l1 = Vec(2);
  // A weight on the product costs l1_0 + l1_1 and saves 4 violations.
  for (double each : {0.5, 1.9, 2.1}) {
    s.l1.setConstant(each);
    const Solution out = solve(make_highs(), problem, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.primal == Approx(std::min(4.0, 2 * each)).epsilon(1e-10));
    CHECK(out.certificate.gap < 1e-9);
    CHECK(out.w(2, 0) == Approx(each < 2 ? 1 : 0).margin(1e-9));
  }
}

TEST_CASE("quadratic features: certificates hold and single groups are the plain program") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Index n = 30, p = 6;
    const Mat base = gaussian_classes(n, p, 2, seed);
    std::vector<IndexList> groups;
    Mat x(n, p + p * (p + 1) / 2);
    for (Index j = 0; j < p; ++j) {
      x.col(Index(groups.size())) = base.col(j);
      groups.push_back({j});
    }
    for (Index j = 0; j < p; ++j)
      for (Index k = j; k < p; ++k) {
        x.col(Index(groups.size())) = base.col(j).cwiseProduct(base.col(k));
        groups.push_back(j == k ? IndexList{j} : IndexList{j, k});
      }
    Problem problem = random_classes(x, 2, 0.3);
    problem.loss = Loss::hinge;
    problem.y = problem.y.col(1).eval();
    Surrogate s;
    s.scale = Vec::Constant(x.cols(), kInf);
    s.groups = groups;
    s.l1 = Vec::LinSpaced(p, 0.5, 1.5);

    auto engine = make_highs();
    engine->setup(problem);
    for (int round = 0; round < 3; ++round) {  // Each iteration sets new costs in the same programme.
      const Solution out = engine->solve(s, Limits());
      REQUIRE(out.status == Status::optimal);
      const Certificate c = certify(problem, s, out);
      CHECK(c.gap < 1e-9);
      CHECK(c.kkt < 1e-7);
      s.l1 = s.l1.reverse().eval() * 0.7;
    }

    Surrogate plain;
    plain.scale = Vec::Constant(p, kInf);
    plain.l1 = Vec::Constant(p, 0.7);
    Surrogate single = plain;
    for (Index j = 0; j < p; ++j) single.groups.push_back({j});
    Problem linear = problem;
    linear.x = design(base);
    const Solution one = solve(make_highs(), linear, plain), other = solve(make_highs(), linear, single);
    CHECK(one.certificate.primal == Approx(other.certificate.primal).epsilon(1e-10));
    CHECK(other.certificate.gap < 1e-9);
  }
}

TEST_CASE("a wrong solution is not certified") {
  const Mat x = gaussian_classes(30, 12, 3, 2);
  const Problem problem = random_classes(x, 3, 0.2);
  const Surrogate s = surrogate(12, 0.4, kInf);
  Solution out = solve(make_highs(), problem, s);
  REQUIRE(out.status == Status::optimal);
  Solution off = out;
  off.w *= 1.01;
  CHECK(certify(problem, s, off).gap > 1e-5);
  off = out;
  off.dual *= 0.9;
  CHECK(certify(problem, s, off).gap > 1e-3);
  off = out;
  off.dual.row(0).array() = 0.2;
  CHECK(certify(problem, s, off).gap > 1e-3);
}

TEST_CASE("norm SVM: both quadratic engines agree on a kernel with a rescaled ridge") {
  const Mat points = gaussian_classes(40, 3, 2, 8);
  Mat k(40, 40);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) k(i, j) = std::exp(-0.3 * (points.row(i) - points.row(j)).squaredNorm());
  Problem problem = random_classes(points, 2, 1);
  problem.loss = Loss::hinge;
  problem.y = problem.y.col(1).eval();
  problem.quadratic = Quadratic::kernel;
  problem.x = kernel_design(k);
  Surrogate s = surrogate(40, 0, 2);
  // The scales are z = |a|^((2-p)/2) / sqrt(C_a) with p = 0 and C_a = 1/4.
  for (int round = 0; round < 4; ++round) {
    const Solution one = solve(make_osqp(), problem, s), other = solve(make_dual_qp(), problem, s);
    REQUIRE(one.status == Status::optimal);
    REQUIRE(other.status == Status::optimal);
    CHECK(one.certificate.gap < 1e-7);
    CHECK(other.certificate.gap < 1e-7);
    CHECK(one.certificate.primal == Approx(other.certificate.primal).epsilon(1e-7));
    CHECK((one.w - other.w).norm() < 1e-4 * one.w.norm());
    s.scale = 2 * one.w.col(0).cwiseAbs();
  }
}

TEST_CASE("kernel alignment: linear kernels of orthogonal features have a closed form") {
  // The minimum over the box of |yy' - sum_j s_j x_j x_j'|^2 / 4 for orthogonal x_j is s_j = (y'x_j)^2 / |x_j|^4,
  // clipped.
  Mat x(4, 3);
  x << 1, 1, 2, 1, -1, -2, -1, 1, -2, -1, -1, 2;
  const Vec y = Eigen::Vector4d(1, 0.5, -1, -0.4);
  BoxSmooth problem;
  problem.lower = Vec::Zero(3);
  problem.upper = Vec::Constant(3, 0.6);
  problem.value = [&](const Vec& s, Vec& gradient) {
    const Mat off = x * s.asDiagonal() * x.transpose() - y * y.transpose();
    gradient = 0.5 * (x.transpose() * off * x).diagonal();
    return 0.25 * off.squaredNorm();
  };
  const BoxResult out = minimise_box(problem, Vec::Constant(3, 0.3), Limits());
  REQUIRE(out.status == Status::optimal);
  for (Index j = 0; j < 3; ++j) {
    const double free = std::pow(y.dot(x.col(j)) / x.col(j).squaredNorm(), 2);
    CHECK(out.x[j] == Approx(std::min(0.6, free)).margin(1e-7));
  }
  CHECK(out.gap < 1e-7);
}

TEST_CASE("kernel alignment: scales of a gaussian kernel end where no feasible step descends") {
  const Mat x = gaussian_classes(30, 6, 2, 4);
  Vec y(30);
  for (Index i = 0; i < 30; ++i) y[i] = i % 2 ? 1 : -1;
  BoxSmooth problem;
  problem.lower = Vec::Zero(6);
  problem.upper = Vec::Constant(6, 2);
  problem.value = [&](const Vec& s, Vec& gradient) {
    double value = 0.002 * s.sum();
    gradient = Vec::Constant(6, 0.002);
    for (Index i = 0; i < 30; ++i)
      for (Index k = 0; k < 30; ++k) {
        const Vec apart = (x.row(i) - x.row(k)).array().square();
        const double part = y[i] * y[k] * std::exp(-s.dot(apart)) / 900;
        value -= part;
        gradient += part * apart;
      }
    return value;
  };
  const BoxResult out = minimise_box(problem, Vec::Constant(6, 0.5), Limits());
  REQUIRE(out.status == Status::optimal);
  Vec unused;
  const double at = problem.value(out.x, unused);
  CHECK(at < problem.value(Vec::Constant(6, 0.5), unused));
  CHECK(out.x.head(2).minCoeff() > 1e-3);  // These two features separate the classes.
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec step = Vec::NullaryExpr(6, [&] { return normal(random); });
    const Vec s = (out.x + 1e-4 * step).cwiseMax(0.0).cwiseMin(2.0);
    CHECK(problem.value(s, unused) >= at - 1e-12);
  }
}

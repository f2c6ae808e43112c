// Tests certificates against problems solved by hand and optima of other engines, and intercepts against bisection on
// slopes that are exact in binary.
#include <testthat/vendor/catch.h>

#include "grade.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// Returns the slope of the loss in b, just right of b (side = 1) or just left (side = -1).
double slope(const Vec& f, const Vec& y, const Vec& cost, Loss loss, double b, int side) {
  double value = 0;
  for (Index i = 0; i < f.size(); ++i) {
    const double slack = 1 - y[i] * (f[i] + b);
    if (loss == Loss::squared_hinge)
      value -= cost[i] * y[i] * std::max(0.0, slack);
    else if (slack > 0 || (slack == 0 && y[i] * side < 0))
      value -= cost[i] * y[i];
  }
  return value;
}

// Returns the midpoint of {b: 0 in the subdifferential}, with both ends by bisection between the outermost
// breakpoints.
double intercept_by_bisection(const Vec& f, const Vec& y, const Vec& cost, Loss loss) {
  double low = kInf, high = -kInf;
  for (Index i = 0; i < f.size(); ++i)
    if (cost[i] > 0) low = std::min(low, y[i] - f[i]), high = std::max(high, y[i] - f[i]);
  auto bisect = [&](auto left_of) {
    double from = low, to = high;
    for (int step = 0; step < 200; ++step) {
      const double middle = 0.5 * (from + to);
      (left_of(middle) ? from : to) = middle;
    }
    return to;
  };
  const double first = bisect([&](double b) { return slope(f, y, cost, loss, b, 1) < 0; });
  const double last = bisect([&](double b) { return slope(f, y, cost, loss, b, -1) <= 0; });
  return 0.5 * (first + last);
}

// Decision values on a grid with integer costs give ties everywhere and no rounding.
Vec on_grid(Index n, Random& random) { return (4 * gaussian(n, random)).array().round() / 4; }

struct TwoPoints {
  Mat x = Eigen::Vector2d(2, 0);
  Vec y = Eigen::Vector2d(1, -1);
  Solution at(double w, double b, double a) const {
    Solution s;
    s.w = Mat::Constant(1, 1, w);
    s.b = Vec::Constant(1, b);
    s.dual = Mat::Constant(2, 1, a);
    s.status = Status::optimal;
    return s;
  }
};

}  // namespace

TEST_CASE("best_intercept is the midpoint of the optimal interval") {
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const Index n = 2 + Index(random() % 12);
    const Vec f = on_grid(n, random), y = alternating(n);
    Vec cost = Vec::Ones(n);
    if (trial % 2) cost = Vec::NullaryExpr(n, [&] { return double(random() % 4); });
    cost[0] = cost[1] = 1 + double(trial % 3);  // Both classes have weight.
    for (Loss loss : {Loss::hinge, Loss::squared_hinge}) {
      INFO("trial " << trial << ", loss " << int(loss));
      const double found = best_intercept(f, y, cost, loss);
      CHECK(found == Approx(intercept_by_bisection(f, y, cost, loss)).epsilon(1e-10).margin(1e-10));
    }
  }
}

TEST_CASE("best_intercept: by hand") {
  const Vec y = Eigen::Vector2d(1, -1), ones = Vec::Ones(2), hard = Vec::Constant(2, kInf);
  const Vec apart = Eigen::Vector2d(5, -1), close = Eigen::Vector2d(0.5, 0);
  CHECK(best_intercept(apart, y, ones, Loss::hinge) == -2);  // Any value in [-4, 0] is optimal.
  CHECK(best_intercept(apart, y, ones, Loss::squared_hinge) == -2);
  CHECK(best_intercept(apart, y, hard, Loss::hinge) == -2);
  CHECK(best_intercept(close, y, ones, Loss::hinge) == -0.25);  // Any value in [-1, 1/2] is optimal.
  CHECK(best_intercept(close, y, ones, Loss::squared_hinge) == -0.25);
  const Vec heavy = Eigen::Vector2d(3, 1);
  CHECK(best_intercept(close, y, heavy, Loss::hinge) == 0.5);
  // The optimum solves 3 (1/2 - b) = 1 + b.
  CHECK(best_intercept(close, y, heavy, Loss::squared_hinge) == Approx(0.125));
}

TEST_CASE("two points: the linear programme by hand") {
  const TwoPoints data;
  const Surrogate s = surrogate(1, 1, kInf);
  // Violations sum to 2 - 2w, so w = 1 is optimal for c > 1/2.
  Certificate c = certify(svm_problem(data.x, data.y, 2), s, data.at(1, -1, 0.5));
  CHECK(c.primal == Approx(1).epsilon(1e-15));
  CHECK(c.dual == Approx(1).epsilon(1e-15));
  CHECK(c.gap < 1e-14);
  CHECK(c.kkt < 1e-14);
  c = certify(svm_problem(data.x, data.y, 0.25), s, data.at(0, 0, 0.25));
  CHECK(c.primal == 0.5);
  CHECK(c.dual == 0.5);
  CHECK(c.kkt == 0);
  c = certify(svm_problem(data.x, data.y, kInf), s, data.at(1, -1, 0.5));
  CHECK(c.gap < 1e-14);
  CHECK(c.kkt < 1e-14);
}

TEST_CASE("two points: the quadratic programme by hand") {
  const TwoPoints data;
  for (double cost : {2.0, kInf}) {
    const Certificate c = certify(svm_problem(data.x, data.y, cost), surrogate(1, 0, 1), data.at(1, -1, 0.5));
    CHECK(c.primal == 0.5);
    CHECK(c.dual == 0.5);
    CHECK(c.kkt == 0);
  }
  // The elastic net 1/2 |w| + 1/2 w^2 requires 2 a = w + 1/2 with w = 1.
  Certificate c = certify(svm_problem(data.x, data.y, 2), surrogate(1, 0.5, 1), data.at(1, -1, 0.75));
  CHECK(c.primal == 1);
  CHECK(c.dual == Approx(1).epsilon(1e-15));
  // For the squared hinge with c = 1 each violation is 1 - w, and w = 2 a = 2 (1 - w).
  Problem squared = svm_problem(data.x, data.y, 1);
  squared.loss = Loss::squared_hinge;
  c = certify(squared, surrogate(1, 0, 1), data.at(2.0 / 3, -2.0 / 3, 1.0 / 3));
  CHECK(c.primal == Approx(2.0 / 9 + 1.0 / 9).epsilon(1e-15));
  CHECK(c.gap < 1e-14);
  CHECK(c.kkt < 1e-14);
  // The same SVM as an expansion on the kernel xx': f = Kv + b with v = y a.
  Problem kernel = svm_problem(data.x, data.y, 2);
  kernel.quadratic = Quadratic::kernel;
  kernel.x = kernel_design(data.x * data.x.transpose());
  Solution expansion = data.at(0, -1, 0.5);
  expansion.w = 0.5 * data.y;
  c = certify(kernel, surrogate(2, 0, kInf), expansion);
  CHECK(c.primal == 0.5);
  CHECK(c.dual == 0.5);
}

TEST_CASE("two points: a wrong solution has a large gap") {
  const TwoPoints data;
  for (double cost : {2.0, kInf})
    for (const Surrogate& s : {surrogate(1, 1, kInf), surrogate(1, 0, 1)}) {
      const Problem p = svm_problem(data.x, data.y, cost);
      for (const Solution& wrong :
           {data.at(1.01, -1, 0.5), data.at(1, -0.9, 0.5), data.at(0.98, -0.98, 0.5), data.at(1, -1, 0.49),
            data.at(0, 0, 0.5), data.at(0, 0, 0), data.at(0, 0, 2), data.at(-1, 1, 0.5)}) {
        const Certificate c = certify(p, s, wrong);
        INFO("w " << wrong.w(0) << " b " << wrong.b[0] << " a " << wrong.dual(0) << " cost " << cost);
        CHECK(c.gap > 1e-4);
        CHECK(c.dual <= (s.l1[0] > 0 ? 1 : 0.5) * (1 + 1e-12));
      }
    }
}

TEST_CASE("columns that cost nothing must not earn") {
  const TwoPoints data;
  Mat x(2, 2);
  x << 2, 1, 0, 1;  // The second column is an intercept.
  const Problem p = svm_problem(x, data.y, 2, false);
  Surrogate s = surrogate(2, 1, kInf);
  s.l1[1] = 0;
  Solution right = data.at(1, 0, 0.5);
  right.w = Eigen::Vector2d(1, -1);
  const Certificate c = certify(p, s, right);
  CHECK(c.primal == 1);
  CHECK(c.dual == 1);
  CHECK(c.kkt == 0);
  Solution wrong = right;
  wrong.dual(0) = 0.55;  // Now y'a is not zero.
  CHECK(certify(p, s, wrong).gap > 1e-3);
  CHECK(certify(p, s, wrong).dual <= 1);
}

TEST_CASE("no multipliers prove more than the optimum") {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 10 + Index(random() % 20), d = 2 + Index(random() % 30);
    const Mat x = shifted(n, d, 0.5, random);
    const Problem p = svm_problem(x, alternating(n), 0.1 + uniform(random));
    Surrogate s = surrogate(d, 1, kInf);
    const bool quadratic = trial % 2;
    if (quadratic)
      s = surrogate(d, 0, 0.3);
    else
      s.l1 = s.l1.array() + gaussian(d, random).array().abs();
    const Solution best = solve(quadratic ? make_osqp() : make_highs({false}), p, s, 1e-10);
    REQUIRE(best.status == Status::optimal);
    const double optimum = objective(x, p, s, best);
    INFO("trial " << trial);
    REQUIRE(certify(p, s, best).gap < 1e-6);
    for (int change = 0; change < 8; ++change) {
      Solution off = best;
      switch (change) {
        case 0: off.dual *= 1.3; break;
        case 1: off.dual = off.dual.array() + 0.1 * uniform(random); break;
        case 2: off.dual = p.cost; break;
        case 3: off.dual = p.cost.cwiseProduct(gaussian(n, random).cwiseAbs()); break;
        case 4: off.dual += 1e-4 * gaussian(n, 1, random); break;
        case 5: off.dual *= 1 + 1e-6; break;
        case 6:  // A failed engine may return this.
          off.w.setZero();
          off.b.setZero();
          off.dual = p.cost;
          break;
        default: off.w *= 0.01; off.dual *= 1.2;
      }
      const Certificate c = certify(p, s, off);
      INFO("change " << change << ", optimum " << optimum << ", bound " << c.dual);
      CHECK(c.dual <= optimum + 1e-8 * std::abs(optimum));
      CHECK(c.primal >= optimum - 1e-8 * std::abs(optimum));
    }
  }
}

TEST_CASE("bounds do not depend on the units of the columns") {
  Random random(3);
  const Mat base = shifted(20, 6, 0.5, random);
  const Vec a = gaussian(20, random).cwiseAbs() / 40;
  for (int kind = 0; kind < 3; ++kind) {
    double plain = 0;
    for (double unit : {1.0, 1e-7, 1e7}) {
      const Mat x = unit * base;
      Problem p = svm_problem(x, alternating(20), 0.1);
      Surrogate s = surrogate(6, 0.2 * unit, kInf);
      s.l1[5] = 0;
      Solution off;
      off.w = Mat::Zero(6, 1);
      off.w(0) = 0.1 / unit;
      off.b = Vec::Zero(1);
      off.dual = a;
      if (kind == 1) s.groups = {{0}, {1}, {2}, {3}, {4}, {5}};
      if (kind == 2) {
        p.loss = Loss::weston_watkins;
        p.y = Mat::Constant(20, 2, -1);
        for (Index i = 0; i < 20; ++i) p.y(i, i % 2) = 1;
        off.w = (Mat(6, 2) << off.w, -off.w).finished();
        off.b = Vec::Zero(2);
        off.dual = a.replicate(1, 2);
      }
      const double dual = certify(p, s, off).dual;
      INFO("kind " << kind << ", unit " << unit);
      if (unit == 1.0) plain = dual;
      CHECK(dual == Approx(plain).epsilon(1e-9));
    }
  }
}

TEST_CASE("hard margins: the primal value is that of a feasible point") {
  const TwoPoints data;
  const Problem p = svm_problem(data.x, data.y, kInf);
  // The solution is short of the margin by 1e-6 and is scaled up by as much.
  const Solution near = data.at(1 - 1e-6, -1 + 1e-6, 0.5);
  CHECK(certify(p, surrogate(1, 1, kInf), near).primal >= 1);
  CHECK(certify(p, surrogate(1, 0, 1), near).primal >= 0.5);
  CHECK(certify(p, surrogate(1, 0, 1), near).primal == Approx(0.5).epsilon(1e-11));
  CHECK(certify(p, surrogate(1, 0, 1), data.at(0.5, -0.5, 0.5)).primal == kInf);
  CHECK(certify(p, surrogate(1, 0, 1), data.at(0.5, -0.5, 0.5)).gap == kInf);
}

// The problem max(|w1|, |w2|) + w1^2 / 2 + 2 * violations, with w2 without a ridge: if both margins hold, w1 + w2 =
// 1, so w1 = w2 = 1/2, b = -1/2 and a = 3/8 are optimal with value 5/8.
TEST_CASE("one price for columns with and without a ridge: by hand") {
  Mat x(2, 2);
  x << 2, 1, 0, -1;
  const Problem p = svm_problem(x, Eigen::Vector2d(1, -1), 2);
  Surrogate s = surrogate(2, 1, kInf);
  s.scale[0] = 1;
  s.l1 = Vec::Ones(1);
  s.groups = {{0}, {0}};
  Solution out;
  out.w = Eigen::Vector2d(0.5, 0.5);
  out.b = Vec::Constant(1, -0.5);
  out.dual = Vec::Constant(2, 0.375);
  CHECK(certify(p, s, out).primal == Approx(0.625).epsilon(1e-15));
  CHECK(certify(p, s, out).gap < 1e-14);
  out.dual *= 1.01;  // These prices exceed the cost.
  CHECK(certify(p, s, out).dual <= 0.625);
  CHECK(certify(p, s, out).dual > 0.6);
  out.w.setZero();
  out.b.setZero();
  out.dual = Vec::Constant(2, 2);
  const Certificate nothing = certify(p, s, out);
  CHECK(nothing.primal == 4);
  CHECK(nothing.dual <= 0.625);
  CHECK(nothing.gap > 0.5);
}

// The problem max(|w1|, |w2|) + (2 - w1 - w2)_+ with a further row of margin -1000: w1 = w2 = 1 and a = 1/2 are
// optimal with value 1. Multipliers that are 1 % too large lose what they gain, because no optimum pays more than 1,
// however far margins reach.
TEST_CASE("one price: what multipliers beyond it cost, by hand and by the grader") {
  Mat x(2, 2);
  x << 1, 1, 0, 0;
  Problem p = svm_problem(x, Vec::Ones(2), 1);
  p.intercept = false;
  p.margin = Eigen::Vector2d(2, -1000);
  Surrogate s = surrogate(2, 1, kInf);
  s.l1 = Vec::Ones(1);
  s.groups = {{0}, {0}};
  const RealMat entries = x.cast<Real>();
  const Grader grader(entries, p, s);
  Solution out;
  out.w = Eigen::Vector2d(1, 1);
  for (double a : {0.5, 0.505}) {
    out.dual = Eigen::Vector2d(a, 0);
    CHECK(certify(p, s, out).primal == Approx(1).epsilon(1e-15));
    CHECK(certify(p, s, out).dual == Approx(1).epsilon(1e-15));
    CHECK(double(grader.grade(out).primal) == Approx(1).epsilon(1e-15));
    CHECK(double(grader.grade(out).dual) == Approx(1).epsilon(1e-15));
  }
  out.w.setZero();
  out.dual = Eigen::Vector2d(1, 0);
  CHECK(certify(p, s, out).dual == 0);
  CHECK(grader.grade(out).dual == 0);
}

// An unpenalised weight of 1e6 leaves no violation. At 1e-6, where it only satisfies the far row, one violation is
// left, and the price of 1e-6 is not a rounding error of the force of the far row, which is zero.
TEST_CASE("how far a free weight reaches is told by the rows that push") {
  const Mat x = Eigen::Vector2d(1e-6, -1e6);
  for (Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Problem p = svm_problem(x, Eigen::Vector2d(1, -1), 1, false);
    p.loss = loss;
    const Surrogate s = surrogate(1, 0, kInf);
    Solution out;
    out.w = Mat::Constant(1, 1, 1e-6);
    out.dual = Eigen::Vector2d(1, 0);
    CHECK(certify(p, s, out).gap > 0.9);
    out.w(0, 0) = 1e6;
    out.dual.setZero();
    CHECK(certify(p, s, out).gap == 0);
  }
  // The contributions of rows with opposite labels cancel up to rounding.
  const Mat ones = Vec::Ones(2);
  const Problem p = svm_problem(ones, Eigen::Vector2d(1, -1), 1, false);
  Solution out;
  out.w = Mat::Zero(1, 1);
  out.dual = Eigen::Vector2d(1, 1 - 1e-9);
  CHECK(certify(p, surrogate(1, 0, kInf), out).gap < kProof);
}

// The rows differ by 1e-9 relative to 1, which a weight of 1e9 and an intercept separate without violation.
TEST_CASE("how far a free weight reaches beside an intercept is told by what its column varies by") {
  const Mat x = Eigen::Vector3d(1 + 2e-9, 1 + 1e-9, 1 + 2e-9);
  Problem p = svm_problem(x, Eigen::Vector3d(-1, 1, -1), 1);
  p.loss = Loss::squared_hinge;
  p.cost << 1, 0.1, 0.1;
  const Surrogate s = surrogate(1, 0, kInf);
  Solution out;
  out.w = Mat::Zero(1, 1);
  out.b = Vec::Constant(1, -1.0 / 1.2);  // This is the best intercept without weights.
  out.dual = p.cost.array() * (1 - p.y.col(0).array() * out.b[0]);
  CHECK(certify(p, s, out).primal == Approx(0.55 / 3));
  CHECK(certify(p, s, out).gap > 0.9);
  out.w(0, 0) = -2e9;
  out.b[0] = 2e9 + 3;
  out.dual.setZero();
  CHECK(certify(p, s, out).gap <= kProof);
}

TEST_CASE("values that are no numbers prove nothing") {
  const double nan = std::nan("");
  CHECK(relative_gap(1, nan, 1) == kInf);
  CHECK(relative_gap(nan, 1, 1) == kInf);
  CHECK(relative_gap(kInf, 1, 1) == kInf);
  CHECK(relative_gap(1, -kInf, 1) == kInf);
  CHECK(relative_gap(3, 2, 1) == Approx(1.0 / 3));
  CHECK(relative_gap(2, 3, 1) == 0);
  CHECK(relative_gap(3e-9, 2e-9, 1) == Approx(1e-9));
  CHECK(relative_gap(0, 0, 0) == 0);
}

TEST_CASE("hard margins are to hold also where nothing costs") {
  const Mat x = Eigen::Vector2d(1, 2);
  for (Index outputs : {1, 2}) {
    Problem p = svm_problem(x, Eigen::Vector2d(-1, -1), kInf);
    p.y = Mat::Constant(2, outputs, -1);
    Solution out;
    out.w = Mat::Zero(1, outputs);
    out.dual = Mat::Zero(2, outputs);
    out.b = Vec::Constant(outputs, -1);
    CHECK(certify(p, surrogate(1, 0, 1), out).gap == 0);
    out.b[0] = -0.999;  // This is short of a margin, at no cost.
    CHECK(certify(p, surrogate(1, 0, 1), out).gap >= 0.999e-3);
  }
}

TEST_CASE("slacks by hand") {
  const TwoPoints data;
  const Vec found = slacks(svm_problem(data.x, data.y, 1), Vec::Constant(1, 0.25), 0.5);
  CHECK(found[0] == 0);
  CHECK(found[1] == 1.5);
}

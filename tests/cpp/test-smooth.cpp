// Tests the smooth engine and its losses: finite differences, conjugates by search, optima against coordinate-wise
// bisection, closed forms, gaps, and sparse against dense data.
#include <testthat/vendor/catch.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "instances.h"
#include "loop/minimise.h"
#include "problem/loss.h"

using namespace zeronorm;

namespace {

const Loss kSmooth[] = {Loss::squared, Loss::logistic, Loss::squared_hinge};

double cost_of(const Mat& x, const Problem& p, const Surrogate& s, const Vec& w, double b) {
  double value = 0;
  for (Index j = 0; j < w.size(); ++j) {
    if (w[j] == 0) continue;
    value += s.l1[j] * std::abs(w[j]) - (s.linear.size() ? s.linear[j] * w[j] : 0.0);
    if (s.scale[j] < kInf) value += 0.5 * std::pow(w[j] / s.scale[j], 2);
  }
  for (Index i = 0; i < x.rows(); ++i) {
    const double f = x.row(i).dot(w) + b, y = p.y(i, 0);
    const double loss = p.loss == Loss::squared    ? 0.5 * (y - f) * (y - f)
                        : p.loss == Loss::logistic ? std::log(1 + std::exp(-y * f))
                                                   : 0.5 * std::pow(std::max(0.0, p.margin_of(i) - y * f), 2);
    value += p.cost[i] * loss;
  }
  return value;
}
double cost_of(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  return cost_of(x, p, s, out.w.col(0), out.b[0]);
}

// Moves one coordinate after the other to where its slope, by finite differences of the loss alone, changes sign.
double bisection(const Mat& x, const Problem& p, const Surrogate& s, int sweeps) {
  const Index n = x.rows(), d = x.cols();
  Vec w = Vec::Zero(d), f = Vec::Zero(n);
  double b = 0;
  const auto push = [&](Index i, double at) {
    const double y = p.y(i, 0);
    const double r = p.loss == Loss::squared    ? y - at
                     : p.loss == Loss::logistic ? y / (1 + std::exp(y * at))
                                                : y * std::max(0.0, p.margin_of(i) - y * at);
    return p.cost[i] * r;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double moved = 0;
    for (Index j = 0; j <= d; ++j) {
      if (j < d ? s.scale[j] == 0 : !p.intercept) continue;
      const double old = j < d ? w[j] : b;
      // Returns the slope of the objective at value v, from the right (side > 0) or the left.
      const auto slope = [&](double v, int side) {
        double g = 0;
        for (Index i = 0; i < n; ++i) {
          const double xij = j < d ? x(i, j) : 1.0;
          g -= xij * push(i, f[i] + (v - old) * xij);
        }
        if (j == d) return g;
        if (s.scale[j] < kInf) g += v / (s.scale[j] * s.scale[j]);
        if (s.linear.size()) g -= s.linear[j];
        return g + (v > 0 || (v == 0 && side > 0) ? s.l1[j] : -s.l1[j]);
      };
      double v = 0;
      if (slope(0, 1) < 0 || slope(0, -1) > 0) {
        const double sign = slope(0, 1) < 0 ? 1 : -1;
        double low = 0, high = 1;
        while (sign * slope(sign * high, 1) < 0 && high < 1e6) high *= 2;
        for (int k = 0; k < 100; ++k) {
          const double mid = 0.5 * (low + high);
          (sign * slope(sign * mid, 1) < 0 ? low : high) = mid;
        }
        v = sign * 0.5 * (low + high);
      }
      for (Index i = 0; i < n; ++i) f[i] += (v - old) * (j < d ? x(i, j) : 1.0);
      moved = std::max(moved, std::abs(v - old));
      (j < d ? w[j] : b) = v;
    }
    if (moved < 1e-13) break;
  }
  return cost_of(x, p, s, w, b);
}

struct Case {
  Mat x;
  Problem problem;
  Surrogate surrogate;
};

Case random_case(unsigned seed, Index most_rows, Index most_columns) {
  Random random(seed);
  auto coin = [&](double share) { return uniform(random) < share; };
  const Index n = 4 + Index(uniform(random) * double(most_rows - 4)),
              d = 1 + Index(uniform(random) * double(most_columns));
  Case c;
  c.x = gaussian(n, d, random);
  if (seed % 3 == 1) c.x = c.x.array().round();
  if (seed % 3 == 2)
    for (Index j = 1; j < d; ++j)
      if (coin(0.2)) c.x.col(j) = c.x.col(j - 1);
  c.problem = svm_problem(c.x, alternating(n), 1, coin(0.7));
  c.problem.loss = kSmooth[seed % 7 % 3];
  for (Index i = 0; i < n; ++i) c.problem.cost[i] = coin(0.5) ? 1 : coin(0.1) ? 0 : 2 * uniform(random);
  c.problem.cost.head(2).setOnes();
  c.problem.cost *= std::pow(10, 2 * uniform(random) - 1);
  if (c.problem.loss == Loss::squared_hinge && coin(0.5)) c.problem.margin = 2 * gaussian(n, random);
  if (c.problem.loss == Loss::squared)
    for (Index i = 0; i < n; ++i) c.problem.y(i, 0) = c.x(i, 0) + 3 + normal(random);
  c.surrogate = surrogate(d, 0, kInf);
  if (coin(0.3)) c.surrogate.linear = Vec::Zero(d);
  const double price = double(n) * c.problem.cost.mean();
  for (Index j = 0; j < d; ++j) {
    c.surrogate.l1[j] = price * (0.02 + 0.3 * uniform(random));
    if (c.surrogate.linear.size())
      c.surrogate.linear[j] = 0.9 * c.surrogate.l1[j] * (2 * uniform(random) - 1);
    if (coin(0.1)) c.surrogate.scale[j] = 0;
    if (coin(0.3)) c.surrogate.scale[j] = std::pow(10, 2 * uniform(random) - 1) / std::sqrt(price);
    if (coin(0.2) && c.surrogate.scale[j] < kInf) c.surrogate.l1[j] = 0;
  }
  if (d < n / 3 && coin(0.3)) c.surrogate.l1[0] = 0, c.surrogate.scale[0] = kInf;
  if (c.surrogate.l1[0] == 0 && c.surrogate.linear.size()) c.surrogate.linear[0] = 0;
  return c;
}

}  // namespace

TEST_CASE("forces, curvatures and conjugates of the losses") {
  const double h = 1e-5;
  for (Loss loss : kSmooth)
    for (double y : {-1.0, 1.0, 2.5}) {
      if (y == 2.5 && loss != Loss::squared) continue;
      for (double f : {-30.0, -2.2, -0.7, 0.0, 0.3, 1.9, 40.0}) {
        const double up = loss_value(loss, y, f + h), down = loss_value(loss, y, f - h);
        CHECK(loss_force(loss, y, f) == Approx((down - up) / (2 * h)).margin(1e-8));
        const double slope = (loss_force(loss, y, f - h) - loss_force(loss, y, f + h)) / (2 * h);
        CHECK(loss_curvature(loss, y, f) == Approx(slope).margin(1e-8));
        // The conjugate touches at the force of f and is a lower bound elsewhere.
        const double force = loss_force(loss, y, f);
        CHECK(loss_dual(loss, y, force) == Approx(loss_value(loss, y, f) + force * f).margin(1e-11));
        for (double other = -5; other < 5; other += 0.25)
          CHECK(loss_value(loss, y, other) + force * other >= loss_dual(loss, y, force) - 1e-12);
      }
    }
  CHECK(loss_value(Loss::logistic, 1, -800) == 800);
  CHECK(loss_value(Loss::logistic, 1, 800) == 0);
  CHECK(loss_value(Loss::logistic, -1, 0) == Approx(std::log(2.0)));
}

TEST_CASE("best intercepts of smooth losses") {
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    const Index n = 3 + k;
    const Vec f = 3 * gaussian(n, random), y = alternating(n);
    const Vec cost = Vec::NullaryExpr(n, [&] { return 0.1 + uniform(random); });
    for (Loss loss : {Loss::squared, Loss::logistic}) {
      const double b = best_intercept(f, y, cost, loss);
      double balance = 0;
      for (Index i = 0; i < n; ++i) balance += cost[i] * loss_force(loss, y[i], f[i] + b);
      CHECK(std::abs(balance) < 1e-13 * double(n));
    }
  }
  const Vec far = Vec::Constant(2, 1e4);
  CHECK(best_intercept(far, alternating(2), Vec::Ones(2), Loss::logistic) == Approx(-1e4));
  const double one_class = best_intercept(Vec::Zero(3), Vec::Ones(3), Vec::Ones(3), Loss::logistic);
  CHECK(one_class >= 30);
  CHECK(one_class < 100);
}

TEST_CASE("one column by hand") {
  // For the squared loss c/2 (y - w)^2 + l |w|, w = soft(y, l / c).
  Mat x = Mat::Ones(1, 1);
  Problem p = svm_problem(x, Vec::Constant(1, 3), 2, false);
  p.loss = Loss::squared;
  const Solution squared = solve(make_smooth(), p, surrogate(1, 1, kInf));
  CHECK(squared.w(0, 0) == Approx(2.5));
  CHECK(squared.dual(0, 0) == Approx(1));
  CHECK(solve(make_smooth(), p, surrogate(1, 7, kInf)).w(0, 0) == 0);
  // For the logistic loss log(1 + e^-w) + l w, the minimum solves 1 / (1 + e^w) = l.
  p = svm_problem(x, Vec::Ones(1), 1, false);
  p.loss = Loss::logistic;
  CHECK(solve(make_smooth(), p, surrogate(1, 0.2, kInf)).w(0, 0) == Approx(std::log(4.0)));
  CHECK(solve(make_smooth(), p, surrogate(1, 0.5, kInf)).w(0, 0) == 0);
  // For the squared hinge the objective is (1 - w)^2/2 + l w.
  p.loss = Loss::squared_hinge;
  CHECK(solve(make_smooth(), p, surrogate(1, 0.2, kInf)).w(0, 0) == Approx(0.8));
}

TEST_CASE("the optimum of small problems, gap closed") {
  for (unsigned seed = 0; seed < 240; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed, 14, 12);
    auto engine = make_smooth();
    REQUIRE(engine->refuses(c.problem, c.surrogate).empty());
    const Solution out = solve(std::move(engine), c.problem, c.surrogate);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-10);
    CHECK(out.certificate.kkt <= 1e-7);
    const double value = cost_of(c.x, c.problem, c.surrogate, out);
    CHECK(out.certificate.primal == Approx(value).epsilon(1e-12));
    const double slow = bisection(c.x, c.problem, c.surrogate, 3000);
    const double size = std::max(std::abs(slow), gap_floor(c.problem));
    CHECK(value <= slow + 1e-9 * size);
    CHECK(value >= slow - 1e-6 * size);
  }
}

TEST_CASE("wide and tall problems close their gap, warm as cold") {
  for (unsigned seed = 1000; seed < 1060; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed, 60, 150);
    auto engine = make_smooth();
    engine->setup(c.problem);
    Surrogate s = c.surrogate;
    for (double factor : {1.0, 0.3, 0.05, 0.5}) {
      s.l1 = factor * c.surrogate.l1;
      if (s.linear.size()) s.linear = factor * c.surrogate.linear;
      const Solution warm = solve(*engine, c.problem, s), cold = solve(make_smooth(), c.problem, s);
      REQUIRE(warm.status == Status::optimal);
      REQUIRE(cold.status == Status::optimal);
      CHECK(warm.certificate.gap <= 1e-10);
      CHECK(cold.certificate.gap <= 1e-10);
      const double size = std::max(std::abs(cold.certificate.primal), gap_floor(c.problem));
      CHECK(std::abs(warm.certificate.primal - cold.certificate.primal) <= 1e-10 * size);
    }
  }
}

TEST_CASE("more ridges than rows act through their Gram matrix") {
  Random random(3);
  const Index n = 12, d = 40;
  const Mat x = gaussian(n, d, random);
  for (Loss loss : kSmooth) {
    Problem p = svm_problem(x, alternating(n), 2);
    p.loss = loss;
    Surrogate s = surrogate(d, 0, 0.7);
    s.linear = 0.1 * gaussian(d, random);
    s.scale[3] = 0;
    s.scale[5] = kInf, s.linear[5] = 0;  // This column is unpenalised.
    s.l1[7] = 0.2;                       // This column has an l1 cost and a ridge.
    s.l1[8] = 0.2, s.scale[8] = kInf;    // This column has an l1 cost only.
    const Solution out = solve(make_smooth(), p, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-10);
    CHECK(out.w(3, 0) == 0);
    CHECK(cost_of(x, p, s, out) <= bisection(x, p, s, 2000) + 1e-9);
    // The engine is warm from other ridges on the same columns.
    auto engine = make_smooth();
    engine->setup(p);
    Surrogate other = s;
    other.scale *= 3;
    REQUIRE(solve(*engine, p, other).status == Status::optimal);
    const Solution again = solve(*engine, p, s);
    REQUIRE(again.status == Status::optimal);
    CHECK(again.certificate.gap <= 1e-10);
    CHECK((again.w - out.w).norm() <= 1e-6 * out.w.norm());
    if (loss != Loss::squared) continue;
    // Ridge regression has a closed form.
    const Surrogate ridge = surrogate(d, 0, 0.7);
    const Solution fit = solve(make_smooth(), p, ridge);
    Mat system(d + 1, d + 1);
    system << 2 * x.transpose() * x + Mat(Vec::Constant(d, 1 / 0.49).asDiagonal()),
        2 * x.transpose() * Vec::Ones(n), 2 * Vec::Ones(n).transpose() * x, 2 * double(n);
    Vec rhs(d + 1);
    rhs << 2 * x.transpose() * p.y, 2 * p.y.sum();
    const Vec exact = system.ldlt().solve(rhs);
    CHECK((fit.w.col(0) - exact.head(d)).norm() <= 1e-10);
    CHECK(fit.b[0] == Approx(exact[d]).margin(1e-10));
  }
}

TEST_CASE("zeros are zeros, and equal columns give the weight to the first") {
  Random random(4);
  const Index n = 30, d = 60;
  Mat x = shifted(n, d, 0.5, random);
  x.col(1) = x.col(0);
  for (Loss loss : kSmooth) {
    Problem p = svm_problem(x, alternating(n), 1);
    p.loss = loss;
    const Surrogate s = surrogate(d, 3, kInf);
    const Solution out = solve(make_smooth(), p, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.w(0, 0) != 0);
    CHECK(out.w(1, 0) == 0);
    const Vec g = x.transpose() * forces(p, out.dual.col(0));
    for (Index j = 0; j < d; ++j)
      if (out.w(j, 0) == 0)
        CHECK(std::abs(g[j]) <= 3 + 1e-9);
      else
        CHECK(g[j] * (out.w(j, 0) > 0 ? 1 : -1) == Approx(3));
  }
}

TEST_CASE("sparse columns give what dense ones do") {
  Random random(6);
  const Index n = 25, d = 80;
  Mat x = gaussian(n, d, random).array().round();
  std::vector<int> p = {0}, i;
  std::vector<double> values;
  for (Index j = 0; j < d; ++j) {
    for (Index r = 0; r < n; ++r)
      if (x(r, j) != 0) i.push_back(int(r)), values.push_back(x(r, j));
    p.push_back(int(i.size()));
  }
  for (Loss loss : kSmooth) {
    Problem dense = svm_problem(x, alternating(n), 1);
    dense.loss = loss;
    Problem sparse = dense;
    sparse.x = sparse_design(p.data(), i.data(), values.data(), n, d, Vec::Ones(d));
    for (double scale : {kInf, 0.5}) {
      const Surrogate s = surrogate(d, scale == kInf ? 2 : 0, scale);
      const Solution one = solve(make_smooth(), dense, s), other = solve(make_smooth(), sparse, s);
      CHECK(one.certificate.primal == Approx(other.certificate.primal).epsilon(1e-11));
      CHECK((one.w - other.w).cwiseAbs().maxCoeff() <= 1e-8);
    }
  }
}

// The optimum is zero, and all that remains is rounding error.
TEST_CASE("constant targets are fitted by the intercept alone") {
  Random random(5);
  const Index n = 12;
  Mat x = gaussian(n, 5, random);
  x.col(3).setOnes();
  x.col(4).setZero();
  for (double target : {0.5, 0.0, -1e6, 1.0 / 3, 1e-9})
    for (double cost : {1.0, 100.0})
      for (double l1 : {0.0, 0.1}) {
        Problem p = svm_problem(x, Vec::Constant(n, target), cost);
        p.loss = Loss::squared;
        const auto engine = make_smooth();
        engine->setup(p);
        const Solution out = solve_certified(*engine, p, surrogate(5, l1, 1), Limits());
        REQUIRE(out.status == Status::optimal);
        CHECK(out.b[0] == Approx(target).epsilon(1e-12));
        CHECK(out.w.cwiseAbs().maxCoeff() <= 1e-12 * std::abs(target));
      }
}

TEST_CASE("units of the data do not matter") {
  Random random(8);
  const Index n = 40, d = 60;
  const Mat x = gaussian(n, d, random);
  const Vec y = 2 * x.col(0) - x.col(1) + 0.3 * gaussian(n, random);
  Problem p = svm_problem(x, y, 1);
  p.loss = Loss::squared;
  const Solution plain = solve(make_smooth(), p, surrogate(d, 4, kInf));
  REQUIRE(plain.status == Status::optimal);
  for (double unit : {1e-20, 1e20, 1e60}) {
    Problem other = p;
    other.y *= unit;
    const Solution out = solve(make_smooth(), other, surrogate(d, 4 * unit, kInf));
    REQUIRE(out.status == Status::optimal);
    CHECK((out.w / unit - plain.w).cwiseAbs().maxCoeff() <= 1e-9);
  }
  for (double unit : {1e-8, 1e8}) {
    // The units of y change.
    Problem other = p;
    other.y *= unit;
    const Solution out = solve(make_smooth(), other, surrogate(d, 4 * unit, kInf));
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-10);
    CHECK((out.w / unit - plain.w).cwiseAbs().maxCoeff() <= 1e-9);
    // The units of x change, column by column.
    Mat z = x;
    Surrogate s = surrogate(d, 4, kInf);
    for (Index j = 0; j < d; ++j) {
      const double factor = j % 2 ? unit : 1;
      z.col(j) *= factor;
      s.l1[j] *= factor;
    }
    other = svm_problem(z, y, 1);
    other.loss = Loss::squared;
    const Solution scaled = solve(make_smooth(), other, s);
    REQUIRE(scaled.status == Status::optimal);
    CHECK(scaled.certificate.gap <= 1e-10);
    CHECK(scaled.certificate.primal == Approx(plain.certificate.primal).epsilon(1e-10));
  }
}

TEST_CASE("a logistic loss without a minimum is said to have none") {
  Random random(7);
  const Index n = 20;
  Mat x = shifted(n, 4, 4, random);
  Problem p = svm_problem(x, alternating(n), 1);
  p.loss = Loss::logistic;
  Surrogate s = surrogate(4, 1, kInf);
  CHECK(solve(make_smooth(), p, s).status == Status::optimal);
  s.l1[0] = 0;  // This column alone separates the classes.
  const Solution free = solve(make_smooth(), p, s);
  CHECK(free.status == Status::unbounded);
  CHECK(!free.note.empty());
  // For quasi-complete separation, two rows on the border, one of each class, are never separated.
  Mat border = x;
  border.row(0).setZero();
  border.row(1).setZero();
  Problem q = svm_problem(border, alternating(n), 1);
  q.loss = Loss::logistic;
  CHECK(solve(make_smooth(), q, s).status == Status::unbounded);
  // An extremely small cost cannot bound the weights within double precision; where it can, it is met to full
  // accuracy.
  for (double price : {1e-5, 1e-11, 1e-17, 1e-22, 1e-40, 1e-120, 1e-300}) {
    CAPTURE(price);
    s.l1[0] = price;
    const Solution out = solve(make_smooth(), p, s);
    REQUIRE(out.status == (price < 1e-19 ? Status::unbounded : Status::optimal));
    if (out.status == Status::unbounded) continue;
    const Vec f = (x * out.w.col(0)).array() + out.b[0];
    Vec force(n);
    for (Index i = 0; i < n; ++i) force[i] = p.y(i, 0) / (1 + std::exp(p.y(i, 0) * f[i]));
    CHECK(x.col(0).dot(force) == Approx(price * (out.w(0, 0) > 0 ? 1 : -1)).epsilon(1e-6));
    CHECK(std::abs(force.sum()) <= 1e-6 * force.cwiseAbs().sum());
  }
  s.l1[0] = 0;
  // A ridge suffices for a minimum.
  s.scale[0] = 10;
  CHECK(solve(make_smooth(), p, s).status == Status::optimal);
  // The squared losses always have a minimum.
  s = surrogate(4, 0, kInf);
  for (Loss loss : {Loss::squared, Loss::squared_hinge}) {
    p.loss = loss;
    const Solution out = solve(make_smooth(), p, s);
    CHECK(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-10);
  }
}

TEST_CASE("smooth losses: multipliers out of balance prove no more than the optimum") {
  // With three rows against one and only an intercept, the best value is log 3.
  const Mat x = Mat::Zero(4, 1);
  Vec y(4);
  y << 1, 1, 1, -1;
  Problem p = svm_problem(x, y, 1);
  p.loss = Loss::logistic;
  const double optimum = 3 * std::log(4.0 / 3) + std::log(4.0);
  Solution out;
  out.w = Mat::Zero(1, 1);
  out.b = Vec::Zero(1);
  out.dual = Mat::Constant(4, 1, 0.5);
  const Certificate wrong = certify(p, surrogate(1, 1, kInf), out);
  CHECK(wrong.primal == Approx(4 * std::log(2.0)));
  CHECK(wrong.dual <= optimum);
  CHECK(wrong.gap > 0.1);
  out.b[0] = std::log(3.0);
  out.dual << 0.25, 0.25, 0.25, 0.75;
  const Certificate right = certify(p, surrogate(1, 1, kInf), out);
  CHECK(right.primal == Approx(optimum));
  CHECK(right.dual == Approx(optimum));
}

TEST_CASE("what is nearly a linear programme, and columns that are nearly the same") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Index n = 20, d = seed % 2 ? 120 : 15;
    Mat x = gaussian(n, d, random);
    const bool apart = seed % 3 == 0, shifted_far = seed % 3 == 1;
    for (Index j = 0; j < d; ++j)
      if (apart) x.col(j) *= std::pow(10, 12 * uniform(random) - 6);
    if (shifted_far) x.array() += 1000;
    for (Loss loss : {Loss::squared, Loss::squared_hinge}) {
      Problem p = svm_problem(x, alternating(n), 1, !shifted_far);
      p.loss = loss;
      for (double price : {1e-2, apart || shifted_far ? 1e-3 : 1e-7}) {
        for (double scale : {kInf, 1.0}) {
          const Surrogate s = surrogate(d, scale == kInf || seed % 4 ? price : 0, scale);
          const Solution out = solve(make_smooth(), p, s);
          REQUIRE(out.status == Status::optimal);
          CHECK(out.certificate.gap <= 1e-9);
        }
      }
    }
  }
}

TEST_CASE("costs over many orders of magnitude") {
  Random random(9);
  const Index n = 40, d = 100;
  const Mat x = shifted(n, d, 0.4, random);
  for (Loss loss : kSmooth) {
    Problem p = svm_problem(x, alternating(n), 1);
    p.loss = loss;
    Surrogate s = surrogate(d, 1e12, kInf);
    for (Index j = 0; j < 8; ++j) s.l1[j] = std::pow(10, -double(3 * j));
    const Solution out = solve(make_smooth(), p, s);
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.gap <= 1e-9);
    CHECK((out.w.col(0).tail(d - 8).array() == 0).all());
  }
}

TEST_CASE("refusals, limits and interrupts") {
  Random random(10);
  const Mat x = shifted(20, 30, 0.3, random);
  Problem p = svm_problem(x, alternating(20), 1);
  const Surrogate s = surrogate(30, 0.5, kInf);
  const auto engine = make_smooth();
  CHECK(!engine->refuses(p, s).empty());
  p.loss = Loss::logistic;
  for (const char* name : {"simplex", "dual", "active_set", "highs", "osqp"})
    CHECK(!make_engine(name)->refuses(p, s).empty());
  const auto automatic = make_engine("auto");
  automatic->setup(p);
  const Solution out = solve(*automatic, p, s);
  CHECK(out.status == Status::optimal);
  CHECK(out.engine == "smooth");
  engine->setup(p);
  Limits limits;
  limits.iterations = 1;
  const Solution stopped = engine->solve(s, limits);
  CHECK(stopped.status == Status::limit);
  CHECK(stopped.iterations == 1);  // A second attempt has no steps left.
  limits.iterations = 0;
  limits.interrupted = [] { return true; };
  CHECK(engine->solve(s, limits).status == Status::interrupted);
  limits.interrupted = nullptr;
  CHECK(engine->solve(s, limits).status == Status::optimal);
}

TEST_CASE("smooth: columns next to each other, against long double") {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Random random(11);
  const Index n = 30, d = 4;
  for (double apart : {1e-4, 1e-6, 1e-7}) {
    Mat x(n, 2 * d);
    x.leftCols(d) = gaussian(n, d, random);
    x.rightCols(d) = x.leftCols(d).array() * (1 + apart * gaussian(n, d, random).array());
    const Vec y = gaussian(n, random);
    Problem p = svm_problem(x, y, 1, false);
    p.loss = Loss::squared;
    const Long wide = x.cast<long double>(), target = y.cast<long double>();
    const Long best = Eigen::HouseholderQR<Long>(wide).solve(target);
    const double least = static_cast<double>(0.5L * (target - wide * best).squaredNorm());
    const Solution out = solve(make_smooth(), p, surrogate(2 * d, 0, kInf));
    REQUIRE(out.status == Status::optimal);
    // Weights of about 1 / apart cancel in the decision values. The accuracy depends on the order of sums; the
    // certificate has to detect it in any case.
    const double cost = cost_of(x, p, surrogate(2 * d, 0, kInf), out), rounding = 1e-10 + 1e-14 / apart;
    CHECK(cost >= least * (1 - rounding));
    CHECK(cost <= least * (1 + rounding + out.certificate.gap));
    if (apart > 1e-7) CHECK(cost == Approx(least).epsilon(rounding));
  }
}

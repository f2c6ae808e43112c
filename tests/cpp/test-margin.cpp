// Tests margins of any sign with every engine: against enumeration of vertices and of active sets, against problems
// with margins of one that have the same solution, and against each other.
#include <testthat/vendor/catch.h>

#include <Eigen/Dense>

#include "instances.h"
#include "loop/refit.h"
#include "problem/problem.h"

using namespace zeronorm;

namespace {

struct Instance {
  Mat x;
  Problem problem;
  Surrogate costs;
};

Vec any_labels(Index n, Random& random) {
  return Vec::NullaryExpr(n, [&] { return random() % 2 ? 1.0 : -1.0; });
}

// Margins of both signs and zero.
Vec any_margins(Index n, Random& random) {
  return Vec::NullaryExpr(n, [&] { return random() % 5 ? 2 * normal(random) : 0.0; });
}

// Writes two rows for each |t_i - f_i| <= eps.
void make_tube(Instance& q, const Mat& x, const Vec& t, double eps, double cost, bool intercept) {
  const Index n = x.rows();
  q.x.resize(2 * n, x.cols());
  q.x << x, x;
  Vec y(2 * n), m(2 * n);
  y << Vec::Ones(n), -Vec::Ones(n);
  m << t.array() - eps, -t.array() - eps;
  q.problem = svm_problem(q.x, y, cost, intercept);
  q.problem.margin = m;
}

// Returns the smallest sum l1|w| + cost * violations, hard if the cost is infinite, over all vertices of the
// arrangement of rows without violation and zero weights; infinite if none is feasible.
double least_at_vertices(const Instance& q) {
  const Problem& p = q.problem;
  const Index n = q.x.rows(), d = q.x.cols(), k = d + p.intercept;
  Mat lines = Mat::Zero(n + d, k);
  Vec level = Vec::Zero(n + d);
  for (Index i = 0; i < n; ++i) {
    lines.row(i).head(d) = q.x.row(i);
    if (p.intercept) lines(i, d) = 1;
    level[i] = p.y(i, 0) * p.margin_of(i);
  }
  for (Index j = 0; j < d; ++j) lines(n + j, j) = 1;
  std::vector<char> pick(std::size_t(n + d), 0);
  std::fill(pick.end() - k, pick.end(), 1);
  double best = kInf;
  do {
    Mat a(k, k);
    Vec right(k);
    Index row = 0;
    for (Index i = 0; i < n + d; ++i)
      if (pick[std::size_t(i)]) a.row(row) = lines.row(i), right[row++] = level[i];
    const Eigen::FullPivLU<Mat> lu(a);
    if (!lu.isInvertible()) continue;
    const Vec v = lu.solve(right);
    const double b = p.intercept ? v[d] : 0.0;
    if (p.hard() && largest_slack(q.x, p, v.head(d), b) > 1e-9) continue;
    best = std::min(best, objective(q.x, p, q.costs, v.head(d), b));
  } while (std::next_permutation(pick.begin(), pick.end()));
  return best;
}

// Returns the dual of an SVM with a ridge over all choices of {0, between, cost} for each row.
double greatest_of_duals(const Instance& q) {
  const Problem& p = q.problem;
  const Index n = q.x.rows(), f = p.intercept;
  const Mat z = q.x * q.costs.scale.asDiagonal(), k = z * z.transpose();
  const Vec y = p.y.col(0), t = y.cwiseProduct(p.margins());
  double best = -kInf;
  long sets = 1;
  for (Index i = 0; i < n; ++i) sets *= 3;
  for (long code = 0; code < sets; ++code) {
    Vec v = Vec::Zero(n);
    IndexList free;
    long rest = code;
    for (Index i = 0; i < n; ++i, rest /= 3) {
      if (rest % 3 == 1) v[i] = y[i] * p.cost[i];
      if (rest % 3 == 2) free.push_back(i);
    }
    if (v.cwiseAbs().maxCoeff() == kInf) continue;
    const Index r = Index(free.size());
    Mat system = Mat::Zero(r + f, r + f);
    Vec right(r + f);
    for (Index a = 0; a < r; ++a) {
      for (Index b = 0; b < r; ++b) system(a, b) = k(free[a], free[b]);
      if (f) system(a, r) = system(r, a) = 1;
      right[a] = t[free[a]] - k.row(free[a]).dot(v);
    }
    if (f) right[r] = -v.sum();
    if (r + f > 0) {
      const Vec found = system.completeOrthogonalDecomposition().solve(right);
      for (Index a = 0; a < r; ++a) v[free[a]] = found[a];
    }
    const Vec a = y.cwiseProduct(v);
    const bool balanced = f == 0 || std::abs(v.sum()) < 1e-9;
    if (balanced && a.minCoeff() >= -1e-9 && (p.cost - a).minCoeff() >= -1e-9)
      best = std::max(best, t.dot(v) - 0.5 * v.dot(k * v));
  }
  return best;
}

// Checks by definition that the multipliers prove that the rows contradict each other.
void check_ray(const Instance& q, const Vec& a) {
  const Vec ya = a.cwiseProduct(q.problem.y.col(0));
  const double size = a.sum();
  CHECK(a.minCoeff() >= -1e-12 * size);
  CHECK(a.dot(q.problem.margins()) > 1e-6 * size);
  if (q.problem.intercept) CHECK(std::abs(ya.sum()) <= 1e-8 * size);
  CHECK((q.x.transpose() * ya).cwiseAbs().maxCoeff() <= 1e-8 * size * q.x.cwiseAbs().maxCoeff());
  CHECK(proves_inseparable(q.problem, q.costs, a));
  CHECK_FALSE(proves_inseparable(q.problem, q.costs, Vec(-a)));
}

// Returns the optimum of the engine, or its proof that there is none.
Solution check(const std::string& engine, const Instance& q, double expected, double tol) {
  INFO("engine " << engine);
  Solution out = solve(make_engine(engine), q.problem, q.costs);
  INFO(message(out.status) << " " << out.note << " gap " << out.certificate.gap);
  if (expected == kInf) {
    REQUIRE(out.status == Status::infeasible);
    check_ray(q, out.dual.col(0));
    return out;
  }
  REQUIRE(out.status == Status::optimal);
  const double scale = q.problem.hard() ? 0.0 : q.problem.cost.sum();
  CHECK(objective(q.x, q.problem, q.costs, out) ==
        Approx(expected).epsilon(tol).margin(tol * (scale + 1e-3)));
  CHECK(out.certificate.gap <= std::max(tol, 1e-8));
  CHECK(out.certificate.primal == Approx(expected).epsilon(tol).margin(tol * (scale + 1e-3)));
  const double b = q.problem.intercept ? out.b[0] : 0.0;
  if (q.problem.hard()) CHECK(largest_slack(q.x, q.problem, out.w.col(0), b) <= 1e-7);
  return out;
}

}  // namespace

TEST_CASE("linear programmes with any margins, by enumeration of vertices") {
  Random random(41);
  int infeasible = 0;
  for (int trial = 0; trial < 240; ++trial) {
    const Index n = 3 + Index(random() % 4), d = 1 + Index(random() % 3);
    const double cost = trial % 2 ? kInf : 0.2 + 2 * uniform(random);
    INFO("trial " << trial << ", n " << n << ", d " << d << ", cost " << cost);
    Instance q;
    q.x = gaussian(n, d, random);
    if (trial % 4 > 1) {
      const Vec t = 2 * gaussian(n, random);
      make_tube(q, Mat(q.x), t, trial % 3 * 0.3 * uniform(random), cost, random() % 2);
    } else {
      q.problem = svm_problem(q.x, any_labels(n, random), cost, random() % 2);
      q.problem.margin = any_margins(n, random);
    }
    q.costs = surrogate(d, 1, kInf);
    q.costs.l1 = Vec::NullaryExpr(d, [&] { return 0.1 + uniform(random); });
    const double expected = least_at_vertices(q);
    infeasible += expected == kInf;
    for (const char* engine : {"simplex", "highs", "auto"}) check(engine, q, expected, 1e-8);
    Solution full = solve(make_engine({"highs", {false}}), q.problem, q.costs);
    CHECK((full.status == Status::infeasible) == (expected == kInf));
  }
  CHECK(infeasible > 20);
  CHECK(infeasible < 120);
}

TEST_CASE("ridge machines with any margins, by enumeration of active sets") {
  Random random(42);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 3 + Index(random() % 4), d = 1 + Index(random() % 6);
    const bool hard = trial % 3 == 0;
    const double cost = hard ? kInf : 0.2 + 2 * uniform(random);
    INFO("trial " << trial << ", n " << n << ", d " << d << ", cost " << cost);
    Instance q;
    q.x = gaussian(n, hard ? n + d : d, random);
    q.problem = svm_problem(q.x, any_labels(n, random), cost, random() % 2);
    q.problem.margin = any_margins(n, random);
    q.costs = surrogate(q.x.cols(), 0, 1);
    q.costs.scale = Vec::NullaryExpr(q.x.cols(), [&] { return 0.3 + uniform(random); });
    const double expected = greatest_of_duals(q);
    for (const char* engine : {"dual", "active_set", "auto"}) check(engine, q, expected, 1e-8);
    check("osqp", q, expected, 1e-6);
  }
}

TEST_CASE("tubes with a ridge, by enumeration of active sets") {
  Random random(43);
  for (int trial = 0; trial < 40; ++trial) {
    const Index n = 2 + Index(random() % 3);
    const bool hard = trial % 2;
    const double eps = trial % 4 < 2 ? 0 : 0.4 * uniform(random);
    INFO("trial " << trial << ", n " << n << ", eps " << eps << ", hard " << hard);
    Instance q;
    make_tube(q, gaussian(n, hard ? n + 2 : 2, random), gaussian(n, random), eps, hard ? kInf : 1,
              random() % 2);
    q.costs = surrogate(q.x.cols(), 0, 1);
    const double expected = greatest_of_duals(q);
    for (const char* engine : {"dual", "active_set", "auto"}) check(engine, q, expected, 1e-8);
    check("osqp", q, expected, 1e-6);
  }
}

TEST_CASE("a hard tube without width and with a ridge is the least-norm interpolation") {
  Random random(44);
  for (Index n : {1, 3, 10, 40, 200}) {
    INFO("n " << n);
    const Mat x = gaussian(n, n + 30, random);
    const Vec t = 5 * gaussian(n, random);
    Instance q;
    make_tube(q, x, t, 0, kInf, false);
    q.costs = surrogate(x.cols(), 0, 1);
    const Vec w = x.transpose() * (x * x.transpose()).llt().solve(t);
    for (const char* engine : {"dual", "active_set"}) {
      if (n > 100 && std::string(engine) != "dual") continue;
      const Solution out = check(engine, q, 0.5 * w.squaredNorm(), 1e-8);
      CHECK((out.w.col(0) - w).norm() <= 1e-7 * w.norm());
    }
  }
}

TEST_CASE("a hard tube without width is basis pursuit on both linear engines") {
  Random random(45);
  for (int trial = 0; trial < 12; ++trial) {
    const Index n = 20 + 5 * (trial % 3), d = 3 * n;
    const Mat x = gaussian(n, d, random);
    Vec w = Vec::Zero(d);
    for (int k = 0; k < 3; ++k) w[Index(random() % std::uint32_t(d))] = 2 * normal(random);
    Instance q;
    make_tube(q, x, x * w, 0, kInf, trial % 2);
    q.costs = surrogate(d, 1, kInf);
    for (const char* engine : {"simplex", "highs"}) {
      // The solution is planted and sparse, so it is recovered.
      const Solution out = check(engine, q, w.cwiseAbs().sum(), 1e-8);
      CHECK((out.w.col(0) - w).norm() <= 1e-7 * w.norm());
    }
    // Repeated rows and one that contradicts them.
    Instance bad;
    Mat twice(n + 1, d);
    twice << x, x.row(0);
    Vec t(n + 1);
    t << x * w, x.row(0).dot(w) + 1;
    make_tube(bad, twice, t, 0.1, kInf, trial % 2);
    bad.costs = q.costs;
    for (const char* engine : {"simplex", "highs", "auto"}) check(engine, bad, kInf, 1e-8);
    bad.costs = surrogate(d, 0, 1);
    for (const char* engine : {"dual", "active_set", "auto"}) check(engine, bad, kInf, 1e-8);
  }
}

TEST_CASE("moving along a free column changes margins and nothing else") {
  Random random(46);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 12 + Index(random() % 20), d = 3 + Index(random() % 30);
    const Loss loss = trial % 3 == 2 ? Loss::squared_hinge : Loss::hinge;
    const bool l1 = trial % 2, ridge = !l1 || loss == Loss::squared_hinge || trial % 4 == 1;
    INFO("trial " << trial << ", l1 " << l1 << ", ridge " << ridge << ", loss " << int(loss));
    Instance one;
    one.x = shifted(n, d, 0.5, random);
    one.problem = svm_problem(one.x, alternating(n), 0.3 + uniform(random), random() % 2);
    one.problem.loss = loss;
    one.costs = surrogate(d, l1 ? 0.7 : 0.0, ridge ? 0.8 : kInf);
    one.costs.l1[d - 1] = 0;
    one.costs.scale[d - 1] = kInf;
    Instance moved = one;
    moved.problem.x = view(moved.x);
    const double by = 3 * normal(random);
    moved.problem.margin = 1 + by * one.x.col(d - 1).array() * one.problem.y.col(0).array();
    const Solution reference = solve(make_engine("auto"), one.problem, one.costs);
    REQUIRE(reference.status == Status::optimal);
    const double expected = objective(one.x, one.problem, one.costs, reference);
    std::vector<std::string> engines = {"auto"};
    if (!ridge) engines.insert(engines.end(), {"simplex", "highs"});
    if (ridge && !l1) engines.insert(engines.end(), {"dual", "active_set"});
    if (ridge && l1) engines.push_back("active_set");
    for (const std::string& engine : engines) {
      const Solution out = check(engine, moved, expected, 1e-8);
      if (ridge) CHECK(out.w(d - 1) - by == Approx(reference.w(d - 1)).epsilon(1e-5).margin(1e-5));
    }
    if (ridge && trial % 5 == 0) check("osqp", moved, expected, 1e-6);
  }
}

TEST_CASE("positive margins are rows divided by them") {
  Random random(47);
  for (int trial = 0; trial < 30; ++trial) {
    const Index n = 10 + Index(random() % 20), d = 2 + Index(random() % 30);
    const Loss loss = trial % 2 ? Loss::squared_hinge : Loss::hinge;
    Instance q, divided;
    q.x = shifted(n, d, 0.5, random);
    q.problem = svm_problem(q.x, alternating(n), 0.5 + uniform(random), false);
    q.problem.loss = loss;
    q.problem.margin = Vec::NullaryExpr(n, [&] { return std::exp(normal(random)); });
    q.costs = surrogate(d, 0.3, 1);
    divided = q;
    divided.problem.margin = Vec();
    divided.x = q.problem.margin.cwiseInverse().asDiagonal() * q.x;
    divided.problem.x = view(divided.x);
    for (Index i = 0; i < n; ++i)
      divided.problem.cost[i] *= std::pow(q.problem.margin[i], loss == Loss::hinge ? 1 : 2);
    const Solution reference = solve(make_engine("active_set"), divided.problem, divided.costs);
    REQUIRE(reference.status == Status::optimal);
    check("active_set", q, objective(divided.x, divided.problem, divided.costs, reference), 1e-8);
  }
}

TEST_CASE("margins that zero weights satisfy need none") {
  Random random(48);
  const Mat x = gaussian(8, 5, random);
  for (double cost : {1.0, kInf})
    for (double level : {0.0, -1.0, -1e6})
      for (int labels = 0; labels < 3; ++labels) {
        INFO("cost " << cost << ", level " << level << ", labels " << labels);
        Instance q{x,
                   svm_problem(x, labels == 0 ? alternating(8) : Vec::Constant(8, labels == 1 ? 1 : -1), cost,
                               labels > 0),
                   surrogate(5, 1, kInf)};
        q.problem.x = view(q.x);
        q.problem.margin = Vec::Constant(8, level);
        for (const char* engine : {"simplex", "highs", "auto"})
          CHECK(check(engine, q, 0, 1e-9).w.cwiseAbs().maxCoeff() == 0);
        q.costs = surrogate(5, 0, 1);
        for (const char* engine : {"dual", "active_set", "auto"})
          CHECK(check(engine, q, 0, 1e-9).w.cwiseAbs().maxCoeff() <= 1e-12);
      }
}

TEST_CASE("units of the margins do not matter") {
  Random random(49);
  for (int trial = 0; trial < 24; ++trial) {
    const Index n = 15, d = trial % 2 ? 40 : 4;
    const Mat x = gaussian(n, d, random);
    const Vec t = x.col(0) - 2 * x.col(1) + 0.3 * gaussian(n, random);
    const bool hard = d > n && trial % 4 == 1, ridge = trial % 3 == 0;
    const double eps = 0.1, unit = trial % 8 < 4 ? 1e6 : 1e-6, shift = 1e3 * unit;
    INFO("trial " << trial << ", unit " << unit << ", hard " << hard << ", ridge " << ridge);
    Instance small, large;
    make_tube(small, x, t, eps, hard ? kInf : 0.5, true);
    make_tube(large, x, shift + unit * t.array(), eps * unit, hard ? kInf : 0.5 * unit, true);
    small.costs = surrogate(d, ridge ? 0 : 1, ridge ? 1 : kInf);
    large.costs = surrogate(d, ridge ? 0 : unit, ridge ? 1 : kInf);
    for (const char* engine : {"auto", ridge ? "active_set" : "highs"}) {
      const Solution a = solve(make_engine(engine), small.problem, small.costs),
                     b = solve(make_engine(engine), large.problem, large.costs);
      REQUIRE(a.status == Status::optimal);
      REQUIRE(b.status == Status::optimal);
      CHECK(b.certificate.gap <= 1e-8);
      CHECK((b.w / unit - a.w).norm() <= 1e-6 * a.w.norm());
      CHECK((b.b[0] - shift) / unit == Approx(a.b[0]).epsilon(1e-6).margin(1e-6));
      CHECK(b.certificate.primal == Approx(unit * unit * a.certificate.primal).epsilon(1e-7));
      CHECK(objective(large.x, large.problem, large.costs, b) == Approx(b.certificate.primal).epsilon(1e-7));
    }
  }
}

TEST_CASE("best_intercept with margins is the midpoint of the optimal interval") {
  Random random(50);
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 2 + Index(random() % 9);
    const Vec f = (4 * gaussian(n, random)).array().round() / 4, y = any_labels(n, random),
              m = (4 * gaussian(n, random)).array().round() / 4;
    const bool hard = trial % 4 == 0;
    const Vec cost = Vec::Constant(n, hard ? kInf : 1);
    const double b = best_intercept(f, y, cost, Loss::hinge, m);
    // The loss is linear between the breakpoints, so the best of these are optimal, or all of them if it is constant.
    auto loss = [&](double at) {
      const Vec slack = (m.array() - y.array() * (f.array() + at)).max(0.0);
      return hard ? slack.maxCoeff() : slack.sum();
    };
    double best = kInf, low = kInf, high = -kInf;
    const Vec breaks = y.cwiseProduct(m) - f;
    for (Index i = 0; i < n; ++i) best = std::min(best, loss(breaks[i]));
    for (Index i = 0; i < n; ++i)
      if (loss(breaks[i]) <= best + 1e-12) low = std::min(low, breaks[i]), high = std::max(high, breaks[i]);
    INFO("trial " << trial << ", hard " << hard);
    if (y.minCoeff() == y.maxCoeff())
      CHECK(loss(b) == 0);
    else if (!hard)
      CHECK(b == Approx(0.5 * (low + high)).margin(1e-12));
    else if (best == 0)
      CHECK(loss(b) == 0);
    if (hard) continue;
    const double square = best_intercept(f, y, cost, Loss::squared_hinge, m);
    auto squared = [&](double at) {
      return (m.array() - y.array() * (f.array() + at)).max(0.0).square().sum();
    };
    for (double step : {-1e-4, 1e-4}) CHECK(squared(square) <= squared(square + step) + 1e-12);
  }
}

TEST_CASE("a certificate fails where a solution is not one") {
  Random random(51);
  Instance q;
  make_tube(q, gaussian(20, 4, random), gaussian(20, random), 0.1, 1, true);
  q.costs = surrogate(4, 0.3, kInf);
  Solution good = solve(make_engine("simplex"), q.problem, q.costs);
  REQUIRE(good.certificate.gap <= 1e-9);
  CHECK(good.certificate.kkt <= 1e-8);
  Solution bad = good;
  bad.w(0, 0) += 0.01;
  CHECK(certify(q.problem, q.costs, bad).gap > 1e-5);
  bad = good;
  bad.b[0] += 0.01;
  CHECK(certify(q.problem, q.costs, bad).gap > 1e-6);
  bad = good;
  bad.dual *= 0.99;
  CHECK(certify(q.problem, q.costs, bad).gap > 1e-5);
  // Outside a hard tube there is no solution, however small the objective.
  Instance hard;
  const Mat x = gaussian(10, 30, random);
  make_tube(hard, x, gaussian(10, random), 0, kInf, false);
  hard.costs = surrogate(30, 1, kInf);
  good = solve(make_engine("simplex"), hard.problem, hard.costs);
  REQUIRE(good.certificate.gap <= 1e-9);
  bad = good;
  bad.w *= 0.999;
  CHECK_FALSE(certify(hard.problem, hard.costs, bad).holds(kProof));
}

TEST_CASE("a refit takes the margins of its rows along") {
  Random random(52);
  const Index n = 30;
  const Mat x = gaussian(n, 6, random);
  const Vec t = 2 * x.col(1) - x.col(4) + Vec::Constant(n, 0.7) + 0.1 * gaussian(n, random);
  Instance q;
  make_tube(q, x, t, 0.05, 1, true);
  Vec weights = Vec::Ones(2 * n);
  weights[3] = weights[n + 3] = 0;
  ClassifierSpec machine;
  machine.C = 2;
  const Solution out = refit(q.problem, weights, {1, 4}, {}, machine, Limits());
  REQUIRE(out.status == Status::optimal);
  Instance part;
  Mat kept(n - 1, 2);
  Vec left(n - 1);
  for (Index i = 0, k = 0; i < n; ++i)
    if (i != 3) {
      kept.row(k) << x(i, 1), x(i, 4);
      left[k++] = t[i];
    }
  make_tube(part, kept, left, 0.05, 2, true);
  part.costs = surrogate(2, 0, 1);
  const Solution expected = solve(make_engine("osqp"), part.problem, part.costs);
  CHECK(out.w(1, 0) == Approx(expected.w(0, 0)).epsilon(1e-5));
  CHECK(out.w(4, 0) == Approx(expected.w(1, 0)).epsilon(1e-5));
  CHECK(out.b[0] == Approx(expected.b[0]).epsilon(1e-4));
  // The limit of C minimises the sum of violations first.
  const Solution limit = refit(q.problem, weights, {1, 4}, {}, ClassifierSpec(), Limits());
  REQUIRE(limit.status == Status::optimal);
  part.costs = surrogate(2, 0, kInf);
  part.problem.cost.setOnes();
  const Solution least = solve(make_engine("highs"), part.problem, part.costs);
  auto sum = [&](const Vec& w, double b) {
    double value = 0;
    for (Index i = 0; i < n; ++i)
      if (i != 3) value += std::max(0.0, std::abs(t[i] - b - x(i, 1) * w[0] - x(i, 4) * w[1]) - 0.05);
    return value;
  };
  CHECK(sum(Eigen::Vector2d(limit.w(1, 0), limit.w(4, 0)), limit.b[0]) ==
        Approx(sum(least.w.col(0), least.b[0])).epsilon(1e-7));
}

TEST_CASE("bounds of decision values become rows, infinite ones none") {
  Random random(53);
  const Mat x = gaussian(4, 3, random);
  Problem p;
  p.x = view(x);
  const IndexList observation =
      bound_decisions(p, Eigen::Vector4d(-1, -kInf, 2, 0), Eigen::Vector4d(kInf, kInf, 2, 5));
  CHECK(observation == (IndexList{0, 2, 3, 2, 3}));
  REQUIRE(p.y.rows() == 5);
  CHECK(p.y.col(0) == Vec((Vec(5) << 1, 1, 1, -1, -1).finished()));
  CHECK(p.margin == Vec((Vec(5) << -1, 2, 0, -2, -5).finished()));
  CHECK(p.cost == Vec::Ones(5));
  for (Index i = 0; i < 5; ++i) {
    const Vec w = gaussian(3, random);
    CHECK(p.x->times(w)[i] == Approx(x.row(observation[std::size_t(i)]).dot(w)));
  }
}

TEST_CASE("narrow tubes stay proven while scales fall to nothing") {
  Random random(54);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 40, d = 160;
    Mat x = gaussian(n, d, random);
    x.colwise().normalize();
    Vec w = Vec::Zero(d);
    for (int k = 0; k < 5; ++k) w[Index(random() % std::uint32_t(d))] = normal(random) * std::exp(-trial % 4);
    Instance q;
    const Vec t = x * w;
    make_tube(q, x, t, 1e-10 * t.cwiseAbs().maxCoeff(), kInf, false);
    q.costs = surrogate(d, 0, 1);
    const auto engine = make_engine("dual");
    engine->setup(q.problem);
    for (int round = 0; round < 9; ++round) {
      INFO("trial " << trial << ", round " << round);
      const Solution out = solve(*engine, q.problem, q.costs, 1e-8);
      REQUIRE(out.status == Status::optimal);
      CHECK(out.certificate.gap <= 1e-8);
      const Vec size = out.w.col(0).cwiseAbs();
      q.costs.scale = (size.array() > kZero * size.maxCoeff()).select(size, 0.0);
    }
  }
}

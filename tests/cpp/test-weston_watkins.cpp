// Tests the Weston-Watkins engine by hand, against OSQP, and against the binary SVM.
#include <testthat/vendor/catch.h>

#include <algorithm>

#include "instances.h"
#include "loop/minimise.h"

using namespace zeronorm;

namespace {

Mat labels(const std::vector<Index>& classes, Index k) {
  Mat y = Mat::Constant(Index(classes.size()), k, -1);
  for (std::size_t i = 0; i < classes.size(); ++i) y(Index(i), classes[i]) = 1;
  return y;
}

Mat in_turn(Index n, Index k) {
  std::vector<Index> classes;
  for (Index i = 0; i < n; ++i) classes.push_back(i % k);
  return labels(classes, k);
}

// Returns Gaussian centres plus noise, with classes in turn.
Mat centred(Index n, Index d, Index k, double shift, Random& random) {
  const Mat centres = shift * gaussian(k, d, random);
  Mat x = gaussian(n, d, random);
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(i % k);
  return x;
}

Problem joint(const Mat& x, const Mat& y, double cost, bool intercept = true) {
  Problem p = svm_problem(x, y.col(0), cost, intercept);
  p.y = y;
  p.loss = Loss::weston_watkins;
  return p;
}

// Returns the soft-margin Weston-Watkins objective, written out.
double joint_objective(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  double value = 0;
  for (Index j = 0; j < out.w.rows(); ++j)
    for (Index k = 0; k < out.w.cols(); ++k)
      if (out.w(j, k) != 0 && s.scale[j] < kInf) value += 0.5 * std::pow(out.w(j, k) / s.scale[j], 2);
  for (Index i = 0; i < x.rows() && !p.hard(); ++i) {
    const Vec f = out.w.transpose() * x.row(i).transpose() + out.b;
    Index own;
    p.y.row(i).maxCoeff(&own);
    for (Index k = 0; k < f.size(); ++k)
      if (k != own) value += p.cost[i] * std::max(0.0, 2 - f[own] + f[k]);
  }
  return value;
}

double worst_slack(const Mat& x, const Problem& p, const Solution& out) {
  double worst = -kInf;
  for (Index i = 0; i < x.rows(); ++i) {
    const Vec f = out.w.transpose() * x.row(i).transpose() + out.b;
    Index own;
    p.y.row(i).maxCoeff(&own);
    for (Index k = 0; k < f.size(); ++k)
      if (k != own && p.cost[i] > 0) worst = std::max(worst, 2 - f[own] + f[k]);
  }
  return worst;
}

Solution ours(const Problem& p, const Surrogate& s) { return solve(make_weston_watkins(), p, s); }

void check_optimal(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  REQUIRE(out.status == Status::optimal);
  CHECK(out.certificate.gap < 1e-8);
  CHECK(out.b.sum() == Approx(0).margin(1e-9 * (1 + out.b.norm())));
  if (p.hard())
    CHECK(worst_slack(x, p, out) < 1e-8);
  else
    CHECK(out.certificate.primal == Approx(joint_objective(x, p, s, out)).epsilon(1e-10));
  // For unpenalised and penalised columns alike, the weights of the classes sum to zero.
  CHECK(out.w.rowwise().sum().norm() <= 1e-8 * out.w.norm());
}

}  // namespace

TEST_CASE("Weston-Watkins: three corners by hand") {
  // The minimum of p^2/2 + q^2 with p + q = 2 is at p = 4/3, q = 2/3, with 4/3 per sample and multipliers of 2/3.
  const Mat x = Mat::Identity(3, 3);
  for (double cost : {1.0, 1e6, kInf}) {
    const Solution out = ours(joint(x, in_turn(3, 3), cost), surrogate(3, 0, 1));
    REQUIRE(out.status == Status::optimal);
    CHECK(out.certificate.primal == Approx(4).epsilon(1e-12));
    CHECK((out.w - (2 * Mat::Identity(3, 3) - Mat::Constant(3, 3, 2.0 / 3))).norm() < 1e-10);
    CHECK(out.dual(0, 0) == 0);
    CHECK(out.dual(0, 1) == Approx(2.0 / 3).epsilon(1e-10));
    CHECK(out.b.norm() < 1e-10);
  }
  // At a cost below 2/3 every multiplier equals it: w = X'm, m = c (3 I - 1), and violations are 2 - 3 c.
  const Solution out = ours(joint(x, in_turn(3, 3), 0.5), surrogate(3, 0, 1));
  CHECK((out.w - 0.5 * (3 * Mat::Identity(3, 3) - Mat::Ones(3, 3))).norm() < 1e-12);
  CHECK(out.certificate.primal == Approx(0.5 * 18 * 0.25 + 6 * 0.5 * 0.5).epsilon(1e-12));
}

TEST_CASE("Weston-Watkins with two classes is the two-class machine") {
  // With w_1 = -w_0 = w and b_1 = -b_0 = b, f_own - f_other = 2 y (x'w + b): violations are twice those of the binary
  // SVM, and the ridge is twice |w|^2 / 2, so the objective is doubled.
  Random random(1);
  for (double cost : {0.01, 1.0, 1000.0, kInf})
    for (bool intercept : {true, false}) {
      const Mat x = shifted(24, 40, 0.5, random);
      const Problem two = svm_problem(x, alternating(24), cost, intercept);
      Problem both = two;
      both.y = Mat(24, 2);
      both.y << -two.y, two.y;
      both.loss = Loss::weston_watkins;
      const Surrogate s = surrogate(40, 0, 0.7);
      const Solution one = solve(make_dual_qp(), two, s), out = ours(both, s);
      check_optimal(x, both, s, out);
      CHECK(out.certificate.primal == Approx(2 * one.certificate.primal).epsilon(1e-9));
      CHECK((out.w.col(1) - one.w.col(0)).norm() <= 1e-8 * one.w.norm());
      CHECK(out.b[1] == Approx(one.b[0]).epsilon(1e-7).margin(1e-8));
      CHECK(out.b[0] == -out.b[1]);
    }
}

TEST_CASE("Weston-Watkins against OSQP on random problems") {
  Random random(2);
  for (int trial = 0; trial < 24; ++trial) {
    const Index k = 2 + trial % 4, n = 8 + Index(random() % 24), d = 1 + Index(random() % 30);
    Mat x = centred(n, d, k, trial % 3, random);
    if (trial % 5 == 1) x = x.array().round();         // The data have ties.
    if (trial % 5 == 2 && d > 2) x.col(2) = x.col(0);  // This column is a duplicate.
    if (trial % 5 == 3) x.col(d - 1).setConstant(3);   // This column is constant.
    const bool hard = trial % 4 == 3;
    Problem p =
        joint(x, in_turn(n, k), hard ? kInf : std::pow(10.0, uniform(random) * 4 - 2), trial % 7 != 6);
    if (!hard && trial % 3 == 0) p.cost = p.cost.cwiseProduct(gaussian(n, random).cwiseAbs());
    if (!hard && trial % 6 == 0) p.cost[n / 2] = 0;
    Surrogate s = surrogate(d, 0, 1);
    for (Index j = 0; j < d; ++j) s.scale[j] = uniform(random) + 0.1;
    if (d > 4) s.scale[3] = 0;
    if (trial % 4 == 1 && d > 1) s.scale[0] = kInf;  // This column is unpenalised.
    INFO("trial " << trial << ", n " << n << ", d " << d << ", k " << k << ", cost " << p.cost[0]);
    const Solution out = ours(p, s), expected = solve(make_osqp(), p, s);
    if (expected.status == Status::infeasible || out.status == Status::infeasible) {
      CHECK(out.status == expected.status);
      CHECK(proves_inseparable(p, s, out));
      continue;
    }
    check_optimal(x, p, s, out);
    if (d > 4) CHECK(out.w.row(3).norm() == 0);
    REQUIRE(expected.status == Status::optimal);
    CHECK(out.certificate.primal == Approx(expected.certificate.primal).epsilon(1e-6));
    CHECK((out.w - expected.w).norm() <= 1e-2 * expected.w.norm());
  }
}

TEST_CASE("Weston-Watkins from tiny to huge costs, with overlap and without") {
  Random random(3);
  for (Index d : {2, 6, 60})
    for (Index k : {3, 5}) {
      const Mat x = centred(40, d, k, 0.7, random);
      auto engine = make_weston_watkins();
      const Surrogate s = surrogate(d, 0, 1);
      double before = 0;
      for (double cost : {1e-3, 1e-2, 0.1, 1.0, 10.0, 1e3, 1e6}) {
        const Problem p = joint(x, in_turn(40, k), cost);
        INFO("d " << d << ", k " << k << ", cost " << cost);
        const Solution out = ours(p, s);
        check_optimal(x, p, s, out);
        CHECK(out.certificate.primal >= before);
        before = out.certificate.primal * (1 - 1e-7);
      }
    }
}

TEST_CASE("Weston-Watkins stays warm along a path of C and through rescaling") {
  Random random(4);
  const Mat x = centred(30, 100, 4, 0.5, random);
  for (double cost : {1.0, kInf}) {
    const Problem p = joint(x, in_turn(30, 4), cost);
    auto engine = make_weston_watkins();
    engine->setup(p);
    Surrogate s = surrogate(100, 0, 1);
    for (double factor : {1.0, 2.0, 0.1, 30.0}) {
      s.scale.setConstant(factor);
      check_optimal(x, p, s, solve(*engine, p, s));
    }
    s.scale.setOnes();
    for (int round = 0; round < 12; ++round) {
      const Solution warm = solve(*engine, p, s), cold = ours(p, s);
      INFO("round " << round << ", cost " << cost);
      check_optimal(x, p, s, warm);
      CHECK((warm.w - cold.w).norm() <= 1e-7 * cold.w.norm());
      const Vec magnitude = warm.w.cwiseAbs().rowwise().sum();
      for (Index j = 0; j < 100; ++j)
        s.scale[j] = magnitude[j] > kZero * magnitude.maxCoeff() ? magnitude[j] : 0.0;
    }
  }
}

TEST_CASE("Weston-Watkins: overlap is proven, also with free columns, and forgotten") {
  Random random(5);
  Mat x = gaussian(30, 4, random);
  for (bool intercept : {true, false})
    for (bool free : {true, false}) {
      const Problem p = joint(x, in_turn(30, 3), kInf, intercept);
      Surrogate s = surrogate(4, 0, 1);
      if (free) s.scale[1] = kInf;
      auto engine = make_weston_watkins();
      engine->setup(p);
      const Solution out = engine->solve(s, Limits());
      REQUIRE(out.status == Status::infeasible);
      CHECK(proves_inseparable(p, s, out));
      CHECK(engine->solve(s, Limits()).status == Status::infeasible);
      Solution wrong = out;
      wrong.dual(0, 1) += 0.1 * out.dual.maxCoeff();
      wrong.dual(0, 2) += 0.1 * out.dual.maxCoeff();
      CHECK_FALSE(proves_inseparable(p, s, wrong));
      wrong.dual.setZero();
      CHECK_FALSE(proves_inseparable(p, s, wrong));
    }
}

TEST_CASE("Weston-Watkins: a class of one, a class of none, one class") {
  Random random(6);
  const Mat x = gaussian(9, 12, random);
  for (double cost : {0.5, kInf}) {
    const Surrogate s = surrogate(12, 0, 1);
    const Problem one = joint(x, labels({0, 0, 0, 0, 1, 1, 1, 1, 2}, 3), cost);
    check_optimal(x, one, s, ours(one, s));
    const Problem none = joint(x, labels({0, 0, 0, 0, 1, 1, 1, 1, 0}, 3), cost);
    check_optimal(x, none, s, ours(none, s));
    const Problem single = joint(x, labels({0, 0, 0, 0, 0, 0, 0, 0, 0}, 3), cost);
    const Solution out = ours(single, s);
    check_optimal(x, single, s, out);
    CHECK(out.certificate.primal == Approx(0).margin(1e-12));
  }
}

TEST_CASE("Weston-Watkins: no columns leave the intercepts") {
  Mat x = Mat::Ones(6, 1);
  Problem p = joint(x, labels({0, 0, 0, 1, 1, 2}, 3), 0.5);
  Surrogate s = surrogate(1, 0, 1);
  s.scale[0] = 0;
  const Solution out = ours(p, s);
  REQUIRE(out.status == Status::optimal);
  CHECK(out.w.norm() == 0);
  CHECK(out.certificate.gap < 1e-9);
}

TEST_CASE("Weston-Watkins: what is refused, and interrupts") {
  Random random(7);
  const Mat x = centred(60, 30, 4, 0.2, random);
  const Problem p = joint(x, in_turn(60, 4), 1);
  Limits stop;
  int polls = 0;
  stop.interrupted = [&] { return ++polls < 0; };
  auto engine = make_weston_watkins();
  engine->setup(p);
  REQUIRE(engine->solve(surrogate(30, 0, 1), stop).status == Status::optimal);
  const int all = polls;
  REQUIRE(all > 8);
  for (int last = 1; last <= all; last += 1 + all / 12) {
    INFO("at question " << last << " of " << all);
    auto cold = make_weston_watkins();
    cold->setup(p);
    polls = 0;
    stop.interrupted = [&] { return ++polls >= last; };
    CHECK(cold->solve(surrogate(30, 0, 1), stop).status == Status::interrupted);
    check_optimal(x, p, surrogate(30, 0, 1), solve(*cold, p, surrogate(30, 0, 1)));
  }
  CHECK_FALSE(engine->refuses(p, surrogate(30, 1, 1)).empty());
  CHECK(engine->solve(surrogate(30, 1, 1), Limits()).status == Status::refused);
  Problem mixed = p;
  mixed.cost[3] = kInf;
  CHECK_FALSE(engine->refuses(mixed, surrogate(30, 0, 1)).empty());
  CHECK_FALSE(engine->refuses(svm_problem(x, alternating(60), 1), surrogate(30, 0, 1)).empty());
}

TEST_CASE("Weston-Watkins: a limit of steps leaves a solution whose gap says how far it is") {
  Random random(8);
  const Mat x = centred(40, 20, 4, 0.4, random);
  const Problem p = joint(x, in_turn(40, 4), 10);
  const Surrogate s = surrogate(20, 0, 1);
  const double least = ours(p, s).certificate.primal;
  auto engine = make_weston_watkins();
  engine->setup(p);
  Limits few;
  few.iterations = 1;
  const Solution out = engine->solve(s, few);
  REQUIRE(out.status == Status::limit);
  const Certificate c = certify(p, s, out);
  CHECK(c.primal == Approx(joint_objective(x, p, s, out)).epsilon(1e-10));
  CHECK(c.primal > least);
  CHECK(c.dual <= least * (1 + 1e-9));
  check_optimal(x, p, s, solve(*engine, p, s));
}

TEST_CASE("Weston-Watkins: an offset of all rows is the intercept's, also where x'x loses digits to it") {
  Random random(9);
  for (int trial = 0; trial < 12; ++trial) {
    const Index d = 4 + trial;
    const Mat x = centred(20, d, 4, 0.5, random);
    const Mat moved = x.array() + 100;
    const double cost = trial % 3 == 2 ? kInf : trial % 3 ? 100 : 3000;
    Surrogate s = surrogate(d, 0, 1);
    for (Index j = 0; j < d; ++j) s.scale[j] = std::pow(10, -uniform(random));
    INFO("trial " << trial << ", cost " << cost);
    const Solution expected = ours(joint(x, in_turn(20, 4), cost), s);
    const Problem p = joint(moved, in_turn(20, 4), cost);
    const Solution out = ours(p, s);
    if (expected.status == Status::infeasible) {
      CHECK(out.status == Status::infeasible);
      continue;
    }
    REQUIRE(out.status == Status::optimal);
    const double least = expected.certificate.primal;
    CHECK(out.certificate.dual <= least * (1 + 1e-9));
    CHECK(out.certificate.primal >= least * (1 - 1e-9));
    CHECK(out.certificate.primal <= least * (1 + kProof));
    if (cost <= 100) check_optimal(moved, p, s, out);
  }
}

TEST_CASE("Weston-Watkins: overlap is proven on columns whose scales the Gram matrix does not see") {
  Random random(10);
  int proven = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index d = 2 + trial % 4;
    const Mat x = gaussian(24, d, random);
    const Problem p = joint(x, in_turn(24, 3), kInf);
    Surrogate s = surrogate(d, 0, 1);
    for (Index j = 0; j < d; ++j) s.scale[j] = std::pow(10, -6 * uniform(random));
    auto engine = make_weston_watkins();
    engine->setup(p);
    const Solution out = engine->solve(s, Limits());
    INFO("trial " << trial);
    // Whether margins can be met does not depend on the scales.
    REQUIRE(ours(p, surrogate(d, 0, 1)).status == Status::infeasible);
    CHECK(out.status != Status::optimal);
    if (out.status != Status::infeasible) continue;
    ++proven;
    // The signed multipliers of each sample sum to zero over the classes, and their products with all columns vanish.
    Mat push = -out.dual;
    for (Index i = 0; i < 24; ++i) push(i, i % 3) = out.dual.row(i).sum();
    const double size = push.norm();
    CHECK(out.dual.minCoeff() >= 0);
    CHECK(push.colwise().sum().norm() <= 1e-6 * size);
    for (Index j = 0; j < d; ++j)
      CHECK((x.col(j).transpose() * push).norm() <= 1e-6 * size * x.col(j).norm());
  }
  CHECK(proven > 30);
}

#include <testthat/vendor/catch.h>

#include "instances.h"
#include "loop/minimise.h"
#include "rules/reweight.h"

using namespace zeronorm;

namespace {

// Columns 0 .. d - 1 and all their products, with the features of each.
struct Quadratics {
  Mat x;
  std::vector<IndexList> groups;

  explicit Quadratics(const Mat& base) {
    const Index d = base.cols();
    x.resize(base.rows(), d + d * (d + 1) / 2);
    for (Index j = 0; j < d; ++j) add(base.col(j), {j});
    for (Index j = 0; j < d; ++j)
      for (Index k = j; k < d; ++k)
        add(base.col(j).cwiseProduct(base.col(k)), j == k ? IndexList{j} : IndexList{j, k});
  }
  void add(const Vec& column, const IndexList& features) {
    x.col(Index(groups.size())) = column;
    groups.push_back(features);
  }
  Surrogate at(const Vec& l1) const {
    Surrogate s = surrogate(x.cols(), 0, kInf);
    s.l1 = l1;
    s.groups = groups;
    return s;
  }
};

Surrogate maximum_norm(Index d, double cost) {
  Surrogate s = surrogate(d, 0, kInf);
  s.l1 = Vec::Constant(1, cost);
  s.groups.assign(std::size_t(d), {0});
  return s;
}

void check_proof(const Problem& p, const Surrogate& s, const Solution& out) {
  REQUIRE(out.status == Status::optimal);
  const Certificate c = certify(p, s, out);
  CHECK(c.gap < 1e-9);
  CHECK(c.kkt < 1e-7);
}

}  // namespace

TEST_CASE("the maximum norm: every size, every price, warm along a path") {
  Random random(1);
  for (Index n : {5, 40})
    for (Index d : {1, 4, 60, 400}) {
      const Mat x = shifted(n, d, 0.5, random);
      Vec y = alternating(n);
      for (Index i = 0; i < n; i += 7) y[i] = -y[i];
      const Problem p = svm_problem(x, y, 1.0);
      const auto warm = make_highs();
      warm->setup(p);
      for (double cost : {100.0, 1.0, 1e-2, 1e-5}) {
        const Surrogate s = maximum_norm(d, cost);
        INFO("n " << n << ", d " << d << ", cost " << cost);
        const Solution out = solve(*warm, p, s);
        check_proof(p, s, out);
        CHECK(out.certificate.primal == Approx(solve(make_highs(), p, s).certificate.primal).epsilon(1e-8));
      }
    }
}

TEST_CASE("the maximum norm: hard margins, or a proof that there are none") {
  Random random(2);
  const Mat apart = shifted(30, 50, 1, random), mixed = gaussian(40, 3, random);
  const Problem p = svm_problem(apart, alternating(30), kInf);
  const Surrogate s = maximum_norm(50, 3);
  check_proof(p, s, solve(make_highs(), p, s));
  const Problem none = svm_problem(mixed, alternating(40), kInf);
  const auto engine = make_highs();
  engine->setup(none);
  const Solution out = engine->solve(maximum_norm(3, 1), Limits());
  REQUIRE(out.status == Status::infeasible);
  CHECK(proves_inseparable(none, maximum_norm(3, 1), out));
}

TEST_CASE("columns of no feature are free, removed ones zero") {
  Random random(3);
  const Mat x = shifted(30, 6, 0.3, random);
  const Problem p = svm_problem(x, alternating(30), 0.1);
  Surrogate s = maximum_norm(6, 1);
  s.groups[2].clear();
  s.scale[4] = 0;
  const Solution out = solve(make_highs(), p, s);
  check_proof(p, s, out);
  CHECK(out.w(4, 0) == 0);
  // For an unpenalised column, shifting the column changes only its weight.
  Mat moved = x;
  moved.col(2) = 1e3 * x.col(2) + x.col(0);
  const Problem q = svm_problem(moved, alternating(30), 0.1);
  CHECK(solve(make_highs(), q, s).certificate.primal < out.certificate.primal * 1.5);
  CHECK(std::abs(out.w(2, 0)) > 0);
}

TEST_CASE("several features to a column: every round of a concave penalty is proven") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const Quadratics map(shifted(30, 6, 0.4, random));
    const Problem p = svm_problem(map.x, alternating(30), 1.0);
    Reweighting what;
    what.schedule = {make_penalty("exp", {{"alpha", 5}})};
    what.cost = Vec::Constant(6, 5.0);
    Reweight rule(what, Selection());
    const auto engine = make_highs();
    engine->setup(p);
    const Trace trace = minimise(p, *engine, rule, map.at(what.cost), Stop());
    REQUIRE(trace.stop == StopReason::converged);
    for (std::size_t k = 0; k < trace.rounds.size(); ++k) {
      CHECK(trace.rounds[k].gap < 1e-9);
      CHECK(trace.rounds[k].nonzero <= 6);
      if (k > 0) CHECK(trace.rounds[k].objective <= trace.rounds[k - 1].objective + 1e-9);
    }
    // The last programme is solved once more without a warm start.
    const Solution cold = solve(make_highs(), p, trace.surrogate);
    CHECK(cold.certificate.primal == Approx(trace.solution.certificate.primal).epsilon(1e-8));
  }
}

TEST_CASE("features that were left out come back when they are cheap") {
  Random random(5);
  const Quadratics map(shifted(25, 5, 0.4, random));
  const Problem p = svm_problem(map.x, alternating(25), 1.0);
  const auto engine = make_highs();
  engine->setup(p);
  for (double cost : {1e3, 3.0, 1e3, 0.1}) {
    const Surrogate s = map.at(Vec::Constant(5, cost));
    const Solution out = solve(*engine, p, s);
    check_proof(p, s, out);
    const Vec v = magnitudes(s, out.w);
    CHECK((v.array() > 0).any() == (cost < 10));
  }
}

TEST_CASE("other groups, or other columns, are another programme to the same engine") {
  Random random(9);
  const Mat x = shifted(20, 6, 0.5, random);
  const Problem p = svm_problem(x, alternating(20), 1);
  Surrogate one = maximum_norm(6, 0.5), two = one, fewer = one;
  two.l1 = Eigen::Vector2d(0.2, 0.7);
  for (std::size_t j = 3; j < 6; ++j) two.groups[j] = {1};
  fewer.scale[0] = fewer.scale[4] = 0;
  Surrogate swapped = two;
  std::swap(swapped.groups[0], swapped.groups[5]);
  const auto warm = make_highs();
  warm->setup(p);
  for (const Surrogate* s : {&one, &two, &swapped, &fewer, &one}) {
    const Solution out = solve(*warm, p, *s), cold = solve(make_highs(), p, *s);
    check_proof(p, *s, out);
    CHECK(out.certificate.primal == Approx(cold.certificate.primal).epsilon(1e-9));
    for (Index j = 0; j < 6; ++j)
      if (s->scale[j] == 0) CHECK(out.w(j, 0) == 0);
  }
}

TEST_CASE("what features cannot pay for is left over") {
  const std::vector<IndexList> groups = {{0}, {1}, {0, 1}, {}};
  Vec l1(2), g(4);
  l1 << 1, 2;
  g << 0.5, -2, 0.75, 0.25;
  const Vec left = uncovered(groups, l1, g);
  CHECK(left.sum() == Approx(0.5));
  CHECK(left[3] == Approx(0.25));
  g << 1, -1, -1, 0;
  CHECK(uncovered(groups, l1, g).sum() == Approx(0).margin(1e-12));
}

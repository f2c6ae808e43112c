// Tests the span of unpenalised columns against columns constructed by hand: means and nearly collinear columns from
// which powers of two are subtracted, so that no digit is lost on either side.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "loop/minimise.h"
#include "problem/free_columns.h"
#include "problem/loss.h"

using namespace zeronorm;

namespace {

const double kFar = std::ldexp(1.0, 30), kApart = std::ldexp(1.0, -30);

// Returns numbers with few digits, so that sums with kFar and products with kApart are exact.
Vec short_numbers(Index n, Random& random) { return (1024 * gaussian(n, random)).array().round() / 1024; }

// Columns 0 and 1 of raw are unpenalised and hide the span that those of plain show.
struct Pair {
  const char* what;
  Mat raw, plain;
};

std::vector<Pair> pairs(Index n, Index d, Random& random) {
  const Vec a = short_numbers(n, random), b = short_numbers(n, random);
  const Mat others = gaussian(n, d, random);
  const auto with = [&](const Vec& u, const Vec& v) {
    Mat x(n, d + 2);
    x << u, v, others;
    return x;
  };
  const Mat plain = with(a, b);
  return {{"far from zero", with(a.array() + kFar, b.array() - kFar), plain},
          {"nearly constant", with(1 + kApart * a.array(), 3 - kApart * b.array()), with(a, -b)},
          {"next to each other", with(a, a + kApart * b), plain},
          {"next to each other and far from zero", with(1 + a.array(), 1 + (a + kApart * b).array()), plain},
          {"in other units", with(kFar * a, kApart * b), plain}};
}

Surrogate two_free(Index d, double l1, double scale) {
  Surrogate s = surrogate(d, l1, scale);
  for (Index j : {0, 1}) s.l1[j] = 0, s.scale[j] = kInf;
  return s;
}

}  // namespace

TEST_CASE("free columns: an orthonormal basis of what they span, ones first") {
  Random random(1);
  const Index n = 20;
  const Vec weights = gaussian(n, random).cwiseAbs();
  for (const Pair& p : pairs(n, 0, random)) {
    INFO(p.what);
    for (const Vec& w : {Vec(Vec::Ones(n)), weights}) {
      const FreeColumns free(*view(p.raw), true, {0, 1}, w), plain(*view(p.plain), true, {0, 1}, w);
      CHECK(free.awkward());
      CHECK_FALSE(plain.awkward());
      const Mat& q = free.basis();
      REQUIRE(q.cols() == 3);
      CHECK(q.col(0) == Vec::Ones(n));
      const Vec share = w / w.sum();
      CHECK((q.transpose() * share.asDiagonal() * q - Mat::Identity(3, 3)).norm() <= 1e-12);
      // The spans are equal: one basis leaves no more of the other than rounding errors relative to kFar.
      const Mat& other = plain.basis();
      CHECK((other - q * (q.transpose() * share.asDiagonal() * other)).norm() <=
            2.2e-16 * kFar * other.norm());
    }
  }
}

TEST_CASE("free columns: coefficients come and go, decision values stay") {
  Random random(2);
  const Index n = 15;
  for (const Pair& p : pairs(n, 2, random)) {
    INFO(p.what);
    for (bool intercept : {true, false}) {
      const auto x = view(p.raw);
      const FreeColumns free(*x, intercept, {0, 1});
      Solution on;
      on.w = gaussian(4, 3, random);
      on.b = intercept ? gaussian(3, random) : Vec(Vec::Zero(3));
      const auto values = [](const Design& design, const Solution& s) {
        Mat f(design.rows(), s.w.cols());
        for (Index k = 0; k < f.cols(); ++k) f.col(k) = design.times(s.w.col(k)).array() + s.b[k];
        return f;
      };
      const Solution out = free.leave(on), back = free.enter(out);
      const Mat f = values(*free.enter(x), on);
      const double noise = 4 * free.rounding(out) + 4 * 1.2e-16 * out.b.cwiseAbs().maxCoeff();
      CHECK(noise <= 1e-5);
      CHECK((values(*x, out) - f).cwiseAbs().maxCoeff() <= noise + 1e-12);
      CHECK((back.w - on.w).cwiseAbs().maxCoeff() <= noise + 1e-12);
      CHECK((out.w.bottomRows(2) - on.w.bottomRows(2)).norm() == 0);
    }
  }
}

TEST_CASE("free columns: what others leave of a column but for rounding counts for nothing") {
  Random random(3);
  const Index n = 30;
  const Vec a = gaussian(n, random), b = gaussian(n, random);
  Mat x(n, 6);
  x << 1e9 * a, b, 1e9 * a + b, Vec::Constant(n, 0.3), Vec::Zero(n), -3 * b;
  const FreeColumns free(*view(x), true, {0, 1, 2, 3, 4, 5});
  CHECK(free.basis().cols() == 3);
  Solution s;
  s.w = Mat::Zero(6, 1);
  s.w(0, 0) = 2, s.w(1, 0) = 3;  // These are coefficients of the basis.
  s.b = Vec::Ones(1);
  const Solution out = free.leave(s);
  CHECK((out.w.array() != 0).count() == 2);
  CHECK((x * out.w).array().isApprox((free.basis() * Eigen::Vector3d(0, 2, 3)).array() + 1 - out.b[0], 1e-9));
  // Rows without weight do not affect the basis, but have values in it.
  Vec weights = Vec::Ones(n);
  weights.head(3).setZero();
  Mat y = x;
  y.topRows(3).setConstant(1e20);
  const FreeColumns some(*view(y), true, {0, 1}, weights);
  REQUIRE(some.basis().cols() == 3);
  CHECK(some.basis().bottomRows(n - 3).colwise().sum().tail(2).norm() <= 1e-9);
}

TEST_CASE("free columns: of a surrogate") {
  Surrogate s = surrogate(5, 1, kInf);
  s.l1[1] = s.l1[2] = s.l1[3] = 0;
  s.scale[2] = 1;
  s.linear = Vec::Zero(5);
  s.linear[3] = 0.1;
  CHECK(free_columns(s) == IndexList{1});
}

TEST_CASE("free columns: engines find the same optimum, or say that they do not") {
  Random random(4);
  const Index n = 24, d = 5;
  for (Loss loss : {Loss::hinge, Loss::squared_hinge, Loss::squared, Loss::logistic}) {
    const bool slacks = has_slacks(loss);
    for (const Pair& p : pairs(n, d - 2, random)) {
      INFO(p.what);
      const Vec noise = gaussian(n, random);
      const Vec y = (p.plain.col(1) + p.plain.col(2) + noise).array().sign();
      const auto solved = [&](const Mat& x, const std::string& name, const Surrogate& s) {
        Problem q = svm_problem(x, y, 1);
        q.loss = loss;
        const auto engine = make_engine(name);
        engine->setup(q);
        return solve_certified(*engine, q, s, Limits());
      };
      for (double l1 : {0.0, 0.3}) {
        const Surrogate s = two_free(d, l1, 1);
        const Solution wanted = solved(p.plain, "auto", s);
        REQUIRE(wanted.status == Status::optimal);
        for (const char* name : {"dual", "active_set", "newton", "smooth", "osqp"}) {
          INFO(name);
          const Solution got = solved(p.raw, name, s);
          const bool own = std::string(name) == "dual" && slacks && l1 == 0;
          if (own) CHECK(got.status == Status::optimal);
          if (got.status != Status::optimal) continue;
          CHECK(got.certificate.primal == Approx(wanted.certificate.primal).epsilon(2 * kProof));
        }
      }
    }
  }
}

TEST_CASE("free columns: the best without one of two neighbours is not the best") {
  Random random(5);
  const Index n = 20;
  const Vec a = short_numbers(n, random), b = short_numbers(n, random), y = alternating(n);
  Mat x(n, 2);
  x << a, a + kApart * (b + 3 * y);  // The difference of the columns separates the classes.
  const Surrogate s = surrogate(2, 0, kInf);
  for (Loss loss : {Loss::hinge, Loss::squared_hinge, Loss::logistic}) {
    Problem p = svm_problem(x, y, 1);
    p.loss = loss;
    Surrogate without = s;
    without.scale[1] = 0;
    const auto engine = make_engine("auto");
    engine->setup(p);
    const Solution out = solve_certified(*engine, p, without, Limits());
    REQUIRE(out.status == Status::optimal);
    CHECK(certify(p, s, out).gap > 0.1);
  }
  // The multipliers prove inseparability by the first column, and would by the second except for its last digits.
  Problem hard = svm_problem(x, y, kInf);
  Surrogate without = s;
  without.scale[1] = 0;
  const auto engine = make_engine("dual");
  engine->setup(hard);
  const Solution ray = engine->solve(without, Limits());
  REQUIRE(ray.status == Status::infeasible);
  CHECK(proves_inseparable(hard, without, ray));
  CHECK_FALSE(proves_inseparable(hard, s, ray));
  Solution both = engine->solve(s, Limits());
  REQUIRE(both.status == Status::optimal);
  CHECK(slacks(hard, both.w.col(0), both.b[0]).maxCoeff() <= 1e-5);
}

TEST_CASE("free columns: several classes") {
  Random random(6);
  const Index n = 24, d = 4;
  for (const Pair& p : pairs(n, d - 2, random)) {
    INFO(p.what);
    Mat y = Mat::Constant(n, 3, -1);
    for (Index i = 0; i < n; ++i)
      y(i, p.plain(i, 1) + 0.3 * normal(random) > 0.4 ? 0 : p.plain(i, 2) > 0 ? 1 : 2) = 1;
    const auto solved = [&](const Mat& x) {
      Problem q = svm_problem(x, y.col(0), 1);
      q.y = y;
      q.loss = Loss::weston_watkins;
      const auto engine = make_engine("weston_watkins");
      engine->setup(q);
      return solve_certified(*engine, q, two_free(d, 0, 1), Limits());
    };
    const Solution wanted = solved(p.plain), got = solved(p.raw);
    REQUIRE(wanted.status == Status::optimal);
    REQUIRE(got.status == Status::optimal);
    CHECK(got.certificate.primal == Approx(wanted.certificate.primal).epsilon(2 * kProof));
    CHECK((got.w.bottomRows(2) - wanted.w.bottomRows(2)).norm() <= 1e-5 * wanted.w.norm());
  }
}

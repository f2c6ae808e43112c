// The newton engine against the dual engine, which is an exact active-set method, and what it says of failures.
#include <testthat/vendor/catch.h>

#include <cmath>
#include <numeric>
#include <random>

#include "certificate.h"
#include "design.h"
#include "engines/engine.h"
#include "row_copy.h"

using namespace zeronorm;

namespace {

std::mt19937 generator(77);
double normal() { return std::normal_distribution<double>()(generator); }
double uniform() { return std::uniform_real_distribution<double>()(generator); }

// Columns compressed, zeros left out.
struct Compressed {
  std::vector<int> start{0}, row;
  std::vector<double> value;
  explicit Compressed(const Mat& x) {
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < x.rows(); ++i)
        if (x(i, j) != 0) row.push_back(static_cast<int>(i)), value.push_back(x(i, j));
      start.push_back(static_cast<int>(row.size()));
    }
  }
};

struct Case {
  Mat x;
  Problem problem;
  Surrogate surrogate;

  Case(Index n, Index d, double cost, double density = 1, double mean = 0) : x(n, d) {
    for (Index k = 0; k < x.size(); ++k) x.data()[k] = uniform() < density ? mean + normal() : 0.0;
    problem.y.resize(n, 1);
    for (Index i = 0; i < n; ++i) problem.y(i, 0) = x(i, 0) + normal() > mean ? 1 : -1;
    problem.cost = Vec::Constant(n, cost);
    surrogate.l1 = Vec::Zero(d);
    surrogate.scale = Vec::Ones(d);
    dense();
  }
  void dense() {
    const Index d = x.cols();
    problem.x = dense_design(x.data(), x.rows(), d, Vec::Zero(d), Vec::Ones(d));
  }
};

Solution graded(Engine& engine, const Case& c, double tol = 1e-9) {
  Limits limits;
  limits.tol = tol;
  Solution s = engine.solve(c.surrogate, limits);
  if (s.status == Status::optimal) s.certificate = certify(c.problem, c.surrogate, s);
  return s;
}

void agrees(const Case& c) {
  auto newton = make_newton(), dual = make_dual_qp();
  newton->setup(c.problem);
  dual->setup(c.problem);
  const Solution s = graded(*newton, c), t = graded(*dual, c);
  REQUIRE(t.status == Status::optimal);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.certificate.gap <= 1e-8);
  CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-8));
  CHECK((s.w - t.w).norm() <= 1e-3 * t.w.norm() + 1e-8);
}

}  // namespace

TEST_CASE("newton finds the dual engine's optimum") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const double cost : {0.01, 1.0, 100.0})
      for (const Index n : {40, 150})
        for (const Index d : {5, 100}) {
          Case c(n, d, cost);
          c.problem.loss = loss;
          agrees(c);
          c.problem.intercept = false;
          agrees(c);
        }
}

TEST_CASE("newton: scales of many sizes, columns without, rows without cost, unequal costs") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(120, 30, 1);
    c.problem.loss = loss;
    for (Index j = 0; j < 30; ++j)
      c.surrogate.scale[j] = j % 5 == 0 ? 0.0 : std::pow(10.0, 2 * uniform() - 1);
    for (Index i = 0; i < 120; ++i) c.problem.cost[i] = i % 7 == 0 ? 0.0 : 3 * uniform();
    agrees(c);
  }
}

TEST_CASE("newton: free columns beside and instead of the intercept") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const bool intercept : {true, false}) {
      Case c(100, 12, 0.5);
      c.problem.loss = loss;
      c.problem.intercept = intercept;
      c.surrogate.scale[3] = c.surrogate.scale[7] = kInf;
      agrees(c);
    }
}

TEST_CASE("newton: columns far from zero, duplicated and constant ones") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(150, 10, 1, 1, 50);
    c.problem.loss = loss;
    c.x.col(4) = c.x.col(1);
    c.x.col(5).setConstant(2);
    agrees(c);
  }
}

TEST_CASE("newton: a sparse design gives the dense one's solution") {
  Case c(300, 60, 1, 0.1);
  auto dense = make_newton(), sparse = make_newton();
  dense->setup(c.problem);
  const Solution s = graded(*dense, c);
  const Compressed compressed(c.x);
  Case other = c;
  other.problem.x = sparse_design(compressed.start.data(), compressed.row.data(), compressed.value.data(),
                                  300, 60, Vec::Ones(60));
  sparse->setup(other.problem);
  const Solution t = graded(*sparse, other);
  REQUIRE(s.status == Status::optimal);
  REQUIRE(t.status == Status::optimal);
  CHECK(t.certificate.primal == Approx(s.certificate.primal).epsilon(1e-8));
}

TEST_CASE("newton stays warm while scales shrink, and overlooked columns keep their small weights") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge}) {
    Case c(200, 80, 1);
    c.problem.loss = loss;
    auto warm = make_newton();
    warm->setup(c.problem);
    for (int round = 0; round < 6; ++round) {
      const Solution s = graded(*warm, c);
      auto cold = make_dual_qp();
      cold->setup(c.problem);
      const Solution t = graded(*cold, c);
      REQUIRE(s.status == Status::optimal);
      CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-7));
      for (Index j = 0; j < 80; ++j)
        if (c.surrogate.scale[j] > 1e-4 && std::abs(t.w(j, 0)) > 1e-3 * t.w.cwiseAbs().maxCoeff())
          CHECK(s.w(j, 0) == Approx(t.w(j, 0)).epsilon(0.02));
      c.surrogate.scale = c.surrogate.scale.cwiseProduct(t.w.col(0).cwiseAbs());
    }
  }
}

TEST_CASE("newton: where half the columns go, it is no slower than from nothing") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const double cost : {10.0, 0.01}) {
      // So many columns that all steps are solved by conjugate gradients: their numbers compare.
      const Index all = 8400;
      Case c(100, all, cost);
      c.problem.loss = loss;
      auto kept = make_newton();
      kept->setup(c.problem);
      for (Index left = all; left >= all / 4; left /= 2) {
        c.surrogate.scale.tail(all - left).setZero();
        auto fresh = make_newton(), dual = make_dual_qp();
        fresh->setup(c.problem);
        dual->setup(c.problem);
        const Solution s = graded(*kept, c, 1e-6), t = graded(*fresh, c, 1e-6), reference = graded(*dual, c);
        REQUIRE(s.status == Status::optimal);
        CHECK(s.certificate.primal == Approx(reference.certificate.primal).epsilon(1e-6));
        CHECK(t.certificate.primal == Approx(reference.certificate.primal).epsilon(1e-6));
        CHECK(double(s.iterations) <= 1.25 * double(t.iterations) + 3);
      }
    }
}

TEST_CASE("newton: hard margins, and data without") {
  Case c(400, 8, kInf);
  for (Index i = 0; i < 400; ++i) {
    c.problem.y(i, 0) = i % 2 ? 1 : -1;
    c.x(i, 0) = c.problem.y(i, 0) * (0.5 + uniform());
  }
  c.dense();
  agrees(c);
  c.x(0, 0) = -5 * c.problem.y(0, 0);
  for (Index j = 1; j < 8; ++j) c.x(0, j) = 0;
  c.x.row(1) = c.x.row(0);  // one point, two labels
  auto newton = make_newton();
  newton->setup(c.problem);
  const Solution s = newton->solve(c.surrogate, Limits());
  REQUIRE(s.status == Status::infeasible);
  CHECK(proves_inseparable(c.problem, c.surrogate, s));
}

TEST_CASE("newton: a hard margin whose last weights have lost the columns that held it") {
  Case c(25, 75, kInf);
  c.x.leftCols(25) *= 20;  // nearly all of the first solution
  c.dense();
  auto kept = make_newton(), dual = make_dual_qp();
  kept->setup(c.problem);
  dual->setup(c.problem);
  REQUIRE(graded(*kept, c).status == Status::optimal);
  c.surrogate.scale.head(25).setZero();
  const Solution s = graded(*kept, c), t = graded(*dual, c);
  REQUIRE(s.status == Status::optimal);
  CHECK(s.certificate.primal == Approx(t.certificate.primal).epsilon(1e-8));
}

TEST_CASE("newton stops where it is told to") {
  Case c(300, 50, 1);
  std::unique_ptr<Engine> newton;
  for (const int after : {0, 1, 2}) {  // 0: before the first step
    newton = make_newton();
    newton->setup(c.problem);
    Limits limits;
    int calls = 0;
    limits.interrupted = [&]() { return ++calls > after; };
    CHECK(newton->solve(c.surrogate, limits).status == Status::interrupted);
  }
  c.surrogate.l1[0] = 1;
  CHECK_FALSE(newton->refuses(c.problem, c.surrogate).empty());
}

TEST_CASE("a copy of rows multiplies like the matrix") {
  for (const double density : {0.1, 1.0}) {
    Case c(70, 23, 1, density);
    const Compressed compressed(c.x);
    auto sparse = sparse_design(compressed.start.data(), compressed.row.data(), compressed.value.data(), 70,
                                23, Vec::Ones(23));
    const IndexList columns{3, 0, 22, 10, 11};
    const auto rows = copy_rows(density < 1 ? *sparse : *c.problem.x, columns);
    CHECK(rows->cols() == 5);
    IndexList some;
    for (Index i = 0; i < 70; i += 3) some.push_back(i);
    Vec d(70), shift(70), v(5);
    for (Index i = 0; i < 70; ++i) d[i] = uniform(), shift[i] = normal();
    for (Index k = 0; k < 5; ++k) v[k] = normal();
    Vec product = Vec::Zero(5), sums = Vec::Zero(5), squares = Vec::Zero(5), s, q;
    Mat gram = Mat::Zero(5, 5);
    for (Index i : some) {
      Vec x(5);
      for (Index k = 0; k < 5; ++k) x[k] = c.x(i, rows->columns()[static_cast<std::size_t>(k)]);
      product += d[i] * (x.dot(v) - shift[i]) * x;
      sums += d[i] * x;
      squares += d[i] * x.cwiseAbs2();
      gram += d[i] * x * x.transpose();
    }
    CHECK((rows->square_times(some, d, shift, v) - product).norm() <= 1e-12 * product.norm());
    rows->weighted_sums(some, d, s, q);
    CHECK((s - sums).norm() <= 1e-12 * sums.norm());
    CHECK((q - squares).norm() <= 1e-12 * squares.norm());
    const Mat found = rows->gram(some, d);
    CHECK((Mat(found.triangularView<Eigen::Lower>()) - Mat(gram.triangularView<Eigen::Lower>())).norm() <=
          1e-12 * gram.norm());
    CHECK((rows->weighted_sum(some, d) - sums).norm() <= 1e-12 * sums.norm());

    // Some columns of the copy, and then one.
    for (const std::vector<char>& kept : {std::vector<char>{1, 0, 1, 1, 0}, std::vector<char>{0, 0, 1}}) {
      IndexList left;
      for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k]) left.push_back(rows->columns()[k]);
      CHECK(rows->keep(kept));
      CHECK(rows->columns() == left);
      const Vec u = v.head(rows->cols());
      Vec all = Vec::Zero(70);
      for (Index k = 0; k < rows->cols(); ++k) all += u[k] * c.x.col(left[static_cast<std::size_t>(k)]);
      CHECK((rows->times(u) - all).norm() <= 1e-12 * all.norm());
    }
  }
}

TEST_CASE("a large copy of rows is rounded until few entries are left") {
  for (const double density : {0.3, 1.0}) {
    const Index n = 4096, d = density < 1 ? 4800 : 1200;
    Case c(n, d, 1, density);
    const Compressed compressed(c.x);
    auto sparse = sparse_design(compressed.start.data(), compressed.row.data(), compressed.value.data(), n, d,
                                Vec::Ones(d));
    IndexList columns(static_cast<std::size_t>(d));
    std::iota(columns.begin(), columns.end(), Index(0));
    const auto rows = copy_rows(density < 1 ? *sparse : *c.problem.x, columns);
    CHECK(rows->rounded());
    Vec v(d), a(n);
    for (Index k = 0; k < d; ++k) v[k] = normal();
    IndexList all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), Index(0));
    for (Index i = 0; i < n; ++i) a[i] = uniform();
    Vec in_order(d);
    for (Index k = 0; k < d; ++k) in_order[k] = v[rows->columns()[static_cast<std::size_t>(k)]];
    const Vec product = c.x * v, sum = c.x.transpose() * a, found = rows->weighted_sum(all, a);
    CHECK((rows->times(in_order) - product).norm() <= 1e-6 * product.norm());
    Vec back(d);
    for (Index k = 0; k < d; ++k) back[rows->columns()[static_cast<std::size_t>(k)]] = found[k];
    CHECK((back - sum).norm() <= 1e-6 * sum.norm());
    std::vector<char> kept(static_cast<std::size_t>(d), 0);
    kept[5] = 1;
    CHECK_FALSE(rows->keep(kept));
    CHECK(rows->cols() == d);
  }
}

TEST_CASE("newton: columns of zeros are no columns") {
  for (const Loss loss : {Loss::hinge, Loss::squared_hinge})
    for (const bool intercept : {true, false}) {
      Case c(50, 3, 1);
      c.x.setZero();
      c.problem.loss = loss;
      c.problem.intercept = intercept;
      agrees(c);
      c.surrogate.scale[1] = kInf;
      agrees(c);
    }
}

// Tests coordinate ascent on the dual against the duality gap by its definition, in plain Eigen.
#include "engines/parts/sweeps.h"

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <numeric>

#include "instances.h"

using namespace zeronorm;

namespace {

struct Instance {
  Mat x, f;
  Vec y, margin, cost, cap, scale;
  bool squared;

  Instance(Index n, Index d, double price, bool squared_hinge, Index free, Random& random)
      : x(Mat::NullaryExpr(n, d, [&] { return uniform(random) < 0.3 ? 1 + normal(random) : 0.0; })),
        f(n, free), y(n), margin(Vec::Ones(n)), cost(Vec::Constant(n, price)), cap(n), scale(d),
        squared(squared_hinge) {
    for (Index i = 0; i < n; ++i) {
      y[i] = x(i, 0) + 0.5 * normal(random) > 0.3 ? 1 : -1;
      cost[i] *= 0.5 + uniform(random);
      if (i % 10 == 3) cost[i] = 0;
      cap[i] = !squared ? cost[i] : cost[i] > 0 ? kInf : 0;
    }
    for (Index j = 0; j < d; ++j) scale[j] = 0.2 + uniform(random);
    if (free > 0) f.col(free - 1).setOnes();
    if (free > 1) f.col(0) = gaussian(n, random);
  }

  double primal(const Vec& u, const Vec& theta) const {
    const Vec r = margin - y.cwiseProduct(x * scale.cwiseProduct(u) + f * theta);
    double value = 0.5 * u.squaredNorm();
    for (Index i = 0; i < r.size(); ++i) {
      const double slack = std::max(0.0, r[i]);
      value += cost[i] * (squared ? 0.5 * slack * slack : slack);
    }
    return value;
  }
  Vec pulled(const Vec& a) const { return scale.cwiseProduct(x.transpose() * y.cwiseProduct(a)); }
  double dual(const Vec& a) const {
    double value = margin.dot(a) - 0.5 * pulled(a).squaredNorm();
    for (Index i = 0; i < a.size() && squared; ++i)
      if (a[i] > 0) value -= 0.5 * a[i] * a[i] / cost[i];
    return value;
  }
};

bool ascended(const Instance& m, const RowCopy& rows, double aim, Multipliers& found) {
  Vec squares(rows.cols());
  for (Index k = 0; k < squares.size(); ++k)
    squares[k] = std::pow(m.scale[rows.columns()[std::size_t(k)]], 2);
  return sweep({rows, squares, m.y, m.margin, m.cost, m.cap, m.squared, m.f}, aim, Limits(), found);
}

}  // namespace

TEST_CASE("sweeps close the gap of ridge machines") {
  Random random(90);
  int reaches = 0;
  for (const bool squared : {false, true})
    for (const bool sparse : {false, true})
      for (const double price : {0.02, 1.0, 10.0})
        for (const Index free : {0, 1, 2}) {
          const Instance m(60, 90, price, squared, free, random);
          const Compressed compressed(m.x);
          IndexList columns(90);
          std::iota(columns.begin(), columns.end(), Index(0));
          const auto rows = copy_rows(sparse ? *compressed.view(60, Vec::Ones(90)) : *view(m.x), columns);
          Multipliers found{Vec::Zero(60), Vec::Zero(free), kInf};
          const bool reached = ascended(m, *rows, 1e-8, found);
          reaches += reached;
          const Vec a = found.a;
          CHECK(a.minCoeff() >= 0);
          CHECK((m.cap - a).minCoeff() >= 0);
          const double value = m.primal(m.pulled(a), found.theta), gap = (value - m.dual(a)) / value;
          CHECK(gap <= (reached ? 1e-6 : 0.5));
          if (free > 0)
            CHECK((m.f.transpose() * m.y.cwiseProduct(a)).norm() <= (reached ? 1e-6 : 1e-2) * a.sum());

          // The ascent continues from there; balancing may cost something.
          ascended(m, *rows, 1e-6, found);
          if (free == 0) CHECK(m.dual(found.a) >= m.dual(a) - 1e-12 * value);
        }
  CHECK(reaches >= 24);  // Of the 36 problems, the others gain too little.
}

TEST_CASE("sweeps give up where they gain too little, and stop when asked to") {
  Random random(91);
  Instance m(50, 80, 1, true, 1, random);
  for (Index j = 0; j < 80; ++j) m.scale[j] = std::pow(10, 8 * uniform(random) - 4);
  m.cost *= 1e4;
  const auto rows = copy_rows(*view(m.x), {0, 1, 2, 3, 4, 5, 6, 7});
  Multipliers found{Vec::Zero(50), Vec::Zero(1), kInf};
  CHECK_FALSE(ascended(m, *rows, 1e-12, found));
  CHECK(found.a.allFinite());

  Multipliers none{Vec::Zero(50), Vec::Zero(1), kInf};
  Limits limits;
  limits.interrupted = [] { return true; };
  const Vec squares = Vec::Ones(8);
  sweep({*rows, squares, m.y, m.margin, m.cost, m.cap, m.squared, m.f}, 1e-9, limits, none);
  CHECK(none.a.allFinite());

  // No row has a cost, so there is nothing to maximise.
  m.cost.setZero();
  m.cap.setZero();
  sweep({*rows, squares, m.y, m.margin, m.cost, m.cap, m.squared, m.f}, 1e-9, Limits(),
        none = {Vec::Zero(50), Vec::Zero(1), kInf});
  CHECK(none.a == Vec::Zero(50));
}

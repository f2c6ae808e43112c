// Tests Newton steps against the dense system, for every way of solving them.
#include "engines/parts/newton_system.h"

#include <testthat/vendor/catch.h>

#include <Eigen/LU>
#include <numeric>

#include "data/row_copy.h"
#include "instances.h"

using namespace zeronorm;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Columns {
  // The columns in use, in their order.
  Mat x;
  IndexList place;
  Vec z;
};

// Returns the columns of the copy in use, with a scale for each.
Columns columns_in(const RowCopy& rows, const Mat& x, const IndexList& used, Random& random) {
  Columns c{Mat(x.rows(), Index(used.size())), {}, Vec(Index(used.size()))};
  for (std::size_t k = 0; k < used.size(); ++k) {
    c.x.col(Index(k)) = x.col(used[k]);
    c.z[Index(k)] = 0.2 + uniform(random);
    const auto found = std::find(rows.columns().begin(), rows.columns().end(), used[k]);
    c.place.push_back(Index(found - rows.columns().begin()));
  }
  return c;
}

// Returns the relative residual of (I + Z X'D X Z) du + Z X'D F dtheta = -g and F'D X Z du + (F'D F + held) dtheta =
// -b.
double residual(const Columns& c, const Mat& f, const Vec& d, const Vec& held, const Vec& g, const Vec& b,
                const NewtonSystem::Step& step) {
  const Mat xz = c.x * c.z.asDiagonal();
  const Vec pull = d.cwiseProduct(xz * step.u + f * step.theta);
  const Vec first = step.u + xz.transpose() * pull + g;
  const Vec second = f.transpose() * pull + held.cwiseProduct(step.theta) + b;
  return std::sqrt(first.squaredNorm() + second.squaredNorm()) / std::sqrt(g.squaredNorm() + b.squaredNorm());
}

}  // namespace

TEST_CASE("a Newton step solves its system whatever rows, weights and columns came before") {
  Random random(84);
  const Index n = 300, d = 130;
  for (const double density : {0.08, 0.6}) {
    const Mat x = Mat::NullaryExpr(n, d, [&] { return uniform(random) < density ? normal(random) : 0.0; });
    const Compressed compressed(x);
    const auto design = compressed.view(n, Vec::Ones(d));
    for (const Index free : {0, 1, 3}) {
      Mat f = gaussian(n, free, random);
      if (free > 0) f.col(free - 1).setOnes();
      IndexList used(at(d));
      std::iota(used.begin(), used.end(), Index(0));
      const auto rows = copy_rows(*design, used);
      NewtonSystem system;
      Columns c = columns_in(*rows, x, used, random);
      Vec weights = Vec::Ones(n);
      IndexList between;
      for (Index i = 0; i < n; i += 2) between.push_back(i);
      for (int step = 0; step < 120; ++step) {
        if (step % 10 == 0) c = columns_in(*rows, x, used, random);  // The scales change.
        if (step % 7 == 0) weights *= 3;                             // The unit of the weights changes.
        if (step % 30 == 29) weights = gaussian(n, random).cwiseAbs().array() + 0.1;
        if (step == 40 || step == 80) {  // Columns are removed.
          std::vector<char> kept;
          for (std::size_t k = 0; k < rows->columns().size(); ++k) kept.push_back(k % 5 != 2);
          rows->keep(kept);
          system.keep(kept);
          used = rows->columns();
          std::sort(used.begin(), used.end());
          c = columns_in(*rows, x, used, random);
        }
        if (step % 20 == 19) between.clear();                    // All rows are replaced.
        for (int k = 0; k < (between.empty() ? 100 : 3); ++k) {  // Rows are added.
          const Index i = std::min(n - 1, Index(uniform(random) * double(n)));
          if (std::find(between.begin(), between.end(), i) == between.end()) between.push_back(i);
        }
        between.erase(between.begin());  // A row is removed.
        std::sort(between.begin(), between.end());
        system.take(*rows, c.place, c.z, f, free > 0);
        const Vec held = Vec::Constant(free, 0.5);
        system.weigh(between, weights, held);
        const Vec g = gaussian(c.z.size(), random), b = gaussian(free, random);
        Vec used_weights = Vec::Zero(n);
        for (Index i : between) used_weights[i] = weights[i];
        const auto found = system.solve(g, b, 1e-11, Limits());
        CHECK(residual(c, f, used_weights, held, g, b, found) < 1e-8);
      }
    }
  }
}

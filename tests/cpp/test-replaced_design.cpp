// Tests that a design with replaced columns equals the design of the matrix with these columns.
#include <testthat/vendor/catch.h>

#include "instances.h"

using namespace zeronorm;

namespace {

void check_same(const Design& a, const Design& b, Random& random) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  const Vec w = gaussian(a.cols(), random), v = gaussian(a.rows(), random);
  CHECK(matrix(a) == matrix(b));
  CHECK(a.times(w).isApprox(b.times(w), 1e-13));
  CHECK(a.transposed_times(v).isApprox(b.transposed_times(v), 1e-13));
  CHECK(a.prices(v).isApprox(b.prices(v), 1e-13));
  CHECK(a.squared_norms().isApprox(b.squared_norms(), 1e-13));
  CHECK(a.weighted_squares(v.cwiseAbs()).isApprox(b.weighted_squares(v.cwiseAbs()), 1e-13));
  CHECK(a.moments(v.cwiseAbs()).mean.isApprox(b.moments(v.cwiseAbs()).mean, 1e-12));
  Vec z = w.cwiseAbs();
  CHECK(a.gram(z).isApprox(b.gram(z), 1e-13));
  z[1] = kInf;
  CHECK(a.gram(z).isApprox(b.gram(z), 1e-13));
  const IndexList which = {2, 0, 1};
  Vec g = Vec::Zero(a.cols()), h = g;
  a.products(which, v, g.data());
  b.products(which, v, h.data());
  for (Index j : which) CHECK(g[j] == Approx(h[j]));
  Mat some(a.rows(), 3), others = some;
  a.columns(which, some.data());
  b.columns(which, others.data());
  CHECK(some == others);
}

}  // namespace

TEST_CASE("a design with other columns in the place of some, and its subsets") {
  Random random(1);
  const Mat x = gaussian(12, 6, random), values = gaussian(12, 2, random);
  Mat whole = x;
  whole.col(4) = values.col(0);
  whole.col(1) = values.col(1);
  const auto replaced = replaced_design(view(x), {4, 1}, values);
  check_same(*replaced, *view(whole), random);
  const IndexList rows = {3, 1, 7, 1};
  for (const IndexList& columns : {IndexList{4, 0, 2, 1}, IndexList{0, 3, 5}, IndexList{1, 1, 4}})
    check_same(*replaced->subset(rows, columns), *view(whole)->subset(rows, columns), random);
  Index at[12];
  double entries[12];
  CHECK(replaced->entries(4, at, entries) == 12);
  CHECK(Eigen::Map<Vec>(entries, 12) == values.col(0));
}

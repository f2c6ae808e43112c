// Tests that stored results equal those of the design itself.
#include <testthat/vendor/catch.h>

#include "instances.h"

using namespace zeronorm;

namespace {

void check_same(const Design& a, const Design& b, Random& random) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  for (int round = 0; round < 3; ++round) {
    const Vec z = gaussian(a.cols(), random).cwiseAbs();
    for (int again = 0; again < 2; ++again) CHECK(a.gram(z) == b.gram(z));
    const Vec w = gaussian(a.cols(), random), v = gaussian(a.rows(), random);
    CHECK(a.times(w) == b.times(w));
    CHECK(a.transposed_times(v) == b.transposed_times(v));
    CHECK(a.squared_norms() == b.squared_norms());
    CHECK(a.moments(v.cwiseAbs()).mean == b.moments(v.cwiseAbs()).mean);
    const std::vector<Vec> weights = {v.cwiseAbs(), Vec::Ones(a.rows())};
    const std::vector<Moments> found = a.several_moments(weights), expected = b.several_moments(weights);
    REQUIRE(found.size() == 2);
    for (int k = 0; k < 2; ++k) {
      CHECK(found[k].mean == expected[k].mean);
      CHECK(found[k].sd == expected[k].sd);
    }
  }
  for (Index j = 0; j < a.cols(); ++j) {
    CHECK(a.center(j) == b.center(j));
    CHECK(a.scale(j) == b.scale(j));
  }
}

}  // namespace

TEST_CASE("a cached design is the design, its subsets too") {
  Random random(1);
  const Mat x = gaussian(12, 20, random);
  const Vec scale = gaussian(20, random).cwiseAbs().array() + 0.1;
  const auto base = dense_design(x.data(), 12, 20, gaussian(20, random), scale);
  const auto cached = cached_design(base);
  check_same(*cached, *base, random);
  const IndexList rows = {3, 1, 7}, some = {0, 19, 5}, others = {4};
  for (const IndexList& columns : {some, others, some, some})
    check_same(*cached->subset(rows, columns), *base->subset(rows, columns), random);
}

TEST_CASE("a cached design forgets a Gram matrix that was interrupted") {
  Random random(2);
  const Mat x = gaussian(170, 500, random);
  const auto base = view(x), cached = cached_design(base);
  int polls = 0;
  Limits limits;
  limits.interrupted = [&] { return ++polls > 1; };
  const Vec z = Vec::Ones(500);
  cached->gram(z, limits);
  CHECK(cached->gram(z) == base->gram(z));
}

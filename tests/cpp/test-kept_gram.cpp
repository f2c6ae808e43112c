// Tests that a Gram matrix derived from that of other columns equals the one computed directly.
#include <testthat/vendor/catch.h>

#include "base/indices.h"
#include "data/kept_gram.h"
#include "instances.h"

using namespace zeronorm;

namespace {

double apart(const Mat& a, const Mat& b) {
  return (a - b).cwiseAbs().maxCoeff() / (b.diagonal().maxCoeff() + 1e-300);
}

}  // namespace

TEST_CASE("Gram matrices of sets of columns, each made from the last") {
  Random random(1);
  const Index n = 12, d = 40;
  const Mat x = gaussian(n, d, random);
  const auto base =
      dense_design(x.data(), n, d, gaussian(d, random), Vec(gaussian(d, random).cwiseAbs().array() + 0.1));
  const KeptGram kept(base);
  const IndexList rows = first(n);
  CHECK(kept.columns() == 0);
  CHECK(apart(kept.whole()->gram(Vec::Constant(d, 2)), 4 * base->gram(Vec::Ones(d))) < 1e-14);
  CHECK(kept.columns() == d);
  CHECK(kept.whole()->squared_norms() == base->squared_norms());
  const Vec uneven = gaussian(d, random).cwiseAbs();
  CHECK(kept.whole()->gram(uneven) == base->gram(uneven));
  CHECK(kept.columns() == d);
  const std::vector<IndexList> sets = {first(d), {7},           {9, 7, 2},    {9, 7, 2}, {11, 2, 30, 9, 8},
                                       {1, 0},   {1, 0, 39, 5}, {1, 5, 6, 7}, first(20), first(d)};
  for (const IndexList& columns : sets) {
    const auto part = kept.parts()->subset(rows, columns), expected = base->subset(rows, columns);
    const Index m = static_cast<Index>(columns.size());
    CHECK(apart(part->gram(Vec::Constant(m, 0.5)), expected->gram(Vec::Constant(m, 0.5))) < 1e-14);
    CHECK(kept.columns() == m);
    CHECK((part->squared_norms() - expected->squared_norms()).cwiseAbs().maxCoeff() <
          1e-13 * base->squared_norms().maxCoeff());
    const Vec z = uneven.head(m);
    if (m > 1) CHECK(part->gram(z) == expected->gram(z));
  }
  // Subsets of rows and repeated columns do not use the kept matrix.
  const IndexList few = {0, 3, 4}, twice = {5, 5, 6};
  CHECK(kept.parts()->subset(few, twice)->gram(Vec::Ones(3)) == base->subset(few, twice)->gram(Vec::Ones(3)));
  CHECK(kept.parts()->subset(rows, twice)->gram(Vec::Ones(3)) ==
        base->subset(rows, twice)->gram(Vec::Ones(3)));
  CHECK(kept.columns() == d);
}

TEST_CASE("rounding of columns taken away does not add up") {
  Random random(2);
  const Index n = 5, d = 300;
  Mat x = gaussian(n, d, random);
  for (Index j = 0; j < 100; ++j) x.col(j) *= 1e6;  // These long columns are removed.
  const auto base = view(x);
  const KeptGram kept(base);
  IndexList columns = first(299);
  kept.parts()->subset(first(n), columns)->gram(Vec::Ones(299));
  columns.erase(columns.begin(), columns.begin() + 100);
  const auto part = kept.parts()->subset(first(n), columns);
  CHECK(apart(part->gram(Vec::Ones(199)), base->subset(first(n), columns)->gram(Vec::Ones(199))) < 1e-14);
}

TEST_CASE("a Gram matrix that was interrupted is not made use of") {
  Random random(3);
  const Mat x = gaussian(170, 500, random);
  const auto base = view(x);
  const KeptGram kept(base);
  int polls = 0;
  Limits limits;
  limits.interrupted = [&] { return ++polls > 1; };
  kept.whole()->gram(Vec::Ones(500), limits);
  CHECK(kept.columns() == 0);
  CHECK(kept.whole()->gram(Vec::Ones(500)) == base->gram(Vec::Ones(500)));
}

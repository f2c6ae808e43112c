// Tests decision values against sums in long double, and which of them count as zero or as equal.
#include <testthat/vendor/catch.h>

#include "data/decisions.h"
#include "instances.h"

using namespace zeronorm;

namespace {

Mat decide(const Mat& x, const Mat& w, const Vec& b, Index outputs = 1) {
  Decisions sums(x.rows(), b);
  for (Index j = 0; j < x.cols(); ++j)
    for (Index k = 0; k < w.cols(); ++k) sums.add(k, w(j, k), x.col(j).data());
  return sums.settle(outputs);
}

Mat decide_sparse(const Mat& x, const Mat& w, const Vec& b) {
  const Compressed c(x);
  Decisions sums(x.rows(), b);
  for (Index j = 0; j < x.cols(); ++j)
    for (Index k = 0; k < w.cols(); ++k)
      sums.add(k, w(j, k), &c.row[c.start[j]], &c.value[c.start[j]], c.start[j + 1] - c.start[j]);
  return sums.settle();
}

}  // namespace

TEST_CASE("decisions: the sums, the same for any storage and any rows beside") {
  Random random(1);
  Mat x = gaussian(23, 9, random);
  for (Index i = 0; i < 23; i += 3) x.row(i).head(4).setZero();
  const Mat w = gaussian(9, 3, random);
  const Vec b = gaussian(3, random);
  const Mat f = decide(x, w, b);
  for (Index i = 0; i < 23; ++i)
    for (Index k = 0; k < 3; ++k) {
      long double sum = b[k];
      for (Index j = 0; j < 9; ++j) sum += static_cast<long double>(w(j, k)) * x(i, j);
      CHECK(std::abs(static_cast<double>(sum) - f(i, k)) <= 1e-14);
    }
  CHECK((decide_sparse(x, w, b).array() == f.array()).all());
  for (Index i : {0, 7, 22}) CHECK((decide(x.row(i), w, b).array() == f.row(i).array()).all());
}

TEST_CASE("decisions: what is exactly zero is zero however it rounds, and what is not keeps its sign") {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    // Integers times tenths cancel, so that the exact sum is zero.
    Mat x(1, 12), w(12, 1);
    double left = 0;
    for (Index j = 0; j < 11; ++j) {
      x(0, j) = std::round(20 * uniform(random) - 10);
      w(j, 0) = 0.1 * std::round(10 * uniform(random));
      left += x(0, j) * std::round(10 * w(j, 0));
    }
    x(0, 11) = -left;
    w(11, 0) = 0.1;
    CHECK(decide(x, w, Vec::Zero(1))(0, 0) == 0);
    CHECK(decide(x, w, Vec::Constant(1, 1e-10))(0, 0) > 0);
    CHECK(decide(x, w, Vec::Constant(1, -1e-10))(0, 0) < 0);
  }
}

TEST_CASE("decisions: outputs that differ by rounding are equal, others are not") {
  const Mat x = Mat::Constant(1, 3, 1.0);
  Mat w(3, 3);
  w << 0.1, 0.3, 0.1, 0.2, 0, 0.2, 0, 0, -1e-12;
  const Mat f = decide(x, w, Vec::Zero(3), 3);
  CHECK(f(0, 0) == f(0, 1));
  CHECK(f(0, 2) < f(0, 0));
  // Each model has its own outputs, one model after the other.
  Mat both(3, 6);
  both << w, -w;
  const Mat g = decide(x, both, Vec::Zero(6), 3);
  CHECK((g.leftCols(3).array() == f.array()).all());
  CHECK(g(0, 5) > g(0, 3));
}

// Tests double-double arithmetic against integers of 127 bits, and margins and hinge losses against hand computation.
#include <testthat/vendor/catch.h>

#include <cmath>
#include <random>

#include "proofs/relative_margin.h"

using namespace zeronorm;

namespace {

DoubleDouble whole(__int128 value) {
  const double high = static_cast<double>(value);
  return exact_sum(high, static_cast<double>(value - static_cast<__int128>(high)));
}

__int128 back(const DoubleDouble& v) { return static_cast<__int128>(v.high) + static_cast<__int128>(v.low); }

Vec labels(std::initializer_list<double> values) {
  Vec y(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), y.data());
  return y;
}

}  // namespace

TEST_CASE("double_double: sums, products and quotients of whole numbers are exact") {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const __int128 a = static_cast<__int128>(random() >> 14) * static_cast<__int128>(random() >> 20);
    const __int128 b = static_cast<__int128>(random() >> 14) * static_cast<__int128>(random() >> 20);
    CHECK((back(whole(a) + whole(b)) == a + b));
    CHECK((back(whole(a) - whole(b)) == a - b));
    const __int128 c = static_cast<__int128>(random() >> 14), d = static_cast<__int128>(random() >> 14) + 1;
    CHECK((back(whole(c) * whole(d)) == c * d));
    CHECK((back(whole(c * d) / whole(d)) == c));
    CHECK((whole(a) < whole(b)) == (a < b));
    CHECK((whole(a) <= whole(a)));
  }
  const DoubleDouble third = DoubleDouble(1) / DoubleDouble(3);
  CHECK(std::abs((third * DoubleDouble(3) - DoubleDouble(1)).value()) < 1e-31);
}

TEST_CASE("relative_margin: weights and conflicts bound it from both sides, and meet") {
  // The ranges are 4 and 8. By hand, w = (1, 1) gives 0 and 1/8 for class -1, and 1 and 1/2 + 1 for class 1, so the
  // gap is 7/8. The conflict of rows 1 and 2 is |1/8 - 1| in the second column and 1 in the first; a mixture of rows
  // has less.
  Mat x(4, 2);
  x << 0, 0, 0, 1, 4, 0, 2, 8;
  const Vec y = labels({-1, -1, 1, 1});
  const RelativeMargin exact(x, y);
  const IndexList set = {0, 1}, rows = {0, 1, 2, 3};
  CHECK(exact.value(3, 0).value() == 0.5);
  CHECK(exact.value(1, 1).value() == 0.125);
  CHECK(exact.above(set, rows, {DoubleDouble(1), DoubleDouble(1)}).value() == Approx(0.875).epsilon(1e-15));
  CHECK(exact.above(set, rows, {DoubleDouble(8), DoubleDouble(4)}).value() == Approx(0.9375).epsilon(1e-15));
  DoubleDoubleVec w, a;
  REQUIRE(exact.solve(set, rows, Vec(), Limits(), w, a));
  const double above = exact.above(set, rows, w).value(), below = exact.below(set, rows, a).value();
  CHECK(above == Approx(below).epsilon(1e-15));
  CHECK(below >= above);
  // The weights (1, v) have gap min(1, 1/2 + v) - v/8, which is largest at v = 1/2: 15/16.
  CHECK(above == Approx(0.9375).epsilon(1e-15));
}

TEST_CASE("relative_margin: large offsets, and units of any size") {
  for (double unit : {1e-300, 1e-120, 1.0, 1e120, 1e300}) {
    Mat x(4, 1);
    x << 0, 1, 5, 8;
    x *= unit;
    const RelativeMargin exact(x, labels({-1, -1, 1, 1}));
    CHECK(exact.above({0}, {0, 1, 2, 3}, {DoubleDouble(1)}).value() == Approx(0.5).epsilon(1e-12));
    CHECK(exact.beyond(1, 2, 0));
    CHECK_FALSE(exact.beyond(2, 1, 0));
    Vec column(4);
    exact.column(0, column.data());
    CHECK(column[2] == Approx(0.625).epsilon(1e-12));
  }
  Mat far(4, 2);
  far << 1e14, 5, 1e14, 5, 1e14 + 1, 5, 1e14 + 1, 5;
  const RelativeMargin exact(far, labels({-1, -1, 1, 1}));
  CHECK(exact.above({0}, {0, 1, 2, 3}, {DoubleDouble(1)}).value() == Approx(1).epsilon(1e-15));
  CHECK(exact.value(3, 1).value() == 0);
}

TEST_CASE("relative_margin: one part in 10^9 is too little, one more is enough") {
  Mat x(4, 1);
  x << 0, 1, 2, 1e9;
  const Vec y = labels({-1, -1, 1, 1});
  CHECK_FALSE(RelativeMargin(x, y).beyond(1, 2, 0));
  x << 0, 1, 3, 1e9;
  CHECK(RelativeMargin(x, y).beyond(1, 2, 0));
  x << 0, 1, 2, 1e9 - 1;
  CHECK(RelativeMargin(x, y).beyond(1, 2, 0));
}

TEST_CASE("relative_margin: sums of hinge losses by hand") {
  // For one column of range one, w = 2 and b = -1 leave rows 2 and 3 with losses of 2 each; multipliers of one for
  // rows 2 and 3, in units where their entries are equal, prove 2.
  Mat x(4, 1);
  x << 0, 1, 0, 1;
  const RelativeMargin exact(x, labels({-1, -1, 1, 1}));
  CHECK(exact.hinge_at({0}, {DoubleDouble(2)}, DoubleDouble(-1)).value() == Approx(4));
  CHECK(exact.hinge_at({0}, {DoubleDouble(0)}, DoubleDouble(0)).value() == Approx(4));
  CHECK(exact.hinge_bound({0}, DoubleDoubleVec(4, DoubleDouble(1))).value() == Approx(4));
  CHECK(
      exact.hinge_bound({0}, {DoubleDouble(1), DoubleDouble(0), DoubleDouble(1), DoubleDouble(0)}).value() ==
      Approx(2));
  CHECK(exact.hinge_at({0}, {DoubleDouble(3e9)}, DoubleDouble(0)).high == kInf);
  CHECK(exact.hinge_bound({0}, {DoubleDouble(1), DoubleDouble(0), DoubleDouble(0), DoubleDouble(1)}).value() <
        0);
}

// Arithmetic with about 32 decimal digits: a number is the unevaluated sum of two doubles.
//
// Every operation below has a relative error of at most kDoubleDoubleUnit, as long as nothing overflows or becomes
// subnormal.
#pragma once

#include <cmath>
#include <vector>

namespace zeronorm {

// The relative error of an operation, 2^-100; the operations themselves are accurate to 2^-102 or better.
constexpr double kDoubleDoubleUnit = 7.888609052210118e-31;

struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT: the conversion from double is exact.
  DoubleDouble(double h, double l) : high(h), low(l) {}

  double value() const { return high + low; }
};

using DoubleDoubleVec = std::vector<DoubleDouble>;

// Returns a + b without error.
inline DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// Returns a + b without error if |a| >= |b| or a is zero.
inline DoubleDouble exact_ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Returns a b without error.
inline DoubleDouble exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoubleDouble sum = exact_ordered_sum(high.high, high.low + low.high);
  return exact_ordered_sum(sum.high, sum.low + low.low);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = exact_product(a.high, b.high);
  return exact_ordered_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble(first);
  const double second = rest.high / b.high;
  const DoubleDouble last = rest - b * DoubleDouble(second);
  return exact_ordered_sum(first, second) + DoubleDouble(last.high / b.high);
}

inline bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
inline bool operator<=(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low <= b.low);
}
inline bool operator>=(const DoubleDouble& a, const DoubleDouble& b) { return b <= a; }

inline DoubleDouble absolute(const DoubleDouble& a) {
  return a.high < 0 || (a.high == 0 && a.low < 0) ? -a : a;
}

}  // namespace zeronorm

#include "data/decisions.h"

#include <cmath>

#include "base/simd.h"

namespace zeronorm {

Decisions::Decisions(Index rows, Vec b)
    : values_(Mat::Zero(rows, b.size())), sizes_(values_), terms_(std::size_t(b.size()), 1),
      b_(std::move(b)) {}

void Decisions::add(Index k, double coefficient, const double* x) {
  if (coefficient == 0) return;
  ++terms_[std::size_t(k)];
  simd::add_terms(coefficient, x, values_.col(k).data(), sizes_.col(k).data(), values_.rows());
}

void Decisions::add(Index k, double coefficient, const int* rows, const double* values, Index count) {
  if (coefficient == 0) return;
  ++terms_[std::size_t(k)];
  for (Index e = 0; e < count; ++e) {
    const double term = coefficient * values[e];
    values_(rows[e], k) += term;
    sizes_(rows[e], k) += std::abs(term);
  }
}

// A sum of m products in double precision has an error of at most m times 2^-53 times the sum of their magnitudes;
// rounding of the coefficients adds one more such term.
double Decisions::bound(Index row, Index k) const {
  return std::ldexp(static_cast<double>(terms_[std::size_t(k)] + 1), -53) *
         (sizes_(row, k) + std::abs(b_[k]));
}

Mat Decisions::settle(Index outputs) const {
  const Mat values = values_.rowwise() + b_.transpose();
  Mat settled = values;
  for (Index first = 0; first + outputs <= values.cols(); first += outputs)
    for (Index i = 0; i < values.rows(); ++i) {
      if (outputs == 1) {
        if (std::abs(values(i, first)) <= bound(i, first)) settled(i, first) = 0;
        continue;
      }
      Index top = 0;
      const double largest = values.row(i).segment(first, outputs).maxCoeff(&top);
      for (Index k = first; k < first + outputs; ++k)
        if (largest - values(i, k) <= bound(i, k) + bound(i, first + top)) settled(i, k) = largest;
    }
  return settled;
}

}  // namespace zeronorm

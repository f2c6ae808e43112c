// Over-relaxed coordinate ascent on the dual of an SVM with a ridge, one multiplier after the other:
//   max  m'a - 1/2 |Z X'(y a)|^2 - sum_i a_i^2 / (2 c_i),   0 <= a <= cap,   F'(y a) = 0,
// where the sum is present for the squared hinge only. An augmented Lagrangian brings F'(y a) to zero; its
// multipliers are the coefficients of the unpenalised columns F.
#pragma once

#include "data/row_copy.h"

namespace zeronorm {

struct RidgeDual {
  const RowCopy& rows;
  // The squared scales of the columns.
  const Vec& squares;
  const Vec &y, &margin, &cost, &cap;
  // Whether the hinge is squared.
  bool squared;
  const Mat& f;
};

struct Multipliers {
  Vec a, theta;
  // An estimate of the relative gap, usually an upper bound.
  double gap;
};

// Sweeps from the given multipliers until the gap is about `aim`; returns false if sweeps gain too little before. A few
// tens of sweeps are usual, each O(nonzeros).
bool sweep(const RidgeDual& dual, double aim, const Limits& limits, Multipliers& found);

}  // namespace zeronorm

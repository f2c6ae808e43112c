// Coordinate ascent with over-relaxation on the dual of a ridge machine, one multiplier after the other:
//   max  m'a - 1/2 |Z X'(y a)|^2 - sum_i a_i^2 / (2 c_i),   0 <= a <= cap,   F'(y a) = 0,
// the sum for the squared hinge alone.  F'(y a) is brought to zero by an augmented Lagrangian, whose multipliers are
// the coefficients of the free columns F.
#pragma once

#include "data/row_copy.h"

namespace zeronorm {

struct DualMachine {
  const RowCopy& rows;
  const Vec& squares;  // of the scales of its columns
  const Vec &y, &margin, &cost, &cap;
  bool squared;  // the hinge
  const Mat& f;
};

struct Multipliers {
  Vec a, theta;
  double gap;  // about, on the safe side as a rule
};

// From those given, until the gap is about `aim`; false where sweeps gain too little before. O(entries) for each of
// some tens.
bool sweep(const DualMachine& machine, double aim, const Limits& limits, Multipliers& found);

}  // namespace zeronorm

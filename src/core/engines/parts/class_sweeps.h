// Over-relaxed coordinate ascent on the dual of a Weston-Watkins SVM, all multipliers of a row at once:
//   max  2 sum_i m_i,own - 1/2 |Z X'm|^2   over  sum_k m_ik = 0,  -c_i <= m_ik <= 0 for other classes k,  F'm = 0.
// An augmented Lagrangian brings F'm to zero; its multipliers are the coefficients of the unpenalised columns F.
// Good where columns are many or costs are small; where few columns meet large costs it gains little and gives up.
#pragma once

#include "engines/parts/class_rows.h"
#include "engines/parts/project_multipliers.h"

namespace zeronorm {

struct ClassDual {
  const ClassRows& rows;
  // The squared scales of the columns.
  const Vec& squares;
  // The class of each row, and its cost.
  const IndexList& own;
  const Vec& cost;
  const Mat& f;
};

struct ClassMultipliers {
  // n x k signed multipliers, and the coefficients of the unpenalised columns.
  RowMat m, theta;
  // An estimate of the relative gap.
  double gap;
};

// Sweeps from the given multipliers until the gap is about `aim`; returns false if sweeps gain too little before.
// O(entries) for each class and sweep.
bool sweep_classes(const ClassDual& dual, double aim, const Limits& limits, ClassMultipliers& found);

}  // namespace zeronorm

// Decision values of a model from its coefficients on the scale of x, as users see them.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Sums of columns times coefficients, one for each row and model. Terms are added in the order of the columns, so
// that the value of a row does not depend on the other rows. Rounding errors do not decide between classes; see
// settle().
class Decisions {
 public:
  // The vector b has one intercept per model.
  Decisions(Index rows, Vec b);
  // Adds the terms of a column with its coefficient in model k. O(rows), or O(count) for the entries of a sparse
  // column.
  void add(Index k, double coefficient, const double* x);
  void add(Index k, double coefficient, const int* rows, const double* values, Index count);
  // Returns the values. A value within the bound of its rounding error becomes 0. If `outputs` consecutive models
  // compete for each row, values that are below the largest one by no more than both error bounds become equal to it
  // instead. O(rows) for each model.
  Mat settle(Index outputs = 1) const;

 private:
  double bound(Index row, Index k) const;

  // The sums of the terms and of their magnitudes.
  Mat values_, sizes_;
  // The number of terms in each model, including the intercept.
  IndexList terms_;
  // The intercepts are added last, so that a large one costs the other terms no digits.
  Vec b_;
};

}  // namespace zeronorm

// Decision values of a model as everybody sees them, from its coefficients on the scale of x.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Sums of columns times coefficients, one for each row and model.  Terms are added in the order in which columns come,
// so that the value of a row is the same whatever other rows are there.  Errors of rounding are not left to decide
// between classes: see settle().
class Decisions {
 public:
  // b has an intercept for each model.
  Decisions(Index rows, Vec b);
  // The terms of a column with its coefficient in model k. O(rows), or O(count) for the entries of a sparse one.
  void add(Index k, double coefficient, const double* x);
  void add(Index k, double coefficient, const int* rows, const double* values, Index count);
  // The values.  One that is no larger than the bound of its own rounding error is 0.  Where `outputs` consecutive models
  // compete for each row, values that are no further below the largest than both errors are equal to it instead.
  // O(rows) for each model.
  Mat settle(Index outputs = 1) const;

 private:
  double bound(Index row, Index k) const;

  Mat values_, sizes_;  // sizes: the sums of the magnitudes of all terms
  IndexList terms_;     // their number in each model, with the intercept
  Vec b_;               // comes last, so that a large one costs the others no digits
};

}  // namespace zeronorm

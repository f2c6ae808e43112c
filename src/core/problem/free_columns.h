// Free columns, whose weights cost nothing, and the intercept, which is one of them: all that counts is what they
// span. Far from zero, or next to each other, they hide it behind digits that they share.
#pragma once

#include <memory>

#include "base/types.h"

namespace zeronorm {

class Design;

// The columns of infinite scale and no cost. None where groups of columns share their costs.
IndexList free_columns(const Surrogate& surrogate);

// An independent basis of what they span: of unit mean square, orthogonal to each other, and first ones where there
// is an intercept.
class FreeColumns {
 public:
  FreeColumns() = default;
  // Where rows have these weights; empty: all the same. A column of which others leave no more than rounding counts
  // for nothing. O(n m^2).
  FreeColumns(const Design& x, bool intercept, IndexList columns, const Vec& weights = Vec());

  const Mat& basis() const { return basis_; }
  // Digits are lost beside what others span; and those, or far from unit size.
  bool near() const { return near_; }
  bool awkward() const { return near_ || uneven_; }

  // What rounding in the columns as given makes of the decision values of a solution on them. O(m) for each output.
  double rounding(const Solution& solution) const;

  // From coefficients (of the intercept, then of the columns; a column for each output) to those of the basis, and
  // back. O(m^2) for each output.
  Mat enter(const Mat& given) const;
  Mat leave(const Mat& coefficients) const;

  // The data with the basis in the place of the columns, zeros where it has fewer, and solutions on them.
  std::shared_ptr<const Design> enter(std::shared_ptr<const Design> x) const;
  Solution enter(Solution solution) const;
  // These coefficients of the basis into a solution on it, but for the intercepts. Gives what they add to decision
  // values.
  Mat put(const Mat& coefficients, Solution& solution) const;
  Solution leave(Solution solution) const;

 private:
  IndexList columns_, order_;  // order: of the columns given (the intercept 0) in the basis
  Index first_ = 0;            // 1 beside an intercept
  Mat basis_, r_;              // columns = basis * r
  Vec size_;                   // root mean squares of the columns
  bool near_ = false, uneven_ = false;

  Index count() const { return first_ + static_cast<Index>(columns_.size()); }
  void build(Mat rest, const Vec& share);
};

// That of a problem, where rows cost something; with many free columns, a kernel, or none that is near others, of none.
FreeColumns free_basis(const Problem& problem, const Surrogate& surrogate);
// The problem with that in the place of its columns.
Problem on_basis(const Problem& problem, const FreeColumns& free);

}  // namespace zeronorm

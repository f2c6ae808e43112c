// Unpenalised columns and the intercept. Only their span matters, but if they are far from zero or nearly collinear,
// it is hidden behind digits that they have in common.
#pragma once

#include <memory>

#include "base/types.h"

namespace zeronorm {

class Design;

// Returns the columns of infinite scale without cost; none if groups of columns share their costs.
IndexList free_columns(const Surrogate& surrogate);

// A basis of their span with unit mean square and orthogonal columns; the first one is constant if there is an
// intercept.
class FreeColumns {
 public:
  FreeColumns() = default;
  // Computes the basis for rows with these weights; empty means equal weights. A column that depends on the others up
  // to rounding is left out. O(n m^2).
  FreeColumns(const Design& x, bool intercept, IndexList columns, const Vec& weights = Vec());

  const Mat& basis() const { return basis_; }
  // near(): digits are lost because columns are nearly collinear. awkward(): that, or sizes far from one.
  bool near() const { return near_; }
  bool awkward() const { return near_ || uneven_; }

  // Returns the rounding error of the decision values of a solution in the given columns. O(m) for each output.
  double rounding(const Solution& solution) const;

  // Convert coefficients (of the intercept, then of the columns; one column per output) to those of the basis, and
  // back. O(m^2) for each output.
  Mat enter(const Mat& given) const;
  Mat leave(const Mat& coefficients) const;

  // Returns the data with the basis in place of the columns, padded by zeros, and solutions on them.
  std::shared_ptr<const Design> enter(std::shared_ptr<const Design> x) const;
  Solution enter(Solution solution) const;
  // Writes these coefficients of the basis to a solution on it, except for the intercepts. Returns their contribution
  // to the decision values.
  Mat put(const Mat& coefficients, Solution& solution) const;
  Solution leave(Solution solution) const;

 private:
  // order_: the given columns (0 is the intercept) in the order of the basis.
  IndexList columns_, order_;
  // The value 1 with an intercept, otherwise 0.
  Index first_ = 0;
  // The given columns are basis * r.
  Mat basis_, r_;
  // The root mean squares of the columns.
  Vec size_;
  bool near_ = false, uneven_ = false;

  Index count() const { return first_ + static_cast<Index>(columns_.size()); }
  void build(Mat rest, const Vec& share);
};

// Returns the basis for a problem on the rows with a cost; empty with many unpenalised columns, with a kernel, or if
// none is nearly collinear with others.
FreeColumns free_basis(const Problem& problem, const Surrogate& surrogate);
// Returns the problem with the basis in place of its unpenalised columns.
Problem on_basis(const Problem& problem, const FreeColumns& free);

}  // namespace zeronorm

// Bounds on the relative margin of a set of columns, by weights from below and by a conflict from above.
//
// A column counts in units of its range: u_ij = (x_ij - min x_j) / (max x_j - min x_j), and 0 where it is
// constant. The relative margin of the columns S on some rows of both classes is
//   max over |w_j| <= 1 of   min over y_i = 1 of sum_j w_j u_ij  -  max over y_i = -1 of sum_j w_j u_ij
// and equals, by duality,
//   min over a >= 0 of   sum_j |sum_i y_i a_i u_ij| ,   the a_i of each class summing to one.
// Such multipliers a are called a conflict: the nearer to zero their value, the nearer are the hulls of the
// classes.
//
// All of it is computed from the data as they are stored, in double-double arithmetic, and every bound allows
// for its own rounding.
#pragma once

#include "base/double_double.h"
#include "base/types.h"

namespace zeronorm {

// A set of columns separates where its relative margin is larger than this.
constexpr double kLeastMargin = 1e-9;

class RelativeMargin {
 public:
  // Reads x again whenever it is asked, so x has to outlive this object. Rows and labels are those of x.
  // O(nd).
  RelativeMargin(const Eigen::Ref<const Mat>& x, const Vec& y);

  // An entry u_ij, exact to about 31 digits.
  DoubleDouble value(Index i, Index j) const;
  // The same in doubles, exact to 4e-16. Fills `out` with column j. O(n).
  void column(Index j, double* out) const;

  bool smaller(Index p, Index q, Index j) const { return stored(p, j) < stored(q, j); }
  // Whether x_qj - x_pj is larger than the least margin times the range of column j. Decided to about 31
  // digits.
  bool beyond(Index p, Index q, Index j) const;

  // Not above the relative margin of the set on these rows, which the weights prove; negative where they
  // prove nothing. O(|rows| |set|).
  DoubleDouble above(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& w) const;

  // Not below that margin, which the conflict `a` proves: an entry for each of the rows, none negative, of
  // any sum in each class. Infinite where a class has no entry. O(|rows| |set|).
  DoubleDouble below(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& a) const;

  // The weights and the conflict of the margin itself, by the simplex method, for sets of some tens of
  // columns at most. guess: weights to begin with, or nothing. Returns false where time is up or rounding
  // prevents it; whatever it found is to be judged by above() and below(). O(|set|^3 + |rows| |set|) a step,
  // some |set| steps.
  bool solve(const IndexList& set, const IndexList& rows, const Vec& guess, const Limits& limits,
             DoubleDoubleVec& w, DoubleDoubleVec& a) const;

  // Bounds on the least sum of hinge losses (1 - y_i f_i)_+ over all |w_j| <= kLargestWeight in these units.
  // Not below it: the sum at these weights, infinite where they are too large. O(n |set|).
  DoubleDouble hinge_at(const IndexList& set, const DoubleDoubleVec& w, const DoubleDouble& b) const;
  // Not above it, by multipliers a in [0, 1]. O(n |set|).
  DoubleDouble hinge_bound(const IndexList& set, DoubleDoubleVec a) const;
  // sum_i y_i a_i u_ij for each column of the set. O(n |set|).
  DoubleDoubleVec sums(const IndexList& set, const DoubleDoubleVec& a) const;

 private:
  const double* x_;
  Index rows_, stride_;
  Vec y_;
  // Least and largest value of each column, times the unit: a power of two, and one but for columns whose
  // differences might overflow or lose digits below the smallest normal number.
  Vec low_, high_, unit_;

  double stored(Index i, Index j) const { return x_[i + j * stride_] * unit_[j]; }
};

// Weights of columns of range one that give the least relative margin a margin of one on both sides.
constexpr double kLargestWeight = 2 / kLeastMargin;

}  // namespace zeronorm

// Bounds on the relative margin of a set of columns, by weights from below and by a conflict from above.
//
// Columns are in units of their range: u_ij = (x_ij - min x_j) / (max x_j - min x_j), and 0 if they are constant. The
// relative margin of the columns S on some rows of both classes is
//   max over |w_j| <= 1 of   min over y_i = 1 of sum_j w_j u_ij  -  max over y_i = -1 of sum_j w_j u_ij
// and equals, by duality,
//   min over a >= 0 of   sum_j |sum_i y_i a_i u_ij| ,   where the a_i of each class sum to one.
// Such multipliers a are called a conflict; the closer to zero their value, the closer are the hulls of the classes.
//
// Everything is computed from the data as stored, in double-double arithmetic, and every bound includes its own
// rounding error.
#pragma once

#include "base/double_double.h"
#include "base/types.h"

namespace zeronorm {

// A set of columns separates if its relative margin exceeds this value.
constexpr double kLeastMargin = 1e-9;

class RelativeMargin {
 public:
  // Refers to x, which has to outlive this object. Rows and labels are those of x. O(nd).
  RelativeMargin(const Eigen::Ref<const Mat>& x, const Vec& y);

  // Returns u_ij, exact to about 31 digits.
  DoubleDouble value(Index i, Index j) const;
  // Fills out with column j in doubles, exact to 4e-16. O(n).
  void column(Index j, double* out) const;

  bool smaller(Index p, Index q, Index j) const { return stored(p, j) < stored(q, j); }
  // Returns whether x_qj - x_pj exceeds the least margin times the range of column j, decided to about 31 digits.
  bool beyond(Index p, Index q, Index j) const;

  // Returns a lower bound of the relative margin of the set on these rows, proven by the weights; negative if they
  // prove nothing. O(|rows| |set|).
  DoubleDouble above(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& w) const;

  // Returns an upper bound of this margin, proven by the conflict a: one nonnegative entry for each of the rows, of
  // any sum in each class. Infinite if a class has no entry. O(|rows| |set|).
  DoubleDouble below(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& a) const;

  // Computes the weights and the conflict of the margin itself by the simplex method, for sets of at most some tens
  // of columns. guess: initial weights, or empty. Returns false if time is up or rounding prevents it. Results have
  // to be verified by above() and below(). O(|set|^3 + |rows| |set|) per step, and a few times |set| steps.
  bool solve(const IndexList& set, const IndexList& rows, const Vec& guess, const Limits& limits,
             DoubleDoubleVec& w, DoubleDoubleVec& a) const;

  // Returns an upper bound of the least sum of hinge losses (1 - y_i f_i)_+ over all |w_j| <= kLargestWeight in these
  // units: the sum at these weights, infinite if they are too large. O(n |set|).
  DoubleDouble hinge_at(const IndexList& set, const DoubleDoubleVec& w, const DoubleDouble& b) const;
  // Returns a lower bound of this sum, by multipliers a in [0, 1]. O(n |set|).
  DoubleDouble hinge_bound(const IndexList& set, DoubleDoubleVec a) const;
  // Returns sum_i y_i a_i u_ij for each column of the set. O(n |set|).
  DoubleDoubleVec sums(const IndexList& set, const DoubleDoubleVec& a) const;

 private:
  const double* x_;
  Index rows_, stride_;
  Vec y_;
  // The smallest and largest value of each column, times its unit. The unit is a power of two; it is one unless
  // differences might overflow or lose digits below the smallest normal number.
  Vec low_, high_, unit_;

  double stored(Index i, Index j) const { return x_[i + j * stride_] * unit_[j]; }
};

// Weights in columns of range one that scale the least relative margin to a margin of one on both sides.
constexpr double kLargestWeight = 2 / kLeastMargin;

}  // namespace zeronorm

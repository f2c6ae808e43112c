// The span estimate of the leave-one-out error of a machine with a hard margin or squared slacks,
//   sum_k a_k S_k^2,  S_k^2 = 1 / (M^-1)_kk,  M = [K + D, F; F', 0] on the support vectors,
// D = ridge / weights: S_k is the distance of point k from the affine hull of the other support vectors.  As
// long as these stay the same, a_k S_k^2 is by how much the margin of point k falls when it is left out.
#pragma once

#include "base/types.h"

namespace zeronorm {

// The rows of multipliers that are not zero.
IndexList support_of(const Vec& v);

// Q (Q'MQ)^-1 Q', Q an orthonormal basis of what is orthogonal to the columns of F. O(m^3).
Mat inverse_within(const Mat& m, const Mat& f);

class Span {
 public:
  // K of all rows without the ridge, F the columns of intercept and unpenalised features, v = y a the signed
  // multipliers.  A weight counts rows: of a row of weight 2 one of two equal ones is left out.  smoothing
  // eta adds eta / a_k to D for all but the point left out, so that the estimate is continuous where a point
  // becomes a support vector. O(m^3) for m support vectors.
  Span(const Mat& k, double ridge, const Vec& weights, const Mat& equalities, const Vec& y, const Vec& v,
       double smoothing = 0);

  double value() const { return value_; }
  const IndexList& support() const { return support_; }

  // The slopes of the value, multipliers moving along: <weight(), dK> on the support vectors, and that in the
  // ridge. O(m^3).
  struct Slopes {
    Mat weight;
    double ridge = 0;
  };
  Slopes slopes() const;

  // The value with the same multipliers where K is another, and where it has lost u u', for each column u of
  // the m x d matrix. O(m^3); O(m^2 d). Without smoothing. Where there is no ridge a small one stands in:
  // losing a dimension, points on a hard margin may all lie in each other's hulls, and it is the ridge that
  // tells how deep.
  double with(const Mat& k) const;
  Vec losing(const Mat& u) const;

 private:
  IndexList support_;
  Vec y_, a_, v_, c_, p_, r_, d_;  // on the support vectors; p: weight left out, r: ridge of a unit of weight
  double ridge_, smoothing_;
  Mat k_, f_, inverse_;  // of M: its upper left block
  Vec q_, s_;            // squared distances without the ridge of the point itself; S^2
  double value_ = 0;

  Mat inverse(const Mat& k, const Vec& d) const;
  double at(const Vec& q) const;
  Vec guarded() const;
  double span2(Index k, double q) const;
};

}  // namespace zeronorm

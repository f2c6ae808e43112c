// The span estimate of the leave-one-out error of an SVM with a hard margin or squared violations,
//   sum_k a_k S_k^2,  S_k^2 = 1 / (M^-1)_kk,  M = [K + D, F; F', 0] on the support vectors,
// with D = ridge / weights. S_k is the distance of point k from the affine hull of the other support vectors. As long
// as these stay the same, the margin of point k decreases by a_k S_k^2 when it is left out.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Returns the rows with nonzero multipliers.
IndexList support_of(const Vec& v);

// Returns Q (Q'MQ)^-1 Q', where Q is an orthonormal basis of the complement of the columns of F. O(m^3).
Mat inverse_within(const Mat& m, const Mat& f);

class Span {
 public:
  // K is that of all rows without the ridge, F the columns of the intercept and of unpenalised features, and v = y a
  // the signed multipliers. A weight counts rows: of a row of weight 2, one of two equal rows is left out. A
  // smoothing parameter eta adds eta / a_k to D for all points but the one left out, so that the estimate is
  // continuous where a point becomes a support vector. O(m^3) for m support vectors.
  Span(const Mat& k, double ridge, const Vec& weights, const Mat& equalities, const Vec& y, const Vec& v,
       double smoothing = 0);

  double value() const { return value_; }
  const IndexList& support() const { return support_; }

  // Returns the slopes of the value, with multipliers that change along: <weight, dK> on the support vectors, and the
  // slope in the ridge. O(m^3).
  struct Slopes {
    Mat weight;
    double ridge = 0;
  };
  Slopes slopes() const;

  // Return the value with the same multipliers for another K, and for K - u u' for each column u of the m x d matrix.
  // O(m^3) and O(m^2 d). There is no smoothing. Without a ridge a small one is used, because in fewer dimensions all
  // points of a hard margin may lie in the hulls of the others, and only a ridge then distinguishes them.
  double with(const Mat& k) const;
  Vec losing(const Mat& u) const;

 private:
  IndexList support_;
  // On the support vectors; p is the weight that is left out, and r the ridge of a unit of weight.
  Vec y_, a_, v_, c_, p_, r_, d_;
  double ridge_, smoothing_;
  // The upper left block of the inverse of M is inverse_.
  Mat k_, f_, inverse_;
  // The squared distances without the ridge of the point itself, and S^2.
  Vec q_, s_;
  double value_ = 0;

  Mat inverse(const Mat& k, const Vec& d) const;
  double at(const Vec& q) const;
  Vec guarded() const;
  double span2(Index k, double q) const;
};

}  // namespace zeronorm

// ALMA, the approximate large margin algorithm for p-norms, and feature elimination with it.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// A perceptron w with |w|_q = 1, where 1/p + 1/q = 1, and its margin on all rows.
struct Perceptron {
  Vec w;
  double margin = 0;
  // No w has a larger margin than this.
  double bound = kInf;
  Status status = Status::numerical;
};

// Runs ALMA on rows y_i x_i / |x_i|_p. The k-th update uses the row of smallest margin (the first update the row
// nearest to the mean of the rows) unless its margin is above (1 - a) gamma_k:
//   theta <- theta + eta_k row,  theta <- theta / max(1, |theta|_p),  w = grad 1/2 |theta|_p^2,
//   gamma_k = sqrt(8 (p - 1) / k) / a,  eta_k = sqrt(2 / ((p - 1) k)).
// The final margin is at least 1 - a times the largest possible one; any order of the rows would do. At most 8 (p -
// 1) / (a margin)^2 updates of O(n d), unless the limits stop them.
Perceptron alma(const Mat& rows, double p, double a, const Limits& limits);

struct AlmaSearch {
  // One iteration for each perceptron: its margin, its features, and its relative distance from the bound.
  Trace trace;
  // The selected features.
  IndexList chosen;
  // All features, the best first; empty if the search failed.
  IndexList order;
};

// Trains perceptrons with p = max(2, 2 ln(features)) on the remaining features, with the intercept as a column of
// ones. After each, the features with the largest |w_j| remain until sum |w_j|^q >= 1 - (a (1 - a) margin)^q, so that
// by Hoelder's inequality a positive margin remains. Ends when no feature is dropped. forced: features that are never
// dropped; empty: columns without content.
AlmaSearch search_alma(const Problem& problem, double a, const IndexList& forced, const IndexList& empty,
                       const Limits& limits);

}  // namespace zeronorm

// ALMA, the approximate large margin perceptron of p-norms, and the elimination that it leads to.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// w with |w|_q = 1, 1/p + 1/q = 1, and the margin that it has on all rows.
struct Perceptron {
  Vec w;
  double margin = 0;
  double bound = kInf;  // no w has a larger margin
  Status status = Status::numerical;
};

// Rows y_i x_i / |x_i|_p. The k-th update is at the row of least margin (the first at that nearest to the mean of
// the rows), if that is not above (1 - a) gamma_k:
//   theta <- theta + eta_k row,  theta <- theta / max(1, |theta|_p),  w = grad 1/2 |theta|_p^2,
//   gamma_k = sqrt(8 (p - 1) / k) / a,  eta_k = sqrt(2 / ((p - 1) k)),
// after which the margin is at least 1 - a times the largest there is.  Any order of the rows would do.
// At most 8 (p - 1) / (a margin)^2 updates of O(n d); as many as the limits allow.
Perceptron alma(const Mat& rows, double p, double a, const Limits& limits);

struct AlmaSearch {
  Trace trace;       // a round for each perceptron: its margin, features, relative distance from the bound
  IndexList chosen;  // of the features
  IndexList order;   // of all features, the best first; empty where the search failed
};

// Perceptrons with p = max(2, 2 ln(features)) on the features left, the intercept a column of ones: features
// stay, the largest |w_j| first, until sum |w_j|^q >= 1 - (a (1 - a) margin)^q, so that by Hoelder's inequality
// some margin stays as well; until none is dropped.  forced: never dropped; empty: columns of nothing.
AlmaSearch search_alma(const Problem& problem, double a, const IndexList& forced, const IndexList& empty,
                       const Limits& limits);

}  // namespace zeronorm

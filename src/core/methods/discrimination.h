// Maximum entropy discrimination with features that are present with prior probability p:
//   max over 0 <= lambda < C, sum_i lambda_i y_i = 0:
//     sum_i lambda_i + log(1 - lambda_i / C) - sum_j psi_j(W_j),   W = X'(lambda y),
//   psi_j(W) = log(1 - p_j + p_j exp(W^2/2)),
// where rows count by their costs. The problem that is solved is its dual, a linear classifier,
//   min over w, b:  sum_j psi_j^*(w_j) + sum_i L(y_i f(x_i)),
// where w_j = psi_j'(W_j) is W_j times the posterior probability of feature j, and L(m) = u - 1 - log u if u = C (1 -
// m) is above 1, else 0.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Discrimination {
  // The dual variables are lambda; importance holds the posterior probabilities.
  Solution solution;
  // The absolute values |W|; if all priors are equal, they order the features as the posterior probabilities do.
  Vec force;
  // One entry for each Newton step, with the objective of the linear classifier.
  std::vector<Round> rounds;
  StopReason stop = StopReason::failed;
};

// Solves the problem above. prior: of each column; 0 leaves the column out. free: columns without a regulariser. C is
// above 1. O(n^2 d + n^3) per Newton step, or O(n d^2 + d^3) if there are fewer columns than rows.
Discrimination discriminate(const Problem& problem, const Vec& prior, const IndexList& free, double C,
                            const Stop& stop);

}  // namespace zeronorm

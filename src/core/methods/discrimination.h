// Maximum entropy discrimination with features that are switched on with prior probability p:
//   max over 0 <= lambda < C, sum_i lambda_i y_i = 0:
//     sum_i lambda_i + log(1 - lambda_i / C) - sum_j psi_j(W_j),   W = X'(lambda y),
//   psi_j(W) = log(1 - p_j + p_j exp(W^2/2)),
// rows counted by their costs. Its dual, solved here, is a linear machine,
//   min over w, b:  sum_j psi_j^*(w_j) + sum_i L(y_i f(x_i)),
// where w_j = psi_j'(W_j) is W_j times the posterior probability of feature j, and L(m) = u - 1 - log u where
// u = C (1 - m) is above 1, else 0.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Discrimination {
  Solution solution;          // dual: lambda; importance: the posterior probabilities
  Vec force;                  // |W|, whose order is theirs where the priors are the same
  std::vector<Round> rounds;  // of Newton's method: the value of the linear machine
  StopReason stop = StopReason::failed;
};

// prior: of each column; 0: the column is left out. free: columns without a regulariser. C above 1.
// O(n^2 d + n^3) per round, or O(n d^2 + d^3) where columns are fewer than rows.
Discrimination discriminate(const Problem& problem, const Vec& prior, const IndexList& free, double C,
                            const Stop& stop);

}  // namespace zeronorm

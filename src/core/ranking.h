// Methods that put the features in an order; the best of them go to the refit.
#pragma once

#include "fit.h"
#include "minimise.h"

namespace zeronorm {

struct Ranking {
  IndexList order;                 // of all features, the best first; ties in the order of the columns
  Trace trace;                     // of the search, where there was one
  std::vector<IndexList> chosen;   // for each size, or those that the method chose itself
  std::vector<Solution> machines;  // on them before the refit
  double C = kInf;                 // of the last machine, where the method chooses it
  Networks networks;               // where the machines are such
};

// problem: all rows, their weights as costs; start: the surrogate on all features of the machines that rank.
Ranking find_ranking(const Problem& problem, const FitSpec& spec, const Machine& machine,
                     const Surrogate& start, std::size_t step);

// (mean of the one class - mean of the other)^2 / (sum of their variances) for each column: 0 where it is
// constant, infinite where only the variances are zero. O(nd), or O(nonzeros) when sparse.
Vec correlation_scores(const Design& x, const Vec& y, const Vec& weights);

}  // namespace zeronorm

// Forward selection: features join a least-squares fit one at a time.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// The vectors with which residuals are compared: the columns themselves (orthogonal matching pursuit), or their parts
// orthogonal to the selected features (stepwise least squares).
enum class Angle { column, rest };

// The test that ends the search early or drops features again: a random probe that is as good (with probability
// level), a feature that is not significant at this level, or a leave-one-out error that does not decrease.
enum class Test { none, probe, fisher, loo };

struct Forward {
  Angle angle = Angle::rest;
  Test stop = Test::none;
  // With fisher or loo, features of the final model are dropped one at a time.
  Test backward = Test::none;
  double level = 0.05;
  // Random columns; without any, their distribution is used.
  Mat probes;
  // The largest number of features if there is a test.
  Index most = 0;
};

struct ForwardSearch {
  // All features: first as they joined, then by the gain that they would have had.
  IndexList order;
  // One iteration for each model, with its residual sum of squares.
  Trace trace;
  // The features for each size, or those selected by the test.
  std::vector<IndexList> chosen;
};

// Searches with targets problem.y and row weights problem.cost. Forced columns join first; empty ones never do. Each
// step is a pass over x, O(nd) or O(nonzeros), plus O(nk) for the column that joins.
ForwardSearch search_forward(const Problem& problem, const Forward& what, const IndexList& sizes,
                             const IndexList& forced, const IndexList& empty, const Limits& limits);

// Returns the probability that a random direction in nu dimensions has at least this squared cosine with a fixed one:
// the upper tail of Beta(1/2, (nu - 1)/2), and that of an F statistic with 1 and nu - 1 degrees of freedom.
double probe_tail(double squared_cosine, double nu);

}  // namespace zeronorm

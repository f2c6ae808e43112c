// Features that join a least-squares fit one at a time.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// What the residuals are compared with: the columns as they are (orthogonal matching pursuit), or what the
// features chosen leave of them (stepwise least squares).
enum class Angle { column, rest };

// What ends the search before the sizes asked for, or drops features again: a random probe that is as good
// (with the probability level), a feature that is not significant at that level, a leave-one-out error that
// does not fall.
enum class Test { none, probe, fisher, loo };

struct Forward {
  Angle angle = Angle::rest;
  Test stop = Test::none;
  Test backward = Test::none;  // fisher or loo: features of the model found are dropped one at a time
  double level = 0.05;
  Mat probes;      // random columns; without any their distribution decides
  Index most = 0;  // features, where there is a test
};

struct ForwardSearch {
  IndexList order;                // of all features: as they joined, then by what they would have gained
  Trace trace;                    // a round for each model: its residual sum of squares
  std::vector<IndexList> chosen;  // for each size, or by the test
};

// problem.y: the targets, problem.cost: weights of the rows.  Forced columns join first; void ones never do.
// Each step is a pass over x, O(nd) or O(nonzeros), and O(nk) for the column that joins.
ForwardSearch search_forward(const Problem& problem, const Forward& what, const IndexList& sizes,
                             const IndexList& forced, const IndexList& empty, const Limits& limits);

// The probability that a random direction in nu dimensions has at least this squared cosine with a fixed one:
// the upper tail of Beta(1/2, (nu - 1)/2), and that of an F statistic with 1 and nu - 1 degrees of freedom.
double probe_tail(double squared_cosine, double nu);

}  // namespace zeronorm

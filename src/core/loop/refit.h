// The only way a selection of features becomes a classifier.
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

struct Machine {
  bool l1 = false;          // else l2
  double C = kInf;          // infinite: smallest loss first, then smallest norm
  bool joint = false;       // several classes: Weston-Watkins; else each output on its own
  Loss loss = Loss::hinge;  // or squared
};

// An SVM on the chosen columns and the free ones, coefficients returned at their places among all
// columns; certified on the columns it sees.  problem.cost weights the slacks (ones where it is hard).
Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const Machine& machine, const Limits& limits, const EngineChoice& engine = "auto");

// The score to 29 bits, so that features which differ by rounding alone are ties.
double without_rounding(double score);

// The k features of largest magnitude; ties and zeros in the order of second (larger first), then of
// the column.  Forced features come first.
IndexList largest(const Vec& magnitude, const Vec& second, const IndexList& forced, Index k);

}  // namespace zeronorm

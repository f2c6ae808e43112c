// The only way from a selection of features to a classifier.
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

struct ClassifierSpec {
  // Whether the norm is l1; otherwise l2.
  bool l1 = false;
  // The cost parameter; infinite means the smallest loss first, then the smallest norm.
  double C = kInf;
  // Whether several classes use the Weston-Watkins loss; otherwise each output is trained separately.
  bool joint = false;
  // The hinge or the squared loss.
  Loss loss = Loss::hinge;
};

// Trains an SVM on the selected and the unpenalised columns and returns the coefficients at their places among all
// columns, certified on the columns in use. weights multiply the margin violations.
Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const ClassifierSpec& spec, const Limits& limits, const EngineChoice& engine = "auto");

// Returns the score rounded to 29 bits, so that features that differ by rounding errors are ties.
double without_rounding(double score);

// Returns the k features of largest magnitude; ties and zeros are ordered by `second` (larger first), then by column.
// Forced features come first.
IndexList largest(const Vec& magnitude, const Vec& second, const IndexList& forced, Index k);

}  // namespace zeronorm

// Several outputs that share prices, as a problem of one output.
#pragma once

#include "problem/margins.h"

namespace zeronorm {

// Whether the regulariser ties the outputs together: a price for the largest of a feature's weights.
inline bool linked(const Problem& problem, const Surrogate& surrogate) {
  return problem.y.cols() > 1 && !surrogate.groups.empty();
}

// A row for each margin, a column for each output and feature (output after output), and a free one for each
// intercept.  The data stay where they are.  For losses that are hinges.
class Flat {
 public:
  explicit Flat(const Problem& problem);

  const Problem& problem() const { return flat_; }
  Surrogate enter(const Surrogate& surrogate) const;
  Solution enter(const Solution& solution) const;
  Solution leave(const Solution& solution) const;

 private:
  Index features() const { return original_.x->cols(); }
  Index outputs() const { return original_.y.cols(); }
  Vec middle_intercepts(const Solution& solution) const;

  Problem original_, flat_;
  Margins margins_;
};

}  // namespace zeronorm

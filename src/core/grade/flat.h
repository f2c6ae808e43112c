// Several outputs that share costs, written as a problem with one output.
#pragma once

#include "problem/margins.h"

namespace zeronorm {

// Returns whether the regulariser couples the outputs by a cost of the largest weight of a feature.
inline bool linked(const Problem& problem, const Surrogate& surrogate) {
  return problem.y.cols() > 1 && !surrogate.groups.empty();
}

// The problem has one row per margin, one column per output and feature (output by output), and one unpenalised
// column per intercept. The data are not copied. For hinge losses.
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

// Separates one of several independent outputs as a problem and a solution.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Returns whether there are several outputs without a term that couples them.
inline bool independent(const Problem& problem) {
  return problem.y.cols() > 1 && problem.loss != Loss::weston_watkins;
}

inline Problem one_output(const Problem& problem, Index k) {
  Problem one = problem;
  one.y = problem.y.col(k);
  return one;
}

inline Solution one_output(const Solution& solution, Index k) {
  Solution one = solution;
  one.w = solution.w.col(k);
  one.b = solution.b.segment(k, 1);
  one.dual = solution.dual.col(k);
  return one;
}

}  // namespace zeronorm

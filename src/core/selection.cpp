#include "selection.h"

#include <algorithm>

#include "certificate.h"
#include "design.h"
#include "refit.h"

namespace zeronorm {

// O(d + r log d) per size. An iterate at or below the size counts only where there is no other.
void Selection::observe(const Vec& w, const Vec& second, Index nonzero) {
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (nonzero <= sizes_[k] && !chosen_[k].empty()) continue;
    chosen_[k] = largest(w.cwiseAbs(), second, forced_, sizes_[k]);
    values_[k].clear();
    for (Index j : chosen_[k]) values_[k].push_back(w[j]);
  }
}

bool Selection::settled(Index nonzero) const {
  return !sizes_.empty() && nonzero <= *std::min_element(sizes_.begin(), sizes_.end());
}

Solution Selection::solution(std::size_t k, const Problem& problem) const {
  Solution s;
  s.w = Mat::Zero(problem.x->cols(), 1);
  for (std::size_t c = 0; c < chosen_[k].size(); ++c) s.w(chosen_[k][c], 0) = values_[k][c];
  s.b = Vec::Zero(1);
  if (problem.intercept)
    s.b[0] = best_intercept(problem.x->times(s.w.col(0)), problem.y.col(0), Vec::Ones(problem.y.rows()),
                            Loss::hinge);
  s.dual = Mat::Zero(problem.y.rows(), 1);
  s.status = Status::optimal;
  return s;
}

}  // namespace zeronorm

#include "selection.h"

#include <algorithm>
#include <cmath>

#include "certificate.h"
#include "design.h"
#include "loss.h"
#include "refit.h"

namespace zeronorm {

// O(d + r log d) per size. An iterate at or below the size counts only where there is no other.
void Selection::observe(const Mat& w, const Vec& second, Index nonzero, const Vec& rank) {
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (nonzero <= sizes_[k] && !chosen_[k].empty()) continue;
    chosen_[k] = largest(rank.size() ? rank : magnitudes(w), second, forced_, sizes_[k]);
    values_[k].clear();
    for (Index j : chosen_[k]) values_[k].push_back(w.row(j));
  }
}

bool Selection::settled(Index nonzero) const {
  return !sizes_.empty() && nonzero <= *std::min_element(sizes_.begin(), sizes_.end());
}

Solution Selection::solution(std::size_t k, const Problem& problem) const {
  Mat w = Mat::Zero(problem.x->cols(), problem.y.cols());
  for (std::size_t c = 0; c < chosen_[k].size(); ++c) w.row(chosen_[k][c]) = values_[k][c];
  return cut(w, chosen_[k], problem);
}

std::vector<char> felt(const Vec& size, const Vec& length) {
  std::vector<char> counts(size.size(), 0);
  for (Index j : nonzeros(size)) counts[j] = 1;
  for (Index j : nonzeros(size.cwiseProduct(length))) counts[j] = 1;
  return counts;
}

void settle_zeros(const Design& x, Mat& w) {
  // Nearly always no entry is small beside what the largest row can be.
  const double low = w.size() ? kZero * static_cast<double>(w.cols()) * w.cwiseAbs().maxCoeff() : 0.0;
  const auto small = [&](double entry) { return entry != 0 && std::abs(entry) <= low; };
  if (std::none_of(w.data(), w.data() + w.size(), small)) return;
  const Vec size = magnitudes(w);
  const std::vector<char> stays = felt(size, x.squared_norms().cwiseSqrt());
  for (Index j = 0; j < size.size(); ++j)
    if (!stays[j]) w.row(j).setZero();
}

Solution cut(const Mat& w, const IndexList& features, const Problem& problem) {
  Solution s;
  const Index outputs = problem.y.cols();
  s.w = Mat::Zero(w.rows(), outputs);
  for (Index j : features) s.w.row(j) = w.row(j);
  s.b = Vec::Zero(outputs);
  const Loss loss = has_slacks(problem.loss) ? Loss::hinge : problem.loss;
  for (Index o = 0; o < outputs && problem.intercept; ++o)
    s.b[o] = best_intercept(problem.x->times(s.w.col(o)), problem.y.col(o), Vec::Ones(problem.y.rows()), loss,
                            problem.margin);
  s.dual = Mat::Zero(problem.y.rows(), outputs);
  s.status = Status::optimal;
  return s;
}

}  // namespace zeronorm

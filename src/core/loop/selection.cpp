#include "loop/selection.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "grade/certificate.h"
#include "loop/refit.h"
#include "problem/loss.h"

namespace zeronorm {

// Sizes at or above `nonzero` keep the previous iterate. O(d), plus O(d + r log r) if any size keeps it.
void Selection::observe(const Mat& w, const Vec& second, Index nonzero, const Vec& rank) {
  const bool first = chosen_.empty();
  if (first) {
    chosen_.resize(sizes_.size());
    values_.resize(sizes_.size());
    waits_.assign(sizes_.size(), 1);
  }
  std::vector<char> follows(sizes_.size());
  for (std::size_t k = 0; k < sizes_.size(); ++k) follows[k] = first || nonzero > sizes_[k];
  choose(follows);
  if (std::find(follows.begin(), follows.end(), 1) == follows.end()) return;
  for (std::size_t k = 0; k < sizes_.size(); ++k) waits_[k] = waits_[k] || follows[k];
  w_ = w;
  second_ = second;
  rank_ = rank;
}

// Selects features from the last iterate for the sizes that wait for it and do not follow the next one, by one
// ranking.
void Selection::choose(const std::vector<char>& but) const {
  Index most = 0;
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    if (waits_[k] && !but[k]) most = std::max(most, sizes_[k]);
  if (most == 0 || w_.size() == 0) return;
  const IndexList order = largest(rank_.size() ? rank_ : magnitudes(w_), second_, forced_, most);
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    if (!waits_[k] || but[k]) continue;
    const std::size_t count = std::min<std::size_t>(order.size(), sizes_[k]);
    chosen_[k].assign(order.begin(), order.begin() + count);
    values_[k].resize(count, w_.cols());
    for (std::size_t c = 0; c < count; ++c) values_[k].row(c) = w_.row(chosen_[k][c]);
    waits_[k] = 0;
  }
}

const IndexList& Selection::chosen(std::size_t k) const {
  choose(std::vector<char>(sizes_.size(), 0));
  return chosen_[k];
}

bool Selection::settled(Index nonzero) const {
  return !sizes_.empty() && nonzero <= *std::min_element(sizes_.begin(), sizes_.end());
}

Solution Selection::solution(std::size_t k, const Problem& problem) const {
  Mat w = Mat::Zero(problem.x->cols(), problem.y.cols());
  const IndexList& features = chosen(k);
  for (std::size_t c = 0; c < features.size(); ++c) w.row(features[c]) = values_[k].row(c);
  return cut(w, features, problem);
}

std::vector<char> felt(const Vec& size, const Vec& length) {
  std::vector<char> counts(size.size(), 0);
  for (Index j : nonzeros(size)) counts[j] = 1;
  for (Index j : nonzeros(size.cwiseProduct(length))) counts[j] = 1;
  return counts;
}

void settle_zeros(const Design& x, Mat& w) {
  // Usually no entry is small relative to the largest possible row, so this test is fast.
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

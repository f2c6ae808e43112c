// "Exactly r features": of the last iterate with more than r nonzeros, its r largest.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Weights of these sizes that are more than rounding beside the largest, or that are felt in the decision values
// because their column is so long. O(d).
std::vector<char> felt(const Vec& size, const Vec& length);
// Makes zeros of the others. O(d), and O(nd) where a weight is in doubt.
void settle_zeros(const Design& x, Mat& w);

// w on chosen features alone, its intercept set anew; no certificate.
Solution cut(const Mat& w, const IndexList& features, const Problem& problem);

class Selection {
 public:
  Selection() = default;
  Selection(IndexList sizes, IndexList forced) : sizes_(std::move(sizes)), forced_(std::move(forced)) {}
  // An iterate: coefficients, the order of its zeros (larger first; may be empty), how many are not zero, and
  // what ranks them where that is not their magnitude.
  void observe(const Mat& w, const Vec& second, Index nonzero, const Vec& rank = Vec());
  // No iterate to come can change the choice.
  bool settled(Index nonzero) const;
  const IndexList& sizes() const { return sizes_; }
  const IndexList& chosen(std::size_t k) const;
  // The iterate itself on the chosen features, its intercept set anew; no certificate.
  Solution solution(std::size_t k, const Problem& problem) const;

 private:
  IndexList sizes_, forced_;
  Mat w_;  // the last iterate that any size waits for
  Vec second_, rank_;
  mutable std::vector<char> waits_;  // sizes that are chosen when they have to be
  mutable std::vector<IndexList> chosen_;
  mutable std::vector<Mat> values_;

  void choose(const std::vector<char>& but) const;
};

}  // namespace zeronorm

// Selection of exactly r features: the r largest of the last iterate with more than r nonzeros.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Marks weights of these sizes that are above rounding relative to the largest, or that affect the decision values
// because their column is long. O(d).
std::vector<char> felt(const Vec& size, const Vec& length);
// Sets the other weights to zero. O(d), plus O(nd) if a weight is in doubt.
void settle_zeros(const Design& x, Mat& w);

// Returns w on the selected features only, with a new intercept and without a certificate.
Solution cut(const Mat& w, const IndexList& features, const Problem& problem);

class Selection {
 public:
  Selection() = default;
  Selection(IndexList sizes, IndexList forced) : sizes_(std::move(sizes)), forced_(std::move(forced)) {}
  // Adds an iterate: coefficients, the order of its zeros (larger first; may be empty), the number of nonzeros, and
  // the values to rank by if these are not the magnitudes.
  void observe(const Mat& w, const Vec& second, Index nonzero, const Vec& rank = Vec());
  // Returns whether no later iterate can change the selection.
  bool settled(Index nonzero) const;
  const IndexList& sizes() const { return sizes_; }
  const IndexList& chosen(std::size_t k) const;
  // Returns the iterate itself on the selected features, with a new intercept and without a certificate.
  Solution solution(std::size_t k, const Problem& problem) const;

 private:
  IndexList sizes_, forced_;
  // The last iterate for which any size waits.
  Mat w_;
  Vec second_, rank_;
  // Whether the selection of a size is still pending; selections are made when they are needed.
  mutable std::vector<char> waits_;
  mutable std::vector<IndexList> chosen_;
  mutable std::vector<Mat> values_;

  void choose(const std::vector<char>& but) const;
};

}  // namespace zeronorm

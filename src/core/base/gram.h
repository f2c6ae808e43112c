// Sums of outer products, from which all Gram matrices are computed.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Adds R R' to the lower triangle of k for n rows R of `width` contiguous entries. O(n^2 width), on several threads if
// allowed. simd::mirror_lower() completes k.
void add_gram(const double* rows, Index width, Mat& k);

// Computes the same sum for columns that are added one by one. At most `tile` columns are put into panels and then
// added, which is twice as fast as rows because the columns are contiguous.
class PanelGram {
 public:
  PanelGram(Index n, Index tile);
  // Sets column c to factor (x - center). O(n).
  void put(Index c, const double* x, double center, double factor);
  // Adds the first `width` columns to the sum. O(n^2 width).
  void add(Index width);
  Mat take();

 private:
  Index n_, stride_;
  std::vector<double> panels_;
  Mat k_;
};

}  // namespace zeronorm

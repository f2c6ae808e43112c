// Sums of outer products, what all Gram matrices are made of.
#pragma once

#include "base/types.h"

namespace zeronorm {

// k += R R', the lower triangle, for n rows R of `width` neighbours.  O(n^2 width), on several threads where they are
// allowed; simd::mirror_lower() completes k.
void add_gram(const double* rows, Index width, Mat& k);

// The same for columns that come one by one, twice as fast where they lie one after the other: at most `tile` are put
// into panels, then added.
class PanelGram {
 public:
  PanelGram(Index n, Index tile);
  // Column c is factor (x - center). O(n).
  void put(Index c, const double* x, double center, double factor);
  // The first `width` columns. O(n^2 width).
  void add(Index width);
  Mat take();

 private:
  Index n_, stride_;
  std::vector<double> panels_;
  Mat k_;
};

}  // namespace zeronorm

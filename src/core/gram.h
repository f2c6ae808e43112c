// Sums of outer products, what all Gram matrices are made of.
#pragma once

#include "types.h"

namespace zeronorm {

// k += R R', the lower triangle, for n rows R of `width` neighbours.  O(n^2 width), on several threads where they are
// allowed; simd::mirror_lower() completes k.
void add_gram(const double* rows, Index width, Mat& k);

}  // namespace zeronorm

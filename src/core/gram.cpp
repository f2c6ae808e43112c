#include "gram.h"

#include "parallel.h"
#include "simd.h"

namespace zeronorm {

void add_gram(const double* rows, Index width, Mat& k) {
  const Index n = k.rows();
  const double operations = 0.5 * static_cast<double>(n) * static_cast<double>(n * width);
  in_parts(
      n, operations,
      [&](Index first, Index last) { simd::add_gram(rows, n, width, k.data(), n, first, last); },
      simd::kGramBlock);
}

}  // namespace zeronorm

#include "base/gram.h"

#include "base/parallel.h"
#include "base/simd.h"

namespace zeronorm {
namespace {

double operations(Index n, Index width) {
  return 0.5 * static_cast<double>(n) * static_cast<double>(n * width);
}

}  // namespace

void add_gram(const double* rows, Index width, Mat& k) {
  const Index n = k.rows();
  in_parts(
      n, operations(n, width),
      [&](Index first, Index last) { simd::add_gram(rows, n, width, k.data(), n, first, last); },
      simd::kGramBlock);
}

// A cache line separates the panels: with a power of two the same column of all panels would share one cache set.
PanelGram::PanelGram(Index n, Index tile)
    : n_(n), stride_((tile + 1) * simd::kPanel),
      panels_(static_cast<std::size_t>((n + simd::kPanel - 1) / simd::kPanel * stride_)),
      k_(Mat::Zero(n, n)) {}

void PanelGram::put(Index c, const double* x, double center, double factor) {
  simd::into_panels(x, center, factor, n_, panels_.data() + c * simd::kPanel, stride_);
}

void PanelGram::add(Index width) {
  in_parts(
      n_, operations(n_, width),
      [&](Index first, Index last) {
        simd::add_panels(panels_.data(), stride_, n_, width, k_.data(), first, last);
      },
      simd::kGramBlock);
}

Mat PanelGram::take() {
  simd::mirror_lower(k_.data(), n_);
  return std::move(k_);
}

}  // namespace zeronorm

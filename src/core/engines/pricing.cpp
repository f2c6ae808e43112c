#include "pricing.h"

#include <algorithm>
#include <cmath>

#include "../design.h"
#include "../simd.h"

namespace zeronorm {

void Pricing::setup(std::shared_ptr<const Design> x) {
  x_ = std::move(x);
  const Index n = x_->rows(), d = x_->cols();
  if (x_->has_rows()) {
    rows_.reset(new double[static_cast<std::size_t>(n) * d]);  // not zeroed: it is filled at once
    norms_.resize(d);
    x_->copy_rows(rows_.get(), norms_.data());
  } else {
    rows_.reset();
    norms_ = x_->squared_norms();
  }
  norms_ = norms_.cwiseSqrt();
}

void Pricing::all(const Vec& v, Vec& g) const {
  if (!rows_) {
    g = x_->prices(v);
    return;
  }
  const Index n = x_->rows(), d = x_->cols(), tile = 1024;
  std::vector<Index> used;
  for (Index i = 0; i < n; ++i)
    if (v[i] != 0) used.push_back(i);
  g.resize(d);
  std::fill_n(g.data(), d, 0.0);  // one memset, which Eigen's own zero is not
  for (Index j = 0; j < d; j += tile) {
    const Index width = std::min(tile, d - j);
    std::size_t k = 0;
    auto at = [&](std::size_t q) { return row(used[q]) + j; };
    for (; k + 7 < used.size(); k += 8) {
      double c[8];
      const double* rows[8];
      for (std::size_t q = 0; q < 8; ++q) {
        c[q] = v[used[k + q]];
        rows[q] = at(k + q);
      }
      simd::axpy8(c, rows, g.data() + j, width);
    }
    for (; k + 3 < used.size(); k += 4) {
      const double c[4] = {v[used[k]], v[used[k + 1]], v[used[k + 2]], v[used[k + 3]]};
      simd::axpy4(c, at(k), at(k + 1), at(k + 2), at(k + 3), g.data() + j, width);
    }
    for (; k < used.size(); ++k) simd::axpy(v[used[k]], at(k), g.data() + j, width);
  }
}

void Pricing::column(Index j, double* out) const { x_->column(j, out); }

void Pricing::columns(const IndexList& which, double* out) const { x_->columns(which, out); }

}  // namespace zeronorm

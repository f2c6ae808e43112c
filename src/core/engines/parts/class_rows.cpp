#include "engines/parts/class_rows.h"

#include "base/parallel.h"
#include "data/row_entries.h"

namespace zeronorm {
namespace {

// Sums over rows are made of this many parts, whatever the number of threads.
constexpr Index kParts = 4;

}  // namespace

ClassRows::ClassRows(const Design& x, const IndexList& columns)
    : rows_(x.rows()), cols_(static_cast<Index>(columns.size())) {
  if (!x.is_sparse()) {
    Mat block(rows_, std::min<Index>(cols_, 64));
    dense_.resize(rows_, cols_);
    for (Index c = 0; c < cols_; c += block.cols()) {
      const Index width = std::min(block.cols(), cols_ - c);
      x.columns(IndexList(columns.begin() + c, columns.begin() + c + width), block.data());
      dense_.middleCols(c, width) = block.leftCols(width);
    }
    return;
  }
  ColumnEntries read(x);
  start_.assign(static_cast<std::size_t>(rows_) + 1, 0);
  for (Index j : columns) read.each(j, 1, rows_, [&](std::size_t i, double) { ++start_[i + 1]; });
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  entries_.resize(start_.back());
  std::vector<std::size_t> next = start_;
  for (Index c = 0; c < cols_; ++c) {
    const Index j = columns[static_cast<std::size_t>(c)];
    read.each(j, 1, rows_, [&](std::size_t i, double value) {
      entries_[next[i]++] = {value, static_cast<std::int32_t>(c)};
    });
  }
}

void ClassRows::product(Index i, const RowMat& u, double* f) const {
  const Index k = u.cols();
  std::fill(f, f + k, 0.0);
  each(i, [&](Index j, double value) {
    const double* from = u.data() + j * k;
    for (Index l = 0; l < k; ++l) f[l] += value * from[l];
  });
}

void ClassRows::add(Index i, const double* m, RowMat& u) const {
  const Index k = u.cols();
  each(i, [&](Index j, double value) {
    double* to = u.data() + j * k;
    for (Index l = 0; l < k; ++l) to[l] += value * m[l];
  });
}

double ClassRows::operations(const IndexList& rows, Index classes) const {
  const double entries = start_.empty() ? double(cols_) * double(rows_) : double(entries_.size());
  return entries * double(rows.size()) / double(std::max<Index>(rows_, 1)) * double(classes);
}

RowMat ClassRows::times(const IndexList& rows, const RowMat& u) const {
  RowMat f(static_cast<Index>(rows.size()), u.cols());
  in_parts(f.rows(), operations(rows, u.cols()), [&](Index from, Index to) {
    for (Index r = from; r < to; ++r) product(rows[static_cast<std::size_t>(r)], u, f.row(r).data());
  });
  return f;
}

RowMat ClassRows::transposed_times(const IndexList& rows, const RowMat& m) const {
  const Index n = static_cast<Index>(rows.size());
  std::vector<RowMat> sums(kParts, RowMat::Zero(cols_, m.cols()));
  in_parts(kParts, operations(rows, m.cols()), [&](Index from, Index to) {
    for (Index part = from; part < to; ++part)
      for (Index r = n * part / kParts; r < n * (part + 1) / kParts; ++r)
        add(rows[static_cast<std::size_t>(r)], m.row(r).data(), sums[static_cast<std::size_t>(part)]);
  });
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  return sums[0];
}

Mat ClassRows::dense(const IndexList& rows) const {
  RowMat out = RowMat::Zero(static_cast<Index>(rows.size()), cols_);
  for (std::size_t r = 0; r < rows.size(); ++r)
    each(rows[r], [&](Index j, double value) { out(static_cast<Index>(r), j) = value; });
  return out;
}

Vec ClassRows::squares(const Vec& factors) const {
  Vec sums = Vec::Zero(rows_);
  for (Index i = 0; i < rows_; ++i)
    each(i, [&](Index j, double value) { sums[i] += factors[j] * value * value; });
  return sums;
}

}  // namespace zeronorm

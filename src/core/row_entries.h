// How a compressed copy of rows holds its entries: each with its value, or in groups of one value.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "design.h"

namespace zeronorm {

// Values and columns together, because they are written together, all over memory.
template <class Type>
class Pairs {
 public:
  using Number = Type;

  // Of rows from `first` on, row after row; start: where they begin. What the columns have read, of columns as
  // they are stored and in units of their own, is where they go on the next time. O(entries + columns).
  Pairs(const Design& x, const IndexList& columns, const Vec& units, Index first,
        std::vector<std::size_t> start, std::vector<Index>& read)
      : entries_(start.back()), start_(std::move(start)) {
    std::vector<std::size_t> next = start_;
    const Index last = first + static_cast<Index>(rows());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Design::StoredColumn stored = x.stored_column(columns[c]);
      const double factor = 1 / (x.scale(columns[c]) * units[static_cast<Index>(c)]);
      Index& k = read[c];
      for (; k < stored.count && stored.rows[k] < last; ++k)
        entries_[next[static_cast<std::size_t>(stored.rows[k] - first)]++] = {
            static_cast<Number>(factor * stored.values[k]), static_cast<std::int32_t>(c)};
    }
  }

  // Of all rows of any design. O(entries).
  Pairs(const Design& x, const IndexList& columns, const Vec& units, std::vector<std::size_t> start)
      : entries_(start.back()), start_(std::move(start)) {
    std::vector<std::size_t> next = start_;
    IndexList rows(static_cast<std::size_t>(x.rows()));
    std::vector<double> values(rows.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto count = static_cast<std::size_t>(x.entries(columns[c], rows.data(), values.data()));
      const double factor = 1 / units[static_cast<Index>(c)];
      for (std::size_t k = 0; k < count; ++k)
        entries_[next[static_cast<std::size_t>(rows[k])]++] = {static_cast<Number>(factor * values[k]),
                                                               static_cast<std::int32_t>(c)};
    }
  }

  std::size_t rows() const { return start_.size() - 1; }
  std::size_t entries(std::size_t i) const { return start_[i + 1] - start_[i]; }

  // act(column, value) for each entry of a row.
  template <class Act>
  void each(std::size_t i, Act act) const {
    for (std::size_t k = start_[i]; k < start_[i + 1]; ++k) act(entries_[k].column, entries_[k].value);
  }

  // x_i'v by four sums side by side, so that none waits for the last.
  Number dot(std::size_t i, const Number* v) const {
    const std::size_t count = entries(i), even = count / 4 * 4;
    const Entry* e = entries_.data() + start_[i];
    Number s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (std::size_t k = 0; k < even; k += 4) {
      s0 += e[k].value * v[e[k].column];
      s1 += e[k + 1].value * v[e[k + 1].column];
      s2 += e[k + 2].value * v[e[k + 2].column];
      s3 += e[k + 3].value * v[e[k + 3].column];
    }
    for (std::size_t k = even; k < count; ++k) s0 += e[k].value * v[e[k].column];
    return (s0 + s1) + (s2 + s3);
  }

  // sum += factor x_i.
  void add(std::size_t i, Number factor, Number* sum) const {
    each(i, [&](std::int32_t column, Number value) { sum[column] += factor * value; });
  }

  // Columns go to their places, those without one (-1) go. O(entries).
  void keep(const std::vector<std::int32_t>& place) {
    std::size_t to = 0, from = 0;
    for (std::size_t i = 0; i < rows(); ++i) {
      for (; from < start_[i + 1]; ++from)
        if (place[static_cast<std::size_t>(entries_[from].column)] >= 0)
          entries_[to++] = {entries_[from].value, place[static_cast<std::size_t>(entries_[from].column)]};
      start_[i + 1] = to;
    }
    entries_.resize(to);
  }

 private:
  struct Entry {
    Number value;
    std::int32_t column;
  };
  std::vector<Entry> entries_;
  std::vector<std::size_t> start_;  // of the rows
};

// Rows in which values come again and again, as counts do, and their logarithms: a value once for all its
// columns, of two bytes each.  A quarter of the memory, and no product for each entry.
class Groups {
 public:
  using Number = float;

  void reserve(std::size_t entries) { columns_.reserve(entries); }
  // More rows. O(entries).
  void append(const Pairs<float>& pairs);

  // Whether these are such rows, judged by some of them, and columns are few enough.
  static bool suit(const Pairs<float>& pairs, Index columns);

  std::size_t rows() const { return start_.size() - 1; }
  std::size_t entries(std::size_t i) const { return begin(start_[i + 1]) - begin(start_[i]); }

  template <class Act>
  void each(std::size_t i, Act act) const {
    std::size_t k = begin(start_[i]);
    for (std::size_t g = start_[i]; g < start_[i + 1]; ++g)
      for (const float value = groups_[g].value; k < groups_[g].end; ++k) act(columns_[k], value);
  }

  float dot(std::size_t i, const float* v) const {
    float sum = 0;
    std::size_t k = begin(start_[i]);
    for (std::size_t g = start_[i]; g < start_[i + 1]; ++g) {
      const std::size_t end = groups_[g].end, even = k + (end - k) / 4 * 4;
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (; k < even; k += 4) {
        s0 += v[columns_[k]];
        s1 += v[columns_[k + 1]];
        s2 += v[columns_[k + 2]];
        s3 += v[columns_[k + 3]];
      }
      for (; k < end; ++k) s0 += v[columns_[k]];
      sum += groups_[g].value * ((s0 + s1) + (s2 + s3));
    }
    return sum;
  }

  void add(std::size_t i, float factor, float* sum) const {
    std::size_t k = begin(start_[i]);
    for (std::size_t g = start_[i]; g < start_[i + 1]; ++g)
      for (const float step = factor * groups_[g].value; k < groups_[g].end; ++k) sum[columns_[k]] += step;
  }

  void keep(const std::vector<std::int32_t>& place);

 private:
  struct Group {
    float value;
    std::size_t end;  // of its columns
  };
  std::vector<std::uint16_t> columns_;
  std::vector<Group> groups_;
  std::vector<std::size_t> start_{0};  // of the rows, in groups

  std::size_t begin(std::size_t group) const { return group > 0 ? groups_[group - 1].end : 0; }
};

}  // namespace zeronorm

// Storage of compressed rows: each entry with its value, or groups of entries of one value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/design.h"

namespace zeronorm {

// Reads the columns of a sparse design entry by entry.
class ColumnEntries {
 public:
  explicit ColumnEntries(const Design& x) : x_(x) {}

  // Returns the number of entries. O(1) if columns are available as stored, otherwise O(entries).
  Index count(Index j) {
    const Design::StoredColumn stored = x_.stored_column(j);
    return stored.rows ? stored.count : read(j);
  }

  // Calls act(row, value / unit) for the entries of column j in the first `rows` rows. O(these entries) if stored so.
  template <class Act>
  void each(Index j, double unit, Index rows, Act act) {
    const Design::StoredColumn stored = x_.stored_column(j);
    if (stored.rows) {
      const double factor = 1 / (x_.scale(j) * unit);
      for (Index k = 0; k < stored.count && stored.rows[k] < rows; ++k)
        act(static_cast<std::size_t>(stored.rows[k]), factor * stored.values[k]);
      return;
    }
    const auto count = static_cast<std::size_t>(read(j));
    for (std::size_t k = 0; k < count; ++k)
      if (rows_[k] < rows) act(static_cast<std::size_t>(rows_[k]), values_[k] / unit);
  }

 private:
  const Design& x_;
  IndexList rows_;
  std::vector<double> values_;

  Index read(Index j) {
    rows_.resize(static_cast<std::size_t>(x_.rows()));
    values_.resize(rows_.size());
    return x_.entries(j, rows_.data(), values_.data());
  }
};

// Values and columns are stored together, because they are written together in random order.
template <class Type>
class Pairs {
 public:
  using Number = Type;

  // Copies columns in units of their own. O(entries), which are read twice.
  Pairs(const Design& x, const IndexList& columns, const Vec& units)
      : start_(static_cast<std::size_t>(x.rows()) + 1, 0) {
    ColumnEntries read(x);
    for (Index j : columns) read.each(j, 1, x.rows(), [&](std::size_t i, double) { ++start_[i + 1]; });
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    entries_.resize(start_.back());
    std::vector<std::size_t> next = start_;
    for (std::size_t c = 0; c < columns.size(); ++c)
      read.each(columns[c], units[static_cast<Index>(c)], x.rows(), [&](std::size_t i, double value) {
        entries_[next[i]++] = {static_cast<Number>(value), static_cast<std::int32_t>(c)};
      });
  }

  std::size_t rows() const { return start_.size() - 1; }
  std::size_t entries(std::size_t i) const { return start_[i + 1] - start_[i]; }

  // Calls act(column, value) for each entry of a row.
  template <class Act>
  void each(std::size_t i, Act act) const {
    for (std::size_t k = start_[i]; k < start_[i + 1]; ++k) act(entries_[k].column, entries_[k].value);
  }

  // Returns x_i'v by four independent sums, so that additions do not wait for each other.
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

  // Computes sum += factor x_i.
  void add(std::size_t i, Number factor, Number* sum) const {
    each(i, [&](std::int32_t column, Number value) { sum[column] += factor * value; });
  }

  // Does the same with an additional factor for each column.
  void add(std::size_t i, Number factor, const Number* factors, Number* sum) const {
    each(i, [&](std::int32_t column, Number value) { sum[column] += factor * factors[column] * value; });
  }

  bool worn() const { return false; }

  // Moves columns to their places and drops those without one (-1). O(entries).
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
  // The starts of the rows.
  std::vector<std::size_t> start_;
};

// Rows in which values recur, such as counts and their logarithms: a value is stored once for all its columns of two
// bytes each. This takes a quarter of the memory and no product per entry. Rare values are stored beside their
// columns, because starting a group costs as much as several entries.
class Groups {
 public:
  using Number = float;

  // Returns the groups, with columns in units of their own; none if values do not recur or there are too many
  // columns. O(entries), which are read twice.
  static std::optional<Groups> of(const Design& x, const IndexList& columns, const Vec& units);

  std::size_t rows() const { return starts_.size() - 1; }
  std::size_t entries(std::size_t i) const {
    return begin(starts_[i + 1].group) - begin(starts_[i].group) + starts_[i + 1].single - starts_[i].single;
  }

  template <class Act>
  void each(std::size_t i, Act act) const {
    std::size_t k = begin(starts_[i].group);
    for (std::size_t g = starts_[i].group; g < starts_[i + 1].group; ++g)
      for (const float value = groups_[g].value; k < groups_[g].end; ++k) act(columns_[k], value);
    for (std::size_t s = starts_[i].single; s < starts_[i + 1].single; ++s)
      act(singles_[s].column, singles_[s].value);
  }

  float dot(std::size_t i, const float* v) const {
    float sum = 0;
    std::size_t k = begin(starts_[i].group);
    for (std::size_t g = starts_[i].group; g < starts_[i + 1].group; ++g) {
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
    for (std::size_t s = starts_[i].single; s < starts_[i + 1].single; ++s)
      sum += singles_[s].value * v[singles_[s].column];
    return sum;
  }

  void add(std::size_t i, float factor, float* sum) const {
    std::size_t k = begin(starts_[i].group);
    for (std::size_t g = starts_[i].group; g < starts_[i + 1].group; ++g)
      for (const float step = factor * groups_[g].value; k < groups_[g].end; ++k) sum[columns_[k]] += step;
    for (std::size_t s = starts_[i].single; s < starts_[i + 1].single; ++s)
      sum[singles_[s].column] += factor * singles_[s].value;
  }

  // Does the same with an additional factor for each column.
  void add(std::size_t i, float factor, const float* factors, float* sum) const {
    std::size_t k = begin(starts_[i].group);
    for (std::size_t g = starts_[i].group; g < starts_[i + 1].group; ++g)
      for (const float step = factor * groups_[g].value; k < groups_[g].end; ++k)
        sum[columns_[k]] += step * factors[columns_[k]];
    for (std::size_t s = starts_[i].single; s < starts_[i + 1].single; ++s)
      sum[singles_[s].column] += factor * factors[singles_[s].column] * singles_[s].value;
  }

  // Returns whether groups have become so small that storing each entry with its value is faster.
  bool worn() const;
  void keep(const std::vector<std::int32_t>& place);

 private:
  struct Group {
    float value;
    // The end of its columns.
    std::size_t end;
  };
  struct Single {
    float value;
    std::uint32_t column;
  };
  struct Start {
    std::size_t group = 0, single = 0;
  };
  std::vector<std::uint16_t> columns_;
  std::vector<Group> groups_;
  std::vector<Single> singles_;
  // The starts of the rows.
  std::vector<Start> starts_{Start()};

  Groups() = default;
  std::size_t begin(std::size_t group) const { return group > 0 ? groups_[group - 1].end : 0; }
};

}  // namespace zeronorm

#include "data/row_entries.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zeronorm {
namespace {

// Number of rows that are examined before all are read.
constexpr Index kSampledRows = 64;
// Number of values of a row that are compared directly; most entries have one of them.
constexpr std::size_t kDirectValues = 4;
// Average number of times that a value has to occur in a row for groups to pay.
constexpr std::size_t kMinRepeats = 8;
// Number of times that a value has to occur to get a group of its own.
constexpr std::uint32_t kMinGroupSize = 16;

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float value_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The distinct values of each row, by their bits and in the order of their first occurrence, with their frequencies.
class RowValues {
 public:
  explicit RowValues(Index rows) : rows_(static_cast<std::size_t>(rows)), slots_(1024, kNone) {}

  // Counts a value and returns its number, or kDirectValues for all values beyond the first ones, which are stored in
  // others(). O(1) on average.
  std::uint8_t count(std::size_t i, float value) {
    Row& row = rows_[i];
    const std::uint32_t bits = bits_of(value);
    // Written without branches, because which of these values occurs is unpredictable.
    static_assert(kDirectValues == 4, "values are compared here one by one");
    std::size_t number = kDirectValues - 4 * (row.values[0] == bits) - 3 * (row.values[1] == bits) -
                         2 * (row.values[2] == bits) - (row.values[3] == bits);
    if (number == kDirectValues && row.known < kDirectValues) {
      number = row.known++;
      row.values[number] = bits;
    }
    if (number < kDirectValues)
      ++row.counts[number];
    else
      count_other(i, bits);
    return static_cast<std::uint8_t>(number);
  }

  // Returns the number of distinct values of all rows. O(rows).
  std::size_t different() const {
    std::size_t sum = rest_.size();
    for (const Row& row : rows_) sum += row.known;
    return sum;
  }

  struct Value {
    std::size_t row;
    std::uint32_t bits, count;
  };
  // The values beyond the first ones, and for each entry with such a value its number among them.
  const std::vector<Value>& rest() const { return rest_; }
  const std::vector<std::uint32_t>& others() const { return others_; }

  struct Row {
    std::uint32_t values[kDirectValues] = {kNone, kNone, kNone, kNone};
    std::uint32_t counts[kDirectValues] = {0, 0, 0, 0};
    std::size_t known = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  // These bits represent no number.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<Row> rows_;
  std::vector<Value> rest_;
  std::vector<std::uint32_t> others_, slots_;

  // Returns the slot of a value of a row, or the slot where it has to be inserted.
  std::size_t slot(std::size_t i, std::uint32_t bits) const {
    const std::uint64_t key = (static_cast<std::uint64_t>(i) << 32 | bits) * 0x9E3779B97F4A7C15u;
    std::size_t at = key >> 20 & (slots_.size() - 1);  // This is multiplicative hashing.
    while (slots_[at] != kNone && !(rest_[slots_[at]].row == i && rest_[slots_[at]].bits == bits))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void count_other(std::size_t i, std::uint32_t bits) {
    std::size_t at = slot(i, bits);
    if (slots_[at] == kNone) {
      if (2 * (rest_.size() + 1) > slots_.size()) {
        slots_.assign(4 * slots_.size(), kNone);
        for (std::size_t k = 0; k < rest_.size(); ++k)
          slots_[slot(rest_[k].row, rest_[k].bits)] = static_cast<std::uint32_t>(k);
        at = slot(i, bits);
      }
      slots_[at] = static_cast<std::uint32_t>(rest_.size());
      rest_.push_back({i, bits, 0});
    }
    ++rest_[slots_[at]].count;
    others_.push_back(slots_[at]);
  }
};

// The values beyond the first ones, row by row. O(rows + values).
struct RestByRow {
  explicit RestByRow(const RowValues& values)
      : order(values.rest().size()), begin(values.rows().size() + 1, 0) {
    for (const auto& value : values.rest()) ++begin[value.row + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::size_t> next = begin;
    for (std::size_t r = 0; r < order.size(); ++r) order[next[values.rest()[r].row]++] = r;
  }
  std::vector<std::size_t> order, begin;
};

// Returns whether the first rows have few distinct values. O(entries of these rows).
bool values_come_again(const Design& x, const IndexList& columns, const Vec& units) {
  const Index asked = std::min(x.rows(), kSampledRows);
  RowValues values(asked);
  ColumnEntries read(x);
  std::size_t entries = 0;
  for (std::size_t c = 0; c < columns.size(); ++c)
    read.each(columns[c], units[static_cast<Index>(c)], asked, [&](std::size_t i, double value) {
      values.count(i, static_cast<float>(value));
      ++entries;
    });
  return kMinRepeats * values.different() <= entries;
}

}  // namespace

std::optional<Groups> Groups::of(const Design& x, const IndexList& columns, const Vec& units) {
  if (columns.size() > std::size_t(std::numeric_limits<std::uint16_t>::max()) + 1) return std::nullopt;
  if (!values_come_again(x, columns, units)) return std::nullopt;
  ColumnEntries read(x);
  std::size_t entries = 0;
  for (Index j : columns) entries += static_cast<std::size_t>(read.count(j));

  RowValues values(x.rows());
  std::vector<std::uint8_t> numbers(entries);
  std::size_t k = 0;
  // Columns with few entries come first, because their few values are those of most entries.
  for (std::size_t c = columns.size(); c-- > 0;) {
    read.each(columns[c], units[static_cast<Index>(c)], x.rows(), [&](std::size_t i, double value) {
      numbers[k++] = values.count(i, static_cast<float>(value));
    });
    if (kMinRepeats * values.rest().size() > entries)
      return std::nullopt;  // The first rows were not typical.
  }
  if (kMinRepeats * values.different() > entries) return std::nullopt;

  // The next place of each value: in columns_ or, marked by this bit, in singles_.
  constexpr std::size_t kMark = ~(~std::size_t(0) >> 1);
  const RestByRow rest(values);
  const std::size_t n = values.rows().size();
  Groups groups;
  groups.starts_.reserve(n + 1);
  std::vector<std::size_t> places(kDirectValues * n), rest_places(rest.order.size());
  Start end;
  const auto place = [&](std::uint32_t bits, std::uint32_t count) {
    std::size_t& to = count < kMinGroupSize ? end.single : end.group;
    const std::size_t from = to;
    to += count;
    if (count < kMinGroupSize) return kMark | from;
    groups.groups_.push_back({value_of(bits), to});
    return from;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const RowValues::Row& row = values.rows()[i];
    for (std::size_t v = 0; v < row.known; ++v)
      places[kDirectValues * i + v] = place(row.values[v], row.counts[v]);
    for (std::size_t at = rest.begin[i]; at < rest.begin[i + 1]; ++at) {
      const std::size_t r = rest.order[at];
      rest_places[r] = place(values.rest()[r].bits, values.rest()[r].count);
    }
    groups.starts_.push_back({groups.groups_.size(), end.single});
  }

  groups.columns_.resize(end.group);
  groups.singles_.resize(end.single);
  const auto put_single = [&](std::size_t at, std::uint32_t bits, std::size_t c) {
    groups.singles_[at & ~kMark] = {value_of(bits), static_cast<std::uint32_t>(c)};
  };
  const std::uint8_t* number = numbers.data();
  const std::uint32_t* other = values.others().data();
  for (std::size_t c = columns.size(); c-- > 0;)
    read.each(columns[c], 1, x.rows(), [&](std::size_t i, double) {
      const std::size_t v = *number++, r = v < kDirectValues ? 0 : *other++;
      const std::size_t at = v < kDirectValues ? places[kDirectValues * i + v]++ : rest_places[r]++;
      if (at < kMark)
        groups.columns_[at] = static_cast<std::uint16_t>(c);
      else
        put_single(at, v < kDirectValues ? values.rows()[i].values[v] : values.rest()[r].bits, c);
    });
  return groups;
}

bool Groups::worn() const { return kMinRepeats * groups_.size() > columns_.size(); }

void Groups::keep(const std::vector<std::int32_t>& place) {
  std::size_t to = 0, from = 0, group = 0, g = 0, single = 0, s = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    Start& end = starts_[i + 1];
    for (; g < end.group; ++g) {
      const std::size_t before = to;
      // Written without branches, because the pattern is unpredictable.
      for (; from < groups_[g].end; ++from) {
        const std::int32_t there = place[columns_[from]];
        columns_[to] = static_cast<std::uint16_t>(there);
        to += there >= 0;
      }
      if (to > before) groups_[group++] = {groups_[g].value, to};
    }
    for (; s < end.single; ++s) {
      const std::int32_t there = place[singles_[s].column];
      singles_[single] = {singles_[s].value, static_cast<std::uint32_t>(there)};
      single += there >= 0;
    }
    end = {group, single};
  }
  columns_.resize(to);
  groups_.resize(group);
  singles_.resize(single);
}

}  // namespace zeronorm

#include "data/row_entries.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zeronorm {
namespace {

constexpr Index kAsked = 64;       // rows that are looked at before all are read
constexpr std::size_t kFirst = 4;  // values of a row that are compared at once: most entries have one of them
constexpr std::size_t kTimes = 8;  // that a value is to come in a row, on average
constexpr std::uint32_t kFew = 16;  // times that a value is to come to be worth a group

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

// The different values of each row, by their bits, numbered as they come, and how often they do.
class RowValues {
 public:
  explicit RowValues(Index rows) : rows_(static_cast<std::size_t>(rows)), slots_(1024, kNone) {}

  // The number of a value, kFirst for all beyond the first ones: which of these it was, others() says.
  // O(1) on average.
  std::uint8_t count(std::size_t i, float value) {
    Row& row = rows_[i];
    const std::uint32_t bits = bits_of(value);
    // No branch: which it is of these is anyone's guess.
    static_assert(kFirst == 4, "values are compared here one by one");
    std::size_t number = kFirst - 4 * (row.values[0] == bits) - 3 * (row.values[1] == bits) -
                         2 * (row.values[2] == bits) - (row.values[3] == bits);
    if (number == kFirst && row.known < kFirst) {
      number = row.known++;
      row.values[number] = bits;
    }
    if (number < kFirst)
      ++row.counts[number];
    else
      count_other(i, bits);
    return static_cast<std::uint8_t>(number);
  }

  // Different ones, of all rows. O(rows).
  std::size_t different() const {
    std::size_t sum = rest_.size();
    for (const Row& row : rows_) sum += row.known;
    return sum;
  }

  struct Value {
    std::size_t row;
    std::uint32_t bits, count;
  };
  // Those beyond the first ones, and which of them each entry had that had one.
  const std::vector<Value>& rest() const { return rest_; }
  const std::vector<std::uint32_t>& others() const { return others_; }

  struct Row {
    std::uint32_t values[kFirst] = {kNone, kNone, kNone, kNone};
    std::uint32_t counts[kFirst] = {0, 0, 0, 0};
    std::size_t known = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // bits of no number
  std::vector<Row> rows_;
  std::vector<Value> rest_;
  std::vector<std::uint32_t> others_, slots_;

  // Where a value of a row is, or is to be put.
  std::size_t slot(std::size_t i, std::uint32_t bits) const {
    const std::uint64_t key = (static_cast<std::uint64_t>(i) << 32 | bits) * 0x9E3779B97F4A7C15u;
    std::size_t at = key >> 20 & (slots_.size() - 1);  // multiplicative hashing
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

// The values beyond the first ones, row after row. O(rows + values).
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

// Whether the first rows have few values. O(entries of these).
bool values_come_again(const Design& x, const IndexList& columns, const Vec& units) {
  const Index asked = std::min(x.rows(), kAsked);
  RowValues values(asked);
  ColumnEntries read(x);
  std::size_t entries = 0;
  for (std::size_t c = 0; c < columns.size(); ++c)
    read.each(columns[c], units[static_cast<Index>(c)], asked, [&](std::size_t i, double value) {
      values.count(i, static_cast<float>(value));
      ++entries;
    });
  return kTimes * values.different() <= entries;
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
  // The emptiest columns first: their few values are those that most entries have.
  for (std::size_t c = columns.size(); c-- > 0;) {
    read.each(columns[c], units[static_cast<Index>(c)], x.rows(), [&](std::size_t i, double value) {
      numbers[k++] = values.count(i, static_cast<float>(value));
    });
    if (kTimes * values.rest().size() > entries)
      return std::nullopt;  // the first rows were no others like them
  }
  if (kTimes * values.different() > entries) return std::nullopt;

  // Where the next entry of each value goes: into columns, or else, marked so, into singles.
  constexpr std::size_t kMark = ~(~std::size_t(0) >> 1);
  const RestByRow rest(values);
  const std::size_t n = values.rows().size();
  Groups groups;
  groups.starts_.reserve(n + 1);
  std::vector<std::size_t> places(kFirst * n), rest_places(rest.order.size());
  Start end;
  const auto place = [&](std::uint32_t bits, std::uint32_t count) {
    std::size_t& to = count < kFew ? end.single : end.group;
    const std::size_t from = to;
    to += count;
    if (count < kFew) return kMark | from;
    groups.groups_.push_back({value_of(bits), to});
    return from;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const RowValues::Row& row = values.rows()[i];
    for (std::size_t v = 0; v < row.known; ++v) places[kFirst * i + v] = place(row.values[v], row.counts[v]);
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
      const std::size_t v = *number++, r = v < kFirst ? 0 : *other++;
      const std::size_t at = v < kFirst ? places[kFirst * i + v]++ : rest_places[r]++;
      if (at < kMark)
        groups.columns_[at] = static_cast<std::uint16_t>(c);
      else
        put_single(at, v < kFirst ? values.rows()[i].values[v] : values.rest()[r].bits, c);
    });
  return groups;
}

bool Groups::worn() const { return kTimes * groups_.size() > columns_.size(); }

void Groups::keep(const std::vector<std::int32_t>& place) {
  std::size_t to = 0, from = 0, group = 0, g = 0, single = 0, s = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    Start& end = starts_[i + 1];
    for (; g < end.group; ++g) {
      const std::size_t before = to;
      for (; from < groups_[g].end; ++from) {  // no branch: which go is any pattern
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

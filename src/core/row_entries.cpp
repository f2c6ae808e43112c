#include "row_entries.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zeronorm {
namespace {

constexpr std::size_t kAsked = 64;  // rows that are looked at
constexpr std::size_t kFirst = 4;   // values of a row that are compared one after the other
constexpr std::size_t kTimes = 8;   // that a value is to come in a row, on average

// The values of a row, numbered as they come.
class Values {
 public:
  // O(1) on average where no more than `most` are added.
  explicit Values(std::size_t most) {
    std::size_t size = 16;
    while (size < 2 * most) size *= 2;
    slots_.assign(size, -1);
  }

  std::int32_t number(float value) {
    const std::size_t first = std::min(values_.size(), kFirst);  // most entries have a value of these
    for (std::size_t v = 0; v < first; ++v)
      if (values_[v] == value) return static_cast<std::int32_t>(v);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    std::size_t slot = (bits * 2654435769u >> 7) & (slots_.size() - 1);  // multiplicative hashing
    while (slots_[slot] >= 0 && values_[static_cast<std::size_t>(slots_[slot])] != value)
      slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot] < 0) {
      slots_[slot] = static_cast<std::int32_t>(values_.size());
      values_.push_back(value);
      used_.push_back(slot);
    }
    return slots_[slot];
  }

  const std::vector<float>& all() const { return values_; }

  void clear() {
    for (std::size_t slot : used_) slots_[slot] = -1;
    used_.clear();
    values_.clear();
  }

 private:
  std::vector<std::int32_t> slots_;
  std::vector<std::size_t> used_;
  std::vector<float> values_;
};

std::size_t longest_row(const Pairs<float>& pairs) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < pairs.rows(); ++i) longest = std::max(longest, pairs.entries(i));
  return longest;
}

}  // namespace

bool Groups::suit(const Pairs<float>& pairs, Index columns) {
  if (columns > Index(std::numeric_limits<std::uint16_t>::max()) + 1) return false;
  Values values(longest_row(pairs));
  std::size_t entries = 0, different = 0;
  const std::size_t rows = pairs.rows(), asked = std::min(rows, kAsked);
  for (std::size_t k = 0; k < asked; ++k) {
    const std::size_t i = k * rows / asked;
    pairs.each(i, [&](std::int32_t, float value) { values.number(value); });
    entries += pairs.entries(i);
    different += values.all().size();
    values.clear();
  }
  return kTimes * different <= entries;
}

void Groups::append(const Pairs<float>& pairs) {
  const std::size_t longest = longest_row(pairs);
  std::size_t first = columns_.size(), all = first;
  for (std::size_t i = 0; i < pairs.rows(); ++i) all += pairs.entries(i);
  columns_.resize(all);
  Values values(longest);
  std::vector<std::int32_t> numbers(longest);
  std::vector<std::size_t> next;  // place for each value
  for (std::size_t i = 0; i < pairs.rows(); ++i) {
    next.clear();
    std::size_t k = 0;
    pairs.each(i, [&](std::int32_t, float value) {
      const auto number = static_cast<std::size_t>(numbers[k++] = values.number(value));
      if (number == next.size()) next.push_back(0);
      ++next[number];
    });
    for (std::size_t g = 0; g < next.size(); ++g) {
      const std::size_t count = next[g];
      next[g] = first;
      first += count;
      groups_.push_back({values.all()[g], first});
    }
    k = 0;
    pairs.each(i, [&](std::int32_t column, float) {
      columns_[next[static_cast<std::size_t>(numbers[k++])]++] = static_cast<std::uint16_t>(column);
    });
    start_.push_back(groups_.size());
    values.clear();
  }
}

void Groups::keep(const std::vector<std::int32_t>& place) {
  std::size_t to = 0, from = 0, group = 0, g = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    for (; g < start_[i + 1]; ++g) {
      const std::size_t before = to, end = groups_[g].end;
      for (; from < end; ++from) {  // no branch: which go is any pattern
        const std::int32_t there = place[columns_[from]];
        columns_[to] = static_cast<std::uint16_t>(there);
        to += there >= 0;
      }
      if (to > before) groups_[group++] = {groups_[g].value, to};
    }
    start_[i + 1] = group;
  }
  columns_.resize(to);
  groups_.resize(group);
}

}  // namespace zeronorm

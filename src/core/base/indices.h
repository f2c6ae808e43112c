// Lists of row and column numbers.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>

#include "base/types.h"

namespace zeronorm {

// Returns 0, ..., n - 1.
inline IndexList first(Index n) {
  IndexList list(static_cast<std::size_t>(n));
  std::iota(list.begin(), list.end(), Index(0));
  return list;
}

// Returns the entries of outer at the positions in inner.
inline IndexList compose(const IndexList& outer, const IndexList& inner) {
  IndexList both(inner.size());
  for (std::size_t k = 0; k < inner.size(); ++k) both[k] = outer[static_cast<std::size_t>(inner[k])];
  return both;
}

// Returns the positions of the nonzero entries of v.
inline IndexList nonzero_entries(const Vec& v) {
  IndexList list(static_cast<std::size_t>(v.size()));
  std::size_t count = 0;
  for (Index i = 0; i < v.size(); ++i) {  // Written without branches, which would be mispredicted.
    list[count] = i;
    count += v[i] != 0;
  }
  list.resize(count);
  return list;
}

// Shuffles a list by a permutation that depends only on its length and on a number, for sweeps over rows: in a fixed
// order they gain far less. O(length).
inline void shuffle(IndexList& rows, int number) {
  std::uint64_t state = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15u + 1;
  for (std::size_t k = rows.size(); k > 1; --k) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator.
    std::swap(rows[k - 1], rows[(state >> 33) % k]);
  }
}

}  // namespace zeronorm

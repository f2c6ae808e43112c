// Lists of rows and columns.
#pragma once

#include <numeric>

#include "base/types.h"

namespace zeronorm {

// 0, ..., n - 1.
inline IndexList first(Index n) {
  IndexList list(static_cast<std::size_t>(n));
  std::iota(list.begin(), list.end(), Index(0));
  return list;
}

// Of what outer chose, the choice of inner.
inline IndexList compose(const IndexList& outer, const IndexList& inner) {
  IndexList both(inner.size());
  for (std::size_t k = 0; k < inner.size(); ++k) both[k] = outer[static_cast<std::size_t>(inner[k])];
  return both;
}

// Where v is not zero.
inline IndexList nonzero_entries(const Vec& v) {
  IndexList list(static_cast<std::size_t>(v.size()));
  std::size_t count = 0;
  for (Index i = 0; i < v.size(); ++i) {  // no branch: any pattern
    list[count] = i;
    count += v[i] != 0;
  }
  list.resize(count);
  return list;
}

}  // namespace zeronorm

// Lists of rows and columns.
#pragma once

#include <numeric>

#include "types.h"

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

}  // namespace zeronorm

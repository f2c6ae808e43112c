// Decides in exact integer arithmetic whether sets of one to three integer columns separate, by trying every vertex
// of the linear programme whose value is the relative margin.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/types.h"

namespace zeronorm {

using Exact = __int128;
using Direction = std::array<Exact, 3>;

// Columns with entries from 0 to 2^30, so that no product below needs more than 127 bits.
struct WholeNumbers {
  std::vector<std::array<long long, 3>> rows;
  std::vector<int> y;
  // The range of each column; 0 for a constant column or none.
  std::array<long long, 3> range{};

  void measure() {
    for (int j = 0; j < 3; ++j) {
      long long low = rows[0][j], high = low;
      for (const auto& row : rows) low = std::min(low, row[j]), high = std::max(high, row[j]);
      for (auto& row : rows) row[j] -= low;
      range[j] = high - low;
    }
  }
};

// Returns the weights, in the units of the columns, at which the relative margin of some of the rows can be largest.
// At a vertex where c columns are at a bound of the box |w_j| <= 1, two rows of a class have equal decision values
// for each of the other columns.
inline std::vector<Direction> candidate_directions(const WholeNumbers& data) {
  std::vector<int> used;
  for (int j = 0; j < 3; ++j)
    if (data.range[j] > 0) used.push_back(j);
  std::vector<Direction> differences, found;
  for (std::size_t a = 0; a < data.rows.size(); ++a)
    for (std::size_t b = a + 1; b < data.rows.size(); ++b) {
      if (data.y[a] != data.y[b]) continue;
      Direction d{};
      for (int j : used) d[j] = data.rows[a][j] - data.rows[b][j];
      differences.push_back(d);
    }
  const auto range = [&](int j) { return Exact(data.range[j]); };
  if (used.size() == 1) {
    Direction w{};
    w[used[0]] = 1;
    found.push_back(w);
  } else if (used.size() == 2) {
    const int p = used[0], q = used[1];
    for (int side : {-1, 1}) {
      Direction w{};
      w[p] = range(q), w[q] = side * range(p);
      found.push_back(w);
    }
    for (const Direction& d : differences) {
      Direction w{};
      w[p] = d[q], w[q] = -d[p];
      found.push_back(w);
    }
  } else if (used.size() == 3) {
    for (int s : {-1, 1})
      for (int t : {-1, 1})
        found.push_back({range(1) * range(2), s * range(0) * range(2), t * range(0) * range(1)});
    for (int r = 0; r < 3; ++r) {  // This is the column whose weight is inside the box.
      const int p = (r + 1) % 3, q = (r + 2) % 3;
      for (const Direction& d : differences)
        for (int s : {-1, 1}) {
          Direction w{};
          w[p] = range(q) * d[r], w[q] = s * range(p) * d[r], w[r] = -(range(q) * d[p] + s * range(p) * d[q]);
          found.push_back(w);
        }
    }
    for (std::size_t a = 0; a < differences.size(); ++a)
      for (std::size_t b = a + 1; b < differences.size(); ++b) {
        const Direction &d = differences[a], &e = differences[b];
        found.push_back({d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]});
      }
  }
  return found;
}

// Returns whether the columns separate all but some rows with a relative margin above 1 / parts, up to 2 * 10^9.
inline bool separates_exactly(WholeNumbers data, Index errors, long long parts = 1000000000) {
  data.measure();
  const std::size_t n = data.rows.size();
  for (const Direction& w : candidate_directions(data)) {
    Exact size = 0;
    for (int j = 0; j < 3; ++j) size = std::max(size, (w[j] < 0 ? -w[j] : w[j]) * data.range[j]);
    if (size == 0) continue;
    std::vector<Exact> f(n);
    for (std::size_t i = 0; i < n; ++i)
      for (int j = 0; j < 3; ++j) f[i] += w[j] * data.rows[i][j];
    for (int sign : {-1, 1})
      for (std::size_t last = 0; last < n; ++last) {  // This is the outermost row of class -1 on its side.
        if (data.y[last] > 0) continue;
        Index wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const Exact beyond = sign * (f[i] - f[last]);
          wrong += data.y[i] > 0 ? !(beyond * parts > size) : beyond > 0;
        }
        if (wrong <= errors) return true;
      }
  }
  return false;
}

}  // namespace zeronorm

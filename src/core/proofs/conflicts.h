// Conflicts of a set S of features: vectors a >= 0 that sum to one in each class and whose g = X'(y a) vanishes on S,
// so that the hulls of the classes intersect there. If S and j together separate, then w_j g_j > 0 for every conflict
// of S, so two conflicts with g_j of opposite signs refute j. Conflicts of S and i are combinations of two conflicts
// of S that cancel at i.
//
// In doubles they vanish up to kVanishing and kSign for each feature, which adds up to far less than the least
// relative margin: a set that two of them refute has a relative margin below it.
#pragma once

#include "proofs/hulls.h"

namespace zeronorm {

// Number of refutations tried on each feature that the first ones leave.
constexpr std::size_t kMaxRefutations = 64;
// With fewer conflicts than this, new ones are computed by SVMs.
constexpr std::size_t kMinConflicts = 3;

// One row per conflict, over all features.
struct Conflicts {
  Index features = 0, rows = 0;
  std::vector<double> values;
  const double* row(Index t) const { return values.data() + t * features; }
};

struct Pairing {
  Index a = 0, b = 0;
  double alpha = 1, beta = 0;
};

// Shuffles rows in a fixed way; the order of conflicts affects the speed, not the result.
void spread_out(IndexList& rows);

// Returns conflicts of the empty set: an observation of one class minus one of the other. O(64 d).
Conflicts differences(const Hulls& hulls, const IndexList& rows);

// Returns pairs of conflicts of the base set that cancel at i. O(64 + most).
std::vector<Pairing> pairings(const Conflicts& base, Index i, std::size_t most);

// Computes conflicts of a set by SVMs; each leaves out an observation of the last one. At most kMaxRefutations SVMs,
// and O(n d) each.
Conflicts solved(const Hulls& hulls, const IndexList& set, IndexList rows, const Limits& limits);

// Returns conflicts of the set, which is that of base and one more feature. O(64 d), or the cost of solved().
Conflicts extend(const Hulls& hulls, const Conflicts& base, const IndexList& set, const IndexList& rows,
                 const Limits& limits);

}  // namespace zeronorm

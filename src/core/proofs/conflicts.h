// Conflicts of a set S of features: a >= 0 that sums to one in each class and whose g = X'(y a) vanishes on
// S, so that the hulls of the classes meet there. Where S and j together separate, w_j g_j > 0 for every
// conflict of S, and so two conflicts with g_j of both signs refute j. Conflicts of S and i are combinations
// of two conflicts of S that cancel at i.
//
// In doubles they vanish up to kVanishing and kSign for each feature, which adds up to far less than the
// least relative margin: what two of them refute has a relative margin below that.
#pragma once

#include "proofs/hulls.h"

namespace zeronorm {

// Refutations tried on each feature that the first ones leave.
constexpr std::size_t kMore = 64;
// With fewer conflicts than these, new ones are solved for.
constexpr std::size_t kEnough = 3;

// A row each, over all features.
struct Conflicts {
  Index features = 0, rows = 0;
  std::vector<double> values;
  const double* row(Index t) const { return values.data() + t * features; }
};

struct Pairing {
  Index a = 0, b = 0;
  double alpha = 1, beta = 0;
};

// A fixed shuffle: which conflicts come first decides the speed, not the answer.
void spread_out(IndexList& rows);

// Of the empty set: any observation of one class less any of the other. O(64 d).
Conflicts differences(const Hulls& hulls, const IndexList& rows);

// Conflicts of the base set that cancel at i, two by two. O(64 + most).
std::vector<Pairing> pairings(const Conflicts& base, Index i, std::size_t most);

// Conflicts of a set that are solved for; each leaves out an observation of the last. O(kMore) machines, O(n
// d) each.
Conflicts solved(const Hulls& hulls, const IndexList& set, IndexList rows, const Limits& limits);

// Of the set, which is that of the base and one more. O(64 d), or solved().
Conflicts extend(const Hulls& hulls, const Conflicts& base, const IndexList& set, const IndexList& rows,
                 const Limits& limits);

}  // namespace zeronorm

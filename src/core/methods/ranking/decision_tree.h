// Decision trees, for what they say about features.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// What a split lowers: the entropy of the classes (in bits), errors, or squared errors.
enum class Impurity { entropy, errors, squares };

struct Tree {
  Impurity impurity = Impurity::entropy;
  bool classes = true;  // each row of y has one class; else labels apart from each other
  int depth = 0;        // of the tree; 0: any
  double leaf = 1;      // least weight of a leaf
};

// Sums over the splits on each feature of what they lower the mean impurity by, and what the first split of
// the tree would have lowered on it: the mutual information of feature and classes, for entropy.
struct TreeImportance {
  Vec importance, first;
  std::vector<Round> rounds;  // for each depth the impurity left and the features used
  bool interrupted = false;
};

// A split asks whether x_j <= t; of equally good ones the first column and the least t is taken. A node is split
// as long as that lowers its impurity. Columns are sorted once, O(d n log n); each depth is a pass over them,
// O(nd) for two classes.
TreeImportance grow_tree(const Problem& problem, const Tree& tree, const IndexList& empty,
                         const Limits& limits);

}  // namespace zeronorm

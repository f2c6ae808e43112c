// Decision trees, grown for the importance of their features.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

// What a split lowers: the entropy of the classes (in bits), the number of errors, or the squared errors.
enum class Impurity { entropy, errors, squares };

struct Tree {
  Impurity impurity = Impurity::entropy;
  // Whether each row of y belongs to one class; otherwise the columns are separate labels.
  bool classes = true;
  // The depth of the tree; 0 means no limit.
  int depth = 0;
  // The smallest weight of a leaf.
  double leaf = 1;
};

// importance: the decrease of the mean impurity, summed over the splits on each feature. first: the decrease by the
// first split of the tree if it were on this feature; for entropy this is the mutual information of feature and
// classes.
struct TreeImportance {
  Vec importance, first;
  // One entry per depth: the remaining impurity and the number of features used.
  std::vector<Round> rounds;
  bool interrupted = false;
};

// Grows a tree with splits x_j <= t. Ties go to the first column and the smallest t. A node is split as long as that
// lowers its impurity. Columns are sorted once, O(d n log n); each depth is a pass over them, O(nd) for two classes.
TreeImportance grow_tree(const Problem& problem, const Tree& tree, const IndexList& empty,
                         const Limits& limits);

}  // namespace zeronorm

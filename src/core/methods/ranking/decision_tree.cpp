#include "methods/ranking/decision_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/design.h"
#include "loop/refit.h"

namespace zeronorm {
namespace {

// Decreases of impurity below this fraction of that of the root are rounding errors.
constexpr double kRoundingImpurity = 1e-12;
// Number of entries of x up to which the sorted order of every column is stored.
constexpr double kMaxKeptOrders = 5e7;

// Sums over the rows of a node: their weight, then the terms of the impurity.
using Tally = Vec;

class Measure {
 public:
  Measure(const Problem& p, const Tree& tree) : tree_(tree), weights_(p.cost), outputs_(p.y.cols()) {
    const bool squares = tree.impurity == Impurity::squares;
    two_ = tree.classes && outputs_ == 1 && !squares;
    part_ = Mat::Zero(1 + outputs_, weights_.size());
    const double total = weights_.sum();
    for (Index i = 0; i < weights_.size(); ++i) {
      part_(0, i) = weights_[i];
      for (Index k = 0; k < outputs_; ++k) {
        const double mean = squares ? weights_.dot(p.y.col(k)) / total : 0.0;
        part_(1 + k, i) = weights_[i] * (squares ? p.y(i, k) - mean : static_cast<double>(p.y(i, k) > 0));
      }
    }
    whole_ = (weights_.array() == weights_.array().round()).all() && total < 1e6;
    if (!whole_) return;
    table_.assign(static_cast<std::size_t>(total) + 1, 0.0);
    for (std::size_t c = 1; c < table_.size(); ++c) table_[c] = c * std::log2(static_cast<double>(c));
  }

  Tally none() const { return Vec::Zero(1 + outputs_); }
  void add(Index i, Tally& tally) const { tally += part_.col(i); }

  // Returns the impurity of a node times its weight; for squares up to a constant. O(outputs).
  double impurity(const Tally& t) const {
    const double weight = t[0];
    double sum = 0;
    if (tree_.impurity == Impurity::squares)
      return weight > 0 ? -t.tail(outputs_).squaredNorm() / weight : 0.0;
    if (tree_.impurity == Impurity::errors) {
      if (tree_.classes && !two_) return weight - t.tail(outputs_).maxCoeff();
      for (Index k = 0; k < outputs_; ++k) sum += std::min(t[1 + k], weight - t[1 + k]);
      return sum;
    }
    for (Index k = 0; k < outputs_; ++k) sum -= times_log(t[1 + k]);
    if (tree_.classes && !two_) return sum + times_log(weight);
    for (Index k = 0; k < outputs_; ++k) sum += times_log(weight) - times_log(weight - t[1 + k]);
    return sum;
  }

 private:
  double times_log(double c) const {
    if (whole_) return table_[static_cast<std::size_t>(c + 0.5)];
    return c > 0 ? c * std::log2(c) : 0.0;
  }

  const Tree& tree_;
  const Vec& weights_;
  Index outputs_;
  // Whether there are two classes, and whether all weights are integers, whose logarithms are tabulated.
  bool two_, whole_;
  Mat part_;
  std::vector<double> table_;
};

// A node that may be split.
struct Node {
  Tally tally, left;
  double impurity = 0;
  // The gain of the best split so far.
  double gain = 0;
  // The same gain with rounding errors removed.
  double rounded = 0;
  Index column = -1;
  // Rows with values up to this one go to the left child.
  double threshold = 0;
  // Whether the node has an impurity to lower.
  bool open = true;
  // The last value in the pass over a column.
  double last = 0;
};

class Grower {
 public:
  Grower(const Problem& p, const Tree& tree, const IndexList& empty, const Limits& limits)
      : p_(p), tree_(tree), limits_(limits), measure_(p, tree), n_(p.cost.size()), d_(p.x->cols()),
        total_(p.cost.sum()), node_(n_, -1), values_(n_), empty_(d_, 0) {
    for (Index j : empty) empty_[j] = 1;
    for (Index i = 0; i < n_; ++i)
      if (p.cost[i] > 0) rows_.push_back(static_cast<int>(i));
    keep_orders_ = static_cast<double>(rows_.size()) * static_cast<double>(d_) <= kMaxKeptOrders;
  }

  TreeImportance grow() {
    found_.importance = found_.first = Vec::Zero(d_);
    Node root;
    root.tally = root.left = measure_.none();
    for (int i : rows_) {
      measure_.add(i, root.tally);
      node_[i] = 0;
    }
    root.impurity = measure_.impurity(root.tally);
    left_ = first_ = root.impurity;
    if (tree_.impurity == Impurity::squares)
      for (int i : rows_) offset_ += p_.cost[i] * (p_.y.row(i) - means()).squaredNorm();
    nodes_ = {root};
    record();
    for (int depth = 0; (tree_.depth == 0 || depth < tree_.depth) && open(); ++depth) {
      if (!best_splits(depth == 0)) {
        found_.interrupted = true;
        break;
      }
      if (!split()) break;
      record();
    }
    return std::move(found_);
  }

 private:
  Eigen::RowVectorXd means() const { return p_.cost.transpose() * p_.y / total_; }

  void record() {
    const Index used = (found_.importance.array() > 0).count();
    found_.rounds.push_back({(left_ + offset_) / total_, used, std::nan(""), "tree"});
  }

  double least_gain() const { return kRoundingImpurity * std::max(std::abs(first_), offset_); }

  bool open() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.open; });
  }

  // Returns the rows in increasing order of the column in values_. O(n log n) the first time.
  const int* order(Index j) {
    if (!keep_orders_) return sort();
    if (orders_.empty()) orders_.resize(d_);
    if (orders_[j].empty()) {
      sort();
      orders_[j] = sorted_;
    }
    return orders_[j].data();
  }

  const int* sort() {
    sorted_ = rows_;
    std::stable_sort(sorted_.begin(), sorted_.end(), [&](int a, int b) { return values_[a] < values_[b]; });
    return sorted_.data();
  }

  // Finds the best split of every node; returns false if interrupted. O(nd).
  bool best_splits(bool at_root) {
    for (Index j = 0; j < d_; ++j) {
      if (empty_[j]) continue;
      if (j % 64 == 0 && limits_.stop_now()) return false;
      p_.x->column(j, values_.data());
      const int* rows = order(j);
      for (Node& node : nodes_) node.left.setZero();
      for (std::size_t k = 0; k < rows_.size(); ++k) {
        const int i = rows[k];
        if (node_[i] < 0) continue;
        Node& node = nodes_[node_[i]];
        if (!node.open) continue;
        if (node.left[0] > 0 && values_[i] > node.last) {
          const double gain = gain_of(node);
          if (at_root) found_.first[j] = std::max(found_.first[j], gain / total_);
          if (without_rounding(gain) > node.rounded) {
            node.gain = gain;
            node.rounded = without_rounding(gain);
            node.column = j;
            node.threshold = node.last;
          }
        }
        measure_.add(i, node.left);
        node.last = values_[i];
      }
    }
    return true;
  }

  double gain_of(const Node& node) {
    right_ = node.tally - node.left;
    if (node.left[0] < tree_.leaf || right_[0] < tree_.leaf) return 0;
    const double gain = node.impurity - measure_.impurity(node.left) - measure_.impurity(right_);
    return gain > least_gain() ? gain : 0.0;
  }

  // Replaces nodes by their children; returns false if no split lowers the impurity. O(n) for each node.
  bool split() {
    std::vector<Node> children;
    std::vector<int> first_child(nodes_.size(), -1);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      const Node& node = nodes_[a];
      if (node.gain <= 0) continue;
      first_child[a] = static_cast<int>(children.size());
      found_.importance[node.column] += node.gain / total_;
      Node child;
      child.tally = child.left = measure_.none();
      children.insert(children.end(), 2, child);
    }
    std::vector<int> next(n_, -1);
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      if (first_child[a] < 0) continue;
      p_.x->column(nodes_[a].column, values_.data());
      for (int i : rows_) {
        if (node_[i] != static_cast<int>(a)) continue;
        next[i] = first_child[a] + (values_[i] > nodes_[a].threshold);
        measure_.add(i, children[next[i]].tally);
      }
    }
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      if (first_child[a] < 0) continue;
      left_ -= nodes_[a].impurity;
      for (int side = 0; side < 2; ++side) {
        Node& child = children[first_child[a] + side];
        child.impurity = measure_.impurity(child.tally);
        left_ += child.impurity;
        child.open = tree_.impurity == Impurity::squares || child.impurity > least_gain();
      }
    }
    node_ = std::move(next);
    nodes_ = std::move(children);
    return !nodes_.empty();
  }

  const Problem& p_;
  const Tree& tree_;
  const Limits& limits_;
  Measure measure_;
  Index n_, d_;
  // The total weight; the remaining and the first impurity.
  double total_, left_ = 0, first_ = 0;
  // The constant that impurities of squares leave out.
  double offset_ = 0;
  // The rows of positive weight, and the node of each row (-1: a leaf).
  std::vector<int> rows_, node_;
  std::vector<Node> nodes_;
  Vec values_;
  std::vector<char> empty_;
  bool keep_orders_;
  std::vector<std::vector<int>> orders_;
  std::vector<int> sorted_;
  Tally right_;
  TreeImportance found_;
};

}  // namespace

TreeImportance grow_tree(const Problem& problem, const Tree& tree, const IndexList& empty,
                         const Limits& limits) {
  return Grower(problem, tree, empty, limits).grow();
}

}  // namespace zeronorm

#include "proofs/perspective.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "data/design.h"
#include "engines/engine.h"

namespace zeronorm {
namespace {

// Gap of the bounds, relative to the upper one, at which a problem counts as solved.
constexpr double kOptimalityGap = 1e-6;
// Values of z below this one count as zero.
constexpr double kZeroShare = 1e-9;

// The features that are excluded, included, or undecided.
struct Node {
  double lower = -kInf;
  std::vector<signed char> state;  // 0: excluded, 1: included, -1: undecided.
  Vec z;
};

struct ByBound {
  bool operator()(const Node& a, const Node& b) const { return a.lower > b.lower; }
};

class BranchAndBound {
 public:
  BranchAndBound(const Problem& problem, const RidgeProblem& what, const Limits& limits)
      : problem_(problem), what_(what), limits_(limits), d_(problem.x->cols()), engine_(make_engine("auto")) {
    engine_->setup(problem_);
  }

  RidgeProof run(const std::vector<IndexList>& start) {
    try_set({});
    for (const IndexList& set : start) try_set(set);
    Node root;
    root.state.assign(d_, -1);
    root.z = Vec::Ones(d_);
    relax(root);
    for (signed char s : root.state) proof_.fixed += s >= 0;
    std::priority_queue<Node, std::vector<Node>, ByBound> open;
    open.push(root);
    while (!open.empty()) {
      proof_.lower = std::min({open.top().lower, settled_, proof_.upper});
      if (closed(open.top().lower)) break;
      if (limits_.stop_now()) return proof_;
      Node node = open.top();
      open.pop();
      const Index j = branch_on(node);
      // All features are decided and the SVM is known; its bound falls short by rounding errors only.
      if (j < 0) {
        settled_ = std::min(settled_, node.lower);
        continue;
      }
      for (signed char side : {1, 0}) {
        Node child = node;
        child.state[j] = side;
        child.z[j] = side;
        relax(child);
        if (!closed(child.lower)) open.push(child);
      }
    }
    proof_.lower = std::min({open.empty() ? kInf : open.top().lower, settled_, proof_.upper});
    proof_.complete = closed(proof_.lower);
    return proof_;
  }

 private:
  const Problem& problem_;
  const RidgeProblem& what_;
  const Limits& limits_;
  Index d_;
  std::unique_ptr<Engine> engine_;
  RidgeProof proof_;
  double settled_ = kInf;

  bool closed(double lower) const { return lower >= proof_.upper - kOptimalityGap * std::abs(proof_.upper); }

  Solution train(const Vec& z) const {
    Surrogate s;
    s.l1 = Vec::Zero(d_);
    s.scale = (z.array() > kZeroShare).select((z / what_.ridge).array().sqrt(), 0.0);
    return engine_->solve(s, limits_);
  }

  double losses(const Solution& s) const {
    const Vec f = problem_.x->times(s.w.col(0)).array() + s.b[0];
    double sum = 0;
    for (Index i = 0; i < f.size(); ++i)
      sum += problem_.cost[i] * std::max(0.0, problem_.margin_of(i) - problem_.y(i, 0) * f[i]);
    return sum;
  }

  // Trains an SVM on these features for an upper bound. O(n^2 |set|).
  void try_set(const IndexList& set) {
    Vec z = Vec::Zero(d_);
    for (Index j : set) z[j] = 1;
    const Solution s = train(z);
    if (s.w.size() == 0 || s.b.size() == 0) return;
    IndexList used;
    for (Index j = 0; j < d_; ++j)
      if (s.w(j, 0) != 0) used.push_back(j);
    const double value = what_.lambda * static_cast<double>(used.size()) +
                         what_.ridge / 2 * s.w.col(0).squaredNorm() + losses(s);
    if (!(value < proof_.upper)) return;
    proof_.upper = value;
    proof_.support = used;
    proof_.w = s.w.col(0);
    proof_.b = s.b[0];
  }

  // Returns the bound by balanced multipliers in [0, c]; half_square is g_j^2 / (2 ridge). O(nd).
  double bound(const Node& node, const Vec& a, Vec& half_square) const {
    const Vec ya = problem_.y.col(0).cwiseProduct(a);
    half_square = problem_.x->transposed_times(ya).array().square() / (2 * what_.ridge);
    double value = problem_.margins().dot(a);
    for (Index j = 0; j < d_; ++j) {
      const double gain = half_square[j] - what_.lambda;
      if (node.state[j] == 1 || (node.state[j] < 0 && gain > 0)) value -= gain;
    }
    return value;
  }

  // Returns dual feasible multipliers: clipped to their bounds and, with an intercept, balanced.
  Vec feasible(const Solution& s) const {
    Vec a = s.dual.col(0).cwiseMax(0.0).cwiseMin(problem_.cost);
    if (!problem_.intercept) return a;
    const Vec& y = problem_.y.col(0);
    double up = 0, down = 0;
    for (Index i = 0; i < a.size(); ++i) (y[i] > 0 ? up : down) += a[i];
    for (Index i = 0; i < a.size(); ++i) {
      if (y[i] > 0 && up > down) a[i] *= down / up;
      if (y[i] < 0 && down > up) a[i] *= up / down;
    }
    return a;
  }

  // Solves the relaxation by alternating w and z until its gap is small or the node is closed, and fixes features.
  void relax(Node& node) {
    ++proof_.nodes;
    const double root = std::sqrt(what_.ridge / (2 * what_.lambda));
    Vec half_square;
    for (int turn = 0; turn < 60; ++turn) {
      const Solution s = train(node.z);
      if (s.dual.size() == 0 || s.status == Status::interrupted) return;
      const double lower = bound(node, feasible(s), half_square);
      node.lower = std::max(node.lower, lower);
      const Vec w = s.w.col(0);
      double value = losses(s);
      Vec z = Vec::Zero(d_);
      for (Index j = 0; j < d_; ++j) {
        if (node.state[j] == 0) continue;
        z[j] = node.state[j] == 1 ? 1.0 : std::min(1.0, std::abs(w[j]) * root);
        if (z[j] > 0) value += what_.lambda * z[j] + what_.ridge * w[j] * w[j] / (2 * z[j]);
        // A feature with z = 0 is tried again if it would lower the objective.
        if (node.state[j] < 0 && z[j] <= kZeroShare && half_square[j] > what_.lambda) z[j] = 0.01;
      }
      node.z = z;
      fix(node, lower, half_square);
      if (closed(node.lower) || limits_.stop_now()) break;
      if (value - node.lower <= 1e-4 * std::abs(value) + kOptimalityGap / 2 * std::abs(proof_.upper)) break;
    }
    IndexList likely;
    for (Index j = 0; j < d_; ++j)
      if (node.z[j] > 0.5) likely.push_back(j);
    if (static_cast<Index>(likely.size()) < problem_.x->rows() + 1) try_set(likely);
  }

  // Fixes the features for which the opposite choice would raise the bound above the best value.
  void fix(Node& node, double lower, const Vec& half_square) const {
    const double room = proof_.upper - lower;
    for (Index j = 0; j < d_; ++j) {
      if (node.state[j] >= 0) continue;
      const double gain = half_square[j] - what_.lambda;
      if (-gain > room) node.state[j] = 0, node.z[j] = 0;
      if (gain > room) node.state[j] = 1, node.z[j] = 1;
    }
  }

  // Returns the feature whose z is farthest from 0 and 1; -1 if all are fixed.
  Index branch_on(const Node& node) const {
    Index best = -1;
    double doubt = -1;
    for (Index j = 0; j < d_; ++j) {
      if (node.state[j] >= 0) continue;
      const double here = std::min(node.z[j], 1 - node.z[j]);
      if (here > doubt) doubt = here, best = j;
    }
    return best;
  }
};

}  // namespace

RidgeProof prove_ridge(const Problem& problem, const RidgeProblem& what, const std::vector<IndexList>& start,
                       const Limits& limits) {
  return BranchAndBound(problem, what, limits).run(start);
}

}  // namespace zeronorm

// Recursive feature elimination: after each iteration the features or groups of smallest weight get scale 0.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Elimination {
  // The share of the present features that is eliminated per iteration if below 1, otherwise their number.
  double step = 0.5;
  // The target numbers of features; none is skipped, and the search ends at the smallest.
  IndexList sizes;
  // The group of each feature; groups are eliminated as a whole. Empty means single features.
  IndexList group;
  // Whether a group is scored by the mean weight of its features; otherwise by their sum.
  bool mean = false;
  // Features that are never eliminated, nor their groups.
  IndexList forced;
  // Called with the share of the search that is done.
  std::function<void(double)> progress;
};

// Returns the groups or single features that are eliminated together, without those that never are. O(d log d).
std::vector<IndexList> droppable_units(const Elimination& what, Index d);

class Eliminate : public Rule {
 public:
  explicit Eliminate(Elimination what)
      : what_(std::move(what)), chosen_(what_.sizes.size()), solutions_(what_.sizes.size()) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return StopReason::reached; }

  // Return the features for each size and the SVM on them before any refit. A size that groups skip has the last set
  // above it; a size that the search did not reach has none.
  const IndexList& chosen(std::size_t k) const { return chosen_[k]; }
  const Solution& solution(std::size_t k) const { return solutions_[k]; }
  // Returns the number of features in an iteration.
  Index left(std::size_t round) const { return lefts_[round]; }
  // Returns the features that are never eliminated, then the remaining ones by weight, then the others, the last
  // eliminated first.
  IndexList ranking() const { return IndexList(worst_.rbegin(), worst_.rend()); }

 private:
  void start(const Surrogate& surrogate);
  void weigh(const Solution& solution);
  Index size(Index unit) const { return static_cast<Index>(features_[unit].size()); }
  Index aim() const;
  void report_progress() const;
  void sort_lowest(std::size_t count);
  bool record(const Solution& solution, Index next_left);
  void drop(Index unit, Surrogate& surrogate);
  void rank(IndexList features);

  Elimination what_;
  std::vector<IndexList> chosen_;
  std::vector<Solution> solutions_;
  // The features of each unit that may be eliminated.
  std::vector<IndexList> features_;
  // The units that are present.
  IndexList units_;
  // The features that are never eliminated.
  IndexList fixed_;
  // The eliminated features, the first first.
  IndexList worst_;
  // The numbers of features present at the start and now.
  Index all_ = 0, left_ = 0;
  // The number of features in each iteration.
  IndexList lefts_;
  // The weights of the features and the scores of the units.
  Vec weight_, score_;
};

}  // namespace zeronorm

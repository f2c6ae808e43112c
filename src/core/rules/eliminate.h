// Recursive feature elimination: after each round the features (or groups) of least weight get scale 0.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Elimination {
  double step = 0.5;  // below 1: the share of the present features that goes in a round; else their number
  IndexList sizes;    // asked for; none is stepped over, and the smallest ends the search
  IndexList group;    // of each feature: all of a group go together; empty: each alone
  bool mean = false;  // a group counts by the mean weight of its features; else by their sum
  IndexList forced;   // never dropped, nor their groups
  std::function<void(double)> progress;  // told which share of the way is behind
};

// What leaves together: groups, or single features, without those that never leave. O(d log d).
std::vector<IndexList> droppable_units(const Elimination& what, Index d);

class Eliminate : public Rule {
 public:
  explicit Eliminate(Elimination what)
      : what_(std::move(what)), chosen_(what_.sizes.size()), machines_(what_.sizes.size()) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return StopReason::reached; }

  // For each size the features, and the machine on them before any refit.  A size that groups step over has
  // the last set above it; one that the search did not come to, none.
  const IndexList& chosen(std::size_t k) const { return chosen_[k]; }
  const Solution& machine(std::size_t k) const { return machines_[k]; }
  // Features in a round.
  Index left(std::size_t round) const { return lefts_[round]; }
  // Those never dropped, the survivors by weight, the rest from the last dropped to the first.
  IndexList ranking() const { return IndexList(worst_.rbegin(), worst_.rend()); }

 private:
  void start(const Surrogate& surrogate);
  void weigh(const Solution& solution);
  Index size(Index unit) const { return static_cast<Index>(features_[unit].size()); }
  Index aim() const;
  void tell() const;
  void sort_lowest(std::size_t count);
  bool record(const Solution& solution, Index next_left);
  void drop(Index unit, Surrogate& surrogate);
  void rank(IndexList features);

  Elimination what_;
  std::vector<IndexList> chosen_;
  std::vector<Solution> machines_;
  std::vector<IndexList> features_;  // of each unit that may be dropped: a feature or a group
  IndexList units_;                  // present
  IndexList fixed_;                  // features that are never dropped
  IndexList worst_;                  // features from the first dropped on
  Index all_ = 0, left_ = 0;         // features present: at the start, now, and
  IndexList lefts_;                  // in each round
  Vec weight_, score_;               // of features and of units
};

}  // namespace zeronorm

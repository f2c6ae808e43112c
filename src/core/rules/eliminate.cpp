#include "rules/eliminate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "loop/refit.h"

namespace zeronorm {

std::vector<IndexList> droppable_units(const Elimination& what, Index d) {
  IndexList group = what.group;
  if (group.empty())
    for (Index j = 0; j < d; ++j) group.push_back(j);
  std::set<Index> never;
  for (Index j : what.forced) never.insert(group[j]);
  std::map<Index, IndexList> members;
  for (Index j = 0; j < d; ++j)
    if (never.count(group[j]) == 0) members[group[j]].push_back(j);
  std::vector<IndexList> units;
  for (auto& unit : members) units.push_back(std::move(unit.second));
  return units;
}

// Columns left out from the start count as eliminated first. O(d log d).
void Eliminate::start(const Surrogate& surrogate) {
  const Index d = surrogate.scale.size();
  std::vector<char> fixed(d, 1);
  for (const IndexList& unit : droppable_units(what_, d)) {
    IndexList present;
    for (Index j : unit) {
      fixed[j] = 0;
      if (surrogate.scale[j] > 0) present.push_back(j);
    }
    if (present.empty()) continue;
    units_.push_back(static_cast<Index>(features_.size()));
    features_.push_back(std::move(present));
  }
  for (Index j = d - 1; j >= 0; --j)
    if (surrogate.scale[j] == 0) worst_.push_back(j);
  for (Index j = 0; j < d; ++j)
    if (fixed[j] && surrogate.scale[j] > 0) fixed_.push_back(j);
  all_ = left_ = d - static_cast<Index>(worst_.size());
  score_ = Vec::Zero(features_.size());
  weight_ = Vec::Zero(d);
}

// Computes weights and scores. O(features present) for each output.
void Eliminate::weigh(const Solution& s) {
  const bool given = s.importance.size() > 0, one = s.w.cols() == 1;
  auto weight = [&](Index j) {
    return weight_[j] = given ? s.importance[j] : one ? std::abs(s.w(j, 0)) : s.w.row(j).norm();
  };
  for (Index unit : units_) {
    double sum = 0;
    for (Index j : features_[unit]) sum += weight(j);
    score_[unit] = without_rounding(what_.mean ? sum / size(unit) : sum);
  }
  for (Index j : fixed_) weight(j);
}

// Returns the number of features that are to remain.
Index Eliminate::aim() const {
  const double share = std::floor(left_ * (1 - what_.step) + 1e-9);
  Index stay = std::min(left_ - 1,
                        what_.step < 1 ? static_cast<Index>(share) : left_ - static_cast<Index>(what_.step));
  for (Index asked : what_.sizes)
    if (asked < left_) stay = std::max(stay, asked);
  return stay;
}

void Eliminate::report_progress() const {
  if (!what_.progress || what_.sizes.empty()) return;
  const Index last = *std::min_element(what_.sizes.begin(), what_.sizes.end());
  if (all_ > last) what_.progress(static_cast<double>(all_ - left_) / (all_ - last));
}

// Sorts the first `count` of units_ by increasing score, with the last column first among ties. O(units log count).
void Eliminate::sort_lowest(std::size_t count) {
  const auto end = units_.begin() + std::min(count, units_.size());
  std::partial_sort(units_.begin(), end, units_.end(),
                    [&](Index a, Index b) { return score_[a] != score_[b] ? score_[a] < score_[b] : a > b; });
}

// Stores the present set for the sizes that the next elimination would skip; returns false if no size is left to
// find.
bool Eliminate::record(const Solution& solution, Index next_left) {
  bool missing = false;
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (!chosen_[k].empty()) continue;
    if (what_.sizes[k] <= next_left) {
      missing = true;
      continue;
    }
    chosen_[k] = fixed_;
    for (Index unit : units_)
      chosen_[k].insert(chosen_[k].end(), features_[unit].begin(), features_[unit].end());
    std::sort(chosen_[k].begin(), chosen_[k].end());
    solutions_[k] = solution;
  }
  return missing;
}

// Ranks features by increasing weight, with the last column first among ties.
void Eliminate::rank(IndexList features) {
  std::sort(features.begin(), features.end(), [&](Index a, Index b) {
    const double u = without_rounding(weight_[a]), v = without_rounding(weight_[b]);
    return u != v ? u < v : a > b;
  });
  worst_.insert(worst_.end(), features.begin(), features.end());
}

void Eliminate::drop(Index unit, Surrogate& surrogate) {
  rank(features_[unit]);
  for (Index j : features_[unit]) surrogate.scale[j] = surrogate.l1[j] = 0;
  left_ -= size(unit);
}

// Takes O(features present) per iteration if one feature is eliminated at a time.
bool Eliminate::next(const Problem&, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.empty()) {
    start(surrogate);
    lefts_.push_back(left_);
    return true;
  }
  report_progress();
  weigh(trace.solution);
  const Index stay = aim();
  sort_lowest(left_ - stay);
  const bool missing = record(trace.solution, units_.empty() ? -1 : left_ - size(units_[0]));
  std::size_t gone = 0;
  if (missing) {
    do drop(units_[gone++], surrogate);
    while (gone < units_.size() && left_ - size(units_[gone]) >= stay);
    lefts_.push_back(left_);
  } else {
    sort_lowest(units_.size());
    for (Index unit : units_) rank(features_[unit]);
    rank(fixed_);
  }
  units_.erase(units_.begin(), units_.begin() + gone);
  return missing;
}

double Eliminate::objective(const Problem&, const Surrogate&, const Solution& solution) const {
  return solution.certificate.primal;
}

}  // namespace zeronorm

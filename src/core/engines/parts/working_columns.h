// Columns that an engine works on, side by side where they can be read fast, and what they cost.
#pragma once

#include <functional>

#include "base/types.h"

namespace zeronorm {

class WorkingColumns {
 public:
  Vec up, down, bend;  // costs of either sign, 1 / scale^2
  Vec length;

  // None of x, with room for some.
  void setup(std::shared_ptr<const Design> x, Index room);
  void clear();

  Index size() const { return static_cast<Index>(ids_.size()); }
  bool has(Index j) const { return present_[static_cast<std::size_t>(j)]; }
  // Its number in x; -1: a column of ones.
  Index id(Index k) const { return ids_[static_cast<std::size_t>(k)]; }
  Mat::ConstColXpr col(Index k) const { return columns_.col(k); }

  // O(n). Costs are read afterwards.
  void add(Index j);
  // Keeps those of which stays(place, number) is true, in order, and gives the places they had. O(n) for each moved.
  IndexList keep(const std::function<bool(Index, Index)>& stays);
  // Costs and lengths; norms: those of all columns of x. O(size).
  void read(const Surrogate& s, const Vec& norms);

 private:
  std::shared_ptr<const Design> x_;
  Mat columns_;  // the first size() of them
  IndexList ids_;
  std::vector<char> present_;  // per column of x
};

}  // namespace zeronorm

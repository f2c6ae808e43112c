// The working columns of an engine, copied side by side for fast access, and their costs.
#pragma once

#include <functional>

#include "base/types.h"

namespace zeronorm {

class WorkingColumns {
 public:
  // Costs of positive and negative weights, and 1 / scale^2.
  Vec up, down, bend;
  Vec length;

  // Starts without columns of x, with memory for `room` of them.
  void setup(std::shared_ptr<const Design> x, Index room);
  void clear();

  Index size() const { return static_cast<Index>(ids_.size()); }
  bool has(Index j) const { return present_[static_cast<std::size_t>(j)]; }
  // Returns the number of column k in x; -1 for a column of ones.
  Index id(Index k) const { return ids_[static_cast<std::size_t>(k)]; }
  Mat::ConstColXpr col(Index k) const { return columns_.col(k); }

  // Adds a column. Call read() afterwards to set its costs. O(n).
  void add(Index j);
  // Keeps the columns for which stays(place, number) is true, in order, and returns their former places. O(n) per
  // move.
  IndexList keep(const std::function<bool(Index, Index)>& stays);
  // Sets costs and lengths; norms are those of all columns of x. O(size).
  void read(const Surrogate& s, const Vec& norms);

 private:
  std::shared_ptr<const Design> x_;
  // The first size() columns are in use.
  Mat columns_;
  IndexList ids_;
  // One flag for each column of x.
  std::vector<char> present_;
};

}  // namespace zeronorm

// Problems derived from problems: on some rows and columns, or in other units.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Returns the problem on some rows, with their labels, costs and margins, and on some columns.
Problem restrict_to(const Problem& problem, const IndexList& rows, const IndexList& columns);

// Writes lower_i <= x_i w + b <= upper_i as rows with margins, those of the lower bounds first; an infinite bound
// gives no row. Labels, costs (ones) and margins are replaced. Returns the observation of each row. O(n).
IndexList bound_decisions(Problem& problem, const Vec& lower, const Vec& upper);

// Units in which margins are about one, because tolerances are chosen for such margins: w = scale w' and b = shift +
// scale b'. The objective is scale^2 times that of the problem in these units. O(n + d) each.
class Units {
 public:
  Units() = default;
  explicit Units(const Problem& problem);
  // Returns whether the margins are about one already.
  bool plain() const { return shift_ == 0 && scale_ == 1; }
  double scale() const { return scale_; }
  Problem enter(const Problem& problem) const;
  Surrogate enter(const Surrogate& surrogate) const;
  Solution enter(const Solution& solution) const;
  Solution leave(Solution solution) const;

 private:
  double shift_ = 0, scale_ = 1;
};

}  // namespace zeronorm

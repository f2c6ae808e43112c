// Problems made from problems: on some rows and columns, or in other units.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Some rows, with their labels, costs and margins, and some columns.
Problem restrict_to(const Problem& problem, const IndexList& rows, const IndexList& columns);

// lower_i <= x_i w + b <= upper_i as rows with margins, those of the lower bounds first; an infinite bound
// makes none.  Labels, costs and margins are set anew, costs to one.  Gives the observation of each row. O(n).
IndexList bound_decisions(Problem& problem, const Vec& lower, const Vec& upper);

// Tolerances are made for margins of about one.  With w = scale w' and b = shift + scale b' any margins
// become such, and the objective scale^2 times that of the same problem in these units.  O(n + d) each.
class Units {
 public:
  Units() = default;
  explicit Units(const Problem& problem);
  // The margins are of about one as they are.
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

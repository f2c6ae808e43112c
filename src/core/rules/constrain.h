// Convex problems that a multiplier of the l1 costs leads to: the smallest loss with |w|_1 <= s, and the sparse
// Fisher discriminant.  Each round solves  loss + lambda sum_j c_j |w_j|  and measures its solution; the
// measure never rises with lambda, and the search ends where it is what was asked for.
#pragma once

#include <map>

#include "loop/minimise.h"

namespace zeronorm {

class Constrain : public Rule {
 public:
  // norm: sum_j c_j |w_j| = target, or less where more would not lower the loss.
  // distance: min sum_i cost_i (f_i - y_i)^2 + target sum_j c_j |w_j| with class means of f at the labels -1
  // and +1.  That is the solution for some lambda stretched by target / (2 lambda), because labels moved by the
  // multipliers of the means are labels stretched.
  enum class Measure { norm, distance };

  explicit Constrain(Measure measure) : measure_(measure) {}
  // What the next search is for; what was learned about lambda stays.
  void aim(double target) { target_ = target; }

  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // The loss; for the distance that of the problem before it is stretched, penalty included.
  double objective(const Problem&, const Surrogate&, const Solution& solution) const override;
  double multiplier() const { return lambda_; }
  // After a round that failed: the last one whose norm keeps to its bound, where that is good enough.  Between
  // columns next to each other the norm may grow by orders of magnitude while the loss falls by rounding, and
  // no engine can follow there. O(nd).
  void fall_back(const Problem& problem, Trace& trace);
  // The last solution as that of the constrained problem, with its certificate. O(nd).
  Solution constrained(const Problem& problem, Solution solution) const;

 private:
  using Known = std::map<double, double>::const_iterator;

  void remember(const Solution& solution);
  void learn_largest(const Problem& problem, const Solution& solution);
  bool choose(const Problem& problem, bool opening);
  double beyond(Known high) const;
  double between(Known low, Known high);
  double norm(const Solution& solution) const;
  double measure(const Problem& problem, const Solution& solution) const;
  double wanted() const { return measure_ == Measure::norm ? target_ : 4 / target_; }
  // In which the measure is linear on each piece of a path of the squared loss; its own inverse.
  double position(double lambda) const { return measure_ == Measure::norm ? lambda : 1 / lambda; }
  Solution mixed(const Problem& problem) const;
  double take_back(const Problem& problem, double share, Solution& solution) const;
  Solution within_norm(const Problem& problem, Solution solution) const;
  Solution at_distance(const Problem& problem, Solution solution) const;

  Measure measure_;
  double target_ = 0;
  Surrogate base_;                  // with the costs c
  double largest_ = -1;             // lambda from which on all measured coefficients are zero
  double free_ = 0;                 // by how far columns that are not measured tell the class means apart
  std::map<double, double> known_;  // lambda -> measure
  double lambda_ = 0;               // of the last round
  Solution within_, beyond_;  // of the smallest lambda that keeps to the bound, the largest that does not
  double within_lambda_ = kInf, beyond_lambda_ = -1;
  bool fell_back_ = false;
  int one_sided_ = 0;  // rounds in a row on the same side of the target; below it negative
};

}  // namespace zeronorm

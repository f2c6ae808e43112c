// Convex problems that a multiplier of the l1 penalty solves: the smallest loss with |w|_1 <= s, and the sparse
// Fisher discriminant. Each iteration solves
//   min over w, b:  loss + lambda sum_j c_j |w_j|
// and measures the solution. The measure does not increase with lambda, and the search ends when it equals its
// target.
#pragma once

#include <map>

#include "loop/minimise.h"

namespace zeronorm {

class Constrain : public Rule {
 public:
  // norm: sum_j c_j |w_j| = target, or less if more would not lower the loss. distance: min sum_i cost_i (f_i -
  // y_i)^2 + target sum_j c_j |w_j| with class means of f at the labels -1 and +1. This is the solution for some
  // lambda, scaled by target / (2 lambda), because labels shifted by the multipliers of the means are scaled labels.
  enum class Measure { norm, distance };

  explicit Constrain(Measure measure) : measure_(measure) {}
  // Sets the target of the next search; measures that are known are kept.
  void aim(double target) { target_ = target; }

  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Returns the loss; for the distance, the objective with penalty before scaling.
  double objective(const Problem&, const Surrogate&, const Solution& solution) const override;
  double multiplier() const { return lambda_; }
  // After a failed iteration: returns to the last solution within the bound of the norm if it is accurate enough.
  // Between nearly collinear columns the norm may grow by orders of magnitude while the loss decreases by rounding
  // errors only, and no engine can solve this. O(nd).
  void fall_back(const Problem& problem, Trace& trace);
  // Returns the last solution as that of the constrained problem, with its certificate. O(nd).
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
  // The scale on which the measure is linear on each piece of a path of the squared loss; it is its own inverse.
  double position(double lambda) const { return measure_ == Measure::norm ? lambda : 1 / lambda; }
  Solution mixed(const Problem& problem) const;
  double take_back(const Problem& problem, double share, Solution& solution) const;
  Solution within_norm(const Problem& problem, Solution solution) const;
  Solution at_distance(const Problem& problem, Solution solution) const;

  Measure measure_;
  double target_ = 0;
  // The surrogate with the costs c.
  Surrogate base_;
  // The lambda from which on all measured coefficients are zero.
  double largest_ = -1;
  // The distance of the class means by the columns that are not measured.
  double unpenalized_distance_ = 0;
  // The measure for each lambda.
  std::map<double, double> known_;
  // The lambda of the last iteration.
  double lambda_ = 0;
  // The solutions of the smallest lambda within the bound and of the largest lambda beyond it.
  Solution within_, beyond_;
  double within_lambda_ = kInf, beyond_lambda_ = -1;
  bool fell_back_ = false;
  // The number of iterations in a row on the same side of the target; negative below it.
  int one_sided_ = 0;
};

}  // namespace zeronorm

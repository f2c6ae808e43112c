// Grafting: features join the working set one at a time, in order of the steepest descent, and the model is trained
// again, until no gradient exceeds the cost of a feature.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Grafting {
  // The cost of a feature, per unit of loss.
  double l0 = 0;
  // The cost of |w| itself (not squared), per unit of loss.
  double norm = 0;
  // The first working set.
  IndexList start;
  // The columns of it that are outside the regulariser.
  IndexList free;
};

class Graft : public Rule {
 public:
  explicit Graft(Grafting what) : what_(std::move(what)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return unsettled_ ? StopReason::rounds : StopReason::converged; }

  // Whether the last feature was not worth its cost; then the previous solution and the number of its iterations are
  // kept.
  bool took_back() const { return took_back_; }
  const Solution& kept() const { return kept_; }
  std::size_t kept_rounds() const { return kept_rounds_; }
  // Returns the surrogate on all features, of which the working set is a part.
  const Surrogate& whole() const { return whole_; }

 private:
  void start(const Problem& problem, Surrogate& surrogate);
  bool settled(const Trace& trace, Surrogate& surrogate);
  Index steepest(const Problem& problem, const Trace& trace) const;
  double length(const Solution& solution) const;
  void bend(Surrogate& surrogate) const;

  Grafting what_;
  Surrogate whole_;
  // The norms of the columns.
  Vec lengths_;
  // Whether each column is outside the working set.
  std::vector<char> candidate_;
  // The radius at which the parabola touches |w|.
  double radius_ = 0;
  // The logarithm of the previous radius, and the difference of ln|w| from it.
  double tried_ = 0, off_ = 0;
  // The smallest difference for the present columns.
  double nearest_ = kInf;
  // The number of tries since this difference decreased.
  int tries_ = 0;
  // Whether the parabola did not touch |w| for some columns.
  bool unsettled_ = false;
  bool took_back_ = false;
  Solution kept_;
  std::size_t kept_rounds_ = 0;
  double kept_value_ = kInf;
};

}  // namespace zeronorm

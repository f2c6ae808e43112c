// Grafting: features join the working set one at a time, that of the steepest descent first, and the machine is
// trained again, until no descent is steeper than the price of a feature.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Grafting {
  double l0 = 0;    // price of a feature, per unit of loss
  double norm = 0;  // price of |w| itself (not squared), per unit of loss
  IndexList start;  // the first working set
  IndexList free;   // of these, the columns outside the regulariser
};

class Graft : public Rule {
 public:
  explicit Graft(Grafting what) : what_(std::move(what)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return unsettled_ ? StopReason::rounds : StopReason::converged; }

  // The last feature was not worth its price: the machine before it, and the number of its rounds.
  bool took_back() const { return took_back_; }
  const Solution& kept() const { return kept_; }
  std::size_t kept_rounds() const { return kept_rounds_; }
  // The surrogate on all features, which the working set is a part of.
  const Surrogate& whole() const { return whole_; }

 private:
  void start(const Problem& problem, Surrogate& surrogate);
  bool settled(const Trace& trace, Surrogate& surrogate);
  Index steepest(const Problem& problem, const Trace& trace) const;
  double length(const Solution& solution) const;
  void bend(Surrogate& surrogate) const;

  Grafting what_;
  Surrogate whole_;
  Vec lengths_;                  // of the columns
  std::vector<char> candidate_;  // columns outside the working set
  double radius_ = 0;            // at which |w| has its tangent parabola
  double tried_ = 0, off_ = 0;   // ln of the one before, and how far ln|w| was from it
  double nearest_ = kInf;        // the least of these for the present columns
  int tries_ = 0;                // since it fell
  bool unsettled_ = false;       // whether the parabola has missed |w| for some columns
  bool took_back_ = false;
  Solution kept_;
  std::size_t kept_rounds_ = 0;
  double kept_value_ = kInf;
};

}  // namespace zeronorm

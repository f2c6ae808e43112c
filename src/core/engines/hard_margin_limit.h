// The machine of C = Inf as an engine: the hard margin where there is one, else the limit of C, which is the
// least sum of slacks first, then the smallest norm.  So it never fails for want of separability.  Several
// classes are Weston-Watkins's; independent outputs take make_limit_machine().
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

class LimitMachine : public Engine {
 public:
  // Surrogates are l1 norms, or else ridges, on some columns; weights (all above 0) are those of the slacks.
  // An engine that is named solves all of it; only the least sum of slacks before a ridge is a linear programme, which
  // no engine of ridges takes.
  LimitMachine(bool l1, Vec weights, EngineChoice engine = "auto")
      : l1_(l1), weights_(std::move(weights)), engine_(std::move(engine)) {}
  std::string name() const override;
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override;
  void setup(const Problem& problem) override;
  // Columns that have left stay warm; certified.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  bool hopeless(const Surrogate& surrogate) const;
  bool crowded(const Surrogate& surrogate) const;
  Solution hard(const Surrogate& surrogate, const Limits& limits);
  Solution limit(const Surrogate& surrogate, const Limits& limits);
  Solution least_slacks(const Surrogate& surrogate, const Limits& limits);
  Solution soft(Surrogate surrogate, double C, const Limits& limits);
  double slack_sum(const Solution& solution) const;
  double rounding() const;
  bool reaches_least(const Surrogate& surrogate, const Solution& solution, double more) const;

  bool l1_;
  Vec weights_;
  EngineChoice engine_;
  Problem hard_, soft_;
  std::unique_ptr<Engine> margin_, slacks_, growing_;
  bool exact_ = false;  // whether OSQP may not stand in for growing_
  Vec given_up_;        // the scales where no hard margin exists, or none was found; empty: not yet
  double C_ = 1;        // at which the limit was last reached
};

// The same, each of several independent outputs with a limit of its own.
std::unique_ptr<Engine> make_limit_machine(bool l1, const Vec& weights, const EngineChoice& engine = "auto");

}  // namespace zeronorm

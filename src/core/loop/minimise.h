// The only optimisation loop: it solves a convex surrogate and lets the rule construct the next one.
#pragma once

#include "base/types.h"
#include "engines/solve_certified.h"

namespace zeronorm {

// converged: the rule has nothing left to change. reached: the requested sizes were found. collapsed: every
// coefficient became zero. unbounded: the next convex problem has no minimum. In these two cases the previous
// solution is kept. cycled: the iterations repeat.
enum class StopReason { converged, reached, rounds, collapsed, unbounded, cycled, failed, interrupted };
const char* message(StopReason reason);

struct Round {
  double objective = 0;
  Index nonzero = 0;
  double gap = 0;
  std::string engine;
};

struct Trace {
  std::vector<Round> rounds;
  // The last surrogate that was solved.
  Surrogate surrogate;
  // The solution of this surrogate.
  Solution solution;
  StopReason stop = StopReason::converged;
  // Whether another engine stood in for the chosen one in any iteration.
  bool fallback = false;
};

class Rule {
 public:
  virtual ~Rule() = default;
  // Replaces the surrogate by the next one, from the last solution of the trace; without iterations, by the first
  // surrogate. Returns false if there is no next one; reason() then returns why.
  virtual bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) = 0;
  // Returns the objective of the method at the solution of this surrogate.
  virtual double objective(const Problem& problem, const Surrogate& surrogate,
                           const Solution& solution) const = 0;
  virtual StopReason reason() const { return StopReason::converged; }
  // Whether the previous iteration holds the result if all coefficients become zero.
  virtual bool keeps_last_nonzero() const { return false; }
  // Whether the last iteration with a minimum holds the result.
  virtual bool keeps_last_bounded() const { return false; }
  // Returns the sizes of the features that iterations count.
  virtual Vec features(const Surrogate&, const Solution& solution) const { return magnitudes(solution.w); }
  // Returns the problem of the surrogate that was constructed last. If it is another one, the engine is set up again.
  virtual const Problem& restated(const Problem& problem) const { return problem; }
};

// The rule of a convex problem: its surrogate is solved once.
class Once : public Rule {
 public:
  bool next(const Problem&, const Trace& trace, Surrogate&) override { return trace.rounds.empty(); }
  double objective(const Problem&, const Surrogate&, const Solution& s) const override {
    return s.certificate.primal;
  }
};

struct Stop {
  int rounds = 100;
  Limits limits;
  // Tolerance of early iterations, as a multiple of the tolerance, while the value still changes much.
  double coarse = 1;
};

Trace minimise(const Problem& problem, Engine& engine, Rule& rule, Surrogate surrogate, const Stop& stop);

}  // namespace zeronorm

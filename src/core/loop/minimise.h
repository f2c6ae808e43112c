// The one loop of optimisation: solve a convex surrogate, let the rule make the next one.
#pragma once

#include "base/types.h"
#include "engines/solve_certified.h"

namespace zeronorm {

// converged: the rule has nothing left to change; reached: the sizes asked for were found;
// collapsed: every coefficient became zero, unbounded: the next convex problem has no minimum, and of both the
// solution kept is the one before; cycled: the rounds repeat.
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
  Surrogate surrogate;  // the last one solved, and
  Solution solution;    // its solution
  StopReason stop = StopReason::converged;
  bool fallback = false;  // in any round
};

class Rule {
 public:
  virtual ~Rule() = default;
  // Turns the surrogate into the next one, from the last solution of the trace (rounds empty: the
  // first surrogate). False: nothing next, and reason() says why.
  virtual bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) = 0;
  // What the method minimises, at the solution of this surrogate.
  virtual double objective(const Problem& problem, const Surrogate& surrogate,
                           const Solution& solution) const = 0;
  virtual StopReason reason() const { return StopReason::converged; }
  // Whether a round of zeros means that the round before holds the answer.
  virtual bool keeps_last_nonzero() const { return false; }
  // Whether the last round that has a minimum holds the answer.
  virtual bool keeps_last_bounded() const { return false; }
  // What the rounds count as features.
  virtual Vec features(const Surrogate&, const Solution& solution) const { return magnitudes(solution.w); }
  // The problem that the surrogate just made belongs to.  Another one is set up in the engine anew.
  virtual const Problem& restated(const Problem& problem) const { return problem; }
};

// A convex problem: its surrogate once.
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
  double coarse = 1;  // times the tolerance: gap that will do, at most, where rounds still move far
};

Trace minimise(const Problem& problem, Engine& engine, Rule& rule, Surrogate surrogate, const Stop& stop);

}  // namespace zeronorm

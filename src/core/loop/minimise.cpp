#include "loop/minimise.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

// Early iterations are solved to this fraction of the last relative change of the value.
constexpr double kChangeShare = 0.1;
// Largest tolerance of an early iteration.
constexpr double kMaxTol = 0.1;

// Returns the limits of an iteration: while the value still changes much, full accuracy would not help the next one.
Limits limits_of_round(double change, const Stop& stop) {
  Limits limits = stop.limits;
  limits.tol = std::max(limits.tol, std::min({kChangeShare * change, kMaxTol, stop.coarse * limits.tol}));
  return limits;
}

}  // namespace

const char* message(StopReason reason) {
  switch (reason) {
    case StopReason::converged: return "converged";
    case StopReason::reached: return "size reached";
    case StopReason::rounds: return "round limit";
    case StopReason::collapsed: return "collapsed to zero";
    case StopReason::unbounded: return "no minimum";
    case StopReason::cycled: return "cycle";
    case StopReason::failed: return "failed";
    case StopReason::interrupted: return "interrupted";
  }
  return "unknown";
}

Trace minimise(const Problem& problem, Engine& engine, Rule& rule, Surrogate surrogate, const Stop& stop) {
  Trace trace;
  trace.surrogate = std::move(surrogate);
  Surrogate next = trace.surrogate;
  double change = 1;  // The relative change of the value in the last iteration.
  while (rule.next(problem, trace, next)) {
    if (static_cast<int>(trace.rounds.size()) == stop.rounds) {
      trace.stop = StopReason::rounds;
      return trace;
    }
    const Problem& now = rule.restated(problem);
    if (&now != &problem) engine.setup(now);
    Solution solution = solve_certified(engine, now, next, limits_of_round(change, stop));
    trace.fallback = trace.fallback || solution.fallback;
    if (solution.status == Status::unbounded && !trace.rounds.empty() && rule.keeps_last_bounded()) {
      trace.stop = StopReason::unbounded;
      trace.solution.note = solution.note + " The round before it is the answer.";
      return trace;
    }
    if (solution.status != Status::optimal) {
      trace.stop = solution.status == Status::interrupted ? StopReason::interrupted : StopReason::failed;
      trace.solution = std::move(solution);
      return trace;
    }
    const Index kept = static_cast<Index>(nonzeros(rule.features(next, solution)).size());
    if (kept == 0 && !trace.rounds.empty() && trace.rounds.back().nonzero > 0 && rule.keeps_last_nonzero()) {
      trace.stop = StopReason::collapsed;
      return trace;
    }
    const double value = rule.objective(now, next, solution);
    if (!trace.rounds.empty())
      change = std::abs(1 - trace.solution.certificate.primal / solution.certificate.primal);
    trace.rounds.push_back({value, kept, solution.certificate.gap, solution.engine});
    trace.surrogate = next;
    trace.solution = std::move(solution);
    if (stop.limits.stop_now()) {
      trace.stop = StopReason::interrupted;
      return trace;
    }
  }
  trace.stop = rule.reason();
  return trace;
}

}  // namespace zeronorm

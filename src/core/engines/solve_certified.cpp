#include "engines/solve_certified.h"

#include <algorithm>

#include "grade/certificate.h"

namespace zeronorm {

Solution solve_certified(Engine& engine, const Problem& problem, const Surrogate& surrogate,
                         const Limits& limits) {
  const std::string refusal = engine.refuses(problem, surrogate);
  if (!refusal.empty()) {
    Solution refused;
    refused.status = Status::refused;
    refused.engine = engine.name();
    refused.note = refusal;
    return refused;
  }
  Solution solution = engine.solve(surrogate, limits);
  if (solution.status == Status::infeasible && !proves_inseparable(problem, surrogate, solution)) {
    solution.status = Status::numerical;
    solution.note = "The multipliers do not prove that the margins cannot be met.";
  }
  if (solution.status != Status::optimal) return solution;
  if (!solution.certificate.known()) solution.certificate = certify(problem, surrogate, solution);
  if (!solution.certificate.holds(std::max(limits.tol, kProof))) {
    solution.status = Status::numerical;
    solution.note = solution.network.size() ? "The gradient of the network's training loss is not zero."
                                            : "The duality gap does not prove the solution.";
  }
  return solution;
}

}  // namespace zeronorm

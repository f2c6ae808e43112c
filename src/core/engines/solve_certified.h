// One solve whose solution is certified from the data before it is used.
#pragma once

#include "engines/engine.h"

namespace zeronorm {

// Solves and certifies. If the certificate does not hold, "optimal" becomes a failure, because a zero must never be
// read from an unproven solution.
Solution solve_certified(Engine& engine, const Problem& problem, const Surrogate& surrogate,
                         const Limits& limits);

}  // namespace zeronorm

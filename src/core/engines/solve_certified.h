// One solve whose answer is graded from the data before anybody reads it.
#pragma once

#include "engines/engine.h"

namespace zeronorm {

// Solves and certifies; a certificate that does not hold turns "optimal" into a failure, because a
// zero must never be read from a solution that is not proven.
Solution solve_certified(Engine& engine, const Problem& problem, const Surrogate& surrogate,
                         const Limits& limits);

}  // namespace zeronorm

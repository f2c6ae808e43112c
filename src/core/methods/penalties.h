// Concave penalties as callers describe them.
#pragma once

#include <vector>

#include "../penalty.h"
#include "options.h"

namespace zeronorm {

// One penalty for each entry of alpha; a user's own penalty is two functions, value and slope.
std::vector<Penalty> read_penalties(const Options& penalty);

}  // namespace zeronorm

// Concave penalties as callers describe them.
#pragma once

#include <vector>

#include "methods/options.h"
#include "problem/penalty.h"

namespace zeronorm {

// One penalty for each entry of alpha; a user's own penalty is two functions, value and slope.
std::vector<Penalty> read_penalties(const Options& penalty);

}  // namespace zeronorm

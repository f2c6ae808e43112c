// Reads concave penalties from options.
#pragma once

#include <vector>

#include "methods/options.h"
#include "problem/penalty.h"

namespace zeronorm {

// Returns one penalty for each entry of alpha. A penalty of the user consists of two functions, value and slope.
std::vector<Penalty> read_penalties(const Options& penalty);

}  // namespace zeronorm

// Concave penalties phi(t) of t >= 0: increasing, with finite slope at 0.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace zeronorm {

struct Penalty {
  std::function<double(double)> value;
  std::function<double(double)> slope;
};

// Returns the names of the penalties in the order of the table.
std::vector<std::string> penalty_names();

// Returns the penalty of this name with its parameters (alpha, eps, p, theta, lambda, a). Throws
// std::invalid_argument for an unknown name or a missing parameter.
Penalty make_penalty(const std::string& name, const std::map<std::string, double>& parameters);

}  // namespace zeronorm

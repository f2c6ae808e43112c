// From R's matrices and lists to the core's types. Nothing of x is copied.
#pragma once

#include <RcppEigen.h>

#include "core/design.h"
#include "core/fit.h"

namespace zeronorm {

// What a word stands for in this table.  A word that is not in it is an error that names the argument and its choices.
template <class T>
T meaning(const char* argument, const std::string& word,
          std::initializer_list<std::pair<const char*, T>> table) {
  std::string choices;
  for (const auto& entry : table) {
    if (word == entry.first) return entry.second;
    choices += (choices.empty() ? "\"" : ", \"") + std::string(entry.first) + "\"";
  }
  throw std::invalid_argument(std::string(argument) + ": is \"" + word + "\". Use one of " + choices + ".");
}

struct Data {
  std::shared_ptr<const Design> x;
  IndexList constant;  // columns without spread, where an intercept or the scaling makes them void
};

// x: a double matrix or a dgCMatrix, which must stay protected while the design lives, or blocks that are read
// by an R function.
Data read_data(SEXP x, const Vec& weights, bool standardize, bool intercept);
// The matrix as it is.
std::shared_ptr<const Design> dense_view(SEXP x);
FitSpec read_spec(const Rcpp::List& spec);
Loss read_loss(const std::string& loss);

}  // namespace zeronorm

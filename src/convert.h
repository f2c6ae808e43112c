// Converts R matrices and lists to the types of the core. Nothing of x is copied.
#pragma once

#include <RcppEigen.h>

#include "core/base/types.h"
#include "core/data/design.h"
#include "core/methods/options.h"

namespace zeronorm {

struct Data {
  std::shared_ptr<const Design> x;
  // The columns without variance, which an intercept or the scaling makes empty.
  IndexList constant;
};

// Reads a double matrix or a dgCMatrix, which must stay protected while the design is in use, or blocks that an R
// function reads.
Data read_data(SEXP x, const Vec& weights, bool standardize, bool intercept);
// Returns a design of the matrix as it is.
std::shared_ptr<const Design> dense_view(SEXP x);
// Reads a list of named values; NULL entries are left out, and lists in it become groups.
Options read_options(const Rcpp::List& list);

}  // namespace zeronorm

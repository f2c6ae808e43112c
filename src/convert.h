// From R's matrices and lists to the core's types. Nothing of x is copied.
#pragma once

#include <RcppEigen.h>

#include "core/base/types.h"
#include "core/data/design.h"
#include "core/methods/options.h"

namespace zeronorm {

struct Data {
  std::shared_ptr<const Design> x;
  IndexList constant;  // columns without spread, where an intercept or the scaling makes them void
};

// x: a double matrix or a dgCMatrix, which must stay protected while the design lives, or blocks that are read
// by an R function.
Data read_data(SEXP x, const Vec& weights, bool standardize, bool intercept);
// The matrix as it is.
std::shared_ptr<const Design> dense_view(SEXP x);
// A list of named values; NULLs are left out, lists within it become groups.
Options read_options(const Rcpp::List& list);

}  // namespace zeronorm

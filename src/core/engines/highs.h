// A mixed-integer bound on the number of features, by HiGHS:
//   min number of nonzero w_j   subject to  y_i (x_i'w + b) >= 1,  |w_j| <= box
#pragma once

#include "base/types.h"

namespace zeronorm {

// If status is optimal, lower_bound features are necessary and support is sufficient for separation within the box.
// The bound does not apply to weights outside the box.
struct MipResult {
  Status status = Status::numerical;
  long lower_bound = 0;
  // The smallest separating set found; an LP confirmed that it separates.
  IndexList support;
  Vec w;
  double b = 0;
  // Difference of |support| and lower_bound relative to |support|; infinite without a support.
  double gap = kInf;
  long nodes = 0;
  std::string note;
};

// Solves the problem above. start: features that may separate within the box; the search begins with them, and they
// are returned if nothing smaller is found. seconds: the time limit of HiGHS, which checks the clock in more places
// than the interrupt.
MipResult min_support_mip(const Problem& problem, double box, const Limits& limits,
                          const IndexList& start = {}, double seconds = kInf);

}  // namespace zeronorm

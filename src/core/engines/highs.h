// The mixed-integer bound on the number of features, by HiGHS.
#pragma once

#include "base/types.h"

namespace zeronorm {

// status optimal: lower_bound features are needed by, and support suffices for, separation within the box.
// The bound says nothing of weights outside the box.
struct MipResult {
  Status status = Status::numerical;
  long lower_bound = 0;
  IndexList support;  // the smallest separating set found, its separation confirmed by an LP
  Vec w;
  double b = 0;
  double gap = kInf;  // of support and lower_bound, relative to the support; without one infinite
  long nodes = 0;
  std::string note;
};

// min number of nonzero w_j  subject to  y_i (x_i'w + b) >= 1,  |w_j| <= box.  start: features that may
// separate within the box, to begin with, and support where nothing smaller is found. seconds: a limit of time, which HiGHS
// checks in more places than it asks whether it is interrupted.
MipResult min_support_mip(const Problem& problem, double box, const Limits& limits,
                          const IndexList& start = {}, double seconds = kInf);

}  // namespace zeronorm

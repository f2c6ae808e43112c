// The multipliers that one row of a Weston-Watkins dual may have.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Replaces q by the nearest m with sum 0 and -cost <= m_k <= 0 for other classes than `own`; the cost may be infinite. O(k)
// for each of a few steps.
void project_on_multipliers(double* q, Index classes, Index own, double cost);

}  // namespace zeronorm

// The KKT equations of an active set.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Returns a and then b with
//   (M M' + D) a + F b = left,   F'a = balance,
// with one row for each point on its margin and D = diag(bend). If D = 0 and there are more rows than columns, a is
// the smallest solution, which lies in the span of the columns. singular: return the least-squares solution of
// smallest norm, for singular systems. O(r^3 + rows (columns of M and F)^2), where r is the smaller of rows and
// columns, or the number of rows if D is not zero.
Vec kkt_step(const Mat& m, const Mat& f, const Vec& bend, const Vec& left, const Vec& balance, bool singular);

}  // namespace zeronorm

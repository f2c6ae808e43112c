// The equations that an active set leaves.
#pragma once

#include "base/types.h"

namespace zeronorm {

// a and b, one after the other, with
//   (M M' + D) a + F b = left,   F'a = balance,
// a row for each point on its margin, D = diag(bend). Where there is no D and rows are more than columns, the smallest
// such a lies in the span of the columns. singular: the least squares solution of smallest norm, where there is no other.
// O(r^3 + rows (columns of M and F)^2), r the fewer of rows and columns, or the rows where there is a D.
Vec kkt_step(const Mat& m, const Mat& f, const Vec& bend, const Vec& left, const Vec& balance, bool singular);

}  // namespace zeronorm

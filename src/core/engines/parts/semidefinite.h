// Newton's equations where they may be singular, or nearly so.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Solves h x = rhs for a semidefinite h by its lower half: on a unit diagonal with as little jitter as it takes, so
// that where h is singular x is large and not lost. A diagonal of zero counts as `otherwise`. O(p^3).
Vec solve_semidefinite(Mat h, const Vec& rhs, const Vec& otherwise, double jitter);

// The same for h = x'x + diag(bend) by an orthogonal factor of x, which keeps the digits that x'x loses where columns
// are nearly those of others. Where they are so to the last digits x is zero. O(n p^2).
Vec solve_normal(const Mat& x, const Vec& bend, const Vec& rhs, const Vec& otherwise);

// The same by rows, where columns with a ridge outnumber them: with m the Gram matrix of these, scaled, D the curvatures
// and N = (D^-1 + m)^-1, the other columns b change by v, for which  b'N (rho + b v) = r.
struct RowStep {
  Vec v, f, force;  // v, b v and N (rho + b v)
};
RowStep solve_by_rows(Mat m, const Vec& curve, const Mat& b, const Vec& r, const Vec& rho,
                      const Vec& otherwise, double jitter);

}  // namespace zeronorm

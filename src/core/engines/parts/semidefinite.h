// Newton's equations for matrices that are singular or nearly so.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Solves h x = rhs for a semidefinite h given by its lower half, scaled to unit diagonal, with the least jitter that
// lets Cholesky succeed; x is large, but finite, if h is singular. A zero diagonal entry is replaced by that of
// `otherwise`. O(p^3).
Vec solve_semidefinite(Mat h, const Vec& rhs, const Vec& otherwise, double jitter);

// Solves the same system for h = x'x + diag(bend) by an orthogonal factorisation of x, which keeps the digits that
// x'x loses for nearly collinear columns. Exactly dependent columns get a zero. O(n p^2).
Vec solve_normal(const Mat& x, const Vec& bend, const Vec& rhs, const Vec& otherwise);

// Solves the same system by rows, for more columns with a ridge than rows. With the scaled Gram matrix m of these
// columns, the curvatures D and N = (D^-1 + m)^-1, the other columns b change by v such that  b'N (rho + b v) = r.
struct RowStep {
  Vec v, f, force;  // They are v, b v and N (rho + b v).
};
RowStep solve_by_rows(Mat m, const Vec& curve, const Mat& b, const Vec& r, const Vec& rho,
                      const Vec& otherwise, double jitter);

}  // namespace zeronorm

// The regulariser's side of a certificate with one output: its value at w, its conjugate at g = X'forces.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Its value at w; for Quadratic::kernel with the kernel's term, from the decision values less b. O(d).
double regulariser(const Problem& p, const Surrogate& s, const Vec& w, const Vec& f_less_b);

// The columns of the model on which anything below depends: those whose price leaves its interval, at g or at a
// share of it, and those with a weight. The others add nothing. O(d).
IndexList concerned(const Surrogate& s, const Vec& g, const Vec& w);

// max over w of  t g'w - regulariser,  where it is infinite priced at the reach of each coefficient.
double conjugate(const Surrogate& s, const Vec& g, const IndexList& which, const Vec& reach, double t);

// The factor that shrinks g until no cost is exceeded.
double shrink_factor(const Surrogate& s, const Vec& g, const IndexList& which);

// The reach of each of them whose price exceeds its cost. unit: the size of decision values. a: the multipliers
// of rows with slacks, else empty. O(n) for each.
Vec reaches(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which, const Vec& w,
            double primal, double unit, const Vec& a);

// The largest violation of what w and g ask of each other, relative to costs or, where there are none, to the
// lengths of the column and of the forces. O(d), O(n) for each column without cost.
double column_violation(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which,
                        const Vec& w, double force);

// The minimiser of  up u+ + down u- + u^2/2 - g u.
inline double soft(double g, double up, double down) { return g > up ? g - up : g < -down ? g + down : 0.0; }

}  // namespace zeronorm

// The part of a certificate that depends on the regulariser, for one output: its value at w and its conjugate at g =
// X'forces.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Returns its value at w; for Quadratic::kernel including the kernel term, from the decision values without b. O(d).
double regulariser(const Problem& p, const Surrogate& s, const Vec& w, const Vec& f_less_b);

// Returns the columns that matter below: those whose price is outside its interval, at g or at a multiple of it below
// one, and those with a weight. All others contribute nothing. O(d).
IndexList concerned(const Surrogate& s, const Vec& g, const Vec& w);

// Returns  max over w of  t g'w - regulariser ; infinite terms are replaced by the excess times the reach of the
// coefficient.
double conjugate(const Surrogate& s, const Vec& g, const IndexList& which, const Vec& reach, double t);

// Returns the factor by which g has to shrink so that no cost is exceeded.
double shrink_factor(const Surrogate& s, const Vec& g, const IndexList& which);

// Returns the reach of each column whose price exceeds its cost. unit: the size of decision values. a: the
// multipliers of losses with margins, otherwise empty. O(n) for each.
Vec reaches(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which, const Vec& w,
            double primal, double unit, const Vec& a);

// Returns the largest violation of the optimality conditions between w and g, relative to costs or, without costs, to
// the norms of the column and of the forces. O(d), plus O(n) for each column without cost.
double column_violation(const Problem& p, const Surrogate& s, const Vec& g, const IndexList& which,
                        const Vec& w, double force);

// Returns the minimiser of  up u+ + down u- + u^2/2 - g u.
inline double soft(double g, double up, double down) { return g > up ? g - up : g < -down ? g + down : 0.0; }

}  // namespace zeronorm

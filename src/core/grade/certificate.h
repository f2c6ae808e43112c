// Certifies a solution from the data alone.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Coefficients that the objective does not bound (unpenalised and nearly unpenalised columns, the intercept) are
// assumed to be at most this multiple of those found.
constexpr double kReach = 100;

// Returns the margin violations (m_i - y_i f_i)_+ at (w, b). O(n * nonzeros).
Vec slacks(const Problem& problem, const Vec& w, double b);

// Returns the midpoint of the interval of optimal intercepts for decision values f without b, or its finite end if
// hard margins bound one side only. margin is as in Problem. O(n log n).
double best_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss, const Vec& margin = Vec());
// Returns the unique optimal intercept of losses without margins; best_intercept() calls it.
double smooth_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss);

// Returns the size of decision values: one, or that of y for the squared loss. O(n).
double decision_unit(const Problem& problem);

// Returns the value to which a gap is relative if the optimum is near zero: a share of the loss without a classifier.
// For soft margins and smooth losses. O(n).
double gap_floor(const Problem& problem);

// Returns the gap of these values relative to the larger of them, but not relative to less than `floor`; infinite if
// either is infinite or NaN.
double relative_gap(double primal, double dual, double floor);

// For Weston-Watkins with f without intercepts, where the optimal intercepts are given by bounds on their
// differences: returns their centre, the mean over all classes of the largest and the smallest intercepts relative to
// that class, which sums to zero. A difference without a bound is limited to the largest bound. dual: optimal
// multipliers; b: optimal intercepts. O(nk + k^3).
Vec best_intercepts(const Problem& problem, const Mat& f, const Mat& dual, const Vec& b);

// Returns a bound on the weight of a column whose price exceeds its cost: no optimum spends more on it than the
// primal value. If its cost is almost zero, rounding errors of the price would make this bound useless. Then the
// column is assumed to change margins (decision values of size `unit`) by at most kReach on the rows of `column`, or to
// stay near the weights found. O(n).
double reach(const Vec& column, double found, double cost, double primal, double unit = 1);

// Returns whether the multipliers of an infeasible hard margin are a Farkas ray: a >= 0, y'a = 0 and X'(ya) = 0, each
// column relative to its own size, while m'a > 0. O(nd).
bool proves_inseparable(const Problem& problem, const Surrogate& surrogate, const Vec& a);
// Does the same for any outputs: jointly for Weston-Watkins, otherwise for any one output. O(ndk).
bool proves_inseparable(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// Computes primal and dual value, gap and largest KKT violation of a solution; every column is priced. O(nd).
Certificate certify(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// The certificates for several outputs, independent (their sum) or coupled, for losses without margins, and for
// coupled features; certify() calls them.
Certificate certify_separate(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_smooth(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_multiclass(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_groups(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// Certifies a network, whose training loss is not convex: gap and violation are the largest entry of its gradient at
// Solution::network per unit of the costs of the rows; infinite if w does not agree with the network. The dual value is
// the primal one. certify() calls it. O(n q (d + k)).
Certificate certify_network(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// Returns the part of |g_j| that the costs l1 of the features groups[j] do not cover, distributed optimally.
Vec uncovered(const std::vector<IndexList>& groups, const Vec& l1, const Vec& g);

}  // namespace zeronorm

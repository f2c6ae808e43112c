// Grades a solution from the data alone.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Coefficients that the objective itself does not bound (free and nearly free columns, the intercept) are
// taken to be no larger than this multiple of those found.
constexpr double kReach = 100;

// Slacks (m_i - y_i f_i)_+ at (w, b). O(n * nonzeros).
Vec slacks(const Problem& problem, const Vec& w, double b);

// The midpoint of the interval of optimal intercepts for decision values f - b (ties by rule), its finite end
// where hard margins bound one side only.  margin as in Problem. O(n log n).
double best_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss, const Vec& margin = Vec());
// The same for losses without slacks, which have one; best_intercept() calls it.
double smooth_intercept(const Vec& f, const Vec& y, const Vec& cost, Loss loss);

// The size of decision values: one, or that of y for the squared loss. O(n).
double decision_unit(const Problem& problem);

// What a gap is relative to where the optimum is near zero: a share of what no classifier costs.
// Soft margins and smooth losses. O(n).
double gap_floor(const Problem& problem);

// The gap of these values, relative to the larger of them and to no less than floor; infinite where either is
// infinite or no number at all.
double relative_gap(double primal, double dual, double floor);

// The same for Weston-Watkins, f without intercepts, where optimal intercepts are those that keep to bounds on
// their differences: their centre, the mean over all classes of the largest and the smallest intercepts
// relative to that class, which sums to zero.  A difference without a bound stays within the largest bound.
// dual: optimal multipliers, b: optimal intercepts. O(nk + k^3).
Vec best_intercepts(const Problem& problem, const Mat& f, const Mat& dual, const Vec& b);

// How large the weight of a column whose price exceeds its cost can be: no optimum pays more for it than
// the primal value.  Where it costs next to nothing, rounding of its price would swamp that bound: there
// it is trusted to move margins (decision values of the size of unit) by no more than kReach, as far as the rows
// of column go, or to stay near the weights found. O(n).
double reach(const Vec& column, double found, double cost, double primal, double unit = 1);

// Whether the multipliers of an infeasible hard margin are a Farkas ray: a >= 0, y'a = 0 and X'(ya) = 0, each
// column measured by its own size, while m'a > 0. O(nd).
bool proves_inseparable(const Problem& problem, const Surrogate& surrogate, const Vec& a);
// The same for any outputs: joint for Weston-Watkins, else of any output. O(ndk).
bool proves_inseparable(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// Primal and dual value, gap and largest KKT violation of solution for this problem and surrogate.
// O(nd): every column is priced.
Certificate certify(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// The same for several outputs, independent (the sum) or coupled, for losses without slacks, and for coupled
// features; certify() calls them.
Certificate certify_separate(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_smooth(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_multiclass(const Problem& problem, const Surrogate& surrogate, const Solution& solution);
Certificate certify_groups(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// Of a network, whose training loss is not convex: gap and violation are the largest entry of its gradient at
// Solution::network per unit of the costs of the rows, infinite where w is not what the network says of the
// features; the dual value is the primal one. certify() calls it. O(n q (d + k)).
Certificate certify_network(const Problem& problem, const Surrogate& surrogate, const Solution& solution);

// What the costs l1 of column j's features groups[j] leave uncovered of |g_j|, spread as well as can be.
Vec uncovered(const std::vector<IndexList>& groups, const Vec& l1, const Vec& g);

}  // namespace zeronorm

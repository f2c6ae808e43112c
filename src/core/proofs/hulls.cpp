#include "proofs/hulls.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "base/simd.h"
#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/svm_dual.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

// The relative spacing of doubles.
constexpr double kEpsilon = 2.2e-16;

// Margins of pairs that are closer to the least margin than this are not decided in doubles. Entries of columns of
// range one are exact to 6e-16, and a decision value of a pair adds two of them.
constexpr double kPairRounding = 1e-13;

// Size of the largest set that Wolfe's method decides.
constexpr Index kNearestColumns = 14;
// Size of the largest set that the double-double simplex method decides.
constexpr Index kSimplexColumns = 40;
// With more rows, a linear programme is faster than the n x n dual.
constexpr Index kDualRows = 2000;
// With fewer errors, branching is fast enough without a heuristic.
constexpr Index kMinErrorsForHeuristic = 3;

DoubleDoubleVec twofold(const Vec& v) {
  DoubleDoubleVec out(static_cast<std::size_t>(v.size()));
  for (Index i = 0; i < v.size(); ++i) out[static_cast<std::size_t>(i)] = DoubleDouble(v[i]);
  return out;
}

Vec rounded(const DoubleDoubleVec& v) {
  Vec out(static_cast<Index>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) out[static_cast<Index>(i)] = v[i].value();
  return out;
}

struct Cut {
  Index errors = 0;
  // The last one of the lower class that stays below the cut.
  std::size_t last = 0;
};

// Returns the fewest observations of two sorted classes to leave out so that all others of the upper class lie beyond
// all others of the lower one. O(the sizes).
template <class Beyond>
Cut best_cut(const IndexList& lower, const IndexList& upper, const Beyond& beyond) {
  Cut best;
  best.errors = static_cast<Index>(lower.size() + upper.size());
  std::size_t near = 0;
  for (std::size_t t = 0; t < lower.size(); ++t) {
    while (near < upper.size() && !beyond(lower[t], upper[near])) ++near;
    const Index errors = static_cast<Index>(lower.size() - 1 - t + near);
    if (errors < best.errors) best.errors = errors, best.last = t;
  }
  return best;
}

// Returns the observations that the cut leaves out.
template <class Beyond>
IndexList left_out(const IndexList& lower, const IndexList& upper, const Cut& cut, const Beyond& beyond) {
  IndexList out(lower.begin() + static_cast<std::ptrdiff_t>(cut.last) + 1, lower.end());
  for (Index q : upper)
    if (!beyond(lower[cut.last], q)) out.push_back(q);
  return out;
}

// Scales the entries of each class to sum one; returns false if a class has none.
bool normalise(Vec& a, const Vec& y) {
  double up = 0, down = 0;
  for (Index i = 0; i < a.size(); ++i) (y[i] > 0 ? up : down) += a[i];
  if (!(up > 0 && down > 0)) return false;
  for (Index i = 0; i < a.size(); ++i) a[i] /= y[i] > 0 ? up : down;
  return true;
}

}  // namespace

Hulls::Hulls(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven)
    : x_(x.rows(), x.cols()), y_(y.size()), order_(first(y.size())), forgiven_(forgiven), exact_(x, y) {
  std::stable_partition(order_.begin(), order_.end(), [&](Index i) { return y[i] > 0; });
  up_ = (y.array() > 0).count();
  for (Index i = 0; i < y.size(); ++i) y_[i] = y[order_[i]];
  Vec values(y.size());
  for (Index j = 0; j < x.cols(); ++j) {
    exact_.column(j, values.data());
    values.array() -= values.mean();
    for (Index i = 0; i < y.size(); ++i) x_(i, j) = values[order_[i]];
  }
}

IndexList Hulls::original(const IndexList& rows) const {
  IndexList out(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) out[k] = order_[rows[k]];
  return out;
}

// --- without errors ---

// Returns the verdict that the weights w or the conflict a prove in double-double arithmetic.
Hulls::Verdict Hulls::verified(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& w,
                               const DoubleDoubleVec& a) const {
  Verdict v;
  const IndexList at = original(rows);
  if (!w.empty()) {
    const DoubleDouble margin = exact_.above(set, at, w);
    if (margin > DoubleDouble(kLeastMargin)) {
      const Vec plain = rounded(w);
      v.answer = Answer::yes;
      v.w = w;
      v.margin = margin.value() * plain.lpNorm<Eigen::Infinity>() / plain.norm();
      return v;
    }
  }
  if (a.empty()) return v;
  const DoubleDouble norm = exact_.below(set, at, a);
  if (!(norm <= DoubleDouble(kLeastMargin))) return v;
  v.answer = Answer::no;
  v.a = rounded(a);
  Vec ys(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) ys[static_cast<Index>(k)] = y_[rows[k]];
  normalise(v.a, ys);
  v.norm = norm.value();
  return v;
}

Hulls::Verdict Hulls::verified(const IndexList& set, const IndexList& rows, const Vec& w,
                               const Vec& a) const {
  return verified(set, rows, twofold(w), twofold(a));
}

// Wolfe's point of least norm among the differences of the classes: either it separates, or it is almost zero and its
// weights are a conflict. Unclear if rounding prevents both, and for larger sets. O(n |S| + |S|^3) per step, and
// about |S| + 4 steps.
Hulls::Verdict Hulls::nearest(const IndexList& set, const IndexList& rows, const Care& care) const {
  // Largest number of corners and columns of the matrices below.
  constexpr Index most = kNearestColumns + 2;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
  const Index k = static_cast<Index>(set.size()), n = static_cast<Index>(rows.size());
  if (k > kNearestColumns) return {};
  const bool all = n == y_.size();
  Index ups = up_;
  if (!all) ups = std::lower_bound(rows.begin(), rows.end(), up_) - rows.begin();
  std::vector<double> f(n);
  std::vector<std::pair<Index, Index>> corner;  // Observations, as places in rows.
  Small v(k, 0);
  Few weight(0), w = Few::Zero(k);
  auto value = [&](Index i, Index j) { return x_(all ? i : rows[i], set[j]); };
  auto join = [&](Index p, Index q) {
    corner.emplace_back(p, q);
    v.conservativeResize(k, v.cols() + 1);
    for (Index j = 0; j < k; ++j) v(j, v.cols() - 1) = value(p, j) - value(q, j);
  };
  auto conflict = [&]() {
    Vec a = Vec::Zero(n);
    for (std::size_t c = 0; c < corner.size(); ++c)
      a[corner[c].first] += weight[c], a[corner[c].second] += weight[c];
    return a;
  };
  // Verifies the present point when no step leads on.
  auto stalled = [&]() {
    return verified(set, rows, Vec(w), w.lpNorm<1>() > 2 * kLeastMargin ? Vec() : conflict());
  };
  // The rounding error of a sum of k products of entries that are exact to 6e-16, doubled.
  const double rounding = 4 * static_cast<double>(k + 8) * kEpsilon;
  join(0, ups);
  weight = Few::Ones(1);
  w = v.col(0);
  for (int step = 0; step < 60; ++step) {
    const double total = w.lpNorm<1>();
    if (total <= kVanishing) {
      if (care.precise) return stalled();
      Verdict verdict;
      verdict.answer = Answer::no;
      verdict.a = conflict();
      verdict.norm = total + static_cast<double>(k) * 64 * kEpsilon;
      return verdict;
    }
    std::fill(f.begin(), f.end(), 0.0);
    for (Index j = 0; j < k; ++j) {
      if (all)
        simd::axpy(w[j], x_.col(set[j]).data(), f.data(), n);
      else
        for (Index i = 0; i < n; ++i) f[i] += w[j] * value(i, j);
    }
    const Index p = std::min_element(f.begin(), f.begin() + ups) - f.begin();
    const Index q = std::max_element(f.begin() + ups, f.end()) - f.begin();
    const double gap = f[p] - f[q], square = w.squaredNorm();
    const bool done = gap >= square * (1 - 1e-9);
    if (gap > kLeastMargin * w.lpNorm<Eigen::Infinity>() && (!care.widest || done)) {
      if (care.precise || gap - rounding * total <= kLeastMargin * w.lpNorm<Eigen::Infinity>())
        return stalled();
      Verdict verdict;
      verdict.answer = Answer::yes;
      verdict.w = twofold(w);
      verdict.margin = gap / std::sqrt(square);
      return verdict;
    }
    if (done || std::find(corner.begin(), corner.end(), std::make_pair(p, q)) != corner.end())
      return stalled();
    join(p, q);
    weight.conservativeResize(weight.size() + 1);
    weight[weight.size() - 1] = 0;
    // Moves to the point of least norm of the affine hull, or to the face on the way, whose corners stay.
    while (true) {
      const Index c = v.cols();
      const Small g = v.transpose() * v + Small::Ones(c, c);
      const Eigen::LDLT<Small> factor(g);
      Few to = factor.solve(Few::Ones(c));
      const double sum = to.sum();
      if (!(factor.vectorD().minCoeff() > 1e-14 * factor.vectorD().maxCoeff()) || !(sum > 0))
        return stalled();
      to /= sum;
      double t = 1;
      for (Index i = 0; i < c; ++i)
        if (to[i] < 0) t = std::min(t, weight[i] / (weight[i] - to[i]));
      weight += t * (to - weight);
      if (t == 1) break;
      Index kept = 0;
      for (Index i = 0; i < c; ++i) {
        if (weight[i] <= 1e-14) continue;
        weight[kept] = weight[i];
        corner[kept] = corner[i];
        v.col(kept) = v.col(i);
        ++kept;
      }
      weight.conservativeResize(kept);
      weight /= weight.sum();
      corner.resize(kept);
      v.conservativeResize(k, kept);
    }
    w = v * weight;
  }
  return stalled();
}

// Decides by the dual of the hard margin, whose ray is a conflict. O(n^2 |S|) plus its steps.
Hulls::Verdict Hulls::by_dual(const IndexList& set, const IndexList& rows, const Limits& limits) const {
  const Index n = static_cast<Index>(rows.size()), k = static_cast<Index>(set.size());
  Mat xs(n, k);
  Vec ys(n);
  for (Index i = 0; i < n; ++i) {
    ys[i] = y_[rows[i]];
    for (Index j = 0; j < k; ++j) xs(i, j) = x_(rows[i], set[j]);
  }
  BoxQp qp;
  qp.setup(ys, Vec::Ones(n), Vec::Constant(n, kInf), Loss::hinge);
  const BoxQp::Outcome outcome = qp.solve(xs * xs.transpose(), Mat::Ones(n, 1), limits);
  if (outcome == BoxQp::Outcome::optimal) return verified(set, rows, Vec(xs.transpose() * qp.beta), Vec());
  if (outcome != BoxQp::Outcome::ray) return {};
  for (int round = 0; round < 2; ++round) qp.refine_ray(xs * (xs.transpose() * qp.ray));
  Vec ray = qp.ray;
  if (ray.dot(ys) < 0) ray = -ray;
  const double largest = ray.lpNorm<Eigen::Infinity>();
  Vec a = ray.cwiseProduct(ys);
  a = (a.array() > kSign * largest).select(a, 0.0);
  return verified(set, rows, Vec(), a);
}

// Decides by the least sum of hinge losses, whose multipliers are a conflict if it is not zero.
Hulls::Verdict Hulls::by_programme(const IndexList& set, const IndexList& rows, const Limits& limits) const {
  const Solution s = least_hinge(set, rows, limits);
  if (s.status != Status::optimal) return {};
  const Vec a = s.dual.col(0);
  return verified(set, rows, Vec(s.w.col(0)), Vec((a.array() > kSign).select(a, 0.0)));
}

// Decides by the relative margin itself.
Hulls::Verdict Hulls::by_simplex(const IndexList& set, const IndexList& rows, const Limits& limits) const {
  DoubleDoubleVec w, a;
  if (!exact_.solve(set, original(rows), Vec(), limits, w, a)) return {};
  return verified(set, rows, w, a);
}

Hulls::Verdict Hulls::without_errors(const IndexList& set, const IndexList& rows, const Limits& limits,
                                     const Care& care) const {
  const Index n = static_cast<Index>(rows.size()), k = static_cast<Index>(set.size());
  const Index ups = std::count_if(rows.begin(), rows.end(), [&](Index i) { return i < up_; });
  Verdict v;
  if (ups == 0 || ups == n) {  // Only one class has observations.
    v.answer = Answer::yes;
    v.margin = 1;
    v.w = DoubleDoubleVec(set.size());
    return v;
  }
  v = nearest(set, rows, care);
  if (v.answer == Answer::unclear && k <= kNearestColumns) v = by_simplex(set, rows, limits);
  if (v.answer == Answer::unclear && n <= kDualRows) v = by_dual(set, rows, limits);
  if (v.answer == Answer::unclear) v = by_programme(set, rows, limits);
  if (v.answer == Answer::unclear && k > kNearestColumns && k <= kSimplexColumns)
    v = by_simplex(set, rows, limits);
  return v;
}

// --- pairs ---

// Returns whether the margin of sign * fixed + s * moving, a concave function of s, exceeds the least margin for some
// s in [-1, 1]. Cutting planes; a few of O(n) each.
Answer Hulls::widest(const double* fixed, double sign, const double* moving) const {
  struct Line {
    double s, value, slope;
  };
  const Index n = y_.size();
  auto at = [&](double s) {
    double low = kInf, high = -kInf;
    Index p = 0, q = 0;
    for (Index i = 0; i < up_; ++i) {
      const double f = sign * fixed[i] + s * moving[i];
      if (f < low) low = f, p = i;
    }
    for (Index i = up_; i < n; ++i) {
      const double f = sign * fixed[i] + s * moving[i];
      if (f > high) high = f, q = i;
    }
    return Line{s, low - high, moving[p] - moving[q]};
  };
  auto below = [](double bound) {
    return bound <= kLeastMargin - kPairRounding ? Answer::no : Answer::unclear;
  };
  Line left = at(-1), right = at(1);
  for (int step = 0; step < 200; ++step) {
    const double best = std::max(left.value, right.value);
    if (best > kLeastMargin + kPairRounding) return Answer::yes;
    if (left.slope <= 0) return below(left.value);
    if (right.slope >= 0) return below(right.value);
    const double s =
        (right.value - left.value + left.slope * left.s - right.slope * right.s) / (left.slope - right.slope);
    const double bound = left.value + left.slope * (s - left.s);
    if (below(bound) == Answer::no) return Answer::no;
    if (!(s > left.s && s < right.s)) return Answer::unclear;
    const Line middle = at(s);
    if (middle.slope > 0)
      left = middle;
    else
      right = middle;
    if (middle.value >= bound - 1e-16 && middle.value <= kLeastMargin + kPairRounding) return below(bound);
  }
  return Answer::unclear;
}

Answer Hulls::pair(Index i, Index j) const {
  const double *u = x_.col(i).data(), *v = x_.col(j).data();
  Answer answer = Answer::no;
  for (int side = 0; side < 4; ++side) {
    const double sign = side % 2 ? -1 : 1;
    const Answer here = side < 2 ? widest(u, sign, v) : widest(v, sign, u);
    if (here == Answer::yes) return here;
    if (here == Answer::unclear) answer = here;
  }
  return answer;
}

// --- with errors ---

// Returns the fewest observations to leave out so that feature j alone separates the others. O(n log n).
Hulls::Threshold Hulls::threshold(Index j) const {
  IndexList up(order_.begin(), order_.begin() + up_), down(order_.begin() + up_, order_.end());
  auto smaller = [&](Index p, Index q) { return exact_.smaller(p, q, j); };
  std::sort(up.begin(), up.end(), smaller);
  std::sort(down.begin(), down.end(), smaller);
  auto above = [&](Index p, Index q) { return exact_.beyond(p, q, j); };
  auto below = [&](Index p, Index q) { return exact_.beyond(q, p, j); };
  const Cut rising = best_cut(down, up, above);
  Threshold best;
  best.errors = rising.errors;
  best.rows = left_out(down, up, rising, above);
  std::reverse(up.begin(), up.end());
  std::reverse(down.begin(), down.end());
  const Cut falling = best_cut(down, up, below);
  if (falling.errors < best.errors) {
    best.errors = falling.errors;
    best.rows = left_out(down, up, falling, below);
    best.sign = -1;
  }
  return best;
}

// Returns whether there are more disjoint conflicts than allowed errors.
bool Hulls::packed(const IndexList& set, IndexList rows, Verdict v, Index errors, const Limits& limits,
                   const Care& care) const {
  for (Index found = 1; found <= errors; ++found) {
    IndexList left;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!(v.a[static_cast<Index>(k)] > 0)) left.push_back(rows[k]);
    rows.swap(left);
    v = without_errors(set, rows, limits, care);
    if (v.answer != Answer::no) return false;
  }
  return true;
}

// A heuristic: the observations with the largest losses in the minimum of hinge losses are left out one by one, until
// a threshold on the decision values has few enough on the wrong side. O(errors) linear programmes.
bool Hulls::dropping_the_worst(const IndexList& set, const IndexList& rows, Index errors,
                               const Limits& limits, const Care& care, Decision& decision) const {
  IndexList left = rows;
  for (Index dropped = 0; dropped <= errors && !limits.stop_now(); ++dropped) {
    const Solution s = least_hinge(set, left, limits);
    if (s.status != Status::optimal) return false;
    Vec f = Vec::Zero(y_.size());
    IndexList up, down;
    Index worst = left[0];
    for (Index i : left) {
      for (std::size_t j = 0; j < set.size(); ++j) f[i] += x_(i, set[j]) * s.w(static_cast<Index>(j), 0);
      (i < up_ ? up : down).push_back(i);
      if (y_[i] * (f[i] + s.b[0]) < y_[worst] * (f[worst] + s.b[0])) worst = i;
    }
    auto smaller = [&](Index p, Index q) { return f[p] < f[q]; };
    std::sort(up.begin(), up.end(), smaller);
    std::sort(down.begin(), down.end(), smaller);
    const Cut cut = best_cut(down, up, smaller);
    if (cut.errors + dropped <= errors) {
      const IndexList wrong = left_out(down, up, cut, smaller);
      IndexList rest;
      for (Index i : left)
        if (std::find(wrong.begin(), wrong.end(), i) == wrong.end()) rest.push_back(i);
      const Verdict v = without_errors(set, rest, limits, care);
      if (v.answer == Answer::yes) {
        decision = yes(v, rest);
        return true;
      }
    }
    left.erase(std::find(left.begin(), left.end(), worst));
  }
  return false;
}

// Returns a positive decision in which the observations outside rows are errors.
Decision Hulls::yes(const Verdict& v, const IndexList& rows) const {
  Decision decision;
  decision.answer = Answer::yes;
  decision.w = v.w;
  decision.margin = v.margin;
  std::vector<char> right(static_cast<std::size_t>(y_.size()), 0);
  for (Index i : rows) right[static_cast<std::size_t>(i)] = 1;
  for (Index i = 0; i < y_.size(); ++i)
    if (!right[static_cast<std::size_t>(i)]) decision.errors.push_back(order_[i]);
  return decision;
}

// One of the observations of a conflict has to be an error, so there is a branch for each, in order of decreasing
// multipliers, up to a depth of the allowed errors.
Decision Hulls::within_errors(const IndexList& set, const IndexList& rows, Index errors, const Limits& limits,
                              const Care& care, long& nodes) const {
  Decision decision;
  const Verdict v = without_errors(set, rows, limits, care);
  ++nodes;
  if (v.answer == Answer::yes) return yes(v, rows);
  decision.answer = v.answer;
  if (v.answer != Answer::no || errors == 0) return decision;
  if (packed(set, rows, v, errors, limits, care)) return decision;
  if (nodes == 1 && errors >= kMinErrorsForHeuristic &&
      dropping_the_worst(set, rows, errors, limits, care, decision))
    return decision;
  IndexList branches;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (v.a[static_cast<Index>(k)] > 0) branches.push_back(static_cast<Index>(k));
  std::sort(branches.begin(), branches.end(), [&](Index a, Index b) { return v.a[a] > v.a[b]; });
  for (Index k : branches) {
    if (limits.stop_now() || (care.nodes > 0 && nodes >= care.nodes)) {
      decision.answer = Answer::unclear;
      return decision;
    }
    IndexList left = rows;
    left.erase(left.begin() + k);
    const Decision here = within_errors(set, left, errors - 1, limits, care, nodes);
    if (here.answer == Answer::yes) return here;
    if (here.answer == Answer::unclear) decision.answer = here.answer;
  }
  return decision;
}

// --- a budget of hinge losses ---

// Minimises the sum of hinge losses over all w of these columns.
Solution Hulls::least_hinge(const IndexList& set, const IndexList& rows, const Limits& limits) const {
  const Index n = static_cast<Index>(rows.size()), k = static_cast<Index>(set.size());
  Mat xs(n, k);
  Problem problem;
  problem.y = Mat(n, 1);
  for (Index i = 0; i < n; ++i) {
    problem.y(i, 0) = y_[rows[i]];
    for (Index j = 0; j < k; ++j) xs(i, j) = x_(rows[i], set[j]);
  }
  problem.x = dense_design(xs.data(), n, k, Vec::Zero(k), Vec::Ones(k));
  problem.cost = Vec::Ones(n);
  Surrogate free;
  free.l1 = Vec::Zero(k);
  free.scale = Vec::Constant(k, kInf);
  const auto engine = make_engine("auto");
  engine->setup(problem);
  return engine->solve(free, limits);
}

// Returns multipliers of all rows of x. Those strictly within their bounds are changed so that the columns of the set
// balance to the last digits. O(n |S|^2).
DoubleDoubleVec Hulls::balanced(const IndexList& set, const Vec& a) const {
  DoubleDoubleVec by_row(order_.size());
  IndexList free;
  for (Index i = 0; i < a.size(); ++i) {
    by_row[static_cast<std::size_t>(order_[i])] = DoubleDouble(a[i]);
    if (a[i] > 1e-9 && a[i] < 1 - 1e-9) free.push_back(i);
  }
  const Index k = static_cast<Index>(set.size()), m = static_cast<Index>(free.size());
  if (m == 0) return by_row;
  Mat rows(k + 1, m);
  for (Index c = 0; c < m; ++c) {
    for (Index j = 0; j < k; ++j) rows(j, c) = y_[free[c]] * x_(free[c], set[j]);
    rows(k, c) = y_[free[c]];
  }
  // The sums of the centred columns follow from those of the columns as they are.
  Vec rest(k + 1);
  DoubleDouble balance;
  for (Index i = 0; i < a.size(); ++i) balance = balance + DoubleDouble(y_[i]) * DoubleDouble(a[i]);
  const DoubleDoubleVec sums = exact_.sums(set, by_row);
  for (Index j = 0; j < k; ++j) {
    const DoubleDouble mean = exact_.value(order_[0], set[j]) - DoubleDouble(x_(0, set[j]));
    rest[j] = (sums[static_cast<std::size_t>(j)] - mean * balance).value();
  }
  rest[k] = balance.value();
  const Vec step = Eigen::CompleteOrthogonalDecomposition<Mat>(rows).solve(-rest);
  for (Index c = 0; c < m; ++c) {
    DoubleDouble& entry = by_row[static_cast<std::size_t>(order_[free[c]])];
    entry = entry + DoubleDouble(step[c]);
  }
  return by_row;
}

Decision Hulls::within_hinge(const IndexList& set, const Limits& limits, const Care& care) const {
  Decision decision;
  const IndexList all = first(y_.size());
  if (2 * static_cast<double>(std::min(up_, y_.size() - up_)) <= forgiven_.budget()) {
    decision.answer = Answer::yes;
    decision.w = DoubleDoubleVec(set.size());
    decision.b = DoubleDouble(2 * up_ > y_.size() ? 1 : -1);
    return decision;
  }
  if (set.empty()) {
    decision.answer = Answer::no;
    return decision;
  }
  const Verdict v = without_errors(set, all, limits, care);
  if (v.answer == Answer::yes) return yes(v, all);
  const Solution s = least_hinge(set, all, limits);
  if (s.status != Status::optimal) return decision;
  const DoubleDoubleVec w = twofold(s.w.col(0));
  DoubleDouble b(s.b[0]);
  for (std::size_t j = 0; j < set.size(); ++j)
    b = b - w[j] * (exact_.value(order_[0], set[j]) - DoubleDouble(x_(0, set[j])));
  if (exact_.hinge_at(set, w, b) <= DoubleDouble(forgiven_.budget())) {
    decision.answer = Answer::yes;
    decision.w = w;
    decision.b = b;
    return decision;
  }
  const DoubleDouble bound =
      exact_.hinge_bound(set, balanced(set, s.dual.col(0).cwiseMax(0.0).cwiseMin(1.0)));
  if (bound > DoubleDouble(forgiven_.budget())) decision.answer = Answer::no;
  return decision;
}

// --- any set ---

Answer Hulls::apart(const IndexList& set, const Limits& limits, const Care& care) const {
  if (set.size() == 2 && forgiven_.errors == 0 && !(forgiven_.hinge > 0) && !care.precise) {
    const Answer answer = pair(set[0], set[1]);
    if (answer != Answer::unclear) return answer;
  }
  return decide(set, limits, care).answer;
}

Decision Hulls::decide(const IndexList& set, const Limits& limits, const Care& care) const {
  if (forgiven_.hinge > 0) return within_hinge(set, limits, care);
  Decision decision;
  if (set.empty()) {  // The answer holds as long as both classes keep an observation.
    decision.answer = forgiven_.errors < std::min(up_, y_.size() - up_) ? Answer::no : Answer::unclear;
    return decision;
  }
  if (set.size() > 1) {
    long nodes = 0;
    return within_errors(set, first(y_.size()), forgiven_.errors, limits, care, nodes);
  }
  const Threshold best = threshold(set[0]);
  decision.answer = best.errors <= forgiven_.errors ? Answer::yes : Answer::no;
  if (decision.answer == Answer::no) return decision;
  decision.errors = best.rows;
  decision.w = {DoubleDouble(best.sign)};
  IndexList rest;
  for (Index i = 0; i < y_.size(); ++i)
    if (std::find(best.rows.begin(), best.rows.end(), i) == best.rows.end()) rest.push_back(i);
  decision.margin = exact_.above(set, rest, decision.w).value();
  return decision;
}

// Returns whether the evidence of a positive decision proves it by itself.
bool proves(const RelativeMargin& exact, const Forgiven& forgiven, Index rows, const IndexList& set,
            const Decision& decision) {
  if (decision.w.size() != set.size()) return false;
  if (forgiven.hinge > 0 && exact.hinge_at(set, decision.w, decision.b) <= DoubleDouble(forgiven.budget()))
    return true;
  IndexList errors = decision.errors;
  std::sort(errors.begin(), errors.end());
  errors.erase(std::unique(errors.begin(), errors.end()), errors.end());
  if (static_cast<Index>(errors.size()) > forgiven.errors) return false;
  IndexList rest;
  for (Index i = 0; i < rows; ++i)
    if (!std::binary_search(errors.begin(), errors.end(), i)) rest.push_back(i);
  return exact.above(set, rest, decision.w) > DoubleDouble(kLeastMargin);
}

}  // namespace zeronorm

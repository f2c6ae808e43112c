#include "hulls.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "certificate.h"
#include "design.h"
#include "engines/box_qp.h"
#include "engines/engine.h"
#include "indices.h"
#include "simd.h"

namespace zeronorm {
namespace {

constexpr double kMargin = 1e-9;  // relative margins below are none

}  // namespace

Hulls::Hulls(const Mat& x, const Vec& y, const Forgiven& forgiven)
    : x_(x.rows(), x.cols()), y_(y.size()), forgiven_(forgiven) {
  IndexList order = first(y.size());
  std::stable_partition(order.begin(), order.end(), [&](Index i) { return y[i] > 0; });
  up_ = (y.array() > 0).count();
  for (Index i = 0; i < y.size(); ++i) y_[i] = y[order[i]];
  for (Index j = 0; j < x.cols(); ++j) {
    const double low = x.col(j).minCoeff(), range = x.col(j).maxCoeff() - low;
    // A range that is rounding of the values is none.
    const bool constant = !(range > 1e-13 * x.col(j).cwiseAbs().maxCoeff());
    for (Index i = 0; i < y.size(); ++i) x_(i, j) = constant ? 0 : (x(order[i], j) - low) / range;
    x_.col(j).array() -= x_.col(j).mean();
  }
}

// Wolfe's point of least norm among the differences of the classes: either it separates, or it is zero and its
// weights are a conflict.  O(n |S| + |S|^3) a step, about |S| + 4 of them; unclear where rounding keeps it from
// either, and in spaces too large for it.
Hulls::Machine Hulls::nearest(const IndexList& set, const IndexList& rows, bool widest) const {
  constexpr Index most = 16;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1>;
  const Index k = static_cast<Index>(set.size()), n = static_cast<Index>(rows.size());
  Machine m;
  if (k + 1 >= most) return m;
  const bool all = n == y_.size();
  Index ups = up_;
  if (!all) ups = std::lower_bound(rows.begin(), rows.end(), up_) - rows.begin();
  if (ups == 0 || ups == n) return m;
  std::vector<double> f(n);
  std::vector<std::pair<Index, Index>> corner;  // observations, as places in rows
  Small v(k, 0);
  Few weight(0), w = Few::Zero(k);
  auto value = [&](Index i, Index j) { return x_(all ? i : rows[i], set[j]); };
  auto join = [&](Index p, Index q) {
    corner.emplace_back(p, q);
    v.conservativeResize(k, v.cols() + 1);
    for (Index j = 0; j < k; ++j) v(j, v.cols() - 1) = value(p, j) - value(q, j);
  };
  join(0, ups);
  weight = Few::Ones(1);
  w = v.col(0);
  for (int step = 0; step < 60; ++step) {
    if (w.cwiseAbs().sum() <= kMargin / 2) {
      m.answer = Answer::no;
      m.a = Vec::Zero(n);
      for (std::size_t c = 0; c < corner.size(); ++c)
        m.a[corner[c].first] += weight[c], m.a[corner[c].second] += weight[c];
      m.a /= 2;
      return m;
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
    if (gap > kMargin * w.cwiseAbs().maxCoeff() && (!widest || done)) {
      m.answer = Answer::yes;
      m.w = w;
      m.margin = gap / std::sqrt(square);
      return m;
    }
    if (done || std::find(corner.begin(), corner.end(), std::make_pair(p, q)) != corner.end()) return m;
    join(p, q);
    weight.conservativeResize(weight.size() + 1);
    weight[weight.size() - 1] = 0;
    // To the point of least norm of their affine hull, or to the face on the way, whose corners stay.
    while (true) {
      const Index c = v.cols();
      const Small g = v.transpose() * v + Small::Ones(c, c);
      const Eigen::LDLT<Small> factor(g);
      Few to = factor.solve(Few::Ones(c));
      const double sum = to.sum();
      if (!(factor.vectorD().minCoeff() > 1e-14 * factor.vectorD().maxCoeff()) || !(sum > 0)) return m;
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
  return m;
}

// The same where that fails: by the dual of the machine, whose ray is a conflict. O(n^2 |S|) and its steps.
Hulls::Machine Hulls::machine(const IndexList& set, const IndexList& rows, const Limits& limits,
                              bool widest) const {
  const Machine first = nearest(set, rows, widest);
  if (first.answer != Answer::unclear) return first;
  const Index n = static_cast<Index>(rows.size()), k = static_cast<Index>(set.size());
  Mat xs(n, k);
  Vec ys(n);
  for (Index i = 0; i < n; ++i) {
    ys[i] = y_[rows[i]];
    for (Index j = 0; j < k; ++j) xs(i, j) = x_(rows[i], set[j]);
  }
  Machine m;
  const Index ups = (ys.array() > 0).count();
  if (ups == 0 || ups == n) {  // one class alone
    m.answer = Answer::yes;
    m.margin = 1;
    m.w = Vec::Zero(k);
    return m;
  }
  BoxQp qp;
  qp.setup(ys, Vec::Ones(n), Vec::Constant(n, kInf), Loss::hinge);
  const BoxQp::Outcome outcome = qp.solve(xs * xs.transpose(), Mat::Ones(n, 1), limits);
  if (outcome == BoxQp::Outcome::ray) {
    for (int round = 0; round < 2; ++round) qp.refine_ray(xs * (xs.transpose() * qp.ray));
    Vec v = qp.ray;
    if (v.dot(ys) < 0) v = -v;
    m.a = v.cwiseProduct(ys).cwiseMax(0.0);
    const double sum = m.a.sum();
    if (!(sum > 0)) return m;
    m.a /= sum;
    const Vec g = xs.transpose() * m.a.cwiseProduct(ys);
    const double loss = g.cwiseAbs().sum() + (k + 1) * std::abs(m.a.dot(ys));
    m.answer = loss <= kMargin ? Answer::no : Answer::unclear;
  } else if (outcome == BoxQp::Outcome::optimal) {
    m.w = xs.transpose() * qp.beta;
    const Vec f = ys.cwiseProduct((xs * m.w).array().matrix() + Vec::Constant(n, qp.theta[0]));
    const double size = m.w.cwiseAbs().maxCoeff();
    if (f.minCoeff() > kMargin * size && size > 0) {
      m.answer = Answer::yes;
      m.margin = f.minCoeff() / m.w.norm();
    }
  }
  return m;
}

// max over s in [-1, 1] of the margin of sign * fixed + s * moving, a concave function, or any value above or
// below kMargin that says as much.  Cutting planes; O(n) each, and few.
double Hulls::widest(const double* fixed, double sign, const double* moving) const {
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
  Line left = at(-1), right = at(1);
  for (int step = 0; step < 200; ++step) {
    const double best = std::max(left.value, right.value);
    if (best > kMargin) return best;
    if (left.slope <= 0) return left.value;
    if (right.slope >= 0) return right.value;
    const double s =
        (right.value - left.value + left.slope * left.s - right.slope * right.s) / (left.slope - right.slope);
    const double bound = left.value + left.slope * (s - left.s);
    if (bound <= kMargin || !(s > left.s && s < right.s)) return best;
    const Line middle = at(s);
    if (middle.slope > 0)
      left = middle;
    else
      right = middle;
    if (middle.value >= bound - 1e-16) return middle.value;
  }
  return std::max(left.value, right.value);
}

bool Hulls::pair_fits(Index i, Index j) const {
  const double *u = x_.col(i).data(), *v = x_.col(j).data();
  return widest(u, 1, v) > kMargin || widest(u, -1, v) > kMargin || widest(v, 1, u) > kMargin ||
         widest(v, -1, u) > kMargin;
}

// The fewest observations on the wrong side of a threshold on feature j. O(n log n).
Index Hulls::threshold_errors(Index j) const {
  const Index n = y_.size();
  IndexList order = first(n);
  const double* v = x_.col(j).data();
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return v[a] < v[b]; });
  // Below the threshold class -1, and the other way round.
  Index least = std::min(up_, n - up_), ups = 0;
  for (Index k = 1; k <= n; ++k) {
    ups += order[k - 1] < up_;
    if (k < n && v[order[k]] - v[order[k - 1]] <= kMargin) continue;
    const Index wrong = ups + (n - up_) - (k - ups);
    least = std::min({least, wrong, n - wrong});
  }
  return least;
}

// More conflicts than errors are forgiven, none with an observation of another.
bool Hulls::packed(const IndexList& set, IndexList rows, Machine m, Index errors,
                   const Limits& limits) const {
  for (Index found = 1; found <= errors; ++found) {
    IndexList left;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!(m.a[k] > kSign)) left.push_back(rows[k]);
    rows.swap(left);
    m = machine(set, rows, limits);
    if (m.answer != Answer::no) return false;
  }
  return true;
}

// Of the observations of a conflict one must be in error: so many branches, as deep as errors are forgiven.
Hulls::Answer Hulls::within_errors(const IndexList& set, const IndexList& rows, Index errors,
                                   const Limits& limits, double* margin) const {
  const Machine m = machine(set, rows, limits, margin != nullptr);
  if (m.answer == Answer::yes && margin) *margin = m.margin;
  if (m.answer != Answer::no || errors == 0) return m.answer;
  if (packed(set, rows, m, errors, limits)) return Answer::no;
  Answer answer = Answer::no;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!(m.a[k] > kSign)) continue;
    if (limits.stop_now()) return Answer::unclear;
    IndexList left = rows;
    left.erase(left.begin() + k);
    const Answer here = within_errors(set, left, errors - 1, limits, margin);
    if (here == Answer::yes) return here;
    if (here == Answer::unclear) answer = here;
  }
  return answer;
}

// min sum of hinge losses over all w of these columns, or NaN where it is not proven.
double Hulls::least_hinge(const IndexList& set, const Limits& limits) const {
  const Index n = y_.size(), k = static_cast<Index>(set.size());
  Mat xs(n, k);
  for (Index j = 0; j < k; ++j) xs.col(j) = x_.col(set[j]);
  Problem problem;
  problem.x = dense_design(xs.data(), n, k, Vec::Zero(k), Vec::Ones(k));
  problem.y = y_;
  problem.cost = Vec::Ones(n);
  Surrogate free;
  free.l1 = Vec::Zero(k);
  free.scale = Vec::Constant(k, kInf);
  const auto engine = make_engine("auto");
  engine->setup(problem);
  Solution s = engine->solve(free, limits);
  s.certificate = certify(problem, free, s);
  if (s.status != Status::optimal || !s.certificate.holds(1e-7)) return std::nan("");
  return s.certificate.primal;
}

Hulls::Answer Hulls::within_hinge(const IndexList& set, const Limits& limits) const {
  const Machine m = machine(set, first(y_.size()), limits);
  if (m.answer != Answer::no) return m.answer;
  const double least = least_hinge(set, limits);
  if (std::isnan(least)) return Answer::unclear;
  return least <= forgiven_.hinge * (1 + kMargin) ? Answer::yes : Answer::no;
}

Hulls::Answer Hulls::apart(const IndexList& set, const Limits& limits) const {
  if (forgiven_.hinge > 0) return within_hinge(set, limits);
  if (set.size() == 1) return threshold_errors(set[0]) <= forgiven_.errors ? Answer::yes : Answer::no;
  if (set.size() == 2 && forgiven_.errors == 0) return pair_fits(set[0], set[1]) ? Answer::yes : Answer::no;
  return within_errors(set, first(y_.size()), forgiven_.errors, limits);
}

double Hulls::margin(const IndexList& set, const Limits& limits) const {
  double margin = 0;
  within_errors(set, first(y_.size()), forgiven_.errors, limits, &margin);
  return margin;
}

}  // namespace zeronorm

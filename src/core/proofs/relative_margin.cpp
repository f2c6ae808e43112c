#include "proofs/relative_margin.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

// Multipliers, slopes along a direction of size one, and slack variables that are smaller count as zero. Their
// rounding error is about 1e-31 times the condition of a basis, which is 1e10 if the least margin decides; its effect
// on a margin is far below the least one.
constexpr double kRoundingTol = 1e-18;

// An LU factorisation with partial pivoting. O(k^3).
class Factor {
 public:
  explicit Factor(std::vector<DoubleDoubleVec> rows) : lu_(std::move(rows)), order_(lu_.size()) {
    const std::size_t k = lu_.size();
    for (std::size_t i = 0; i < k; ++i) order_[i] = i;
    for (std::size_t c = 0; c < k && regular_; ++c) {
      std::size_t best = c;
      for (std::size_t i = c + 1; i < k; ++i)
        if (std::abs(lu_[i][c].high) > std::abs(lu_[best][c].high)) best = i;
      std::swap(lu_[c], lu_[best]);
      std::swap(order_[c], order_[best]);
      regular_ = std::abs(lu_[c][c].high) > kRoundingTol;
      for (std::size_t i = c + 1; i < k && regular_; ++i) {
        if (lu_[i][c].high == 0) continue;
        const DoubleDouble share = lu_[i][c] / lu_[c][c];
        lu_[i][c] = share;
        for (std::size_t j = c + 1; j < k; ++j) lu_[i][j] = lu_[i][j] - share * lu_[c][j];
      }
    }
  }

  bool regular() const { return regular_; }

  // Solves A v = r. O(k^2).
  DoubleDoubleVec solve(const DoubleDoubleVec& r) const {
    const std::size_t k = lu_.size();
    DoubleDoubleVec v(k);
    for (std::size_t i = 0; i < k; ++i) {
      v[i] = r[order_[i]];
      for (std::size_t j = 0; j < i; ++j) v[i] = v[i] - lu_[i][j] * v[j];
    }
    for (std::size_t i = k; i-- > 0;) {
      for (std::size_t j = i + 1; j < k; ++j) v[i] = v[i] - lu_[i][j] * v[j];
      v[i] = v[i] / lu_[i][i];
    }
    return v;
  }

  // Solves A' v = r. O(k^2).
  DoubleDoubleVec solve_transposed(DoubleDoubleVec r) const {
    const std::size_t k = lu_.size();
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < i; ++j) r[i] = r[i] - lu_[j][i] * r[j];
      r[i] = r[i] / lu_[i][i];
    }
    for (std::size_t i = k; i-- > 0;)
      for (std::size_t j = i + 1; j < k; ++j) r[i] = r[i] - lu_[j][i] * r[j];
    DoubleDoubleVec v(k);
    for (std::size_t i = 0; i < k; ++i) v[order_[i]] = r[i];
    return v;
  }

 private:
  std::vector<DoubleDoubleVec> lu_;
  std::vector<std::size_t> order_;
  bool regular_ = true;
};

DoubleDouble dot(const DoubleDoubleVec& a, const DoubleDoubleVec& b) {
  DoubleDouble sum;
  for (std::size_t j = 0; j < a.size(); ++j) sum = sum + a[j] * b[j];
  return sum;
}

// Solves  max t  subject to  y_i (u_i'w + b) >= t  and  |w_j| <= 1  by a primal simplex method on the inequalities
// c'z >= r of z = (w, b, t). Its vertices have as many active inequalities as z has entries.
class MarginSimplex {
 public:
  MarginSimplex(std::vector<DoubleDoubleVec> u, Vec y)
      : u_(std::move(u)), y_(std::move(y)), n_(u_.size()), k_(u_[0].size()) {}

  // Runs the method from the corner of the box that has the signs of the guess.
  bool run(const Vec& guess, const Limits& limits) {
    begin(guess);
    const long most = 200 + 50 * static_cast<long>(k_ + n_ / 10);
    bool by_order = false;  // Bland's rule is used after a step of length zero.
    for (long step = 0; step < most; ++step) {
      if (limits.stop_now()) return false;
      std::vector<DoubleDoubleVec> rows;
      DoubleDoubleVec r;
      for (std::size_t c : active_) rows.push_back(normal(c)), r.push_back(bound(c));
      const Factor factor(std::move(rows));
      if (!factor.regular()) return false;
      z_ = factor.solve(r);
      DoubleDoubleVec objective(k_ + 2);
      objective[k_ + 1] = DoubleDouble(-1);
      multipliers_ = factor.solve_transposed(objective);
      const std::size_t leaves = leaving(by_order);
      if (leaves == active_.size()) return true;
      DoubleDoubleVec unit(k_ + 2);
      unit[leaves] = DoubleDouble(1);
      DoubleDoubleVec direction = factor.solve(unit);
      double longest = 0;
      for (const DoubleDouble& v : direction) longest = std::max(longest, std::abs(v.high));
      for (DoubleDouble& v : direction) v = v / DoubleDouble(longest);
      bool moved = false;
      const std::size_t enters = entering(direction, moved);
      if (enters == 2 * k_ + n_) return false;
      by_order = !moved;
      active_[leaves] = enters;
    }
    return false;
  }

  DoubleDoubleVec weights() const {
    DoubleDoubleVec w(z_.begin(), z_.begin() + static_cast<std::ptrdiff_t>(k_));
    for (DoubleDouble& v : w) {
      if (v > DoubleDouble(1)) v = DoubleDouble(1);
      if (v < DoubleDouble(-1)) v = DoubleDouble(-1);
    }
    return w;
  }

  DoubleDoubleVec conflict() const {
    DoubleDoubleVec a(n_);
    for (std::size_t c = 0; c < active_.size(); ++c)
      if (active_[c] >= 2 * k_ && multipliers_[c].high > 0) a[active_[c] - 2 * k_] = multipliers_[c];
    return a;
  }

 private:
  // The entries by rows.
  std::vector<DoubleDoubleVec> u_;
  Vec y_;
  std::size_t n_, k_;
  // The inequalities are w_j >= -1, then -w_j >= -1, then the rows.
  std::vector<std::size_t> active_;
  DoubleDoubleVec z_, multipliers_;

  DoubleDoubleVec normal(std::size_t c) const {
    DoubleDoubleVec v(k_ + 2);
    if (c < 2 * k_) {
      v[c % k_] = DoubleDouble(c < k_ ? 1 : -1);
      return v;
    }
    const std::size_t i = c - 2 * k_;
    const bool up = y_[static_cast<Index>(i)] > 0;
    for (std::size_t j = 0; j < k_; ++j) v[j] = up ? u_[i][j] : -u_[i][j];
    v[k_] = DoubleDouble(up ? 1 : -1);
    v[k_ + 1] = DoubleDouble(-1);
    return v;
  }

  DoubleDouble bound(std::size_t c) const { return DoubleDouble(c < 2 * k_ ? -1 : 0); }

  void begin(const Vec& guess) {
    DoubleDoubleVec w(k_);
    for (std::size_t j = 0; j < k_; ++j) {
      const bool up = guess.size() > 0 && guess[static_cast<Index>(j)] > 0;
      w[j] = DoubleDouble(up ? 1 : -1);
      active_.push_back(up ? k_ + j : j);
    }
    std::size_t p = n_, q = n_;
    DoubleDouble lowest, highest;
    for (std::size_t i = 0; i < n_; ++i) {
      const DoubleDouble f = dot(u_[i], w);
      const bool up = y_[static_cast<Index>(i)] > 0;
      if (up && (p == n_ || f < lowest)) p = i, lowest = f;
      if (!up && (q == n_ || f > highest)) q = i, highest = f;
    }
    active_.push_back(2 * k_ + p);
    active_.push_back(2 * k_ + q);
  }

  // Returns the place of the most negative multiplier, or of the first inequality with a negative one; past the end
  // if there is none.
  std::size_t leaving(bool by_order) const {
    std::size_t best = active_.size();
    for (std::size_t c = 0; c < active_.size(); ++c) {
      if (!(multipliers_[c].high < -kRoundingTol)) continue;
      if (best == active_.size() ||
          (by_order ? active_[c] < active_[best] : multipliers_[c] < multipliers_[best]))
        best = c;
    }
    return best;
  }

  // Returns the first inequality reached on the way, with the lowest number among ties. O(nk).
  std::size_t entering(const DoubleDoubleVec& direction, bool& moved) const {
    std::size_t best = 2 * k_ + n_;
    DoubleDouble shortest;
    for (std::size_t c = 0; c < 2 * k_ + n_; ++c) {
      if (std::find(active_.begin(), active_.end(), c) != active_.end()) continue;
      const DoubleDouble slope = dot_normal(c, direction);
      if (!(slope.high < -kRoundingTol)) continue;
      DoubleDouble slack = dot_normal(c, z_) - bound(c);
      if (slack.high < kRoundingTol) slack = DoubleDouble();
      const DoubleDouble step = slack / -slope;
      if (best == 2 * k_ + n_ || step < shortest) best = c, shortest = step;
    }
    moved = shortest.high > 0;
    return best;
  }

  DoubleDouble dot_normal(std::size_t c, const DoubleDoubleVec& v) const {
    if (c < k_) return v[c];
    if (c < 2 * k_) return -v[c - k_];
    const std::size_t i = c - 2 * k_;
    DoubleDouble sum = v[k_];
    for (std::size_t j = 0; j < k_; ++j) sum = sum + u_[i][j] * v[j];
    return (y_[static_cast<Index>(i)] > 0 ? sum : -sum) - v[k_ + 1];
  }
};

double unit_of(double largest) {
  if (largest > 1e100) return std::ldexp(1.0, -600);
  if (largest < 1e-100 && largest > 0) return std::ldexp(1.0, 600);
  return 1;
}

}  // namespace

RelativeMargin::RelativeMargin(const Eigen::Ref<const Mat>& x, const Vec& y)
    : x_(x.data()), rows_(x.rows()), stride_(x.outerStride()), y_(y), low_(x.cols()), high_(x.cols()),
      unit_(x.cols()) {
  for (Index j = 0; j < x.cols(); ++j) {
    low_[j] = x.col(j).minCoeff();
    high_[j] = x.col(j).maxCoeff();
    unit_[j] = unit_of(std::max(std::abs(low_[j]), std::abs(high_[j])));
    low_[j] *= unit_[j];
    high_[j] *= unit_[j];
  }
}

DoubleDouble RelativeMargin::value(Index i, Index j) const {
  if (!(high_[j] > low_[j])) return {};
  return exact_sum(stored(i, j), -low_[j]) / exact_sum(high_[j], -low_[j]);
}

void RelativeMargin::column(Index j, double* out) const {
  const double low = low_[j], range = high_[j] - low;
  for (Index i = 0; i < rows_; ++i) out[i] = range > 0 ? (stored(i, j) - low) / range : 0;
}

bool RelativeMargin::beyond(Index p, Index q, Index j) const {
  const double difference = stored(q, j) - stored(p, j), least = kLeastMargin * (high_[j] - low_[j]);
  if (std::abs(difference - least) > 1e-14 * least) return difference > least;
  // Both sides are sums of a few doubles. The product is exact, because it is a double times a double-double.
  const DoubleDouble range = exact_sum(high_[j], -low_[j]);
  const DoubleDouble first = exact_product(kLeastMargin, range.high),
                     second = exact_product(kLeastMargin, range.low);
  const DoubleDouble d = exact_sum(stored(q, j), -stored(p, j));
  return (d - first) - second > DoubleDouble(0);
}

DoubleDouble RelativeMargin::above(const IndexList& set, const IndexList& rows,
                                   const DoubleDoubleVec& w) const {
  DoubleDouble size, total;
  for (const DoubleDouble& v : w) {
    if (!std::isfinite(v.high)) return DoubleDouble(-1);
    size = std::max(size, absolute(v), [](const DoubleDouble& a, const DoubleDouble& b) { return a < b; });
    total = total + absolute(v);
  }
  DoubleDouble lowest(kInf), highest(-kInf);
  for (Index i : rows) {
    DoubleDouble f;
    for (std::size_t j = 0; j < set.size(); ++j) f = f + w[j] * value(i, set[j]);
    if (y_[i] > 0 && f < lowest) lowest = f;
    if (!(y_[i] > 0) && f > highest) highest = f;
  }
  if (!(size.high > 0) || lowest.high == kInf || highest.high == -kInf) return DoubleDouble(-1);
  const double terms = 8 + static_cast<double>(set.size());
  return (lowest - highest) / size - total / size * DoubleDouble(4 * terms * kDoubleDoubleUnit);
}

DoubleDoubleVec RelativeMargin::sums(const IndexList& set, const DoubleDoubleVec& a) const {
  DoubleDoubleVec g(set.size());
  for (Index i = 0; i < y_.size(); ++i) {
    const DoubleDouble& weight = a[static_cast<std::size_t>(i)];
    if (weight.high == 0) continue;
    for (std::size_t j = 0; j < set.size(); ++j)
      g[j] = y_[i] > 0 ? g[j] + weight * value(i, set[j]) : g[j] - weight * value(i, set[j]);
  }
  return g;
}

DoubleDouble RelativeMargin::below(const IndexList& set, const IndexList& rows,
                                   const DoubleDoubleVec& a) const {
  DoubleDouble up, down;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!(a[k].high >= 0)) return DoubleDouble(kInf);
    DoubleDouble& sum = y_[rows[k]] > 0 ? up : down;
    sum = sum + a[k];
  }
  if (!(up.high > 0 && down.high > 0) || !std::isfinite(up.high + down.high)) return DoubleDouble(kInf);
  DoubleDouble norm;
  for (Index j : set) {
    DoubleDouble plus, minus;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (a[k].high == 0) continue;
      DoubleDouble& sum = y_[rows[k]] > 0 ? plus : minus;
      sum = sum + a[k] * value(rows[k], j);
    }
    norm = norm + absolute(plus / up - minus / down);
  }
  const double terms = 8 + static_cast<double>(rows.size());
  return norm + DoubleDouble(8 * terms * static_cast<double>(set.size() + 1) * kDoubleDoubleUnit);
}

bool RelativeMargin::solve(const IndexList& set, const IndexList& rows, const Vec& guess,
                           const Limits& limits, DoubleDoubleVec& w, DoubleDoubleVec& a) const {
  std::vector<DoubleDoubleVec> u;
  Vec y(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    y[static_cast<Index>(k)] = y_[rows[k]];
    u.emplace_back();
    for (Index j : set) u.back().push_back(value(rows[k], j));
  }
  if (set.empty() || !(y.array() > 0).any() || !(y.array() < 0).any()) return false;
  MarginSimplex simplex(std::move(u), y);
  if (!simplex.run(guess, limits)) return false;
  w = simplex.weights();
  a = simplex.conflict();
  return true;
}

DoubleDouble RelativeMargin::hinge_at(const IndexList& set, const DoubleDoubleVec& w,
                                      const DoubleDouble& b) const {
  DoubleDouble total(1);
  for (const DoubleDouble& v : w) {
    if (!(absolute(v) <= DoubleDouble(kLargestWeight))) return DoubleDouble(kInf);
    total = total + absolute(v);
  }
  total = total + absolute(b);
  DoubleDouble sum;
  for (Index i = 0; i < y_.size(); ++i) {
    DoubleDouble f = b;
    for (std::size_t j = 0; j < set.size(); ++j) f = f + w[j] * value(i, set[j]);
    const DoubleDouble loss = y_[i] > 0 ? DoubleDouble(1) - f : DoubleDouble(1) + f;
    if (loss.high > 0) sum = sum + loss;
    if (!std::isfinite(f.high)) return DoubleDouble(kInf);
  }
  const double terms = (8 + static_cast<double>(set.size())) * static_cast<double>(y_.size() + 8);
  return sum + total * DoubleDouble(4 * terms * kDoubleDoubleUnit);
}

DoubleDouble RelativeMargin::hinge_bound(const IndexList& set, DoubleDoubleVec a) const {
  DoubleDouble up, down;
  for (Index i = 0; i < y_.size(); ++i) {
    DoubleDouble& v = a[static_cast<std::size_t>(i)];
    if (!(v.high > 0)) v = DoubleDouble();
    if (v > DoubleDouble(1)) v = DoubleDouble(1);
    (y_[i] > 0 ? up : down) = (y_[i] > 0 ? up : down) + v;
  }
  if (!(up.high > 0 && down.high > 0)) return {};
  // The intercept is unpenalised, so the classes have to balance. Their sums then agree up to rounding, which the
  // last term covers for intercepts that change decision values by no more than the weights do.
  const DoubleDouble least = up < down ? up : down;
  for (Index i = 0; i < y_.size(); ++i) {
    DoubleDouble& v = a[static_cast<std::size_t>(i)];
    if (v.high > 0) v = v * (least / (y_[i] > 0 ? up : down));
  }
  DoubleDouble norm;
  for (const DoubleDouble& g : sums(set, a)) norm = norm + absolute(g);
  const double reach =
      kLargestWeight * static_cast<double>(set.size() + 1) + 2 * static_cast<double>(y_.size());
  const double terms = 8 + static_cast<double>(y_.size());
  return least + least - DoubleDouble(kLargestWeight) * norm -
         DoubleDouble(8 * terms * terms * reach * kDoubleDoubleUnit);
}

}  // namespace zeronorm

#include "separation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "certificate.h"
#include "design.h"
#include "engines/engine.h"
#include "simd.h"

namespace zeronorm {
namespace {

constexpr double kMargin = 1e-9;    // relative margins below are none
constexpr double kSign = 1e-12;     // and so are entries of a conflict
constexpr Index kRows = 64;         // conflicts of a set kept for the sets it is part of
constexpr std::size_t kFirst = 8;   // refutations tried on all features at once
constexpr std::size_t kMore = 64;   // and on each that they leave
constexpr std::size_t kEnough = 3;  // fewer say too little
constexpr Index kTile = 256;        // columns that stay in cache

double choose(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

// A fixed shuffle: which conflicts come first decides the speed, not the answer.
void spread_out(IndexList& rows) {
  std::uint64_t state = 88172645463325252ULL;
  for (std::size_t k = rows.size(); k > 1; --k) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(rows[k - 1], rows[state % k]);
  }
}

IndexList with(const IndexList& set, std::initializer_list<Index> more) {
  IndexList all = set;
  all.insert(all.end(), more);
  return all;
}

IndexList without(const IndexList& set, std::initializer_list<Index> gone) {
  IndexList left;
  for (Index j : set)
    if (std::find(gone.begin(), gone.end(), j) == gone.end()) left.push_back(j);
  return left;
}

}  // namespace

Separation::Separation(const Mat& x, const Vec& y, const Forgiven& forgiven)
    : x_(x.rows(), x.cols()), y_(y.size()), forgiven_(forgiven) {
  IndexList order(y.size());
  std::iota(order.begin(), order.end(), 0);
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
  groups_ = groups();
}

// Each with its share of both classes.  A group in which a set fails costs it an error, or a hinge sum of two.
std::vector<IndexList> Separation::groups() const {
  const Index count = std::max(forgiven_.errors, static_cast<Index>(forgiven_.hinge / 2)) + 1;
  IndexList up(up_), down(y_.size() - up_);
  std::iota(up.begin(), up.end(), 0);
  std::iota(down.begin(), down.end(), up_);
  spread_out(up);
  spread_out(down);
  std::vector<IndexList> all(count);
  for (std::size_t k = 0; k < up.size(); ++k) all[k % count].push_back(up[k]);
  for (std::size_t k = 0; k < down.size(); ++k) all[k % count].push_back(down[k]);
  for (IndexList& group : all) std::sort(group.begin(), group.end());
  return all;
}

// --- conflicts ---

// Of the empty set: any observation of one class less any of the other. O(kRows d).
Separation::Conflicts Separation::differences(const IndexList& rows) const {
  IndexList up, down;
  for (Index i : rows) (i < up_ ? up : down).push_back(i);
  spread_out(up);
  spread_out(down);
  Conflicts c;
  if (up.empty() || down.empty()) return c;
  // Every observation in its turn, and no pair twice.
  const Index pairs = static_cast<Index>(up.size() * down.size()), turns = std::lcm(up.size(), down.size());
  c.rows = std::min(kRows, pairs);
  c.values.resize(c.rows * x_.cols());
  for (Index t = 0; t < c.rows; ++t) {
    const Index p = up[t % up.size()], q = down[(t + t / turns) % down.size()];
    for (Index j = 0; j < x_.cols(); ++j) c.values[t * x_.cols() + j] = x_(p, j) - x_(q, j);
  }
  return c;
}

// Conflicts of the base set that cancel at i, two by two. O(kRows + most).
std::vector<Separation::Pairing> Separation::pairings(const Conflicts& base, Index i,
                                                      std::size_t most) const {
  IndexList up, down, none;
  for (Index t = 0; t < base.rows; ++t) {
    const double v = row(base, t)[i];
    (v > kSign ? up : v < -kSign ? down : none).push_back(t);
  }
  std::vector<Pairing> all;
  for (Index t : none)
    if (all.size() < most) all.push_back({t, t, 1, 0});
  const std::size_t turns = up.empty() || down.empty() ? 0 : std::lcm(up.size(), down.size());
  for (std::size_t k = 0; k < std::min(up.size() * down.size(), most) && all.size() < most; ++k) {
    const Index a = up[k % up.size()], b = down[(k + k / turns) % down.size()];
    const double u = row(base, a)[i], v = -row(base, b)[i];
    all.push_back({a, b, v / (u + v), u / (u + v)});
  }
  return all;
}

void Separation::add(Conflicts& to, const Conflicts& base, const Pairing& p) const {
  const double *a = row(base, p.a), *b = row(base, p.b);
  const std::size_t from = to.values.size();
  to.values.resize(from + x_.cols());
  for (Index j = 0; j < x_.cols(); ++j) to.values[from + j] = p.alpha * a[j] + p.beta * b[j];
  ++to.rows;
}

// Conflicts of a set that are solved for; each leaves out an observation of the last. O(kMore) machines, O(n d) each.
Separation::Conflicts Separation::solved(const IndexList& set, IndexList rows, const Limits& limits) {
  Conflicts c;
  while (c.rows < static_cast<Index>(kMore)) {
    const Machine m = machine(set, rows, limits);
    if (m.answer != Answer::no) break;
    Vec v = Vec::Zero(y_.size());
    for (std::size_t k = 0; k < rows.size(); ++k) v[rows[k]] = y_[rows[k]] * m.a[k];
    const Vec g = x_.transpose() * v;
    c.values.insert(c.values.end(), g.data(), g.data() + g.size());
    ++c.rows;
    Index heaviest = 0;
    m.a.maxCoeff(&heaviest);
    rows.erase(rows.begin() + heaviest);
  }
  return c;
}

// Of the set, which is that of the base and one more. O(kRows d), or solved().
Separation::Conflicts Separation::extend(const Conflicts& base, const IndexList& set, const IndexList& rows,
                                         const Limits& limits) {
  const auto pairs = pairings(base, set.back(), kRows);
  Conflicts c;
  for (const Pairing& p : pairs) add(c, base, p);
  if (pairs.size() >= kEnough) return c;
  const Conflicts more = solved(set, rows, limits);
  c.values.insert(c.values.end(), more.values.begin(), more.values.end());
  c.rows += more.rows;
  return c;
}

// --- answers ---

// Wolfe's point of least norm among the differences of the classes: either it separates, or it is zero and its
// weights are a conflict.  O(n |S| + |S|^3) a step, about |S| + 4 of them; unclear where rounding keeps it from
// either, and in spaces too large for it.
Separation::Machine Separation::nearest(const IndexList& set, const IndexList& rows, bool widest) const {
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
Separation::Machine Separation::machine(const IndexList& set, const IndexList& rows, const Limits& limits,
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
double Separation::widest(const double* fixed, double sign, const double* moving) const {
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

bool Separation::pair_fits(Index i, Index j) const {
  const double *u = x_.col(i).data(), *v = x_.col(j).data();
  return widest(u, 1, v) > kMargin || widest(u, -1, v) > kMargin || widest(v, 1, u) > kMargin ||
         widest(v, -1, u) > kMargin;
}

// The fewest observations on the wrong side of a threshold on feature j. O(n log n).
Index Separation::threshold_errors(Index j) const {
  const Index n = y_.size();
  IndexList order(n);
  std::iota(order.begin(), order.end(), 0);
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
bool Separation::packed(const IndexList& set, IndexList rows, Machine m, Index errors,
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
Separation::Answer Separation::within_errors(const IndexList& set, const IndexList& rows, Index errors,
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
double Separation::least_hinge(const IndexList& set, const Limits& limits) const {
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

Separation::Answer Separation::within_hinge(const IndexList& set, const Limits& limits) const {
  IndexList rows(y_.size());
  std::iota(rows.begin(), rows.end(), 0);
  const Machine m = machine(set, rows, limits);
  if (m.answer != Answer::no) return m.answer;
  const double least = least_hinge(set, limits);
  if (std::isnan(least)) return Answer::unclear;
  return least <= forgiven_.hinge * (1 + kMargin) ? Answer::yes : Answer::no;
}

Separation::Answer Separation::fits(const IndexList& set, const Limits& limits) const {
  if (forgiven_.hinge > 0) return within_hinge(set, limits);
  if (set.size() == 1) return threshold_errors(set[0]) <= forgiven_.errors ? Answer::yes : Answer::no;
  if (set.size() == 2 && forgiven_.errors == 0) return pair_fits(set[0], set[1]) ? Answer::yes : Answer::no;
  IndexList rows(y_.size());
  std::iota(rows.begin(), rows.end(), 0);
  return within_errors(set, rows, forgiven_.errors, limits);
}

double Separation::margin(const IndexList& set, const Limits& limits) const {
  IndexList rows(y_.size());
  std::iota(rows.begin(), rows.end(), 0);
  double margin = 0;
  within_errors(set, rows, forgiven_.errors, limits, &margin);
  return margin;
}

// --- all sets of a size ---

bool Separation::stopped() {
  stopped_ = stopped_ || limits_->stop_now();
  return stopped_;
}

void Separation::judge(const IndexList& set, SizeScan& scan) {
  const Answer answer = fits(set, *limits_);
  if (answer == Answer::unclear) ++scan.unclear;
  if (answer != Answer::yes) return;
  ++scan.separating;
  if (scan.found.size() < most_) scan.found.push_back(set);
}

SizeScan Separation::scan(Index size, std::size_t most, const Limits& limits,
                          const std::function<void(double)>& progress) {
  SizeScan scan;
  scan.size = size;
  limits_ = &limits;
  most_ = most;
  progress_ = progress;
  stopped_ = false;
  all_ = choose(static_cast<double>(x_.cols()), static_cast<double>(size));
  IndexList prefix;
  if (size == 1) {
    for (Index j = 0; j < x_.cols() && !stopped(); ++j) {
      judge({j}, scan);
      ++scan.sets;
    }
  } else if (size <= x_.cols()) {
    std::vector<Conflicts> base;
    for (const IndexList& rows : groups_) base.push_back(differences(rows));
    scan_from(prefix, base, size, scan);
  }
  scan.complete = !stopped_;
  std::sort(scan.found.begin(), scan.found.end());
  for (const IndexList& set : scan.found) scan.margin.push_back(margin(set, limits));
  return scan;
}

void Separation::scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more,
                           SizeScan& scan) {
  if (more == 2) return scan_pairs(prefix, base, scan);
  const Index first = prefix.empty() ? 0 : prefix.back() + 1;
  for (Index i = first; i + more <= x_.cols() && !stopped(); ++i) {
    prefix.push_back(i);
    std::vector<Conflicts> next;
    for (std::size_t g = 0; g < base.size(); ++g)
      next.push_back(extend(base[g], prefix, groups_[g], *limits_));
    scan_from(prefix, next, more - 1, scan);
    prefix.pop_back();
  }
}

// The prefix and any two features behind it.  First those i that the base says little about, one after the other
// with conflicts of their own; then the others, a tile of j for all i at a time.
void Separation::scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan) {
  const Index d = x_.cols(), first = prefix.empty() ? 0 : prefix.back() + 1;
  const std::size_t groups = base.size();
  std::vector<char> left(kTile);
  std::vector<simd::Size> out(kTile);
  // What the refutations of i leave of columns [from, to).
  auto look = [&](Index i, const std::vector<const Conflicts*>& from_base,
                  const std::vector<std::vector<Pairing>>& pairs, Index from, Index to) {
    std::fill(left.begin(), left.end(), 0);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::vector<Pairing>& all = pairs[g];
      const std::size_t m = std::min(kFirst, all.size());
      const double *a[kFirst], *b[kFirst];
      double c[kFirst], e[kFirst];
      for (std::size_t k = 0; k < m; ++k) {
        a[k] = row(*from_base[g], all[k].a) + from, b[k] = row(*from_base[g], all[k].b) + from;
        c[k] = all[k].alpha, e[k] = all[k].beta;
      }
      const simd::Size found =
          simd::one_sided(a, b, c, e, static_cast<simd::Size>(m), to - from, kSign, out.data());
      for (simd::Size t = 0; t < found; ++t) {
        const Index j = from + out[t];
        if (left[out[t]]) continue;
        double low = 0, high = 0;
        for (std::size_t k = 0; k < all.size() && !(low < -kSign && high > kSign); ++k) {
          const double v =
              all[k].alpha * row(*from_base[g], all[k].a)[j] + all[k].beta * row(*from_base[g], all[k].b)[j];
          low = std::min(low, v), high = std::max(high, v);
        }
        left[out[t]] = !(low < -kSign && high > kSign);
      }
    }
    for (Index j = from; j < to; ++j)
      if (left[j - from]) judge(with(prefix, {i, j}), scan);
    scan.sets += static_cast<double>(to - from);
  };

  std::vector<std::vector<std::vector<Pairing>>> pairs(d);
  std::vector<const Conflicts*> same;
  for (const Conflicts& c : base) same.push_back(&c);
  std::vector<char> apart(d, 0);
  for (Index i = first; i < d && !stopped(); ++i) {
    pairs[i].resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      pairs[i][g] = pairings(base[g], i, kMore);
      apart[i] = apart[i] || pairs[i][g].size() < kEnough;
    }
    if (!apart[i]) continue;
    std::vector<Conflicts> own;
    std::vector<const Conflicts*> pointers;
    for (std::size_t g = 0; g < groups; ++g) {
      own.push_back(extend(base[g], with(prefix, {i}), groups_[g], *limits_));
      pairs[i][g].clear();
      for (Index t = 0; t < own[g].rows; ++t) pairs[i][g].push_back({t, t, 1, 0});
    }
    for (const Conflicts& c : own) pointers.push_back(&c);
    for (Index from = i + 1; from < d && !stopped(); from += kTile)
      look(i, pointers, pairs[i], from, std::min(d, from + kTile));
    pairs[i].clear();
  }
  for (Index from = first; from < d && !stopped(); from += kTile) {
    const Index to = std::min(d, from + kTile);
    for (Index i = first; i + 1 < to; ++i) {
      if (apart[i]) continue;
      look(i, same, pairs[i], std::max(from, i + 1), to);
      if (i % 64 == 0 && stopped()) break;
    }
    if (progress_) progress_(scan.sets / all_);
  }
}

// --- fewer ---

IndexList Separation::shrink(IndexList set, const Limits& limits) {
  auto drop_one = [&]() {
    for (std::size_t k = set.size(); k-- > 0;) {
      const IndexList fewer = without(set, {set[k]});
      if (fewer.empty() || limits.stop_now() || fits(fewer, limits) != Answer::yes) continue;
      set = fewer;
      return true;
    }
    return false;
  };
  // What could take the place of two.
  auto merge_two = [&]() {
    for (std::size_t a = 0; a < set.size(); ++a)
      for (std::size_t b = a + 1; b < set.size(); ++b) {
        if (limits.stop_now()) return false;
        const IndexList rest = without(set, {set[a], set[b]});
        std::vector<char> left(x_.cols(), 0);
        for (const IndexList& rows : groups_) {
          const Conflicts c = rest.empty() ? differences(rows) : solved(rest, rows, limits);
          std::vector<double> low(x_.cols(), 0), high(x_.cols(), 0);
          for (Index t = 0; t < c.rows; ++t)
            for (Index j = 0; j < x_.cols(); ++j)
              low[j] = std::min(low[j], row(c, t)[j]), high[j] = std::max(high[j], row(c, t)[j]);
          for (Index j = 0; j < x_.cols(); ++j)
            if (!(low[j] < -kSign && high[j] > kSign)) left[j] = 1;
        }
        for (Index j = 0; j < x_.cols(); ++j) {
          if (!left[j] || std::find(set.begin(), set.end(), j) != set.end()) continue;
          if (limits.stop_now()) return false;
          if (fits(with(rest, {j}), limits) != Answer::yes) continue;
          set = with(rest, {j});
          return true;
        }
      }
    return false;
  };
  while (set.size() > 1 && (drop_one() || merge_two())) {
  }
  std::sort(set.begin(), set.end());
  return set;
}

}  // namespace zeronorm

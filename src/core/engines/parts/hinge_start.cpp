#include "engines/parts/hinge_start.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "base/gram.h"
#include "base/line_search.h"
#include "base/simd.h"
#include "grade/regulariser.h"

namespace zeronorm {
namespace {

// Factor by which the width of the rounded part of the hinge decreases per iteration.
constexpr double kWidthFactor = 0.5;
// Smallest width while multipliers still change much; see kLargeChange.
constexpr double kFirstLeastWidth = 0.1;
// Change of a multiplier, relative to its bound, above which multipliers count as changing much.
constexpr double kLargeChange = 0.3;
// Smallest width afterwards.
constexpr double kLeastWidth = 0.02;
// Violations of the costs, relative to |a|, at which early and later iterations end.
constexpr double kCoarseTol = 1e-3, kFineTol = 1e-4;
// Newton steps in one iteration.
constexpr int kSteps = 8;
// Sweeps of coordinate descent before a Newton step.
constexpr int kSweeps = 8;
// Passes that fix coefficients at zero within one Newton step.
constexpr int kStopPasses = 6;
// At most one in this many coefficients is fixed at zero.
constexpr Index kMinPerStopped = 8;
// Added to the unit diagonal of Newton's matrix, because steps along weak directions would only reach bounds.
constexpr double kDamping = 3e-3;
// A line search ends when the slope is below this fraction of the first slope.
constexpr double kFinalSlope = 0.1;
// Share of nonzero entries from which on a Gram matrix is computed faster from dense columns.
constexpr double kMinDensity = 0.25;
// Largest number of iterations in approach().
constexpr int kMaxIterations = 40;
// approach() does not end while a multiplier changes by more than this fraction of its bound.
constexpr double kSmallChange = 0.1;
// approach() does not end while more than one column violates its cost for this many columns in the working set.
constexpr Index kColumnsPerViolator = 200;

}  // namespace

HingeStart::HingeStart(const Vec& margin, const Vec& cost) : margin_(margin), cost_(cost) {
  r_ = margin_;
  z_ = a_ = bend_ = Vec::Zero(r_.size());
}

void HingeStart::add_column(const Vec& x, double up, double down, double ridge) {
  for (Index i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    row_.push_back(static_cast<std::int32_t>(i));
    entry_.push_back(x[i]);
  }
  start_.push_back(row_.size());
  up_.push_back(up);
  down_.push_back(down);
  ridge_.push_back(ridge);
  w_.conservativeResize(size());
  w_[size() - 1] = 0;
}

double HingeStart::dot(Index k, const Vec& v) const {
  if (full(k)) return simd::dot(entry_.data() + start_[k], v.data(), v.size());
  double s = 0;
  for (std::size_t e = start_[k]; e < start_[k + 1]; ++e) s += entry_[e] * v[row_[e]];
  return s;
}

void HingeStart::axpy(double c, Index k, Vec& v) const {
  if (full(k)) return simd::axpy(c, entry_.data() + start_[k], v.data(), v.size());
  for (std::size_t e = start_[k]; e < start_[k + 1]; ++e) v[row_[e]] += c * entry_[e];
}

// Computes multipliers, curvature and X'(y a) at the present point. O(n + nonzeros).
void HingeStart::evaluate() {
  for (Index i = 0; i < r_.size(); ++i) {
    if (cost_[i] == 0) continue;
    const double t = shifted(i);
    a_[i] = cost_[i] * std::min(1.0, std::max(0.0, t / delta_));
    bend_[i] = t > 0 && t < delta_ ? cost_[i] / delta_ : 0.0;
  }
  g_.resize(size());
  for (Index k = 0; k < size(); ++k) g_[k] = dot(k, a_) - ridge_[k] * w_[k];
}

double HingeStart::residual(Index k) const {
  if (w_[k] != 0) return w_[k] > 0 ? g_[k] - up_[k] : g_[k] + down_[k];
  return soft(g_[k], up_[k], down_[k]);
}

// Returns the largest residual, relative to the norm of the multipliers.
double HingeStart::violation() const {
  double worst = 0;
  for (Index k = 0; k < size(); ++k) worst = std::max(worst, std::abs(residual(k)));
  return worst / std::max(a_.norm(), 1e-3 * cost_.norm());
}

double HingeStart::value(const Vec& w, const Vec& r) const {
  double sum = 0;
  for (Index i = 0; i < r.size(); ++i) {
    if (cost_[i] == 0) continue;
    const double t = r[i] + delta_ * z_[i] / cost_[i];
    if (t > 0) sum += cost_[i] * (t < delta_ ? 0.5 * t * t / delta_ : t - 0.5 * delta_);
  }
  for (Index k = 0; k < size(); ++k)
    sum += (w[k] > 0 ? up_[k] : -down_[k]) * w[k] + 0.5 * ridge_[k] * w[k] * w[k];
  return sum;
}

// Coordinate descent on the quadratic model. O(nonzeros) per sweep.
HingeStart::Move HingeStart::descend() const {
  Move move{w_, Vec()};
  Vec pull = Vec::Zero(r_.size());  // The curvature of the rows times A (w - w_).
  Vec own(size());
  for (Index k = 0; k < size(); ++k) {
    if (full(k)) {
      own[k] = simd::centered_squares(entry_.data() + start_[k], 0, bend_.data(), bend_.size());
      continue;
    }
    double h = 0;
    for (std::size_t e = start_[k]; e < start_[k + 1]; ++e) h += bend_[row_[e]] * entry_[e] * entry_[e];
    own[k] = h;
  }
  double first = 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double gain = 0;
    for (Index k = 0; k < size(); ++k) {
      if (sweep > 0 && move.w[k] == 0 && g_[k] < up_[k] && g_[k] > -down_[k]) continue;
      const double h = own[k] + least_curvature() + ridge_[k];
      const double g = g_[k] - dot(k, pull) - ridge_[k] * (move.w[k] - w_[k]);
      const double change = soft(g + h * move.w[k], up_[k], down_[k]) / h - move.w[k];
      if (change == 0) continue;
      move.w[k] += change;
      if (full(k))
        simd::weighted_axpy(change, bend_.data(), entry_.data() + start_[k], pull.data(), pull.size());
      else
        for (std::size_t e = start_[k]; e < start_[k + 1]; ++e)
          pull[row_[e]] += change * bend_[row_[e]] * entry_[e];
      gain = std::max(gain, h * change * change);
    }
    first = std::max(first, gain);
    if (gain <= 1e-3 * first) break;
  }
  move.w -= w_;
  move.f = Vec::Zero(r_.size());
  for (Index k = 0; k < size(); ++k)
    if (move.w[k] != 0) axpy(move.w[k], k, move.f);
  return move;
}

// Returns the lower half of A'DA for these columns, where D is the curvature of the rows. O(sum over rows of the band
// of their nonzeros squared), or O(p^2 |band|) for dense columns.
Mat HingeStart::curvature(const IndexList& columns) const {
  const Index n = r_.size(), p = static_cast<Index>(columns.size());
  IndexList place(n, -1);
  Index rows = 0;
  for (Index i = 0; i < n; ++i)
    if (bend_[i] > 0) place[i] = rows++;
  std::vector<std::size_t> first(rows + 1, 0);  // The nonzeros of the band, row by row.
  for (Index k : columns)
    for (std::size_t e = start_[k]; e < start_[k + 1]; ++e)
      if (place[row_[e]] >= 0) ++first[place[row_[e]] + 1];
  for (Index i = 0; i < rows; ++i) first[i + 1] += first[i];
  Mat h = Mat::Zero(p, p);
  if (static_cast<double>(first[rows]) > kMinDensity * static_cast<double>(p * rows)) {
    Mat full = Mat::Zero(rows, p);
    for (Index c = 0; c < p; ++c)
      for (std::size_t e = start_[columns[c]]; e < start_[columns[c] + 1]; ++e)
        if (place[row_[e]] >= 0) full(place[row_[e]], c) = entry_[e] * std::sqrt(bend_[row_[e]]);
    add_gram(full.data(), rows, h);
    return h;
  }
  std::vector<std::int32_t> at(first[rows]);
  std::vector<double> value(first[rows]);
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (Index c = 0; c < p; ++c)
    for (std::size_t e = start_[columns[c]]; e < start_[columns[c] + 1]; ++e) {
      const Index to = place[row_[e]];
      if (to < 0) continue;
      at[next[to]] = static_cast<std::int32_t>(c);
      value[next[to]++] = entry_[e] * std::sqrt(bend_[row_[e]]);
    }
  for (Index i = 0; i < rows; ++i)
    for (std::size_t e = first[i]; e < first[i + 1]; ++e) {
      double* column = h.data() + static_cast<std::size_t>(at[e]) * p;
      for (std::size_t q = e; q < first[i + 1]; ++q) column[at[q]] += value[e] * value[q];
    }
  return h;
}

// Returns the Newton step with zeros fixed. Coefficients that would change sign end at zero, and the others are
// solved for again. O(p^3) plus the cost of the curvature.
HingeStart::Move HingeStart::newton() const {
  Move move{Vec::Zero(size()), Vec::Zero(r_.size())};
  IndexList columns;
  for (Index k = 0; k < size(); ++k)
    if (held(k)) columns.push_back(k);
  const Index p = static_cast<Index>(columns.size());
  if (p == 0) return move;
  Mat h = curvature(columns);
  Vec rhs(p), unit(p), to_zero(p);
  for (Index c = 0; c < p; ++c) {
    h(c, c) += ridge_[columns[c]];
    unit[c] = 1 / std::sqrt(std::max(h(c, c), least_curvature()));
    rhs[c] = residual(columns[c]) * unit[c];
    to_zero[c] = -w_[columns[c]] / unit[c];
  }
  for (Index c = 0; c < p; ++c)
    for (Index q = c; q < p; ++q) h(q, c) *= unit[q] * unit[c];
  h.diagonal().array() += kDamping;
  const Eigen::LLT<Eigen::Ref<Mat>, Eigen::Lower> llt(h);
  const Vec free = llt.solve(rhs);
  Vec step = free;
  IndexList stopped;
  std::vector<char> is_stopped(p, 0);
  Mat answers(p, 0);
  for (int pass = 0; pass < kStopPasses; ++pass) {
    const Index before = static_cast<Index>(stopped.size());
    for (Index c = 0; c < p; ++c) {
      const Index k = columns[c];
      if (is_stopped[c] || up_[k] + down_[k] == 0 || to_zero[c] * (to_zero[c] - step[c]) >= 0) continue;
      is_stopped[c] = 1;
      stopped.push_back(c);
    }
    const Index count = static_cast<Index>(stopped.size());
    if (count == before || kMinPerStopped * count > p) break;
    answers.conservativeResize(p, count);
    for (Index q = before; q < count; ++q) answers.col(q) = llt.solve(Vec::Unit(p, stopped[q]));
    Mat among(count, count);
    Vec short_of(count);
    for (Index q = 0; q < count; ++q) {
      among.row(q) = answers.row(stopped[q]);
      short_of[q] = to_zero[stopped[q]] - free[stopped[q]];
    }
    step = free + answers * Eigen::LDLT<Mat>(among).solve(short_of);
    for (Index c : stopped) step[c] = to_zero[c];
  }
  for (Index c = 0; c < p; ++c) {
    const Index k = columns[c];
    move.w[k] = step[c] == to_zero[c] ? -w_[k] : step[c] * unit[c];
    axpy(move.w[k], k, move.f);
  }
  return move;
}

// Moves to the minimum along the move, or to its end with every coefficient that would change sign set to zero,
// whichever has the lower objective. Returns the slope at the start. O(n log p + n) plus the update of the zeros.
double HingeStart::advance(const Move& move) {
  KinkedLine line;
  const double constant = line.set_kinks(w_, move.w, Eigen::Map<const Vec>(up_.data(), size()),
                                         Eigen::Map<const Vec>(down_.data(), size()));
  Vec from = Vec::Zero(r_.size());
  for (Index i = 0; i < r_.size(); ++i)
    if (cost_[i] > 0) from[i] = shifted(i);
  double linear = 0, bend = 0;  // The terms of the ridges.
  for (Index k = 0; k < size(); ++k) {
    linear += ridge_[k] * w_[k] * move.w[k];
    bend += ridge_[k] * move.w[k] * move.w[k];
  }
  line.smooth = [&](double t) {
    return constant + linear + t * bend -
           simd::clipped_slope(cost_.data(), from.data(), move.f.data(), t, delta_,
                               static_cast<Index>(r_.size()));
  };
  const double slope = line.slope(0, 0);
  if (!(slope < 0)) return 0;
  const double t = line.lowest(kFinalSlope * -slope);
  Vec w = w_ + t * move.w, r = r_ - t * move.f;
  for (const auto& kink : line.kinks)
    if (kink.first == t) w[kink.second] = 0;
  if (!line.kinks.empty() && line.kinks[0].first < 1) {
    Vec clipped = w_ + move.w, rest = r_ - move.f;
    for (const auto& kink : line.kinks) {
      if (kink.first >= 1) break;
      axpy(clipped[kink.second], kink.second, rest);
      clipped[kink.second] = 0;
    }
    if (value(clipped, rest) < value(w, r)) w = std::move(clipped), r = std::move(rest);
  }
  w_ = std::move(w);
  r_ = std::move(r);
  return slope;
}

bool HingeStart::settle(double aim, const Limits& limits) {
  for (int step = 0; step < kSteps; ++step) {
    evaluate();
    if (violation() <= aim) return true;
    if (limits.stop_now()) return false;
    const double slope = advance(descend());
    evaluate();
    const Move move = newton();
    if (!move.w.allFinite()) return false;
    if (advance(move) == 0 && slope == 0) break;
  }
  evaluate();
  return true;
}

bool HingeStart::round(const Limits& limits) {
  const Vec before = a_;
  if (!settle(changed_ > 0.5 ? kCoarseTol : kFineTol, limits)) return false;
  r_ = margin_;
  for (Index k = 0; k < size(); ++k)
    if (w_[k] != 0) axpy(-w_[k], k, r_);
  changed_ = 0;
  for (Index i = 0; i < r_.size(); ++i)
    if (cost_[i] > 0) changed_ = std::max(changed_, std::abs(a_[i] - before[i]) / cost_[i]);
  z_ = a_;
  delta_ = std::max(changed_ > kLargeChange ? kFirstLeastWidth : kLeastWidth, kWidthFactor * delta_);
  return true;
}

IndexList HingeStart::band() const {
  IndexList rows;
  for (Index i = 0; i < r_.size(); ++i)
    if (a_[i] > 0 && a_[i] < cost_[i]) rows.push_back(i);
  return rows;
}

bool approach(HingeStart& smooth, Vec a, const Newcomers& newcomers, const Limits& limits) {
  for (int round = 0; round < kMaxIterations; ++round) {
    Violators& found = newcomers.violators(a);
    const Index wanting = static_cast<Index>(found.size());
    if (smooth.changed() < kSmallChange && kColumnsPerViolator * wanting <= smooth.size()) break;
    for (Index j : worst(found, std::max(newcomers.batch, smooth.size() / 2))) newcomers.join(j);
    if (smooth.size() > newcomers.most || !smooth.round(limits)) return false;
    a = smooth.multipliers();
  }
  return true;
}

}  // namespace zeronorm

#include "engines/parts/vertex.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "base/simd.h"

namespace zeronorm {
namespace {

// Pivots between two fresh inverses; more if the basis has more columns.
constexpr Index kMinRefreshPivots = 100;
// Number of columns with the largest violations for which the steepest edge is computed.
constexpr int kRescored = 3;
// A column of unit norm is independent if elimination leaves an entry above this value.
constexpr double kIndependent = 1e-7;
// Rates of change below this value are rounding errors.
constexpr double kMinRate = 1e-11;
// Breakpoints that differ by less than this count as equal.
constexpr double kSameBreakpoint = 1e-12;
// If more than one basic row in this many is out of bounds, the norms of all rows are summed at once.
constexpr Index kRowsPerSum = 8;

// Returns a fixed number in [0.5, 1] for each row, so that the same data give the same answer.
double pseudo_random(Index i) {
  std::uint64_t z = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return 0.5 + 0.5 * static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

}  // namespace

void Vertex::setup(const Vec& rhs) {
  const long pivots = pivots_;
  *this = Vertex();
  pivots_ = pivots;
  n_ = rhs.size();
  row_place_.assign(n_, -1);
  base_ = rhs_ = r_ = rhs;
  positive_.resize(n_);
  for (Index i = 0; i < n_; ++i) positive_[i] = r_[i] > 0;
  a_ = Vec::Zero(n_);
  cost_ = Vec::Zero(n_);
}

void Vertex::add_column(Index id, const Vec& x) {
  const Index k = size();
  if (k == capacity_) {
    const bool large = n_ * capacity_ > 4000000;
    grow(capacity_ + (large ? capacity_ / 4 : capacity_) +
         72);  // It is no power of two, because rows would then share cache sets.
  }
  members_.push_back(id);
  basic_.push_back(-1);
  up_.push_back(0);
  down_.push_back(0);
  by_column_.insert(by_column_.end(), x.data(), x.data() + n_);
  for (Index i = 0; i < n_; ++i) by_row_[i * capacity_ + k] = x[i];
  g_.push_back(simd::dot(x.data(), a_.data(), n_));
}

void Vertex::reserve(Index columns) {
  if (columns > capacity_) grow(columns);
}

void Vertex::grow(Index capacity) {
  std::vector<double> wider(n_ * capacity, 0.0);
  for (Index i = 0; i < n_; ++i)
    std::copy_n(by_row_.data() + i * capacity_, size(), wider.data() + i * capacity);
  by_row_.swap(wider);
  by_column_.reserve(n_ * capacity);
  capacity_ = capacity;
}

void Vertex::set_cost(Index k, double up, double down) {
  up_[k] = up;
  down_[k] = down;
  stale_ = stale_ || basic_[k] >= 0;
}

void Vertex::set_row_costs(const Vec& cost) {
  cost_ = cost;
  stale_ = true;
}

void Vertex::prune(const std::vector<char>& keep) {
  std::vector<Index> map(size(), -1);
  Index to = 0;
  for (Index k = 0; k < size(); ++k) {
    if (!keep[k]) continue;
    map[k] = to;
    members_[to] = members_[k];
    basic_[to] = basic_[k];
    up_[to] = up_[k];
    down_[to] = down_[k];
    g_[to] = g_[k];
    if (to != k) {
      std::copy_n(&by_column_[k * n_], n_, &by_column_[to * n_]);
      for (Index i = 0; i < n_; ++i) by_row_[i * capacity_ + to] = by_row_[i * capacity_ + k];
    }
    ++to;
  }
  members_.resize(to);
  basic_.resize(to);
  up_.resize(to);
  down_.resize(to);
  g_.resize(to);
  by_column_.resize(to * n_);
  for (Index& k : basis_) k = map[k];
}

// Gaussian elimination by columns; the largest remaining entry of a column selects its row.
bool Vertex::start_at(const std::vector<Index>& columns, const std::vector<Index>& rows) {
  const Index height = static_cast<Index>(rows.size()), width = static_cast<Index>(columns.size());
  Mat m(height, width);
  for (Index c = 0; c < width; ++c)
    for (Index l = 0; l < height; ++l) m(l, c) = column(columns[c])[rows[l]];
  std::vector<char> used(height, 0);
  for (Index c = 0; c < width; ++c) {
    Index best = -1;
    for (Index l = 0; l < height; ++l)
      if (!used[l] && (best < 0 || std::abs(m(l, c)) > std::abs(m(best, c)))) best = l;
    if (best < 0) break;
    if (std::abs(m(best, c)) < kIndependent) continue;
    used[best] = 1;
    row_place_[rows[best]] = basis_size();
    basic_[columns[c]] = basis_size();
    rows_.push_back(rows[best]);
    basis_.push_back(columns[c]);
    m.col(c) /= m(best, c);
    m(best, c) = 0;
    for (Index k = c + 1; k < width; ++k) simd::axpy(-m(best, k), &m(0, c), &m(0, k), height);
  }
  sign_.assign(basis_size(), 1);
  w_.assign(basis_size(), 0.0);
  inverse_.resize(basis_size() + 72, basis_size() + 72);
  return refresh();
}

bool Vertex::set_perturbation(double eps) {
  for (Index i = 0; i < n_; ++i) rhs_[i] = base_[i] + (eps != 0 ? eps * pseudo_random(i) : 0.0);
  if (!place_point()) return false;
  for (Index i = 0; i < n_; ++i) {
    if (row_place_[i] >= 0 || std::abs(r_[i]) <= 1e-11 * r_scale_) continue;
    if (positive_[i] == (r_[i] > 0)) continue;
    positive_[i] = r_[i] > 0;
    stale_ = true;
  }
  double largest = 0;
  for (double w : w_) largest = std::max(largest, std::abs(w));
  for (Index k = 0; k < basis_size(); ++k) {
    if (std::abs(w_[k]) <= 1e-11 * largest || (sign_[k] > 0) == (w_[k] > 0)) continue;
    sign_[k] = -sign_[k];
    stale_ = true;
  }
  return true;
}

bool Vertex::refresh() {
  since_refresh_ = 0;
  stale_ = true;
  const Index p = basis_size();
  if (p > 0) {
    Mat basis(p, p);
    for (Index k = 0; k < p; ++k)
      for (Index l = 0; l < p; ++l) basis(l, k) = column(basis_[k])[rows_[l]];
    const Mat inverse = Eigen::PartialPivLU<Mat>(basis).inverse();
    if (!inverse.allFinite()) return false;
    inverse_.topLeftCorner(p, p) = inverse.transpose();
  }
  return place_point();
}

// Computes the point where the rows R vanish, refined with the present inverse. O(|P|^2 + |P| n).
bool Vertex::place_point() {
  const Index p = basis_size();
  Vec residual(p), w = Vec::Zero(p);
  double error = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (Index l = 0; l < p; ++l) residual[l] = rhs_[rows_[l]];
    for (Index k = 0; k < p && pass > 0; ++k)
      for (Index l = 0; l < p; ++l) residual[l] -= w[k] * column(basis_[k])[rows_[l]];
    error = p > 0 ? residual.cwiseAbs().maxCoeff() : 0.0;
    if (pass > 0 && error <= 1e-15) break;
    for (Index k = 0; k < p; ++k) w[k] += simd::dot(inverse_row(k), residual.data(), p);
  }
  w_.assign(w.data(), w.data() + p);
  r_ = rhs_;
  for (Index k = 0; k < p; ++k) simd::axpy(-w[k], column(basis_[k]), r_.data(), n_);
  for (Index i : rows_) r_[i] = 0;
  r_scale_ = std::max(1.0, r_.cwiseAbs().maxCoeff());
  return std::isfinite(error) && error <= 1e-8 * r_scale_;
}

bool Vertex::tied() const {
  for (Index k = 0; k < size(); ++k)
    if (basic_[k] < 0 && std::min(up_[k] - g_[k], down_[k] + g_[k]) <= column_tol(k)) return true;
  for (Index i : rows_)
    if (std::min(a_[i], cost_[i] - a_[i]) <= 1e-10 * a_scale_) return true;
  return false;
}

bool Vertex::pinned() const {
  for (Index i : rows_)
    if (std::min(a_[i], cost_[i] - a_[i]) > 1e-6 * std::min(a_scale_, cost_[i])) return true;
  return false;
}

Step Vertex::optimise(const Limits& limits, long budget) {
  int trouble = 0;
  for (long pivot = 0;; ++pivot) {
    if (since_refresh_ >= std::max(kMinRefreshPivots, basis_size()) && !refresh()) return Step::singular;
    if (stale_) compute_duals();
    Move move = choose();
    if (move.gain <= 0 && since_duals_ > 0) {
      compute_duals();  // Optimality is confirmed with multipliers free of accumulated rounding errors.
      move = choose();
    }
    if (move.gain <= 0) return Step::optimal;
    const Step step = pivot_on(move);
    if (step == Step::done) {
      trouble = 0;
    } else {
      if (++trouble > 2) return step;
      if (!refresh()) return Step::singular;
    }
    if (pivot > budget) return Step::limit;
    if ((pivot & 255) == 255 && limits.stop_now()) return Step::interrupted;
  }
}

// Computes all multipliers: rows outside R are at a bound, and rows in R balance the basis. O(n |W|).
void Vertex::compute_duals() {
  const Index p = basis_size();
  charged_.clear();
  delta_.clear();
  for (Index i = 0; i < n_; ++i) {
    a_[i] = row_place_[i] < 0 && positive_[i] ? cost_[i] : 0.0;
    if (a_[i] == 0) continue;
    charged_.push_back(i);
    delta_.push_back(a_[i]);
  }
  peak_ = 0;
  std::fill(g_.begin(), g_.end(), 0.0);
  add_rows(charged_);
  rescale();
  for (int pass = 0; pass < 2 && p > 0; ++pass) balance();
  stale_ = false;
  since_duals_ = 0;
}

// Adds sum_q delta_q times row which[q] of the working columns to g.
void Vertex::add_rows(const std::vector<Index>& which) {
  std::size_t q = 0;
  auto row = [&](std::size_t s) { return by_row_.data() + which[s] * capacity_; };
  for (; q + 3 < which.size(); q += 4)
    simd::axpy4(&delta_[q], row(q), row(q + 1), row(q + 2), row(q + 3), g_.data(), size());
  for (; q < which.size(); ++q) simd::axpy(delta_[q], row(q), g_.data(), size());
}

void Vertex::shift_multiplier(Index i, double to) {
  const double delta = to - a_[i];
  if (delta == 0) return;
  a_[i] = to;
  simd::axpy(delta, by_row_.data() + i * capacity_, g_.data(), size());
}

// Moves the multipliers of R so that the price of every basic column equals its cost. O(|P|^2 + |P| |W|).
void Vertex::balance() {
  const Index p = basis_size();
  const double rounding = 4e-16 * g_scale_;
  bool any = false;
  shift_.assign(p, 0.0);
  for (Index k = 0; k < p; ++k) {
    const Index q = basis_[k];
    const double error = (sign_[k] > 0 ? up_[q] : -down_[q]) - g_[q];
    if (std::abs(error) <= rounding) continue;
    shift_[k] = error;
    any = true;
  }
  if (!any) return;
  delta_.assign(p, 0.0);
  simd::add_rows(shift_.data(), inverse_row(0), p, inverse_.rows(), delta_.data(), p);
  for (Index l = 0; l < p; ++l) a_[rows_[l]] += delta_[l];
  add_rows(rows_);
  rescale();
}

// Updates the scales of rounding errors. Earlier, larger multipliers leave errors behind until all are computed
// again.
void Vertex::rescale() {
  const double norm = std::sqrt(simd::dot(a_.data(), a_.data(), n_));
  peak_ = std::max(peak_, norm);
  g_scale_ = std::max({norm, 1e-2 * peak_, 1e-300});
  a_scale_ = g_scale_;
}

// Returns the best of the improving rows and columns. O(|W| + |P|^2).
Vertex::Move Vertex::choose() {
  Move best;
  choose_row(best);
  choose_column(best);
  return best;
}

// Finds rows of R whose multiplier is outside [0, c], by exact steepest edge. O(|P|), plus at most O(|P|^2) if there
// are any.
void Vertex::choose_row(Move& best) {
  const Index p = basis_size();
  const double rounding = kRounding * a_scale_;
  const auto violation = [&](Index l) { return std::max(-a_[rows_[l]], a_[rows_[l]] - cost_[rows_[l]]); };
  outside_.resize(p);
  Index count = 0;
  for (Index l = 0; l < p; ++l) {
    outside_[count] = l;
    count += violation(l) > kDualTol * std::min(cost_[rows_[l]], a_scale_) + rounding;
  }
  // If there are many rows, the squares of all rows are summed at once.
  const bool many = kRowsPerSum * count > p;
  if (many) {
    squares_.assign(p, 0.0);
    simd::add_squares(inverse_row(0), p, inverse_.rows(), squares_.data(), p);
  }
  for (Index q = 0; q < count; ++q) {
    const Index l = outside_[q];
    const double norm = many ? squares_[l] : inverse_.row(l).head(p).squaredNorm();
    const double gain = violation(l) / std::sqrt(norm + 1e-300);
    if (gain > best.gain) best = {gain, -violation(l), -1, l, a_[rows_[l]] < 0 ? 1 : -1};
  }
}

// Finds columns whose price exceeds their cost, by steepest edge among the largest violations.
void Vertex::choose_column(Move& best) {
  double violation[kRescored];
  Index which[kRescored];
  int count = 0;
  const Index width = size();
  const double *g = g_.data(), *up = up_.data(), *down = down_.data(), rounding = kRounding * g_scale_;
  outside_.resize(width);
  Index found = 0;
  for (Index k = 0; k < width; ++k) {  // Written without branches, which would be mispredicted.
    const double v = std::max(g[k] - up[k], -g[k] - down[k]);
    outside_[found] = k;
    found += !(v <= kDualTol * std::min(up[k], down[k]) + rounding) & (basic_[k] < 0);
  }
  for (Index q = 0; q < found; ++q) {
    const Index k = outside_[q];
    const double v = std::max(g[k] - up[k], -g[k] - down[k]);
    if (count == kRescored && v <= violation[kRescored - 1]) continue;
    int at = count < kRescored ? count++ : kRescored - 1;
    for (; at > 0 && violation[at - 1] < v; --at) {
      violation[at] = violation[at - 1];
      which[at] = which[at - 1];
    }
    violation[at] = v;
    which[at] = k;
  }
  for (int c = 0; c < count; ++c) {
    if (violation[c] <= best.gain) break;  // The norm below is at least 1.
    const double gain = violation[c] / std::sqrt(1.0 + direction_norm(which[c], trial_));
    if (gain <= best.gain) continue;
    best = {gain, -violation[c], which[c], -1, g[which[c]] > 0 ? 1 : -1};
    u_.swap(trial_);
  }
}

// Computes u, the change of the basic coefficients per unit of the column; returns |u|^2. O(|P|^2).
double Vertex::direction_norm(Index q, std::vector<double>& u) {
  const Index p = basis_size();
  gathered_.resize(p);
  u.resize(p);
  const double* x = column(q);
  for (Index l = 0; l < p; ++l) gathered_[l] = x[rows_[l]];
  if (p == 0) return 0;
  simd::rows_dot(inverse_row(0), p, inverse_.rows(), gathered_.data(), p, u.data());
  return simd::dot(u.data(), u.data(), p);
}

// Computes the changes of basic coefficients (dw) and residuals (dr) per unit step; u_ is that of choose_column().
void Vertex::set_direction(const Move& move) {
  const Index p = basis_size();
  dw_.resize(p);
  dr_.assign(n_, 0.0);
  if (move.column >= 0) {
    for (Index k = 0; k < p; ++k) dw_[k] = -move.direction * u_[k];
    simd::axpy(-move.direction, column(move.column), dr_.data(), n_);
  } else {
    for (Index k = 0; k < p; ++k) dw_[k] = move.direction * inverse_(move.row, k);
  }
  Index k = 0;
  for (; k + 3 < p; k += 4) {
    const double c[4] = {-dw_[k], -dw_[k + 1], -dw_[k + 2], -dw_[k + 3]};
    simd::axpy4(c, column(basis_[k]), column(basis_[k + 1]), column(basis_[k + 2]), column(basis_[k + 3]),
                dr_.data(), n_);
  }
  for (; k < p; ++k) simd::axpy(-dw_[k], column(basis_[k]), dr_.data(), n_);
}

Step Vertex::pivot_on(const Move& move) {
  set_direction(move);
  Break stop;
  if (!long_step(move.slope, stop)) return Step::unbounded;
  if (stop.pivot < kMinRate) return Step::singular;
  for (Index id : passed_) {
    if (id < n_)
      positive_[id] = !positive_[id];
    else
      sign_[id - n_] = -sign_[id - n_];
  }
  simd::axpy(stop.at, dr_.data(), r_.data(), n_);
  for (Index i : rows_) r_[i] = 0;
  for (Index k = 0; k < basis_size(); ++k) w_[k] += stop.at * dw_[k];
  for (Index id : passed_)
    if (id < n_) shift_multiplier(id, positive_[id] ? cost_[id] : 0.0);
  if (move.column >= 0) {
    const double value = move.direction * stop.at;
    if (stop.id < n_)
      enter_with_row(move.column, stop.id, move.direction, value);
    else
      swap_columns(move.column, stop.id - n_, move.direction, value);
  } else {
    const Index row = rows_[move.row];
    positive_[row] = move.direction < 0;
    r_[row] = -move.direction * stop.at;
    if (stop.id < n_)
      swap_rows(move.row, stop.id);
    else
      leave_with_row(stop.id - n_, move.row);
    row_place_[row] = -1;
    shift_multiplier(row, positive_[row] ? cost_[row] : 0.0);
  }
  balance();
  ++pivots_;
  ++since_refresh_;
  ++since_duals_;
  return Step::done;
}

// Passes breakpoints until the objective no longer decreases; rows and columns that are passed change side without a
// pivot. A breakpoint that would end the step by itself hides those behind it, usually most, so that only the others
// are sorted. O(n + |P|), plus a logarithmic factor for those.
bool Vertex::long_step(double slope, Break& stop) {
  const double enough = -1e-14 * g_scale_;
  const Index p = basis_size();
  ahead_.resize(n_);
  heap_.resize(n_ + p);
  passed_.clear();
  double last = kInf;
  Index count = 0;
  const auto meet = [&](const Break& b) {
    heap_[count] = b;
    count += b.at <= last + kSameBreakpoint;
    if (slope + b.slope >= enough) last = std::min(last, b.at);
  };
  Index met = 0;
  for (Index i = 0; i < n_; ++i) {  // Written without branches, which would be mispredicted.
    ahead_[met] = i;
    met += ((positive_[i] ? -dr_[i] : dr_[i]) > kMinRate) & (row_place_[i] < 0);
  }
  for (Index q = 0; q < met; ++q) {
    const Index i = ahead_[q];
    const double rate = std::abs(dr_[i]), distance = positive_[i] ? r_[i] : -r_[i];
    meet({std::max(0.0, distance) / rate, cost_[i] * rate, rate, i});
  }
  for (Index k = 0; k < p; ++k) {
    const double width = up_[basis_[k]] + down_[basis_[k]];
    const double rate = -sign_[k] * dw_[k];
    if (width <= 0 || rate <= kMinRate) continue;
    meet({std::max(0.0, sign_[k] * w_[k]) / rate, width * rate, rate, n_ + k});
  }
  const auto begin = heap_.begin();
  auto end =
      std::remove_if(begin, begin + count, [=](const Break& b) { return b.at > last + kSameBreakpoint; });
  std::make_heap(begin, end);
  auto pop = [&]() {
    std::pop_heap(begin, end);
    return *--end;
  };
  while (begin != end) {
    stop = pop();
    slope += stop.slope;
    if (slope >= enough) {
      // Among equal breakpoints the one with the largest pivot is the most stable.
      while (begin != end && begin->at <= stop.at + kSameBreakpoint) {
        const Break other = pop();
        if (other.pivot > stop.pivot) stop = other;
      }
      return true;
    }
    passed_.push_back(stop.id);
  }
  return false;
}

// Computes v_l = sum_k A(row, P_k) inverse(k, l).
void Vertex::row_times_inverse(Index row) {
  const Index p = basis_size();
  v_.assign(p, 0.0);
  if (p == 0) return;
  shift_.resize(p);
  for (Index k = 0; k < p; ++k) shift_[k] = column(basis_[k])[row];
  simd::add_rows(shift_.data(), inverse_row(0), p, inverse_.rows(), v_.data(), p);
}

// Adds a column to P and a row to R by bordering the inverse. O(|P|^2), as the next three functions.
void Vertex::enter_with_row(Index q, Index row, int direction, double value) {
  const Index p = basis_size();
  if (inverse_.rows() <= p) inverse_.conservativeResize(2 * (p + 8), 2 * (p + 8));
  row_times_inverse(row);
  double s = column(q)[row];
  for (Index k = 0; k < p; ++k) s -= column(basis_[k])[row] * u_[k];
  const double inv = 1.0 / s;
  shift_.resize(p);
  for (Index k = 0; k < p; ++k) shift_[k] = u_[k] * inv;
  simd::add_outer(shift_.data(), v_.data(), inverse_row(0), p, inverse_.rows(), p);
  for (Index k = 0; k < p; ++k) inverse_(p, k) = -shift_[k];
  for (Index l = 0; l < p; ++l) inverse_(l, p) = -v_[l] * inv;
  inverse_(p, p) = inv;
  basis_.push_back(q);
  basic_[q] = p;
  sign_.push_back(direction);
  w_.push_back(value);
  rows_.push_back(row);
  row_place_[row] = p;
  r_[row] = 0;
}

void Vertex::swap_columns(Index q, Index out, int direction, double value) {
  const Index p = basis_size();
  const double inv = 1.0 / u_[out];
  for (Index l = 0; l < p; ++l) inverse_(l, out) *= inv;
  shift_.resize(p);
  for (Index k = 0; k < p; ++k) shift_[k] = k == out ? 0.0 : -u_[k];
  simd::add_outer(shift_.data(), inverse_row(out), inverse_row(0), p, inverse_.rows(), p);
  basic_[basis_[out]] = -1;
  basis_[out] = q;
  basic_[q] = out;
  sign_[out] = direction;
  w_[out] = value;
}

void Vertex::swap_rows(Index place, Index row) {
  const Index p = basis_size();
  row_times_inverse(row);
  const double inv = 1.0 / v_[place];
  v_[place] = 0;
  shift_.resize(p);
  for (Index k = 0; k < p; ++k) shift_[k] = -inverse_(place, k) * inv;
  simd::add_outer(shift_.data(), v_.data(), inverse_row(0), p, inverse_.rows(), p);
  for (Index k = 0; k < p; ++k) inverse_(place, k) = -shift_[k];
  rows_[place] = row;
  row_place_[row] = place;
  r_[row] = 0;
}

// Removes a column and a row; the last column and row of the inverse take their places.
void Vertex::leave_with_row(Index out, Index place) {
  const Index p = basis_size(), last = p - 1;
  const double inv = 1.0 / inverse_(place, out);
  shift_.resize(p);
  for (Index k = 0; k < p; ++k) shift_[k] = k == out ? 0.0 : -inverse_(place, k) * inv;
  simd::add_outer(shift_.data(), inverse_row(out), inverse_row(0), p, inverse_.rows(), p);
  basic_[basis_[out]] = -1;
  if (out != last) {
    std::copy_n(inverse_row(last), p, inverse_row(out));
    basis_[out] = basis_[last];
    basic_[basis_[out]] = out;
    w_[out] = w_[last];
    sign_[out] = sign_[last];
  }
  if (place != last) {
    for (Index k = 0; k < last; ++k) inverse_(place, k) = inverse_(last, k);
    rows_[place] = rows_[last];
    row_place_[rows_[place]] = place;
  }
  basis_.pop_back();
  rows_.pop_back();
  w_.pop_back();
  sign_.pop_back();
}

}  // namespace zeronorm

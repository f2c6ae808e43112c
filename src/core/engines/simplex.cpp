// Piecewise-linear primal simplex with column generation for
//   min  sum_j (up_j w_j^+ + down_j w_j^-) + sum_i c_i (1 - y_i (x_i w + b))_+ .
// A vertex is a set P of basic columns and as many rows R with zero residual; everything is kept on
// the |P| x |P| inverse, so a pivot costs O(|P| |W| + n |P|) for the working columns W, whatever d.
#include <algorithm>
#include <cmath>



#include <Eigen/LU>

#include "../certificate.h"
#include "../design.h"
#include "../simd.h"
#include "engine.h"
#include "pricing.h"

namespace zeronorm {
namespace {

constexpr double kPerturbation = 1e-7;   // of the right-hand sides: breaks degenerate ties
constexpr double kTieCost = 1e-7;        // of the costs: picks among optimal vertices
constexpr double kDualTol = 1e-10;       // relative to a column's cost
constexpr double kRounding = 1e-13;      // relative to the size of the terms that were summed
constexpr Index kBatch = 32;             // columns added by one pricing
constexpr Index kKept = 256;             // working columns that survive a change of costs
constexpr int kRefresh = 100;            // pivots between two fresh inverses
constexpr std::size_t kRescored = 5;     // best columns by violation that are rescored by steepest edge

// A fixed number in [0.5, 1] per row: the same data give the same answer.
double pseudo_random(Index i) {
  std::uint64_t z = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return 0.5 + 0.5 * static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

enum class Step { done, optimal, unbounded, singular, interrupted, limit };

// The vertex and its working columns: knows pivots, not the world of d columns around it.
class Vertex {
 public:
  void setup(Index n) {
    n_ = n;
    members_.clear();
    place_.clear();
    up_.clear();
    down_.clear();
    basic_.clear();
    by_column_.clear();
    capacity_ = 0;
    by_row_.clear();
    g_.clear();
    basis_.clear();
    rows_.clear();
    sign_.clear();
    w_.clear();
    inverse_.resize(0, 0);
    row_place_.assign(n, -1);
    positive_.assign(n, 1);
    rhs_ = Vec::Ones(n);
    r_ = Vec::Ones(n);
    a_ = Vec::Zero(n);
    cost_ = Vec::Zero(n);
    since_refresh_ = 0;
  }

  Index size() const { return static_cast<Index>(members_.size()); }
  Index basis_size() const { return static_cast<Index>(basis_.size()); }
  Index member(Index k) const { return members_[k]; }
  bool is_basic(Index k) const { return basic_[k] >= 0; }
  double g(Index k) const { return g_[k]; }
  long pivots() const { return pivots_; }
  const Vec& duals() const { return a_; }
  const Vec& residuals() const { return r_; }
  double coefficient(Index k) const { return basic_[k] >= 0 ? w_[basic_[k]] : 0.0; }

  // x: the column times y, of unit norm. O(n).
  void add_column(Index id, const Vec& x) {
    const Index k = size();
    if (k == capacity_) grow(std::max<Index>(64, 2 * capacity_));
    members_.push_back(id);
    basic_.push_back(-1);
    up_.push_back(0);
    down_.push_back(0);
    by_column_.insert(by_column_.end(), x.data(), x.data() + n_);
    for (Index i = 0; i < n_; ++i) by_row_[i * capacity_ + k] = x[i];
    g_.push_back(simd::dot(x.data(), a_.data(), n_));
  }

  void set_cost(Index k, double up, double down) {
    up_[k] = up;
    down_[k] = down;
  }

  // New slack costs: rows off their bound keep their multipliers until the next refresh.
  void set_row_costs(const Vec& cost) {
    cost_ = cost;
    stale_ = true;
  }
  void costs_changed() { stale_ = true; }

  // Keeps the basis and the columns for which keep[k] holds. O(n |W|).
  void prune(const std::vector<char>& keep) {
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

  // Right-hand sides 1 (+ eps u): the point moves, the vertex stays, sides follow the point.
  bool set_perturbation(double eps) {
    for (Index i = 0; i < n_; ++i) rhs_[i] = 1.0 + (eps > 0 ? eps * pseudo_random(i) : 0.0);
    if (!place_point()) return false;
    for (Index i = 0; i < n_; ++i)
      if (row_place_[i] < 0 && std::abs(r_[i]) > 1e-11 * r_scale_) positive_[i] = r_[i] > 0;
    for (Index k = 0; k < basis_size(); ++k)
      if (w_[k] != 0) sign_[k] = w_[k] > 0 ? 1 : -1;
    stale_ = true;
    return true;
  }

  // Pivots until no working column and no row improves.
  Step optimise(const Limits& limits, long budget) {
    int trouble = 0;
    for (long pivot = 0;; ++pivot) {
      if (since_refresh_ >= kRefresh && !refresh()) return Step::singular;
      if (stale_) compute_duals();
      Move move = choose();
      if (move.gain <= 0) {
        if (since_duals_ == 0) return Step::optimal;
        compute_duals();  // confirm on multipliers free of accumulated rounding
        move = choose();
        if (move.gain <= 0) return Step::optimal;
      }
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

  // Fresh inverse, point and multipliers. O(|P|^3 + |P| n).
  bool refresh() {
    since_refresh_ = 0;
    stale_ = true;
    const Index p = basis_size();
    if (p > 0) {
      Mat basis(p, p);
      for (Index k = 0; k < p; ++k)
        for (Index l = 0; l < p; ++l) basis(l, k) = column(basis_[k])[rows_[l]];
      Eigen::PartialPivLU<Mat> lu(basis);
      const Mat inverse = lu.inverse();
      if (!inverse.allFinite()) return false;
      if (inverse_.rows() < p) inverse_.resize(2 * p, 2 * p);
      inverse_.topLeftCorner(p, p) = inverse.transpose();
    }
    return place_point();
  }

  // One step of refinement on the inverse in hand; false when it has lost too much. O(|P|^2 + |P| n).
  bool place_point() {
    const Index p = basis_size();
    Vec residual(p), w = Vec::Zero(p);
    double error = 0;
    for (int pass = 0; pass < 3; ++pass) {
      for (Index l = 0; l < p; ++l) {
        double s = rhs_[rows_[l]];
        for (Index k = 0; k < p; ++k) s -= w[k] * column(basis_[k])[rows_[l]];
        residual[l] = s;
      }
      error = p > 0 ? residual.cwiseAbs().maxCoeff() : 0.0;
      if (error == 0) break;
      for (Index k = 0; k < p; ++k) w[k] += simd::dot(inverse_row(k), residual.data(), p);
    }
    w_.assign(w.data(), w.data() + p);
    r_ = rhs_;
    for (Index k = 0; k < p; ++k) simd::axpy(-w[k], column(basis_[k]), r_.data(), n_);
    for (Index l = 0; l < p; ++l) r_[rows_[l]] = 0;
    r_scale_ = std::max(1.0, r_.cwiseAbs().maxCoeff());
    const bool sound = error <= 1e-8 * r_scale_;
    return sound && std::isfinite(error);
  }

  // Slack cost plus column cost at the point of the perturbed problem.
  double objective() const {
    double value = 0;
    for (Index k = 0; k < basis_size(); ++k)
      value += w_[k] > 0 ? up_[basis_[k]] * w_[k] : -down_[basis_[k]] * w_[k];
    for (Index i = 0; i < n_; ++i)
      if (r_[i] > 0) value += cost_[i] * r_[i];
    return value;
  }

  // Does another optimal vertex seem to exist? Zero reduced cost off the basis, or a row at a bound in R.
  bool tied() const {
    for (Index k = 0; k < size(); ++k)
      if (basic_[k] < 0 && std::min(up_[k] - g_[k], down_[k] + g_[k]) <= column_tol(k)) return true;
    for (Index i : rows_)
      if (std::min(a_[i], cost_[i] - a_[i]) <= 1e-10 * a_scale_) return true;
    return false;
  }

  // Multipliers from scratch: rows off R sit at a bound, rows in R balance the basis. O(n |W|).
  void compute_duals() {
    const Index p = basis_size();
    for (Index i = 0; i < n_; ++i)
      if (row_place_[i] < 0) a_[i] = positive_[i] ? cost_[i] : 0.0;
    for (Index i : rows_) a_[i] = 0.0;
    peak_ = 0;
    std::fill(g_.begin(), g_.end(), 0.0);
    add_rows(all_rows());
    for (int pass = 0; pass < 2 && p > 0; ++pass) balance();
    if (p == 0) rescale();
    stale_ = false;
    since_duals_ = 0;
  }

 private:
  struct Move {
    double gain = 0;   // steepest-edge score; 0: nothing improves
    double slope = 0;  // change of the objective per unit step, negative
    Index column = -1; // entering working column, or
    Index row = -1;    // position in R of the leaving row
    int direction = 0;
  };
  struct Break {
    double at, slope, pivot;
    Index id;  // row i, or n + position in P
    bool operator<(const Break& other) const { return at > other.at; }
  };

  const double* column(Index k) const { return &by_column_[k * n_]; }
  // inverse_ is kept transposed in Eigen's column-major storage: row k of the inverse is contiguous.
  double* inverse_row(Index k) { return &inverse_(0, k); }
  double column_tol(Index k) const {
    return kDualTol * std::min(up_[k], down_[k]) + kRounding * g_scale_;
  }

  void grow(Index capacity) {
    std::vector<double> wider(n_ * capacity, 0.0);
    for (Index i = 0; i < n_; ++i)
      std::copy_n(by_row_.data() + i * capacity_, size(), wider.data() + i * capacity);
    by_row_.swap(wider);
    capacity_ = capacity;
  }

  const std::vector<Index>& all_rows() {
    everything_.clear();
    for (Index i = 0; i < n_; ++i)
      if (a_[i] != 0) everything_.push_back(i);
    delta_.assign(everything_.size(), 0.0);
    for (std::size_t q = 0; q < everything_.size(); ++q) delta_[q] = a_[everything_[q]];
    return everything_;
  }

  // g += sum_q delta_q times row which[q] of the working columns.
  void add_rows(const std::vector<Index>& which) {
    std::size_t q = 0;
    auto row = [&](std::size_t s) { return &by_row_[which[s] * capacity_]; };
    for (; q + 3 < which.size(); q += 4)
      simd::axpy4(&delta_[q], row(q), row(q + 1), row(q + 2), row(q + 3), g_.data(), size());
    for (; q < which.size(); ++q) simd::axpy(delta_[q], row(q), g_.data(), size());
  }

  void shift_multiplier(Index i, double to) {
    const double delta = to - a_[i];
    if (delta == 0) return;
    a_[i] = to;
    simd::axpy(delta, &by_row_[i * capacity_], g_.data(), size());
  }

  // Moves the multipliers of R so that every basic column prices at its cost. O(|P|^2 + |P| |W|).
  void balance() {
    const Index p = basis_size();
    delta_.assign(p, 0.0);
    for (Index k = 0; k < p; ++k) {
      const Index q = basis_[k];
      const double error = (sign_[k] > 0 ? up_[q] : -down_[q]) - g_[q];
      if (error != 0) simd::axpy(error, inverse_row(k), delta_.data(), p);
    }
    for (Index l = 0; l < p; ++l) a_[rows_[l]] += delta_[l];
    add_rows(rows_);
    rescale();
  }

  // What the multipliers once were leaves rounding behind until they are computed afresh.
  void rescale() {
    const double norm = a_.norm();
    peak_ = std::max(peak_, norm);
    g_scale_ = std::max({norm, 1e-2 * peak_, 1e-300});
    a_scale_ = std::max({a_.cwiseAbs().maxCoeff(), 1e-2 * peak_, 1e-300});
  }

  // The best of: rows of R whose multiplier left [0, c] (exact steepest edge), columns of W whose
  // price exceeds their cost (steepest edge for the few largest violations). O(|W| + |P|^2).
  Move choose() {
    Move best;
    const Index p = basis_size();
    for (Index l = 0; l < p; ++l) {
      const Index i = rows_[l];
      const double under = -a_[i], over = a_[i] - cost_[i];
      const double violation = std::max(under, over);
      if (violation <= kDualTol * std::min(cost_[i], a_scale_) + kRounding * a_scale_) continue;
      double norm = 0;
      for (Index k = 0; k < p; ++k) norm += inverse_(l, k) * inverse_(l, k);
      const double gain = violation / std::sqrt(norm + 1e-300);
      if (gain > best.gain) best = {gain, -violation, -1, l, under > over ? 1 : -1};
    }
    candidates_.clear();
    for (Index k = 0; k < size(); ++k) {
      const double violation = std::max(g_[k] - up_[k], -g_[k] - down_[k]);
      if (violation > 0 && basic_[k] < 0 && violation > column_tol(k)) candidates_.push_back({violation, k});
    }
    const std::size_t top = std::min(kRescored, candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + top, candidates_.end(),
                      [](const auto& x, const auto& z) { return x.first > z.first; });
    for (std::size_t c = 0; c < top; ++c) {
      const Index q = candidates_[c].second;
      if (candidates_[c].first <= best.gain) break;  // the norm below is at least 1
      gather(q);
      double norm = 1;
      for (Index k = 0; k < p; ++k) {
        const double u = simd::dot(inverse_row(k), gathered_.data(), p);
        norm += u * u;
      }
      const double gain = candidates_[c].first / std::sqrt(norm);
      if (gain > best.gain) best = {gain, -candidates_[c].first, q, -1, g_[q] > 0 ? 1 : -1};
    }
    return best;
  }

  void gather(Index q) {
    gathered_.resize(basis_size());
    for (Index l = 0; l < basis_size(); ++l) gathered_[l] = column(q)[rows_[l]];
  }

  Step pivot_on(const Move& move) {
    const Index p = basis_size();
    dw_.resize(p);
    dr_.assign(n_, 0.0);
    if (move.column >= 0) {
      gather(move.column);
      u_.resize(p);
      for (Index k = 0; k < p; ++k) {
        u_[k] = simd::dot(inverse_row(k), gathered_.data(), p);
        dw_[k] = -move.direction * u_[k];
      }
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

    Break stop;
    if (!long_step(move.slope, stop)) return Step::unbounded;
    const double pivot = stop.pivot;
    if (pivot < 1e-11) return Step::singular;
    for (Index id : passed_) {
      if (id < n_) positive_[id] = !positive_[id];
      else sign_[id - n_] = -sign_[id - n_];
    }
    const double t = stop.at;
    simd::axpy(t, dr_.data(), r_.data(), n_);
    for (Index l = 0; l < p; ++l) r_[rows_[l]] = 0;
    for (Index c = 0; c < p; ++c) w_[c] += t * dw_[c];
    for (Index id : passed_)
      if (id < n_) shift_multiplier(id, positive_[id] ? cost_[id] : 0.0);
    if (move.column >= 0) {
      const double value = move.direction * t;
      if (stop.id < n_) enter_with_row(move.column, stop.id, move.direction, value);
      else swap_columns(move.column, stop.id - n_, move.direction, value);
    } else {
      const Index row = rows_[move.row];
      positive_[row] = move.direction < 0;
      r_[row] = -move.direction * t;
      if (stop.id < n_) swap_rows(move.row, stop.id);
      else leave_with_row(stop.id - n_, move.row);
      row_place_[row] = -1;
      shift_multiplier(row, positive_[row] ? cost_[row] : 0.0);
    }
    balance();
    ++pivots_;
    ++since_refresh_;
    ++since_duals_;
    return Step::done;
  }

  // Walks over breakpoints until the objective stops falling. O((n + |P|) log) at worst.
  bool long_step(double slope, Break& stop) {
    heap_.clear();
    passed_.clear();
    const double tiny = 1e-11;
    for (Index i = 0; i < n_; ++i) {
      if (row_place_[i] >= 0) continue;
      const double rate = positive_[i] ? -dr_[i] : dr_[i];
      if (rate <= tiny) continue;
      const double distance = positive_[i] ? r_[i] : -r_[i];
      heap_.push_back({std::max(0.0, distance) / rate, cost_[i] * rate, rate, i});
    }
    for (Index k = 0; k < basis_size(); ++k) {
      const double width = up_[basis_[k]] + down_[basis_[k]];
      const double rate = -sign_[k] * dw_[k];
      if (width <= 0 || rate <= tiny) continue;
      heap_.push_back({std::max(0.0, sign_[k] * w_[k]) / rate, width * rate, rate, n_ + k});
    }
    std::make_heap(heap_.begin(), heap_.end());
    auto pop = [&]() {
      std::pop_heap(heap_.begin(), heap_.end());
      const Break b = heap_.back();
      heap_.pop_back();
      return b;
    };
    while (!heap_.empty()) {
      stop = pop();
      slope += stop.slope;
      if (slope >= -1e-14 * g_scale_) {
        // Among equal breakpoints the largest pivot is the safest.
        while (!heap_.empty() && heap_.front().at <= stop.at + 1e-12) {
          const Break other = pop();
          if (other.pivot > stop.pivot) stop = other;
        }
        return true;
      }
      passed_.push_back(stop.id);
    }
    return false;
  }

  void reserve_inverse(Index p) {
    if (inverse_.rows() >= p) return;
    inverse_.conservativeResize(2 * p, 2 * p);
  }

  // v_l = sum_k A(row, P_k) inverse(k, l)
  void row_times_inverse(Index row) {
    const Index p = basis_size();
    v_.assign(p, 0.0);
    for (Index k = 0; k < p; ++k) simd::axpy(column(basis_[k])[row], inverse_row(k), v_.data(), p);
  }

  // P and R both grow by one: the inverse is bordered. O(|P|^2), as the next three.
  void enter_with_row(Index q, Index row, int direction, double value) {
    const Index p = basis_size();
    reserve_inverse(p + 1);
    row_times_inverse(row);
    double s = column(q)[row];
    for (Index k = 0; k < p; ++k) s -= column(basis_[k])[row] * u_[k];
    const double inv = 1.0 / s;
    for (Index k = 0; k < p; ++k) {
      simd::axpy(u_[k] * inv, v_.data(), inverse_row(k), p);
      inverse_(p, k) = -u_[k] * inv;
    }
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

  void swap_columns(Index q, Index out, int direction, double value) {
    const Index p = basis_size();
    const double inv = 1.0 / u_[out];
    for (Index l = 0; l < p; ++l) inverse_(l, out) *= inv;
    for (Index k = 0; k < p; ++k)
      if (k != out && u_[k] != 0) simd::axpy(-u_[k], inverse_row(out), inverse_row(k), p);
    basic_[basis_[out]] = -1;
    basis_[out] = q;
    basic_[q] = out;
    sign_[out] = direction;
    w_[out] = value;
  }

  void swap_rows(Index place, Index row) {
    const Index p = basis_size();
    row_times_inverse(row);
    const double inv = 1.0 / v_[place];
    v_[place] = 0;
    for (Index k = 0; k < p; ++k) {
      const double m = inverse_(place, k) * inv;
      simd::axpy(-m, v_.data(), inverse_row(k), p);
      inverse_(place, k) = m;
    }
    rows_[place] = row;
    row_place_[row] = place;
    r_[row] = 0;
  }

  void leave_with_row(Index out, Index place) {
    const Index p = basis_size(), last = p - 1;
    const double inv = 1.0 / inverse_(place, out);
    for (Index k = 0; k < p; ++k) {
      if (k == out) continue;
      simd::axpy(-inverse_(place, k) * inv, inverse_row(out), inverse_row(k), p);
    }
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

  Index n_ = 0;
  // Working columns, both ways round: by column for directions, by row for prices.
  std::vector<Index> members_, place_, basic_;
  std::vector<double> up_, down_, by_column_, by_row_, g_;
  Index capacity_ = 0;
  // The vertex.
  std::vector<Index> basis_, rows_, row_place_;
  std::vector<int> sign_;
  std::vector<double> w_;
  std::vector<char> positive_;
  Mat inverse_;
  Vec rhs_, r_, a_, cost_;
  double a_scale_ = 1, g_scale_ = 1, r_scale_ = 1, peak_ = 0;
  bool stale_ = true;
  long pivots_ = 0;
  int since_refresh_ = 0, since_duals_ = 0;
  // Scratch.
  std::vector<double> delta_, gathered_, u_, v_, dw_, dr_;
  std::vector<Index> everything_, passed_;
  std::vector<Break> heap_;
  std::vector<std::pair<double, Index>> candidates_;
};

class Simplex : public Engine {
 public:
  std::string name() const override { return "simplex"; }

  std::string refuses(const Problem& problem, const Surrogate& s) const override {
    if (problem.y.cols() != 1 || problem.loss != Loss::hinge)
      return "The simplex solves two-class problems with the hinge loss.";
    if (problem.quadratic != Quadratic::none) return "The simplex solves linear programs, not kernel machines.";
    if (!s.groups.empty()) return "The simplex has no linking rows between columns.";
    if (s.has_ridge()) return "The simplex solves linear programs: no ridge.";
    for (Index j = 0; j < s.scale.size(); ++j)
      if (s.scale[j] > 0 && (s.cost_up(j) < 0 || s.cost_down(j) < 0))
        return "The linear term exceeds the l1 cost: the problem has no minimum.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    n_ = problem.x->rows();
    d_ = problem.x->cols();
    y_ = problem.y.col(0);
    pricing_.setup(problem.x);
    at_.assign(d_ + 1, -1);
    g_ = Vec::Zero(d_);
    vertex_.setup(n_);
    slack_cost_ = 0;
    if (problem.intercept) add(d_);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    surrogate_ = &surrogate;
    limits_ = &limits;
    const long before = vertex_.pivots();
    tie_ = 0;
    forget_removed();
    price_costs();
    Solution solution;
    solution.status = problem_->hard() ? solve_hard() : solve_soft();
    solution.engine = name();
    solution.iterations = vertex_.pivots() - before;
    if (solution.status == Status::infeasible) return farkas(std::move(solution));
    read_point(solution);
    keep_promising();
    return solution;
  }

 private:
  double norm(Index j) const { return j == d_ ? norm_b() : pricing_.norms()[j]; }
  double norm_b() const { return std::sqrt(static_cast<double>(n_)); }
  bool free_column(Index j) const { return j == d_; }

  void add(Index j) {
    Vec x(n_);
    if (j == d_) x.setOnes();
    else pricing_.column(j, x.data());
    x = x.cwiseProduct(y_) / norm(j);
    at_[j] = vertex_.size();
    vertex_.add_column(j, x);
    if (surrogate_ != nullptr) price(at_[j]);
  }

  // Working columns have unit norm, so costs are per unit norm. tie_ adds the rule for ties: the
  // smallest |w|_1, then the lowest column.
  void price(Index k) {
    const Index j = vertex_.member(k);
    if (free_column(j)) return vertex_.set_cost(k, 0, 0);
    const double extra = tie_extra(j);
    vertex_.set_cost(k, (surrogate_->cost_up(j) + extra) / norm(j), (surrogate_->cost_down(j) + extra) / norm(j));
  }
  double tie_extra(Index j) const { return tie_ * (1.0 + 1e-3 * static_cast<double>(j) / static_cast<double>(d_)); }

  void price_costs() {
    for (Index k = 0; k < vertex_.size(); ++k) price(k);
    vertex_.costs_changed();
  }

  bool usable(Index j) const { return surrogate_->scale[j] > 0 && pricing_.norms()[j] > 0; }

  // Removed columns leave W; one that is still basic takes the vertex with it.
  void forget_removed() {
    std::vector<char> keep(vertex_.size(), 1);
    bool any = false;
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      if (j == d_ || surrogate_->scale[j] > 0) continue;
      if (vertex_.is_basic(k)) return restart();
      keep[k] = 0;
      any = true;
    }
    if (any) prune(keep);
  }

  void prune(const std::vector<char>& keep) {
    for (Index k = 0; k < vertex_.size(); ++k)
      if (!keep[k]) at_[vertex_.member(k)] = -1;
    vertex_.prune(keep);
    for (Index k = 0; k < vertex_.size(); ++k) at_[vertex_.member(k)] = k;
  }

  // The K columns that violate most, per unit norm; true where there were none. O(|SV| d).
  bool price_all(const Vec& a, Index batch) {
    pricing_.all(a.cwiseProduct(y_), g_);
    const double rounding = 1e-12 * a.norm();
    violators_.clear();
    for (Index j = 0; j < d_; ++j) {
      const double up = surrogate_->cost_up(j) + (tie_ > 0 ? tie_extra(j) : 0.0);
      const double down = surrogate_->cost_down(j) + (tie_ > 0 ? tie_extra(j) : 0.0);
      const double excess = g_[j] > 0 ? g_[j] - up : -g_[j] - down;
      if (excess <= 0 || at_[j] >= 0 || !usable(j)) continue;
      const double nj = pricing_.norms()[j];
      if (excess > kDualTol * std::min(up, down) + rounding * nj) violators_.push_back({excess / nj, j});
    }
    const std::size_t top = std::min<std::size_t>(batch, violators_.size());
    std::partial_sort(violators_.begin(), violators_.begin() + top, violators_.end(),
                      [](const auto& x, const auto& z) { return x.first > z.first || (x.first == z.first && x.second < z.second); });
    for (std::size_t q = 0; q < top; ++q) add(violators_[q].second);
    return top == 0;
  }

  // Multipliers with equal weight on both classes: the screen that starts the column generation.
  Vec balanced() const {
    Vec a = cost_;
    double plus = 0, minus = 0;
    for (Index i = 0; i < n_; ++i) (y_[i] > 0 ? plus : minus) += a[i];
    if (problem_->intercept && plus > 0 && minus > 0)
      for (Index i = 0; i < n_; ++i) a[i] *= std::min(plus, minus) / (y_[i] > 0 ? plus : minus);
    return a;
  }

  // Alternates pivots inside W with a pass over all columns until no column violates.
  Status generate(double eps) {
    const Index batch = d_ >= 100000 && vertex_.size() <= 1 ? 2 * kBatch : kBatch;
    if (vertex_.basis_size() == 0 && vertex_.size() <= 1) price_all(balanced(), batch);
    const long budget = 50 * (n_ + 100) + 20000;
    bool perturbed = eps > 0;
    if (!vertex_.set_perturbation(eps) && !vertex_.refresh()) return Status::numerical;
    for (int round = 0; round < 10000; ++round) {
      const Step step = vertex_.optimise(*limits_, budget);
      if (step == Step::interrupted || limits_->stop_now()) return Status::interrupted;
      if (step == Step::limit) return Status::limit;
      if (step != Step::optimal) return Status::numerical;
      if (perturbed) {
        // Prove optimality for the true right-hand sides; only a vertex that moved needs more pivots.
        perturbed = !price_all(vertex_.duals(), kBatch);
        if (perturbed) continue;
        if (!vertex_.set_perturbation(0) && (!vertex_.refresh() || !vertex_.set_perturbation(0)))
          return Status::numerical;
        const long pivots = vertex_.pivots();
        const Step again = vertex_.optimise(*limits_, budget);
        if (again == Step::interrupted) return Status::interrupted;
        if (again != Step::optimal) return Status::numerical;
        if (vertex_.pivots() == pivots) return Status::optimal;
      }
      if (price_all(vertex_.duals(), kBatch)) return Status::optimal;
    }
    return Status::limit;
  }

  Status optimum() {
    Status status = generate(kPerturbation);
    if (status == Status::numerical || status == Status::limit) {
      restart();
      status = generate(1e-5);
    }
    return status;
  }

  void restart() {
    vertex_.setup(n_);
    std::fill(at_.begin(), at_.end(), -1);
    if (problem_->intercept) add(d_);
    if (cost_.size() == n_) vertex_.set_row_costs(cost_);
  }

  void set_slack_costs(const Vec& cost) {
    cost_ = cost;
    vertex_.set_row_costs(cost_);
  }

  Status solve_soft() {
    if (slack_cost_ == 0) set_slack_costs(problem_->cost);
    slack_cost_ = 1;
    return with_ties();
  }

  // Costs of zero leave the vertex to chance, so they are never solved bare.
  bool all_costs_zero() const {
    for (Index j = 0; j < d_; ++j)
      if (surrogate_->scale[j] > 0 && (surrogate_->cost_up(j) > 0 || surrogate_->cost_down(j) > 0)) return false;
    return true;
  }

  bool tied_anywhere() {
    if (vertex_.tied()) return true;
    for (Index j = 0; j < d_; ++j) {
      if (at_[j] >= 0 || !usable(j)) continue;
      const double slack = std::min(surrogate_->cost_up(j) - g_[j], surrogate_->cost_down(j) + g_[j]);
      if (slack <= kDualTol * std::min(surrogate_->cost_up(j), surrogate_->cost_down(j))) return true;
    }
    return false;
  }

  // Solves, then, only where another optimal vertex may exist, moves along the optimal face to the
  // one that the rule for ties picks, and proves it again under the true costs.
  Status with_ties() {
    const bool bare = all_costs_zero();
    if (!bare) {
      const Status status = optimum();
      if (status != Status::optimal || !tied_anywhere()) return status;
    }
    const double unit = std::max(vertex_.duals().norm(), cost_.cwiseMin(1e100).norm() * 1e-3);
    tie_ = kTieCost * unit / std::max(pricing_.norms().mean(), 1e-300);
    price_costs();
    Status status = optimum();
    tie_ = 0;
    price_costs();
    if (status == Status::interrupted) return status;
    return optimum();
  }

  // Finite slack costs, raised until no slack is left: exact from there on.
  Status solve_hard() {
    if (slack_cost_ == 0) slack_cost_ = first_slack_cost();
    for (int raise = 0; raise < 3; ++raise) {
      set_slack_costs(Vec::Constant(n_, slack_cost_));
      const Status status = with_ties();
      if (status != Status::optimal || separated()) return status;
      slack_cost_ *= 100;
    }
    if (!separable()) return Status::infeasible;
    for (; slack_cost_ < 1e14; slack_cost_ *= 100) {
      set_slack_costs(Vec::Constant(n_, slack_cost_));
      const Status status = with_ties();
      if (status != Status::optimal || separated()) return status;
    }
    return Status::numerical;
  }

  bool separated() const { return vertex_.residuals().maxCoeff() <= 1e-9; }

  double first_slack_cost() const {
    double total = 0;
    Index used = 0;
    for (Index j = 0; j < d_; ++j) {
      if (!usable(j)) continue;
      total += std::max(surrogate_->cost_up(j), surrogate_->cost_down(j)) / pricing_.norms()[j];
      ++used;
    }
    return std::max(10.0 * std::sqrt(static_cast<double>(n_)) * total / std::max<Index>(used, 1), 1e-300);
  }

  // Least sum of slacks: zero exactly where the classes can be separated; else its duals are a
  // Farkas ray of the hard margin.
  bool separable() {
    Surrogate zero;
    zero.l1 = Vec::Zero(d_);
    zero.scale = surrogate_->scale;
    const Surrogate* own = surrogate_;
    surrogate_ = &zero;
    set_slack_costs(Vec::Ones(n_));
    price_costs();
    const Status status = optimum();
    const bool found = status != Status::optimal || vertex_.residuals().cwiseMax(0.0).sum() <= 1e-9 * n_;
    if (!found) ray_ = vertex_.duals().cwiseMax(0.0);
    surrogate_ = own;
    price_costs();
    return found;
  }

  Solution farkas(Solution solution) {
    solution.w = Mat::Zero(d_, 1);
    solution.b = Vec::Zero(1);
    solution.dual = ray_;
    solution.note = "The multipliers prove that no hyperplane separates the classes.";
    slack_cost_ = 0;
    return solution;
  }

  void read_point(Solution& solution) {
    solution.w = Mat::Zero(d_, 1);
    solution.b = Vec::Zero(1);
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      const double value = vertex_.coefficient(k) / norm(j);
      if (j == d_) solution.b[0] = value;
      else solution.w(j, 0) = value;
    }
    solution.dual = vertex_.duals().cwiseMax(0.0).cwiseMin(cost_);
    if (problem_->intercept && solution.status == Status::optimal) {
      Vec f = Vec::Constant(n_, 0.0);
      f = y_.array() * (1.0 - vertex_.residuals().array()) - solution.b[0];
      solution.b[0] = best_intercept(f, y_, problem_->cost, Loss::hinge);
    }
  }

  // Basic columns and those nearest to entering stay for the next costs.
  void keep_promising() {
    if (vertex_.size() <= kKept) return;
    std::vector<std::pair<double, Index>> order;
    std::vector<char> keep(vertex_.size(), 0);
    Index kept = 0;
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      if (j == d_ || vertex_.is_basic(k)) {
        keep[k] = 1;
        ++kept;
      } else {
        order.push_back({-std::abs(g_[j]) / std::max(surrogate_->l1[j], 1e-300), k});
      }
    }
    std::sort(order.begin(), order.end());
    for (const auto& item : order) {
      if (kept >= kKept) break;
      keep[item.second] = 1;
      ++kept;
    }
    prune(keep);
  }

  const Problem* problem_ = nullptr;
  const Surrogate* surrogate_ = nullptr;
  const Limits* limits_ = nullptr;
  Index n_ = 0, d_ = 0;
  Vec y_, cost_, g_, ray_;
  Pricing pricing_;
  Vertex vertex_;
  std::vector<Index> at_;  // column -> place in W, or -1; d_ is the intercept
  std::vector<std::pair<double, Index>> violators_;
  double slack_cost_ = 0, tie_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_simplex() { return std::make_unique<Simplex>(); }

}  // namespace zeronorm

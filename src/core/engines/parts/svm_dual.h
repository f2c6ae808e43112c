// The convex quadratic programme behind every dual machine, by a primal active set:
//   max  t'v - 1/2 v'(K + D) v   over signed multipliers v = y a,  0 <= a <= c,  F'v = 0,
// t = y m (the labels where margins are one), K a Gram matrix, D = diag(1/c) for squared slacks, F = [1, free
// columns].  Multipliers between their bounds form the basis R; its residuals t - Kv - Dv - F theta are zero, and one multiplier at a time
// moves until its residual vanishes, dragging R along.
#pragma once

#include "base/types.h"

namespace zeronorm {

// Cholesky factor U'U of Q on the basis, Q = K + D + rho F F' (positive definite there: F'v = 0 makes
// the added term harmless), with G = U'^-1 F beside it.
class BasisFactor {
 public:
  IndexList rows;

  Index size() const { return static_cast<Index>(rows.size()); }
  Eigen::Block<const Mat> g() const { return g_.topLeftCorner(size(), g_.cols()); }
  // For at most this many rows.
  void clear(Index equalities, Index most);

  // O(|R|^2).
  void solve_lower(Eigen::Ref<Vec> v) const;
  void solve_upper(Eigen::Ref<Vec> v) const;

  // Row p with l = U'^-1 Q_Rp and row p of F. O(|R|).
  void append(Index p, const Eigen::Ref<const Vec>& l, double pivot, const Vec& f_row);
  // Givens rotations restore the triangle; l turns along, its last entry leaves the factor. O(|R|^2).
  void remove(Index at, Eigen::Ref<Vec> l);

 private:
  Mat u_, g_;
  Vec cos_, sin_;
  Index most_ = 0;

  void turn(double& a, double& b, Index j) const;
  void grow();
};

class BoxQp {
 public:
  enum class Outcome { optimal, ray, limit, stalled, interrupted };

  Vec beta;   // signed multipliers, kept between calls: feasible for any K
  Vec theta;  // multipliers of F'v = 0: intercept and free coefficients
  Vec ray;    // where the dual is unbounded
  long steps = 0;

  void setup(const Vec& y, const Vec& margin, const Vec& cost, Loss loss);
  // Any linear term in the place of y * margin, any bounds around zero, no D.
  void setup(const Vec& linear, const Vec& lower, const Vec& upper);

  // Gives back the memory of the factor, which every solve makes anew.
  void release() { factor_ = BasisFactor(); }

  // F may have dependent columns, which then get no coefficient. Warm from beta. O(steps * n |R|).
  Outcome solve(const Mat& k, const Mat& equalities, const Limits& limits);

  // Coefficients of the columns of F as given. O(m).
  Vec coefficients() const;
  // Kv, without D and F theta.
  Vec values() const { return value_ - d_.cwiseProduct(beta); }
  double dual_value() const { return target_.dot(beta) - 0.5 * beta.dot(value_); }
  // Rounding in a value formed from K. O(n).
  double noise() const;

  // One step of iterative refinement against values formed from the data instead of K: the correction
  // of the multipliers, unrounded. O(|R|^2).
  Vec refine(const Vec& exact);
  // The same for the ray, whose values Kv should vanish. O(|R|^2).
  void refine_ray(const Vec& exact);
  // Values formed from the data, to grade by. O(n).
  void set_values(const Vec& exact) { value_ = exact + d_.cwiseProduct(beta); }

 private:
  enum class Move { progress, degenerate, ray };
  struct Block {
    double t = kInf;
    Index at = -1;
  };
  struct Pair {
    Index up = -1, down = -1;
    double high, low;
  };

  const Mat* k_ = nullptr;
  const Limits* limits_ = nullptr;  // of this call
  Vec target_, d_, lo_, hi_, diag_, root_;
  Mat f_;        // independent columns of F, to unit mean square
  Vec f_scale_;  // of the columns as given
  IndexList kept_, pivots_;
  bool constant_ = false;  // F is nothing or one constant column
  bool margins_ = true;    // the target is that of margins
  double rho_ = 1, f_largest_ = 0;
  Vec value_;  // (K + D) beta
  BasisFactor factor_;
  std::vector<char> basic_;
  Vec l_, step_, old_;
  IndexList touched_;

  double residual(Index i) const;
  double violation(Index i, double r) const;
  bool interior(Index i) const { return beta[i] > lo_[i] && beta[i] < hi_[i]; }
  double q(Index i, Index j) const;

  void add_values(const IndexList& at, const Vec& delta);
  void refresh_values();
  void remember(Index p);
  void settle_values();

  void take_equalities(const Mat& given);
  IndexList eliminate(Mat rest);

  bool crash();
  Pair most_violating() const;
  Index best_partner(Index up, double high) const;
  double curvature(Index i, Index j) const;
  bool crash_single(const Pair& pair);
  bool crash_pair(const Pair& pair);
  void shift(Index i, double by);

  double pivot_of(Index p);
  void enter(Index p, const Eigen::Ref<const Vec>& l, double pivot2);
  void leave(Index at, Eigen::Ref<Vec> l);
  void choose_basis();
  void try_enter(Index p);

  Vec solve_equalities(const Vec& h) const;
  void solve_basis(const Eigen::Ref<const Vec>& r, const Vec& imbalance);
  void balance_step(const Vec& imbalance);
  double largest_step() const;
  Block ratio_test(double s, bool lowest, double tiny) const;
  bool holds_rank(Index at) const;
  void advance(double t);
  void snap(Index i, double direction) { beta[i] = direction > 0 ? hi_[i] : lo_[i]; }

  void restore();
  double theta_noise() const;
  bool imbalanced() const;
  double basis_residual() const;
  void settle_basis();
  Index price(bool lowest) const;
  Move improve(Index p, bool lowest);
  void take_ray(Index p, double s);
  void forget_rounding();
  void forget_runaway();
  Outcome iterate();
};

}  // namespace zeronorm

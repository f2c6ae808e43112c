// The convex quadratic programme of every SVM dual, by a primal active-set method:
//   max  t'v - 1/2 v'(K + D) v   over signed multipliers v = y a,  0 <= a <= c,  F'v = 0,
// with t = y m (the labels if margins are one), K a Gram matrix, D = diag(1/c) for squared violations, and F = [1,
// unpenalised columns]. The multipliers between their bounds form the basis R, whose residuals t - Kv - Dv - F theta
// are zero. One multiplier at a time moves until its residual vanishes, and R follows.
#pragma once

#include "base/types.h"

namespace zeronorm {

// The Cholesky factor U'U of Q = K + D + rho F F' on the basis, together with G = U'^-1 F. Q is positive definite
// there, and because F'v = 0 the added term changes nothing.
class BasisFactor {
 public:
  IndexList rows;

  Index size() const { return static_cast<Index>(rows.size()); }
  Eigen::Block<const Mat> g() const { return g_.topLeftCorner(size(), g_.cols()); }
  // Empties the factor and prepares it for at most this many rows.
  void clear(Index equalities, Index most);

  // Solve with U' and with U. O(|R|^2).
  void solve_lower(Eigen::Ref<Vec> v) const;
  void solve_upper(Eigen::Ref<Vec> v) const;

  // Appends row p with l = U'^-1 Q_Rp and row p of F. O(|R|).
  void append(Index p, const Eigen::Ref<const Vec>& l, double pivot, const Vec& f_row);
  // Removes a row; Givens rotations restore the triangle and are applied to l, whose last entry leaves the factor.
  // O(|R|^2).
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

  // The signed multipliers, kept between calls; they are feasible for any K.
  Vec beta;
  // The multipliers of F'v = 0: the intercept and the unpenalised coefficients.
  Vec theta;
  // A direction in which the dual is unbounded.
  Vec ray;
  long steps = 0;

  void setup(const Vec& y, const Vec& margin, const Vec& cost, Loss loss);
  // Takes any linear term in place of y * margin and any bounds around zero, without D.
  void setup(const Vec& linear, const Vec& lower, const Vec& upper);

  // Releases the memory of the factor, which every solve makes again.
  void release() { factor_ = BasisFactor(); }

  // Solves from beta. F may have dependent columns, which then get no coefficient. O(steps * n |R|).
  Outcome solve(const Mat& k, const Mat& equalities, const Limits& limits);

  // Returns the coefficients of the columns of F as given. O(m).
  Vec coefficients() const;
  // Returns Kv, without D and F theta.
  Vec values() const { return value_ - d_.cwiseProduct(beta); }
  double dual_value() const { return target_.dot(beta) - 0.5 * beta.dot(value_); }
  // Returns the rounding error of a value computed from K. O(n).
  double noise() const;

  // Takes one step of iterative refinement with values computed from the data instead of K. Returns the correction of
  // the multipliers without rounding. O(|R|^2).
  Vec refine(const Vec& exact);
  // Refines the ray, whose values Kv should vanish, in the same way. O(|R|^2).
  void refine_ray(const Vec& exact);
  // Sets values that were computed from the data, to certify with. O(n).
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
  // The limits of this call.
  const Limits* limits_ = nullptr;
  Vec target_, d_, lo_, hi_, diag_, root_;
  // The independent columns of F, scaled to unit mean square.
  Mat f_;
  // The scales of the columns as given.
  Vec f_scale_;
  IndexList kept_, pivots_;
  // Whether F is empty or one constant column.
  bool constant_ = false;
  // Whether the target is that of margins.
  bool margins_ = true;
  double rho_ = 1, f_largest_ = 0;
  // The product (K + D) beta.
  Vec value_;
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

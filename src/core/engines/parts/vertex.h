// A vertex of a piecewise-linear function and its pivots, on the working columns W only.
//
// A vertex is a set P of basic columns and a set R of as many rows with zero residual; all computations use the |P| x
// |P| inverse of the rows R of the columns P. Rows outside R are positive (r > 0, multiplier c_i) or not (r < 0,
// multiplier 0); basic columns have a sign. A pivot costs O(|P| |W| + n |P|).
#pragma once

#include <utility>

#include "base/types.h"

namespace zeronorm {

// Tolerance of a price or multiplier, relative to its cost.
constexpr double kDualTol = 2e-11;
// Rounding error of a sum, relative to the size of its terms.
constexpr double kRounding = 1e-13;

enum class Step { done, optimal, unbounded, singular, interrupted, limit };

class Vertex {
 public:
  // Starts without columns, with rows of these right-hand sides.
  void setup(const Vec& rhs);

  Index size() const { return static_cast<Index>(members_.size()); }
  Index basis_size() const { return static_cast<Index>(basis_.size()); }
  Index member(Index k) const { return members_[k]; }
  bool is_basic(Index k) const { return basic_[k] >= 0; }
  double coefficient(Index k) const { return basic_[k] >= 0 ? w_[basic_[k]] : 0.0; }
  const Vec& duals() const { return a_; }
  const Vec& residuals() const { return r_; }
  long pivots() const { return pivots_; }

  // Reserves memory for this many working columns.
  void reserve(Index columns);
  // Adds a column times the labels, of unit norm. O(n).
  void add_column(Index id, const Vec& x);
  void set_cost(Index k, double up, double down);
  void set_row_costs(const Vec& cost);
  // Keeps the columns for which keep[k] holds; basic ones must be among them. O(n |W|).
  void prune(const std::vector<char>& keep);
  // Moves to the vertex of these working columns and as many of these rows, or of those that are independent. Returns
  // false if it is singular nevertheless. O(|columns|^2 |rows|).
  bool start_at(const std::vector<Index>& columns, const std::vector<Index>& rows);
  // Adds eps u to the right-hand sides. The basis stays, the point moves, and the sides of rows follow it. Returns
  // false if the inverse has become too inaccurate.
  bool set_perturbation(double eps);
  // Recomputes inverse, point and multipliers; returns false if the basis is singular. O(|P|^3 + |P| n).
  bool refresh();
  // Pivots until no working column and no row improves the objective.
  Step optimise(const Limits& limits, long budget);
  // Returns whether another optimal vertex may exist: a nonbasic price equals its cost, or a multiplier is at a
  // bound.
  bool tied() const;
  // Returns whether a multiplier lies strictly between its bounds, so that no single basic column can move.
  bool pinned() const;

 private:
  struct Move {
    // The steepest-edge score; 0 if nothing improves.
    double gain = 0;
    // The change of the objective per unit step; it is negative.
    double slope = 0;
    // The entering working column, or -1 if a row leaves.
    Index column = -1;
    // The position in R of the leaving row.
    Index row = -1;
    int direction = 0;
  };
  struct Break {
    double at, slope, pivot;
    Index id;  // Row i, or n + position in P.
    bool operator<(const Break& other) const { return at > other.at; }
  };

  const double* column(Index k) const { return &by_column_[k * n_]; }
  // The inverse is stored transposed in column-major order, so that its row k is contiguous.
  double* inverse_row(Index k) { return &inverse_(0, k); }
  double column_tol(Index k) const { return kDualTol * std::min(up_[k], down_[k]) + kRounding * g_scale_; }

  void grow(Index capacity);
  bool place_point();
  void compute_duals();
  void add_rows(const std::vector<Index>& which);
  void shift_multiplier(Index i, double to);
  void balance();
  void rescale();
  Move choose();
  void choose_row(Move& best);
  void choose_column(Move& best);
  double direction_norm(Index column, std::vector<double>& u);
  Step pivot_on(const Move& move);
  void set_direction(const Move& move);
  bool long_step(double slope, Break& stop);
  void row_times_inverse(Index row);
  void enter_with_row(Index column, Index row, int direction, double value);
  void swap_columns(Index column, Index out, int direction, double value);
  void swap_rows(Index place, Index row);
  void leave_with_row(Index out, Index place);

  Index n_ = 0;
  // The working columns are stored by column for directions and by row for prices.
  std::vector<Index> members_, basic_;
  std::vector<double> up_, down_, by_column_, by_row_, g_;
  Index capacity_ = 0;
  // The vertex.
  std::vector<Index> basis_, rows_, row_place_;
  std::vector<int> sign_;
  std::vector<double> w_;
  std::vector<char> positive_;
  Mat inverse_;
  Vec base_, rhs_, r_, a_, cost_;
  double a_scale_ = 1, g_scale_ = 1, r_scale_ = 1, peak_ = 0;
  // Whether multipliers and prices belong to earlier costs.
  bool stale_ = true;
  long pivots_ = 0;
  int since_refresh_ = 0, since_duals_ = 0;
  // Scratch memory.
  std::vector<double> delta_, shift_, gathered_, u_, trial_, v_, dw_, dr_, squares_;
  std::vector<Index> charged_, passed_, outside_, ahead_;
  std::vector<Break> heap_;
};

}  // namespace zeronorm

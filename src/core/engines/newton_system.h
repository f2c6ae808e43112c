// The linear system of a Newton step of a ridge machine,
//   (I + Z X'D X Z) du + Z X'D F dtheta = -gradient,   F'D X Z du + F'D F dtheta = -imbalance,
// over the rows whose multipliers lie between their ends; F are the free columns, the intercept the last.  These
// are eliminated exactly, and with the intercept the means of the columns, so that nothing is centred.
#pragma once

#include "../row_copy.h"
#include "engine.h"

namespace zeronorm {

class NewtonSystem {
 public:
  // place: where each column stands in the copy of the rows, z: its scale.
  void take(const RowCopy& rows, const IndexList& place, const Vec& z, const Mat& f, bool intercept);
  // Weights of rows, and of the free columns themselves. O(n) for each pair of free columns.
  void weigh(const IndexList& rows, const Vec& weights, const Vec& held);
  // 1/2 imbalance'(F'D F)^-1 imbalance.
  double energy(const Vec& imbalance) const;

  struct Step {
    Vec u, theta;
  };
  // By Cholesky where columns are few, to all digits, else by conjugate gradients to a residual of `accuracy`.
  Step solve(const Vec& gradient, const Vec& imbalance, double accuracy, const Limits& limits);

 private:
  Index n() const { return f_.rows(); }
  void couple();
  Vec solve_few(const Vec& right) const;
  Vec solve_many(const Vec& right, double accuracy, const Limits& limits);

  const RowCopy* rows_ = nullptr;
  IndexList place_;
  Vec z_;
  Mat f_;
  bool intercept_ = false;

  IndexList between_;
  Vec d_, diagonal_;
  Mat coupling_, inverse_;       // Z X'D F, and (F'D F)^-1
  Vec summed_, column_squares_;  // sums over rows with these weights
  Mat column_sums_;
  double expected_ = 50;  // conjugate gradient steps
};

}  // namespace zeronorm

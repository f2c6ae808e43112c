// The linear system of a Newton step of a ridge machine,
//   (I + Z X'D X Z) du + Z X'D F dtheta = -gradient,   F'D X Z du + F'D F dtheta = -imbalance,
// over the rows whose multipliers lie between their ends; F are the free columns, the intercept the last.  These
// are eliminated exactly, and with the intercept the means of the columns, so that nothing is centred.
#pragma once

#include "base/types.h"
#include "data/row_copy.h"

namespace zeronorm {

class NewtonSystem {
 public:
  // place: where each column stands in the copy of the rows, z: its scale.
  void take(const RowCopy& rows, const IndexList& place, const Vec& z, const Mat& f, bool intercept);
  // That the copy has dropped columns, or is another, or the free columns are others.
  void keep(const std::vector<char>& kept);
  void forget();
  // Weights of rows, and of the free columns themselves. O(n) for each pair of free columns.
  void weigh(const IndexList& rows, const Vec& weights, const Vec& held);
  // 1/2 imbalance'(F'D F)^-1 imbalance.
  double energy(const Vec& imbalance) const;

  struct Step {
    Vec u, theta;
  };
  // By Cholesky where columns are few, to all digits, else by conjugate gradients to a residual of `accuracy`: over
  // the rows, or over their Gram matrix where that pays.
  Step solve(const Vec& gradient, const Vec& imbalance, double accuracy, const Limits& limits);

 private:
  Index n() const { return f_.rows(); }
  void couple();
  bool by_gram();
  bool factored() const;
  Mat hessian() const;
  Vec over_rows(const Vec& direction) const;
  template <class Image>
  Vec solve_many(const Vec& right, double accuracy, const Limits& limits, Image image);

  const RowCopy* rows_ = nullptr;
  IndexList place_;
  Vec z_;
  Mat f_;
  bool intercept_ = false;

  IndexList between_;
  Vec d_, diagonal_;
  double unit_ = 1;         // the largest weight that a row may have
  Mat coupling_, inverse_;  // Z X'D F, and (F'D F)^-1
  IndexList changed_;       // rows whose weights, in that unit, are not those of the last step, and
  Vec change_;              // by how much
  // Of the rows as the last step weighed them, in that unit: where it alone changes, these stay.
  Vec summed_, column_squares_;
  Mat column_sums_, gram_;
  int changes_ = 0;       // of the sums since they were added up anew
  double spent_ = 0;      // seconds that a Gram matrix would have saved
  double expected_ = 50;  // conjugate gradient steps
};

}  // namespace zeronorm

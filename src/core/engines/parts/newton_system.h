// The linear system of a Newton step of an SVM with a ridge,
//   (I + Z X'D X Z) du + Z X'D F dtheta = -gradient,   F'D X Z du + F'D F dtheta = -imbalance,
// over the rows whose multipliers lie between their bounds. F holds the unpenalised columns, the intercept last.
// These are eliminated exactly, and with the intercept the means of the columns, so that nothing is centred.
#pragma once

#include "base/types.h"
#include "data/row_copy.h"

namespace zeronorm {

class NewtonSystem {
 public:
  // Sets the rows, the place of each column in their copy, the scales z and the unpenalised columns.
  void take(const RowCopy& rows, const IndexList& place, const Vec& z, const Mat& f, bool intercept);
  // Adapts to a copy that dropped columns (keep), or to another copy or other unpenalised columns (forget).
  void keep(const std::vector<char>& kept);
  void forget();
  // Sets the weights of the rows and of the unpenalised columns. O(n) for each pair of unpenalised columns.
  void weigh(const IndexList& rows, const Vec& weights, const Vec& held);
  // Returns 1/2 imbalance'(F'D F)^-1 imbalance.
  double energy(const Vec& imbalance) const;

  struct Step {
    Vec u, theta;
  };
  // Solves by Cholesky, to full precision, if columns are few; otherwise by conjugate gradients to a residual of
  // `accuracy`, over the rows or, where that is faster, over their Gram matrix.
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
  // The largest weight of a row.
  double unit_ = 1;
  // Z X'D F, and the inverse of F'D F.
  Mat coupling_, inverse_;
  // Rows whose weights, in units of unit_, differ from those of the last step.
  IndexList changed_;
  // The differences of these weights.
  Vec change_;
  // Sums over the rows with the weights of the last step, in units of unit_; they stay if only unit_ changes.
  Vec summed_, column_squares_;
  Mat column_sums_, gram_;
  // Number of updates since the sums were computed.
  int changes_ = 0;
  // Seconds that a Gram matrix would have saved.
  double spent_ = 0;
  // Expected number of conjugate gradient steps: that of the last solve.
  double expected_ = 50;
};

}  // namespace zeronorm

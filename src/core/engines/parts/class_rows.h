// The rows of a design times matrices with a column for each class. All classes of an entry lie side by side, so that a
// pass over the entries serves them together.
#pragma once

#include <cstdint>
#include <vector>

#include "data/design.h"

namespace zeronorm {

using RowMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A copy of some columns, row after row.
class ClassRows {
 public:
  // Copies these columns. O(entries), which are read twice if the design is sparse.
  ClassRows(const Design& x, const IndexList& columns);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  // Calls act(column, value) for the entries of a row of the copy.
  template <class Act>
  void each(Index i, Act act) const {
    if (start_.empty()) {
      for (Index j = 0; j < cols_; ++j) act(j, dense_(i, j));
      return;
    }
    for (std::size_t k = start_[std::size_t(i)]; k < start_[std::size_t(i) + 1]; ++k)
      act(static_cast<Index>(entries_[k].column), entries_[k].value);
  }

  // Computes f = u'x for one row x of the copy. O(entries of the row) for each class.
  void product(Index i, const RowMat& u, double* f) const;
  // Adds x m' to u for one row x of the copy. O(entries of the row) for each class.
  void add(Index i, const double* m, RowMat& u) const;

  // Computes X u on these rows, and X'm summed over these rows. O(their entries) for each class.
  RowMat times(const IndexList& rows, const RowMat& u) const;
  RowMat transposed_times(const IndexList& rows, const RowMat& m) const;
  // Returns X on these rows, dense. O(rows cols).
  Mat dense(const IndexList& rows) const;
  // Returns sum_j factor_j x_ij^2 of the copy for every row. O(entries).
  Vec squares(const Vec& factors) const;
  double operations(const IndexList& rows, Index classes) const;

 private:
  struct Entry {
    double value;
    std::int32_t column;
  };

  Index rows_, cols_;
  RowMat dense_;
  // Empty for a dense copy.
  std::vector<std::size_t> start_;
  std::vector<Entry> entries_;
};

}  // namespace zeronorm

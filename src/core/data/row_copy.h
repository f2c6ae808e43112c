// A row-major copy of some columns of a design, for repeated products in iterative solvers.
#pragma once

#include "data/design.h"

namespace zeronorm {

class RowCopy {
 public:
  virtual ~RowCopy() = default;
  // Returns the columns in the order of the copy: sparse ones by decreasing number of entries, so that those used
  // most stay in cache.
  virtual const IndexList& columns() const = 0;
  Index cols() const { return static_cast<Index>(columns().size()); }
  // Returns whether entries are rounded to single precision.
  virtual bool rounded() const = 0;
  // Returns the number of entries stored in these rows. O(rows).
  virtual double entries(const IndexList& rows) const = 0;
  // Returns the sum over the rows of d_i (x_i'v - shift_i) x_i, reading each row once. O(entries).
  virtual Vec square_times(const IndexList& rows, const Vec& d, const Vec& shift, const Vec& v) const = 0;
  // Returns x_i'v for every row. O(entries).
  virtual Vec times(const Vec& v) const = 0;
  // Returns sum d_i x_i over the rows. O(entries of these rows).
  virtual Vec weighted_sum(const IndexList& rows, const Vec& d) const = 0;
  // Computes sum d_i x_ij and sum d_i x_ij^2. O(entries).
  virtual void weighted_sums(const IndexList& rows, const Vec& d, Vec& sums, Vec& squares) const = 0;
  // Returns sum_j factor_j x_ij^2 for every row. O(entries).
  virtual Vec squares(const Vec& factors) const = 0;
  // Updates v += change(i, x_i'v) factors x_i for one row after the other. O(entries of these rows).
  using Change = std::function<double(Index i, double product)>;
  virtual void sweep(const IndexList& rows, const Vec& factors, Vec& v, const Change& change) const = 0;
  // Returns the lower half of sum d_i x_i x_i' for d_i >= 0. O(gram_work(rows)).
  virtual Mat gram(const IndexList& rows, const Vec& d) const = 0;
  // Returns the cost of gram() in products of dense rows: rows cols^2, or the squared numbers of entries of the rows
  // if that is less. O(rows).
  virtual double gram_work(const IndexList& rows) const = 0;
  // Returns the share of the entries that are in these columns. O(cols).
  virtual double share(const std::vector<char>& kept) const = 0;
  // Drops all other columns in place. O(entries).
  virtual void keep(const std::vector<char>& kept) = 0;
  // Returns whether a new copy would be faster or, if `fine`, would have full precision because few entries are left.
  // O(cols).
  virtual bool worn(bool fine) const = 0;
};

// Copies the rows: compressed if the design is sparse with few nonzeros, and in single precision if large.
// O(entries), which are read twice if the design is sparse.
std::unique_ptr<RowCopy> copy_rows(const Design& x, const IndexList& columns);

}  // namespace zeronorm

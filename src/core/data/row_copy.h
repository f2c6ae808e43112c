// Some columns of a design, row after row: what iterative solvers multiply with again and again.
#pragma once

#include "data/design.h"

namespace zeronorm {

class RowCopy {
 public:
  virtual ~RowCopy() = default;
  // In their order here: sparse ones with the fullest first, so that what is used most stays in cache.
  virtual const IndexList& columns() const = 0;
  Index cols() const { return static_cast<Index>(columns().size()); }
  // Whether its entries are rounded to single precision.
  virtual bool rounded() const = 0;
  // Entries stored in these rows. O(rows).
  virtual double entries(const IndexList& rows) const = 0;
  // sum over the rows of d_i (x_i'v - shift_i) x_i.  The rows are read once. O(entries).
  virtual Vec square_times(const IndexList& rows, const Vec& d, const Vec& shift, const Vec& v) const = 0;
  // x_i'v of every row. O(entries).
  virtual Vec times(const Vec& v) const = 0;
  // sum d_i x_i over the rows. O(entries of these).
  virtual Vec weighted_sum(const IndexList& rows, const Vec& d) const = 0;
  // sum d_i x_ij and sum d_i x_ij^2. O(entries).
  virtual void weighted_sums(const IndexList& rows, const Vec& d, Vec& sums, Vec& squares) const = 0;
  // sum_j factor_j x_ij^2 of every row. O(entries).
  virtual Vec squares(const Vec& factors) const = 0;
  // For one row after the other: v += change(i, x_i'v) factors x_i. O(entries of these).
  using Change = std::function<double(Index i, double product)>;
  virtual void sweep(const IndexList& rows, const Vec& factors, Vec& v, const Change& change) const = 0;
  // sum d_i x_i x_i', the lower half, d_i >= 0. O(gram_work(rows)).
  virtual Mat gram(const IndexList& rows, const Vec& d) const = 0;
  // In products of dense rows: rows cols^2, or where that is less, the squares of each row's entries. O(rows).
  virtual double gram_work(const IndexList& rows) const = 0;
  // The entries of these columns, as a share of all. O(cols).
  virtual double share(const std::vector<char>& kept) const = 0;
  // Drops all other columns in place. O(entries).
  virtual void keep(const std::vector<char>& kept) = 0;
  // Whether a new copy would be faster; fine: or has all digits, which entries deserve that are few now. O(cols).
  virtual bool worn(bool fine) const = 0;
};

// Compressed where the design is and few entries are not zero; large ones in single precision.  O(entries),
// which are read twice where the design is sparse.
std::unique_ptr<RowCopy> copy_rows(const Design& x, const IndexList& columns);

}  // namespace zeronorm

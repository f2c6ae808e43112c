#include "data/row_copy.h"

#include <algorithm>
#include <cmath>

#include "base/gram.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "data/row_entries.h"

namespace zeronorm {
namespace {

// Share of nonzero entries from which on a dense copy is faster.
constexpr double kMinDensity = 0.5;
// Number of entries from which on single precision is used to halve the memory.
constexpr double kManyEntries = 1 << 22;
// Largest scale of a column, and inverse of the smallest, at which values are stored without their scale.
constexpr double kMaxUnit = 1e6;
// Columns that are written to a dense copy at a time.
constexpr Index kTile = 16;
// Rows that are added to a Gram matrix at a time.
constexpr Index kBlock = 256;
// Cost of a product with scattered entries, relative to one with contiguous entries.
constexpr double kScatteredCost = 5;
// Rows that are summed in the precision of the copy before they are added in double precision.
constexpr Index kRowsPerSum = 512;
// Number of partial sums over rows.
constexpr Index kPartialSums = 8;
// Number of entries from which on sums over rows are split into kPartialSums parts.
constexpr double kMinSplitEntries = 1 << 22;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Returns a sum over rows in parts whose number does not depend on the threads; add(from, to, sum) adds some rows to
// sum. O(size) for each part in addition.
template <class Add>
Vec sum_over(Index rows, double entries, Index size, Add add) {
  const Index parts = entries < kMinSplitEntries ? 1 : kPartialSums;
  Mat sums = Mat::Zero(size, parts);
  in_parts(parts, entries, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) add(rows * k / parts, rows * (k + 1) / parts, sums.col(k).data());
  });
  for (Index k = 1; k < parts; ++k) sums.col(0) += sums.col(k);
  return sums.col(0);
}

template <class Number>
class Rows : public RowCopy {
 public:
  explicit Rows(IndexList columns)
      : columns_(std::move(columns)), cols_(static_cast<Index>(columns_.size())) {}
  const IndexList& columns() const override { return columns_; }
  bool rounded() const override { return sizeof(Number) < sizeof(double); }

  double gram_work(const IndexList& rows) const override {
    return static_cast<double>(rows.size()) * static_cast<double>(cols_) * static_cast<double>(cols_);
  }

  Mat gram(const IndexList& rows, const Vec& d) const override {
    Mat k = Mat::Zero(cols_, cols_);
    // The entries of each column are contiguous.
    std::vector<double> block(at(cols_ * kBlock));
    for (std::size_t from = 0; from < rows.size(); from += at(kBlock)) {
      const Index width = std::min(kBlock, static_cast<Index>(rows.size() - from));
      std::fill(block.begin(), block.end(), 0.0);
      for (Index t = 0; t < width; ++t) {
        const Index i = rows[from + at(t)];
        spread(i, std::sqrt(d[i]), block.data() + t, width);
      }
      add_gram(block.data(), width, k);
    }
    return k;
  }

 protected:
  void keep_columns(const std::vector<char>& kept) {
    std::size_t to = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (kept[c]) columns_[to++] = columns_[c];
    columns_.resize(to);
    cols_ = static_cast<Index>(to);
  }

  // Sets out[j * stride] = factor * x_ij for all nonzero x_ij.
  virtual void spread(Index i, double factor, double* out, Index stride) const = 0;

  IndexList columns_;
  Index cols_;
};

template <class Number>
class DenseRows final : public Rows<Number> {
 public:
  // Copies tiles of columns, so that contiguous entries of a row are written together.
  DenseRows(const Design& x, const IndexList& columns) : Rows<Number>(columns), n_(x.rows()) {
    const Index n = n_;
    values_.resize(at(n * cols_));
    Mat tile(n, kTile);
    for (Index from = 0; from < cols_; from += kTile) {
      const Index width = std::min(kTile, cols_ - from);
      for (Index c = 0; c < width; ++c) x.column(columns[at(from + c)], tile.col(c).data());
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < width; ++c) values_[at(i * cols_ + from + c)] = static_cast<Number>(tile(i, c));
    }
  }

  double entries(const IndexList& rows) const override {
    return static_cast<double>(rows.size()) * static_cast<double>(cols_);
  }

  Vec square_times(const IndexList& rows, const Vec& d, const Vec& shift, const Vec& v) const override {
    return sum_over(static_cast<Index>(rows.size()), entries(rows), cols_,
                    [&](Index from, Index to, double* sum) {
                      Vec row(cols_);
                      for (Index t = from; t < to; ++t) {
                        const Index i = rows[at(t)];
                        const double* x = doubles(i, row);
                        simd::axpy(d[i] * (simd::dot(x, v.data(), cols_) - shift[i]), x, sum, cols_);
                      }
                    });
  }

  Vec times(const Vec& v) const override {
    Vec product(n_);
    in_parts(n_, static_cast<double>(n_ * cols_), [&](Index from, Index to) {
      Vec row(cols_);
      for (Index i = from; i < to; ++i) product[i] = simd::dot(doubles(i, row), v.data(), cols_);
    });
    return product;
  }

  Vec weighted_sum(const IndexList& rows, const Vec& d) const override {
    return sum_over(static_cast<Index>(rows.size()), entries(rows), cols_,
                    [&](Index from, Index to, double* sum) {
                      Vec row(cols_);
                      for (Index t = from; t < to; ++t) {
                        const Index i = rows[at(t)];
                        simd::axpy(d[i], doubles(i, row), sum, cols_);
                      }
                    });
  }

  Vec squares(const Vec& factors) const override {
    Vec sums(n_), row(cols_);
    for (Index i = 0; i < n_; ++i) {
      const Eigen::Map<const Vec> x(doubles(i, row), cols_);
      sums[i] = x.cwiseAbs2().dot(factors);
    }
    return sums;
  }

  void sweep(const IndexList& rows, const Vec& factors, Vec& v,
             const RowCopy::Change& change) const override {
    Vec row(cols_);
    for (Index i : rows) {
      const double* x = doubles(i, row);
      const double step = change(i, simd::dot(x, v.data(), cols_));
      if (step != 0) simd::weighted_axpy(step, factors.data(), x, v.data(), cols_);
    }
  }

  double share(const std::vector<char>& kept) const override {
    return static_cast<double>(std::count(kept.begin(), kept.end(), char(1))) / static_cast<double>(cols_);
  }

  void keep(const std::vector<char>& kept) override {
    const Index left = static_cast<Index>(std::count(kept.begin(), kept.end(), char(1)));
    Number* to = values_.data();
    const Number* from = values_.data();
    for (Index i = 0; i < n_; ++i, from += cols_)
      for (Index c = 0; c < cols_; ++c)
        if (kept[at(c)]) *to++ = from[c];
    values_.resize(at(n_ * left));
    this->keep_columns(kept);
  }

  bool worn(bool fine) const override {
    return fine && this->rounded() && static_cast<double>(n_ * cols_) < kManyEntries;
  }

  void weighted_sums(const IndexList& rows, const Vec& d, Vec& sums, Vec& squares) const override {
    sums = squares = Vec::Zero(cols_);
    Vec row(cols_);
    for (Index i : rows) {
      const Eigen::Map<const Vec> x(doubles(i, row), cols_);
      sums += d[i] * x;
      squares += d[i] * x.cwiseAbs2();
    }
  }

 private:
  using Rows<Number>::cols_;
  Index n_;
  std::vector<Number> values_;

  const double* doubles(Index i, Vec&) const;

  void spread(Index i, double factor, double* out, Index stride) const override {
    const Number* x = values_.data() + i * cols_;
    for (Index j = 0; j < cols_; ++j) out[j * stride] = factor * static_cast<double>(x[j]);
  }
};

template <>
const double* DenseRows<double>::doubles(Index i, Vec&) const {
  return values_.data() + i * cols_;
}

template <>
const double* DenseRows<float>::doubles(Index i, Vec& row) const {
  row = Eigen::Map<const Eigen::VectorXf>(values_.data() + i * cols_, cols_).cast<double>();
  return row.data();
}

// Sorts the columns by their number of entries and returns these numbers. O(columns log columns), plus O(entries) if
// columns are not available as stored.
std::vector<std::size_t> fullest_first(const Design& x, IndexList& columns) {
  ColumnEntries read(x);
  std::vector<std::pair<Index, Index>> order;
  for (Index j : columns) order.emplace_back(-read.count(j), j);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> counts;
  for (std::size_t c = 0; c < order.size(); ++c) {
    columns[c] = order[c].second;
    counts.push_back(at(-order[c].first));
  }
  return counts;
}

// The sparse rows of row_entries.h, multiplied by a unit for each column.
template <class Entries>
class SparseRows final : public Rows<typename Entries::Number> {
 public:
  // counts: the numbers of entries of the columns.
  SparseRows(Entries entries, IndexList columns, Vec units, std::vector<std::size_t> counts)
      : Rows<Number>(std::move(columns)), entries_(std::move(entries)), units_(std::move(units)),
        counts_(std::move(counts)) {}

  double entries(const IndexList& rows) const override {
    double sum = 0;
    for (Index i : rows) sum += static_cast<double>(entries_.entries(at(i)));
    return sum;
  }

  Vec square_times(const IndexList& rows, const Vec& d, const Vec& shift, const Vec& v) const override {
    const Numbers w = in_units(v);
    return units_.cwiseProduct(sum_rows(rows, cols_, [&](Index i, Number* sum) {
      const double f = static_cast<double>(entries_.dot(at(i), w.data()));
      entries_.add(at(i), static_cast<Number>(d[i] * (f - shift[i])), sum);
    }));
  }

  Vec times(const Vec& v) const override {
    const Numbers w = in_units(v);
    Vec product(n());
    in_parts(n(), all_entries(), [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) product[i] = static_cast<double>(entries_.dot(at(i), w.data()));
    });
    return product;
  }

  Vec weighted_sum(const IndexList& rows, const Vec& d) const override {
    return units_.cwiseProduct(sum_rows(
        rows, cols_, [&](Index i, Number* sum) { entries_.add(at(i), static_cast<Number>(d[i]), sum); }));
  }

  Vec squares(const Vec& factors) const override {
    const Numbers f = units_.cwiseAbs2().cwiseProduct(factors).template cast<Number>();
    Vec sums(n());
    for (Index i = 0; i < n(); ++i) {
      Number sum = 0;
      entries_.each(at(i), [&](Index column, Number value) { sum += f[column] * value * value; });
      sums[i] = static_cast<double>(sum);
    }
    return sums;
  }

  void sweep(const IndexList& rows, const Vec& factors, Vec& v,
             const RowCopy::Change& change) const override {
    const Numbers f = units_.cwiseAbs2().cwiseProduct(factors).template cast<Number>();
    const bool alike = cols_ > 0 && f.minCoeff() == f.maxCoeff();
    Numbers w = in_units(v);
    for (Index i : rows) {
      const auto step = static_cast<Number>(change(i, static_cast<double>(entries_.dot(at(i), w.data()))));
      if (step == 0) continue;
      if (alike)
        entries_.add(at(i), step * f[0], w.data());
      else
        entries_.add(at(i), step, f.data(), w.data());
    }
    v = w.template cast<double>().cwiseQuotient(units_);
  }

  double share(const std::vector<char>& kept) const override {
    double left = 0;
    for (std::size_t c = 0; c < kept.size(); ++c)
      if (kept[c]) left += static_cast<double>(counts_[c]);
    const double all = all_entries();
    return all > 0 ? left / all : 1;
  }

  void keep(const std::vector<char>& kept) override {
    std::vector<std::int32_t> place(at(cols_), -1);
    std::int32_t places = 0;
    for (std::size_t c = 0; c < place.size(); ++c) {
      if (!kept[c]) continue;
      counts_[at(places)] = counts_[c];
      units_[places] = units_[static_cast<Index>(c)];
      place[c] = places++;
    }
    counts_.resize(at(places));
    units_.conservativeResize(places);
    entries_.keep(place);
    this->keep_columns(kept);
  }

  bool worn(bool fine) const override {
    return entries_.worn() || (fine && this->rounded() && all_entries() < kManyEntries);
  }

  double gram_work(const IndexList& rows) const override {
    return std::min(Rows<Number>::gram_work(rows), kScatteredCost * squared_entries(rows));
  }

  Mat gram(const IndexList& rows, const Vec& d) const override {
    if (Rows<Number>::gram_work(rows) < kScatteredCost * squared_entries(rows))
      return Rows<Number>::gram(rows, d);
    Mat k = Mat::Zero(cols_, cols_);
    std::vector<std::pair<Index, double>> row;
    for (Index i : rows) {
      row.clear();
      entries_.each(at(i), [&](Index column, Number value) {
        row.emplace_back(column, units_[column] * static_cast<double>(value));
      });
      std::sort(row.begin(), row.end());
      for (auto a = row.begin(); a != row.end(); ++a) {
        double* column = k.col(a->first).data();
        const double factor = d[i] * a->second;
        for (auto b = a; b != row.end(); ++b) column[b->first] += factor * b->second;
      }
    }
    return k;
  }

  void weighted_sums(const IndexList& rows, const Vec& d, Vec& sums, Vec& squares) const override {
    // The two sums of a column are contiguous, because they are updated together.
    const Vec both = sum_rows(rows, 2 * cols_, [&](Index i, Number* sum) {
      entries_.each(at(i), [sum, weight = static_cast<Number>(d[i])](Index column, Number value) {
        const Number dx = weight * value;
        sum[2 * column] += dx;
        sum[2 * column + 1] += dx * value;
      });
    });
    const Eigen::Map<const Mat> pairs(both.data(), 2, cols_);
    sums = pairs.row(0).transpose().cwiseProduct(units_);
    squares = pairs.row(1).transpose().cwiseProduct(units_.cwiseAbs2());
  }

 private:
  using Number = typename Entries::Number;
  using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  using Rows<Number>::cols_;
  Entries entries_;
  Vec units_;
  std::vector<std::size_t> counts_;

  Index n() const { return static_cast<Index>(entries_.rows()); }
  double all_entries() const {
    double sum = 0;
    for (std::size_t count : counts_) sum += static_cast<double>(count);
    return sum;
  }
  double squared_entries(const IndexList& rows) const {
    double sum = 0;
    for (Index i : rows) sum += std::pow(static_cast<double>(entries_.entries(at(i))), 2);
    return sum;
  }
  Numbers in_units(const Vec& v) const { return units_.cwiseProduct(v).template cast<Number>(); }

  // Returns the `size` sums that add_row(i, sum) accumulates over the rows. Several rows are summed in the precision of
  // the copy first, so that the sums stay in the fastest cache longer.
  template <class AddRow>
  Vec sum_rows(const IndexList& rows, Index size, AddRow add_row) const {
    return sum_over(static_cast<Index>(rows.size()), entries(rows), size,
                    [&](Index from, Index to, double* sum) {
                      Numbers part(size);
                      for (Index end; from < to; from = end) {
                        end = std::min(to, from + kRowsPerSum);
                        part.setZero();
                        for (Index t = from; t < end; ++t) add_row(rows[at(t)], part.data());
                        Eigen::Map<Vec>(sum, size) += part.template cast<double>();
                      }
                    });
  }

  void spread(Index i, double factor, double* out, Index stride) const override {
    entries_.each(at(i), [&](Index column, Number value) {
      out[column * stride] = factor * units_[column] * static_cast<double>(value);
    });
  }
};

// Returns the units in which columns are as before scaling, so that equal values recur, unless the scales are
// extreme.
Vec column_units(const Design& x, const IndexList& columns) {
  Vec units(static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) units[static_cast<Index>(c)] = 1 / x.scale(columns[c]);
  const bool moderate = units.minCoeff() > 1 / kMaxUnit && units.maxCoeff() < kMaxUnit;
  return moderate ? units : Vec::Ones(units.size());
}

std::unique_ptr<RowCopy> copy_sparse(const Design& x, IndexList columns, std::vector<std::size_t> counts,
                                     double entries) {
  const bool large = entries >= kManyEntries;
  const Vec units = large ? column_units(x, columns) : Vec::Ones(static_cast<Index>(columns.size()));
  const auto hold = [&](auto held) -> std::unique_ptr<RowCopy> {
    return std::make_unique<SparseRows<decltype(held)>>(std::move(held), std::move(columns), units,
                                                        std::move(counts));
  };
  if (!large) return hold(Pairs<double>(x, columns, units));
  if (auto groups = Groups::of(x, columns, units)) return hold(std::move(*groups));
  return hold(Pairs<float>(x, columns, units));
}

}  // namespace

std::unique_ptr<RowCopy> copy_rows(const Design& x, const IndexList& columns) {
  const double cells = static_cast<double>(x.rows()) * static_cast<double>(columns.size());
  if (x.is_sparse() && !columns.empty()) {
    IndexList sorted = columns;
    std::vector<std::size_t> counts = fullest_first(x, sorted);
    double entries = 0;
    for (std::size_t count : counts) entries += static_cast<double>(count);
    if (entries < kMinDensity * cells) return copy_sparse(x, std::move(sorted), std::move(counts), entries);
  }
  if (cells >= kManyEntries) return std::make_unique<DenseRows<float>>(x, columns);
  return std::make_unique<DenseRows<double>>(x, columns);
}

}  // namespace zeronorm

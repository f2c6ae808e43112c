#include "data/block_design.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <unordered_map>

#include "base/gram.h"
#include "base/indices.h"
#include "base/simd.h"

namespace zeronorm {
namespace {

using Column = std::shared_ptr<const Vec>;

// Columns that are added to a Gram matrix at once.
constexpr Index kSlice = 256;

// The weighted mean of a column that arrives in pieces, and the squares about it.
struct Running {
  double weight = 0, mean = 0, squares = 0;
  // The range of pieces whose squares may vanish.
  Range range;

  // Adds n entries. O(n).
  void add(const double* x, const double* weights, Index n) {
    double w = 0, q = 0;
    for (Index i = 0; i < n; ++i) w += weights[i];
    if (w == 0) return;
    const double middle = simd::dot(x, weights, n) / w;
#pragma omp simd reduction(+ : q)
    for (Index i = 0; i < n; ++i) q += weights[i] * (x[i] - middle) * (x[i] - middle);
    if (may_vanish(middle, q))
      for (Index i = 0; i < n; ++i) range.add(x[i], weights[i]);
    const double all = weight + w, apart = middle - mean;
    squares += q + apart * apart * weight * (w / all);
    mean += apart * (w / all);
    weight = all;
  }
};

bool all_finite(const double* x, Index n) {
  double zero = 0;
#pragma omp simd reduction(+ : zero)
  for (Index i = 0; i < n; ++i) zero += 0.0 * x[i];
  return zero == 0;
}

}  // namespace

// The columns of a request are in ascending order; they may repeat.
class BlockStore {
 public:
  explicit BlockStore(Blocks blocks) : blocks_(std::move(blocks)) {}

  Index rows() const { return blocks_.rows; }
  Index cols() const { return blocks_.cols; }
  // Returns the number of columns that may stay in memory.
  Index room() const { return std::max<Index>(1, blocks_.room / std::max<Index>(1, rows())); }

  // Calls use(k, row, count, x) for all pieces of the columns: first whole columns in memory, then the others by
  // blocks.
  template <class Use>
  void stream(const IndexList& columns, Use use) {
    IndexList left;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (const Column c = find(columns[k]))
        use(static_cast<Index>(k), Index(0), rows(), c->data());
      else
        left.push_back(static_cast<Index>(k));
    }
    std::vector<double> tile;
    for (std::size_t from = 0, to = 0; from < left.size(); from = to) {
      const Index block = columns[left[from]] / blocks_.tile_cols;
      while (to < left.size() && columns[left[to]] / blocks_.tile_cols == block) ++to;
      const Index start = columns[left[from]], width = columns[left[to - 1]] - start + 1;
      for (Index row = 0; row < rows(); row += blocks_.tile_rows) {
        const Index count = std::min(blocks_.tile_rows, rows() - row);
        tile.resize(static_cast<std::size_t>(count) * width);
        blocks_.read(row, count, start, width, tile.data());
        for (std::size_t k = from; k < to; ++k)
          use(left[k], row, count, tile.data() + (columns[left[k]] - start) * count);
      }
    }
  }

  // Calls use(pointers) for as many columns at a time as lie in one block and fit into a panel, until it returns
  // false.
  template <class Use>
  void whole(const IndexList& columns, Use use) {
    const std::size_t most = std::max<std::size_t>(1, blocks_.panel / std::max<Index>(1, rows()));
    Mat panel;
    for (std::size_t from = 0, to = 0; from < columns.size(); from = to) {
      const std::size_t width = in_block(columns, from), parts = (width + most - 1) / most;
      to = from + (width + parts - 1) / parts;
      IndexList missing;
      std::vector<Column> held;
      for (std::size_t k = from; k < to; ++k) {
        held.push_back(find(columns[k]));
        if (!held.back()) missing.push_back(columns[k]);
      }
      if (panel.cols() < static_cast<Index>(missing.size())) panel.resize(rows(), missing.size());
      stream(missing, [&](Index k, Index row, Index count, const double* x) {
        std::copy(x, x + count, panel.col(k).data() + row);
      });
      std::vector<const double*> pointers;
      Index fresh = 0;
      for (const Column& c : held) pointers.push_back(c ? c->data() : panel.col(fresh++).data());
      if (!use(pointers)) return;
    }
  }

  // Returns the columns in memory; as many as there is room for stay there.
  std::vector<Column> fetch(const IndexList& columns) {
    std::vector<Column> found(columns.size());
    IndexList missing, place;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if ((found[k] = find(columns[k]))) continue;
      missing.push_back(columns[k]);
      place.push_back(static_cast<Index>(k));
    }
    std::vector<std::shared_ptr<Vec>> fresh;
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const bool again = k > 0 && missing[k] == missing[k - 1];
      fresh.push_back(again ? fresh.back() : std::make_shared<Vec>(rows()));
    }
    stream(missing, [&](Index k, Index row, Index count, const double* x) {
      std::copy(x, x + count, fresh[k]->data() + row);
    });
    for (std::size_t k = 0; k < missing.size(); ++k) {
      keep(missing[k], fresh[k]);
      found[place[k]] = fresh[k];
    }
    return found;
  }

  void keep(Index j, const Column& column) {
    const auto at = place_.find(j);
    if (at != place_.end()) used_.erase(at->second);
    used_.push_front({j, column});
    place_[j] = used_.begin();
    known_[j] = column;
    if (static_cast<Index>(used_.size()) <= room()) return;
    place_.erase(used_.back().first);
    used_.pop_back();
  }

  // Computes the moments of each column with each vector of row weights; returns false if an entry is not finite.
  bool accumulate(const IndexList& columns, const std::vector<Vec>& weights, std::vector<Running>& running) {
    const std::size_t m = weights.size();
    running.assign(columns.size() * m, Running());
    bool finite = true;
    stream(columns, [&](Index k, Index row, Index count, const double* x) {
      finite = finite && all_finite(x, count);
      for (std::size_t v = 0; v < m; ++v) running[k * m + v].add(x, weights[v].data() + row, count);
    });
    return finite;
  }

  // The moments of all columns with row weights of one, once they are known.
  std::vector<Running> plain;

 private:
  // Returns a null pointer if the column is not in memory; otherwise marks it as used last.
  Column find(Index j) {
    const auto at = known_.find(j);
    if (at == known_.end()) return nullptr;
    Column column = at->second.lock();
    if (column) keep(j, column);
    return column;
  }

  std::size_t in_block(const IndexList& columns, std::size_t from) const {
    std::size_t to = from;
    while (to < columns.size() && columns[to] / blocks_.tile_cols == columns[from] / blocks_.tile_cols) ++to;
    return to - from;
  }

  Blocks blocks_;
  // The columns in memory, the last used first.
  std::list<std::pair<Index, Column>> used_;
  std::unordered_map<Index, std::list<std::pair<Index, Column>>::iterator> place_;
  // All columns that are in memory, including those that only a view holds.
  std::unordered_map<Index, std::weak_ptr<const Vec>> known_;
};

namespace {

class BlockDesign : public Design {
 public:
  BlockDesign(std::shared_ptr<BlockStore> store, IndexList rows, bool all_rows, IndexList cols,
              std::shared_ptr<const Vec> center, std::shared_ptr<const Vec> scale)
      : store_(std::move(store)), rows_(std::move(rows)), all_rows_(all_rows), cols_(std::move(cols)),
        center_(std::move(center)), scale_(std::move(scale)),
        order_(ascending(first(static_cast<Index>(cols_.size())))) {}

  // Keeps all columns in memory during the lifetime of this view.
  void hold() {
    const std::vector<Column> columns = store_->fetch(compose(cols_, order_));
    held_.resize(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) held_[order_[k]] = columns[k];
  }

  Index rows() const override { return static_cast<Index>(rows_.size()); }
  Index cols() const override { return static_cast<Index>(cols_.size()); }
  double center(Index j) const override { return (*center_)[cols_[j]]; }
  double scale(Index j) const override { return (*scale_)[cols_[j]]; }
  bool in_memory() const override { return held_.size() == cols_.size(); }

  void column(Index j, double* out) const override { columns({j}, out); }

  void columns(const IndexList& which, double* out) const override {
    IndexList places = ascending(first(which.size()), which);
    const IndexList wanted = compose(which, places);
    const std::vector<Column> raw =
        in_memory() ? std::vector<Column>() : store_->fetch(compose(cols_, wanted));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Vec& x = in_memory() ? *held_[wanted[k]] : *raw[k];
      standardise(x.data(), wanted[k], 1.0, out + places[k] * rows());
    }
  }

  Vec times(const Vec& w) const override {
    if (f_.size() > 0 && w == w_) return f_;
    IndexList used;
    for (Index j : order_)
      if (w[j] != 0) used.push_back(j);
    Vec all = Vec::Zero(store_->rows());
    pieces(used, [&](Index j, Index row, Index count, const double* x) {
      simd::centered_axpy(w[j] * inverse_scale(j), x, center(j), all.data() + row, count);
    });
    w_ = w;
    f_ = gather(all);
    return f_;
  }

  Vec transposed_times(const Vec& v) const override {
    if (g_.size() > 0 && v == v_) return g_;
    const Vec all = spread_out(v);
    Vec g = Vec::Zero(cols());
    pieces(order_, [&](Index j, Index row, Index count, const double* x) {
      g[j] += inverse_scale(j) * simd::centered_dot(x, center(j), all.data() + row, count);
    });
    v_ = v;
    g_ = g;
    return g;
  }

  // Reads whole columns, so that those with the largest |x_j'v| per unit norm can stay in memory.
  Vec prices(const Vec& v) const override {
    if (in_memory()) return transposed_times(v);
    const Vec all = spread_out(v), norms = squared_norms().cwiseSqrt();
    using Item = std::pair<double, std::pair<Index, Column>>;
    const auto larger = [](const Item& a, const Item& b) { return a.first > b.first; };
    const std::size_t most = std::max<Index>(1, store_->room() / 2);
    std::vector<Item> best;  // A heap with the smallest score first.
    Vec g(cols());
    whole_columns(order_, [&](Index j, const double* x) {
      g[j] = inverse_scale(j) * simd::centered_dot(x, center(j), all.data(), all.size());
      const double score = norms[j] > 0 ? std::abs(g[j]) / norms[j] : 0.0;
      if (best.size() == most && !(score > best.front().first)) return;
      if (best.size() == most) {
        std::pop_heap(best.begin(), best.end(), larger);
        best.pop_back();
      }
      best.push_back({score, {cols_[j], std::make_shared<Vec>(Eigen::Map<const Vec>(x, all.size()))}});
      std::push_heap(best.begin(), best.end(), larger);
    });
    for (const Item& item : best) store_->keep(item.second.first, item.second.second);
    v_ = v;
    g_ = g;
    return g;
  }

  Mat gram(const Vec& z, const Limits& limits) const override {
    IndexList used;
    for (Index j : order_)
      if (z[j] > 0 && z[j] < kInf) used.push_back(j);
    Mat k = Mat::Zero(rows(), rows());
    std::vector<double> neighbours(static_cast<std::size_t>(rows()) * kSlice);
    std::vector<const double*> slice;
    std::size_t done = 0;
    const auto finish_slice = [&]() {
      if (!limits.stop_now()) add_slice(&used[done], slice, z, neighbours.data(), k);
      done += slice.size();
      slice.clear();
    };
    panels(used, [&](const std::vector<const double*>& x) {
      for (const double* column : x) {
        slice.push_back(column);
        if (static_cast<Index>(slice.size()) == kSlice) finish_slice();
      }
      finish_slice();
      return !limits.stop_now();
    });
    simd::mirror_lower(k.data(), rows());
    return k;
  }

  Vec squared_norms() const override {
    if (norms_.size() == 0) norms_ = all_rows_ ? norms_by_moments() : weighted_squares(Vec::Ones(rows()));
    return norms_;
  }

  Vec weighted_squares(const Vec& v) const override {
    const Vec all = spread_out(v);
    Vec sums = Vec::Zero(cols());
    pieces(order_, [&](Index j, Index row, Index count, const double* x) {
      const double c = center(j), *weights = all.data() + row;
      double s = 0;
#pragma omp simd reduction(+ : s)
      for (Index i = 0; i < count; ++i) s += weights[i] * (x[i] - c) * (x[i] - c);
      sums[j] += s * inverse_scale(j) * inverse_scale(j);
    });
    return sums;
  }

  Moments moments(const Vec& weights) const override { return several_moments({weights})[0]; }

  std::vector<Moments> several_moments(const std::vector<Vec>& weights) const override {
    const std::size_t m = weights.size();
    std::vector<Vec> all;
    for (const Vec& w : weights) all.push_back(spread_out(w));
    std::vector<Running> running;
    const bool finite = store_->accumulate(compose(cols_, order_), all, running);
    std::vector<Moments> found(m, Moments{Vec(cols()), Vec(cols()), finite});
    for (std::size_t v = 0; v < m; ++v) {
      const double freedom = degrees_of_freedom(weights[v]);
      for (std::size_t k = 0; k < order_.size(); ++k) {
        const Index j = order_[k];
        const Running& r = running[k * m + v];
        found[v].mean[j] = (r.mean - center(j)) * inverse_scale(j);
        found[v].sd[j] = standard_deviation(r.squares, freedom, r.mean, rows()) * inverse_scale(j);
      }
    }
    return found;
  }

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    const bool same = all_rows_ && rows == first(this->rows());
    auto part = std::make_shared<BlockDesign>(store_, compose(rows_, rows), same, compose(cols_, cols),
                                              center_, scale_);
    if (in_memory() || part->cols() <= store_->room()) part->hold();
    return part;
  }

 private:
  // Return places in the order in which the columns, or the columns `which` of the view, lie in the store.
  IndexList ascending(IndexList places) const {
    std::stable_sort(places.begin(), places.end(), [&](Index a, Index b) { return cols_[a] < cols_[b]; });
    return places;
  }
  IndexList ascending(IndexList places, const IndexList& which) const {
    std::stable_sort(places.begin(), places.end(),
                     [&](Index a, Index b) { return cols_[which[a]] < cols_[which[b]]; });
    return places;
  }

  // Calls use(j, row, count, x) for the pieces of these columns, which ascend in the store.
  template <class Use>
  void pieces(const IndexList& which, Use use) const {
    if (in_memory()) {
      for (Index j : which) use(j, Index(0), store_->rows(), held_[j]->data());
    } else {
      store_->stream(compose(cols_, which),
                     [&](Index k, Index row, Index count, const double* x) { use(which[k], row, count, x); });
    }
  }

  // Calls use(pointers) for as many of these columns at a time as fit into memory, until it returns false.
  template <class Use>
  void panels(const IndexList& which, Use use) const {
    if (in_memory()) {
      std::vector<const double*> all;
      for (Index j : which) all.push_back(held_[j]->data());
      use(all);
      return;
    }
    store_->whole(compose(cols_, which), use);
  }

  template <class Use>
  void whole_columns(const IndexList& which, Use use) const {
    std::size_t k = 0;
    panels(which, [&](const std::vector<const double*>& x) {
      for (const double* column : x) use(which[k++], column);
      return true;
    });
  }

  double inverse_scale(Index j) const { return scale(j) > 0 ? 1.0 / scale(j) : 0.0; }

  // Convert vectors from the rows of the view to those of the store, and back.
  Vec spread_out(const Vec& v) const {
    if (all_rows_) return v;
    Vec all = Vec::Zero(store_->rows());
    for (std::size_t i = 0; i < rows_.size(); ++i) all[rows_[i]] += v[i];
    return all;
  }
  Vec gather(const Vec& all) const {
    if (all_rows_) return all;
    Vec part(rows());
    for (std::size_t i = 0; i < rows_.size(); ++i) part[i] = all[rows_[i]];
    return part;
  }

  void standardise(const double* raw, Index j, double z, double* out) const {
    const double c = z * inverse_scale(j), middle = center(j);
    if (all_rows_) return simd::center_scale(raw, middle, c, out, rows());
    for (Index i = 0; i < rows(); ++i) out[i] = c * (raw[rows_[i]] - middle);
  }

  // Adds z_j^2 x_j x_j' over several columns to the lower triangle of k. O(n^2) each.
  void add_slice(const Index* which, const std::vector<const double*>& x, const Vec& z, double* neighbours,
                 Mat& k) const {
    const Index n = rows(), width = static_cast<Index>(x.size());
    Vec column(n);
    for (Index c = 0; c < width; ++c) {
      standardise(x[c], which[c], z[which[c]], column.data());
      for (Index i = 0; i < n; ++i) neighbours[i * width + c] = column[i];
    }
    add_gram(neighbours, width, k);
  }

  Vec norms_by_moments() const {
    if (store_->plain.empty()) return weighted_squares(Vec::Ones(rows()));
    Vec norms(cols());
    for (Index j = 0; j < cols(); ++j) {
      const Running& r = store_->plain[cols_[j]];
      const double apart = r.mean - center(j), inverse = inverse_scale(j);
      norms[j] = (r.squares + r.weight * apart * apart) * inverse * inverse;
    }
    return norms;
  }

  std::shared_ptr<BlockStore> store_;
  IndexList rows_;
  bool all_rows_;
  IndexList cols_;
  std::shared_ptr<const Vec> center_, scale_;
  // All columns in the order in which they lie in the store.
  IndexList order_;
  // All columns in memory, or none.
  std::vector<Column> held_;
  // The last products, because they are requested more than once for a solution.
  mutable Vec w_, f_, v_, g_, norms_;
};

}  // namespace

std::shared_ptr<BlockStore> open_blocks(Blocks blocks) {
  return std::make_shared<BlockStore>(std::move(blocks));
}

Moments block_moments(BlockStore& store, const Vec& weights) {
  const Index d = store.cols();
  std::vector<Running> running;
  Moments found{Vec(d), Vec(d), store.accumulate(first(d), {weights, Vec::Ones(store.rows())}, running)};
  const double freedom = degrees_of_freedom(weights);
  store.plain.resize(d);
  for (Index j = 0; j < d; ++j) {
    const Running& r = running[2 * j];
    found.mean[j] = r.mean;
    found.sd[j] = standard_deviation(r.squares, freedom, r.mean, store.rows(), r.range);
    store.plain[j] = running[2 * j + 1];
  }
  return found;
}

std::shared_ptr<const Design> block_design(std::shared_ptr<BlockStore> store, Vec center, Vec scale) {
  IndexList rows = first(store->rows()), cols = first(store->cols());
  return std::make_shared<BlockDesign>(std::move(store), std::move(rows), true, std::move(cols),
                                       std::make_shared<Vec>(std::move(center)),
                                       std::make_shared<Vec>(std::move(scale)));
}

}  // namespace zeronorm

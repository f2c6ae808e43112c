#include "data/kept_gram.h"

#include <algorithm>

#include "base/indices.h"
#include "data/design_view.h"

namespace zeronorm {

// The matrix K = sum x_j x_j' over the columns, and the trace that was subtracted from it.
struct KeptGram::Store {
  explicit Store(std::shared_ptr<const Design> x) : base(std::move(x)), norms(base->squared_norms()) {}

  const Mat& gram(IndexList wanted, const Limits& limits);

  std::shared_ptr<const Design> base;
  Vec norms;
  IndexList columns;
  Mat k;
  double taken = 0;

 private:
  double sum(const IndexList& which) const {
    double total = 0;
    for (Index j : which) total += norms[j];
    return total;
  }
  Mat of(const IndexList& which, const Limits& limits) const {
    Vec z = Vec::Zero(base->cols());
    for (Index j : which) z[j] = 1;
    return base->gram(z, limits);
  }
};

namespace {

// Returns the common scale of all columns with a positive finite scale; 0 if they differ.
double common_scale(const Vec& z, IndexList& which) {
  double scale = 0;
  for (Index j = 0; j < z.size(); ++j) {
    if (!(z[j] > 0 && z[j] < kInf)) continue;
    if (scale != 0 && z[j] != scale) return 0;
    scale = z[j];
    which.push_back(j);
  }
  return scale;
}

Mat scaled(double factor, const Mat& k) {
  if (factor == 1) return k;
  return factor * k;
}

class Whole final : public DesignView {
 public:
  explicit Whole(std::shared_ptr<KeptGram::Store> store)
      : DesignView(store->base), store_(std::move(store)) {}

  Mat gram(const Vec& z, const Limits& limits) const override {
    IndexList which;
    const double scale = common_scale(z, which);
    if (scale == 0 || static_cast<Index>(which.size()) < cols()) return base_->gram(z, limits);
    return scaled(scale * scale, store_->gram(std::move(which), limits));
  }
  Vec squared_norms() const override { return store_->norms; }

 private:
  std::shared_ptr<KeptGram::Store> store_;
};

class Part final : public DesignView {
 public:
  Part(std::shared_ptr<const Design> base, IndexList columns, std::shared_ptr<KeptGram::Store> store)
      : DesignView(std::move(base)), columns_(std::move(columns)), store_(std::move(store)) {}

  Mat gram(const Vec& z, const Limits& limits) const override {
    IndexList which;
    const double scale = common_scale(z, which);
    if (scale == 0) return base_->gram(z, limits);
    which = compose(columns_, which);
    std::sort(which.begin(), which.end());
    if (std::adjacent_find(which.begin(), which.end()) != which.end()) return base_->gram(z, limits);
    return scaled(scale * scale, store_->gram(std::move(which), limits));
  }
  Vec squared_norms() const override {
    Vec norms(cols());
    for (Index j = 0; j < cols(); ++j) norms[j] = store_->norms[columns_[static_cast<std::size_t>(j)]];
    return norms;
  }

 private:
  IndexList columns_;
  std::shared_ptr<KeptGram::Store> store_;
};

class Parts final : public DesignView {
 public:
  explicit Parts(std::shared_ptr<KeptGram::Store> store)
      : DesignView(store->base), store_(std::move(store)) {}

  std::shared_ptr<const Design> subset(const IndexList& rows, const IndexList& cols) const override {
    auto part = base_->subset(rows, cols);
    if (rows != first(base_->rows())) return part;
    return std::make_shared<Part>(std::move(part), cols, store_);
  }

 private:
  std::shared_ptr<KeptGram::Store> store_;
};

}  // namespace

KeptGram::KeptGram(std::shared_ptr<const Design> base)
    : store_(std::make_shared<Store>(std::move(base))), whole_(std::make_shared<Whole>(store_)),
      parts_(std::make_shared<Parts>(store_)) {}

Index KeptGram::columns() const { return static_cast<Index>(store_->columns.size()); }

// Takes O(n^2) for each column that was added or removed, or for each wanted column if those are fewer or if
// subtraction may have cost too many digits.
const Mat& KeptGram::Store::gram(IndexList wanted, const Limits& limits) {
  IndexList come, gone;
  std::set_difference(wanted.begin(), wanted.end(), columns.begin(), columns.end(), std::back_inserter(come));
  std::set_difference(columns.begin(), columns.end(), wanted.begin(), wanted.end(), std::back_inserter(gone));
  taken += sum(gone);
  if (k.size() == 0 || come.size() + gone.size() >= wanted.size() || !(taken <= sum(wanted))) {
    k.resize(0, 0);  // Memory may suffice for one matrix only.
    k = of(wanted, limits);
    taken = 0;
  } else {
    if (!come.empty()) k += of(come, limits);
    if (!gone.empty()) k -= of(gone, limits);
  }
  columns = std::move(wanted);
  if (limits.stop_now()) columns.clear();  // The matrix may be unfinished.
  return k;
}

}  // namespace zeronorm

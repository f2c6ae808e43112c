#include "engines/parts/pricing.h"

#include <algorithm>
#include <cmath>

#include "base/simd.h"
#include "data/design.h"

namespace zeronorm {
namespace {

// Number of earlier multipliers that are remembered; a column stores the number of its own in one byte.
constexpr std::size_t kMaxRemembered = 255;
// Rounding error of a price, relative to the norms of column and multipliers.
constexpr double kRounding = 1e-12;
// Entries of x below which reading all columns costs so little that no promising columns are chosen.
constexpr Index kFewEntries = 1 << 20;
// Number of leading columns that show whether nearly all columns have to be read.
constexpr Index kProbedColumns = 256;
// One column in this many is promising.
constexpr Index kColumnsPerPromising = 128;
// Smallest number of promising columns.
constexpr Index kMinPromising = 512;
// Number of columns sampled to find the threshold for promising columns.
constexpr Index kSampledColumns = 4096;

}  // namespace

IndexList worst(Violators& found, Index count) {
  const std::size_t top = std::min(static_cast<std::size_t>(count), found.size());
  std::partial_sort(found.begin(), found.begin() + top, found.end(), [](const auto& x, const auto& z) {
    return x.first > z.first || (x.first == z.first && x.second < z.second);
  });
  IndexList columns(top);
  for (std::size_t q = 0; q < top; ++q) columns[q] = found[q].second;
  return columns;
}

void Pricing::setup(std::shared_ptr<const Design> x) {
  x_ = std::move(x);
  norms_ = x_->squared_norms().cwiseSqrt();
  priced_at_.clear();
  promising_.clear();
}

// Defined here to be inlined, because it is called most often.
inline bool Pricing::may_reach(Index j, const Vec& up, const Vec& down, double near, const Vec& g) const {
  const double price = share_[last_[j]] * g[j], spread = apart_[last_[j]] * norms_[j];
  // Written without branches, which would be mispredicted.
  return (price + spread >= near * up[j]) | (spread - price >= near * down[j]);
}

const IndexList& Pricing::update(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g) {
  const Index d = x_->cols();
  const bool afresh = !x_->in_memory() || priced_at_.empty() || priced_at_.size() == kMaxRemembered;
  if (!afresh) {
    compare(v);
    collect(up, down, near, g);
    if (static_cast<Index>(near_.size()) <= d - d / 8) {
      read(v, up, down, near, g);
      return near_;
    }
  }
  all(v, up, down, g);
  near_.resize(d);
  near_.resize(simd::collect_beyond(g.data(), up.data(), down.data(), near, d, near_.data()));
  return near_;
}

// Collects all columns if nearly all of the first ones have to be read, because reading them one by one would take
// longer.
void Pricing::collect(const Vec& up, const Vec& down, double near, const Vec& g) {
  const Index d = g.size(), probe = std::min(d, kProbedColumns);
  near_.resize(d);
  const auto reaching = [&](Index from, Index to, Index* out) {
    return simd::collect_reaching(g.data(), norms_.data(), up.data(), down.data(), last_.data(),
                                  share_.data(), apart_.data(), near, from, to, out);
  };
  const Index count = reaching(0, probe, near_.data());
  if (count > probe - probe / 8) return;
  near_.resize(count + reaching(probe, d, near_.data() + count));
}

const IndexList& Pricing::promising(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g) {
  near_.clear();
  if (promising_.empty() || priced_at_.size() == kMaxRemembered) return near_;
  compare(v);
  for (Index j : promising_)
    if (may_reach(j, up, down, near, g)) near_.push_back(j);
  read(v, up, down, near, g);
  return near_;
}

void Pricing::all(const Vec& v, const Vec& up, const Vec& down, Vec& g) {
  g = x_->prices(v);
  last_.assign(g.size(), 0);
  priced_at_.assign(1, v);
  choose_promising(up, down, g);
}

// Chooses the columns nearest to their costs. O(d).
void Pricing::choose_promising(const Vec& up, const Vec& down, const Vec& g) {
  promising_.clear();
  const Index d = g.size();
  if (!x_->in_memory() || d < kSampledColumns || x_->rows() * d < kFewEntries) return;
  const auto closeness = [&](Index j) { return std::abs(g[j]) / std::max(std::min(up[j], down[j]), 1e-300); };
  std::vector<double> sample(kSampledColumns);
  for (Index k = 0; k < kSampledColumns; ++k) sample[k] = closeness(k * (d / kSampledColumns));
  const auto bar = sample.begin() + kSampledColumns * std::max(d / kColumnsPerPromising, kMinPromising) / d;
  std::nth_element(sample.begin(), bar, sample.end(), std::greater<double>());
  if (!(*bar > 0)) return;
  for (Index j = 0; j < d; ++j)
    if (closeness(j) > *bar) promising_.push_back(j);
}

void Pricing::compare(const Vec& v) {
  const std::size_t count = priced_at_.size();
  share_.resize(count);
  apart_.resize(count);
  for (std::size_t r = 0; r < count; ++r) {
    const double square = priced_at_[r].squaredNorm();
    share_[r] = square > 0 ? v.dot(priced_at_[r]) / square : 0.0;
    apart_[r] = (v - share_[r] * priced_at_[r]).norm() + kRounding * v.norm();
  }
}

// Computes the prices of the columns in near_ and keeps those that reach their bound.
void Pricing::read(const Vec& v, const Vec& up, const Vec& down, double near, Vec& g) {
  x_->products(near_, v, g.data());
  std::size_t kept = 0;
  for (Index j : near_) {
    last_[j] = static_cast<unsigned char>(priced_at_.size());
    if (g[j] >= near * up[j] || -g[j] >= near * down[j]) near_[kept++] = j;
  }
  near_.resize(kept);
  priced_at_.push_back(v);
}

void Pricing::column(Index j, double* out) const { x_->column(j, out); }

void Pricing::columns(const IndexList& which, double* out) const { x_->columns(which, out); }

}  // namespace zeronorm

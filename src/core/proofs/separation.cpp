#include "proofs/separation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/indices.h"
#include "base/simd.h"

namespace zeronorm {
namespace {

// Number of refutations tried on all features at once.
constexpr std::size_t kFirstRefutations = 8;
// With more columns in a set, the remaining entries of its conflicts might add up to more than the bounds allow.
constexpr Index kMaxColumns = 40;
// Number of columns whose conflicts stay in cache.
constexpr Index kTileColumns = 256;

double choose(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

IndexList with(const IndexList& set, std::initializer_list<Index> more) {
  IndexList all = set;
  all.insert(all.end(), more);
  return all;
}

IndexList without(const IndexList& set, std::initializer_list<Index> gone) {
  IndexList left;
  for (Index j : set)
    if (std::find(gone.begin(), gone.end(), j) == gone.end()) left.push_back(j);
  return left;
}

}  // namespace

Separation::Separation(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven, Index always)
    : hulls_(x, y, forgiven), always_(always), groups_(groups()) {}

IndexList Separation::whole(const IndexList& set) const {
  IndexList all = first(always_);
  all.insert(all.end(), set.begin(), set.end());
  return all;
}

// Groups of observations with a share of both classes each. A group in which a set fails costs it an error, or a sum
// of hinge losses of two minus what the largest weights make of a conflict that vanishes only up to rounding.
std::vector<IndexList> Separation::groups() const {
  // Smallest sum of hinge losses of a group in which a set fails.
  constexpr double hinge_of_group = 2 - kLargestWeight * (kVanishing + kMaxColumns * kSign);
  const Forgiven& forgiven = hulls_.forgiven();
  const double budget = std::min(forgiven.budget(), 2.0 * static_cast<double>(hulls_.y().size()));
  const Index count = std::max(forgiven.errors, static_cast<Index>(budget / hinge_of_group)) + 1;
  IndexList up = first(hulls_.up()), down(hulls_.y().size() - hulls_.up());
  std::iota(down.begin(), down.end(), hulls_.up());
  spread_out(up);
  spread_out(down);
  std::vector<IndexList> all(count);
  for (std::size_t k = 0; k < up.size(); ++k) all[k % count].push_back(up[k]);
  for (std::size_t k = 0; k < down.size(); ++k) all[k % count].push_back(down[k]);
  for (IndexList& group : all) std::sort(group.begin(), group.end());
  return all;
}

// Returns the features that the conflicts of some group do not refute. O(d conflicts).
std::vector<char> Separation::standing(const std::vector<Conflicts>& base) const {
  std::vector<char> left(features(), 0);
  std::vector<double> low(features()), high(features());
  for (const Conflicts& c : base) {
    std::fill(low.begin(), low.end(), 0.0);
    std::fill(high.begin(), high.end(), 0.0);
    for (Index t = 0; t < c.rows; ++t)
      for (Index j = 0; j < features(); ++j)
        low[j] = std::min(low[j], c.row(t)[j]), high[j] = std::max(high[j], c.row(t)[j]);
    for (Index j = 0; j < features(); ++j)
      if (!(low[j] < -kSign && high[j] > kSign)) left[j] = 1;
  }
  return left;
}

// --- all sets of a size ---

bool Separation::stopped() {
  stopped_ = stopped_ || limits_->stop_now();
  return stopped_;
}

void Separation::decide_and_count(const IndexList& whole, SizeScan& scan) {
  const Answer answer = hulls_.apart(whole, *limits_);
  if (answer == Answer::unclear) ++scan.unclear;
  if (answer != Answer::yes) return;
  ++scan.separating;
  if (scan.found.size() < most_) scan.found.emplace_back(whole.begin() + always_, whole.end());
}

SizeScan Separation::scan(Index size, std::size_t most, const Limits& limits,
                          const std::function<void(double)>& progress) {
  SizeScan scan;
  scan.size = size;
  limits_ = &limits;
  most_ = most;
  progress_ = progress;
  stopped_ = false;
  all_ = choose(static_cast<double>(features() - always_), static_cast<double>(size));
  if (size + always_ > kMaxColumns) return scan;
  if (size == 0) {
    decide_and_count(whole({}), scan);
    scan.sets = 1;
  } else if (size <= features() - always_) {
    IndexList prefix;
    std::vector<Conflicts> base;
    for (const IndexList& rows : groups_) base.push_back(differences(hulls_, rows));
    for (Index j = 0; j < always_; ++j) {
      prefix.push_back(j);
      for (std::size_t g = 0; g < base.size(); ++g)
        base[g] = extend(hulls_, base[g], prefix, groups_[g], limits);
    }
    if (size == 1)
      scan_single(base, scan);
    else
      scan_from(prefix, base, size, scan);
  }
  scan.complete = !stopped();
  std::sort(scan.found.begin(), scan.found.end());
  Care care;
  care.widest = true;
  for (const IndexList& set : scan.found) scan.decisions.push_back(decide(set, limits, care));
  return scan;
}

void Separation::scan_single(const std::vector<Conflicts>& base, SizeScan& scan) {
  const std::vector<char> left = standing(base);
  for (Index j = always_; j < features() && !stopped(); ++j) {
    if (left[j]) decide_and_count(whole({j}), scan);
    ++scan.sets;
  }
}

void Separation::scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more,
                           SizeScan& scan) {
  if (more == 2) return scan_pairs(prefix, base, scan);
  const Index begin = prefix.empty() ? 0 : prefix.back() + 1;
  for (Index i = begin; i + more <= features() && !stopped(); ++i) {
    prefix.push_back(i);
    std::vector<Conflicts> next;
    for (std::size_t g = 0; g < base.size(); ++g)
      next.push_back(extend(hulls_, base[g], prefix, groups_[g], *limits_));
    scan_from(prefix, next, more - 1, scan);
    prefix.pop_back();
  }
}

// Scans the prefix with any two features behind it. Features i with few conflicts in the base come first, one by one,
// with conflicts of their own; then all other i for one tile of j at a time.
void Separation::scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan) {
  const Index d = features(), begin = prefix.empty() ? 0 : prefix.back() + 1;
  const std::size_t groups = base.size();
  std::vector<char> left(kTileColumns);
  std::vector<simd::Size> out(kTileColumns);
  // Decides the columns in [from, to) that the refutations of i leave.
  auto look = [&](Index i, const std::vector<const Conflicts*>& from_base,
                  const std::vector<std::vector<Pairing>>& pairs, Index from, Index to) {
    std::fill(left.begin(), left.end(), 0);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::vector<Pairing>& all = pairs[g];
      const std::size_t m = std::min(kFirstRefutations, all.size());
      const double *a[kFirstRefutations], *b[kFirstRefutations];
      double c[kFirstRefutations], e[kFirstRefutations];
      for (std::size_t k = 0; k < m; ++k) {
        a[k] = from_base[g]->row(all[k].a) + from, b[k] = from_base[g]->row(all[k].b) + from;
        c[k] = all[k].alpha, e[k] = all[k].beta;
      }
      const simd::Size found =
          simd::one_sided(a, b, c, e, static_cast<simd::Size>(m), to - from, kSign, out.data());
      for (simd::Size t = 0; t < found; ++t) {
        const Index j = from + out[t];
        if (left[out[t]]) continue;
        double low = 0, high = 0;
        for (std::size_t k = 0; k < all.size() && !(low < -kSign && high > kSign); ++k) {
          const double v =
              all[k].alpha * from_base[g]->row(all[k].a)[j] + all[k].beta * from_base[g]->row(all[k].b)[j];
          low = std::min(low, v), high = std::max(high, v);
        }
        left[out[t]] = !(low < -kSign && high > kSign);
      }
    }
    for (Index j = from; j < to; ++j)
      if (left[j - from]) decide_and_count(with(prefix, {i, j}), scan);
    scan.sets += static_cast<double>(to - from);
  };

  std::vector<std::vector<std::vector<Pairing>>> pairs(d);
  std::vector<const Conflicts*> same;
  for (const Conflicts& c : base) same.push_back(&c);
  std::vector<char> apart(d, 0);
  for (Index i = begin; i < d && !stopped(); ++i) {
    pairs[i].resize(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      pairs[i][g] = pairings(base[g], i, kMaxRefutations);
      apart[i] = apart[i] || pairs[i][g].size() < kMinConflicts;
    }
    if (!apart[i]) continue;
    std::vector<Conflicts> own;
    std::vector<const Conflicts*> pointers;
    for (std::size_t g = 0; g < groups; ++g) {
      own.push_back(extend(hulls_, base[g], with(prefix, {i}), groups_[g], *limits_));
      pairs[i][g].clear();
      for (Index t = 0; t < own[g].rows; ++t) pairs[i][g].push_back({t, t, 1, 0});
    }
    for (const Conflicts& c : own) pointers.push_back(&c);
    for (Index from = i + 1; from < d && !stopped(); from += kTileColumns)
      look(i, pointers, pairs[i], from, std::min(d, from + kTileColumns));
    pairs[i].clear();
  }
  for (Index from = begin; from < d && !stopped(); from += kTileColumns) {
    const Index to = std::min(d, from + kTileColumns);
    for (Index i = begin; i + 1 < to; ++i) {
      if (apart[i]) continue;
      look(i, same, pairs[i], std::max(from, i + 1), to);
      if (i % 64 == 0 && stopped()) break;
    }
    if (progress_) progress_(scan.sets / all_);
  }
}

// --- smaller sets ---

IndexList Separation::shrink(IndexList set, const Limits& limits) {
  // A set on which this many sub-problems decide nothing counts as one that does not separate.
  Care care;
  care.nodes = 200;
  auto separates = [&](const IndexList& fewer) { return answer(fewer, limits, care) == Answer::yes; };
  auto drop_one = [&]() {
    for (std::size_t k = set.size(); k-- > 0;) {
      const IndexList fewer = without(set, {set[k]});
      if (limits.stop_now() || (fewer.empty() && always_ == 0) || !separates(fewer)) continue;
      set = fewer;
      return true;
    }
    return false;
  };
  // Returns whether another feature can replace two.
  auto merge_two = [&]() {
    for (std::size_t a = 0; a < set.size(); ++a)
      for (std::size_t b = a + 1; b < set.size(); ++b) {
        if (limits.stop_now()) return false;
        const IndexList rest = without(set, {set[a], set[b]}), base = whole(rest);
        std::vector<Conflicts> conflicts;
        for (const IndexList& rows : groups_)
          conflicts.push_back(base.empty() ? differences(hulls_, rows) : solved(hulls_, base, rows, limits));
        const std::vector<char> left = standing(conflicts);
        for (Index j = always_; j < features(); ++j) {
          if (!left[j] || std::find(set.begin(), set.end(), j) != set.end()) continue;
          if (limits.stop_now()) return false;
          if (!separates(with(rest, {j}))) continue;
          set = with(rest, {j});
          return true;
        }
      }
    return false;
  };
  const std::size_t least = always_ > 0 ? 0 : 1;
  while (set.size() > least && !limits.stop_now() && (drop_one() || merge_two())) {
  }
  std::sort(set.begin(), set.end());
  return set;
}

}  // namespace zeronorm

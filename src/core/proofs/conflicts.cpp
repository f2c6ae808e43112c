#include "proofs/conflicts.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace zeronorm {
namespace {

// Number of conflicts of a set that are kept for the sets that contain it.
constexpr Index kMaxKeptConflicts = 64;

// With more observations, rounding errors of a sum over them might add up to more than kVanishing.
constexpr Index kMaxSummedRows = 20000;

void add(Conflicts& to, const Conflicts& base, const Pairing& p) {
  const double *a = base.row(p.a), *b = base.row(p.b);
  const std::size_t from = to.values.size();
  to.values.resize(from + base.features);
  for (Index j = 0; j < base.features; ++j) to.values[from + j] = p.alpha * a[j] + p.beta * b[j];
  ++to.rows;
}

}  // namespace

void spread_out(IndexList& rows) {
  std::uint64_t state = 88172645463325252ULL;
  for (std::size_t k = rows.size(); k > 1; --k) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::swap(rows[k - 1], rows[state % k]);
  }
}

Conflicts differences(const Hulls& hulls, const IndexList& rows) {
  const Mat& x = hulls.x();
  IndexList up, down;
  for (Index i : rows) (i < hulls.up() ? up : down).push_back(i);
  spread_out(up);
  spread_out(down);
  Conflicts c;
  c.features = x.cols();
  if (up.empty() || down.empty()) return c;
  // Observations take turns, and no pair occurs twice.
  const Index pairs = static_cast<Index>(up.size() * down.size()), turns = std::lcm(up.size(), down.size());
  c.rows = std::min(kMaxKeptConflicts, pairs);
  c.values.resize(c.rows * x.cols());
  for (Index t = 0; t < c.rows; ++t) {
    const Index p = up[t % up.size()], q = down[(t + t / turns) % down.size()];
    for (Index j = 0; j < x.cols(); ++j) c.values[t * x.cols() + j] = x(p, j) - x(q, j);
  }
  return c;
}

std::vector<Pairing> pairings(const Conflicts& base, Index i, std::size_t most) {
  IndexList up, down, none;
  for (Index t = 0; t < base.rows; ++t) {
    const double v = base.row(t)[i];
    (v > kSign ? up : v < -kSign ? down : none).push_back(t);
  }
  std::vector<Pairing> all;
  for (Index t : none)
    if (all.size() < most) all.push_back({t, t, 1, 0});
  const std::size_t turns = up.empty() || down.empty() ? 0 : std::lcm(up.size(), down.size());
  for (std::size_t k = 0; k < std::min(up.size() * down.size(), most) && all.size() < most; ++k) {
    const Index a = up[k % up.size()], b = down[(k + k / turns) % down.size()];
    const double u = base.row(a)[i], v = -base.row(b)[i];
    all.push_back({a, b, v / (u + v), u / (u + v)});
  }
  return all;
}

Conflicts solved(const Hulls& hulls, const IndexList& set, IndexList rows, const Limits& limits) {
  Conflicts c;
  c.features = hulls.x().cols();
  if (hulls.y().size() > kMaxSummedRows) return c;
  while (c.rows < static_cast<Index>(kMaxRefutations) && !limits.stop_now()) {
    const Hulls::Verdict verdict = hulls.without_errors(set, rows, limits);
    if (verdict.answer != Answer::no || !(verdict.norm <= kVanishing)) break;
    Vec v = Vec::Zero(hulls.y().size());
    for (std::size_t k = 0; k < rows.size(); ++k)
      v[rows[k]] = hulls.y()[rows[k]] * verdict.a[static_cast<Index>(k)];
    const Vec g = hulls.x().transpose() * v;
    c.values.insert(c.values.end(), g.data(), g.data() + g.size());
    ++c.rows;
    Index heaviest = 0;
    verdict.a.maxCoeff(&heaviest);
    rows.erase(rows.begin() + heaviest);
  }
  return c;
}

Conflicts extend(const Hulls& hulls, const Conflicts& base, const IndexList& set, const IndexList& rows,
                 const Limits& limits) {
  const auto pairs = pairings(base, set.back(), kMaxKeptConflicts);
  Conflicts c;
  c.features = base.features;
  for (const Pairing& p : pairs) add(c, base, p);
  if (pairs.size() >= kMinConflicts) return c;
  const Conflicts more = solved(hulls, set, rows, limits);
  c.values.insert(c.values.end(), more.values.begin(), more.values.end());
  c.rows += more.rows;
  return c;
}

}  // namespace zeronorm

// Small problems out of bytes: few rows and columns, entries and prices from tables full of what is degenerate.
#pragma once

#include <cstdint>
#include <cstdio>

#include "data/design.h"
#include "grade.h"

namespace zeronorm {

// Bytes as choices; zeros after their end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  int next() { return at_ < size_ ? data_[at_++] : 0; }
  int below(int bound) { return next() % bound; }
  template <std::size_t N>
  double of(const double (&table)[N]) {
    return table[next() % N];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

constexpr double kPlainEntries[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3};
constexpr double kOddEntries[] = {0, 1, -1, 1e-6, -1e-6, 1e6, -1e6, 1.0 / 3, 1 + 1e-9, 0.1, -0.3, 7};
constexpr double kSomeCosts[] = {1, 0.1, 10, 0, 1e-6, 1e6, 1.0 / 3, 100};
constexpr double kSomePrices[] = {1, 0, 0.1, 10, 0.5, 1e-6, 1e6, 1.0 / 3};
constexpr double kSomeScales[] = {1, kInf, 0, 0.1, 10, 1e-6, 1e6, 0.5};
constexpr double kSomeLinear[] = {0, 0.5, -0.5, 1};
constexpr double kSomeMargins[] = {1, 0, -1, 2, 10, -1e3, 1e-3, 0.5};
constexpr double kSomeTargets[] = {0, 1, -1, 2, 10, -1e3, 1e-3, 0.5};

// What a sequence of surrogates is made of: prices, ridges, both, anything, or one price for groups of columns.
enum Regulariser { prices_only, ridges_only, elastic, anything, regularisers };

struct Instance {
  Mat dense;
  std::vector<int> starts, rows;  // compressed columns, where sparse
  std::vector<double> values;
  RealMat x;  // what the design stands for
  Problem problem;
  std::vector<Surrogate> rounds;
  bool sparse = false;

  Instance() = default;
  Instance(const Instance&) = delete;
};

inline void draw_entries(Instance& q, Bytes& in, Index n, Index d) {
  const bool odd = in.below(4) == 3;
  q.dense.resize(n, d);
  for (Index j = 0; j < d; ++j) {
    const int kind = in.below(12);
    for (Index i = 0; i < n; ++i) {
      const double before = j > 0 ? q.dense(i, j - 1) : 1;
      switch (kind) {
        case 8: q.dense(i, j) = before; break;
        case 9: q.dense(i, j) = 1; break;
        case 10: q.dense(i, j) = -2 * before; break;
        case 11: q.dense(i, j) = before * (1 + 1e-9 * in.below(4)); break;
        case 7: q.dense(i, j) = (in.next() - 128) / 37.0; break;
        default: q.dense(i, j) = odd ? in.of(kOddEntries) : in.of(kPlainEntries);
      }
    }
    if (kind == 5) q.dense.col(j) *= 1e-6;
    if (kind == 6) q.dense.col(j) *= 1e6;
  }
}

// The view of the entries, as the engines get it, and as a matrix.
inline void view_entries(Instance& q, Bytes& in, bool standardised) {
  const Index n = q.dense.rows(), d = q.dense.cols();
  Vec center = Vec::Zero(d), scale = Vec::Ones(d);
  for (Index j = 0; standardised && j < d; ++j) {
    constexpr double centers[] = {0, 1, 0.5, -1}, scales[] = {1, 2, 0.1, 3};
    const int choice = in.next();
    if (!q.sparse) center[j] = choice < 200 ? centers[choice % 4] : q.dense.col(j).mean();
    scale[j] = scales[choice / 4 % 4];
  }
  q.x = (q.dense.cast<Real>().rowwise() - center.transpose().cast<Real>()).array().rowwise() /
        scale.transpose().cast<Real>().array();
  if (!q.sparse) {
    q.problem.x = dense_design(q.dense.data(), n, d, center, scale);
    return;
  }
  q.starts.push_back(0);
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < n; ++i)
      if (q.dense(i, j) != 0) q.rows.push_back(int(i)), q.values.push_back(q.dense(i, j));
    q.starts.push_back(int(q.rows.size()));
  }
  q.problem.x = sparse_design(q.starts.data(), q.rows.data(), q.values.data(), n, d, scale);
}

inline Surrogate draw_surrogate(Bytes& in, Index d, Regulariser kind, bool linear, bool apart) {
  Surrogate s;
  s.l1.resize(d);
  s.scale.resize(d);
  if (linear) s.linear.resize(d);
  int price = 0, scale = 0, slope = 0;
  for (Index j = 0; j < d; ++j) {
    if (j == 0 || apart) price = in.next(), scale = in.next(), slope = linear ? in.next() : 0;
    s.l1[j] = kind == ridges_only ? 0 : kSomePrices[price % 8];
    s.scale[j] = kSomeScales[scale % 8];
    if (kind == prices_only && s.scale[j] > 0) s.scale[j] = kInf;
    if (kind == elastic && s.scale[j] == kInf && s.l1[j] > 0) s.scale[j] = 2;
    if (linear) s.linear[j] = kSomeLinear[slope % 4] * (kind == anything && slope > 127 ? 1 : s.l1[j]);
  }
  return s;
}

// Each column belongs to one of few features.
inline void group(Surrogate& s, Bytes& in, bool one_price) {
  const Index features = one_price ? 1 : 1 + in.below(4);
  s.l1 = Vec::NullaryExpr(features, [&] { return std::max(in.of(kSomePrices), one_price ? 1e-6 : 0.0); });
  s.linear.resize(0);
  for (Index j = 0; j < s.scale.size(); ++j) s.groups.push_back({one_price ? 0 : in.below(int(features))});
}

inline void draw(Instance& q, Bytes in) {
  enum { plain = 4, labels = 11, kernel = 12, groups = 13, kinds = 14 };
  constexpr Loss losses[] = {Loss::hinge,    Loss::hinge,         Loss::hinge,         Loss::hinge,
                             Loss::hinge,    Loss::squared_hinge, Loss::squared_hinge, Loss::squared,
                             Loss::logistic, Loss::probit,        Loss::weston_watkins};
  const int kind = in.below(kinds), flags = in.next(), more = in.next();
  Problem& p = q.problem;
  p.loss = kind < labels ? losses[kind] : Loss::hinge;
  if (kind == labels && more & 64) p.loss = more & 128 ? Loss::logistic : Loss::squared_hinge;
  if (kind == kernel && more & 64) p.loss = Loss::squared_hinge;
  p.intercept = flags & 1;
  q.sparse = flags & 2 && kind != kernel;
  const bool slacks =
      p.loss == Loss::hinge || p.loss == Loss::squared_hinge || p.loss == Loss::weston_watkins;
  const bool hard = flags & 8 && slacks, same_cost = flags & 16 || hard;
  const bool one_output = kind != labels && p.loss != Loss::weston_watkins;
  const bool margins = flags & 32 && one_output && slacks, linear = flags & 64;
  const Index n = 2 + in.below(11), d = 1 + in.below(12), outputs = one_output ? 1 : 2 + in.below(2);
  const double cost = in.of(kSomeCosts);
  p.y = Mat::Constant(n, outputs, -1);
  p.cost = Vec::Constant(n, hard ? kInf : cost);
  if (margins) p.margin = Vec::Ones(n);
  for (Index i = 0; i < n; ++i) {
    const int row = in.next();
    if (p.loss == Loss::weston_watkins)
      p.y(i, row % outputs) = 1;
    else if (p.loss == Loss::squared)
      p.y.row(i).setConstant(kSomeTargets[row % 8]);
    else
      for (Index k = 0; k < outputs; ++k)
        if ((i + (row >> k)) % 2) p.y(i, k) = 1;
    if (!same_cost) p.cost[i] = kSomeCosts[row / 8 % 8];
    if (margins) p.margin[i] = kSomeMargins[in.below(8)];
  }
  draw_entries(q, in, n, d);
  view_entries(q, in, flags & 4);
  Index columns = d;
  if (kind == kernel) {
    q.x = q.x * q.x.transpose().eval();
    p.x = kernel_design(q.x.cast<double>());
    q.x = q.x.cast<double>().cast<Real>();
    p.quadratic = Quadratic::kernel;
    columns = n;
  }
  const int rounds = 1 + more % 4;
  for (int r = 0; r < rounds; ++r) {
    Regulariser of = Regulariser(more / 4 % 4);
    if (kind == kernel) of = ridges_only;
    Surrogate s = draw_surrogate(in, columns, of, linear && kind != kernel, more & 16);
    if (kind == kernel) s.scale.setConstant(kInf);
    if (kind == groups) group(s, in, more & 32);
    q.rounds.push_back(s);
  }
}

// As C++ that makes it again.
inline void print(const Instance& q, const Surrogate& s) {
  const auto list = [](const char* name, const auto& m) {
    std::fprintf(stderr, "%s (%ld x %ld) <<", name, long(m.rows()), long(m.cols()));
    for (Index i = 0; i < m.rows(); ++i)
      for (Index j = 0; j < m.cols(); ++j)
        std::fprintf(stderr, "%s%.17g", i + j ? ", " : " ", double(m(i, j)));
    std::fprintf(stderr, ";\n");
  };
  const Problem& p = q.problem;
  std::fprintf(stderr, "loss %d, intercept %d, kernel %d, sparse %d\n", int(p.loss), p.intercept,
               p.quadratic == Quadratic::kernel, q.sparse);
  list("x", q.x);
  list("y", p.y);
  list("cost", p.cost);
  if (p.margin.size()) list("margin", p.margin);
  list("l1", s.l1);
  list("scale", s.scale);
  if (s.linear.size()) list("linear", s.linear);
  for (const IndexList& g : s.groups) std::fprintf(stderr, "group %ld\n", long(g[0]));
}

}  // namespace zeronorm

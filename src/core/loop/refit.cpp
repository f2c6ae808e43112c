#include "loop/refit.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "engines/hard_margin_limit.h"
#include "loop/minimise.h"
#include "problem/loss.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Per unit of loss.
Surrogate plain(Index k, Index free, const Machine& machine, bool limit) {
  const double C = limit ? 1.0 : machine.C;
  Surrogate s;
  s.scale = Vec::Constant(k, scale_per_loss(machine.l1 ? 0 : 1, C));
  s.l1 = Vec::Constant(k, l1_per_loss(machine.l1 ? 1 : 0, C));
  s.scale.tail(free).setConstant(kInf);
  s.l1.tail(free).setZero();
  return s;
}

// Each entry at its place among n, zeros elsewhere; zeros only where a failure left nothing.
Mat spread(const Mat& part, const IndexList& places, Index n) {
  Mat all = Mat::Zero(n, std::max<Index>(1, part.cols()));
  if (part.rows() == static_cast<Index>(places.size()))
    for (std::size_t k = 0; k < places.size(); ++k) all.row(places[k]) = part.row(k);
  return all;
}

}  // namespace

Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const Machine& machine, const Limits& limits, const EngineChoice& choice) {
  // Free columns stand last, also those that were chosen; rows without weight are no rows.
  IndexList columns, rows;
  for (Index j : features)
    if (std::find(free.begin(), free.end(), j) == free.end()) columns.push_back(j);
  columns.insert(columns.end(), free.begin(), free.end());
  for (Index i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(i);

  Problem part = problem;
  part.loss = machine.joint && problem.y.cols() > 1 ? Loss::weston_watkins : machine.loss;
  part.cost = weights;
  part = restrict_to(part, rows, columns);
  std::unique_ptr<Engine> engine;
  // Least squares have a solution without a norm, and that with the smallest where there are several.
  const bool limit = machine.C == kInf && has_slacks(machine.loss);
  if (limit)
    engine = make_limit_machine(machine.l1, part.cost, choice);
  else
    engine = make_engine(choice);
  engine->setup(part);
  const Surrogate surrogate = plain(part.x->cols(), static_cast<Index>(free.size()), machine, limit);
  Solution s = solve_certified(*engine, part, surrogate, limits);
  if (machine.C < kInf) {  // in the convention  regulariser + C * slacks
    s.certificate.primal *= machine.C;
    s.certificate.dual *= machine.C;
  }
  s.w = spread(s.w, columns, problem.x->cols());
  s.dual = spread(s.dual, rows, problem.x->rows());
  return s;
}

double without_rounding(double score) {
  const double shifted = score * 16777217.0;  // 2^24 + 1
  return std::isfinite(shifted) ? shifted - (shifted - score) : score;
}

IndexList largest(const Vec& magnitude, const Vec& second, const IndexList& forced, Index k) {
  std::vector<char> first(magnitude.size(), 0);
  for (Index j : forced) first[j] = 1;
  IndexList order(magnitude.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  const bool has_second = second.size() == magnitude.size();
  const Index top = std::min<Index>(k, magnitude.size());
  const auto before = [&](Index a, Index b) {
    if (first[a] != first[b]) return first[a] > first[b];
    if (magnitude[a] != magnitude[b]) return magnitude[a] > magnitude[b];
    if (has_second && second[a] != second[b]) return second[a] > second[b];
    return a < b;
  };
  if (top < magnitude.size()) std::nth_element(order.begin(), order.begin() + top, order.end(), before);
  std::sort(order.begin(), order.begin() + top, before);
  order.resize(top);
  return order;
}

}  // namespace zeronorm

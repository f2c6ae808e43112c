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

// Returns the surrogate in units of the loss.
Surrogate plain(Index k, Index free, const ClassifierSpec& spec, bool limit) {
  const double C = limit ? 1.0 : spec.C;
  Surrogate s;
  s.scale = Vec::Constant(k, scale_per_loss(spec.l1 ? 0 : 1, C));
  s.l1 = Vec::Constant(k, l1_per_loss(spec.l1 ? 1 : 0, C));
  s.scale.tail(free).setConstant(kInf);
  s.l1.tail(free).setZero();
  return s;
}

// Returns each row at its place among n, zeros elsewhere; all zeros if a failure left no result.
Mat spread(const Mat& part, const IndexList& places, Index n) {
  Mat all = Mat::Zero(n, std::max<Index>(1, part.cols()));
  if (part.rows() == static_cast<Index>(places.size()))
    for (std::size_t k = 0; k < places.size(); ++k) all.row(places[k]) = part.row(k);
  return all;
}

}  // namespace

Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const ClassifierSpec& spec, const Limits& limits, const EngineChoice& choice) {
  // Unpenalised columns come last, including selected ones; rows without weight are left out.
  IndexList columns, rows;
  for (Index j : features)
    if (std::find(free.begin(), free.end(), j) == free.end()) columns.push_back(j);
  columns.insert(columns.end(), free.begin(), free.end());
  for (Index i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(i);

  Problem part = problem;
  part.loss = spec.joint && problem.y.cols() > 1 ? Loss::weston_watkins : spec.loss;
  part.cost = weights;
  part = restrict_to(part, rows, columns);
  std::unique_ptr<Engine> engine;
  // Least squares without a norm have a solution; if there are several, the one of smallest norm is returned.
  const bool limit = spec.C == kInf && has_slacks(spec.loss);
  if (limit)
    engine = make_hard_margin_limit(spec.l1, part.cost, choice);
  else
    engine = make_engine(choice);
  engine->setup(part);
  const Surrogate surrogate = plain(part.x->cols(), static_cast<Index>(free.size()), spec, limit);
  Solution s = solve_certified(*engine, part, surrogate, limits);
  if (spec.C < kInf) {  // The certificate is that of  regulariser + C * violations.
    s.certificate.primal *= spec.C;
    s.certificate.dual *= spec.C;
  }
  s.w = spread(s.w, columns, problem.x->cols());
  s.dual = spread(s.dual, rows, problem.x->rows());
  return s;
}

double without_rounding(double score) {
  const double shifted = score * 16777217.0;  // The factor is 2^24 + 1.
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

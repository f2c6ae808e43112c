#include "refit.h"

#include <algorithm>

#include "certificate.h"
#include "design.h"
#include "minimise.h"
#include "problem.h"

namespace zeronorm {
namespace {

Surrogate plain(Index k, Index free, const Machine& machine, double C) {
  Surrogate s;
  const double scale = machine.l1 ? kInf : (C < kInf ? std::sqrt(C) : 1.0);
  s.scale = Vec::Constant(k, scale);
  s.l1 = machine.l1 ? Vec::Constant(k, C < kInf ? 1.0 / C : 1.0) : Vec::Zero(k);
  s.scale.tail(free).setConstant(kInf);
  s.l1.tail(free).setZero();
  return s;
}

// Each entry at its place among n, zeros elsewhere; zeros only where a failure left nothing.
Mat spread(const Mat& part, const IndexList& places, Index n) {
  Mat all = Mat::Zero(n, 1);
  if (part.rows() == static_cast<Index>(places.size()))
    for (std::size_t k = 0; k < places.size(); ++k) all(places[k], 0) = part(k, 0);
  return all;
}

Solution solve_once(Problem& problem, const Vec& cost, const Surrogate& surrogate, const Limits& limits) {
  problem.cost = cost;
  const auto engine = make_engine("auto");
  engine->setup(problem);
  Solution s = solve_certified(*engine, problem, surrogate, limits);
  return s;
}

double slack_sum(const Problem& problem, const Vec& weights, const Solution& s) {
  return weights.dot(slacks(problem, s.w.col(0), problem.intercept ? s.b[0] : 0.0));
}

// Certificates in the convention  regulariser + C * slacks.
void rescale(Certificate& c, double factor) {
  c.primal *= factor;
  c.dual *= factor;
}

// C to infinity on data that cannot be separated: the least sum of slacks by a linear programme,
// whose tie rule already picks the smallest |w|_1; for l2, and where some columns carry no norm, C grows
// until the sum is reached.
Solution limit_machine(Problem& part, const Vec& weights, Index free, const Machine& machine,
                       const Limits& limits) {
  const Index k = part.x->cols();
  Surrogate nothing;
  nothing.l1 = Vec::Zero(k);
  nothing.scale = Vec::Constant(k, kInf);
  Solution least = solve_once(part, weights, nothing, limits);
  const bool settled = machine.l1 && free == 0;
  if (settled || least.status != Status::optimal) return least;
  const double target = slack_sum(part, weights, least), unit = Units(part).scale();
  Solution s;
  for (double C = 1; C < 1e13; C *= 100) {
    s = solve_once(part, weights, plain(k, free, machine, C), limits);
    if (s.status != Status::optimal) break;
    rescale(s.certificate, C);
    if (slack_sum(part, weights, s) <= target * (1 + 1e-9) + 1e-10 * unit * weights.sum()) return s;
  }
  s = s.status == Status::optimal ? std::move(s) : std::move(least);
  s.note = "The refit stopped before the limit of C.";
  return s;
}

}  // namespace

Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const Machine& machine, const Limits& limits) {
  // Free columns stand last, also those that were chosen; rows without weight are no rows.
  IndexList columns, rows;
  for (Index j : features)
    if (std::find(free.begin(), free.end(), j) == free.end()) columns.push_back(j);
  columns.insert(columns.end(), free.begin(), free.end());
  for (Index i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(i);

  Problem part = problem;
  part.loss = Loss::hinge;
  part.cost = weights;
  part = restrict_to(part, rows, columns);
  const Vec cost = part.cost;
  const Index k = part.x->cols(), n_free = static_cast<Index>(free.size());
  Solution s;
  if (machine.C < kInf) {
    s = solve_once(part, cost, plain(k, n_free, machine, machine.C), limits);
    rescale(s.certificate, machine.C);
  } else {
    s = solve_once(part, Vec::Constant(cost.size(), kInf), plain(k, n_free, machine, kInf), limits);
    if (s.status == Status::infeasible) s = limit_machine(part, cost, n_free, machine, limits);
  }
  s.w = spread(s.w, columns, problem.x->cols());
  s.dual = spread(s.dual, rows, problem.x->rows());
  return s;
}

IndexList largest(const Vec& magnitude, const Vec& second, const IndexList& forced, Index k) {
  std::vector<char> first(magnitude.size(), 0);
  for (Index j : forced) first[j] = 1;
  IndexList order(magnitude.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  const bool has_second = second.size() == magnitude.size();
  const Index top = std::min<Index>(k, magnitude.size());
  std::partial_sort(order.begin(), order.begin() + top, order.end(), [&](Index a, Index b) {
    if (first[a] != first[b]) return first[a] > first[b];
    if (magnitude[a] != magnitude[b]) return magnitude[a] > magnitude[b];
    if (has_second && second[a] != second[b]) return second[a] > second[b];
    return a < b;
  });
  order.resize(top);
  return order;
}

}  // namespace zeronorm

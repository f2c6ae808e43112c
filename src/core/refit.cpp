#include "refit.h"

#include <algorithm>

#include "certificate.h"
#include "design.h"
#include "minimise.h"

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
// whose tie rule already picks the smallest |w|_1; for l2, C grows until the sum is reached.
Solution limit_machine(Problem& part, const Vec& weights, Index free, const Machine& machine, const Limits& limits) {
  const Index k = part.x->cols();
  Surrogate nothing;
  nothing.l1 = Vec::Zero(k);
  nothing.scale = Vec::Constant(k, kInf);
  Solution least = solve_once(part, weights, nothing, limits);
  if (machine.l1 || least.status != Status::optimal) return least;
  const double target = slack_sum(part, weights, least);
  Solution s;
  for (double C = 1; C < 1e13; C *= 100) {
    s = solve_once(part, weights, plain(k, free, machine, C), limits);
    if (s.status != Status::optimal) break;
    rescale(s.certificate, C);
    if (slack_sum(part, weights, s) <= target * (1 + 1e-9) + 1e-10 * weights.sum()) return s;
  }
  s = s.status == Status::optimal ? std::move(s) : std::move(least);
  s.note = "The refit stopped before the limit of C.";
  return s;
}

}  // namespace

Solution refit(const Problem& problem, const Vec& weights, const IndexList& features, const IndexList& free,
               const Machine& machine, const Limits& limits) {
  IndexList columns = features;
  for (Index j : free)
    if (std::find(features.begin(), features.end(), j) == features.end()) columns.push_back(j);
  const Index n_free = static_cast<Index>(columns.size() - features.size());
  IndexList rows(problem.x->rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);

  Problem part = problem;
  part.loss = Loss::hinge;
  part.x = problem.x->subset(rows, columns);
  const Index k = part.x->cols();
  Solution s;
  if (machine.C < kInf) {
    s = solve_once(part, weights, plain(k, n_free, machine, machine.C), limits);
    rescale(s.certificate, machine.C);
  } else {
    s = solve_once(part, Vec::Constant(weights.size(), kInf), plain(k, n_free, machine, kInf), limits);
    if (s.status == Status::infeasible) s = limit_machine(part, weights, n_free, machine, limits);
  }
  Mat w = Mat::Zero(problem.x->cols(), 1);
  if (s.w.rows() == k)
    for (Index c = 0; c < k; ++c) w(columns[c], 0) = s.w(c, 0);
  s.w = std::move(w);
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

#include "methods/ranking/ranking.h"

#include <algorithm>
#include <limits>

#include "base/indices.h"
#include "data/design.h"
#include "engines/hard_margin_limit.h"
#include "problem/margins.h"

namespace zeronorm {

ClassifierSpec searching(const Fitting& fitting) {
  return {fitting.step().l1 > 0, fitting.common().hard ? kInf : fitting.given_step().loss};
}

Problem counting_rows(const Fitting& fitting, const std::function<bool(Index)>& take) {
  const Vec& weights = fitting.row_weights();
  Problem weighted = fitting.plain();
  weighted.cost = weights;
  IndexList chosen;
  for (Index i = 0; i < weights.size(); ++i)
    if (weights[i] > 0 && take(i)) chosen.push_back(i);
  return restrict_to(weighted, chosen, first(fitting.columns()));
}

Trace search(const Problem& problem, Rule& rule, Engine& engine, const Fitting& fitting) {
  engine.setup(problem);
  Stop stop = fitting.common().stop;
  stop.rounds = std::numeric_limits<int>::max();
  return minimise(problem, engine, rule, fitting.start(), stop);
}

std::unique_ptr<Engine> ranking_engine(const Problem& problem, const Fitting& fitting) {
  const ClassifierSpec spec = searching(fitting);
  const EngineChoice& choice = fitting.common().engine;
  if (spec.C == kInf) return make_hard_margin_limit(spec.l1, problem.cost, choice);
  return make_engine(choice);
}

IndexList order_of(Vec score, Vec second, const Fitting& fitting) {
  for (Index j : fitting.common().constant) score[j] = 0;
  score = score.unaryExpr(&without_rounding);
  second = second.unaryExpr(&without_rounding);
  return largest(score, second, fitting.forced(), score.size());
}

Ranking rank_by_weights(const Problem& problem, const Fitting& fitting) {
  Once once;
  Ranking r;
  r.trace = search(problem, once, *ranking_engine(problem, fitting), fitting);
  const Solution& s = r.trace.solution;
  if (s.status != Status::optimal) return r;
  r.order = order_of(magnitudes(s.w),
                     magnitudes(transposed_times(*problem.x, s.dual.cwiseProduct(problem.y))), fitting);
  return r;
}

void choose(Index size, const Solution& classifier, Ranking& r) {
  r.chosen.emplace_back(r.order.begin(), r.order.begin() + std::min<Index>(size, r.order.size()));
  r.classifiers.push_back(classifier);
}

void RankingMethod::fit_step(Fitting& fitting) {
  const std::string without = without_engine();
  if (!without.empty() && fitting.refuses_engine("", without)) return;
  const CommonOptions& common = fitting.common();
  const Ranking ranking = find(fitting);
  const std::size_t count = ranking.chosen.size();
  ClassifierSpec spec = common.refit_model;
  if (spec.C == 0) spec.C = searching(fitting).C;
  std::vector<const IndexList*> chosen(count, nullptr);
  if (common.refit && !common.points)
    for (std::size_t k = 0; k < count; ++k)
      if (ranking.classifiers[k].status == Status::optimal) chosen[k] = &ranking.chosen[k];
  std::vector<Solution> trained = fitting.train(chosen, spec);
  for (std::size_t k = 0; k < count; ++k) {
    Fitted f = fitting.summary(ranking.trace);
    const Solution& before = ranking.classifiers[k];
    const bool good = before.status == Status::optimal;
    if (k == 0) f.ranking = ranking.order;
    if (own_importance()) f.importance = before.importance;
    if (!common.sizes.empty()) f.size = common.sizes[k];
    f.solution = before;
    f.C = ranking.C;
    if (common.points) {
      const double C = kernel_at_refit_C() ? spec.C : searching(fitting).C;
      if (good) fitting.train_kernel(fitting.indicator(ranking.chosen[k]), C, f);
      f.solution.importance = before.importance;
    } else if (!common.refit) {
      Fitting::multiply(f.solution.certificate, fitting.step().loss);
      const auto network = ranking.networks.find(static_cast<Index>(ranking.chosen[k].size()));
      if (good && network != ranking.networks.end()) {
        f.network = network->second;
        f.hidden = hidden();
        f.stationary = true;
      }
    } else if (good) {
      f.solution = std::move(trained[k]);
      f.relative = common.refit_model.joint;
    }
    f.solution.fallback = f.solution.fallback || ranking.trace.fallback;
    fitting.finish(std::move(f), costs_in_rounds());
  }
}

}  // namespace zeronorm

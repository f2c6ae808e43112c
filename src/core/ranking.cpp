#include "ranking.h"

#include <cmath>
#include <limits>

#include "alma.h"
#include "bounds.h"
#include "design.h"
#include "indices.h"
#include "kernel_engine.h"
#include "limit.h"
#include "margins.h"
#include "problem.h"
#include "retrain.h"
#include "rules/admit.h"
#include "rules/eliminate.h"
#include "saliency.h"
#include "selection.h"

namespace zeronorm {
namespace {

class Ranker {
 public:
  Ranker(const Problem& problem, const FitSpec& spec, const Machine& machine, const Surrogate& start)
      : problem_(problem), spec_(spec), machine_(machine), start_(start), forced_(spec.keep) {
    forced_.insert(forced_.end(), spec.unpenalized.begin(), spec.unpenalized.end());
  }

  Ranking by_elimination() const {
    Elimination what;
    what.step = spec_.drop;
    what.sizes = spec_.sizes;
    what.group = spec_.group;
    what.mean = spec_.group_mean;
    what.forced = forced_;
    what.progress = spec_.progress;
    std::vector<IndexList> units;
    if (spec_.retrain) units = droppable_units(what, problem_.x->cols());
    if (bounds(spec_.judge)) return by_bound(std::move(what), units);
    Eliminate rule(std::move(what));
    Ranking r;
    r.trace = search(rows(), rule, units, &r.networks);
    collect(rule, r);
    return r;
  }

  Ranking by_bound(Elimination what, const std::vector<IndexList>& units) const {
    const Problem problem = rows();
    BoundEngine engine(spec_.judge, spec_.bounding, spec_.points, spec_.form, spec_.engine, units);
    EliminateByBound rule(std::move(what), engine);
    Ranking r;
    r.trace = search(problem, rule, engine);
    collect(rule, r);
    r.C = engine.C();
    return r;
  }

  // What an elimination found.
  void collect(const Eliminate& rule, Ranking& r) const {
    // Kernel machines expand over the rows.
    for (std::size_t k = 0; spec_.points && k < r.trace.rounds.size(); ++k)
      r.trace.rounds[k].nonzero = rule.left(k);
    if (r.trace.stop == StopReason::reached) r.order = rule.ranking();
    for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
      r.chosen.push_back(rule.chosen(k));
      r.machines.push_back(rule.machine(k).status == Status::optimal ? rule.machine(k) : r.trace.solution);
    }
  }

  Ranking by_correlation() const {
    Vec score = Vec::Zero(problem_.x->cols());
    for (Index k = 0; k < problem_.y.cols(); ++k)
      score += correlation_scores(*problem_.x, problem_.y.col(k), spec_.case_weights);
    Ranking r;
    r.order = order(score, Vec());
    Solution none;  // no machine that could fail
    none.status = Status::optimal;
    for (Index size : spec_.sizes) choose(size, none, r);
    return r;
  }

  Ranking by_least_squares() const {
    ForwardSearch search =
        search_forward(problem_, spec_.forward, spec_.sizes, forced_, spec_.constant, spec_.stop.limits);
    Ranking r;
    r.order = std::move(search.order);
    r.trace = std::move(search.trace);
    r.chosen = std::move(search.chosen);
    Solution none;
    none.status = r.trace.stop == StopReason::interrupted ? Status::interrupted : Status::optimal;
    r.machines.assign(r.chosen.size(), none);
    return r;
  }

  // Without sizes the features of the tree.
  Ranking by_tree() const {
    const TreeImportance tree = grow_tree(problem_, spec_.tree, spec_.constant, spec_.stop.limits);
    Ranking r;
    r.trace.rounds = tree.rounds;
    r.order = order(tree.importance, tree.first);
    Solution none;
    none.status = tree.interrupted ? Status::interrupted : Status::optimal;
    none.importance = tree.importance;
    IndexList sizes = spec_.sizes;
    if (sizes.empty()) {
      Index used = static_cast<Index>(forced_.size());
      std::vector<char> counted(tree.importance.size(), 0);
      for (Index j : forced_) counted[j] = 1;
      for (Index j = 0; j < tree.importance.size(); ++j) used += !counted[j] && tree.importance[j] > 0;
      sizes = {used};
    }
    for (Index size : sizes) choose(size, none, r);
    return r;
  }

  Ranking by_weight() const {
    const Problem problem = rows();
    Ranking r = by_machine(problem);
    const Solution& machine = r.trace.solution;
    const bool failed = machine.status != Status::optimal;
    for (Index size : spec_.sizes) {
      choose(size, machine, r);
      if (!failed) r.machines.back() = cut(machine.w, r.chosen.back(), problem);
    }
    return r;
  }

  // Of the features that separate the classes without error, if any do.
  Ranking by_perceptron(double accuracy) const {
    Problem problem = rows();
    problem.cost.setConstant(kInf);
    Ranking r;
    const auto engine = make_engine(spec_.engine);
    engine->setup(problem);
    r.trace.solution = solve_certified(*engine, problem, start_, spec_.stop.limits);
    if (r.trace.solution.status == Status::optimal) {
      AlmaSearch found = search_alma(problem, accuracy, forced_, spec_.constant, spec_.stop.limits);
      r.trace = std::move(found.trace);
      r.order = std::move(found.order);
      r.chosen.push_back(std::move(found.chosen));
    } else {
      r.trace.stop = StopReason::failed;
      r.chosen.emplace_back();
    }
    r.machines.push_back(r.trace.solution);
    return r;
  }

  // The first fold judges.
  Ranking by_validation() const {
    const Problem train = rows([&](Index i) { return spec_.folds[i] != 1; });
    Ranking r = by_machine(train);
    if (r.order.empty()) {
      choose(0, r.trace.solution, r);
      return r;
    }
    Admission what;
    what.order = r.order;
    what.first = std::max<Index>(1, forced_.size());
    what.patience = spec_.patience;
    what.tolerance = spec_.tolerance;
    what.held_out = rows([&](Index i) { return spec_.folds[i] == 1; });
    Admit rule(std::move(what));
    r.trace = search(train, rule);
    choose(rule.best(), r.trace.stop == StopReason::reached ? rule.machine() : r.trace.solution, r);
    return r;
  }

 private:
  const Problem& problem_;
  const FitSpec& spec_;
  const Machine& machine_;
  const Surrogate& start_;
  IndexList forced_;

  // Those of some weight for which this is true; the others are no rows.
  Problem rows(const std::function<bool(Index)>& take = [](Index) { return true; }) const {
    IndexList chosen;
    for (Index i = 0; i < problem_.cost.size(); ++i)
      if (problem_.cost[i] > 0 && take(i)) chosen.push_back(i);
    return restrict_to(problem_, chosen, first(problem_.x->cols()));
  }

  // A search that ends by itself, by machines of any C; they are trained without each of the units too.
  Trace search(const Problem& problem, Rule& rule, const std::vector<IndexList>& units = {},
               Networks* networks = nullptr) const {
    const bool limit = machine_.C == kInf;
    std::unique_ptr<Engine> engine;
    if (spec_.network.hidden > 0 && networks != nullptr)
      engine = std::make_unique<NetworkEngine>(spec_.network, *networks);
    else if (spec_.points)
      engine = std::make_unique<KernelEngine>(spec_.form, machine_.C, problem.cost, spec_.engine, spec_.judge,
                                              units);
    else if (limit)
      engine = make_limit_machine(machine_.l1, problem.cost, spec_.engine);
    else
      engine = make_engine(spec_.engine);
    if (spec_.saliency && spec_.network.hidden == 0) engine = std::make_unique<Saliency>(std::move(engine));
    if (!units.empty() && !spec_.points)
      engine = std::make_unique<Retrain>(std::move(engine), units, problem.cost, limit);
    return search(problem, rule, *engine);
  }

  Trace search(const Problem& problem, Rule& rule, Engine& engine) const {
    engine.setup(problem);
    Stop stop = spec_.stop;
    stop.rounds = std::numeric_limits<int>::max();
    return minimise(problem, engine, rule, start_, stop);
  }

  IndexList order(Vec score, Vec second) const {
    for (Index j : spec_.constant) score[j] = 0;
    score = score.unaryExpr(&without_rounding);
    second = second.unaryExpr(&without_rounding);
    return largest(score, second, forced_, score.size());
  }

  // By the weights of one machine, its zeros in the order of their prices: the nearest to entering first.
  // Without order where it fails. O(nd).
  Ranking by_machine(const Problem& problem) const {
    Once once;
    Ranking r;
    r.trace = search(problem, once);
    const Solution& s = r.trace.solution;
    if (s.status != Status::optimal) return r;
    r.order =
        order(magnitudes(s.w), magnitudes(transposed_times(*problem.x, s.dual.cwiseProduct(problem.y))));
    return r;
  }

  static void choose(Index size, const Solution& machine, Ranking& r) {
    r.chosen.emplace_back(r.order.begin(), r.order.begin() + std::min<Index>(size, r.order.size()));
    r.machines.push_back(machine);
  }
};

}  // namespace

Ranking find_ranking(const Problem& problem, const FitSpec& spec, const Machine& machine,
                     const Surrogate& start, std::size_t step) {
  const Ranker ranker(problem, spec, machine, start);
  switch (spec.rule) {
    case RuleKind::eliminate: return ranker.by_elimination();
    case RuleKind::admit: return ranker.by_validation();
    case RuleKind::forward: return ranker.by_least_squares();
    case RuleKind::alma: return ranker.by_perceptron(spec.accuracies[step]);
    default:
      if (spec.score == "correlation") return ranker.by_correlation();
      return spec.score == "tree" ? ranker.by_tree() : ranker.by_weight();
  }
}

Vec correlation_scores(const Design& x, const Vec& y, const Vec& weights) {
  const Vec above = (y.array() > 0).select(weights, 0.0), below = weights - above;
  if (above.sum() == 0 || below.sum() == 0) return Vec::Zero(x.cols());
  const std::vector<Moments> both = x.several_moments({above, below});
  const Moments &up = both[0], &down = both[1];
  // What may be left of the difference of the means of a constant column.
  const double rounding = 1e-14 * std::sqrt(static_cast<double>(y.size()));
  Vec score = Vec::Zero(x.cols());
  for (Index j = 0; j < score.size(); ++j) {
    const double apart = std::abs(up.mean[j] - down.mean[j]);
    const double spread = std::hypot(up.sd[j], down.sd[j]);
    const bool same =
        spread == 0 && apart <= rounding * std::max(std::abs(up.mean[j]), std::abs(down.mean[j]));
    if (!same) score[j] = (apart / spread) * (apart / spread);
  }
  return score;
}

}  // namespace zeronorm

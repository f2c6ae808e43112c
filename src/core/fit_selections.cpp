// Methods that choose features and train machines on them.
#include <algorithm>

#include "design.h"
#include "discrimination.h"
#include "fitter.h"
#include "potential.h"
#include "refit.h"

namespace zeronorm {

void Fitter::limit_solution(std::vector<Fitted>& found) {
  std::vector<char> constant(d_, 0);
  for (Index j : spec_.constant) constant[j] = 1;
  IndexList columns;
  for (Index j = 0; j < d_; ++j)
    if (!constant[j]) columns.push_back(j);
  Fitted f;
  f.relative = spec_.machine.joint;
  f.solution =
      refit(plain_, weights_, columns, spec_.unpenalized, spec_.machine, spec_.stop.limits, spec_.engine);
  one_round(f);
  finish(f, found);
}

void Fitter::one_round(Fitted& f) {
  const Solution& s = f.solution;
  f.rounds = {{s.certificate.primal, static_cast<Index>(nonzeros(magnitudes(s.w)).size()), s.certificate.gap,
               s.engine}};
}

// Where machines of several sizes follow a search, and a Gram matrix is no larger than x.
bool Fitter::keeps_gram() const {
  if (spec_.sizes.size() < 2 || !spec_.refit || spec_.points || spec_.kernel) return false;
  const Design& x = *plain_.x;
  return x.in_memory() && !x.is_sparse() && x.rows() <= x.cols();
}

// On each of these sets of features, from the smallest on but for what the search began with; none: no machine.
std::vector<Solution> Fitter::machines(const std::vector<const IndexList*>& chosen,
                                       const Machine& machine) const {
  std::vector<Solution> trained(chosen.size());
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) order.push_back(k);
  Problem problem = plain_;
  if (kept_) {
    const auto size = [&](std::size_t k) { return static_cast<Index>(chosen[k]->size()); };
    problem.x = kept_->parts();
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
    if (!order.empty() && size(order.back()) <= kept_->columns())
      std::rotate(order.begin(), order.end() - 1, order.end());
  }
  for (std::size_t k : order)
    trained[k] = refit(problem, weights_, *chosen[k], spec_.unpenalized, machine, spec_.stop.limits,
                       spec_.engine.other("auto"));
  return trained;
}

void Fitter::refits(const Trace& trace, const Selection& selection, std::vector<Fitted>& found) {
  if (step_ + 1 == spec_.path.size()) engine_.reset();  // its memory serves the refits
  // A search that failed above the size says nothing about it.
  const bool failed = trace.stop == StopReason::failed || trace.stop == StopReason::interrupted;
  const auto nothing = [&](Index size) {
    return trace.rounds.empty() || (failed && trace.rounds.back().nonzero > size);
  };
  const IndexList& sizes = selection.sizes();
  std::vector<const IndexList*> chosen(sizes.size(), nullptr);
  if (spec_.refit && !spec_.points)
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (!nothing(sizes[k])) chosen[k] = &selection.chosen(k);
  std::vector<Solution> trained = machines(chosen, spec_.machine);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Fitted f = summary(trace);
    f.size = sizes[k];
    if (nothing(f.size)) {
      f.solution = trace.solution;
    } else if (spec_.points) {
      train_kernel(indicator(selection.chosen(k)), spec_.machine.C, f);
    } else if (!spec_.refit) {
      f.solution = selection.solution(k, plain_);
      f.solution.engine = trace.solution.engine;
    } else {
      f.solution = std::move(trained[k]);
      f.relative = spec_.machine.joint;
    }
    f.solution.fallback = f.solution.fallback || trace.fallback;
    finish(f, found);
  }
}

// 1 at the features, 0 elsewhere.
Vec Fitter::indicator(const IndexList& features) const {
  Vec one = Vec::Zero(d_);
  for (Index j : features) one[j] = 1;
  return one;
}

void Fitter::rank(std::vector<Fitted>& found) {
  const bool scored = spec_.rule == RuleKind::ranking && spec_.score != "weights";
  if ((scored || spec_.rule == RuleKind::forward || spec_.rule == RuleKind::alma ||
       spec_.network.hidden > 0) &&
      refuses_engine("", "Its features are chosen without an engine.", found))
    return;
  Problem weighted = plain_;
  weighted.cost = weights_;
  const Machine searching{step().l1 > 0, spec_.hard ? kInf : spec_.path[step_].loss};
  const Ranking ranking = find_ranking(weighted, spec_, searching, first_surrogate(spec_, step(), d_), step_);
  Machine machine = spec_.machine;
  if (machine.C == 0) machine.C = searching.C;
  std::vector<const IndexList*> chosen(ranking.chosen.size(), nullptr);
  if (spec_.refit && !spec_.points)
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (ranking.machines[k].status == Status::optimal) chosen[k] = &ranking.chosen[k];
  std::vector<Solution> trained = machines(chosen, machine);
  for (std::size_t k = 0; k < ranking.chosen.size(); ++k) {
    Fitted f = summary(ranking.trace);
    if (k == 0) f.ranking = ranking.order;
    if (spec_.score == "tree") f.importance = ranking.machines[k].importance;
    if (!spec_.sizes.empty()) f.size = spec_.sizes[k];
    f.solution = ranking.machines[k];
    f.C = ranking.C;
    if (spec_.points) {
      const double C = bounds(spec_.judge) ? machine.C : searching.C;
      if (f.solution.status == Status::optimal) train_kernel(indicator(ranking.chosen[k]), C, f);
      f.solution.importance = ranking.machines[k].importance;
    } else if (!spec_.refit) {
      multiply(f.solution.certificate, step().loss);
      take_network(ranking, k, f);
    } else if (f.solution.status == Status::optimal) {
      f.solution = std::move(trained[k]);
      f.relative = spec_.machine.joint;
    }
    f.solution.fallback = f.solution.fallback || ranking.trace.fallback;
    finish(f, found);
  }
}

void Fitter::take_network(const Ranking& ranking, std::size_t k, Fitted& f) {
  const auto found = ranking.networks.find(static_cast<Index>(ranking.chosen[k].size()));
  if (found == ranking.networks.end() || f.solution.status != Status::optimal) return;
  f.network = found->second;
  f.stationary = true;
}

void Fitter::boxed(std::vector<Fitted>& found) {
  Fitted f;
  f.solution = potential_machine(plain_, first_surrogate(spec_, step(), d_), spec_.targets.at(step_),
                                 spec_.unpenalized, spec_.engine, spec_.stop.limits);
  one_round(f);
  finish(f, found);
}

// The machine of all features, or machines on those of largest posterior probability.
void Fitter::discriminated(std::vector<Fitted>& found) {
  if (refuses_engine("", "Discrimination has a Newton method of its own.", found)) return;
  Vec prior = Vec::Constant(d_, spec_.path[step_].l1);
  for (Index j : spec_.keep) prior[j] = 1;
  for (Index j : spec_.constant) prior[j] = 0;
  Discrimination all = discriminate(plain_, prior, spec_.unpenalized, spec_.targets.at(step_), spec_.stop);
  Trace trace;
  trace.rounds = all.rounds;
  trace.stop = all.stop;
  trace.solution = all.solution;
  const std::size_t first = found.size();
  if (spec_.sizes.empty()) {
    last_solution(trace, found);
    found.back().importance = all.solution.importance;
  } else {
    Selection selection(spec_.sizes, forced());
    selection.observe(trace.solution.w, Vec(), d_, all.force);
    refits(trace, selection, found);
  }
  found[first].ranking = largest(all.force, Vec(), forced(), d_);
}

}  // namespace zeronorm

// Recursive feature elimination by weights, sensitivities, bounds on the leave-one-out error, or second derivatives.
#include "rules/eliminate.h"

#include <cmath>

#include "methods/ranking/bound_criteria.h"
#include "methods/ranking/kernel_engine.h"
#include "methods/ranking/ranking.h"
#include "methods/ranking/retrain.h"
#include "methods/ranking/saliency.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

// What all eliminations share: how many features are eliminated at a time, and which of them together.
class EliminationMethod : public RankingMethod {
 public:
  explicit EliminationMethod(const Options& options)
      : step_(options.number("step")), group_(options.indices("groups")),
        mean_(options.word<bool>("group_score", {{"sum", false}, {"mean", true}})),
        retrain_(options.flag("retrain")) {}

 protected:
  Elimination elimination(const Fitting& fitting) const {
    Elimination what;
    what.step = step_;
    what.sizes = fitting.common().sizes;
    what.group = group_;
    what.mean = mean_;
    what.forced = fitting.forced();
    what.progress = fitting.common().progress;
    return what;
  }

  // Returns the units without which the SVM is trained again; empty if its multipliers are kept.
  std::vector<IndexList> units(const Fitting& fitting) const {
    return retrain_ ? droppable_units(elimination(fitting), fitting.columns()) : std::vector<IndexList>();
  }

  // Copies the result of an elimination.
  static void collect(const Eliminate& rule, const Fitting& fitting, Ranking& r) {
    // Kernel expansions count rows, so the number of features comes from the rule.
    if (fitting.common().points)
      for (std::size_t k = 0; k < r.trace.rounds.size(); ++k) r.trace.rounds[k].nonzero = rule.left(k);
    if (r.trace.stop == StopReason::reached) r.order = rule.ranking();
    for (std::size_t k = 0; k < fitting.common().sizes.size(); ++k) {
      r.chosen.push_back(rule.chosen(k));
      r.classifiers.push_back(rule.solution(k).status == Status::optimal ? rule.solution(k)
                                                                         : r.trace.solution);
    }
  }

 private:
  // The share or number of features eliminated in one iteration.
  double step_;
  IndexList group_;
  bool mean_, retrain_;
};

// Elimination by |w| or, with a kernel, by the change of |w|^2 or of the decision function without the feature.
class WeightElimination : public EliminationMethod {
 public:
  explicit WeightElimination(const Options& options)
      : EliminationMethod(options),
        judge_(options.word<FeatureScore>("judge", {{"weight", FeatureScore::weight},
                                                    {"l1", FeatureScore::sensitivity_l1},
                                                    {"l2", FeatureScore::sensitivity_l2}})) {}

 protected:
  Ranking find(Fitting& fitting) override {
    const Problem problem = counting_rows(fitting);
    const std::vector<IndexList> without = units(fitting);
    Eliminate rule(elimination(fitting));
    Ranking r;
    r.trace = search(problem, rule, *engine_for(problem, without, fitting), fitting);
    collect(rule, fitting, r);
    return r;
  }

 private:
  std::unique_ptr<Engine> engine_for(const Problem& problem, const std::vector<IndexList>& without,
                                     const Fitting& fitting) const {
    const CommonOptions& common = fitting.common();
    const double C = searching(fitting).C;
    if (common.points)
      return std::make_unique<KernelEngine>(common.form, C, problem.cost, common.engine, judge_, without);
    auto engine = ranking_engine(problem, fitting);
    if (without.empty()) return engine;
    return std::make_unique<Retrain>(std::move(engine), without, problem.cost, C == kInf);
  }

  FeatureScore judge_;
};

class BoundElimination : public EliminationMethod {
 public:
  explicit BoundElimination(const Options& options)
      : EliminationMethod(options),
        judge_(options.word<FeatureScore>(
            "bound", {{"radius_margin", FeatureScore::radius_margin}, {"span", FeatureScore::span}})),
        bounding_{static_cast<int>(options.count("order")), options.number("C")} {}

 protected:
  Ranking find(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    const Problem problem = counting_rows(fitting);
    BoundEngine engine(judge_, bounding_, common.points, common.form, common.engine, units(fitting));
    EliminateByBound rule(elimination(fitting), engine);
    Ranking r;
    r.trace = search(problem, rule, engine, fitting);
    collect(rule, fitting, r);
    r.C = engine.C();
    return r;
  }

  bool kernel_at_refit_C() const override { return true; }

 private:
  FeatureScore judge_;
  BoundOptions bounding_;
};

// Optimal brain damage for a linear model or for a network with one hidden layer.
class BrainDamage : public EliminationMethod {
 public:
  explicit BrainDamage(const Options& options) : EliminationMethod(options) {
    network_.hidden = options.count("hidden");
    network_.gauss_newton = options.flag("gauss_newton");
    if (network_.hidden > 0) network_.starts = options.matrix("networks");
  }

  bool sees_span_only() const override { return network_.hidden == 0; }

 protected:
  Ranking find(Fitting& fitting) override {
    const Problem problem = counting_rows(fitting);
    Eliminate rule(elimination(fitting));
    Ranking r;
    std::unique_ptr<Engine> engine;
    if (network_.hidden > 0)
      engine = std::make_unique<NetworkEngine>(network_, r.networks);
    else
      engine = std::make_unique<Saliency>(ranking_engine(problem, fitting));
    r.trace = search(problem, rule, *engine, fitting);
    collect(rule, fitting, r);
    return r;
  }

  std::string without_engine() const override {
    return network_.hidden > 0 ? "Its features are chosen without an engine." : "";
  }
  Index hidden() const override { return network_.hidden; }

 private:
  Network network_;
};

const RegisteredMethod weight_elimination("elimination", make_from_options<WeightElimination>);
const RegisteredMethod bound_elimination("bound_elimination", make_from_options<BoundElimination>);
const RegisteredMethod brain_damage("brain_damage", make_from_options<BrainDamage>);

}  // namespace

}  // namespace zeronorm

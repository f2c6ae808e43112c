#include "fit.h"

#include <algorithm>
#include <cmath>

#include "design.h"
#include "rules/fs_svmcp.h"
#include "rules/rescale.h"
#include "rules/reweight.h"

namespace zeronorm {
namespace {

// Costs per unit of loss, so that a path changes the surrogate and every engine stays warm.
Surrogate first_surrogate(const FitSpec& spec, const PathStep& step, Index d) {
  Surrogate s;
  s.l1 = Vec::Constant(d, step.l1 / step.loss);
  if (spec.costs.size() == d) s.l1 = s.l1.cwiseProduct(spec.costs);
  s.scale = Vec::Constant(d, step.ridge > 0 ? std::sqrt(step.loss / step.ridge) : kInf);
  if (spec.kernel) s.scale.setConstant(step.ridge > 0 ? kInf : 1.0);
  for (Index j : spec.keep) s.l1[j] = 0;
  for (Index j : spec.unpenalized) {
    s.l1[j] = 0;
    s.scale[j] = kInf;
  }
  for (Index j : spec.constant) s.scale[j] = 0;
  return s;
}

IndexList forced(const FitSpec& spec) {
  IndexList both = spec.keep;
  both.insert(both.end(), spec.unpenalized.begin(), spec.unpenalized.end());
  return both;
}

// Slacks become columns where they are rescaled themselves, or where machines of both norms see them.
bool needs_slack_columns(const FitSpec& spec) {
  if (spec.rule != RuleKind::rescale || spec.errors == "none") return false;
  return spec.errors == "zero" || spec.switch_features > 0 || spec.switch_round > 0;
}

class Fitter {
 public:
  Fitter(std::shared_ptr<const Design> x, const Vec& y, const FitSpec& spec)
      : spec_(spec), d_(x->cols()), slack_columns_(needs_slack_columns(spec)) {
    const double lambda = spec.errors != "zero" || spec.literal ? spec.lambda : 1.0;
    problem_.x = slack_columns_ ? extended_design(x, lambda) : x;
    problem_.y = y;
    problem_.intercept = spec.intercept;
    problem_.loss = spec.loss;
    problem_.quadratic = spec.kernel ? Quadratic::kernel : Quadratic::none;
    problem_.cost = spec.weights;
    if (spec.hard || slack_columns_) problem_.cost.setConstant(kInf);
    if (slack_columns_) problem_.loss = Loss::hinge;
    plain_ = problem_;
    plain_.x = x;
    engine_ = make_engine(spec.engine, spec.highs);
    engine_->setup(problem_);
  }

  std::vector<Fitted> all() {
    std::vector<Fitted> found;
    for (std::size_t k = 0; k < spec_.path.size(); ++k) {
      step_ = k;
      one_step(found);
      if (!found.empty() && found.back().stop == StopReason::interrupted) break;
    }
    return found;
  }

 private:
  void one_step(std::vector<Fitted>& found) {
    switch (spec_.rule) {
      case RuleKind::convex: {
        Once rule;
        return last_solution(run(rule), found);
      }
      case RuleKind::reweight: {
        Reweight rule(reweighting(), Selection(spec_.sizes, forced(spec_)));
        const Trace trace = run(rule);
        return spec_.sizes.empty() ? last_solution(trace, found) : refits(trace, rule.selection(), found);
      }
      case RuleKind::rescale: {
        Rescale rule(rescaling(), Selection(spec_.sizes, forced(spec_)));
        const Trace trace = run(rule);
        return spec_.sizes.empty() ? last_solution(trace, found) : refits(trace, rule.selection(), found);
      }
      case RuleKind::fs_svmcp: {
        FsSvmcp rule({spec_.schedule.at(0), spec_.C_grid, spec_.folds, spec_.weights, spec_.unpenalized,
                      spec_.keep, spec_.stop.limits, spec_.engine});
        const Trace trace = run(rule);
        last_solution(trace, found);
        found.back().C = rule.C();
        return multiply(found.back().solution.certificate, rule.C() / step().loss);
      }
    }
  }

  // Where the surrogate has no price of slacks to divide by, the rows carry it.
  bool rows_carry_price() const { return spec_.kernel || spec_.rule == RuleKind::rescale; }

  PathStep step() const {
    PathStep step = spec_.path[step_];
    if (rows_carry_price()) step.loss = 1;
    return step;
  }

  void price_rows() {
    if (!rows_carry_price() || problem_.hard()) return;
    problem_.cost = spec_.path[step_].loss * spec_.weights;
    engine_->setup(problem_);
  }

  Trace run(Rule& rule) {
    price_rows();
    const Surrogate start = first_surrogate(spec_, step(), problem_.x->cols());
    return minimise(problem_, *engine_, rule, start, spec_.stop);
  }

  Reweighting reweighting() const {
    Reweighting r;
    r.schedule = spec_.schedule;
    r.start = spec_.start;
    r.cost = first_surrogate(spec_, step(), d_).l1;
    return r;
  }

  Rescaling rescaling() const {
    Rescaling r;
    r.l1 = spec_.l1_step;
    r.switch_features = spec_.switch_features;
    r.switch_round = spec_.switch_round;
    r.features = d_;
    r.rescale_features = spec_.rescale_features;
    r.rescale_slacks = slack_columns_ && spec_.errors == "zero";
    r.slack_weight = slack_columns_ && spec_.errors == "zero" && !spec_.literal ? spec_.lambda : 1.0;
    r.free = spec_.unpenalized;
    r.keep = spec_.keep;
    return r;
  }

  static void multiply(Certificate& c, double factor) {
    c.primal *= factor;
    c.dual *= factor;
  }

  // The search without its d-vectors.
  static Fitted summary(const Trace& trace) {
    Fitted f;
    f.rounds = trace.rounds;
    f.stop = trace.stop;
    return f;
  }

  void last_solution(const Trace& trace, std::vector<Fitted>& found) {
    Fitted f = summary(trace);
    f.solution = trace.solution;
    f.solution.fallback = trace.fallback;
    f.stationary = spec_.rule == RuleKind::reweight || spec_.rule == RuleKind::rescale;
    if (slack_columns_ && f.solution.w.rows() > d_) f.solution.w = Mat(f.solution.w.topRows(d_));
    multiply(f.solution.certificate, step().loss);
    finish(f, found);
  }

  void refits(const Trace& trace, const Selection& selection, std::vector<Fitted>& found) {
    for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
      Fitted f = summary(trace);
      f.size = spec_.sizes[k];
      // A search that failed above the size says nothing about it.
      const bool failed = trace.stop == StopReason::failed || trace.stop == StopReason::interrupted;
      if (trace.rounds.empty() || (failed && trace.rounds.back().nonzero > f.size)) {
        f.solution = trace.solution;
      } else if (!spec_.refit) {
        f.solution = selection.solution(k, plain_);
      } else {
        f.solution = refit(plain_, spec_.weights, selection.chosen(k), spec_.unpenalized, spec_.machine,
                           spec_.stop.limits);
      }
      f.solution.fallback = f.solution.fallback || trace.fallback;
      finish(f, found);
    }
  }

  // The trace on the scale of the objective, training errors and support vectors.
  void finish(Fitted& f, std::vector<Fitted>& found) {
    f.step = step_;
    for (Round& round : f.rounds) round.objective *= step().loss;
    const Solution& s = f.solution;
    if (s.status == Status::optimal && s.w.rows() == d_) {
      const Vec decision = plain_.x->times(s.w.col(0)).array() + (spec_.intercept ? s.b[0] : 0.0);
      for (Index i = 0; i < decision.size(); ++i)
        f.errors += (decision[i] > 0 ? 1.0 : -1.0) != plain_.y(i, 0);
      f.support_vectors = static_cast<Index>(nonzeros(s.dual.col(0)).size());
    }
    found.push_back(std::move(f));
  }

  const FitSpec& spec_;
  Index d_;
  bool slack_columns_;
  Problem problem_, plain_;
  std::unique_ptr<Engine> engine_;
  std::size_t step_ = 0;
};

}  // namespace

std::vector<Fitted> fit(std::shared_ptr<const Design> x, const Vec& y, const FitSpec& spec) {
  return Fitter(std::move(x), y, spec).all();
}

}  // namespace zeronorm

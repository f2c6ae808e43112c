#include "fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "design.h"
#include "ranking.h"
#include "rules/fs_svmcp.h"
#include "rules/project.h"
#include "rules/rescale.h"
#include "rules/reweight.h"

namespace zeronorm {
namespace {

// Costs per unit of loss, so that a path changes the surrogate and every engine stays warm.
Surrogate first_surrogate(const FitSpec& spec, const PathStep& step, Index d) {
  Surrogate s;
  s.groups = spec.sharing;
  s.l1 = Vec::Constant(s.groups.empty() ? d : spec.costs.size(), step.l1 / step.loss);
  if (spec.costs.size() == s.l1.size()) s.l1 = s.l1.cwiseProduct(spec.costs);
  s.scale = Vec::Constant(d, step.ridge > 0 ? std::sqrt(step.loss / step.ridge) : kInf);
  if (spec.kernel) s.scale.setConstant(step.ridge > 0 ? kInf : 1.0);
  for (Index j : spec.constant) s.scale[j] = 0;
  if (!s.groups.empty()) return s;  // there columns without a price have no group, or one without a cost
  for (Index j : spec.keep) s.l1[j] = 0;
  for (Index j : spec.unpenalized) {
    s.l1[j] = 0;
    if (s.scale[j] > 0) s.scale[j] = kInf;
  }
  return s;
}

IndexList forced(const FitSpec& spec) {
  IndexList both = spec.keep;
  both.insert(both.end(), spec.unpenalized.begin(), spec.unpenalized.end());
  return both;
}

bool joint(const FitSpec& spec) { return spec.task == Task::k_class && spec.joint; }

// Slacks become columns where they are rescaled themselves, where machines of both norms see them, or
// where several constraints of an observation share them.
bool needs_slack_columns(const FitSpec& spec) {
  if (spec.rule != RuleKind::rescale || spec.errors == "none") return false;
  return spec.errors == "zero" || spec.switch_features > 0 || spec.switch_round > 0 || joint(spec);
}

// |y - f| <= epsilon as two rows of an observation: f >= y - epsilon, and -f >= -(y + epsilon).
void set_tube(Problem& problem, Vec& weights, double epsilon) {
  const Index n = problem.y.rows();
  IndexList rows(2 * n), columns(problem.x->cols());
  for (Index i = 0; i < n; ++i) rows[i] = rows[n + i] = i;
  std::iota(columns.begin(), columns.end(), 0);
  problem.x = problem.x->subset(rows, columns);
  const Vec y = problem.y.col(0);
  problem.margin.resize(2 * n);
  problem.margin << y.array() - epsilon, -y.array() - epsilon;
  problem.y.resize(2 * n, 1);
  problem.y << Vec::Ones(n), -Vec::Ones(n);
  weights = weights.replicate(2, 1).eval();
}

class Fitter {
 public:
  Fitter(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec)
      : spec_(spec), x_(x), y_(y), d_(x->cols()), weights_(spec.weights),
        slack_columns_(needs_slack_columns(spec)) {
    plain_.x = x;
    plain_.y = y;
    plain_.intercept = spec.intercept;
    plain_.loss = slack_columns_ ? Loss::hinge : spec.loss;
    if (joint(spec)) plain_.loss = Loss::weston_watkins;
    plain_.quadratic = spec.kernel ? Quadratic::kernel : Quadratic::none;
    if (spec.epsilon >= 0) set_tube(plain_, weights_, spec.epsilon);
    plain_.cost = weights_;
    if (spec.hard || slack_columns_) plain_.cost.setConstant(kInf);
    problem_ = plain_;
    const double lambda = spec.errors != "zero" || spec.literal ? spec.lambda : 1.0;
    if (slack_columns_) problem_.x = extended_design(plain_.x, lambda);
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
        if (spec_.hard && spec_.limit) return limit_solution(found);
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
      case RuleKind::project: {
        Project rule(spec_.rescaled_kernel);
        last_solution(run(rule), found);
        found.back().expansion = rule.expansion();
        found.back().errors = errors(found.back().solution, *rule.design());
        engine_->setup(problem_);  // the rule's own problems end with it
        return;
      }
      case RuleKind::fs_svmcp: {
        FsSvmcp rule({spec_.schedule.at(0), spec_.C_grid, spec_.folds, spec_.weights, spec_.unpenalized,
                      spec_.keep, spec_.stop.limits, spec_.engine});
        const Trace trace = run(rule);
        last_solution(trace, found);
        found.back().C = rule.C();
        return multiply(found.back().solution.certificate, rule.C() / step().loss);
      }
      case RuleKind::eliminate:
      case RuleKind::ranking:
      case RuleKind::admit: return rank(found);
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
    problem_.cost = spec_.path[step_].loss * weights_;
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
    r.multiplicity = spec_.multiplicity;
    r.rescale_features = spec_.rescale_features;
    r.rescale_slacks = slack_columns_ && spec_.errors == "zero";
    r.slack_weight = slack_columns_ && spec_.errors == "zero" && !spec_.literal ? spec_.lambda : 1.0;
    if (slack_columns_ && !r.rescale_slacks) r.slack_weights = weights_;
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
    f.stationary = spec_.rule == RuleKind::reweight || spec_.rule == RuleKind::rescale ||
                   spec_.rule == RuleKind::project;
    if (slack_columns_ && f.solution.w.rows() > d_) f.solution.w = Mat(f.solution.w.topRows(d_));
    multiply(f.solution.certificate, step().loss);
    finish(f, found);
  }

  void limit_solution(std::vector<Fitted>& found) {
    std::vector<char> constant(d_, 0);
    for (Index j : spec_.constant) constant[j] = 1;
    IndexList columns;
    for (Index j = 0; j < d_; ++j)
      if (!constant[j]) columns.push_back(j);
    Fitted f;
    f.solution = refit(plain_, weights_, columns, spec_.unpenalized, spec_.machine, spec_.stop.limits);
    const Solution& s = f.solution;
    f.rounds = {{s.certificate.primal, static_cast<Index>(nonzeros(magnitudes(s.w)).size()),
                 s.certificate.gap, s.engine}};
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
        f.solution.engine = trace.solution.engine;
      } else {
        f.solution =
            refit(plain_, weights_, selection.chosen(k), spec_.unpenalized, spec_.machine, spec_.stop.limits);
      }
      f.solution.fallback = f.solution.fallback || trace.fallback;
      finish(f, found);
    }
  }

  void rank(std::vector<Fitted>& found) {
    Problem weighted = plain_;
    weighted.cost = weights_;
    const Machine searching{step().l1 > 0, spec_.hard ? kInf : step().loss};
    const Ranking ranking = find_ranking(weighted, spec_, searching, first_surrogate(spec_, step(), d_));
    Machine machine = spec_.machine;
    if (machine.C == 0) machine.C = searching.C;
    for (std::size_t k = 0; k < ranking.chosen.size(); ++k) {
      Fitted f = summary(ranking.trace);
      if (k == 0) f.ranking = ranking.order;
      if (!spec_.sizes.empty()) f.size = spec_.sizes[k];
      f.solution = ranking.machines[k];
      if (!spec_.refit)
        multiply(f.solution.certificate, step().loss);
      else if (f.solution.status == Status::optimal)
        f.solution =
            refit(plain_, weights_, ranking.chosen[k], spec_.unpenalized, machine, spec_.stop.limits);
      f.solution.fallback = f.solution.fallback || ranking.trace.fallback;
      finish(f, found);
    }
  }

  // The trace on the scale of the objective, training errors and support vectors.
  void finish(Fitted& f, std::vector<Fitted>& found) {
    f.step = step_;
    // Errors have no price.
    for (Round& round : f.rounds) round.objective *= spec_.rule == RuleKind::admit ? 1.0 : step().loss;
    const Solution& s = f.solution;
    if (s.status == Status::optimal && s.w.rows() == d_) {
      f.errors = errors(s, *x_);
      f.support_vectors = support_vectors(s);
      f.nonzero = nonzero(s);
    }
    found.push_back(std::move(f));
  }

  // Features behind the columns where it is these that are penalised, else columns.
  Index nonzero(const Solution& s) const {
    const bool grouped = spec_.rule == RuleKind::reweight && !spec_.sharing.empty();
    const Surrogate start = grouped ? first_surrogate(spec_, step(), d_) : Surrogate();
    return static_cast<Index>(nonzeros(magnitudes(start, s.w)).size());
  }

  // Observations that are predicted wrong: in any label, or outside the tube by more than rounding.
  Index errors(const Solution& s, const Design& x) const {
    if (s.status != Status::optimal) return 0;
    Mat decision(x.rows(), s.w.cols());
    for (Index k = 0; k < s.w.cols(); ++k)
      decision.col(k) = x.times(s.w.col(k)).array() + (spec_.intercept ? s.b[k] : 0.0);
    const double width = spec_.epsilon + 1e-6 * (spec_.epsilon + y_.cwiseAbs().maxCoeff());
    Index count = 0;
    for (Index i = 0; i < decision.rows(); ++i) {
      if (spec_.task == Task::k_class) {
        Index found = 0, wanted = 0;
        decision.row(i).maxCoeff(&found);
        y_.row(i).maxCoeff(&wanted);
        count += found != wanted;
      } else if (spec_.task == Task::regression) {
        count += std::abs(decision(i, 0) - y_(i, 0)) > width;
      } else {
        count += ((decision.row(i).array() > 0) != (y_.row(i).array() > 0)).any();
      }
    }
    return count;
  }

  // Observations with a multiplier that is not zero.
  Index support_vectors(const Solution& s) const {
    const Index n = x_->rows();
    Vec size = Vec::Zero(n);
    for (Index i = 0; i < s.dual.rows(); ++i) size[i % n] += s.dual.row(i).cwiseAbs().sum();
    return static_cast<Index>(nonzeros(size).size());
  }

  const FitSpec& spec_;
  std::shared_ptr<const Design> x_;  // as given, and y; problems may have further rows and columns
  Mat y_;
  Index d_;
  Vec weights_;  // of the rows of the problems
  bool slack_columns_;
  Problem problem_, plain_;
  std::unique_ptr<Engine> engine_;
  std::size_t step_ = 0;
};

}  // namespace

std::vector<Fitted> fit(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec) {
  return Fitter(std::move(x), y, spec).all();
}

}  // namespace zeronorm

#include "fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "certificate.h"
#include "design.h"
#include "discrimination.h"
#include "engines/working_rows.h"
#include "joint_features.h"
#include "margins.h"
#include "potential.h"
#include "problem.h"
#include "ranking.h"
#include "rules/constrain.h"
#include "rules/fs_svmcp.h"
#include "rules/graft.h"
#include "rules/project.h"
#include "rules/relevance.h"
#include "rules/rescale.h"
#include "rules/reweight.h"
#include "rules/validate.h"
#include "scaled_machine.h"

namespace zeronorm {

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

namespace {

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

class Fitter {
 public:
  Fitter(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec)
      : spec_(spec), x_(x), y_(y), lower_(spec.lower), upper_(spec.upper), d_(x->cols()),
        weights_(spec.weights), slack_columns_(needs_slack_columns(spec)) {
    plain_.x = x;
    plain_.y = y;
    plain_.intercept = spec.intercept;
    plain_.loss = slack_columns_ ? Loss::hinge : spec.loss;
    if (joint(spec)) plain_.loss = Loss::weston_watkins;
    plain_.quadratic = spec.kernel ? Quadratic::kernel : Quadratic::none;
    if (spec.epsilon >= 0) {
      lower_ = y.col(0).array() - spec.epsilon;
      upper_ = y.col(0).array() + spec.epsilon;
    }
    if (lower_.size()) {
      observation_ = bound_decisions(plain_, lower_, upper_);
      weights_ = Vec(observation_.size());
      for (std::size_t i = 0; i < observation_.size(); ++i) weights_[i] = spec.weights[observation_[i]];
    }
    plain_.cost = weights_;
    if (spec.hard || slack_columns_) plain_.cost.setConstant(kInf);
    problem_ = plain_;
    const double lambda = spec.errors != "zero" || spec.literal ? spec.lambda : 1.0;
    if (slack_columns_) problem_.x = extended_design(plain_.x, lambda);
    engine_ = make_engine(spec.engine, spec.highs);
    if (spec.rule == RuleKind::norm)
      engine_ = make_working_rows([&spec]() { return make_engine(spec.engine, spec.highs); });
    engine_->setup(problem_);
  }

  std::vector<Fitted> all() {
    std::vector<Fitted> found;
    for (std::size_t k = 0; k < spec_.path.size(); ++k) {
      step_ = k;
      if (spec_.progress && spec_.path.size() > 1)
        spec_.progress(static_cast<double>(k) / static_cast<double>(spec_.path.size()));
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
        return reweight(found);
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
      case RuleKind::norm: return norm(found);
      case RuleKind::relevance: return relevance(found);
      case RuleKind::eliminate:
      case RuleKind::ranking:
      case RuleKind::admit:
      case RuleKind::alma:
      case RuleKind::forward: return rank(found);
      case RuleKind::graft: return graft(found);
      case RuleKind::scaling: return scaled_features(found);
      case RuleKind::alignment: return aligned_features(found);
      case RuleKind::constrain: return constrained(found);
      case RuleKind::potential: return boxed(found);
      case RuleKind::discriminate: return discriminated(found);
      case RuleKind::adaptive: return adapted_features(found);
      case RuleKind::joint: return joint_features(found);
    }
  }

  // Where the surrogate has no price of slacks to divide by, the rows carry it.
  bool rows_carry_price() const {
    return spec_.kernel || spec_.points || spec_.rule == RuleKind::rescale || spec_.rule == RuleKind::norm ||
           spec_.rule == RuleKind::adaptive;
  }

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

  Trace run(Rule& rule, int patience = 1) {
    price_rows();
    const Surrogate start = first_surrogate(spec_, step(), problem_.x->cols());
    Stop stop = spec_.stop;
    stop.rounds *= patience;
    if (spec_.held_out.size() == 0) return minimise(problem_, *engine_, rule, start, stop);
    const Problem judges = held_out();
    Validate validated(rule, judges,
                       spec_.task == Task::regression    ? Predicts::numbers
                       : spec_.task == Task::multi_label ? Predicts::labels
                                                         : Predicts::classes);
    Trace trace = minimise(problem_, *engine_, validated, start, stop);
    validated.keep_best(trace);
    return trace;
  }

  // The rows that judge, by themselves.
  Problem held_out() const {
    IndexList rows, columns(d_);
    for (Index i = 0; i < spec_.held_out.size(); ++i)
      if (spec_.held_out[i] > 0) rows.push_back(i);
    std::iota(columns.begin(), columns.end(), 0);
    Problem all;
    all.x = x_;
    all.y = y_;
    all.cost = spec_.held_out;
    all.intercept = spec_.intercept;
    return restrict_to(all, rows, columns);
  }

  void norm(std::vector<Fitted>& found) {
    ArbitraryNorm rule(spec_.norms[step_], spec_.left_out);
    const Trace trace = run(rule);
    last_solution(trace, found);
    Fitted& f = found.back();
    f.stationary = !rule.convex();
    f.support_vectors = f.nonzero;
    if (rule.period() > 0)
      f.solution.note = "The rounds repeat with period " + std::to_string(rule.period()) + ".";
  }

  // Its rounds are cheap.
  void relevance(std::vector<Fitted>& found) {
    Relevance rule(spec_.left_out, spec_.unpenalized, spec_.keep);
    last_solution(run(rule, 10), found);
    Fitted& f = found.back();
    f.stationary = true;
    f.solution.certificate.kkt = std::max(f.solution.certificate.kkt, rule.residual());
  }

  // From every start; the lowest objective is kept, the first of equals.
  void reweight(std::vector<Fitted>& found) {
    Trace best;
    Selection selection;
    for (const Vec& start : spec_.starts) {
      Reweight rule(reweighting(start), Selection(spec_.sizes, forced(spec_)));
      Trace trace = run(rule);
      const bool interrupted = trace.stop == StopReason::interrupted;
      if (!interrupted && !best.rounds.empty() && !lower(trace, best)) continue;
      best = std::move(trace);
      selection = rule.selection();
      if (interrupted) break;
    }
    return spec_.sizes.empty() ? last_solution(best, found) : refits(best, selection, found);
  }

  static bool lower(const Trace& one, const Trace& other) {
    if (one.stop == StopReason::failed) return false;
    return other.stop == StopReason::failed || one.rounds.back().objective < other.rounds.back().objective;
  }

  // One search after the other, each from what the last have learned.
  void constrained(std::vector<Fitted>& found) {
    if (!constrain_)
      constrain_ =
          std::make_unique<Constrain>(spec_.fisher ? Constrain::Measure::distance : Constrain::Measure::norm);
    constrain_->aim(spec_.targets.at(step_));
    Trace trace = run(*constrain_);
    trace.solution = constrain_->constrained(problem_, std::move(trace.solution));
    last_solution(trace, found);
    found.back().C = constrain_->multiplier();
  }

  void boxed(std::vector<Fitted>& found) {
    Fitted f;
    f.solution = potential_machine(plain_, first_surrogate(spec_, step(), d_), spec_.targets.at(step_),
                                   spec_.unpenalized, spec_.engine, spec_.stop.limits);
    one_round(f);
    finish(f, found);
  }

  // The machine of all features, or machines on those of largest posterior probability.
  void discriminated(std::vector<Fitted>& found) {
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
      Selection selection(spec_.sizes, forced(spec_));
      selection.observe(trace.solution.w, Vec(), d_, all.force);
      refits(trace, selection, found);
    }
    found[first].ranking = largest(all.force, Vec(), forced(spec_), d_);
  }

  Reweighting reweighting(const Vec& start) const {
    Reweighting r;
    r.schedule = spec_.schedule;
    r.start = start;
    r.tol = spec_.settled;
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

  // 1 at the features, 0 elsewhere.
  Vec indicator(const IndexList& features) const {
    Vec one = Vec::Zero(d_);
    for (Index j : features) one[j] = 1;
    return one;
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
    one_round(f);
    finish(f, found);
  }

  static void one_round(Fitted& f) {
    const Solution& s = f.solution;
    f.rounds = {{s.certificate.primal, static_cast<Index>(nonzeros(magnitudes(s.w)).size()),
                 s.certificate.gap, s.engine}};
  }

  void refits(const Trace& trace, const Selection& selection, std::vector<Fitted>& found) {
    if (step_ + 1 == spec_.path.size()) engine_.reset();  // its memory serves the refits
    for (std::size_t k = 0; k < selection.sizes().size(); ++k) {
      Fitted f = summary(trace);
      f.size = selection.sizes()[k];
      // A search that failed above the size says nothing about it.
      const bool failed = trace.stop == StopReason::failed || trace.stop == StopReason::interrupted;
      if (trace.rounds.empty() || (failed && trace.rounds.back().nonzero > f.size)) {
        f.solution = trace.solution;
      } else if (spec_.points) {
        train_kernel(indicator(selection.chosen(k)), spec_.machine.C, f);
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
    const Machine searching{step().l1 > 0, spec_.hard ? kInf : spec_.path[step_].loss};
    const Ranking ranking =
        find_ranking(weighted, spec_, searching, first_surrogate(spec_, step(), d_), step_);
    Machine machine = spec_.machine;
    if (machine.C == 0) machine.C = searching.C;
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
        f.solution =
            refit(plain_, weights_, ranking.chosen[k], spec_.unpenalized, machine, spec_.stop.limits);
      }
      f.solution.fallback = f.solution.fallback || ranking.trace.fallback;
      finish(f, found);
    }
  }

  static void take_network(const Ranking& ranking, std::size_t k, Fitted& f) {
    const auto found = ranking.networks.find(static_cast<Index>(ranking.chosen[k].size()));
    if (found == ranking.networks.end() || f.solution.status != Status::optimal) return;
    f.network = found->second;
    f.stationary = true;
  }

  // Without a price of features the machine is graded on all of them, not on the working set alone, and the
  // next one along the path may start from its features.
  void graft(std::vector<Fitted>& found) {
    const double loss = step().loss;
    const bool local = spec_.l0 > 0 || spec_.norm > 0;
    IndexList first = forced(spec_);
    if (!local) first.insert(first.end(), grafted_.begin(), grafted_.end());
    Graft rule({spec_.l0 / loss, spec_.norm / loss, first, spec_.unpenalized});
    Stop stop = spec_.stop;
    stop.rounds = std::numeric_limits<int>::max();
    Trace trace = minimise(problem_, *engine_, rule, first_surrogate(spec_, step(), d_), stop);
    if (rule.took_back()) {
      trace.solution = rule.kept();
      trace.rounds.resize(rule.kept_rounds());
    } else if (!local && trace.stop == StopReason::converged) {
      Solution& s = trace.solution;
      s.certificate = certify(problem_, rule.whole(), s);
      if (!s.certificate.holds(std::max(kProof, stop.limits.tol))) s.status = Status::numerical;
      if (s.status == Status::optimal) grafted_ = nonzeros(magnitudes(s.w));
    }
    last_solution(trace, found);
    found.back().stationary = local;
  }

  bool refuses_scales(std::vector<Fitted>& found) {
    if (spec_.engine == "auto" || spec_.engine == "dual") return false;
    Fitted refused;
    refused.solution.status = Status::refused;
    refused.solution.engine = spec_.engine;
    refused.solution.note = "Scales of features are found with the dual engine.";
    finish(refused, found);
    return true;
  }

  Problem rows_that_count() const {
    IndexList rows, columns(d_);
    for (Index i = 0; i < weights_.size(); ++i)
      if (weights_[i] > 0) rows.push_back(i);
    std::iota(columns.begin(), columns.end(), 0);
    return restrict_to(plain_, rows, columns);
  }

  std::unique_ptr<GramMap> gram_of(const Problem& part) const {
    return spec_.points ? kernel_gram(spec_.form, matrix(*part.x)) : linear_gram(part.x);
  }

  // Scales of the features on the observations that count, then a machine on the features that are left.
  void scaled_features(std::vector<Fitted>& found) {
    if (refuses_scales(found)) return;
    const Problem part = rows_that_count();
    Scaling scaling = spec_.scaling;
    if (!scaling.held_out.empty()) {  // on the rows that count
      scaling.held_out.clear();
      for (Index i = 0; i < weights_.size(); ++i)
        if (weights_[i] > 0) scaling.held_out.push_back(spec_.scaling.held_out[i]);
    }
    scaling.free = spec_.unpenalized;
    scaling.keep = spec_.keep;
    scaling.empty = spec_.points ? void_columns(*part.x) : spec_.constant;
    const auto gram = gram_of(part);
    const Mat equalities = equality_columns(*part.x, spec_.intercept, scaling.free);
    const ScaleSearch search =
        search_scales(*gram, part.y.col(0), part.cost, equalities, scaling, spec_.sizes, spec_.stop);
    const std::size_t first = found.size();
    refits(search.trace, search.chosen, found);
    found[first].ranking = search.order;
    for (std::size_t k = first; k < found.size(); ++k) {
      found[k].C = search.C;
      if (found[k].solution.note.empty()) found[k].solution.note = search.trace.solution.note;
      found[k].stationary = spec_.sizes.empty();
      if (spec_.sizes.empty()) found[k].size = -1;
    }
  }

  // Columns that add the same to the kernel of every pair.
  IndexList void_columns(const Design& x) const {
    IndexList columns;
    Vec column(x.rows());
    for (Index j = 0; j < d_; ++j) {
      x.column(j, column.data());
      const double first = spec_.form.distance() ? column[0] : 0.0;
      if ((column.array() == first).all()) columns.push_back(j);
    }
    return columns;
  }

  // Scales of the features within the kernel, then the machine of that kernel.
  void aligned_features(std::vector<Fitted>& found) {
    const Alignment& what = spec_.alignments[step_];
    const Aligned a = align(spec_.form, matrix(*x_), y_.col(0), weights_, what, spec_.stop);
    Fitted f;
    f.rounds = a.rounds;
    f.stop = a.stop;
    f.stationary = true;
    f.solution.status = a.status;
    if (a.status == Status::optimal) {
      train_kernel((a.theta.array() > what.threshold).select(a.theta, 0.0), spec_.path[step_].loss, f);
      // That of the scales, unless the machine is less certain.
      Certificate& c = f.solution.certificate;
      c = {a.certificate.primal, a.certificate.dual, std::max(a.certificate.gap, c.gap),
           std::max(a.certificate.kkt, c.kkt)};
    }
    finish(f, found);
  }

  // Scales of the features, then the machine on the features so scaled.
  void adapted_features(std::vector<Fitted>& found) {
    if (refuses_scales(found)) return;
    const double C = spec_.hard ? kInf : spec_.path[step_].loss;
    Problem part = rows_that_count();
    if (!spec_.hard) part.cost *= C;
    Adaptive what = spec_.adaptives[step_];
    what.fixed = spec_.keep;
    what.empty = spec_.points ? void_columns(*part.x) : spec_.constant;
    what.empty.insert(what.empty.end(), spec_.unpenalized.begin(), spec_.unpenalized.end());
    const auto gram = gram_of(part);
    const Mat equalities = equality_columns(*part.x, spec_.intercept, spec_.unpenalized);
    const AdaptiveScales a =
        adapt_scales(*gram, part.y.col(0), part.cost, equalities, what, spec_.stop.limits);
    Fitted f;
    f.rounds = {a.round};
    f.solution.status = a.status;
    if (a.status == Status::optimal) {
      if (spec_.points)
        train_kernel(a.theta, C, f);
      else
        f.solution = scaled_solution(a.theta, C);
      Certificate& c = f.solution.certificate;
      c = {c.primal, std::min(c.dual, a.certificate.dual), std::max(a.certificate.gap, c.gap),
           std::max(a.certificate.kkt, c.kkt)};
      if (!(c.gap <= kProof)) f.solution.note = "The scales of the features are not quite at their minimum.";
    }
    f.stationary = spec_.points || what.p < 2;
    f.stop = a.status == Status::optimal       ? StopReason::converged
             : a.status == Status::interrupted ? StopReason::interrupted
                                               : StopReason::failed;
    finish(f, found);
  }

  // The linear machine on columns times the root of theta.
  Solution scaled_solution(const Vec& theta, double C) const {
    Problem problem = plain_;
    if (!spec_.hard) problem.cost = C * weights_;
    Surrogate surrogate;
    surrogate.l1 = Vec::Zero(d_);
    surrogate.scale = theta.cwiseSqrt();
    for (Index j : spec_.unpenalized) surrogate.scale[j] = kInf;
    for (Index j : spec_.constant) surrogate.scale[j] = 0;
    const auto engine = make_engine(spec_.engine, spec_.highs);
    engine->setup(problem);
    return solve_certified(*engine, problem, surrogate, spec_.stop.limits);
  }

  // Scales of the features within the kernel and the expansion at once.
  void joint_features(std::vector<Fitted>& found) {
    JointFeatures joint = find_joint_features(spec_.form, matrix(*x_), plain_, weights_, spec_.path[step_].l1,
                                              spec_.targets.at(step_), spec_.stop);
    Fitted f;
    f.rounds = std::move(joint.rounds);
    f.stop = joint.stop;
    f.stationary = true;
    f.scales = joint.sigma.cwiseAbs2();
    f.solution = std::move(joint.solution);
    if (f.solution.status == Status::optimal) f.errors = errors(joint.decision);
    finish(f, found);
  }

  void train_kernel(const Vec& theta, double C, Fitted& f) const {
    ScaledMachine machine =
        scaled_machine(spec_.form, matrix(*x_), theta, plain_, weights_, C, spec_.engine, spec_.stop.limits);
    f.scales = theta;
    f.solution = std::move(machine.solution);
    if (f.solution.status == Status::optimal) f.errors = errors(machine.decision);
  }

  // The trace on the scale of the objective, training errors and support vectors.
  void finish(Fitted& f, std::vector<Fitted>& found) {
    f.step = step_;
    // Errors have no price.
    for (Round& round : f.rounds) round.objective *= spec_.rule == RuleKind::admit ? 1.0 : step().loss;
    const Solution& s = f.solution;
    if (s.status == Status::optimal) {
      if (f.scales.size() == 0) f.errors = errors(s, *x_);
      if (f.network.size())
        f.errors = errors(network_values(*x_, f.network, spec_.network.hidden, y_.cols()));
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

  Index errors(const Solution& s, const Design& x) const {
    return s.status == Status::optimal ? errors(decision_values(x, s.w, spec_.intercept ? s.b : Vec())) : 0;
  }

  // Observations that are predicted wrong: in any label, or outside the tube by more than rounding.
  // -1 where nothing says what is wrong.
  Index errors(const Mat& decision) const {
    if (spec_.task == Task::regression && lower_.size() == 0) return -1;
    const double rounding = 1e-6 * plain_.margins().cwiseAbs().maxCoeff();
    Index count = 0;
    for (Index i = 0; i < decision.rows(); ++i) {
      if (spec_.task == Task::k_class) {
        Index found = 0, wanted = 0;
        decision.row(i).maxCoeff(&found);
        y_.row(i).maxCoeff(&wanted);
        count += found != wanted;
      } else if (spec_.task == Task::regression) {
        if (lower_.size())
          count += decision(i, 0) < lower_[i] - rounding || decision(i, 0) > upper_[i] + rounding;
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
    for (Index i = 0; i < s.dual.rows(); ++i)
      size[observation_.empty() ? i : observation_[i]] += s.dual.row(i).cwiseAbs().sum();
    return static_cast<Index>(nonzeros(size).size());
  }

  const FitSpec& spec_;
  std::shared_ptr<const Design> x_;  // as given, and y; problems may have further rows and columns
  Mat y_;
  Vec lower_, upper_;      // of the decision values, in regression
  IndexList observation_;  // that the rows of the problems come from; empty: one each
  Index d_;
  Vec weights_;  // of the rows of the problems
  bool slack_columns_;
  Problem problem_, plain_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Constrain> constrain_;
  std::size_t step_ = 0;
  IndexList grafted_;  // features of the last step
};

}  // namespace

std::vector<Fitted> fit(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec) {
  return Fitter(std::move(x), y, spec).all();
}

}  // namespace zeronorm

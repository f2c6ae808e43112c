#include "fitter.h"

#include <algorithm>
#include <cmath>

#include "design.h"
#include "engines/working_rows.h"
#include "indices.h"
#include "margins.h"
#include "problem.h"
#include "rules/validate.h"

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

constexpr double kMostRounding = 1e-5;  // in decision values, beside the size of y

bool joint(const FitSpec& spec) { return spec.task == Task::k_class && spec.joint; }

// Whether a method sees of its unpenalised columns no more than what they span.
bool spans_alone(const FitSpec& spec) {
  const bool judges = spec.score == "tree" || spec.network.hidden > 0 || spec.rule == RuleKind::alma;
  return !judges && !spec.kernel && !spec.points;
}

FreeColumns unpenalized(const Design& x, const FitSpec& spec) {
  IndexList columns;
  for (Index j : spec.unpenalized)
    if (std::find(spec.constant.begin(), spec.constant.end(), j) == spec.constant.end()) columns.push_back(j);
  if (columns.empty() || !spans_alone(spec)) return {};
  return FreeColumns(x, spec.intercept, std::move(columns), spec.weights);
}

// Slacks become columns where they are rescaled themselves, where machines of both norms see them, or
// where several constraints of an observation share them.
bool needs_slack_columns(const FitSpec& spec) {
  if (spec.rule != RuleKind::rescale || spec.errors == "none") return false;
  return spec.errors == "zero" || spec.switch_features > 0 || spec.switch_round > 0 || joint(spec);
}

}  // namespace

Fitter::Fitter(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec, const FreeColumns& free)
    : spec_(spec), free_(free), x_(x), y_(y), lower_(spec.lower), upper_(spec.upper), d_(x->cols()),
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
  if (keeps_gram()) {
    kept_ = std::make_unique<KeptGram>(plain_.x);
    plain_.x = kept_->whole();
  }
  problem_ = plain_;
  const double lambda = spec.errors != "zero" || spec.literal ? spec.lambda : 1.0;
  if (slack_columns_) problem_.x = extended_design(plain_.x, lambda);
  engine_ = make_engine(spec.engine);
  if (spec.rule == RuleKind::norm)
    engine_ = make_working_rows([&spec]() { return make_engine(spec.engine); });
  engine_->setup(problem_);
}

std::vector<Fitted> Fitter::all() {
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

void Fitter::one_step(std::vector<Fitted>& found) {
  switch (spec_.rule) {
    case RuleKind::convex: {
      if (spec_.hard && spec_.limit) return limit_solution(found);
      Once rule;
      return last_solution(run(rule), found);
    }
    case RuleKind::reweight: return reweight(found);
    case RuleKind::rescale: return rescale(found);
    case RuleKind::project: return project(found);
    case RuleKind::fs_svmcp: return fs_svmcp(found);
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
bool Fitter::rows_carry_price() const {
  return spec_.kernel || spec_.points || spec_.rule == RuleKind::rescale || spec_.rule == RuleKind::norm ||
         spec_.rule == RuleKind::adaptive;
}

IndexList Fitter::forced() const {
  IndexList both = spec_.keep;
  both.insert(both.end(), spec_.unpenalized.begin(), spec_.unpenalized.end());
  return both;
}

PathStep Fitter::step() const {
  PathStep step = spec_.path[step_];
  if (rows_carry_price()) step.loss = 1;
  return step;
}

void Fitter::price_rows() {
  if (!rows_carry_price() || problem_.hard()) return;
  problem_.cost = spec_.path[step_].loss * weights_;
  engine_->setup(problem_);
}

Trace Fitter::run(Rule& rule, int patience, double coarse) {
  price_rows();
  const Surrogate start = first_surrogate(spec_, step(), problem_.x->cols());
  Stop stop = spec_.stop;
  stop.rounds *= patience;
  stop.coarse = coarse;
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
Problem Fitter::held_out() const {
  IndexList rows;
  for (Index i = 0; i < spec_.held_out.size(); ++i)
    if (spec_.held_out[i] > 0) rows.push_back(i);
  Problem all;
  all.x = x_;
  all.y = y_;
  all.cost = spec_.held_out;
  all.intercept = spec_.intercept;
  return restrict_to(all, rows, first(d_));
}

void Fitter::multiply(Certificate& c, double factor) {
  c.primal *= factor;
  c.dual *= factor;
}

// The search without its d-vectors.
Fitted Fitter::summary(const Trace& trace) const {
  Fitted f;
  f.relative = joint(spec_);
  f.rounds = trace.rounds;
  f.stop = trace.stop;
  return f;
}

void Fitter::last_solution(const Trace& trace, std::vector<Fitted>& found) {
  Fitted f = summary(trace);
  f.solution = trace.solution;
  f.solution.fallback = trace.fallback;
  f.stationary =
      spec_.rule == RuleKind::reweight || spec_.rule == RuleKind::rescale || spec_.rule == RuleKind::project;
  if (slack_columns_ && f.solution.w.rows() > d_) f.solution.w = Mat(f.solution.w.topRows(d_));
  multiply(f.solution.certificate, step().loss);
  finish(f, found);
}

// The trace on the scale of the objective, and support vectors.
void Fitter::finish(Fitted& f, std::vector<Fitted>& found) {
  f.step = step_;
  // Errors have no price.
  for (Round& round : f.rounds) round.objective *= spec_.rule == RuleKind::admit ? 1.0 : step().loss;
  Solution& s = f.solution;
  if (s.status == Status::optimal && !(s.w.allFinite() && s.b.allFinite())) s.status = Status::numerical;
  if (s.status == Status::optimal) {
    if (!spec_.points) settle_zeros(*x_, s.w);
    f.support_vectors = support_vectors(s);
    if (free_.awkward()) leave_basis(s);
    f.nonzero = nonzero(s);
  }
  found.push_back(std::move(f));
}

// To the columns as they were given, unless rounding in them hides the solution.
void Fitter::leave_basis(Solution& s) const {
  s = free_.leave(std::move(s));
  if (free_.rounding(s) <= kMostRounding * y_.cwiseAbs().maxCoeff()) return;
  s.status = Status::numerical;
  s.note =
      "Unpenalised columns are so near each other that weights in their units lose the digits of the "
      "solution.";
}

// Features behind the columns where it is these that are penalised, else columns.
Index Fitter::nonzero(const Solution& s) const {
  const bool grouped = spec_.rule == RuleKind::reweight && !spec_.sharing.empty();
  const Surrogate start = grouped ? first_surrogate(spec_, step(), d_) : Surrogate();
  return (magnitudes(start, s.w).array() > 0).count();
}

// Whether an engine is named other than the one that the search has (empty: none); then the answer is a refusal.
bool Fitter::refuses_engine(const std::string& own, const std::string& why, std::vector<Fitted>& found) {
  if (!spec_.engine.named() || spec_.engine.name == own) return false;
  Fitted refused;
  refused.stop = StopReason::failed;
  refused.solution.status = Status::refused;
  refused.solution.engine = spec_.engine.name;
  refused.solution.note = why;
  finish(refused, found);
  return true;
}

// Observations with a multiplier that is not zero.
Index Fitter::support_vectors(const Solution& s) const {
  const Index n = x_->rows();
  Vec size = Vec::Zero(n);
  for (Index i = 0; i < s.dual.rows(); ++i)
    size[observation_.empty() ? i : observation_[i]] += s.dual.row(i).cwiseAbs().sum();
  return static_cast<Index>(nonzeros(size).size());
}

std::vector<Fitted> fit(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec) {
  const FreeColumns free = unpenalized(*x, spec);
  return Fitter(free.awkward() ? free.enter(std::move(x)) : std::move(x), y, spec, free).all();
}

}  // namespace zeronorm

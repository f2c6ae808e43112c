#include "methods/fitting.h"

#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "data/design.h"
#include "methods/scales/scaled_svm.h"
#include "problem/margins.h"
#include "rules/validate.h"

namespace zeronorm {
namespace {

// Largest rounding error of the decision values, relative to y, that weights of unpenalised columns may cause.
constexpr double kMaxRounding = 1e-5;

bool joint(const CommonOptions& common) { return common.task == Task::k_class && common.joint; }

// Reads one row per column: the features that share its cost, or 0 for none.
std::vector<IndexList> read_sharing(const Mat& features) {
  std::vector<IndexList> groups(features.rows());
  for (Index j = 0; j < features.rows(); ++j)
    for (Index k = 0; k < features.cols(); ++k)
      if (features(j, k) > 0) groups[j].push_back(static_cast<Index>(features(j, k)) - 1);
  return groups;
}

KernelForm read_form(const Options& form) {
  using Kind = KernelForm::Kind;
  KernelForm read;
  read.parameter = form.number("parameter");
  read.kind = Options::meaning<Kind>("kernel", form.text("kind"),
                                     {{"gaussian", Kind::gaussian},
                                      {"chi2", Kind::chi2},
                                      {"sum", Kind::poly_sum},
                                      {"power", Kind::poly_power}});
  return read;
}

void read_refit(const Options& options, CommonOptions& common) {
  enum class Refit { none, l1, l2, squares };
  const Refit refit = options.word<Refit>(
      "refit", {{"none", Refit::none}, {"l1", Refit::l1}, {"l2", Refit::l2}, {"ls", Refit::squares}});
  common.refit = refit != Refit::none;
  common.refit_model.l1 = refit == Refit::l1;
  common.refit_model.joint = common.task == Task::k_class && options.flag("refit_joint");
  if (refit == Refit::squares || (common.task == Task::regression && common.loss == Loss::squared))
    common.refit_model.loss = Loss::squared;
  common.refit_model.C = options.has("refit_C") ? options.number("refit_C") : 0.0;
}

FreeColumns unpenalized_basis(const Design& x, const CommonOptions& common, const Method& method) {
  if (common.kernel || common.points || !method.sees_span_only()) return {};
  IndexList columns;
  for (Index j : common.unpenalized)
    if (std::find(common.constant.begin(), common.constant.end(), j) == common.constant.end())
      columns.push_back(j);
  if (columns.empty()) return {};
  return FreeColumns(x, common.intercept, std::move(columns), common.weights);
}

}  // namespace

Loss read_loss(const Options& options) {
  return options.word<Loss>("loss", {{"hinge", Loss::hinge},
                                     {"squared_hinge", Loss::squared_hinge},
                                     {"squared", Loss::squared},
                                     {"logistic", Loss::logistic}});
}

CommonOptions read_common(const Options& options) {
  CommonOptions common;
  common.task = options.word<Task>("task", {{"two-class", Task::two_class},
                                            {"k-class", Task::k_class},
                                            {"multi-label", Task::multi_label},
                                            {"regression", Task::regression}});
  common.joint = options.flag("joint");
  if (options.has("epsilon")) common.epsilon = options.number("epsilon");
  if (options.has("lower")) {
    common.lower = options.numbers("lower");
    common.upper = options.numbers("upper");
  }
  common.hard = options.flag("hard");
  common.loss = read_loss(options);
  if (common.hard) common.loss = Loss::hinge;
  common.limit = options.flag("limit");
  common.intercept = options.flag("intercept");
  common.weights = options.numbers("weights");
  common.case_weights = options.numbers("case_weights");
  if (options.has("costs")) common.costs = options.numbers("costs");
  if (options.has("sharing")) common.sharing = read_sharing(options.matrix("sharing"));
  if (options.has("held_out")) common.held_out = options.numbers("held_out");
  common.unpenalized = options.indices("unpenalized");
  common.keep = options.indices("keep");
  common.left_out = options.indices("left_out");
  const Options& control = options.group("control");
  common.engine.name = options.text("engine");
  common.engine.highs.column_generation = control.flag("column_generation");
  const Vec l1 = options.numbers("l1"), ridge = options.numbers("ridge"), loss = options.numbers("slack");
  for (Index k = 0; k < l1.size(); ++k) common.path.push_back({l1[k], ridge[k], loss[k]});
  common.kernel = options.has("kernel");
  common.points = options.has("form");
  if (common.points) common.form = read_form(options.group("form"));
  if (options.has("nonzero"))
    for (int size : options.integers("nonzero")) common.sizes.push_back(size);
  read_refit(options, common);
  common.stop.rounds = static_cast<int>(control.count("max_rounds"));
  common.stop.limits.tol = control.number("tol");
  return common;
}

Surrogate first_surrogate(const CommonOptions& common, const PathStep& step, Index d) {
  Surrogate s;
  s.groups = common.sharing;
  s.l1 = Vec::Constant(s.groups.empty() ? d : common.costs.size(), l1_per_loss(step.l1, step.loss));
  if (common.costs.size() == s.l1.size()) s.l1 = s.l1.cwiseProduct(common.costs);
  s.scale = Vec::Constant(d, scale_per_loss(step.ridge, step.loss));
  if (common.kernel) s.scale.setConstant(step.ridge > 0 ? kInf : 1.0);
  for (Index j : common.constant) s.scale[j] = 0;
  if (!s.groups.empty()) return s;  // Here columns without a cost have no group, or a group without a cost.
  for (Index j : common.keep) s.l1[j] = 0;
  for (Index j : common.unpenalized) {
    s.l1[j] = 0;
    if (s.scale[j] > 0) s.scale[j] = kInf;
  }
  return s;
}

Fitting::Fitting(std::shared_ptr<const Design> x, const Mat& y, const CommonOptions& common, Method& method)
    : common_(common), method_(method), free_(unpenalized_basis(*x, common, method)),
      x_(free_.awkward() ? free_.enter(std::move(x)) : std::move(x)), y_(y), lower_(common.lower),
      upper_(common.upper), d_(x_->cols()), weights_(common.weights),
      slack_columns_(method.slack_columns(common)) {
  plain_.x = x_;
  plain_.y = y;
  plain_.intercept = common.intercept;
  plain_.loss = slack_columns_ ? Loss::hinge : common.loss;
  if (joint(common)) plain_.loss = Loss::weston_watkins;
  plain_.quadratic = common.kernel ? Quadratic::kernel : Quadratic::none;
  if (common.epsilon >= 0) {
    lower_ = y.col(0).array() - common.epsilon;
    upper_ = y.col(0).array() + common.epsilon;
  }
  if (lower_.size()) {
    observation_ = bound_decisions(plain_, lower_, upper_);
    weights_ = Vec(observation_.size());
    for (std::size_t i = 0; i < observation_.size(); ++i) weights_[i] = common.weights[observation_[i]];
  }
  plain_.cost = weights_;
  if (common.hard || slack_columns_) plain_.cost.setConstant(kInf);
  if (keeps_gram()) {
    kept_ = std::make_unique<KeptGram>(plain_.x);
    plain_.x = kept_->whole();
  }
  problem_ = plain_;
  if (slack_columns_) problem_.x = extended_design(plain_.x, method.slack_length());
  engine_ = method.engine(common.engine);
  engine_->setup(problem_);
}

std::vector<Fitted> Fitting::all() {
  const std::size_t steps = common_.path.size();
  for (step_ = 0; step_ < steps; ++step_) {
    if (common_.progress && steps > 1)
      common_.progress(static_cast<double>(step_) / static_cast<double>(steps));
    method_.fit_step(*this);
    if (!found_.empty() && found_.back().stop == StopReason::interrupted) break;
  }
  return std::move(found_);
}

bool Fitting::rows_carry_cost() const { return common_.kernel || common_.points || method_.costs_in_rows(); }

IndexList Fitting::forced() const {
  IndexList both = common_.keep;
  both.insert(both.end(), common_.unpenalized.begin(), common_.unpenalized.end());
  return both;
}

PathStep Fitting::step() const {
  PathStep step = common_.path[step_];
  if (rows_carry_cost()) step.loss = 1;
  return step;
}

void Fitting::price_rows() {
  if (!rows_carry_cost() || problem_.hard()) return;
  problem_.cost = common_.path[step_].loss * weights_;
  engine_->setup(problem_);
}

Trace Fitting::run(Rule& rule, int patience, double coarse) {
  price_rows();
  const Surrogate start = first_surrogate(common_, step(), problem_.x->cols());
  Stop stop = common_.stop;
  stop.rounds *= patience;
  stop.coarse = coarse;
  if (common_.held_out.size() == 0) return minimise(problem_, *engine_, rule, start, stop);
  const Problem judges = held_out();
  Validate validated(rule, judges,
                     common_.task == Task::regression    ? Predicts::numbers
                     : common_.task == Task::multi_label ? Predicts::labels
                                                         : Predicts::classes);
  Trace trace = minimise(problem_, *engine_, validated, start, stop);
  validated.keep_best(trace);
  return trace;
}

// Returns the held-out rows as a problem of their own.
Problem Fitting::held_out() const {
  const IndexList rows = nonzero_entries(common_.held_out);
  Problem all;
  all.x = x_;
  all.y = y_;
  all.cost = common_.held_out;
  all.intercept = common_.intercept;
  return restrict_to(all, rows, first(d_));
}

Problem Fitting::rows_that_count() const {
  const IndexList rows = nonzero_entries(weights_);
  return restrict_to(plain_, rows, first(d_));
}

void Fitting::multiply(Certificate& c, double factor) {
  c.primal *= factor;
  c.dual *= factor;
}

Fitted Fitting::summary(const Trace& trace) const {
  Fitted f;
  f.relative = joint(common_);
  f.rounds = trace.rounds;
  f.stop = trace.stop;
  return f;
}

std::vector<Fitted*> Fitting::of_step() {
  std::vector<Fitted*> some;
  for (Fitted& f : found_)
    if (f.step == step_) some.push_back(&f);
  return some;
}

void Fitting::one_round(Fitted& f) {
  const Solution& s = f.solution;
  f.rounds = {{s.certificate.primal, static_cast<Index>(nonzeros(magnitudes(s.w)).size()), s.certificate.gap,
               s.engine}};
}

Fitted& Fitting::last_solution(const Trace& trace, bool stationary) {
  Fitted f = summary(trace);
  f.solution = trace.solution;
  f.solution.fallback = trace.fallback;
  f.stationary = stationary;
  if (slack_columns_ && f.solution.w.rows() > d_) f.solution.w = Mat(f.solution.w.topRows(d_));
  multiply(f.solution.certificate, step().loss);
  return finish(std::move(f));
}

Fitted& Fitting::finish(Fitted f, bool costs_in_rounds) {
  f.step = step_;
  if (costs_in_rounds)
    for (Round& round : f.rounds) round.objective *= step().loss;
  Solution& s = f.solution;
  if (s.status == Status::optimal && !(s.w.allFinite() && s.b.allFinite())) s.status = Status::numerical;
  if (s.status == Status::optimal) {
    if (!common_.points) settle_zeros(*x_, s.w);
    f.support_vectors = support_vectors(s);
    if (free_.awkward()) leave_basis(s);
    f.nonzero = nonzero(s);
  }
  found_.push_back(std::move(f));
  return found_.back();
}

// Converts the weights to the columns as given; fails if rounding in these columns hides the solution.
void Fitting::leave_basis(Solution& s) const {
  s = free_.leave(std::move(s));
  if (free_.rounding(s) <= kMaxRounding * y_.cwiseAbs().maxCoeff()) return;
  s.status = Status::numerical;
  s.note =
      "Unpenalised columns are so near each other that weights in their units lose the digits of the "
      "solution.";
}

// Returns the number of features behind the columns if features are penalised, otherwise the number of columns.
Index Fitting::nonzero(const Solution& s) const {
  const bool grouped = method_.counts_groups() && !common_.sharing.empty();
  return (magnitudes(grouped ? start() : Surrogate(), s.w).array() > 0).count();
}

bool Fitting::refuses_engine(const std::string& own, const std::string& why) {
  if (!common_.engine.named() || common_.engine.name == own) return false;
  Fitted refused;
  refused.stop = StopReason::failed;
  refused.solution.status = Status::refused;
  refused.solution.engine = common_.engine.name;
  refused.solution.note = why;
  finish(std::move(refused));
  return true;
}

// Returns the number of observations with a nonzero multiplier.
Index Fitting::support_vectors(const Solution& s) const {
  Vec size = Vec::Zero(x_->rows());
  for (Index i = 0; i < s.dual.rows(); ++i)
    size[observation_.empty() ? i : observation_[i]] += s.dual.row(i).cwiseAbs().sum();
  return static_cast<Index>(nonzeros(size).size());
}

// Returns whether a Gram matrix is kept: several classifiers follow a search, and the matrix is no larger than x.
bool Fitting::keeps_gram() const {
  if (common_.sizes.size() < 2 || !common_.refit || common_.points || common_.kernel) return false;
  const Design& x = *plain_.x;
  return x.in_memory() && !x.is_sparse() && x.rows() <= x.cols();
}

std::vector<Solution> Fitting::train(const std::vector<const IndexList*>& chosen,
                                     const ClassifierSpec& spec) const {
  std::vector<Solution> trained(chosen.size());
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) order.push_back(k);
  Problem problem = plain_;
  if (kept_) {
    const auto size = [&](std::size_t k) { return static_cast<Index>(chosen[k]->size()); };
    problem.x = kept_->parts();
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
    // The columns with which the search began are already in its Gram matrix.
    if (!order.empty() && size(order.back()) <= kept_->columns())
      std::rotate(order.begin(), order.end() - 1, order.end());
  }
  for (std::size_t k : order)
    trained[k] = refit(problem, weights_, *chosen[k], common_.unpenalized, spec, common_.stop.limits,
                       common_.engine.other("auto"));
  return trained;
}

void Fitting::refits(const Trace& trace, const Selection& selection) {
  if (step_ + 1 == common_.path.size()) engine_.reset();  // This releases its memory for the refits.
  // A search that failed before it came down to a size has no features for it.
  const bool failed = trace.stop == StopReason::failed || trace.stop == StopReason::interrupted;
  const auto nothing = [&](Index size) {
    return trace.rounds.empty() || (failed && trace.rounds.back().nonzero > size);
  };
  const IndexList& sizes = selection.sizes();
  std::vector<const IndexList*> chosen(sizes.size(), nullptr);
  if (common_.refit && !common_.points)
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (!nothing(sizes[k])) chosen[k] = &selection.chosen(k);
  std::vector<Solution> trained = train(chosen, common_.refit_model);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Fitted f = summary(trace);
    f.size = sizes[k];
    if (nothing(f.size)) {
      f.solution = trace.solution;
    } else if (common_.points) {
      train_kernel(indicator(selection.chosen(k)), common_.refit_model.C, f);
    } else if (!common_.refit) {
      f.solution = selection.solution(k, plain_);
      f.solution.engine = trace.solution.engine;
    } else {
      f.solution = std::move(trained[k]);
      f.relative = common_.refit_model.joint;
    }
    f.solution.fallback = f.solution.fallback || trace.fallback;
    finish(std::move(f));
  }
}

Vec Fitting::indicator(const IndexList& features) const {
  Vec one = Vec::Zero(d_);
  for (Index j : features) one[j] = 1;
  return one;
}

std::unique_ptr<GramMap> Fitting::gram_of(const Problem& part) const {
  return common_.points ? kernel_gram(common_.form, matrix(*part.x)) : linear_gram(part.x);
}

IndexList Fitting::void_columns(const Design& x) const {
  IndexList columns;
  Vec column(x.rows());
  for (Index j = 0; j < d_; ++j) {
    x.column(j, column.data());
    const double first = common_.form.distance() ? column[0] : 0.0;
    if ((column.array() == first).all()) columns.push_back(j);
  }
  return columns;
}

void Fitting::train_kernel(const Vec& theta, double C, Fitted& f) const {
  ScaledSvm svm = train_scaled_svm(common_.form, matrix(*x_), theta, plain_, weights_, C, common_.engine,
                                   common_.stop.limits);
  f.scales = theta;
  f.solution = std::move(svm.solution);
}

}  // namespace zeronorm

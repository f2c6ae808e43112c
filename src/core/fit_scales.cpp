// Methods that scale features.
#include <algorithm>
#include <numeric>

#include "design.h"
#include "fitter.h"
#include "joint_features.h"
#include "problem.h"
#include "scaled_machine.h"

namespace zeronorm {

bool Fitter::refuses_scales(std::vector<Fitted>& found) {
  if (spec_.engine == "auto" || spec_.engine == "dual") return false;
  Fitted refused;
  refused.solution.status = Status::refused;
  refused.solution.engine = spec_.engine;
  refused.solution.note = "Scales of features are found with the dual engine.";
  finish(refused, found);
  return true;
}

Problem Fitter::rows_that_count() const {
  IndexList rows, columns(d_);
  for (Index i = 0; i < weights_.size(); ++i)
    if (weights_[i] > 0) rows.push_back(i);
  std::iota(columns.begin(), columns.end(), 0);
  return restrict_to(plain_, rows, columns);
}

std::unique_ptr<GramMap> Fitter::gram_of(const Problem& part) const {
  return spec_.points ? kernel_gram(spec_.form, matrix(*part.x)) : linear_gram(part.x);
}

// Scales of the features on the observations that count, then a machine on the features that are left.
void Fitter::scaled_features(std::vector<Fitted>& found) {
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
IndexList Fitter::void_columns(const Design& x) const {
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
void Fitter::aligned_features(std::vector<Fitted>& found) {
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
void Fitter::adapted_features(std::vector<Fitted>& found) {
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
  const AdaptiveScales a = adapt_scales(*gram, part.y.col(0), part.cost, equalities, what, spec_.stop.limits);
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
Solution Fitter::scaled_solution(const Vec& theta, double C) const {
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
void Fitter::joint_features(std::vector<Fitted>& found) {
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

void Fitter::train_kernel(const Vec& theta, double C, Fitted& f) const {
  ScaledMachine machine =
      scaled_machine(spec_.form, matrix(*x_), theta, plain_, weights_, C, spec_.engine, spec_.stop.limits);
  f.scales = theta;
  f.solution = std::move(machine.solution);
  if (f.solution.status == Status::optimal) f.errors = errors(machine.decision);
}

}  // namespace zeronorm

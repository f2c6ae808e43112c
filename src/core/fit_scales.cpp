// Methods that scale features.
#include <algorithm>

#include "certificate.h"
#include "design.h"
#include "fitter.h"
#include "indices.h"
#include "joint_features.h"
#include "minimise.h"
#include "problem.h"
#include "scaled_machine.h"

namespace zeronorm {

bool Fitter::refuses_scales(std::vector<Fitted>& found) {
  return refuses_engine("dual", "Scales of features are found with the dual engine.", found);
}

Problem Fitter::rows_that_count() const {
  IndexList rows;
  for (Index i = 0; i < weights_.size(); ++i)
    if (weights_[i] > 0) rows.push_back(i);
  return restrict_to(plain_, rows, first(d_));
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
    if (c.gap > spec_.stop.limits.tol && what.p == 2 && !spec_.points) settle_by_prices(what, C, f.solution);
    if (!(c.gap <= kProof)) {
      f.solution.note = "The scales of the features are not quite at their minimum.";
      f.solution.status = Status::numerical;
    }
  }
  f.stationary = spec_.points || what.p < 2;
  f.stop = f.solution.status == Status::optimal       ? StopReason::converged
           : f.solution.status == Status::interrupted ? StopReason::interrupted
                                                      : StopReason::failed;
  finish(f, found);
}

// For p = 2 the objective is  (sum_j |w_j|)^2 / (2 sigma0^2) + C sum xi , and where scales are zero slopes by
// scales depend on which of several multipliers were found.  The machine with the price |w|_1 / sigma0^2 of
// every |w_j| touches it at w: its value bounds the objective from below, and the way to its solution leads
// down until the two meet.
void Fitter::settle_by_prices(const Adaptive& what, double C, Solution& s) const {
  constexpr int most = 50;
  const double level = what.sigma0 * what.sigma0;
  Problem problem = plain_;
  problem.cost = C < kInf ? Vec(C * weights_) : Vec(Vec::Constant(weights_.size(), kInf));
  problem.loss = Loss::hinge;
  Surrogate prices;
  prices.l1 = Vec::Ones(d_);
  prices.scale = Vec::Constant(d_, kInf);
  for (Index j : what.fixed) prices.l1[j] = 0, prices.scale[j] = what.sigma0;
  for (Index j : what.empty) prices.l1[j] = 0;
  for (Index j : spec_.constant) prices.scale[j] = 0;
  const Vec open = prices.l1;
  const auto value = [&](const Vec& w, double b) {
    const double norm = open.dot(w.cwiseAbs());
    double sum = norm * norm / (2 * level);
    for (Index j : what.fixed) sum += w[j] * w[j] / (2 * level);
    return C < kInf ? sum + problem.cost.dot(slacks(problem, w, b)) : sum;
  };
  const auto engine = make_engine(spec_.engine.other("auto"));
  engine->setup(problem);
  Vec w = s.w.col(0);
  double b = spec_.intercept ? s.b[0] : 0.0, primal = value(w, b), dual = s.certificate.dual;
  const double size = std::max(std::abs(primal), C < kInf ? gap_floor(problem) : 0.0);
  for (int round = 0; round < most && primal - dual > spec_.stop.limits.tol * size; ++round) {
    const double price = open.dot(w.cwiseAbs()) / level;
    prices.l1 = price * open;
    const Solution next = solve_certified(*engine, problem, prices, spec_.stop.limits);
    if (next.status != Status::optimal) break;
    if (next.certificate.dual - 0.5 * level * price * price > dual) {
      dual = next.certificate.dual - 0.5 * level * price * price;
      s.dual = next.dual;
    }
    const Vec along = next.w.col(0) - w;
    const double onward = (spec_.intercept ? next.b[0] : 0.0) - b;
    double low = 0, high = 1;  // a convex function of the step
    const auto at = [&](double t) { return value(w + t * along, b + t * onward); };
    for (int k = 0; k < 80; ++k) {
      const double left = low + (high - low) / 3, right = high - (high - low) / 3;
      if (at(left) <= at(right))
        high = right;
      else
        low = left;
    }
    const double step = 0.5 * (low + high), now = at(step);
    if (!(now < primal)) break;
    w += step * along;
    b += step * onward;
    primal = now;
  }
  s.w.col(0) = w;
  s.b[0] = b;
  const double gap = std::max(0.0, primal - dual) / std::max({std::abs(primal), std::abs(dual), size});
  s.certificate = {primal, dual, gap, gap};
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
  const auto engine = make_engine(spec_.engine);
  engine->setup(problem);
  return solve_certified(*engine, problem, surrogate, spec_.stop.limits);
}

// Scales of the features within the kernel and the expansion at once.
void Fitter::joint_features(std::vector<Fitted>& found) {
  if (refuses_engine("smooth", "The classifier for given scales is found with the smooth engine.", found))
    return;
  JointFeatures joint = find_joint_features(spec_.form, matrix(*x_), plain_, weights_, spec_.path[step_].l1,
                                            spec_.targets.at(step_), spec_.stop);
  Fitted f;
  f.rounds = std::move(joint.rounds);
  f.stop = joint.stop;
  f.stationary = true;
  f.scales = joint.sigma.cwiseAbs2();
  f.solution = std::move(joint.solution);
  finish(f, found);
}

void Fitter::train_kernel(const Vec& theta, double C, Fitted& f) const {
  ScaledMachine machine =
      scaled_machine(spec_.form, matrix(*x_), theta, plain_, weights_, C, spec_.engine, spec_.stop.limits);
  f.scales = theta;
  f.solution = std::move(machine.solution);
}

}  // namespace zeronorm

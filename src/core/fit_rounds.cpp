// Methods that are a sequence of surrogates.
#include <algorithm>
#include <limits>

#include "certificate.h"
#include "fitter.h"
#include "rules/fs_svmcp.h"
#include "rules/graft.h"
#include "rules/project.h"
#include "rules/relevance.h"

namespace zeronorm {
namespace {

constexpr double kCoarse = 100;  // times the tolerance, for rounds that the next one moves far from

}  // namespace

// From every start; the lowest objective is kept, the first of equals.
void Fitter::reweight(std::vector<Fitted>& found) {
  Trace best;
  Selection selection;
  for (const Vec& start : spec_.starts) {
    Reweight rule(reweighting(start), Selection(spec_.sizes, forced()));
    Trace trace = run(rule);
    const bool interrupted = trace.stop == StopReason::interrupted;
    if (!interrupted && !best.rounds.empty() && !lower(trace, best)) continue;
    best = std::move(trace);
    selection = rule.selection();
    if (interrupted) break;
  }
  return spec_.sizes.empty() ? last_solution(best, found) : refits(best, selection, found);
}

bool Fitter::lower(const Trace& one, const Trace& other) {
  if (one.stop == StopReason::failed) return false;
  return other.stop == StopReason::failed || one.rounds.back().objective < other.rounds.back().objective;
}

Reweighting Fitter::reweighting(const Vec& start) const {
  Reweighting r;
  r.schedule = spec_.schedule;
  r.start = start;
  r.tol = spec_.settled;
  r.cost = first_surrogate(spec_, step(), d_).l1;
  return r;
}

Rescaling Fitter::rescaling() const {
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

void Fitter::rescale(std::vector<Fitted>& found) {
  Rescale rule(rescaling(), Selection(spec_.sizes, forced()));
  // Who asks for no proof asks for speed; a solution that is an answer itself is solved as asked.
  const double tol = spec_.stop.limits.tol;
  const bool coarse =
      tol > kProof && !spec_.l1_step && spec_.held_out.size() == 0 && (spec_.sizes.empty() || spec_.refit);
  Trace trace = run(rule, 1, coarse ? kCoarse : 1);
  if (!spec_.sizes.empty()) return refits(trace, rule.selection(), found);
  if (coarse && trace.solution.status == Status::optimal && !trace.solution.certificate.holds(tol)) {
    trace.solution = solve_certified(*engine_, problem_, trace.surrogate, spec_.stop.limits);
    trace.rounds.back().gap = trace.solution.certificate.gap;
    if (trace.solution.status != Status::optimal) trace.stop = StopReason::failed;
  }
  last_solution(trace, found);
}

void Fitter::project(std::vector<Fitted>& found) {
  Project rule(spec_.rescaled_kernel);
  last_solution(run(rule), found);
  found.back().expansion = rule.expansion();
  engine_->setup(problem_);  // the rule's own problems end with it
}

void Fitter::fs_svmcp(std::vector<Fitted>& found) {
  FsSvmcp rule({spec_.schedule.at(0), spec_.C_grid, spec_.folds, spec_.weights, spec_.unpenalized, spec_.keep,
                spec_.stop.limits, spec_.engine});
  const Trace trace = run(rule);
  last_solution(trace, found);
  found.back().C = rule.C();
  return multiply(found.back().solution.certificate, rule.C() / step().loss);
}

void Fitter::norm(std::vector<Fitted>& found) {
  const NormPenalty& norm = spec_.norms[step_];
  ArbitraryNorm rule(norm, spec_.left_out);
  // From p = 1 on coefficients go to zero slowly, and rounds are cheap.
  const Trace trace = run(rule, norm.p >= 1 && norm.p < 2 ? 10 : 1);
  last_solution(trace, found);
  Fitted& f = found.back();
  f.stationary = !rule.convex();
  f.support_vectors = f.nonzero;
  if (rule.period() > 0)
    f.solution.note = "The rounds repeat with period " + std::to_string(rule.period()) + ".";
}

// Its rounds are cheap.
void Fitter::relevance(std::vector<Fitted>& found) {
  Relevance rule(spec_.left_out, spec_.unpenalized, spec_.keep);
  last_solution(run(rule, 10), found);
  Fitted& f = found.back();
  f.stationary = true;
  f.solution.certificate.kkt = std::max(f.solution.certificate.kkt, rule.residual());
}

// One search after the other, each from what the last have learned.
void Fitter::constrained(std::vector<Fitted>& found) {
  if (!constrain_)
    constrain_ =
        std::make_unique<Constrain>(spec_.fisher ? Constrain::Measure::distance : Constrain::Measure::norm);
  constrain_->aim(spec_.targets.at(step_));
  Trace trace = run(*constrain_);
  if (trace.stop == StopReason::failed) constrain_->fall_back(problem_, trace);
  trace.solution = constrain_->constrained(problem_, std::move(trace.solution));
  last_solution(trace, found);
  found.back().C = constrain_->multiplier();
}

// Without a price of features the machine is graded on all of them, not on the working set alone, and the
// next one along the path may start from its features.
void Fitter::graft(std::vector<Fitted>& found) {
  const double loss = step().loss;
  const bool local = spec_.l0 > 0 || spec_.norm > 0;
  IndexList first = forced();
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

}  // namespace zeronorm

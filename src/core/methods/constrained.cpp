// Convex problems with a constraint that a multiplier of the l1 norm enforces: the lasso and the sparse Fisher
// discriminant.
#include "rules/constrain.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class Constrained : public Method {
 public:
  Constrained(Constrain::Measure measure, Vec targets) : rule_(measure), targets_(std::move(targets)) {}

  // Runs one search per step; each starts from what the earlier ones found.
  void fit_step(Fitting& fitting) override {
    rule_.aim(targets_[static_cast<Index>(fitting.step_number())]);
    Trace trace = fitting.run(rule_);
    if (trace.stop == StopReason::failed) rule_.fall_back(fitting.problem(), trace);
    trace.solution = rule_.constrained(fitting.problem(), std::move(trace.solution));
    fitting.last_solution(trace).C = rule_.multiplier();
  }

 private:
  Constrain rule_;
  // One target for each step.
  Vec targets_;
};

const RegisteredMethod by_norm("norm_constrained", [](const Options& options, const CommonOptions&) {
  return std::make_unique<Constrained>(Constrain::Measure::norm, options.numbers("bounds"));
});
const RegisteredMethod by_distance("fisher", [](const Options& options, const CommonOptions&) {
  return std::make_unique<Constrained>(Constrain::Measure::distance, options.numbers("norm_costs"));
});

}  // namespace

}  // namespace zeronorm

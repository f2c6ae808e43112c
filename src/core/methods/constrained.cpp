// Convex problems with a constraint that a multiplier of the l1 norm leads to: lasso, sparse Fisher discriminant.
#include "rules/constrain.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class Constrained : public Method {
 public:
  Constrained(Constrain::Measure measure, Vec targets) : rule_(measure), targets_(std::move(targets)) {}

  // One search after the other, each from what the last have learned.
  void fit_step(Fitting& fitting) override {
    rule_.aim(targets_[static_cast<Index>(fitting.step_number())]);
    Trace trace = fitting.run(rule_);
    if (trace.stop == StopReason::failed) rule_.fall_back(fitting.problem(), trace);
    trace.solution = rule_.constrained(fitting.problem(), std::move(trace.solution));
    fitting.last_solution(trace).C = rule_.multiplier();
  }

 private:
  Constrain rule_;
  Vec targets_;  // one for each step
};

const RegisteredMethod by_norm("norm_constrained", [](const Options& options, const CommonOptions&) {
  return std::make_unique<Constrained>(Constrain::Measure::norm, options.numbers("bounds"));
});
const RegisteredMethod by_distance("fisher", [](const Options& options, const CommonOptions&) {
  return std::make_unique<Constrained>(Constrain::Measure::distance, options.numbers("norm_costs"));
});

}  // namespace

}  // namespace zeronorm

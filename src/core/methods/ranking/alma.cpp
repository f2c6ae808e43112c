// Feature elimination with ALMA p-norm perceptrons; the algorithm chooses the number of features.
#include "methods/ranking/perceptron.h"

#include "methods/ranking/ranking.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class AlmaElimination : public RankingMethod {
 public:
  explicit AlmaElimination(const Options& options) : accuracies_(options.numbers("a")) {}

  bool sees_span_only() const override { return false; }

 protected:
  // Eliminates features if all of them together separate the classes without error.
  Ranking find(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Problem problem = counting_rows(fitting);
    problem.cost.setConstant(kInf);
    Ranking r;
    const auto engine = make_engine(common.engine);
    engine->setup(problem);
    r.trace.solution = solve_certified(*engine, problem, fitting.start(), common.stop.limits);
    if (r.trace.solution.status == Status::optimal) {
      AlmaSearch found = search_alma(problem, accuracies_[static_cast<Index>(fitting.step_number())],
                                     fitting.forced(), common.constant, common.stop.limits);
      r.trace = std::move(found.trace);
      r.order = std::move(found.order);
      r.chosen.push_back(std::move(found.chosen));
    } else {
      r.trace.stop = StopReason::failed;
      r.chosen.emplace_back();
    }
    r.classifiers.push_back(r.trace.solution);
    return r;
  }
  std::string without_engine() const override { return "Its features are chosen without an engine."; }

 private:
  // One accuracy for each step.
  Vec accuracies_;
};

const RegisteredMethod registered("alma", make_from_options<AlmaElimination>);

}  // namespace

}  // namespace zeronorm

// Maximum entropy discrimination with features that are present or absent.
#include "methods/discrimination.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class MedSvm : public Method {
 public:
  explicit MedSvm(const Options& options) : priors_(options.numbers("p0")), C_(options.numbers("C")) {}

  // Adds the classifier on all features, or classifiers on those of largest posterior probability.
  void fit_step(Fitting& fitting) override {
    if (fitting.refuses_engine("", "Discrimination has a Newton method of its own.")) return;
    const CommonOptions& common = fitting.common();
    const Index step = static_cast<Index>(fitting.step_number());
    Vec prior = Vec::Constant(fitting.columns(), priors_[step]);
    for (Index j : common.keep) prior[j] = 1;
    for (Index j : common.constant) prior[j] = 0;
    Discrimination all = discriminate(fitting.plain(), prior, common.unpenalized, C_[step], common.stop);
    Trace trace;
    trace.rounds = all.rounds;
    trace.stop = all.stop;
    trace.solution = all.solution;
    const IndexList order = largest(all.force, Vec(), fitting.forced(), fitting.columns());
    if (common.sizes.empty()) {
      Fitted& f = fitting.last_solution(trace);
      f.importance = all.solution.importance;
      f.ranking = order;
      return;
    }
    Selection selection(common.sizes, fitting.forced());
    selection.observe(trace.solution.w, Vec(), fitting.columns(), all.force);
    fitting.refits(trace, selection);
    fitting.first_of_step().ranking = order;
  }

 private:
  // One entry for each step.
  Vec priors_, C_;
};

const RegisteredMethod registered("med_svm", make_from_options<MedSvm>);

}  // namespace

}  // namespace zeronorm

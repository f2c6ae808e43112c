// Convex problems that are solved once: the l1, l2 and maximum norm SVM, robust linear programmes, both norms.
#include "loop/refit.h"
#include "methods/fitting.h"

namespace zeronorm {
namespace {

class Convex : public Method {
 public:
  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    if (common.hard && common.limit) return fit_limit(fitting);
    Once rule;
    fitting.last_solution(fitting.run(rule));
  }

 private:
  // The limit of large C is what a refit on all columns gives.
  static void fit_limit(Fitting& fitting) {
    const CommonOptions& common = fitting.common();
    std::vector<char> constant(fitting.columns(), 0);
    for (Index j : common.constant) constant[j] = 1;
    IndexList columns;
    for (Index j = 0; j < fitting.columns(); ++j)
      if (!constant[j]) columns.push_back(j);
    Fitted f;
    f.relative = common.machine.joint;
    f.solution = refit(fitting.plain(), fitting.row_weights(), columns, common.unpenalized, common.machine,
                       common.stop.limits, common.engine);
    Fitting::one_round(f);
    fitting.finish(std::move(f));
  }
};

const RegisteredMethod registered("convex", make_from_options<Convex>);

}  // namespace

}  // namespace zeronorm

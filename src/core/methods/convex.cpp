// Convex problems that are solved once: SVMs with the l1, l2 or maximum norm or with two norms, and robust linear
// programmes.
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
  // Computes the limit of large C, which is a refit on all columns.
  static void fit_limit(Fitting& fitting) {
    const CommonOptions& common = fitting.common();
    std::vector<char> constant(fitting.columns(), 0);
    for (Index j : common.constant) constant[j] = 1;
    IndexList columns;
    for (Index j = 0; j < fitting.columns(); ++j)
      if (!constant[j]) columns.push_back(j);
    Fitted f;
    f.relative = common.refit_model.joint;
    f.solution = refit(fitting.plain(), fitting.row_weights(), columns, common.unpenalized,
                       common.refit_model, common.stop.limits, common.engine);
    Fitting::one_round(f);
    fitting.finish(std::move(f));
  }
};

const RegisteredMethod registered("convex", make_from_options<Convex>);

}  // namespace

}  // namespace zeronorm

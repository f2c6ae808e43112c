// Automatic relevance determination: a precision for each feature or, with a kernel, each observation.
#include <algorithm>

#include "methods/fitting.h"
#include "rules/relevance.h"

namespace zeronorm {
namespace {

class Ard : public Method {
 public:
  void fit_step(Fitting& fitting) override {
    // Iterations are cheap, so ten times as many as usual are allowed.
    constexpr int patience = 10;
    const CommonOptions& common = fitting.common();
    Relevance rule(common.left_out, common.unpenalized, common.keep);
    Fitted& f = fitting.last_solution(fitting.run(rule, patience), true);
    f.solution.certificate.kkt = std::max(f.solution.certificate.kkt, rule.residual());
  }
};

const RegisteredMethod registered("ard", make_from_options<Ard>);

}  // namespace

}  // namespace zeronorm

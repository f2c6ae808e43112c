// Grafting: features join one after another by the gradient of the loss.
#include <algorithm>
#include <limits>

#include "grade/certificate.h"
#include "methods/fitting.h"
#include "rules/graft.h"

namespace zeronorm {
namespace {

class GraftingMethod : public Method {
 public:
  explicit GraftingMethod(const Options& options)
      : l0_(options.number("l0")), norm_(options.number("norm")) {}

  // Without a cost per feature the solution is certified on all features, not only on the working set, and the next
  // step of the path may start from its features.
  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    const double loss = fitting.step().loss;
    const bool local = l0_ > 0 || norm_ > 0;
    IndexList first = fitting.forced();
    if (!local) first.insert(first.end(), grafted_.begin(), grafted_.end());
    Graft rule({l0_ / loss, norm_ / loss, first, common.unpenalized});
    Stop stop = common.stop;
    stop.rounds = std::numeric_limits<int>::max();
    Trace trace = minimise(fitting.problem(), fitting.engine(), rule, fitting.start(), stop);
    if (rule.took_back()) {
      trace.solution = rule.kept();
      trace.rounds.resize(rule.kept_rounds());
    } else if (!local && trace.stop == StopReason::converged) {
      Solution& s = trace.solution;
      s.certificate = certify(fitting.problem(), rule.whole(), s);
      if (!s.certificate.holds(std::max(kProof, stop.limits.tol))) s.status = Status::numerical;
      if (s.status == Status::optimal) grafted_ = nonzeros(magnitudes(s.w));
    }
    fitting.last_solution(trace, local);
  }

 private:
  // The costs of a feature and of |w|.
  double l0_, norm_;
  // The features of the last step.
  IndexList grafted_;
};

const RegisteredMethod registered("grafting", make_from_options<GraftingMethod>);

}  // namespace

}  // namespace zeronorm

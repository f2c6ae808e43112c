// The arbitrary-norm SVM, which minimises the number of support vectors.
#include "engines/working_rows.h"
#include "methods/fitting.h"
#include "rules/arbitrary_norm.h"

namespace zeronorm {
namespace {

class NormSvm : public Method {
 public:
  explicit NormSvm(const Options& options) {
    const Vec p = options.numbers("p"), cost = options.numbers("C_alpha");
    const bool unit = options.flag("unit"), printed = options.flag("printed");
    for (Index k = 0; k < p.size(); ++k) penalties_.push_back({p[k], cost[k], unit, printed});
  }

  void fit_step(Fitting& fitting) override {
    const NormPenalty& penalty = penalties_[fitting.step_number()];
    ArbitraryNorm rule(penalty, fitting.common().left_out);
    // For 1 <= p < 2 coefficients converge to zero slowly and iterations are cheap, so ten times as many are allowed.
    const int patience = penalty.p >= 1 && penalty.p < 2 ? 10 : 1;
    Fitted& f = fitting.last_solution(fitting.run(rule, patience));
    f.stationary = !rule.convex();
    f.support_vectors = f.nonzero;
    if (rule.period() > 0)
      f.solution.note = "The iterations repeat with period " + std::to_string(rule.period()) + ".";
  }

  // This method solves hundreds of similar problems, so rows far beyond their margin are left out.
  std::unique_ptr<Engine> engine(const EngineChoice& choice) const override {
    return make_working_rows([choice]() { return make_engine(choice); });
  }
  bool costs_in_rows() const override { return true; }

 private:
  // One penalty for each step.
  std::vector<NormPenalty> penalties_;
};

const RegisteredMethod registered("norm_svm", make_from_options<NormSvm>);

}  // namespace

}  // namespace zeronorm

// The potential support vector machine, which is the SVM of the transposed data.
#include "methods/potential.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class PSvm : public Method {
 public:
  explicit PSvm(const Options& options) : boxes_(options.numbers("box")) {}

  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Fitted f;
    f.solution = solve_potential_svm(fitting.plain(), fitting.start(),
                                     boxes_[static_cast<Index>(fitting.step_number())], common.unpenalized,
                                     common.engine, common.stop.limits);
    Fitting::one_round(f);
    fitting.finish(std::move(f));
  }

 private:
  // The bound of each coefficient, one for each step.
  Vec boxes_;
};

const RegisteredMethod registered("p_svm", make_from_options<PSvm>);

}  // namespace

}  // namespace zeronorm

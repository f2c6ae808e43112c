// The potential support vector machine, which is the SVM of the transposed data.
#include "methods/potential.h"

#include "methods/fitting.h"
#include "methods/makers.h"

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

}  // namespace

std::unique_ptr<Method> make_p_svm(const Options& options, const CommonOptions&) {
  return std::make_unique<PSvm>(options);
}

}  // namespace zeronorm

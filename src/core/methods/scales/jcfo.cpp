// Joint classifier and feature optimisation: scales in the kernel and the expansion are optimised together.
#include "data/design.h"
#include "methods/fitting.h"
#include "methods/scales/joint_features.h"

namespace zeronorm {
namespace {

class Jcfo : public Method {
 public:
  explicit Jcfo(const Options& options)
      : gamma1_(options.numbers("gamma1")), gamma2_(options.numbers("gamma2")) {}

  void fit_step(Fitting& fitting) override {
    if (fitting.refuses_engine("smooth", "The classifier for given scales is found with the smooth engine."))
      return;
    const CommonOptions& common = fitting.common();
    const Index step = static_cast<Index>(fitting.step_number());
    JointFeatures joint =
        find_joint_features(common.form, matrix(fitting.x()), fitting.plain(), fitting.row_weights(),
                            gamma1_[step], gamma2_[step], common.stop);
    Fitted f;
    f.rounds = std::move(joint.rounds);
    f.stop = joint.stop;
    f.stationary = true;
    f.scales = joint.sigma.cwiseAbs2();
    f.solution = std::move(joint.solution);
    fitting.finish(std::move(f));
  }

 private:
  // One entry for each step.
  Vec gamma1_, gamma2_;
};

const RegisteredMethod registered("jcfo", make_from_options<Jcfo>);

}  // namespace

}  // namespace zeronorm

// Kernel-target alignment: scales of the features in the kernel, then the SVM of this kernel.
#include "methods/scales/alignment.h"

#include <algorithm>

#include "data/design.h"
#include "methods/fitting.h"

namespace zeronorm {
namespace {

class KernelAlignment : public Method {
 public:
  explicit KernelAlignment(const Options& options) : lambda_(options.numbers("lambda")) {
    what_.alpha = options.number("alpha");
    what_.tol = options.number("tol");
    what_.threshold = options.number("threshold");
  }

  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Alignment what = what_;
    what.lambda = lambda_[static_cast<Index>(fitting.step_number())];
    const Aligned a =
        align(common.form, matrix(fitting.x()), fitting.y().col(0), fitting.row_weights(), what, common.stop);
    Fitted f;
    f.rounds = a.rounds;
    f.stop = a.stop;
    f.stationary = true;
    f.solution.status = a.status;
    if (a.status == Status::optimal) {
      fitting.train_kernel((a.theta.array() > what.threshold).select(a.theta, 0.0), fitting.given_step().loss,
                           f);
      // The certificate is that of the scales, with the larger gap of the two problems.
      Certificate& c = f.solution.certificate;
      c = {a.certificate.primal, a.certificate.dual, std::max(a.certificate.gap, c.gap),
           std::max(a.certificate.kkt, c.kkt)};
    }
    fitting.finish(std::move(f));
  }

 private:
  // One lambda for each step.
  Vec lambda_;
  Alignment what_;
};

const RegisteredMethod registered("kernel_alignment", make_from_options<KernelAlignment>);

}  // namespace

}  // namespace zeronorm

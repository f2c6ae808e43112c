// FS-SVMCP: alternates an SVM with a linear programme for a concave penalty.
#include "rules/fs_svmcp.h"

#include "methods/fitting.h"
#include "methods/penalties.h"

namespace zeronorm {
namespace {

class FsSvmcpMethod : public Method {
 public:
  explicit FsSvmcpMethod(const Options& options)
      : penalty_(read_penalties(options.group("penalty")).at(0)), folds_(options.integers("folds")) {
    const Vec grid = options.numbers("C_grid");
    C_grid_.assign(grid.data(), grid.data() + grid.size());
  }

  void fit_step(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    FsSvmcp rule({penalty_, C_grid_, folds_, common.weights, common.unpenalized, common.keep,
                  common.stop.limits, common.engine});
    Fitted& f = fitting.last_solution(fitting.run(rule));
    f.C = rule.C();
    Fitting::multiply(f.solution.certificate, rule.C() / fitting.step().loss);
  }

 private:
  Penalty penalty_;
  std::vector<double> C_grid_;
  std::vector<int> folds_;
};

const RegisteredMethod registered("fs_svmcp", make_from_options<FsSvmcpMethod>);

}  // namespace

}  // namespace zeronorm

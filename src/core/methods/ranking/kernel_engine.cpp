#include "methods/ranking/kernel_engine.h"

#include "data/design.h"
#include "methods/ranking/retrain.h"
#include "methods/scales/scaled_svm.h"

namespace zeronorm {
namespace {

Vec indicator(const Surrogate& s) { return (s.scale.array() > 0).cast<double>(); }

}  // namespace

void KernelEngine::setup(const Problem& problem) {
  problem_ = problem;
  points_ = matrix(*problem.x);
}

Solution KernelEngine::solve(const Surrogate& surrogate, const Limits& limits) {
  auto train = [&](const Surrogate& s) {
    return train_scaled_svm(form_, points_, indicator(s), problem_, weights_, C_, engine_, limits);
  };
  auto strength = [&](const ScaledSvm& svm) {
    SvmNorm found;
    found.status = svm.solution.status;
    if (found.status != Status::optimal) return found;
    const Vec f = svm.decision, y = problem_.y.col(0);
    const double b = problem_.intercept ? svm.solution.b[0] : 0.0;
    found.norm2 = Vec::Constant(1, svm.solution.w.col(0).dot((f.array() - b).matrix()));
    found.slack = weights_.dot((1 - y.array() * f.array()).max(0.0).matrix());
    return found;
  };
  ScaledSvm whole = train(surrogate);
  Solution& s = whole.solution;
  if (s.status != Status::optimal) return s;
  if (units_.empty()) {
    const Vec theta = indicator(surrogate);
    ScaledKernel kernel(form_, points_, points_);
    kernel.at(theta, limits);
    s.importance =
        judge_ == FeatureScore::weight
            ? Vec(kernel.losses(s.w.col(0), theta, limits).cwiseAbs().cwiseSqrt())
            : kernel.sensitivity(s.w.col(0), theta, weights_, judge_ == FeatureScore::sensitivity_l2, limits);
    if (limits.stop_now()) s.status = Status::interrupted;
    return s;
  }
  const UnitImportance worth =
      importance_without(units_, surrogate, strength(whole), C_ == kInf,
                         [&](const Surrogate& without) { return strength(train(without)); });
  s.status = worth.status;
  s.importance = worth.importance;
  return s;
}

}  // namespace zeronorm

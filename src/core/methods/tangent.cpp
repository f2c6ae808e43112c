#include "methods/tangent.h"

namespace zeronorm {
namespace {

// Relative change of a magnitude at which the slopes on both sides of it are evaluated.
constexpr double kRelativeStep = 1e-6;

}  // namespace

Tangent tangent(const CommonOptions& common, const Method& method, const Vec& magnitude) {
  const PathStep& step = common.path.at(0);
  const Vec price = first_surrogate(common, {step.l1, step.ridge, 1}, magnitude.size()).l1;
  const Penalty penalty = method.last_penalty();
  Tangent t;
  t.low = t.high = t.mean = Vec::Zero(price.size());
  for (Index j = 0; j < price.size(); ++j) {
    if (price[j] == 0) continue;
    t.low[j] = price[j] * penalty.slope(magnitude[j] * (1 + kRelativeStep));
    t.high[j] = price[j] * penalty.slope(magnitude[j] * (1 - kRelativeStep));
    if (magnitude[j] == 0) continue;
    const double mean = price[j] * (penalty.value(magnitude[j]) - penalty.value(0)) / magnitude[j];
    t.mean[j] = mean < kInf ? mean : t.high[j];
  }
  if (method.keeps_first_cost())
    for (Index j : common.keep) t.low[j] = t.high[j] = t.mean[j] = step.l1;
  t.rows = common.hard ? Vec(Vec::Constant(common.weights.size(), kInf)) : Vec(step.loss * common.weights);
  return t;
}

}  // namespace zeronorm

#include "tangent.h"

namespace zeronorm {
namespace {

constexpr double kNear = 1e-6;  // relative

// That of the last round, beside which AROM's has no eps.
Penalty last_penalty(const FitSpec& spec) {
  if (spec.rule == RuleKind::rescale) return make_penalty("log", {{"eps", 0.0}});
  if (spec.rule == RuleKind::reweight) return spec.schedule.back();
  return make_penalty("l1", {});
}

}  // namespace

Tangent tangent(const FitSpec& spec, const Vec& magnitude) {
  const PathStep& step = spec.path.at(0);
  const Vec price = first_surrogate(spec, {step.l1, step.ridge, 1}, magnitude.size()).l1;
  const Penalty penalty = last_penalty(spec);
  Tangent t;
  t.low = t.high = t.mean = Vec::Zero(price.size());
  for (Index j = 0; j < price.size(); ++j) {
    if (price[j] == 0) continue;
    t.low[j] = price[j] * penalty.slope(magnitude[j] * (1 + kNear));
    t.high[j] = price[j] * penalty.slope(magnitude[j] * (1 - kNear));
    if (magnitude[j] == 0) continue;
    const double mean = price[j] * (penalty.value(magnitude[j]) - penalty.value(0)) / magnitude[j];
    t.mean[j] = mean < kInf ? mean : t.high[j];
  }
  // AROM keeps what is kept at its first price.
  if (spec.rule == RuleKind::rescale)
    for (Index j : spec.keep) t.low[j] = t.high[j] = t.mean[j] = step.l1;
  t.rows = spec.hard ? Vec(Vec::Constant(spec.weights.size(), kInf)) : Vec(step.loss * spec.weights);
  return t;
}

}  // namespace zeronorm

// The criteria by which an elimination scores features.
#pragma once

namespace zeronorm {

// weight: the decrease of |w|^2 without the feature for fixed multipliers. sensitivity: the derivatives of the
// decision function at the points, summed as absolute values or squares. Otherwise a bound on the leave-one-out
// error.
enum class FeatureScore { weight, sensitivity_l1, sensitivity_l2, radius_margin, span };

inline bool bounds(FeatureScore judge) {
  return judge == FeatureScore::radius_margin || judge == FeatureScore::span;
}

struct BoundOptions {
  // 0: the bound without the feature, with its multipliers kept or computed again (retrain); 1: the slope of the
  // bound in the scale of the feature.
  int order = 0;
  // The cost of squared violations, as a ridge 1/C on the kernel matrix; infinite means a hard margin.
  double C = 0;
};

}  // namespace zeronorm

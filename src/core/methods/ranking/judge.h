// By what features are judged in an elimination.
#pragma once

namespace zeronorm {

// weight: what |w|^2 loses without the feature, multipliers as they are; sensitivity: the slopes of the decision
// function at the points, summed or their squares; else a bound on the leave-one-out error.
enum class Judge { weight, sensitivity_l1, sensitivity_l2, radius_margin, span };

inline bool bounds(Judge judge) { return judge == Judge::radius_margin || judge == Judge::span; }

struct Bounding {
  // 0: the bound without the feature, its multipliers kept, or found anew (retrain); 1: its slope in the scale
  // of the feature.
  int order = 0;
  double C = 0;  // of squared slacks: a ridge 1/C on the kernel matrix; infinite: a hard margin
};

}  // namespace zeronorm

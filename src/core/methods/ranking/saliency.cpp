#include "methods/ranking/saliency.h"

#include "data/design.h"
#include "loop/minimise.h"
#include "problem/loss.h"
#include "problem/margins.h"

namespace zeronorm {

void Saliency::setup(const Problem& problem) {
  problem_ = &problem;
  engine_->setup(problem);
}

// One pass over x for each output in addition to training. O(nd).
Solution Saliency::solve(const Surrogate& surrogate, const Limits& limits) {
  Solution s = solve_certified(*engine_, *problem_, surrogate, limits);
  if (s.status != Status::optimal) return s;
  const Problem& p = *problem_;
  const Mat f = decision_values(*p.x, s.w, p.intercept ? s.b : Vec());
  const bool curved = is_smooth(p.loss);
  s.importance = Vec::Zero(s.w.rows());
  Vec curvature = Vec::Zero(f.rows());
  for (Index k = 0; k < f.cols(); ++k) {
    for (Index i = 0; curved && i < f.rows(); ++i)
      curvature[i] = p.cost[i] * loss_curvature(p.loss, p.y(i, k), f(i, k), p.margin_of(i));
    Vec h = curved ? p.x->weighted_squares(curvature) : Vec(Vec::Zero(s.w.rows()));
    for (Index j = 0; j < h.size(); ++j) {
      if (surrogate.scale[j] > 0 && surrogate.scale[j] < kInf)
        h[j] += 1 / (surrogate.scale[j] * surrogate.scale[j]);
      s.importance[j] += 0.5 * h[j] * s.w(j, k) * s.w(j, k);
    }
  }
  return s;
}

}  // namespace zeronorm

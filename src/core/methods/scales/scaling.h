// R2W2: scales of the features minimise the radius-margin criterion, the least important features are discarded, and
// the scales of the others are optimised again.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"
#include "methods/scales/radius_margin.h"

namespace zeronorm {

// The importance of a feature: its scale; the increase of the criterion without it, with the SVM trained again; or
// the estimate of this increase by OBD, sigma^2 times the second derivative in sigma.
enum class Discard { scale, retrain, second_order };

// The criterion for the scales: R^2 |w|^2 with the ball or the variance, or an estimate of the error.
enum class Criterion { ball, variance, span, validation };

struct Scaling {
  Criterion criterion = Criterion::ball;
  // The held-out rows, for validation.
  std::vector<char> held_out;
  Discard discard = Discard::scale;
  // The features discarded at a time: a share of the remaining ones (below 1) or a number. Infinite means that scales
  // are computed once, and every size is selected by them.
  double step = kInf;
  // The ridge on the kernel matrix is 1/C.
  double C = kInf;
  // Whether the criterion also chooses the ridge and the width of a kernel.
  bool tune = false;
  // The columns outside the regulariser, and the features that are never discarded.
  IndexList free, keep;
  // The empty columns.
  IndexList empty;
};

struct ScaleSearch {
  // One iteration for each minimum: the criterion, the number of remaining features, and the relative distance from a
  // lower bound or the largest slope.
  Trace trace;
  // The features for each requested size or, without sizes, those with a scale.
  Selection chosen;
  // All features, the best first; empty if the search failed.
  IndexList order;
  // The C of the last minimum.
  double C = kInf;
};

// equalities: the columns of the intercept and of the unpenalised features. No weight may be 0.
ScaleSearch search_scales(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
                          const Scaling& scaling, const IndexList& sizes, const Stop& stop);

}  // namespace zeronorm

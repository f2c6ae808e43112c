// R2W2: features are scaled so that the radius-margin criterion is least, those that matter least are
// discarded, and the scales of the rest are set anew.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"
#include "methods/scales/radius_margin.h"

namespace zeronorm {

// What a feature is worth: its scale; how much the criterion rises when it goes and the machine is trained
// again; or what OBD expects of that, sigma^2 times the second derivative in sigma.
enum class Discard { scale, retrain, second_order };

// What the scales minimise: R^2 |w|^2, with the ball or with the variance, or an estimate of the error.
enum class Criterion { ball, variance, span, validation };

struct Scaling {
  Criterion criterion = Criterion::ball;
  std::vector<char> held_out;  // validation: rows that judge
  Discard discard = Discard::scale;
  double step = kInf;    // discarded at a time: a share of those left (below 1), or their number; infinite:
                         // scales are set once and every size is read off them
  double C = kInf;       // ridge 1/C on the kernel matrix
  bool tune = false;     // the ridge and the width of a kernel are chosen by the criterion as well
  IndexList free, keep;  // columns outside the regulariser; features never discarded
  IndexList empty;       // columns that carry nothing
};

struct ScaleSearch {
  // A round for each minimum: the criterion, features left, relative distance from a lower bound or the largest
  // slope.
  Trace trace;
  Selection chosen;  // for each size asked for; without any, the features with a scale
  IndexList order;   // of all features, the best first; empty where the search failed
  double C = kInf;   // of the last
};

// equalities: the columns of the intercept and of the unpenalised features. No weight is 0.
ScaleSearch search_scales(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
                          const Scaling& scaling, const IndexList& sizes, const Stop& stop);

}  // namespace zeronorm

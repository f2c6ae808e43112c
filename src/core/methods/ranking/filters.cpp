// Filters: by correlation with the classes, by the weights of one SVM, and by as many weights as held-out rows
// support.
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "loop/selection.h"
#include "methods/ranking/ranking.h"
#include "rules/admit.h"

#include "methods/fitting.h"

namespace zeronorm {

Vec correlation_scores(const Design& x, const Vec& y, const Vec& weights) {
  const Vec above = (y.array() > 0).select(weights, 0.0), below = weights - above;
  if (above.sum() == 0 || below.sum() == 0) return Vec::Zero(x.cols());
  const std::vector<Moments> both = x.several_moments({above, below});
  const Moments &up = both[0], &down = both[1];
  // The rounding error of the difference of the means of a constant column.
  const double rounding = 1e-14 * std::sqrt(static_cast<double>(y.size()));
  Vec score = Vec::Zero(x.cols());
  for (Index j = 0; j < score.size(); ++j) {
    const double apart = std::abs(up.mean[j] - down.mean[j]);
    const double spread = std::hypot(up.sd[j], down.sd[j]);
    const bool same =
        spread == 0 && apart <= rounding * std::max(std::abs(up.mean[j]), std::abs(down.mean[j]));
    if (!same) score[j] = (apart / spread) * (apart / spread);
  }
  return score;
}

namespace {

class CorrelationFilter : public RankingMethod {
 protected:
  Ranking find(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Vec score = Vec::Zero(fitting.columns());
    for (Index k = 0; k < fitting.y().cols(); ++k)
      score += correlation_scores(*fitting.plain().x, fitting.y().col(k), common.case_weights);
    Ranking r;
    r.order = order_of(std::move(score), Vec(), fitting);
    Solution none;  // No classifier is trained that could fail.
    none.status = Status::optimal;
    for (Index size : common.sizes) choose(size, none, r);
    return r;
  }
  std::string without_engine() const override { return "Its features are chosen without an engine."; }
};

class TopWeights : public RankingMethod {
 protected:
  Ranking find(Fitting& fitting) override {
    const Problem problem = counting_rows(fitting);
    Ranking r = rank_by_weights(problem, fitting);
    const Solution& classifier = r.trace.solution;
    const bool failed = classifier.status != Status::optimal;
    for (Index size : fitting.common().sizes) {
      choose(size, classifier, r);
      if (!failed) r.classifiers.back() = cut(classifier.w, r.chosen.back(), problem);
    }
    return r;
  }
};

// The features of the largest weights, as long as adding features lowers the error on the first fold.
class RankingFilter : public RankingMethod {
 public:
  explicit RankingFilter(const Options& options)
      : folds_(options.integers("folds")), patience_(static_cast<int>(options.count("patience"))),
        tolerance_(options.number("tolerance")) {}

 protected:
  Ranking find(Fitting& fitting) override {
    const Problem train = counting_rows(fitting, [this](Index i) { return folds_[i] != 1; });
    Ranking r = rank_by_weights(train, fitting);
    if (r.order.empty()) {
      choose(0, r.trace.solution, r);
      return r;
    }
    Admission what;
    what.order = r.order;
    what.first = std::max<Index>(1, static_cast<Index>(fitting.forced().size()));
    what.patience = patience_;
    what.tolerance = tolerance_;
    what.held_out = counting_rows(fitting, [this](Index i) { return folds_[i] == 1; });
    Admit rule(std::move(what));
    r.trace = search(train, rule, *ranking_engine(train, fitting), fitting);
    choose(rule.best(), r.trace.stop == StopReason::reached ? rule.solution() : r.trace.solution, r);
    return r;
  }

  // The objectives of the iterations are errors.
  bool costs_in_rounds() const override { return false; }

 private:
  std::vector<int> folds_;
  int patience_;
  double tolerance_;
};

const RegisteredMethod correlation_filter("correlation", make_from_options<CorrelationFilter>);
const RegisteredMethod top_weights("top_weights", make_from_options<TopWeights>);
const RegisteredMethod ranking_filter("ranking_filter", make_from_options<RankingFilter>);

}  // namespace

}  // namespace zeronorm

// R2W2: scales of the features that minimise a bound on the error.
#include "methods/scales/scaling.h"

#include "methods/scales/scaled_features.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class R2w2 : public Method {
 public:
  explicit R2w2(const Options& options) {
    scaling_.criterion = options.word<Criterion>("criterion", {{"radius_margin", Criterion::ball},
                                                               {"variance", Criterion::variance},
                                                               {"span", Criterion::span},
                                                               {"validation", Criterion::validation}});
    if (scaling_.criterion == Criterion::validation)
      for (int fold : options.integers("folds")) scaling_.held_out.push_back(fold == 1);
    scaling_.discard = options.word<Discard>(
        "discard",
        {{"scale", Discard::scale}, {"retrain", Discard::retrain}, {"second_order", Discard::second_order}});
    scaling_.step = options.number("step");
    scaling_.C = options.number("C");
    scaling_.tune = options.flag("tune");
  }

  // Computes scales on the observations of positive weight, then classifiers on the remaining features.
  void fit_step(Fitting& fitting) override {
    if (refuses_scales(fitting)) return;
    const CommonOptions& common = fitting.common();
    const Vec& weights = fitting.row_weights();
    const Problem part = fitting.rows_that_count();
    Scaling scaling = scaling_;
    if (!scaling.held_out.empty()) {  // The flags are restricted to the rows of positive weight.
      scaling.held_out.clear();
      for (Index i = 0; i < weights.size(); ++i)
        if (weights[i] > 0) scaling.held_out.push_back(scaling_.held_out[i]);
    }
    scaling.free = common.unpenalized;
    scaling.keep = common.keep;
    scaling.empty = common.points ? fitting.void_columns(*part.x) : common.constant;
    const auto gram = fitting.gram_of(part);
    const Mat equalities = equality_columns(*part.x, common.intercept, scaling.free);
    const ScaleSearch search =
        search_scales(*gram, part.y.col(0), part.cost, equalities, scaling, common.sizes, common.stop);
    fitting.refits(search.trace, search.chosen);
    for (Fitted* f : fitting.of_step()) {
      f->C = search.C;
      if (f->solution.note.empty()) f->solution.note = search.trace.solution.note;
      f->stationary = common.sizes.empty();
      if (common.sizes.empty()) f->size = -1;
    }
    fitting.first_of_step().ranking = search.order;
  }

 private:
  Scaling scaling_;
};

const RegisteredMethod registered("r2w2", make_from_options<R2w2>);

}  // namespace

}  // namespace zeronorm

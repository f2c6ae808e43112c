// Forward selection: features join a least-squares fit one at a time.
#include "methods/ranking/forward_search.h"

#include "methods/ranking/ranking.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class ForwardSelection : public RankingMethod {
 public:
  explicit ForwardSelection(const Options& options) {
    what_.angle = options.flag("residualise") ? Angle::rest : Angle::column;
    what_.stop = test(options, "stop");
    what_.backward = test(options, "backward");
    what_.level = options.number("level");
    what_.most = options.count("most");
    if (options.has("probes")) what_.probes = options.matrix("probes");
  }

 protected:
  Ranking find(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Problem weighted = fitting.plain();
    weighted.cost = fitting.row_weights();
    ForwardSearch found =
        search_forward(weighted, what_, common.sizes, fitting.forced(), common.constant, common.stop.limits);
    Ranking r;
    r.order = std::move(found.order);
    r.trace = std::move(found.trace);
    r.chosen = std::move(found.chosen);
    Solution none;
    none.status = r.trace.stop == StopReason::interrupted ? Status::interrupted : Status::optimal;
    r.classifiers.assign(r.chosen.size(), none);
    return r;
  }
  std::string without_engine() const override { return "Its features are chosen without an engine."; }

 private:
  static Test test(const Options& options, const std::string& name) {
    return options.word<Test>(
        name, {{"none", Test::none}, {"probe", Test::probe}, {"fisher", Test::fisher}, {"loo", Test::loo}});
  }

  Forward what_;
};

const RegisteredMethod registered("forward", make_from_options<ForwardSelection>);

}  // namespace

}  // namespace zeronorm

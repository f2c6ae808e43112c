// Tests grafting: which feature joins, by gradients written out, and where it ends, by the model on all features.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "loop/minimise.h"
#include "recorder.h"
#include "rules/graft.h"

using namespace zeronorm;

TEST_CASE("graft: one feature at a time, the steepest, until none is worth its price") {
  for (double scale : {kInf, 0.5}) {
    Random random(61);
    const Mat x = shifted(40, 15, 0.6, random);
    const Problem p = svm_problem(x, alternating(40), 1);
    Surrogate s = surrogate(15, 3, scale);
    s.scale[1] = 0;  // This column is removed, however well it separates the classes.
    Recorder engine(make_engine("auto"));
    engine.setup(p);
    Graft rule({0, 0, {4}, {}});
    const Trace trace = minimise(p, engine, rule, s, Stop());
    REQUIRE(trace.stop == StopReason::converged);
    REQUIRE(engine.surrogates.size() > 2);

    std::vector<char> inside(15, 0);
    inside[4] = 1;
    for (std::size_t t = 0; t < engine.surrogates.size(); ++t) {
      INFO("scale " << scale << ", round " << t);
      if (t > 0) {
        const Vec push = engine.solutions[t - 1].dual.col(0).cwiseProduct(p.y.col(0));
        const Vec slope = (x.transpose() * push).cwiseAbs();
        Index steepest = -1;
        for (Index j = 0; j < 15; ++j)
          if (!inside[j] && j != 1 && (steepest < 0 || slope[j] > slope[steepest])) steepest = j;
        CHECK(slope[steepest] > 3);
        inside[steepest] = 1;
      }
      for (Index j = 0; j < 15; ++j) CHECK(engine.surrogates[t].scale[j] == (inside[j] ? scale : 0));
    }
    const Solution all = solve(scale == kInf ? make_highs() : make_osqp(), p, s);
    REQUIRE(all.status == Status::optimal);
    CHECK(objective(x, p, s, trace.solution) == Approx(objective(x, p, s, all)).epsilon(1e-7));
  }
}

// Tests the loop and its rules against the maps that they implement, written out: rescaled columns solved again,
// reweighted programmes by HiGHS, objectives by the definition; and engines that fail on purpose.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/fitting.h"
#include "methods/ranking/retrain.h"
#include "methods/ranking/saliency.h"
#include "recorder.h"
#include "rules/fs_svmcp.h"
#include "rules/rescale.h"
#include "rules/reweight.h"
#include "rules/validate.h"

using namespace zeronorm;

namespace {

// An engine that is sound for some iterations and then returns zeros with the given status.
class Failing : public Engine {
 public:
  Failing(std::unique_ptr<Engine> inner, int sound, Status status)
      : inner_(std::move(inner)), sound_(sound), status_(status) {}
  std::string name() const override { return "failing"; }
  std::string refuses(const Problem&, const Surrogate&) const override { return ""; }
  void setup(const Problem& p) override { inner_->setup(p); }
  Solution solve(const Surrogate& s, const Limits& limits) override {
    Solution out = inner_->solve(s, limits);
    if (sound_-- > 0) return out;
    out.w.setZero();
    out.b.setZero();
    out.status = status_;
    return out;
  }

 private:
  std::unique_ptr<Engine> inner_;
  int sound_;
  Status status_;
};

Trace run(const Problem& p, Engine& engine, Rule& rule, const Surrogate& start, int rounds = 100) {
  engine.setup(p);
  Stop stop;
  stop.rounds = rounds;
  return minimise(p, engine, rule, start, stop);
}

Rescale arom(bool l1, Index d) {
  Rescaling what;
  what.l1 = l1;
  what.features = d;
  return Rescale(what, Selection());
}

Reweight reweight(const Penalty& penalty, const Vec& cost, IndexList sizes = {}) {
  Reweighting what;
  what.schedule = {penalty};
  what.cost = cost;
  return Reweight(what, Selection(std::move(sizes), {}));
}

double sum_of_logs(const Vec& w) { return w.cwiseAbs().cwiseMax(1e-300).array().log().sum(); }
Index active(const Surrogate& s) { return (s.scale.array() > 0).count(); }

FsSvmcpSettings svmcp(Index n, std::vector<double> grid = {0.1, 1, 10}) {
  FsSvmcpSettings settings;
  settings.penalty = make_penalty("inverse", {{"p", 1}, {"eps", 1e-6}});
  settings.C_grid = std::move(grid);
  for (Index i = 0; i < n; ++i) settings.folds.push_back(int(i / 2 % 4));
  settings.weights = Vec::Ones(n);
  return settings;
}

}  // namespace

TEST_CASE("reweighting: the objective is the penalty's and never rises") {
  Random random(21);
  const std::map<std::string, double> q = {{"alpha", 5},   {"eps", 0.1},  {"p", 0.5},
                                           {"theta", 0.7}, {"lambda", 1}, {"a", 3.7}};
  for (const std::string& name : penalty_names()) {
    const Penalty penalty = make_penalty(name, q);
    for (double ridge : {kInf, 2.0}) {
      INFO(name << ", scale " << ridge);
      const Mat x = shifted(40, 60, 0.6, random);
      const Problem p = svm_problem(x, alternating(40), 1);
      const Vec cost = Vec::Constant(60, 0.8);
      Reweight rule = reweight(penalty, cost);
      Recorder engine(make_engine("auto"));
      const Trace trace = run(p, engine, rule, surrogate(60, 1, ridge));
      REQUIRE(trace.stop == StopReason::converged);
      for (std::size_t t = 0; t < trace.rounds.size(); ++t) {
        const Vec w = engine.w(t);
        double expected = objective(x, p, surrogate(60, 0, ridge), engine.solutions[t]);
        for (Index j = 0; j < 60; ++j) expected += cost[j] * penalty.value(std::abs(w[j]));
        CHECK(trace.rounds[t].objective == Approx(expected).epsilon(1e-10));
        if (t > 0)
          CHECK(trace.rounds[t].objective <=
                trace.rounds[t - 1].objective + 1e-8 * std::abs(trace.rounds[t - 1].objective));
      }
    }
  }
}

TEST_CASE("reweighting: the next costs are the slopes at the last solution") {
  Random random(22);
  const Mat x = shifted(30, 40, 0.6, random);
  const Problem p = svm_problem(x, alternating(30), 1);
  Vec cost = Vec::Constant(40, 0.5);
  cost[7] = 0;
  Reweight rule = reweight(make_penalty("exp", {{"alpha", 5}}), cost);
  Recorder engine(make_simplex());
  run(p, engine, rule, surrogate(40, 1, kInf));
  REQUIRE(engine.surrogates.size() > 1);
  for (std::size_t t = 0; t < engine.surrogates.size(); ++t)
    for (Index j = 0; j < 40; ++j) {
      const double at = t > 0 ? std::abs(engine.solutions[t - 1].w(j)) : 1.0;
      CHECK(engine.surrogates[t].l1[j] == Approx(cost[j] * 5 * std::exp(-5 * at)).epsilon(1e-12));
    }
}

TEST_CASE("l2-AROM: rescaled columns and rescaled ridges are the same map") {
  Random random(23);
  for (int trial = 0; trial < 5; ++trial) {
    const Mat x = shifted(20, 30, 1.2, random);
    const Problem p = svm_problem(x, alternating(20), kInf);
    Rescale rule = arom(false, 30);
    Recorder engine(make_dual_qp());
    run(p, engine, rule, surrogate(30, 0, 1));
    Vec z = Vec::Ones(30);
    for (std::size_t t = 0; t < std::min<std::size_t>(engine.solutions.size(), 12); ++t) {
      const Mat rescaled = x * z.asDiagonal();
      const Problem multiplied = svm_problem(rescaled, alternating(20), kInf);
      const Solution out = solve(make_dual_qp(), multiplied, surrogate(30, 0, 1));
      REQUIRE(out.status == Status::optimal);
      z = z.cwiseProduct(out.w.col(0).cwiseAbs());
      INFO("trial " << trial << ", round " << t);
      CHECK((z - engine.w(t).cwiseAbs()).cwiseAbs().maxCoeff() <= 1e-6 * z.maxCoeff());
    }
  }
}

TEST_CASE("AROM: a column that stands for several has as many logarithms") {
  Random random(31);
  const Mat x = shifted(20, 12, 1.5, random);
  const Problem p = svm_problem(x, alternating(20), kInf);
  Rescaling what;
  what.features = 12;
  what.multiplicity = Vec::LinSpaced(12, 1, 3);
  Rescale rule(what, Selection());
  Recorder engine(make_dual_qp());
  const Trace trace = run(p, engine, rule, surrogate(12, 0, 1));
  REQUIRE(engine.solutions.size() > 2);
  const auto logarithms = [&](const Vec& w) {
    return what.multiplicity.dot(w.cwiseAbs().cwiseMax(1e-300).array().log().matrix());
  };
  double last = kInf;
  for (std::size_t t = 0; t + 1 < engine.solutions.size(); ++t) {
    // The slope of the ridge at |w| is that of m log |w|: |w| / scale^2 = m / |w|.
    const Vec w = engine.w(t).cwiseAbs(), scale = engine.surrogates[t + 1].scale;
    for (Index j = 0; j < 12; ++j)
      if (scale[j] > 0)
        CHECK(w[j] / (scale[j] * scale[j]) == Approx(what.multiplicity[j] / w[j]).epsilon(1e-9));
    if (w.minCoeff() < 1e-9 * w.maxCoeff()) continue;  // The sum has converged.
    CHECK(logarithms(w) <= last + 1e-9);
    last = logarithms(w);
  }
}

TEST_CASE("l1-AROM: reweighted by 1/|w|") {
  Random random(24);
  for (int trial = 0; trial < 5; ++trial) {
    const Mat x = shifted(20, 30, 1, random);
    const Problem p = svm_problem(x, alternating(20), kInf);
    Rescale rule = arom(true, 30);
    Recorder engine(make_simplex());
    run(p, engine, rule, surrogate(30, 1, kInf));
    Surrogate s = surrogate(30, 1, kInf);
    for (std::size_t t = 0; t < engine.solutions.size(); ++t) {
      const Solution out = solve(make_highs({false}), p, s, 1e-10);
      REQUIRE(out.status == Status::optimal);
      INFO("trial " << trial << ", round " << t);
      const Vec w = engine.w(t);
      CHECK((out.w.col(0) - w).cwiseAbs().maxCoeff() <= 1e-6 * w.cwiseAbs().maxCoeff());
      for (Index j = 0; j < 30; ++j) {
        s.l1[j] = w[j] != 0 ? 1 / std::abs(w[j]) : 0;
        s.scale[j] = w[j] != 0 ? kInf : 0;
      }
    }
  }
}

TEST_CASE("AROM: logarithms fall, each optimum costs no more than the features before, ends at |w / z| = 1") {
  Random random(25);
  for (int trial = 0; trial < 10; ++trial) {
    const bool l1 = trial % 2;
    const Mat x = shifted(24, 40, 1.2, random);
    const Problem p = svm_problem(x, alternating(24), kInf);
    Rescale rule = arom(l1, 40);
    Recorder engine(l1 ? make_simplex() : make_dual_qp());
    const Trace trace = run(p, engine, rule, surrogate(40, l1 ? 1 : 0, l1 ? kInf : 1), 500);
    INFO("trial " << trial);
    REQUIRE(trace.stop == StopReason::converged);
    for (std::size_t t = 1; t < trace.rounds.size(); ++t) {
      INFO("round " << t);
      // The objective of the iteration in units of its scales, at the previous feasible point, which has a one for
      // each feature.
      const Solution& out = engine.solutions[t];
      const double value = objective(x, p, engine.surrogates[t], out) * (l1 ? 1 : 2);
      CHECK(value <= double(active(engine.surrogates[t])) * (1 + 1e-8));
      CHECK(active(engine.surrogates[t]) <= Index(nonzeros(engine.w(t - 1)).size()));
      CHECK(sum_of_logs(engine.w(t)) <= sum_of_logs(engine.w(t - 1)) + 1e-6);
      CHECK(trace.rounds[t].objective <= trace.rounds[t - 1].objective + 1e-6);
      CHECK(trace.rounds[t].nonzero <= trace.rounds[t - 1].nonzero);
    }
    const Vec w = trace.solution.w.col(0);
    for (Index j = 0; j < 40; ++j) {
      if (trace.surrogate.scale[j] == 0)
        CHECK(w[j] == 0);
      else
        CHECK(std::abs(w[j]) * (l1 ? trace.surrogate.l1[j] : 1 / trace.surrogate.scale[j]) ==
              Approx(1).epsilon(1e-5));
    }
  }
}

TEST_CASE("AROM on extended data: slack columns make overlap feasible, and the objective falls") {
  Random random(26);
  const Mat x = shifted(30, 10, 0.3, random);
  Problem p = svm_problem(x, alternating(30), kInf);
  p.x = extended_design(view(x), 1);
  Rescaling what;
  what.features = 10;
  what.rescale_slacks = true;
  Rescale rule(what, Selection());
  Recorder engine(make_dual_qp());
  const Trace trace = run(p, engine, rule, surrogate(40, 0, 1), 500);
  REQUIRE(trace.stop == StopReason::converged);
  for (std::size_t t = 1; t < trace.rounds.size(); ++t)
    CHECK(trace.rounds[t].objective <= trace.rounds[t - 1].objective + 1e-6);
  const Vec w = trace.solution.w.col(0);
  const Vec f = p.x->times(w).array() + trace.solution.b[0];
  CHECK(p.y.col(0).cwiseProduct(f).minCoeff() >= 1 - 1e-6);
}

TEST_CASE("rounds that still move far are solved coarsely, those that do not as asked") {
  Random random(29);
  const Mat x = shifted(200, 40, 0.4, random);
  Problem p = svm_problem(x, alternating(200), 1);
  p.loss = Loss::squared_hinge;
  Stop stop;
  stop.limits.tol = 1e-4;
  for (const double coarse : {1.0, 50.0, 1e9}) {
    Rescale rule = arom(false, 40);
    Recorder engine(make_newton());
    engine.setup(p);
    stop.coarse = coarse;
    const Trace trace = minimise(p, engine, rule, surrogate(40, 0, 1), stop);
    REQUIRE(trace.stop == StopReason::converged);
    std::vector<double> values;
    for (std::size_t t = 0; t < engine.solutions.size(); ++t) {
      const double change = t > 1 ? std::abs(1 - values[t - 2] / values[t - 1]) : 1;
      CHECK(engine.tolerances[t] ==
            Approx(std::max(1e-4, std::min({0.1, 0.1 * change, coarse * 1e-4}))).epsilon(1e-9));
      CHECK(trace.rounds[t].gap <= engine.tolerances[t]);
      values.push_back(certify(p, engine.surrogates[t], engine.solutions[t]).primal);
    }
    CHECK(engine.tolerances.back() == 1e-4);
  }
}

TEST_CASE("the limit of rounds holds") {
  Random random(27);
  const Mat x = shifted(24, 40, 1.2, random);
  const Problem p = svm_problem(x, alternating(24), kInf);
  for (int rounds : {1, 2}) {
    Rescale rule = arom(false, 40);
    Recorder engine(make_dual_qp());
    const Trace trace = run(p, engine, rule, surrogate(40, 0, 1), rounds);
    CHECK(trace.stop == StopReason::rounds);
    CHECK(int(trace.rounds.size()) == rounds);
    CHECK(int(engine.solutions.size()) == rounds);
    CHECK(trace.solution.status == Status::optimal);
  }
}

TEST_CASE("a failed engine is a failure, never a model of zeros") {
  Random random(28);
  const Mat x = shifted(24, 40, 1.2, random);
  // If zeros are returned as "optimal", the certificate detects it.
  for (Status status : {Status::numerical, Status::limit, Status::infeasible, Status::optimal})
    for (int sound : {0, 1, 2})
      for (double cost : {1.0, kInf}) {
        INFO("status " << message(status) << ", after " << sound << ", cost " << cost);
        const Problem p = svm_problem(x, alternating(24), cost);
        Failing quadratic(make_dual_qp(), sound, status), linear(make_simplex(), sound, status);
        Rescale rule = arom(false, 40);
        const Trace one = run(p, quadratic, rule, surrogate(40, 0, 1));
        CHECK(one.stop == StopReason::failed);
        CHECK(one.solution.status != Status::optimal);
        // Infeasibility has to be proven by the multipliers.
        CHECK(one.solution.status != Status::infeasible);
        CHECK(int(one.rounds.size()) == sound);
        Reweight lines = reweight(make_penalty("exp", {{"alpha", 5}}), Vec::Ones(40));
        const Trace other = run(p, linear, lines, surrogate(40, 1, kInf));
        if (int(other.rounds.size()) < sound) continue;  // This was tested before.
        CHECK(other.stop == StopReason::failed);
        CHECK(other.solution.status != Status::optimal);
      }
}

TEST_CASE("a refused surrogate is a failure that says why") {
  Random random(29);
  const Mat x = shifted(10, 4, 1, random);
  const Problem p = svm_problem(x, alternating(10), 1);
  const auto engine = make_simplex();
  Once rule;
  const Trace trace = run(p, *engine, rule, surrogate(4, 0, 1));
  CHECK(trace.stop == StopReason::failed);
  CHECK(trace.solution.status == Status::refused);
  CHECK_FALSE(trace.solution.note.empty());
}

TEST_CASE("exactly r features: the r largest of the last iterate with more") {
  Random random(30);
  const Mat x = shifted(30, 50, 1, random);
  const Problem p = svm_problem(x, alternating(30), kInf);
  Rescaling what;
  what.features = 50;
  Rescale rule(what, Selection({8, 3}, {}));
  Recorder engine(make_dual_qp());
  const Trace trace = run(p, engine, rule, surrogate(50, 0, 1), 500);
  CHECK((trace.stop == StopReason::reached || trace.stop == StopReason::converged));
  for (std::size_t k = 0; k < 2; ++k) {
    const Index r = rule.selection().sizes()[k];
    Vec last;
    for (std::size_t t = 0; t < trace.rounds.size(); ++t)
      if (Index(nonzeros(engine.w(t)).size()) > r) last = engine.w(t).cwiseAbs();
    REQUIRE(last.size() == 50);
    const IndexList chosen = rule.selection().chosen(k);
    REQUIRE(Index(chosen.size()) == r);
    double least = kInf;
    for (Index j : chosen) {
      least = std::min(least, last[j]);
      last[j] = 0;
    }
    CHECK(last.maxCoeff() <= least);
  }
}

TEST_CASE("FS-SVMCP: features fall in every round, well-classified points stay so") {
  Random random(31);
  for (int trial = 0; trial < 3; ++trial) {
    const Mat x = shifted(40, 60, 1, random);
    const Problem p = svm_problem(x, alternating(40), 1);
    FsSvmcp rule(svmcp(40));
    Recorder engine(make_engine("auto"));
    const Trace trace = run(p, engine, rule, surrogate(60, 0, 1));
    REQUIRE(trace.stop == StopReason::converged);
    REQUIRE(trace.rounds.size() > 1);
    for (std::size_t t = 1; t < engine.surrogates.size(); ++t)
      CHECK(active(engine.surrogates[t]) < active(engine.surrogates[t - 1]));
    // The returned solution is the SVM of the last subspace.
    const double scale = std::sqrt(rule.C());
    for (Index j = 0; j < 60; ++j) {
      const double at = trace.surrogate.scale[j];
      CHECK((at == 0 || at == Approx(scale)));
      if (at == 0) CHECK(trace.solution.w(j) == 0);
    }
    const Solution again = solve(make_osqp(), p, trace.surrogate);
    CHECK(again.certificate.primal == Approx(trace.solution.certificate.primal).epsilon(1e-6));
  }
}

TEST_CASE("FS-SVMCP: columns that stay, columns that are free, columns that are out") {
  Random random(32);
  const Mat x = shifted(40, 30, 1, random);
  const Problem p = svm_problem(x, alternating(40), 1);
  FsSvmcpSettings settings = svmcp(40, {1});
  settings.free = {11};
  settings.keep = {12};
  FsSvmcp rule(settings);
  Recorder engine(make_engine("auto"));
  Surrogate start = surrogate(30, 0, 1);
  start.scale[13] = 0;
  const Trace trace = run(p, engine, rule, start);
  REQUIRE(trace.stop == StopReason::converged);
  for (const Surrogate& s : engine.surrogates) {
    CHECK(s.scale[11] == kInf);
    CHECK(s.scale[12] == 1);
    CHECK(s.scale[13] == 0);
  }
}

TEST_CASE("FS-SVMCP: an interrupt anywhere inside is an interrupt outside") {
  Random random(33);
  const Mat x = shifted(30, 30, 0.8, random);
  const Problem p = svm_problem(x, alternating(30), 1);
  const auto count_of = [&](int after, StopReason& reason) {
    int calls = 0;
    FsSvmcpSettings settings = svmcp(30);
    settings.limits.interrupted = [&] { return calls++ >= after; };
    FsSvmcp rule(settings);
    const auto engine = make_engine("auto");
    engine->setup(p);
    Stop stop;
    stop.limits = settings.limits;
    reason = minimise(p, *engine, rule, surrogate(30, 0, 1), stop).stop;
    return calls;
  };
  StopReason reason;
  const int all = count_of(1 << 30, reason);
  REQUIRE(reason == StopReason::converged);
  for (int after = 0; after < all; after += 1 + all / 40) {
    count_of(after, reason);
    INFO("after " << after << " of " << all);
    CHECK(reason == StopReason::interrupted);
  }
}

TEST_CASE("reweighting: a round without a minimum leaves the round before, where there is one") {
  Random random(41);
  const Index n = 20;
  const Mat x = shifted(n, 4, 4, random);  // Any feature separates.
  Problem p = svm_problem(x, alternating(n), 1);
  p.loss = Loss::logistic;
  const Vec cost = Vec::Constant(4, 0.1);
  for (double start : {0.0, 5.0}) {
    Reweighting what;
    what.schedule = {make_penalty("capped", {{"theta", 0.1}})};
    what.start = Vec::Constant(1, start);
    what.cost = cost;
    Reweight rule(what, Selection());
    Recorder engine(make_smooth());
    const Trace trace = run(p, engine, rule, surrogate(4, 1, kInf));
    CHECK(engine.solutions.back().status == Status::unbounded);
    CHECK(engine.surrogates.back().l1.minCoeff() == 0);
    if (start == 0) {
      CHECK(trace.stop == StopReason::unbounded);
      CHECK(trace.solution.status == Status::optimal);
      CHECK(trace.rounds.size() + 1 == engine.solutions.size());
      CHECK(trace.solution.w == engine.solutions[trace.rounds.size() - 1].w);
      CHECK(trace.solution.note.find("no minimum") != std::string::npos);
    } else {
      CHECK(trace.stop == StopReason::failed);
      CHECK(trace.solution.status == Status::unbounded);
    }
    // Held-out rows change nothing here: the iteration kept is the last with the lowest error, and all have the same.
    Reweight judged(what, Selection());
    Validate validated(judged, p, Predicts::classes);
    const auto same_engine = make_smooth();
    const Trace same = run(p, *same_engine, validated, surrogate(4, 1, kInf));
    CHECK(same.stop == trace.stop);
    CHECK(same.rounds.size() == trace.rounds.size());
    CHECK(same.solution.w == trace.solution.w);
  }
}

TEST_CASE("AROM: a round of zeros leaves the round before, judged or not") {
  Random random(42);
  const Mat x = shifted(24, 6, 1, random);
  // With one feature, z <- z^2 c sum y_i x_i while no margin is met, so that a small c ends at 0.
  const double c = 0.5 / (x.transpose() * alternating(24)).cwiseAbs().maxCoeff();
  const Problem p = svm_problem(x, alternating(24), c, false);
  Rescale rule = arom(false, 6), judged = arom(false, 6);
  Recorder engine(make_dual_qp());
  const Trace trace = run(p, engine, rule, surrogate(6, 0, 1));
  REQUIRE(trace.stop == StopReason::collapsed);
  CHECK(nonzeros(engine.solutions.back().w.col(0)).empty());
  CHECK(trace.rounds.size() + 1 == engine.solutions.size());
  CHECK(trace.rounds.back().nonzero > 0);
  CHECK(trace.solution.w == engine.solutions[trace.rounds.size() - 1].w);
  Validate validated(judged, p, Predicts::classes);
  const auto same_engine = make_dual_qp();
  CHECK(run(p, *same_engine, validated, surrogate(6, 0, 1)).stop == StopReason::collapsed);
}

TEST_CASE("a refusal names the engine that refuses, whatever is around it") {
  Random random(43);
  const Mat x = shifted(10, 4, 1, random);
  const Problem p = svm_problem(x, alternating(10), 1);
  Retrain retrain(make_simplex(), {{0}, {1}, {2}, {3}}, Vec::Ones(10), false);
  Saliency saliency(make_simplex());
  for (Engine* engine : {static_cast<Engine*>(&retrain), static_cast<Engine*>(&saliency)}) {
    engine->setup(p);
    const Solution out = solve_certified(*engine, p, surrogate(4, 0, 1), Limits());
    CHECK(out.status == Status::refused);
    CHECK(out.engine == "simplex");
    CHECK(out.note == make_simplex()->refuses(p, surrogate(4, 0, 1)));
  }
}

#include "engines/engine.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "base/indices.h"
#include "data/design.h"
#include "engines/sizes.h"
#include "engines/solve_certified.h"
#include "problem/loss.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Rows without cost are left out where one of them is this many times as long as the longest row with a cost, because
// rounding in its products would be as large as the others.
constexpr double kSwampingLength = 100;
// Columns whose scale is below this share of the largest do not count in the choice of an engine.
constexpr double kCountedScale = 1e-3;

// All engines that can be named. A new engine has its line here.
constexpr std::array<const EngineKind*, 10> kEngines = {
    &kSimplexEngine,       &kDualEngine,        &kActiveSetEngine, &kNewtonEngine, &kSmoothEngine,
    &kWestonWatkinsEngine, &kClassNewtonEngine, &kInteriorEngine,  &kHighsEngine,  &kOsqpEngine};

using Candidates = std::vector<const EngineKind*>;

// Our own engine for the problem at hand; HiGHS or OSQP where that refuses or fails.
class Auto : public Engine {
 public:
  explicit Auto(EngineChoice choice) : choice_(std::move(choice)) {}

  std::string name() const override { return last_; }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    std::string why;
    for (const EngineKind* candidate : order(problem, surrogate)) {
      why = candidate->refusal(problem, surrogate);
      if (why.empty()) break;
    }
    return why;
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    ready_.clear();
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    Solution best;
    bool tried = false;
    for (const EngineKind* candidate : order(*problem_, surrogate)) {
      if (tried && !choice_.osqp_stands_in && candidate == &kOsqpEngine) continue;
      if (!candidate->refusal(*problem_, surrogate).empty()) continue;
      Solution solution = solve_certified(use(*candidate), *problem_, surrogate, limits);
      solution.fallback = tried;
      last_ = candidate->name;
      const bool settled = solution.status == Status::optimal || solution.status == Status::infeasible ||
                           solution.status == Status::unbounded || solution.status == Status::interrupted;
      if (settled) return solution;
      best = std::move(solution);
      tried = true;
    }
    return best;
  }

 private:
  static Candidates order(const Problem& p, const Surrogate& s) {
    if (!p.x->in_memory()) return {s.has_ridge() ? &kDualEngine : &kSimplexEngine};
    if (!has_slacks(p.loss)) return {&kSmoothEngine};
    if (p.loss == Loss::weston_watkins) {
      if (!s.has_ridge()) return {&kHighsEngine};
      if (!s.has_l1() && !p.hard() && p.y.rows() > kMostRowsOfWestonWatkinsDual)
        return {&kClassNewtonEngine, &kWestonWatkinsEngine, &kOsqpEngine};
      if (!s.has_l1()) return {&kWestonWatkinsEngine, &kClassNewtonEngine, &kOsqpEngine};
      return {&kOsqpEngine};
    }
    if (!s.groups.empty() && (s.has_ridge() || p.quadratic == Quadratic::kernel)) return {&kInteriorEngine};
    if (!s.has_ridge()) return {&kSimplexEngine, &kHighsEngine, &kDualEngine, &kSmoothEngine, &kOsqpEngine};
    if (!s.has_l1() && many_rows(p, s))
      return {&kNewtonEngine, &kDualEngine, &kActiveSetEngine, &kSmoothEngine};
    if (!s.has_l1()) return {&kDualEngine, &kActiveSetEngine, &kSmoothEngine, &kOsqpEngine};
    return {&kActiveSetEngine, &kSmoothEngine, &kOsqpEngine};
  }

  // Whether products with x are faster than an n x n matrix. O(d).
  static bool many_rows(const Problem& p, const Surrogate& s) {
    if (p.quadratic != Quadratic::none) return false;
    double largest = 0;
    for (Index j = 0; j < s.scale.size(); ++j)
      if (s.scale[j] < kInf) largest = std::max(largest, s.scale[j]);
    const bool squared = p.loss == Loss::squared_hinge && !p.hard();
    return newton_is_faster(p.y.rows(), (s.scale.array() > kCountedScale * largest).count(), squared);
  }

  Engine& use(const EngineKind& candidate) {
    auto& engine = ready_[&candidate];
    if (!engine) {
      engine = candidate.make(choice_.highs);
      engine->setup(*problem_);
    }
    return *engine;
  }

  EngineChoice choice_;
  const Problem* problem_ = nullptr;
  std::map<const EngineKind*, std::unique_ptr<Engine>> ready_;
  std::string last_ = "auto";
};

// Rows without cost whose size would swamp that of all others, as outliers that were given no weight: the others.
// Empty where all may stay. O(nd) where some rows have no cost.
IndexList rows_left(const Problem& p) {
  if (p.quadratic != Quadratic::none || !p.x->in_memory()) return IndexList();
  const IndexList left = nonzero_entries(p.cost);
  if (left.empty() || Index(left.size()) == p.cost.size()) return IndexList();
  Vec squares = Vec::Zero(p.cost.size()), column(p.cost.size());
  for (Index j = 0; j < p.x->cols(); ++j) {
    p.x->column(j, column.data());
    squares += column.cwiseAbs2();
  }
  double largest = 0;
  for (Index i : left) largest = std::max(largest, squares[i]);
  return squares.maxCoeff() > kSwampingLength * kSwampingLength * largest ? left : IndexList();
}

// Any engine on any margins and rows; those that read x again and again only where it is in memory.
class InUnits : public Engine {
 public:
  InUnits(std::unique_ptr<Engine> engine, bool reads_blocks)
      : engine_(std::move(engine)), reads_blocks_(reads_blocks) {}

  std::string name() const override { return engine_->name(); }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    const std::string why = engine_->refuses(problem, surrogate);
    if (!why.empty() || reads_blocks_ || problem.x->in_memory()) return why;
    return "The " + engine_->name() + " engine needs the data in memory.";
  }

  void setup(const Problem& problem) override {
    units_ = Units(problem);
    rows_ = rows_left(problem);
    count_ = problem.y.rows();
    if (units_.plain() && rows_.empty()) return engine_->setup(problem);
    inside_ = units_.plain() ? problem : units_.enter(problem);
    if (!rows_.empty()) inside_ = restrict_to(inside_, rows_, first(problem.x->cols()));
    engine_->setup(inside_);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    if (units_.plain()) return all_rows(engine_->solve(surrogate, limits));
    return all_rows(units_.leave(engine_->solve(units_.enter(surrogate), limits)));
  }

 private:
  Solution all_rows(Solution s) const {
    if (rows_.empty() || s.dual.rows() != Index(rows_.size())) return s;
    Mat dual = Mat::Zero(count_, s.dual.cols());
    for (std::size_t i = 0; i < rows_.size(); ++i) dual.row(rows_[i]) = s.dual.row(Index(i));
    s.dual = std::move(dual);
    return s;
  }

  std::unique_ptr<Engine> engine_;
  bool reads_blocks_;
  Units units_;
  IndexList rows_;
  Index count_ = 0;
  Problem inside_;
};

std::unique_ptr<Engine> make_any(const EngineChoice& choice) {
  if (!choice.named()) return std::make_unique<InUnits>(std::make_unique<Auto>(choice), true);
  std::string names = "auto";
  for (const EngineKind* kind : kEngines) {
    if (choice.name == kind->name)
      return std::make_unique<InUnits>(kind->make(choice.highs), kind->reads_blocks);
    names += std::string(", ") + kind->name;
  }
  throw std::invalid_argument("engine: there is none named '" + choice.name + "'; take one of " + names);
}

}  // namespace

std::unique_ptr<Engine> make_engine(const EngineChoice& choice) {
  return make_each_output([=]() { return make_any(choice); });
}

}  // namespace zeronorm

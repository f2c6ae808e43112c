#include "engine.h"

#include <map>
#include <stdexcept>

#include "../design.h"
#include "../loss.h"
#include "../minimise.h"
#include "../problem.h"

namespace zeronorm {
namespace {

// Rows from which an n x n matrix is slower than products with x, where columns are few, and where they are many.
constexpr Index kSomeRows = 500, kManyRows = 1000, kTooManyRows = 10000;
constexpr double kOfLargest = 1e-3;  // scales below make no difference to the way

std::unique_ptr<Engine> make_bare(const std::string& name, const HighsSettings& highs = {});

// Our own engine for the problem at hand; HiGHS or OSQP where that refuses or, with any, where it fails.
class Auto : public Engine {
 public:
  explicit Auto(bool any) : any_(any) {}

  std::string name() const override { return last_; }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    std::string why;
    for (const std::string& candidate : order(problem, surrogate)) {
      why = make_bare(candidate)->refuses(problem, surrogate);
      if (why.empty()) return why;
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
    for (const std::string& candidate : order(*problem_, surrogate)) {
      if (tried && !any_ && (candidate == "highs" || candidate == "osqp")) continue;
      Engine& engine = use(candidate);
      if (!engine.refuses(*problem_, surrogate).empty()) continue;
      Solution solution = solve_certified(engine, *problem_, surrogate, limits);
      solution.fallback = tried;
      last_ = candidate;
      const bool settled = solution.status == Status::optimal || solution.status == Status::infeasible ||
                           solution.status == Status::unbounded || solution.status == Status::interrupted;
      if (settled) return solution;
      best = std::move(solution);
      tried = true;
    }
    return best;
  }

 private:
  static std::vector<std::string> order(const Problem& p, const Surrogate& s) {
    if (!p.x->in_memory()) return {s.has_ridge() ? "dual" : "simplex"};
    if (!has_slacks(p.loss)) return {"smooth"};
    if (p.loss == Loss::weston_watkins) {
      if (!s.has_ridge()) return {"highs"};
      if (!s.has_l1()) return {"weston_watkins", "osqp"};
      return {"osqp"};
    }
    if (!s.groups.empty() && (s.has_ridge() || p.quadratic == Quadratic::kernel)) return {"interior"};
    if (!s.has_ridge()) return {"simplex", "highs", "dual", "smooth", "osqp"};
    if (!s.has_l1() && many_rows(p, s)) return {"newton", "dual", "active_set", "smooth"};
    if (!s.has_l1()) return {"dual", "active_set", "smooth", "osqp"};
    return {"active_set", "smooth", "osqp"};
  }

  // Whether an n x n matrix is the slower way; a hinge on more columns than rows is nearly a hard margin, for
  // which newton takes many steps. O(d).
  static bool many_rows(const Problem& p, const Surrogate& s) {
    const Index n = p.y.rows();
    if (n < kSomeRows || p.quadratic != Quadratic::none) return false;
    const bool squared = p.loss == Loss::squared_hinge && !p.hard();
    if (n > (squared ? kManyRows : kTooManyRows)) return true;
    double largest = 0;
    for (Index j = 0; j < s.scale.size(); ++j)
      if (s.scale[j] < kInf) largest = std::max(largest, s.scale[j]);
    const Index most = squared ? n / 2 : n > 3 * kManyRows ? n : n / 4;
    return (s.scale.array() > kOfLargest * largest).count() <= most;
  }

  Engine& use(const std::string& candidate) {
    auto& engine = ready_[candidate];
    if (!engine) {
      engine = make_bare(candidate);
      engine->setup(*problem_);
    }
    return *engine;
  }

  bool any_;
  const Problem* problem_ = nullptr;
  std::map<std::string, std::unique_ptr<Engine>> ready_;
  std::string last_ = "auto";
};

// Any engine on any margins; those that read x again and again only where it is in memory.
class InUnits : public Engine {
 public:
  explicit InUnits(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  std::string name() const override { return engine_->name(); }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    const std::string why = engine_->refuses(problem, surrogate), name = engine_->name();
    const bool reads_blocks = name == "simplex" || name == "dual" || name == "auto" || name == "own";
    if (!why.empty() || reads_blocks || problem.x->in_memory()) return why;
    return "The " + name + " engine needs the data in memory.";
  }

  void setup(const Problem& problem) override {
    units_ = Units(problem);
    if (units_.plain()) return engine_->setup(problem);
    inside_ = units_.enter(problem);
    engine_->setup(inside_);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    if (units_.plain()) return engine_->solve(surrogate, limits);
    return units_.leave(engine_->solve(units_.enter(surrogate), limits));
  }

 private:
  std::unique_ptr<Engine> engine_;
  Units units_;
  Problem inside_;
};

std::unique_ptr<Engine> make_bare(const std::string& name, const HighsSettings& highs) {
  if (name == "auto") return std::make_unique<Auto>(true);
  if (name == "own") return std::make_unique<Auto>(false);
  if (name == "simplex") return make_simplex();
  if (name == "dual") return make_dual_qp();
  if (name == "active_set") return make_active_set();
  if (name == "highs") return make_highs(highs);
  if (name == "osqp") return make_osqp();
  if (name == "smooth") return make_smooth();
  if (name == "weston_watkins") return make_weston_watkins();
  if (name == "interior") return make_interior();
  if (name == "newton") return make_newton();
  throw std::invalid_argument(
      "engine: there is none named '" + name +
      "'; take auto, simplex, dual, active_set, newton, smooth, weston_watkins, interior, highs or osqp");
}

}  // namespace

std::unique_ptr<Engine> make_engine(const std::string& name, const HighsSettings& highs) {
  return make_each_output([=]() { return std::make_unique<InUnits>(make_bare(name, highs)); });
}

}  // namespace zeronorm

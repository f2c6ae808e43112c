#include "engines/engine.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/indices.h"
#include "data/design.h"
#include "engines/solve_certified.h"
#include "problem/loss.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Rows from which an n x n matrix is slower than products with x: with few columns; a squared hinge with any; a hinge
// with no more columns than rows; and with any.
constexpr Index kSomeRows = 500, kManyRows = 1000, kMoreRows = 1500, kTooManyRows = 4000;
constexpr double kSwamps = 100;      // times the length of the longest row that counts
constexpr double kOfLargest = 1e-3;  // scales below make no difference to the way

std::unique_ptr<Engine> make_bare(const EngineChoice& choice);

// Our own engine for the problem at hand; HiGHS or OSQP where that refuses or fails, the latter if patient.
class Auto : public Engine {
 public:
  Auto(bool patient, HighsSettings highs) : patient_(patient), highs_(std::move(highs)) {}

  std::string name() const override { return last_; }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    std::string why;
    for (const std::string& candidate : order(problem, surrogate)) {
      why = make_bare({candidate, highs_})->refuses(problem, surrogate);
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
      if (tried && !patient_ && candidate == "osqp") continue;
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
    const Index most = squared ? n / 2 : n > kMoreRows ? n : n / 4;
    return (s.scale.array() > kOfLargest * largest).count() <= most;
  }

  Engine& use(const std::string& candidate) {
    auto& engine = ready_[candidate];
    if (!engine) {
      engine = make_bare({candidate, highs_});
      engine->setup(*problem_);
    }
    return *engine;
  }

  bool patient_;
  HighsSettings highs_;
  const Problem* problem_ = nullptr;
  std::map<std::string, std::unique_ptr<Engine>> ready_;
  std::string last_ = "auto";
};

// Rows without cost whose size would swamp that of all others, as outliers that were given no weight: the others.
// Empty where all may stay. O(nd) where some rows have no cost.
IndexList rows_left(const Problem& p) {
  IndexList left;
  if (p.quadratic != Quadratic::none || !p.x->in_memory()) return left;
  for (Index i = 0; i < p.cost.size(); ++i)
    if (p.cost[i] > 0) left.push_back(i);
  if (left.empty() || Index(left.size()) == p.cost.size()) return IndexList();
  Vec squares = Vec::Zero(p.cost.size()), column(p.cost.size());
  for (Index j = 0; j < p.x->cols(); ++j) {
    p.x->column(j, column.data());
    squares += column.cwiseAbs2();
  }
  double largest = 0;
  for (Index i : left) largest = std::max(largest, squares[i]);
  return squares.maxCoeff() > kSwamps * kSwamps * largest ? left : IndexList();
}

// Any engine on any margins and rows; those that read x again and again only where it is in memory.
class InUnits : public Engine {
 public:
  explicit InUnits(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  std::string name() const override { return engine_->name(); }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    const std::string why = engine_->refuses(problem, surrogate), name = engine_->name();
    const bool reads_blocks = name == "simplex" || name == "dual" || name == "auto" || name == "exact";
    if (!why.empty() || reads_blocks || problem.x->in_memory()) return why;
    return "The " + name + " engine needs the data in memory.";
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
  Units units_;
  IndexList rows_;
  Index count_ = 0;
  Problem inside_;
};

std::unique_ptr<Engine> make_bare(const EngineChoice& choice) {
  const std::string& name = choice.name;
  if (name == "auto") return std::make_unique<Auto>(true, choice.highs);
  if (name == "exact") return std::make_unique<Auto>(false, choice.highs);
  if (name == "simplex") return make_simplex();
  if (name == "dual") return make_dual_qp();
  if (name == "active_set") return make_active_set();
  if (name == "highs") return make_highs(choice.highs);
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

std::unique_ptr<Engine> make_engine(const EngineChoice& choice) {
  return make_each_output([=]() { return std::make_unique<InUnits>(make_bare(choice)); });
}

}  // namespace zeronorm

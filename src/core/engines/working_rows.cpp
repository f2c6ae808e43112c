// An engine for a sequence of similar surrogates that uses only the rows near or within their margin, because the
// other rows have a zero multiplier. Every solution is checked on all rows, and rows that it violates join.
#include "engines/working_rows.h"

#include <algorithm>

#include "data/design.h"
#include "grade/certificate.h"
#include "problem/margins.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Up to this number of rows, leaving rows out saves nothing.
constexpr Index kFewRows = 400;
// A row is a working row if it exceeds its margin by less than this, in units of margins.
constexpr double kNearMargin = 0.1;
// The working rows are chosen again if fewer than this share of them would remain.
constexpr double kWorthRestarting = 0.7;
// No row is left out if more than this share of all rows would be working rows.
constexpr double kMaxShare = 0.9;
// Largest number of working sets that are tried before all rows are used.
constexpr int kMaxTries = 10;

class WorkingRows : public Engine {
 public:
  explicit WorkingRows(EngineMaker make) : make_(std::move(make)), whole_(make_()) {}

  std::string name() const override { return whole_->name(); }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    return whole_->refuses(problem, surrogate);
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    part_engine_.reset();
    whole_->setup(problem);
  }

  // Solves on the working rows. O(n m) plus the solves of the engine.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    const Problem& p = *problem_;
    const bool few = p.y.rows() <= kFewRows || p.y.cols() != 1 || p.loss != Loss::hinge || p.hard();
    if (few || !surrogate.groups.empty()) return whole_->solve(surrogate, limits);
    for (int k = 0; k < kMaxTries && part_engine_; ++k) {
      Solution part = part_engine_->solve(surrogate, limits);
      if (part.status == Status::interrupted) return part;
      if (part.status != Status::optimal) break;
      const Vec f = p.x->times(part.w.col(0));
      if (p.intercept) part.b[0] = best_intercept(f, p.y.col(0), p.cost, p.loss, p.margin);
      const Vec room = rooms(f, part.b);
      const bool agreed = nobody_objects(room);
      Solution out = spread(std::move(part));
      choose(out, room, !agreed);
      if (agreed) return out;
    }
    part_engine_.reset();
    const Solution out = whole_->solve(surrogate, limits);
    if (out.status == Status::optimal) choose(out, rooms(p.x->times(out.w.col(0)), out.b), false);
    return out;
  }

 private:
  EngineMaker make_;
  std::unique_ptr<Engine> whole_, part_engine_;
  const Problem* problem_ = nullptr;
  Problem part_;
  IndexList rows_;

  // Returns by how much each margin is exceeded, in units of margins.
  Vec rooms(const Vec& f, const Vec& b) const {
    const Problem& p = *problem_;
    const double intercept = p.intercept ? b[0] : 0.0;
    return (p.y.col(0).array() * (f.array() + intercept) - p.margins().array()) / Units(p).scale();
  }

  bool nobody_objects(const Vec& room) const {
    std::vector<char> works(std::size_t(room.size()), 0);
    for (Index i : rows_) works[std::size_t(i)] = 1;
    for (Index i = 0; i < room.size(); ++i)
      if (!works[std::size_t(i)] && problem_->cost[i] > 0 && room[i] < 0) return false;
    return true;
  }

  Solution spread(Solution part) const {
    Mat dual = Mat::Zero(problem_->y.rows(), 1);
    for (std::size_t k = 0; k < rows_.size(); ++k) dual.row(rows_[k]) = part.dual.row(Index(k));
    part.dual = std::move(dual);
    part.certificate = Certificate();
    return part;
  }

  // Chooses the working rows of the next call; they change only if they must or if there would be far fewer.
  void choose(const Solution& solution, const Vec& room, bool must) {
    IndexList near;
    for (Index i = 0; i < room.size(); ++i)
      if (problem_->cost[i] > 0 && (solution.dual(i, 0) > 0 || room[i] < kNearMargin)) near.push_back(i);
    const bool all = double(near.size()) > kMaxShare * double(room.size());
    const bool fewer = part_engine_ && double(near.size()) < kWorthRestarting * double(rows_.size());
    if (part_engine_ && !must && !fewer) return;
    if (must) {
      IndexList both;
      std::set_union(rows_.begin(), rows_.end(), near.begin(), near.end(), std::back_inserter(both));
      near = std::move(both);
    } else if (all) {
      return;
    }
    IndexList columns(std::size_t(problem_->x->cols()));
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = Index(j);
    rows_ = std::move(near);
    part_ = restrict_to(*problem_, rows_, columns);
    part_engine_ = make_();
    part_engine_->setup(part_);
  }
};

}  // namespace

std::unique_ptr<Engine> make_working_rows(EngineMaker make) {
  return std::make_unique<WorkingRows>(std::move(make));
}

}  // namespace zeronorm

// Ridge machines of many rows: hinge or squared hinge, scales per column, free columns, no l1 costs.
//
// In u = w / z and the coefficients theta of the free columns F the machine is
//   1/2 |u|^2 + sum_i env_i(r_i),   r = m - y (X z u + F theta),   a_i = clip(base_i + stiff_i r_i, 0, c_i),
// smooth, with multipliers a = env'(r): a proximal method of multipliers, in which base follows the
// multipliers that the last step hoped for and stiff grows until the gap closes.  A Newton step solves with
// I + Z X_R' D X_R Z  for the rows R between their ends (newton_system.h).  Where columns are many, sweeps over the
// rows come first (sweeps.h).  Nothing of size n x n or d x d is made.
#pragma once

#include "data/row_copy.h"
#include "engines/engine.h"
#include "engines/parts/newton_system.h"

namespace zeronorm {

class Newton final : public Engine {
 public:
  std::string name() const override { return "newton"; }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    return refusal(problem, surrogate);
  }
  static std::string refusal(const Problem& problem, const Surrogate& surrogate);
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  static constexpr double kReserve = 0.9;  // of what is asked for: the certificate's rounding is not ours

  enum class Outcome { optimal, limit, infeasible, interrupted };

  Index n() const { return y_.size(); }
  bool squared() const { return problem_->loss == Loss::squared_hinge && !problem_->hard(); }
  void take(const Surrogate& surrogate, double tol);
  bool foresee();
  Vec gains() const;
  void take_columns();
  std::shared_ptr<const Design> restrict_columns(const IndexList& columns) const;
  void start(const Limits& limits);
  bool sweeps_pay() const;
  bool relax(const Limits& limits);
  Vec push(const Vec& u) const;
  Vec pull(const Vec& ya) const;
  bool resume();
  double primal(const Vec& r) const;
  double dual(const Vec& a, const Vec& pulled) const;
  void centre();

  enum class Place : char { zero, between, cost };
  void find_places();
  void evaluate();
  void assume(const std::vector<Place>& places);
  Place place_at(Index i, double r) const;
  double multiplier(Index i, double r) const;
  void judge();
  bool proves(const Vec& multipliers, double aim);
  bool bridged(double aim);
  Outcome climb(double aim, const Limits& limits);
  bool step(double accuracy, const Limits& limits);
  bool advance(double accuracy, const Limits& limits);
  bool search(const Vec& du, const Vec& dtheta);
  Vec balanced(Vec a) const;
  Vec away() const;
  Outcome run(const Limits& limits);
  Solution solution(Outcome outcome);

  const Problem* problem_ = nullptr;
  const Surrogate* surrogate_ = nullptr;
  Vec y_, margin_, cost_, cap_, squares_;
  Vec scale_;                       // of all columns
  IndexList columns_, overlooked_;  // those that count, and that have a scale, but nothing to say
  Vec z_;                           // scales of columns_
  IndexList copied_, place_;
  std::shared_ptr<const Design> part_;  // these
  std::unique_ptr<RowCopy> rows_;       // of copied_; place_: where each of columns_ stands there
  IndexList free_;
  Mat f_;  // free columns, the intercept the last

  Vec u_, theta_, r_, a_, centre_, stiff_, base_, gradient_, imbalance_;
  double sigma_ = 1, curvature_ = 1;
  double value_ = 0, complement_ = 0, unsettled_ = 0, gap_ = 0;  // see judge()
  Vec w_, last_a_, pull_;                                        // of the last call: pull_ is X'(y a)
  double share_ = 1, foreseen_ = 0;                              // see foresee()
  double missed_ = 0;                                            // what overlooked columns would gain
  bool warm_ = false;
  double start_gap_ = 1;               // of the start,
  bool relaxed_ = false;               // which sweeps have found
  bool fine_ = true, precise_ = true;  // see kCoarse; precise_: and rows_ will not do

  // Of one Newton step.
  std::vector<Place> places_, guess_;  // of multipliers: now, and what the next step is to assume, if any
  IndexList between_;                  // rows
  Vec hoped_;                          // multipliers that its whole length leaves
  NewtonSystem system_;
  double accuracy_ = 1;  // of the next one
  long steps_ = 0;
};

}  // namespace zeronorm

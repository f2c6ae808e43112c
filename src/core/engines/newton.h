// SVMs with a ridge and many rows: hinge or squared hinge loss, one scale per column, unpenalised columns, no l1
// costs.
//   min over w, b:  sum_i c_i h(m_i - y_i f(x_i)) + 1/2 sum_j (w_j / z_j)^2
// In u = w / z and the coefficients theta of the unpenalised columns F, each outer iteration minimises
//   1/2 |u|^2 + sum_i env_i(r_i),   r = m - y (X z u + F theta),   a_i = clip(base_i + stiff_i r_i, 0, c_i).
// This function is smooth, with multipliers a = env'(r). It is the iteration of a proximal method of multipliers:
// base follows the multipliers that the last step predicted, and stiff grows until the gap closes. A Newton step
// solves with I + Z X_R' D X_R Z for the rows R whose multipliers lie between their bounds (newton_system.h). If
// columns are many, passes of coordinate ascent over the rows come first (sweeps.h). Nothing of size n x n or d x d
// is formed.
#pragma once

#include "data/row_copy.h"
#include "engines/engine.h"
#include "engines/parts/newton_system.h"

namespace zeronorm {

class Newton final : public BareEngine {
 public:
  Newton() : BareEngine(kNewtonEngine) {}

  static std::string refusal(const Problem& problem, const Surrogate& surrogate);
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  // Fraction of the tolerance that the engine aims at; the rest is left for the rounding of the certificate.
  static constexpr double kToleranceShare = 0.9;

  enum class Outcome { optimal, limit, infeasible, interrupted };

  Index n() const { return y_.size(); }
  bool squared() const { return problem_->loss == Loss::squared_hinge && !problem_->hard(); }
  void take(const Surrogate& surrogate, double tol);
  bool predict_value();
  Vec gains() const;
  void take_columns();
  std::shared_ptr<const Design> restrict_columns(const IndexList& columns) const;
  void start(const Limits& limits);
  bool sweeps_pay() const;
  bool sweep_rows(const Limits& limits);
  Vec product(const Vec& u) const;
  Vec transposed_product(const Vec& ya) const;
  bool resume();
  double primal(const Vec& r) const;
  double dual(const Vec& a, const Vec& products) const;
  void centre();

  enum class Place : char { zero, between, cost };
  void find_places();
  void evaluate();
  void assume(const std::vector<Place>& places);
  Place place_at(Index i, double r) const;
  double multiplier(Index i, double r) const;
  void measure_gap();
  bool proves(const Vec& multipliers, double aim);
  bool prediction_proves(double aim);
  Outcome take_steps(double aim, const Limits& limits);
  bool step(double accuracy, const Limits& limits);
  bool advance(double accuracy, const Limits& limits);
  bool search(const Vec& du, const Vec& dtheta);
  Vec balanced(Vec a) const;
  Vec divergent_multipliers() const;
  Outcome run(const Limits& limits);
  Solution solution(Outcome outcome);

  const Problem* problem_ = nullptr;
  const Surrogate* surrogate_ = nullptr;
  Vec y_, margin_, cost_, cap_, squares_;
  // The scales of all columns; zero for unpenalised columns.
  Vec scale_;
  // The columns in use, and those with a positive scale that are too small to change the optimum.
  IndexList columns_, overlooked_;
  // The scales of columns_.
  Vec z_;
  // The columns of rows_, and the place of each of columns_ among them.
  IndexList copied_, place_;
  // The columns of x in columns_.
  std::shared_ptr<const Design> part_;
  // The copied rows of x on the columns copied_.
  std::unique_ptr<RowCopy> rows_;
  IndexList free_;
  // The unpenalised columns; the intercept, if any, is the last.
  Mat f_;

  Vec u_, theta_, r_, a_, centre_, stiff_, base_, gradient_, imbalance_;
  double sigma_ = 1, curvature_ = 1;
  // What measure_gap() computes.
  double value_ = 0, complement_ = 0, unsettled_ = 0, gap_ = 0;
  // The weights and multipliers of the last call, and X'(y a).
  Vec w_, last_a_, last_products_;
  // The best scale of the last multipliers and the value that it proves; see predict_value().
  double last_scale_ = 1, predicted_value_ = 0;
  // A bound on how much the overlooked columns would lower the optimum.
  double overlooked_gain_ = 0;
  bool warm_ = false;
  // The relative gap of the start.
  double start_gap_ = 1;
  // Whether sweeps over the rows found the start.
  bool swept_ = false;
  // fine_: the tolerance is below kSinglePrecisionTol. precise_: it is, and rows_ holds single precision only.
  bool fine_ = true, precise_ = true;

  // The state of one Newton step follows.

  // The places of the multipliers now, and the places that the next step assumes (empty: none).
  std::vector<Place> places_, guess_;
  // The rows whose multipliers lie between their bounds.
  IndexList between_;
  // The multipliers that the whole step would give.
  Vec predicted_;
  NewtonSystem system_;
  // The relative accuracy of the next step.
  double accuracy_ = 1;
  long steps_ = 0;
};

}  // namespace zeronorm

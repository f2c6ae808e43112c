// The arbitrary-norm SVM, which penalises |a|^p of the coefficients of an expansion. Each iteration uses the parabola
//   (price/2) sum_j L_j a_j^2,  L_j = |a_j|^-(2-p) at the last coefficients,
// in the form of scales z_j = 1 / sqrt(price L_j), so that there is no division by a coefficient that vanishes.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct NormPenalty {
  // The exponent, 0 <= p <= 2 or infinite.
  double p = 0;
  // The penalty weight C_alpha.
  double price = 0;
  // Whether the objective includes 1/2 a'a.
  bool unit = false;
  // For infinite p: whether the parabola of the largest |a_j| alone, as printed in the paper, replaces the norm
  // itself.
  bool printed = false;
};

class ArbitraryNorm : public Rule {
 public:
  ArbitraryNorm(NormPenalty what, IndexList left_out) : what_(what), left_out_(std::move(left_out)) {}
  // Takes O(n^2) once, then O(n) per iteration.
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return reason_; }
  // Returns the period of the cycle in which the printed iteration ended; 0 if there is none.
  std::size_t period() const { return period_; }
  // Returns whether the problem is convex, so that one surrogate solves it.
  bool convex() const { return what_.price == 0 || what_.p == 2 || (what_.p == kInf && !what_.printed); }

 private:
  bool printed() const { return what_.p == kInf && what_.printed; }
  void measure(const Problem& problem);
  void write(Surrogate& surrogate) const;
  bool prune();
  double largest(const Vec& change) const { return change.cwiseAbs().cwiseProduct(size_).maxCoeff(); }
  double penalty(const Vec& a) const;

  NormPenalty what_;
  // The columns that are left out from the start.
  IndexList left_out_;
  // The coefficients at which the parabola touches.
  Vec a_;
  // The largest change of a decision value by a unit of each coefficient, relative to the margin.
  Vec size_;
  // The coefficients of the printed iteration.
  std::vector<Vec> seen_;
  std::size_t period_ = 0;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

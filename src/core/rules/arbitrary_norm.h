// The arbitrary norm SVM: |a|^p of the coefficients of an expansion, each round's parabola
//   (price/2) sum_j L_j a_j^2,  L_j = |a_j|^-(2-p) at the last coefficients,
// as scales z_j = 1 / sqrt(price L_j), so that nothing is divided by a coefficient that vanishes.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct NormPenalty {
  double p = 0;       // 0 <= p <= 2, or infinite
  double price = 0;   // C_alpha
  bool unit = false;  // 1/2 a'a stands beside it
  bool printed =
      false;  // for infinite p: the parabola of the largest |a_j| alone, instead of the norm itself
};

class ArbitraryNorm : public Rule {
 public:
  ArbitraryNorm(NormPenalty what, IndexList left_out) : what_(what), left_out_(std::move(left_out)) {}
  // O(n^2) once, then O(n) a round.
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return reason_; }
  // Of the cycle in which the printed iteration ended; 0: none.
  std::size_t period() const { return period_; }
  // One convex problem says it all.
  bool convex() const { return what_.price == 0 || what_.p == 2 || (what_.p == kInf && !what_.printed); }

 private:
  bool printed() const { return what_.p == kInf && what_.printed; }
  void measure(const Problem& problem);
  void write(Surrogate& surrogate) const;
  bool prune();
  double largest(const Vec& change) const { return change.cwiseAbs().cwiseProduct(size_).maxCoeff(); }
  double penalty(const Vec& a) const;

  NormPenalty what_;
  IndexList left_out_;     // columns that are out from the start
  Vec a_;                  // coefficients at which the parabola touches
  Vec size_;               // what one unit of each moves decision values by, at most, relative to the margin
  std::vector<Vec> seen_;  // by the printed iteration
  std::size_t period_ = 0;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

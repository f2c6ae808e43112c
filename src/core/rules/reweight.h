// Majorises a concave penalty by its tangent line: v_j = phi'(|w_j|).  Successive linearisation (FSV,
// FW1) without ridge, DCA with one.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"
#include "problem/penalty.h"

namespace zeronorm {

struct Reweighting {
  std::vector<Penalty> schedule;  // one after the other, each from the fixed point of the last
  Vec start = Vec::Ones(1);       // magnitudes at which the first slopes are taken: of each feature, or one
  Vec cost;                       // of each feature's phi; 0: not penalised
  double tol = 0;                 // magnitudes that move by no more, absolutely or relatively, have settled
};

class Reweight : public Rule {
 public:
  Reweight(Reweighting what, Selection selection)
      : what_(std::move(what)), selection_(std::move(selection)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  bool keeps_last_bounded() const override { return true; }
  StopReason reason() const override { return reason_; }
  Vec features(const Surrogate& surrogate, const Solution& solution) const override {
    return magnitudes(surrogate, solution.w);
  }
  const Selection& selection() const { return selection_; }

 private:
  const Penalty& penalty() const { return what_.schedule[stage_]; }
  void set_slopes(const Vec& magnitude, Surrogate& surrogate);
  static Vec reduced_costs(const Problem& problem, const Trace& trace);
  bool moves(const Vec& magnitude) const;

  Reweighting what_;
  Selection selection_;
  std::size_t stage_ = 0;
  Vec last_;                // magnitudes at which the slopes were taken
  double expected_ = kInf;  // the new surrogate's value at the old solution
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

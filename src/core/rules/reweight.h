// Majorises a concave penalty by its tangent line: v_j = phi'(|w_j|). This is successive linearisation (FSV, FW1)
// without a ridge, and DCA with one.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"
#include "problem/penalty.h"

namespace zeronorm {

struct Reweighting {
  // The penalties are used one after another, each from the fixed point of the previous one.
  std::vector<Penalty> schedule;
  // The magnitudes at which the first slopes are computed: one for each feature, or one for all.
  Vec start = Vec::Ones(1);
  // The factor of phi for each feature; 0 means not penalised.
  Vec cost;
  // Magnitudes that change by at most this, absolutely or relatively, count as converged.
  double tol = 0;
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
  // The magnitudes at which the slopes were computed.
  Vec last_;
  // The value of the new surrogate at the old solution.
  double expected_ = kInf;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

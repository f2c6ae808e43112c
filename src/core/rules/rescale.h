// AROM: every coefficient becomes the scale of its column, z <- z * |w|, which in the original
// coordinates is z = |w|: the tangent parabola (l2) or line (l1) of sum ln|w_j|.  Several outputs share the
// scales: |w_j| is the sum over outputs.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"

namespace zeronorm {

struct Rescaling {
  bool l1 = false;            // linear programmes; else quadratic
  Index switch_features = 0;  // l2 first, l1 once no more features than this are left (0: never), or
  int switch_round = 0;       // from this round on (0: never)
  Index features = 0;         // columns before any slack columns
  Vec multiplicity;           // coordinates that each of these stands for; empty: one
  bool rescale_features = true;
  bool rescale_slacks = false;
  double slack_weight = 1;  // lambda of sum ln|w_j| + lambda sum ln|xi_i|; 1: the literal form
  Vec slack_weights;        // of slacks that are not rescaled; empty: ones
  IndexList free;           // columns outside the regulariser
  IndexList keep;           // columns that keep scale 1
};

class Rescale : public Rule {
 public:
  Rescale(Rescaling what, Selection selection) : what_(std::move(what)), selection_(std::move(selection)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return reason_; }
  bool keeps_last_nonzero() const override { return true; }
  const Selection& selection() const { return selection_; }

 private:
  bool rescaled(Index j) const;
  double weight(Index j) const;
  Vec scales(const Solution& solution) const;
  void write(Surrogate& surrogate) const;

  Rescaling what_;
  Selection selection_;
  Vec z_, lengths_;  // lengths of the columns
  bool l1_now_ = false;
  std::vector<char> fixed_;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

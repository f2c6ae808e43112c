// AROM: every coefficient becomes the scale of its column, z <- z * |w|. In the original coordinates z = |w|, which
// is the tangent parabola (l2) or tangent line (l1) of sum ln|w_j|. Several outputs share the scales, and |w_j| is
// then the sum over the outputs.
#pragma once

#include "loop/minimise.h"
#include "loop/selection.h"

namespace zeronorm {

struct Rescaling {
  // Whether linear programmes are solved; otherwise quadratic ones.
  bool l1 = false;
  // The number of remaining features at which l2 changes to l1; 0 means never.
  Index switch_features = 0;
  // The iteration from which on l1 is used; 0 means never.
  int switch_round = 0;
  // The number of columns before those of margin violations.
  Index features = 0;
  // The number of coordinates for which each of these stands; empty means one.
  Vec multiplicity;
  bool rescale_features = true;
  bool rescale_slacks = false;
  // The lambda of sum ln|w_j| + lambda sum ln|xi_i|; 1 is the literal form.
  double slack_weight = 1;
  // The weights of violations that are not rescaled; empty means ones.
  Vec slack_weights;
  // The columns outside the regulariser.
  IndexList free;
  // The columns that keep scale 1.
  IndexList keep;
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
  // The scales and the norms of the columns.
  Vec z_, lengths_;
  bool l1_now_ = false;
  std::vector<char> fixed_;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm

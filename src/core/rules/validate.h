// Early stopping: any rule's rounds, of which the one that predicts held-out rows best is kept.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

enum class Predicts { classes, labels, numbers };

// The weighted share of the rows whose class, or any label, is predicted wrong; of numbers the mean squared
// error. Costs are the weights; rows of w beyond the columns of x are slacks.
double held_out_error(const Problem& rows, const Solution& solution, Predicts what = Predicts::classes);

class Validate : public Rule {
 public:
  Validate(Rule& rule, const Problem& held_out, Predicts what)
      : rule_(rule), held_out_(held_out), what_(what) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Of equals the last, which is the sparsest. The trace keeps all its rounds.
  void keep_best(Trace& trace) const;

  double objective(const Problem& problem, const Surrogate& s, const Solution& solution) const override {
    return rule_.objective(problem, s, solution);
  }
  StopReason reason() const override { return rule_.reason(); }
  bool keeps_last_nonzero() const override { return rule_.keeps_last_nonzero(); }
  bool keeps_last_bounded() const override { return rule_.keeps_last_bounded(); }
  Vec features(const Surrogate& s, const Solution& solution) const override {
    return rule_.features(s, solution);
  }
  const Problem& restated(const Problem& problem) const override { return rule_.restated(problem); }

 private:
  Rule& rule_;
  const Problem& held_out_;
  Predicts what_;
  std::size_t seen_ = 0;  // rounds
  double least_ = kInf;
  Surrogate surrogate_;
  Solution solution_;
};

}  // namespace zeronorm

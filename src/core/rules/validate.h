// Early stopping: runs the iterations of any rule and keeps the one that predicts held-out rows best.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

enum class Predicts { classes, labels, numbers };

// Returns the weighted share of rows whose class, or any label, is predicted wrongly, or the mean squared error of
// numbers. Costs are the weights; rows of w beyond the columns of x belong to margin violations.
double held_out_error(const Problem& rows, const Solution& solution, Predicts what = Predicts::classes);

class Validate : public Rule {
 public:
  Validate(Rule& rule, const Problem& held_out, Predicts what)
      : rule_(rule), held_out_(held_out), what_(what) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Keeps the last of the best iterations, which is the sparsest. The trace keeps all iterations.
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
  // The number of iterations seen.
  std::size_t seen_ = 0;
  double least_ = kInf;
  Surrogate surrogate_;
  Solution solution_;
};

}  // namespace zeronorm

// Adds the features of a ranking one by one, as long as SVMs on them predict held-out rows better and better.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Admission {
  // The features, the best first.
  IndexList order;
  // The number of features to begin with.
  Index first = 1;
  // The number of additions in all that may fail.
  int patience = 5;
  // The share of the smallest error so far by which the error has to decrease.
  double tolerance = 0;
  // The held-out rows, with their weights as costs.
  Problem held_out;
};

class Admit : public Rule {
 public:
  explicit Admit(Admission what) : what_(std::move(what)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Returns the weighted share of errors on the held-out rows.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return StopReason::reached; }
  // Return the number of features with the smallest error, and the SVM on them.
  Index best() const { return best_; }
  const Solution& solution() const { return solution_; }

 private:
  Admission what_;
  // The scale of a feature that was added.
  Vec scale_;
  Index admitted_ = 0, best_ = 0;
  int failures_ = 0;
  double least_ = kInf;
  Solution solution_;
};

}  // namespace zeronorm

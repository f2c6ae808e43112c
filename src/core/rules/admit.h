// A ranking's features one after the other, as long as machines on them predict held-out rows ever better.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

struct Admission {
  IndexList order;       // of the features, the best first
  Index first = 1;       // so many of them to begin with
  int patience = 5;      // so many additions in all may fail
  double tolerance = 0;  // to lower the error by this share of the least so far
  Problem held_out;      // rows that judge, their weights the costs
};

class Admit : public Rule {
 public:
  explicit Admit(Admission what) : what_(std::move(what)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // The weighted share of errors on the rows held out.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  StopReason reason() const override { return StopReason::reached; }
  // So many features had the least error, by this machine.
  Index best() const { return best_; }
  const Solution& machine() const { return machine_; }

 private:
  Admission what_;
  Vec scale_;  // of a feature admitted
  Index admitted_ = 0, best_ = 0;
  int failures_ = 0;
  double least_ = kInf;
  Solution machine_;
};

}  // namespace zeronorm

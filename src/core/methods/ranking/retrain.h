// The importance of features, from SVMs trained without them.
#pragma once

#include <functional>

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

// The part of a trained SVM from which the cost of losing a feature is computed.
struct SvmNorm {
  // The squared norm |w|^2 for each output.
  Vec norm2;
  // The weighted sum of violations.
  double slack = 0;
  Status status = Status::numerical;
};

// The importance sqrt | |w|^2 - |w without the unit|^2 | of each present unit of features, with the changes summed
// over outputs, divided equally among its features. It is the counterpart of |w_j| for an SVM with fixed multipliers.
// With a hard margin, violations that arise without a unit outweigh any norm. The status is that of the first SVM
// that fails.
struct UnitImportance {
  Vec importance;
  Status status = Status::optimal;
};
UnitImportance importance_without(const std::vector<IndexList>& units, const Surrogate& surrogate,
                                  const SvmNorm& whole, bool hard,
                                  const std::function<SvmNorm(const Surrogate&)>& train);

// An engine for linear SVMs whose solutions contain this importance.
class Retrain : public Engine {
 public:
  // weights: of the rows.
  Retrain(std::unique_ptr<Engine> engine, std::vector<IndexList> units, Vec weights, bool hard)
      : engine_(std::move(engine)), units_(std::move(units)), weights_(std::move(weights)), hard_(hard) {}
  std::string name() const override { return engine_->name(); }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    return engine_->refuses(problem, surrogate);
  }
  void setup(const Problem& problem) override;
  // Trains the SVM, and once more without each present unit.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  SvmNorm strength(const Surrogate& surrogate, const Solution& solution) const;

  std::unique_ptr<Engine> engine_;
  std::vector<IndexList> units_;
  Vec weights_;
  bool hard_;
  const Problem* problem_ = nullptr;
};

}  // namespace zeronorm

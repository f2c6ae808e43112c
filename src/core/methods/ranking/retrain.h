// What features are worth, by machines trained without them.
#pragma once

#include <functional>

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

// As much of a machine as says what it costs to lose a feature.
struct Strength {
  Vec norm2;         // |w|^2 of each output
  double slack = 0;  // weighted sum
  Status status = Status::numerical;
};

// sqrt | |w|^2 - |w without the unit|^2 |, the changes summed over outputs, of each unit of features that is
// present, shared alike by its features: what |w_j| is to a linear machine whose multipliers stay.  With a hard
// margin, slacks that come with the loss of a unit outweigh any norm.  The status is that of the first machine
// that fails.
struct Worth {
  Vec importance;
  Status status = Status::optimal;
};
Worth worth_without(const std::vector<IndexList>& units, const Surrogate& surrogate, const Strength& whole,
                    bool hard, const std::function<Strength(const Surrogate&)>& train);

// An engine for linear machines whose solutions carry that importance.
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
  // A machine for each unit that is present.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  Strength strength(const Surrogate& surrogate, const Solution& solution) const;

  std::unique_ptr<Engine> engine_;
  std::vector<IndexList> units_;
  Vec weights_;
  bool hard_;
  const Problem* problem_ = nullptr;
};

}  // namespace zeronorm

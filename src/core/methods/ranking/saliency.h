// Optimal brain damage: the increase of the objective without a weight, to second order.
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

// For linear models with a ridge: the importance of a feature is h_jj w_j^2 / 2, summed over the outputs, where h is
// the second derivative of the objective. If the loss has none (hinge), only the ridge contributes.
class Saliency : public Engine {
 public:
  explicit Saliency(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
  std::string name() const override { return engine_->name(); }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    return engine_->refuses(problem, surrogate);
  }
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  std::unique_ptr<Engine> engine_;
  const Problem* problem_ = nullptr;
};

}  // namespace zeronorm

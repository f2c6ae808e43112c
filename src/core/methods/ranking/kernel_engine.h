// An engine for eliminations: SVMs with a kernel on the features whose scale is not zero.
#pragma once

#include "engines/engine.h"
#include "methods/ranking/judge.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

// Solutions are expansions over the rows and contain the importance sqrt | |w|^2 - |w'|^2 | of each feature, where w'
// has the same multipliers without the feature, or is trained without its unit; or the sensitivity of the decision
// function.
class KernelEngine : public Engine {
 public:
  // weights: of the violations of the rows, all positive. units: the units to train without; may be empty.
  KernelEngine(KernelForm form, double C, Vec weights, EngineChoice engine, FeatureScore judge,
               std::vector<IndexList> units)
      : form_(form), C_(C), weights_(std::move(weights)), engine_(std::move(engine)), judge_(judge),
        units_(std::move(units)) {}
  std::string name() const override { return engine_.name; }
  std::string refuses(const Problem&, const Surrogate&) const override { return ""; }
  // The points are the rows of the design.
  void setup(const Problem& problem) override;
  // Takes O(n^2 d) and a quadratic programme, then O(d) for each pair of support vectors, or an SVM for each unit.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  KernelForm form_;
  double C_;
  Vec weights_;
  EngineChoice engine_;
  FeatureScore judge_;
  std::vector<IndexList> units_;
  Problem problem_;
  Mat points_;
};

}  // namespace zeronorm

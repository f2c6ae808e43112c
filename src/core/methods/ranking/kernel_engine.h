// An engine of machines with a kernel on the features whose scale is not 0, for eliminations.
#pragma once

#include "engines/engine.h"
#include "methods/ranking/judge.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

// Solutions are expansions over the rows, and carry the importance sqrt | |w|^2 - |w'|^2 | of each feature: w'
// has the same multipliers without the feature, or is trained without the unit it belongs to; or the sensitivity
// of the decision function to it.
class KernelEngine : public Engine {
 public:
  // weights: of the rows' slacks, all positive; units: empty, or those to train without.
  KernelEngine(KernelForm form, double C, Vec weights, EngineChoice engine, Judge judge,
               std::vector<IndexList> units)
      : form_(form), C_(C), weights_(std::move(weights)), engine_(std::move(engine)), judge_(judge),
        units_(std::move(units)) {}
  std::string name() const override { return engine_.name; }
  std::string refuses(const Problem&, const Surrogate&) const override { return ""; }
  // The points are the rows of its design.
  void setup(const Problem& problem) override;
  // O(n^2 d) and a dual programme, then O(d) for each pair of support vectors, or a machine for each unit.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  KernelForm form_;
  double C_;
  Vec weights_;
  EngineChoice engine_;
  Judge judge_;
  std::vector<IndexList> units_;
  Problem problem_;
  Mat points_;
};

}  // namespace zeronorm

// An engine that forwards to another one and records every surrogate, the limits and the solutions.
#pragma once

#include "engines/engine.h"

namespace zeronorm {

class Recorder : public Engine {
 public:
  explicit Recorder(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }
  std::string refuses(const Problem& p, const Surrogate& s) const override { return inner_->refuses(p, s); }
  void setup(const Problem& p) override { inner_->setup(p); }
  Solution solve(const Surrogate& s, const Limits& limits) override {
    surrogates.push_back(s);
    tolerances.push_back(limits.tol);
    solutions.push_back(inner_->solve(s, limits));
    return solutions.back();
  }
  Vec w(std::size_t round) const { return solutions[round].w.col(0); }

  std::vector<Surrogate> surrogates;
  std::vector<double> tolerances;
  std::vector<Solution> solutions;

 private:
  std::unique_ptr<Engine> inner_;
};

}  // namespace zeronorm

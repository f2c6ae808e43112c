// The limit of an SVM as C grows to infinity, as an engine: the hard-margin SVM if the data are separable, otherwise
// the solution of smallest norm among those with the least sum of margin violations.
//   lim over C -> Inf of  argmin over w, b:  |w| + C sum_i weight_i max(0, m_i - y_i f(x_i))
// It therefore never fails for want of separability. Multi-class problems use the Weston-Watkins loss; for
// independent outputs use make_hard_margin_limit().
#pragma once

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

class HardMarginLimit : public Engine {
 public:
  // The surrogates are l1 norms or ridges on some columns; weights (all above 0) multiply the margin violations. A
  // named engine solves everything, except for the least sum of violations before a ridge: this is a linear
  // programme, which engines for ridges do not solve.
  HardMarginLimit(bool l1, Vec weights, EngineChoice engine = "auto")
      : l1_(l1), weights_(std::move(weights)), engine_(std::move(engine)) {}
  std::string name() const override;
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override;
  void setup(const Problem& problem) override;
  // Returns a certified solution. The engines keep their warm start when columns leave.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  bool hopeless(const Surrogate& surrogate) const;
  bool crowded(const Surrogate& surrogate) const;
  Solution hard(const Surrogate& surrogate, const Limits& limits);
  Solution limit(const Surrogate& surrogate, const Limits& limits);
  Solution least_slacks(const Surrogate& surrogate, const Limits& limits);
  Solution soft(Surrogate surrogate, double C, const Limits& limits);
  double slack_sum(const Solution& solution) const;
  double rounding() const;
  bool reaches_least(const Surrogate& surrogate, const Solution& solution, double more) const;

  bool l1_;
  Vec weights_;
  EngineChoice engine_;
  Problem hard_, soft_;
  std::unique_ptr<Engine> margin_, slacks_, growing_;
  // Whether OSQP may not stand in for growing_.
  bool exact_ = false;
  // The scales for which no hard margin exists or none was found; empty before the first failure.
  Vec given_up_;
  // The value of C at which the limit was last reached.
  double C_ = 1;
};

// Returns an engine that takes the limit for each of several independent outputs on its own.
std::unique_ptr<Engine> make_hard_margin_limit(bool l1, const Vec& weights,
                                               const EngineChoice& engine = "auto");

}  // namespace zeronorm

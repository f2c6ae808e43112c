// Automatic relevance determination: every weight has a Gaussian prior of precision beta_j, and the precisions
// maximise the evidence in Laplace's approximation.  With H the Hessian at the weights of largest posterior,
//   beta_j = gamma_j / w_j^2,  gamma_j = 1 - beta_j (H^-1)_jj,
// and for the squared loss the noise is the weighted sum of squared residuals / (weights - sum gamma - free).
#pragma once

#include <deque>

#include "loop/minimise.h"

namespace zeronorm {

class Relevance : public Rule {
 public:
  // left_out: columns out from the start; free ones have no prior, those to keep are never dropped.
  Relevance(IndexList left_out, IndexList free, IndexList keep)
      : left_out_(std::move(left_out)), free_(std::move(free)), keep_(std::move(keep)) {}
  // O(n m min(n, m)) a round for the m columns left.
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Minus the logarithm of the evidence, but for a constant.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  // Largest |beta_j w_j^2 - gamma_j| at the last solution.
  double residual() const { return residual_; }

 private:
  // What the Hessian says at a solution, for the columns with a prior that are left.
  struct Posterior {
    Vec gamma, rest;  // rest = 1 - gamma, of its own accuracy
    double log_det = 0;
    double noise = 1;  // that the residuals ask for
  };

  std::vector<char> explained(const Problem& problem) const;
  void begin(const Problem& problem, const Surrogate& surrogate);
  void write(Surrogate& surrogate) const;
  Posterior posterior(const Problem& problem, const Solution& solution) const;
  Vec wanted(const Posterior& at, const Vec& w) const;
  Vec extrapolate(const Vec& step, double value);
  bool drop();
  bool kept(Index j) const;

  IndexList left_out_, free_, keep_;
  bool squared_ = false;
  bool holds_noise_ = false;  // until the precisions are near theirs: many columns would leave nothing of it
  IndexList columns_;         // with a prior, that are left
  Vec log_beta_;              // of each of these, and the logarithm of the noise after them
  Vec unit_;                  // precision of a column of unit spread, by column of x
  double noise_ = 1, least_noise_ = 0, residual_ = kInf;
  std::deque<Vec> points_, steps_;  // the last rounds, for extrapolation
  double last_step_ = kInf, last_value_ = kInf, stretch_ = 1;
  mutable Posterior now_;  // at the last solution that objective() saw
};

}  // namespace zeronorm

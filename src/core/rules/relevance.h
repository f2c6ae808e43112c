// Automatic relevance determination: every weight has a Gaussian prior of precision beta_j, and the precisions
// maximise the evidence in Laplace's approximation. With H the Hessian at the weights of largest posterior,
//   beta_j = gamma_j / w_j^2,  gamma_j = 1 - beta_j (H^-1)_jj,
// and for the squared loss the noise is the weighted sum of squared residuals / (weights - sum gamma - unpenalised
// columns).
#pragma once

#include <deque>

#include "loop/minimise.h"

namespace zeronorm {

class Relevance : public Rule {
 public:
  // left_out: columns left out from the start. free: columns without a prior. keep: columns that are never dropped.
  Relevance(IndexList left_out, IndexList free, IndexList keep)
      : left_out_(std::move(left_out)), free_(std::move(free)), keep_(std::move(keep)) {}
  // Takes O(n m min(n, m)) per iteration for the m remaining columns.
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Returns minus the logarithm of the evidence, up to a constant.
  double objective(const Problem& problem, const Surrogate& surrogate,
                   const Solution& solution) const override;
  // Returns the largest |beta_j w_j^2 - gamma_j| at the last solution.
  double residual() const { return residual_; }

 private:
  // The quantities that depend on the Hessian at a solution, for the remaining columns with a prior.
  struct Posterior {
    // The value 1 - gamma is computed with an accuracy of its own in rest.
    Vec gamma, rest;
    double log_det = 0;
    // The noise that the residuals imply.
    double noise = 1;
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
  // Whether the noise is fixed until the precisions have almost converged, because many columns would explain all of
  // it.
  bool holds_noise_ = false;
  // The remaining columns with a prior.
  IndexList columns_;
  // The logarithms of their precisions, followed by that of the noise.
  Vec log_beta_;
  // The precision of a column of unit standard deviation, by column of x.
  Vec unit_;
  double noise_ = 1, least_noise_ = 0, residual_ = kInf;
  // The last iterations, for extrapolation.
  std::deque<Vec> points_, steps_;
  double last_step_ = kInf, last_value_ = kInf, stretch_ = 1;
  // The posterior at the last solution that objective() evaluated.
  mutable Posterior now_;
};

}  // namespace zeronorm

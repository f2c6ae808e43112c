// Networks of one hidden layer, and what they say about features: optimal brain damage.
#pragma once

#include <map>

#include "base/types.h"
#include "engines/engine.h"

namespace zeronorm {

struct Network {
  Index hidden = 0;
  bool gauss_newton = false;  // second derivatives without those of the hidden units' outputs
  Mat starts;                 // normal numbers, a column for each start: W, a, V, b as in Weights
};

// f_k(x) = sum_q V_kq tanh(W_q'x + a_q) + b_k.  One vector of numbers, W by units.
struct Weights {
  Index features, hidden, outputs;
  Index size() const { return hidden * (features + 1) + outputs * (hidden + 1); }
};

// sum_i c_i L(y_i, f(x_i)) + 1/2 sum_jq W_qj^2 / scale_j^2 + ridge/2 |V|^2 on the columns given, with its gradient
// and the diagonal of its Hessian (or of the Gauss-Newton matrix) by W, which is d x q.
class NetworkLoss {
 public:
  NetworkLoss(const Problem& problem, IndexList columns, const Vec& scale, double ridge, Index hidden);
  Weights shape() const { return {static_cast<Index>(columns_.size()), hidden_, p_.y.cols()}; }
  // O(n q (d + k)).
  double value(const Vec& theta, Vec& gradient) const;
  Mat curvature(const Vec& theta, bool gauss_newton) const;

 private:
  const Problem& p_;
  IndexList columns_;
  Mat x_;
  Vec inverse_;  // 1 / scale^2
  double ridge_;
  Index hidden_;
};

// Networks by their number of features.
using Networks = std::map<Index, Vec>;

// An engine whose solutions carry the importance of features: the sum over units of h W_qj^2 / 2; w_j is the length
// of feature j's weights, a share for each output.  The least of the starts' minima counts, then the weights of
// features that stay are where the next network starts.  The certificate is the gradient's size.
class NetworkEngine : public Engine {
 public:
  // trained: where the networks go.
  NetworkEngine(Network what, Networks& trained) : what_(std::move(what)), trained_(trained) {}
  std::string name() const override { return "network"; }
  std::string refuses(const Problem&, const Surrogate&) const override { return ""; }
  void setup(const Problem& problem) override;
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

 private:
  std::vector<Vec> starts(const IndexList& columns) const;

  Network what_;
  Networks& trained_;
  const Problem* problem_ = nullptr;
  IndexList columns_;  // of the last network, and
  Vec theta_;          // its weights
};

}  // namespace zeronorm

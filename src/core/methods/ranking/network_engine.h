// Networks of one hidden layer, and what they say about features: optimal brain damage.
#pragma once

#include <map>

#include "base/types.h"
#include "engines/engine.h"
#include "problem/network.h"

namespace zeronorm {

struct Network {
  Index hidden = 0;
  bool gauss_newton = false;  // second derivatives without those of the hidden units' outputs
  Mat starts;                 // normal numbers, a column for each start, ordered as NetworkShape says
};

// Networks by their number of features.
using Networks = std::map<Index, Vec>;

// Trains networks. The solution has the importance of each feature, the sum over units of h W_qj^2 / 2, and as w_j the
// length of its weights W_j, in equal shares over the outputs. The lowest minimum of all starts is kept; after an
// elimination, training continues from the remaining weights. certify_network() grades Solution::network.
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

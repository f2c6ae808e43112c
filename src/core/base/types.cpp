#include "base/types.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {

const char* message(Status status) {
  switch (status) {
    case Status::optimal: return "optimal";
    case Status::infeasible: return "not separable";
    case Status::unbounded: return "unbounded";
    case Status::limit: return "stopped at a limit before the optimum";
    case Status::numerical: return "numerical failure";
    case Status::interrupted: return "interrupted";
    case Status::refused: return "refused";
  }
  return "unknown";
}

IndexList nonzeros(const Vec& magnitude, double relative) {
  IndexList found;
  const bool any = relative > 0 && magnitude.size() > 0;
  const double bar = any ? relative * magnitude.cwiseAbs().maxCoeff() : 0.0;
  // Entries that are tested at a time, because most blocks have none above the threshold.
  constexpr Index block = 16;
  for (Index from = 0; from < magnitude.size(); from += block) {
    const Index size = std::min(block, magnitude.size() - from);
    if (size == block && magnitude.segment<block>(from).cwiseAbs().maxCoeff() <= bar) continue;
    for (Index j = from; j < from + size; ++j)
      if (std::abs(magnitude[j]) > bar) found.push_back(j);
  }
  return found;
}

Vec magnitudes(const Mat& w) {
  if (w.cols() == 1) return w.col(0).cwiseAbs();
  return w.cwiseAbs().rowwise().sum();
}

Vec magnitudes(const Surrogate& surrogate, const Mat& w) {
  if (surrogate.groups.empty()) return magnitudes(w);
  const Vec columns = w.cwiseAbs().rowwise().maxCoeff();
  Vec largest = Vec::Zero(surrogate.l1.size());
  for (std::size_t j = 0; j < surrogate.groups.size(); ++j)
    for (Index f : surrogate.groups[j]) largest[f] = std::max(largest[f], columns[static_cast<Index>(j)]);
  return largest;
}

}  // namespace zeronorm

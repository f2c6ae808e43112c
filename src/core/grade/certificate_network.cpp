#include "grade/certificate.h"
#include "problem/network.h"

namespace zeronorm {
namespace {

// Relative rounding of a length that is computed twice.
constexpr double kSameLength = 1e-9;

bool lengths_agree(const Vec& network, const NetworkLoss& loss, const Mat& w) {
  const auto inputs = input_weights(network, loss.shape());
  Vec lengths = Vec::Zero(w.rows());
  for (std::size_t k = 0; k < loss.columns().size(); ++k) lengths[loss.columns()[k]] = inputs.row(k).norm();
  const Vec found = magnitudes(w);
  return ((found - lengths).array().abs() <= kSameLength * lengths.array()).all();
}

}  // namespace

Certificate certify_network(const Problem& problem, const Surrogate& surrogate, const Solution& solution) {
  const Index outputs = problem.y.cols(), features = (surrogate.scale.array() > 0).count();
  const Index hidden = (solution.network.size() - outputs) / (features + 1 + outputs);
  const NetworkLoss loss(problem, surrogate.scale, hidden);
  Certificate out;
  if (loss.shape().size() != solution.network.size() || !solution.network.allFinite()) return out;
  Vec gradient;
  out.primal = out.dual = loss.value(solution.network, gradient);
  if (!lengths_agree(solution.network, loss, solution.w)) return out;
  out.gap = out.kkt = gradient.cwiseAbs().maxCoeff() / problem.cost.sum();
  return out;
}

}  // namespace zeronorm

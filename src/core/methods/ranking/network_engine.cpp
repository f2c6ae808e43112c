#include "methods/ranking/network_engine.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "engines/parts/minimise_box.h"

namespace zeronorm {

void NetworkEngine::setup(const Problem& problem) {
  problem_ = &problem;
  columns_.clear();
}

// Inputs of unit spread keep units in their range.
std::vector<Vec> NetworkEngine::starts(const IndexList& columns) const {
  const NetworkShape now{static_cast<Index>(columns.size()), what_.hidden, problem_->y.cols()};
  std::vector<Vec> all;
  if (!columns_.empty()) {
    const NetworkShape old{static_cast<Index>(columns_.size()), what_.hidden, problem_->y.cols()};
    Vec theta(now.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto at = std::lower_bound(columns_.begin(), columns_.end(), columns[k]) - columns_.begin();
      input_weights(theta, now).row(k) = input_weights(theta_, old).row(at);
    }
    theta.tail(now.size() - now.features * now.hidden) = theta_.tail(old.size() - old.features * old.hidden);
    return {theta};
  }
  const Index d = problem_->x->cols();
  const NetworkShape whole{d, what_.hidden, problem_->y.cols()};
  for (Index start = 0; start < what_.starts.cols(); ++start) {
    const Vec drawn = what_.starts.col(start);
    Vec theta(now.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
      input_weights(theta, now).row(k) =
          input_weights(drawn, whole).row(columns[k]) / std::sqrt(static_cast<double>(columns.size()));
    theta.tail(now.size() - now.features * now.hidden) = drawn.tail(whole.size() - d * whole.hidden);
    output_weights(theta, now) /= std::sqrt(static_cast<double>(what_.hidden));
    output_biases(theta, now).setZero();
    all.push_back(theta);
  }
  return all;
}

Solution NetworkEngine::solve(const Surrogate& surrogate, const Limits& limits) {
  const NetworkLoss loss(*problem_, surrogate.scale, what_.hidden);
  const IndexList& columns = loss.columns();
  BoxSmooth box;
  box.value = [&](const Vec& theta, Vec& gradient) { return loss.value(theta, gradient); };
  box.lower = Vec::Constant(loss.shape().size(), -kInf);
  box.upper = Vec::Constant(loss.shape().size(), kInf);
  Solution s;
  s.engine = name();
  BoxResult best;
  for (const Vec& start : starts(columns)) {
    BoxResult found = minimise_box(box, start, limits);
    s.iterations += found.iterations;
    if (found.status == Status::interrupted) {
      s.status = Status::interrupted;
      return s;
    }
    if (found.value < best.value) best = std::move(found);
  }
  if (best.x.size() == 0) {
    s.note = "The training of the network found no finite value of its loss.";
    return s;
  }
  s.status = Status::optimal;
  s.network = best.x;
  columns_ = columns;
  theta_ = best.x;
  const Index d = problem_->x->cols(), outputs = problem_->y.cols();
  s.w = Mat::Zero(d, outputs);
  s.b = Vec::Zero(outputs);
  s.dual = Mat::Zero(problem_->x->rows(), outputs);
  const NetworkShape whole{d, what_.hidden, outputs}, part = loss.shape();
  Vec numbers = Vec::Zero(whole.size());
  numbers.tail(whole.size() - d * what_.hidden) = theta_.tail(part.size() - part.features * what_.hidden);
  s.importance = Vec::Zero(d);
  const Mat w = input_weights(theta_, part);
  const Vec worth =
      0.5 * loss.curvature(best.x, what_.gauss_newton).cwiseProduct(w.cwiseAbs2()).rowwise().sum();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    s.w.row(columns[k]).setConstant(w.row(k).norm() / static_cast<double>(outputs));
    input_weights(numbers, whole).row(columns[k]) = w.row(k);
    s.importance[columns[k]] = worth[k];
  }
  trained_[part.features] = std::move(numbers);
  return s;
}

}  // namespace zeronorm

#include "methods/ranking/network.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "engines/parts/minimise_box.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

// Gradients below this share of the loss of no network are zero.
constexpr double kFlat = 1e-6;

// Views of the numbers of a network: W features x hidden, a, V hidden x outputs, b.
template <class Numbers>
auto input_weights(Numbers& theta, const Weights& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Mat, Mat>>(theta.data(), s.features,
                                                                                  s.hidden);
}
template <class Numbers>
auto input_biases(Numbers& theta, const Weights& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Vec, Vec>>(
      theta.data() + s.features * s.hidden, s.hidden);
}
template <class Numbers>
auto output_weights(Numbers& theta, const Weights& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Mat, Mat>>(
      theta.data() + (s.features + 1) * s.hidden, s.hidden, s.outputs);
}
template <class Numbers>
auto output_biases(Numbers& theta, const Weights& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Vec, Vec>>(
      theta.data() + (s.features + 1 + s.outputs) * s.hidden, s.outputs);
}

}  // namespace

NetworkLoss::NetworkLoss(const Problem& problem, IndexList columns, const Vec& scale, double ridge,
                         Index hidden)
    : p_(problem), columns_(std::move(columns)), x_(problem.x->rows(), columns_.size()),
      inverse_(columns_.size()), ridge_(ridge), hidden_(hidden) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    p_.x->column(columns_[k], x_.col(k).data());
    const double own = scale[columns_[k]];
    inverse_[k] = own < kInf ? 1 / (own * own) : 0.0;
  }
}

double NetworkLoss::value(const Vec& theta, Vec& gradient) const {
  const Weights s = shape();
  const auto w = input_weights(theta, s);
  const auto v = output_weights(theta, s);
  const Mat z = ((x_ * w).rowwise() + input_biases(theta, s).transpose()).array().tanh();
  Mat f = z * v;
  if (p_.intercept) f.rowwise() += output_biases(theta, s).transpose();
  double value = 0.5 * (inverse_.asDiagonal() * w.cwiseAbs2()).sum() + 0.5 * ridge_ * v.squaredNorm();
  Mat push(f.rows(), f.cols());
  for (Index k = 0; k < f.cols(); ++k) {
    for (Index i = 0; i < f.rows(); ++i) {
      value += p_.cost[i] * loss_value(p_.loss, p_.y(i, k), f(i, k));
      push(i, k) = -p_.cost[i] * loss_force(p_.loss, p_.y(i, k), f(i, k));
    }
  }
  gradient.resize(theta.size());
  const Mat back = (push * v.transpose()).cwiseProduct((1 - z.array().square()).matrix());
  input_weights(gradient, s) = x_.transpose() * back + inverse_.asDiagonal() * w;
  input_biases(gradient, s) = back.colwise().sum().transpose();
  output_weights(gradient, s) = z.transpose() * push + ridge_ * v;
  output_biases(gradient, s) = push.colwise().sum().transpose();
  if (!p_.intercept) output_biases(gradient, s).setZero();
  return value;
}

// d^2/dW_qj^2 = sum_i x_ij^2 sum_k (L'' V_kq^2 t'^2 + L' V_kq t''), of which Gauss and Newton keep the first.
Mat NetworkLoss::curvature(const Vec& theta, bool gauss_newton) const {
  const Weights s = shape();
  const auto v = output_weights(theta, s);
  const Mat z =
      ((x_ * input_weights(theta, s)).rowwise() + input_biases(theta, s).transpose()).array().tanh();
  Mat f = z * v;
  if (p_.intercept) f.rowwise() += output_biases(theta, s).transpose();
  Mat h(s.features, s.hidden);
  for (Index q = 0; q < s.hidden; ++q) {
    Vec rows = Vec::Zero(f.rows());
    for (Index i = 0; i < f.rows(); ++i) {
      const double slope = 1 - z(i, q) * z(i, q);
      for (Index k = 0; k < f.cols(); ++k) {
        const double bend = loss_curvature(p_.loss, p_.y(i, k), f(i, k));
        double own = bend * v(q, k) * v(q, k) * slope * slope;
        if (!gauss_newton) own += loss_force(p_.loss, p_.y(i, k), f(i, k)) * v(q, k) * 2 * z(i, q) * slope;
        rows[i] += p_.cost[i] * own;
      }
    }
    h.col(q) = x_.cwiseAbs2().transpose() * rows + inverse_;
  }
  return h;
}

void NetworkEngine::setup(const Problem& problem) {
  problem_ = &problem;
  columns_.clear();
}

// Inputs of unit spread keep units in their range.
std::vector<Vec> NetworkEngine::starts(const IndexList& columns) const {
  const Weights now{static_cast<Index>(columns.size()), what_.hidden, problem_->y.cols()};
  std::vector<Vec> all;
  if (!columns_.empty()) {
    const Weights old{static_cast<Index>(columns_.size()), what_.hidden, problem_->y.cols()};
    Vec theta(now.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto at = std::lower_bound(columns_.begin(), columns_.end(), columns[k]) - columns_.begin();
      input_weights(theta, now).row(k) = input_weights(theta_, old).row(at);
    }
    theta.tail(now.size() - now.features * now.hidden) = theta_.tail(old.size() - old.features * old.hidden);
    return {theta};
  }
  const Index d = problem_->x->cols();
  const Weights whole{d, what_.hidden, problem_->y.cols()};
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
  IndexList columns;
  double ridge = 0;
  for (Index j = 0; j < surrogate.scale.size(); ++j) {
    if (!(surrogate.scale[j] > 0)) continue;
    columns.push_back(j);
    if (surrogate.scale[j] < kInf) ridge = 1 / (surrogate.scale[j] * surrogate.scale[j]);
  }
  const NetworkLoss loss(*problem_, columns, surrogate.scale, ridge, what_.hidden);
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
  const double flat = best.projected_gradient / problem_->cost.sum();
  if (!(flat <= kFlat)) {
    s.note = "The training of the network did not end at a minimum.";
    return s;
  }
  s.status = Status::optimal;
  s.certificate = {best.value, best.value, flat, flat};
  columns_ = columns;
  theta_ = best.x;
  const Index d = problem_->x->cols(), outputs = problem_->y.cols();
  s.w = Mat::Zero(d, outputs);
  s.b = Vec::Zero(outputs);
  s.dual = Mat::Zero(problem_->x->rows(), outputs);
  const Weights whole{d, what_.hidden, outputs}, part = loss.shape();
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

#include "problem/network.h"

#include "base/indices.h"
#include "data/design.h"
#include "problem/loss.h"

namespace zeronorm {

NetworkLoss::NetworkLoss(const Problem& problem, const Vec& scale, Index hidden)
    : p_(problem), columns_(nonzero_entries(scale)), hidden_(hidden) {
  x_.resize(p_.x->rows(), columns_.size());
  inverse_.resize(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    p_.x->column(columns_[k], x_.col(k).data());
    const double own = scale[columns_[k]];
    inverse_[k] = own < kInf ? 1 / (own * own) : 0.0;
    if (own < kInf) ridge_ = inverse_[k];
  }
}

double NetworkLoss::value(const Vec& theta, Vec& gradient) const {
  const NetworkShape s = shape();
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
  const NetworkShape s = shape();
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

}  // namespace zeronorm

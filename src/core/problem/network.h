// The training loss of networks with one hidden layer,
//   f_k(x) = sum_q V_kq tanh(W_q'x + a_q) + b_k .
#pragma once

#include "base/types.h"

namespace zeronorm {

// A network is one vector of numbers: W by units, a, V by outputs, b.
struct NetworkShape {
  Index features, hidden, outputs;
  Index size() const { return hidden * (features + 1) + outputs * (hidden + 1); }
};

// Views of these numbers: W is features x hidden and V hidden x outputs.
template <class Numbers>
auto input_weights(Numbers& theta, const NetworkShape& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Mat, Mat>>(theta.data(), s.features,
                                                                                  s.hidden);
}
template <class Numbers>
auto input_biases(Numbers& theta, const NetworkShape& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Vec, Vec>>(
      theta.data() + s.features * s.hidden, s.hidden);
}
template <class Numbers>
auto output_weights(Numbers& theta, const NetworkShape& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Mat, Mat>>(
      theta.data() + (s.features + 1) * s.hidden, s.hidden, s.outputs);
}
template <class Numbers>
auto output_biases(Numbers& theta, const NetworkShape& s) {
  return Eigen::Map<std::conditional_t<std::is_const_v<Numbers>, const Vec, Vec>>(
      theta.data() + (s.features + 1 + s.outputs) * s.hidden, s.outputs);
}

// sum_i c_i L(y_i, f(x_i)) + 1/2 sum_jq W_qj^2 / scale_j^2 + ridge/2 |V|^2 on the columns with a scale above 0, with
// its gradient and the diagonal of its Hessian (or of the Gauss-Newton matrix) by W. The ridge of the output weights
// is that of the last column whose scale is finite.
class NetworkLoss {
 public:
  NetworkLoss(const Problem& problem, const Vec& scale, Index hidden);
  NetworkShape shape() const { return {static_cast<Index>(columns_.size()), hidden_, p_.y.cols()}; }
  const IndexList& columns() const { return columns_; }
  // O(n q (d + k)).
  double value(const Vec& theta, Vec& gradient) const;
  Mat curvature(const Vec& theta, bool gauss_newton) const;

 private:
  const Problem& p_;
  IndexList columns_;
  Mat x_;
  Vec inverse_;  // 1 / scale^2
  double ridge_ = 0;
  Index hidden_;
};

}  // namespace zeronorm

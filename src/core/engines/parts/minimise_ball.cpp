#include "engines/parts/minimise_ball.h"

#include <cmath>

namespace zeronorm {
namespace {

// Returns the inner products about the mean of the points. This moves the ball along with them, and a common offset
// costs no digits. O(n^2).
Mat about_mean(const Mat& k) {
  const Vec rows = k.rowwise().mean();
  Mat centred = k.colwise() - rows;
  centred.rowwise() -= rows.transpose();
  centred.array() += rows.mean();
  return centred;
}

}  // namespace

// Starts from two points that are far apart. O(n).
void Ball::start(const Mat& k) {
  const Index n = k.rows();
  beta = Vec::Zero(n);
  Index from = 0, to = 0;
  k.diagonal().maxCoeff(&from);
  (k.diagonal() - 2 * k.col(from)).maxCoeff(&to);
  beta[from] += 0.5;
  beta[to] += 0.5;
}

double Ball::solve(const Mat& k, const Vec& squares, const Limits& limits) {
  const Index n = k.rows();
  const Mat centred = about_mean(k);
  // Centring changes the squares by as much as the diagonal.
  const Vec s = squares - k.diagonal() + centred.diagonal();
  const double unit = s.mean();
  if (!(unit > 0)) return unit == 0 ? 0.0 : std::nan("");
  if (beta.size() != n) start(centred);
  // The variable is v = b - beta, so that sum v = 0.
  const Mat scaled = centred / unit;
  qp_.setup(0.5 * s / unit - scaled * beta, -beta, Vec::Ones(n) - beta);
  if (qp_.solve(scaled, Mat::Ones(n, 1), limits) != BoxQp::Outcome::optimal) return std::nan("");
  beta = (beta + qp_.beta).cwiseMax(0.0);
  beta /= beta.sum();
  return s.dot(beta) - beta.dot(centred * beta);
}

}  // namespace zeronorm

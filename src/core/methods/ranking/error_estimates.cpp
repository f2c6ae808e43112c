#include "methods/ranking/error_estimates.h"

#include <Eigen/QR>
#include <cmath>

#include "methods/ranking/span.h"

namespace zeronorm {
namespace {

// Smoothing parameter eta of the span; see Span.
constexpr double kSmoothing = 0.1;
// Steepness of the sigmoid that smooths the error.
constexpr double kSteepness = 5;

Mat block(const Mat& k, const IndexList& rows, const IndexList& cols) {
  Mat part(rows.size(), cols.size());
  for (Index i = 0; i < part.rows(); ++i)
    for (Index j = 0; j < part.cols(); ++j) part(i, j) = k(rows[i], cols[j]);
  return part;
}

Mat some_rows(const Mat& x, const IndexList& rows) {
  Mat part(rows.size(), x.cols());
  for (Index i = 0; i < part.rows(); ++i) part.row(i) = x.row(rows[i]);
  return part;
}

Vec entries(const Vec& x, const IndexList& at) { return some_rows(x, at).col(0); }

// Returns u'K'v for every feature, by polarisation.
Vec slopes_between(const GramMap& gram, Vec u, Vec v, const Limits& limits) {
  const double size = std::sqrt(u.norm() * v.norm());
  if (!(size > 0)) return Vec::Zero(gram.features());
  u *= size / u.norm();
  v *= size / v.norm();
  const Vec none = Vec::Zero(u.size());
  return 0.25 * (gram.slopes(none, u - v, limits) - gram.slopes(none, u + v, limits));
}

// Returns by how much a scale would lower the value, for features where it would.
Vec falls(const Vec& slopes) { return (-slopes.head(slopes.size() - 1)).cwiseMax(0.0); }

}  // namespace

SpanEstimate::SpanEstimate(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities)
    : gram_(gram), y_(y), weights_(weights), equalities_(equalities) {
  svm_.setup(y, Vec::Ones(y.size()), Vec::Constant(y.size(), kInf), Loss::hinge);
}

Status SpanEstimate::evaluate(const Vec& theta, double ridge, const Limits& limits) {
  const Mat k = gram_.at(theta, limits);
  if (limits.stop_now()) return Status::interrupted;
  Mat ridged = k;
  ridged.diagonal() += ridge * weights_.cwiseInverse();
  const Status status = svm_status(svm_, svm_.solve(ridged, equalities_, limits), ridged, gram_, theta);
  if (status != Status::optimal) return status;
  const Span span(k, ridge, weights_, equalities_, y_, svm_.beta, kSmoothing);
  value_ = span.value();
  slopes_ = Vec::Zero(theta.size() + 1);
  if (span.support().empty()) return Status::optimal;
  const Span::Slopes slopes = span.slopes();
  slopes_ << gram_.slopes(slopes.weight, span.support(), limits), slopes.ridge;
  if (limits.stop_now()) return Status::interrupted;
  return std::isfinite(value_) && slopes_.allFinite() ? Status::optimal : Status::numerical;
}

Vec SpanEstimate::nearness() const { return falls(slopes_); }

double SpanEstimate::descent(Vec& slopes) const {
  slopes = slopes_ / value_;
  return std::log(value_);
}

HeldOutError::HeldOutError(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
                           const std::vector<char>& held_out)
    : gram_(gram), y_(y), equalities_(equalities) {
  for (Index i = 0; i < y.size(); ++i) (held_out[i] ? judge_ : train_).push_back(i);
  train_equalities_ = some_rows(equalities, train_);
  train_inverse_ = entries(weights, train_).cwiseInverse();
  share_ = entries(weights, judge_);
  share_ /= share_.sum();
  const Vec labels = entries(y, train_);
  svm_.setup(labels, Vec::Ones(labels.size()), Vec::Constant(labels.size(), kInf), Loss::hinge);
}

// With M = K + D on the support vectors S, M v + F t = y on S, F'v = 0 and A = Q (Q'MQ)^-1 Q', where Q is orthogonal
// to F:
//   dv = -A dM v,  dt = -F^+ (I - M A) dM v,  df = dK v + K dv + F dt  on the held-out rows.
Status HeldOutError::evaluate(const Vec& theta, double ridge, const Limits& limits) {
  const Mat k = gram_.at(theta, limits);
  if (limits.stop_now()) return Status::interrupted;
  Mat ridged = block(k, train_, train_);
  ridged.diagonal() += ridge * train_inverse_;
  const Status status =
      svm_status(svm_, svm_.solve(ridged, train_equalities_, limits), ridged, gram_, theta, train_);
  if (status != Status::optimal) return status;

  const Vec& beta = svm_.beta;
  const Mat across = block(k, judge_, train_);
  const Mat judge_equalities = some_rows(equalities_, judge_);
  const Vec f = across * beta + judge_equalities * svm_.coefficients();
  const Vec y = entries(y_, judge_);
  const Vec error = (1 + (kSteepness * y.cwiseProduct(f)).array().exp()).inverse();
  value_ = share_.dot(error);
  const Vec by_f = -kSteepness * share_.array() * y.array() * error.array() * (1 - error.array());

  slopes_ = Vec::Zero(theta.size() + 1);
  const IndexList at = support_of(beta);
  Vec u = Vec::Zero(y_.size()), v = u;
  for (Index i = 0; i < by_f.size(); ++i) u[judge_[i]] = by_f[i];
  if (!at.empty()) {
    const Mat m = block(ridged, at, at), equalities = some_rows(train_equalities_, at);
    const Vec back = some_rows(across.transpose(), at) * by_f;
    const Mat inverse = inverse_within(m, equalities);
    Vec h = inverse * back;
    if (equalities.cols() > 0) {
      const Vec turned = Eigen::CompleteOrthogonalDecomposition<Mat>(equalities.transpose())
                             .solve(judge_equalities.transpose() * by_f);
      h += turned - inverse * (m * turned);
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Index row = train_[at[i]];
      u[row] = -h[i];
      v[row] = beta[at[i]];
      slopes_[theta.size()] -= h[i] * beta[at[i]] * train_inverse_[at[i]];
    }
  }
  slopes_.head(theta.size()) = slopes_between(gram_, u, v, limits);
  if (limits.stop_now()) return Status::interrupted;
  return slopes_.allFinite() ? Status::optimal : Status::numerical;
}

Vec HeldOutError::nearness() const { return falls(slopes_); }

double HeldOutError::descent(Vec& slopes) const {
  slopes = slopes_ / value_;
  return std::log(value_);
}

}  // namespace zeronorm

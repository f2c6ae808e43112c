#include "methods/ranking/span.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>

namespace zeronorm {
namespace {

// Multipliers above this fraction of the largest one are support vectors.
constexpr double kSupportTol = 1e-10;
// Ridge for linearly dependent points, relative to the mean diagonal.
constexpr double kRidge = 1e-12;
// Ridge for values without a dimension, relative to the mean diagonal.
constexpr double kGuardRidge = 1e-6;

Mat block(const Mat& k, const IndexList& at) {
  const Index m = static_cast<Index>(at.size());
  Mat part(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) part(i, j) = k(at[i], at[j]);
  return part;
}

Vec entries(const Vec& all, const IndexList& at) {
  Vec part(at.size());
  for (Index i = 0; i < part.size(); ++i) part[i] = all[at[i]];
  return part;
}

// Returns an orthonormal basis of the complement of the columns of f. O(m^3).
Mat complement(const Mat& f) {
  const Index m = f.rows();
  if (f.cols() == 0) return Mat::Identity(m, m);
  const Eigen::ColPivHouseholderQR<Mat> qr(f);
  const Index rest = m - qr.rank();
  Mat last = Mat::Zero(m, rest);
  last.bottomRows(rest).setIdentity();
  return qr.householderQ() * last;
}

}  // namespace

IndexList support_of(const Vec& v) { return nonzeros(v.cwiseAbs(), kSupportTol); }

Mat inverse_within(const Mat& m, const Mat& f) {
  const Mat basis = complement(f);
  if (basis.cols() == 0) return Mat::Zero(m.rows(), m.cols());
  Mat inner = basis.transpose() * m * basis;
  inner.diagonal().array() += kRidge * std::max(inner.diagonal().mean(), 1e-300);
  return basis * Eigen::LLT<Mat>(inner).solve(basis.transpose());
}

Span::Span(const Mat& k, double ridge, const Vec& weights, const Mat& equalities, const Vec& y, const Vec& v,
           double smoothing)
    : support_(support_of(v)), ridge_(ridge), smoothing_(smoothing) {
  if (support_.empty()) return;
  y_ = entries(y, support_);
  v_ = entries(v, support_);
  c_ = entries(weights, support_);
  a_ = v_.cwiseAbs();
  p_ = c_.cwiseMin(1.0);
  r_ = ridge + smoothing * c_.cwiseQuotient(a_).array();
  d_ = r_.cwiseQuotient(c_);
  k_ = block(k, support_);
  f_.resize(v_.size(), equalities.cols());
  for (Index i = 0; i < f_.rows(); ++i) f_.row(i) = equalities.row(support_[i]);
  inverse_ = inverse(k_, d_);
  q_ = (inverse_.diagonal().cwiseInverse() - d_).cwiseMax(0.0);
  s_.resize(q_.size());
  for (Index i = 0; i < s_.size(); ++i) s_[i] = span2(i, q_[i]);
  value_ = a_.dot(s_);
}

Mat Span::inverse(const Mat& k, const Vec& d) const {
  Mat m = k;
  m.diagonal() += d;
  return inverse_within(m, f_);
}

Vec Span::guarded() const { return d_.array() + (ridge_ > 0 ? 0.0 : kGuardRidge * k_.diagonal().mean()); }

double Span::at(const Vec& q) const {
  double sum = 0;
  for (Index i = 0; i < q.size(); ++i) sum += a_[i] * span2(i, q[i]);
  return sum;
}

// The rest of the weight of the row, c - p, stays when one of its observations is left out.
double Span::span2(Index k, double q) const {
  const double rest = (c_[k] - p_[k]) * q + r_[k];
  return ridge_ / p_[k] + (c_[k] <= p_[k] ? q : rest > 0 ? q * r_[k] / rest : 0.0);
}

// With M = K + D on the support vectors, B the inverse above and w_k = a_k dS_k/dq_k / B_kk^2,
//   dq_k = (B dM B)_kk / B_kk^2 - dD_kk,   dv = -A (dK + dridge / c) v,
// where A is the inverse without smoothing. D changes with the ridge and, if smoothed, with the multipliers.
Span::Slopes Span::slopes() const {
  Slopes found;
  if (support_.empty()) return found;
  const Index m = v_.size();
  Vec by_q(m), by_r(m);
  for (Index i = 0; i < m; ++i) {
    const double rest = (c_[i] - p_[i]) * q_[i] + r_[i];
    const bool whole = c_[i] <= p_[i];
    by_q[i] = whole ? 1.0 : rest > 0 ? (r_[i] / rest) * (r_[i] / rest) : 0.0;
    by_r[i] = whole || !(rest > 0) ? 0.0 : (c_[i] - p_[i]) * (q_[i] / rest) * (q_[i] / rest);
  }
  const Vec share = a_.cwiseProduct(by_q), inner = share.cwiseQuotient(inverse_.diagonal().cwiseAbs2());
  found.weight = inverse_ * inner.asDiagonal() * inverse_;
  const Vec by_d = found.weight.diagonal() - share + a_.cwiseProduct(by_r).cwiseProduct(c_);
  const Vec by_a = s_ - smoothing_ * by_d.cwiseQuotient(a_.cwiseAbs2());
  const Mat plain = smoothing_ == 0 ? inverse_ : inverse(k_, ridge_ * c_.cwiseInverse());
  const Vec u = plain * y_.cwiseProduct(by_a);
  found.weight -= 0.5 * (u * v_.transpose() + v_ * u.transpose());
  found.ridge = (by_d - u.cwiseProduct(v_)).cwiseQuotient(c_).sum() + a_.cwiseQuotient(p_).sum();
  return found;
}

double Span::with(const Mat& k) const {
  if (support_.empty()) return 0;
  const Vec d = guarded();
  return at((inverse(block(k, support_), d).diagonal().cwiseInverse() - d).cwiseMax(0.0));
}

// Uses (M - u u')^-1 = B + B u (B u)' / (1 - u'B u).
Vec Span::losing(const Mat& u) const {
  Vec values = Vec::Zero(u.cols());
  if (support_.empty()) return values;
  const Vec d = guarded();
  const Mat b = ridge_ > 0 ? inverse_ : inverse(k_, d);
  const Mat bu = b * u;
  Vec q(d.size());
  for (Index j = 0; j < u.cols(); ++j) {
    const double left = std::max(0.0, 1 - u.col(j).dot(bu.col(j)));
    for (Index i = 0; i < q.size(); ++i) {
      const double diagonal = left * b(i, i) + bu(i, j) * bu(i, j);
      q[i] = diagonal > 0 ? std::max(0.0, left / diagonal - d[i]) : q_[i];
    }
    values[j] = at(q);
  }
  return values;
}

}  // namespace zeronorm

#include "methods/scales/scaled_kernel.h"

#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

// Columns between two checks of the limits.
constexpr Index kBlock = 64;

double chi2_term(double x, double z) {
  const double sum = x + z, difference = x - z;
  return sum > 0 ? difference * difference / sum : 0.0;
}

double rate(const KernelForm& form) {
  return form.kind == KernelForm::Kind::gaussian ? 0.5 / (form.parameter * form.parameter) : form.parameter;
}

// Return sum_t s^t and its derivative by Horner's rule.
double power_sum(double s, int degree) {
  double sum = 0;
  for (int t = 0; t < degree; ++t) sum = s * (1 + sum);
  return sum;
}
double power_sum_slope(double s, int degree) {
  double sum = 0;
  for (int t = degree; t > 0; --t) sum = sum * s + t;
  return sum;
}

}  // namespace

// Differences do not depend on an offset, which would cost digits, so the mean is removed.
ScaledKernel::ScaledKernel(KernelForm form, Mat rows, Mat cols)
    : form_(form), rows_(std::move(rows)), cols_(std::move(cols)) {
  if (form_.kind != KernelForm::Kind::gaussian) return;
  const Vec mean = rows_.colwise().mean();
  rows_.rowwise() -= mean.transpose();
  cols_.rowwise() -= mean.transpose();
}

const Mat& ScaledKernel::at(const Vec& theta, const Limits& limits) {
  sums_ = Mat::Zero(rows_.rows(), cols_.rows());
  for (Index from = 0; from < cols_.rows() && !limits.stop_now(); from += kBlock) {
    const Index width = std::min(kBlock, cols_.rows() - from);
    if (form_.kind == KernelForm::Kind::chi2)
      add_chi2_sums(theta, from, width);
    else
      add_sums(theta, from, width);
  }
  values_ = outer(sums_);
  return values_;
}

void ScaledKernel::add_sums(const Vec& theta, Index from, Index width) {
  const auto z = cols_.middleRows(from, width);
  auto s = sums_.middleCols(from, width);
  const Mat scaled = z * theta.asDiagonal();
  s.noalias() = rows_ * scaled.transpose();
  if (!form_.distance()) return;
  const Vec here = rows_.cwiseAbs2() * theta, there = z.cwiseProduct(scaled).rowwise().sum();
  s *= -2;
  s.colwise() += here;
  s.rowwise() += there.transpose();
  s = s.cwiseMax(0.0);
}

void ScaledKernel::add_chi2_sums(const Vec& theta, Index from, Index width) {
  for (Index k = from; k < from + width; ++k)
    for (Index j = 0; j < theta.size(); ++j) {
      if (theta[j] == 0) continue;
      for (Index i = 0; i < rows_.rows(); ++i) sums_(i, k) += theta[j] * chi2_term(rows_(i, j), cols_(k, j));
    }
}

Mat ScaledKernel::outer(const Mat& s) const {
  const int degree = static_cast<int>(form_.parameter);
  switch (form_.kind) {
    case KernelForm::Kind::poly_sum: return s.unaryExpr([=](double v) { return power_sum(v, degree); });
    case KernelForm::Kind::poly_power: return (s.array() + 1).pow(degree);
    default: return (-rate(form_) * s.array()).exp();
  }
}

// Returns f'(s) on a block of columns.
Mat ScaledKernel::outer_slope(Index from, Index width) const {
  const int degree = static_cast<int>(form_.parameter);
  const auto s = sums_.middleCols(from, width);
  switch (form_.kind) {
    case KernelForm::Kind::poly_sum: return s.unaryExpr([=](double v) { return power_sum_slope(v, degree); });
    case KernelForm::Kind::poly_power: return degree * (s.array() + 1).pow(degree - 1);
    default: return -rate(form_) * values_.middleCols(from, width);
  }
}

Vec ScaledKernel::slopes(const Mat& weight, const Limits& limits) const {
  Vec slopes = Vec::Zero(features());
  for (Index from = 0; from < cols_.rows() && !limits.stop_now(); from += kBlock) {
    const Index width = std::min(kBlock, cols_.rows() - from);
    if (weight.middleCols(from, width).isZero(0.0)) continue;
    const Mat a = weight.middleCols(from, width).cwiseProduct(outer_slope(from, width));
    if (form_.kind == KernelForm::Kind::chi2)
      add_chi2_slopes(a, from, width, slopes);
    else
      add_slopes(a, from, width, slopes);
  }
  return slopes;
}

void ScaledKernel::add_slopes(const Mat& a, Index from, Index width, Vec& slopes) const {
  const auto z = cols_.middleRows(from, width);
  const Mat az = a * z;
  const Vec products = rows_.cwiseProduct(az).colwise().sum().transpose();
  if (!form_.distance()) {
    slopes += products;
    return;
  }
  const Vec here = a.rowwise().sum(), there = a.colwise().sum().transpose();
  slopes += rows_.cwiseAbs2().transpose() * here + z.cwiseAbs2().transpose() * there - 2 * products;
}

void ScaledKernel::add_chi2_slopes(const Mat& a, Index from, Index width, Vec& slopes) const {
  for (Index k = 0; k < width; ++k)
    for (Index j = 0; j < slopes.size(); ++j) {
      double sum = 0;
      for (Index i = 0; i < rows_.rows(); ++i) sum += a(i, k) * chi2_term(rows_(i, j), cols_(from + k, j));
      slopes[j] += sum;
    }
}

// Returns f(sum) - f(sum - part) for each part; exactly 0 for a part of 0.
Eigen::ArrayXd ScaledKernel::outer_loss(double sum, const Eigen::ArrayXd& part) const {
  const double r = rate(form_);
  if (form_.distance()) return (-r * (sum - part)).exp() * ((-r * part).exp() - 1);
  const Eigen::ArrayXd less = sum - part;
  const int degree = static_cast<int>(form_.parameter);
  Eigen::ArrayXd with = Eigen::ArrayXd::Constant(part.size(), sum), without = less;
  if (form_.kind == KernelForm::Kind::poly_power) {
    with += 1;
    without += 1;
    return with.pow(degree) - without.pow(degree);
  }
  for (int t = 1; t < degree; ++t) {
    with = sum * (1 + with);
    without = less * (1 + without);
  }
  return with - without;
}

Vec ScaledKernel::losses(const Vec& v, const Vec& theta, const Limits& limits) const {
  std::vector<Index> support;
  for (Index i = 0; i < v.size(); ++i)
    if (v[i] != 0) support.push_back(i);
  Eigen::ArrayXXd points(features(), support.size());
  for (std::size_t c = 0; c < support.size(); ++c) points.col(c) = rows_.row(support[c]).transpose();
  Eigen::ArrayXd loss = Eigen::ArrayXd::Zero(features()), part(features());
  for (std::size_t a = 0; a < support.size() && !limits.stop_now(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const auto x = points.col(a), z = points.col(b);
      if (form_.kind == KernelForm::Kind::gaussian)
        part = (x - z).square();
      else if (form_.kind == KernelForm::Kind::chi2)
        part = x.binaryExpr(z, &chi2_term);
      else
        part = x * z;
      const double weight = (a == b ? 1.0 : 2.0) * v[support[a]] * v[support[b]];
      loss += weight * outer_loss(sums_(support[a], support[b]), part * theta.array());
    }
  }
  return loss;
}

Vec ScaledKernel::diagonal_losses(const Vec& d, const Vec& theta) const {
  Vec loss = Vec::Zero(features());
  if (form_.distance()) return loss;  // The value k(x, x) is always 1.
  for (Index i = 0; i < d.size(); ++i) {
    if (d[i] == 0) continue;
    const Eigen::ArrayXd part = rows_.row(i).transpose().cwiseAbs2().cwiseProduct(theta);
    loss += d[i] * outer_loss(sums_(i, i), part).matrix();
  }
  return loss;
}

// Returns s_j of every pair.
Mat ScaledKernel::part(Index j) const {
  Mat s(rows_.rows(), cols_.rows());
  for (Index k = 0; k < s.cols(); ++k)
    for (Index i = 0; i < s.rows(); ++i) {
      const double x = rows_(i, j), z = cols_(k, j);
      switch (form_.kind) {
        case KernelForm::Kind::gaussian: s(i, k) = (x - z) * (x - z); break;
        case KernelForm::Kind::chi2: s(i, k) = chi2_term(x, z); break;
        default: s(i, k) = x * z;
      }
    }
  return s;
}

Mat ScaledKernel::without(Index j, const Vec& theta) const { return outer(sums_ - theta[j] * part(j)); }

Vec ScaledKernel::sensitivity(const Vec& v, const Vec& theta, const Vec& weights, bool squares,
                              const Limits& limits) const {
  Vec sum = Vec::Zero(features());
  for (Index from = 0; from < cols_.rows() && !limits.stop_now(); from += kBlock) {
    const Index width = std::min(kBlock, cols_.rows() - from);
    const Mat a = v.asDiagonal() * outer_slope(from, width);
    Mat slope = a.transpose() * rows_;
    if (form_.distance()) {
      const Vec total = a.colwise().sum().transpose();
      slope = 2 * (total.asDiagonal() * cols_.middleRows(from, width) - slope);
    }
    const Vec share = weights.segment(from, width);
    sum += squares ? Vec(slope.cwiseAbs2().transpose() * share) : Vec(slope.cwiseAbs().transpose() * share);
  }
  return theta.cwiseProduct(squares ? Vec(sum.cwiseSqrt()) : sum);
}

}  // namespace zeronorm

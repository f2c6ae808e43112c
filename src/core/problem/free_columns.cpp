#include "problem/free_columns.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/design.h"

namespace zeronorm {
namespace {

// A column counts as dependent if less than this fraction of its length is left.
constexpr double kDependent = 1e-13;
// Digits are lost if less than this fraction of the length of a column is left.
constexpr double kNearlyDependent = 1e-3;
// Digits may be lost if the size of a column is below this value or above its inverse.
constexpr double kMinSize = 1e-4;
// Smallest pivot, as a fraction of the square, at which columns are clearly independent.
constexpr double kClearPivot = 1e-5;
// Largest norm for which the squares of it and of its inverse are representable.
constexpr double kMaxNorm = 1e100;
// Largest number of operations that a certificate may spend on unpenalised columns.
constexpr double kMaxOperations = 1e9;

// Returns a power of two near the largest entry, by which division is exact.
double unit_of(const Vec& column) {
  const double largest = column.size() ? column.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

// Returns whether each column clearly keeps a component of its own beside the others, with the first column taken
// first: by the pivots of a Cholesky factorisation of the correlations. n m^2 / 2 operations at the speed of a matrix
// product.
bool clearly_apart(Mat columns, const Vec& share) {
  const Index m = columns.cols();
  columns.array().colwise() *= share.array().sqrt();
  Mat left = Mat::Zero(m, m);
  left.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
  const Vec size = left.diagonal().cwiseSqrt();
  if (!(size.minCoeff() > 1 / kMaxNorm) || !(size.maxCoeff() < kMaxNorm)) return false;
  left = left.selfadjointView<Eigen::Lower>();
  left = size.cwiseInverse().asDiagonal() * left * size.cwiseInverse().asDiagonal();
  const Vec along = left.col(0);
  left -= along * along.transpose();
  left(0, 0) = 1;
  return left.ldlt().vectorD().minCoeff() > kClearPivot;
}

}  // namespace

IndexList free_columns(const Surrogate& s) {
  IndexList free;
  if (!s.groups.empty()) return free;
  // This common case is tested fast.
  if (s.linear.size() == 0 && s.l1.size() > 0 && s.l1.minCoeff() > 0) return free;
  for (Index j = 0; j < s.scale.size(); ++j) {
    const bool costs = s.l1.size() > 0 && (s.cost_up(j) != 0 || s.cost_down(j) != 0);
    if (s.scale[j] == kInf && !costs) free.push_back(j);
  }
  return free;
}

FreeColumns::FreeColumns(const Design& x, bool intercept, IndexList columns, const Vec& weights)
    : columns_(std::move(columns)), first_(intercept ? 1 : 0) {
  const Index n = x.rows();
  const bool even = weights.size() == 0 || !(weights.sum() > 0);
  const Vec share = even ? Vec::Constant(n, 1.0 / static_cast<double>(n)) : Vec(weights / weights.sum());
  build(equality_columns(x, intercept, columns_), share);
}

// Gram-Schmidt with pivoting: the next column is the one with the largest remaining share of its length, and it is
// orthogonalised a second time before it is taken. The column of ones comes first and costs entries near the mean
// nothing.
void FreeColumns::build(Mat rest, const Vec& share) {
  const Index m = count();
  const auto length = [&](Index e) { return std::sqrt(share.dot(rest.col(e).cwiseAbs2())); };
  const Vec counts = (share.array() > 0).cast<double>();
  Vec unit(m), whole(m);
  for (Index e = 0; e < m; ++e) {
    unit[e] = unit_of(rest.col(e).cwiseProduct(counts));
    rest.col(e) /= unit[e];
    whole[e] = length(e);
  }
  size_ = whole.cwiseProduct(unit);
  basis_.resize(rest.rows(), m);
  r_ = Mat::Zero(m, m);
  std::vector<char> taken(std::size_t(m), 0);
  const auto reduce = [&](Index e, Index k) {
    const double along = share.dot(basis_.col(k).cwiseProduct(rest.col(e)));
    rest.col(e) -= along * basis_.col(k);
    r_(k, e) += along;
  };
  for (Index rank = 0; rank < m; ++rank) {
    Index next = -1;
    double most = kDependent;
    for (Index e = 0; e < m && !(rank == 0 && first_ == 1 && next == 0); ++e) {
      const double left = taken[std::size_t(e)] || !(whole[e] > 0) ? 0.0 : length(e) / whole[e];
      if (left > most) most = left, next = e;
    }
    if (next < 0) break;
    for (Index k = 0; k < rank; ++k) reduce(next, k);
    const double left = first_ == 1 && next == 0 ? 1.0 : length(next);
    taken[std::size_t(next)] = 1;
    if (!(left > kDependent * whole[next])) {
      --rank;
      continue;
    }
    basis_.col(rank) = rest.col(next) / left;
    r_(rank, next) = left;
    order_.push_back(next);
    const double size = left * unit[next];
    near_ = near_ || left < kNearlyDependent * whole[next];
    uneven_ = uneven_ || size < kMinSize || size > 1 / kMinSize;
    for (Index e = 0; e < m; ++e)
      if (!taken[std::size_t(e)]) reduce(e, rank);
  }
  const Index rank = static_cast<Index>(order_.size());
  basis_.conservativeResize(Eigen::NoChange, rank);
  r_ = Mat(r_.topRows(rank)) * unit.asDiagonal();
}

FreeColumns free_basis(const Problem& p, const Surrogate& s) {
  if (p.quadratic == Quadratic::kernel) return {};
  IndexList free = free_columns(s);
  const double m = static_cast<double>(free.size());
  if (free.empty() || m * m * static_cast<double>(p.x->rows()) > kMaxOperations) return {};
  const Vec counts = (p.cost.array() > 0).cast<double>();
  if (clearly_apart(equality_columns(*p.x, p.intercept, free), counts)) return {};
  return FreeColumns(*p.x, p.intercept, std::move(free), counts);
}

Problem on_basis(const Problem& problem, const FreeColumns& free) {
  Problem turned = problem;
  turned.x = free.enter(problem.x);
  return turned;
}

double FreeColumns::rounding(const Solution& s) const {
  Vec sum = Vec::Zero(s.w.cols());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    sum += size_[first_ + Index(k)] * s.w.row(columns_[k]).cwiseAbs().transpose();
  return sum.size() ? 0.5 * std::numeric_limits<double>::epsilon() * sum.maxCoeff() : 0.0;
}

Mat FreeColumns::enter(const Mat& given) const { return r_ * given; }

Mat FreeColumns::leave(const Mat& coefficients) const {
  Mat given = Mat::Zero(count(), coefficients.cols());
  for (Index k = static_cast<Index>(order_.size()) - 1; k >= 0; --k) {
    Eigen::RowVectorXd left = coefficients.row(k);
    for (std::size_t l = std::size_t(k) + 1; l < order_.size(); ++l)
      left -= r_(k, order_[l]) * given.row(order_[l]);
    given.row(order_[std::size_t(k)]) = left / r_(k, order_[std::size_t(k)]);
  }
  return given;
}

std::shared_ptr<const Design> FreeColumns::enter(std::shared_ptr<const Design> x) const {
  Mat values = Mat::Zero(x->rows(), Index(columns_.size()));
  const Index own = basis_.cols() - first_;
  values.leftCols(own) = basis_.rightCols(own);
  return replaced_design(std::move(x), columns_, std::move(values));
}

Solution FreeColumns::enter(Solution s) const {
  Mat given(count(), s.w.cols());
  if (first_) given.row(0) = s.b.transpose();
  for (std::size_t k = 0; k < columns_.size(); ++k) given.row(first_ + Index(k)) = s.w.row(columns_[k]);
  const Mat coefficients = enter(given);
  if (first_) s.b = coefficients.row(0).transpose();
  put(coefficients, s);
  return s;
}

Mat FreeColumns::put(const Mat& coefficients, Solution& s) const {
  const Index own = basis_.cols() - first_;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    s.w.row(columns_[k]).setZero();
    if (Index(k) < own) s.w.row(columns_[k]) = coefficients.row(first_ + Index(k));
  }
  return basis_.rightCols(own) * coefficients.bottomRows(own);
}

Solution FreeColumns::leave(Solution s) const {
  Mat coefficients(basis_.cols(), s.w.cols());
  if (first_) coefficients.row(0) = s.b.transpose();
  for (Index k = first_; k < coefficients.rows(); ++k)
    coefficients.row(k) = s.w.row(columns_[std::size_t(k - first_)]);
  const Mat given = leave(coefficients);
  if (first_) s.b = given.row(0).transpose();
  for (std::size_t k = 0; k < columns_.size(); ++k) s.w.row(columns_[k]) = given.row(first_ + Index(k));
  return s;
}

}  // namespace zeronorm

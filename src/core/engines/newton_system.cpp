#include "newton_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeronorm {
namespace {

constexpr int kGradients = 1000;       // conjugate gradient steps
constexpr Index kFewest = 64;          // columns for which Cholesky is always taken
constexpr Index kMost = 2000;          // and above which never
constexpr double kPerEntry = 1.2e-9;   // seconds of a conjugate gradient step, and
constexpr double kPerProduct = 1e-10;  // of a product in a Gram matrix: they choose in between

}  // namespace

void NewtonSystem::take(const RowCopy& rows, const IndexList& place, const Vec& z, const Mat& f,
                        bool intercept) {
  rows_ = &rows;
  place_ = place;
  z_ = z;
  f_ = f;
  intercept_ = intercept;
  summed_.resize(0);  // sums anew, before rounding gathers
}

void NewtonSystem::weigh(const IndexList& rows, const Vec& weights, const Vec& held) {
  between_ = rows;
  d_ = Vec::Zero(n());
  for (Index i : between_) d_[i] = weights[i];
  const Index f = f_.cols();
  Mat m = Mat::Zero(f, f);
  for (Index i : between_) m += d_[i] * f_.row(i).transpose() * f_.row(i);
  for (Index l = 0; l < f; ++l) m(l, l) += held[l] + 1e-12 * (1 + m(l, l));
  inverse_ = f > 0 ? Mat(m.ldlt().solve(Mat::Identity(f, f))) : Mat(0, 0);
}

double NewtonSystem::energy(const Vec& imbalance) const { return 0.5 * imbalance.dot(inverse_ * imbalance); }

NewtonSystem::Step NewtonSystem::solve(const Vec& gradient, const Vec& imbalance, double accuracy,
                                       const Limits& limits) {
  const Index p = z_.size(), f = f_.cols();
  Step step{Vec::Zero(p), Vec::Zero(f)};
  // Eigen's products bind references to data that empty matrices do not have.
  if (p > 0) {
    couple();
    Vec right = -gradient;
    if (f > 0) right += coupling_ * (inverse_ * imbalance);
    const double copied = double(rows_->cols());
    const double few = kPerProduct * (double(between_.size()) * copied * copied + std::pow(double(p), 3));
    const double many = kPerEntry * expected_ * rows_->entries(between_);
    const bool direct = p <= kFewest || (p <= kMost && few < many);
    step.u = direct ? solve_few(right) : solve_many(right, accuracy, limits);
  }
  if (f > 0) {
    Vec left = -imbalance;
    if (p > 0) left -= coupling_.transpose() * step.u;
    step.theta = inverse_ * left;
  }
  return step;
}

// What the free columns take from a step of u, and the diagonal of what is left. O(entries of the rows whose
// weights have changed).
void NewtonSystem::couple() {
  const Index p = z_.size(), f = f_.cols();
  if (summed_.size() != n()) {
    summed_ = Vec::Zero(n());
    column_sums_ = Mat::Zero(rows_->cols(), f + 1);
    column_squares_ = Vec::Zero(rows_->cols());
  }
  const Vec change = d_ - summed_;
  IndexList changed;
  for (Index i = 0; i < n(); ++i)
    if (change[i] != 0) changed.push_back(i);
  summed_ = d_;
  Vec sums, squares;
  for (Index l = 0; l <= f && !changed.empty(); ++l) {
    if (l == f && f > 0) break;
    rows_->weighted_sums(changed, f > 0 ? Vec(change.cwiseProduct(f_.col(l))) : change, sums, squares);
    column_sums_.col(l) += sums;
    // The last free column is the intercept, if any; then its weights are those of the squares.
    if (l + 1 < f) continue;
    if (f > 0 && !intercept_) rows_->weighted_sums(changed, change, sums, squares);
    column_squares_ += squares;
  }
  coupling_.resize(p, f);
  diagonal_.resize(p);
  for (Index k = 0; k < p; ++k) {
    const Index at = place_[std::size_t(k)];
    coupling_.row(k) = z_[k] * column_sums_.row(at).head(f);
    diagonal_[k] = 1 + z_[k] * z_[k] * column_squares_[at];
  }
  if (f > 0)
    diagonal_ = (diagonal_ - (coupling_ * inverse_).cwiseProduct(coupling_).rowwise().sum()).cwiseMax(1.0);
}

// (I + Z X'D X Z - coupling inverse coupling') x = right by Cholesky. O(|R| p^2 + p^3).
Vec NewtonSystem::solve_few(const Vec& right) const {
  const Index p = z_.size();
  const Mat all = rows_->gram(between_, d_);
  Mat h(p, p);
  for (Index c = 0; c < p; ++c)
    for (Index r = c; r < p; ++r) {
      const Index a = place_[std::size_t(r)], b = place_[std::size_t(c)];
      h(r, c) = z_[r] * z_[c] * all(std::max(a, b), std::min(a, b));
    }
  if (f_.cols() > 0) h.triangularView<Eigen::Lower>() -= coupling_ * inverse_ * coupling_.transpose();
  h.diagonal().array() += 1;
  return Eigen::LLT<Eigen::Ref<Mat>>(h).solve(right);
}

// The same by preconditioned conjugate gradients, to a residual of `accuracy` of the right side.
// O(entries of R) a step.
Vec NewtonSystem::solve_many(const Vec& right, double accuracy, const Limits& limits) {
  const Index p = right.size();
  Vec x = Vec::Zero(p), residual = right, scaled = residual.cwiseQuotient(diagonal_), direction = scaled;
  Vec spread = Vec::Zero(rows_->cols()), shift = Vec::Zero(n());
  double rho = residual.dot(scaled);
  const double enough = accuracy * right.norm();
  int step = 0;
  for (; step < kGradients && residual.norm() > enough; ++step) {
    if (step % 16 == 15 && limits.stop_now()) break;
    for (Index k = 0; k < p; ++k) spread[place_[std::size_t(k)]] = z_[k] * direction[k];
    if (f_.cols() > 0) shift = f_ * (inverse_ * (coupling_.transpose() * direction));
    const Vec product = rows_->square_times(between_, d_, shift, spread);
    Vec image = direction;
    for (Index k = 0; k < p; ++k) image[k] += z_[k] * product[place_[std::size_t(k)]];
    const double bend = direction.dot(image);
    if (!(bend > 0)) break;
    x += (rho / bend) * direction;
    residual -= (rho / bend) * image;
    scaled = residual.cwiseQuotient(diagonal_);
    const double next = residual.dot(scaled);
    direction = scaled + (next / rho) * direction;
    rho = next;
  }
  expected_ = step;
  return x;
}

}  // namespace zeronorm

#include "engines/parts/newton_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/indices.h"

namespace zeronorm {
namespace {

// Largest number of conjugate gradient steps.
constexpr int kMaxGradientSteps = 1000;
// Up to this number of columns the system is always solved by Cholesky.
constexpr Index kAlwaysFactored = 64;
// Above this number of columns no Gram matrix is made.
constexpr Index kMaxGramColumns = 2000;
// Sums over rows are updated this many times before they are computed again, because rounding errors accumulate.
constexpr int kMaxUpdates = 50;
// A Gram matrix is made once the time spent for lack of one, divided by this factor, exceeds its cost.
constexpr double kMinSavings = 2;
// A factorisation costs as much as conjugate gradients if there are this many columns for each of their steps.
constexpr double kColumnsPerStep = 6;
// Estimated seconds per entry of a conjugate gradient step over the rows; it selects the method, not the result.
constexpr double kSecondsPerEntry = 1.2e-9;
// Estimated seconds per product of a Gram matrix; it selects the method, not the result.
constexpr double kSecondsPerProduct = 1e-10;

}  // namespace

void NewtonSystem::take(const RowCopy& rows, const IndexList& place, const Vec& z, const Mat& f,
                        bool intercept) {
  rows_ = &rows;
  place_ = place;
  z_ = z;
  f_ = f;
  intercept_ = intercept;
}

// Keeps the sums of the remaining columns.
void NewtonSystem::keep(const std::vector<char>& kept) {
  if (summed_.size() == 0) return;
  Index to = 0;
  IndexList left;
  for (std::size_t c = 0; c < kept.size(); ++c)
    if (kept[c]) left.push_back(Index(c));
  for (Index c : left) {
    column_sums_.row(to) = column_sums_.row(c);
    column_squares_[to] = column_squares_[c];
    for (Index r = to; r < Index(left.size()) && gram_.size() > 0; ++r)
      gram_(r, to) = gram_(left[std::size_t(r)], c);
    ++to;
  }
  column_sums_.conservativeResize(to, Eigen::NoChange);
  column_squares_.conservativeResize(to);
  if (gram_.size() > 0) gram_.conservativeResize(to, to);
}

void NewtonSystem::forget() {
  summed_.resize(0);
  gram_.resize(0, 0);
  spent_ = 0;
}

void NewtonSystem::weigh(const IndexList& rows, const Vec& weights, const Vec& held) {
  between_ = rows;
  unit_ = std::max(weights.maxCoeff(), 1e-300);
  d_ = Vec::Zero(n());
  for (Index i : between_) d_[i] = weights[i];
  const Index f = f_.cols();
  Mat m(f, f);
  if (f > 0) m = f_.transpose() * d_.asDiagonal() * f_;
  for (Index l = 0; l < f; ++l) m(l, l) += held[l] + 1e-12 * (1 + m(l, l));
  inverse_ = f > 0 ? Mat(m.ldlt().solve(Mat::Identity(f, f))) : Mat(0, 0);
}

double NewtonSystem::energy(const Vec& imbalance) const { return 0.5 * imbalance.dot(inverse_ * imbalance); }

NewtonSystem::Step NewtonSystem::solve(const Vec& gradient, const Vec& imbalance, double accuracy,
                                       const Limits& limits) {
  const Index p = z_.size(), f = f_.cols();
  Step step{Vec::Zero(p), Vec::Zero(f)};
  // Eigen's products bind references to the data of their operands, which empty matrices do not have.
  if (p > 0) {
    couple();
    Vec right = -gradient;
    if (f > 0) right += coupling_ * (inverse_ * imbalance);
    if (by_gram()) {
      Mat h = hessian();
      if (factored())
        step.u = Eigen::LLT<Eigen::Ref<Mat>>(h).solve(right);
      else
        step.u = solve_many(right, accuracy, limits,
                            [&](const Vec& v) { return Vec(h.selfadjointView<Eigen::Lower>() * v); });
    } else {
      step.u = solve_many(right, accuracy, limits, [&](const Vec& v) { return over_rows(v); });
    }
  }
  if (f > 0) {
    Vec left = -imbalance;
    if (p > 0) left -= coupling_.transpose() * step.u;
    step.theta = inverse_ * left;
  }
  return step;
}

// Computes the coupling of u and the unpenalised columns and the diagonal of the Schur complement. O(nonzeros of the
// rows whose weights have changed).
void NewtonSystem::couple() {
  const Index p = z_.size(), f = f_.cols();
  const Vec shares = d_ / unit_;
  const bool none = summed_.size() != n() || column_sums_.cols() != f + 1;
  change_ = none ? shares : Vec(shares - summed_);
  changed_ = none ? between_ : nonzero_entries(change_);
  Vec change = change_;
  IndexList changed = changed_;
  // The sums are computed again if that costs no more than an update, and before rounding errors accumulate.
  if (none || ++changes_ == kMaxUpdates || changed.size() >= between_.size()) {
    change = shares;
    changed = between_;
    changes_ = 0;
    column_sums_ = Mat::Zero(rows_->cols(), f + 1);
    column_squares_ = Vec::Zero(rows_->cols());
  }
  summed_ = shares;
  Vec sums, squares;
  for (Index l = 0; l <= f && !changed.empty(); ++l) {
    if (l == f && f > 0) break;
    rows_->weighted_sums(changed, f > 0 ? Vec(change.cwiseProduct(f_.col(l))) : change, sums, squares);
    column_sums_.col(l) += sums;
    // The last unpenalised column is the intercept, if any, whose weights are those of the squares.
    if (l + 1 < f) continue;
    if (f > 0 && !intercept_) rows_->weighted_sums(changed, change, sums, squares);
    column_squares_ += squares;
  }
  coupling_.resize(p, f);
  diagonal_.resize(p);
  for (Index k = 0; k < p; ++k) {
    const Index at = place_[std::size_t(k)];
    coupling_.row(k) = (z_[k] * unit_) * column_sums_.row(at).head(f);
    diagonal_[k] = 1 + z_[k] * z_[k] * unit_ * column_squares_[at];
  }
  if (f > 0)
    diagonal_ = (diagonal_ - (coupling_ * inverse_).cwiseProduct(coupling_).rowwise().sum()).cwiseMax(1.0);
}

// Returns whether the Gram matrix of the rows is available and worth its updates. It is made if this is faster at
// once, or once the steps without it have cost several times as much. O(gram_work) of the rows whose weights have
// changed, or of all.
bool NewtonSystem::by_gram() {
  if (rows_->cols() > kMaxGramColumns) return false;
  const double p = double(z_.size()), use = factored() ? std::pow(p, 3) : kColumnsPerStep * expected_ * p * p;
  const double without = kSecondsPerEntry * expected_ * rows_->entries(between_);
  const double with = kSecondsPerProduct * (rows_->gram_work(changed_) + use);
  const bool few = z_.size() <= kAlwaysFactored, same = gram_.size() > 0 && changed_.size() < between_.size();
  if (same && (few || with < without)) {
    IndexList more, less;
    for (Index i : changed_) (change_[i] > 0 ? more : less).push_back(i);
    if (!more.empty()) gram_ += rows_->gram(more, change_);
    if (!less.empty()) gram_ -= rows_->gram(less, -change_);
    return true;
  }
  gram_.resize(0, 0);
  spent_ += std::max(0.0, without - with);
  const double made = kSecondsPerProduct * (rows_->gram_work(between_) + use);
  if (!few && made >= std::max(without, spent_ / kMinSavings)) return false;
  gram_ = rows_->gram(between_, summed_);
  spent_ = 0;
  return true;
}

// Returns whether factoring the Gram matrix costs no more than conjugate gradients with it.
bool NewtonSystem::factored() const {
  return z_.size() <= kAlwaysFactored || double(z_.size()) < kColumnsPerStep * expected_;
}

// Returns the lower half of I + Z X'D X Z - coupling inverse coupling'. O(p^2).
Mat NewtonSystem::hessian() const {
  const Index p = z_.size();
  Mat h(p, p);
  for (Index c = 0; c < p; ++c)
    for (Index r = c; r < p; ++r) {
      const Index a = place_[std::size_t(r)], b = place_[std::size_t(c)];
      h(r, c) = z_[r] * z_[c] * unit_ * gram_(std::max(a, b), std::min(a, b));
    }
  if (f_.cols() > 0) h.triangularView<Eigen::Lower>() -= coupling_ * inverse_ * coupling_.transpose();
  h.diagonal().array() += 1;
  return h;
}

// Returns the same matrix times a direction. O(nonzeros of the rows).
Vec NewtonSystem::over_rows(const Vec& direction) const {
  Vec spread = Vec::Zero(rows_->cols()), shift = Vec::Zero(n()), image = direction;
  for (Index k = 0; k < direction.size(); ++k) spread[place_[std::size_t(k)]] = z_[k] * direction[k];
  if (f_.cols() > 0) shift = f_ * (inverse_ * (coupling_.transpose() * direction));
  const Vec product = rows_->square_times(between_, d_, shift, spread);
  for (Index k = 0; k < direction.size(); ++k) image[k] += z_[k] * product[place_[std::size_t(k)]];
  return image;
}

// Preconditioned conjugate gradients, where image() multiplies by the matrix, until the residual is below `accuracy`
// times the right-hand side.
template <class Image>
Vec NewtonSystem::solve_many(const Vec& right, double accuracy, const Limits& limits, Image image) {
  Vec x = Vec::Zero(right.size()), residual = right, scaled = residual.cwiseQuotient(diagonal_),
      direction = scaled;
  double rho = residual.dot(scaled);
  const double enough = accuracy * right.norm();
  int step = 0;
  for (; step < kMaxGradientSteps && residual.norm() > enough; ++step) {
    if (step % 16 == 15 && limits.stop_now()) break;
    const Vec along = image(direction);
    const double bend = direction.dot(along);
    if (!(bend > 0)) break;
    x += (rho / bend) * direction;
    residual -= (rho / bend) * along;
    scaled = residual.cwiseQuotient(diagonal_);
    const double next = residual.dot(scaled);
    direction = scaled + (next / rho) * direction;
    rho = next;
  }
  expected_ = step;
  return x;
}

}  // namespace zeronorm

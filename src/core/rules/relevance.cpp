#include "rules/relevance.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "problem/loss.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Precision, for a column of unit standard deviation, at which the column is dropped.
constexpr double kMaxPrecision = 1e9;
// Relative change of a precision at which it counts as converged.
constexpr double kSettledChange = 1e-7;
// First noise variance, as a share of the variance of y.
constexpr double kFirstNoise = 0.1;
// Smallest noise variance, as a share of the variance of y.
constexpr double kLeastNoise = 1e-10;
// A column counts as explained if unpenalised columns leave at most this share of its length.
constexpr double kDependent = 1e-8;
// Variation of y, relative to its mean, below which y counts as constant.
constexpr double kMinVariation = 1e-9;
// Smallest number of degrees of freedom, as a share of the observations.
constexpr double kMinFreedom = 1e-3;
// Largest change of the logarithms at which the estimation of the noise begins.
constexpr double kNoiseChange = 0.01;
// Number of iterations that the extrapolation uses.
constexpr std::size_t kAndersonMemory = 6;
// Largest change of a logarithm in one extrapolation.
constexpr double kMaxExtrapolation = 3;
// Change of the other logarithms below which a diverging precision increases by at least kLogLeap.
constexpr double kOthersSettled = 0.01;
// Smallest increase of the logarithm of a diverging precision, and largest extended step.
constexpr double kLogLeap = 1;
// Factor on the length of steps while the evidence increases.
constexpr double kStepGrowth = 1.5;
// Factor on the steps of precisions that diverge.
constexpr double kDivergenceGrowth = 8;

}  // namespace

bool Relevance::kept(Index j) const { return std::find(keep_.begin(), keep_.end(), j) != keep_.end(); }

void Relevance::begin(const Problem& problem, const Surrogate& s) {
  squared_ = problem.loss == Loss::squared;
  const Vec y = problem.y.col(0);
  const double total = problem.cost.sum();
  const double mean = problem.intercept ? problem.cost.dot(y) / total : 0.0;
  const double spread = problem.cost.dot((y.array() - mean).square().matrix()) / total;
  const bool varies = std::sqrt(spread) > kMinVariation * std::abs(mean);
  const double variance = squared_ && varies ? spread : 1.0;
  if (squared_) {
    noise_ = kFirstNoise * variance;
    least_noise_ = kLeastNoise * variance;
  }
  unit_ = problem.x->weighted_squares(problem.cost) / (total * variance);
  std::vector<char> out = explained(problem);
  for (Index j : left_out_) out[j] = 1;
  for (Index j = 0; j < unit_.size(); ++j)
    if (!out[j] && s.scale[j] > 0 && unit_[j] > 0) columns_.push_back(j);
  holds_noise_ = squared_ && 2 * columns_.size() > std::size_t(problem.x->rows());
  log_beta_.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) log_beta_[c] = std::log(unit_[columns_[c]]);
}

// Marks the unpenalised columns and those that they explain up to rounding, whose precision would be a quotient of
// two rounding errors.
std::vector<char> Relevance::explained(const Problem& problem) const {
  std::vector<char> out(problem.x->cols(), 0);
  for (Index j : free_) out[j] = 1;
  if (free_.empty()) return out;
  const Vec root = problem.cost.cwiseSqrt();
  const Mat basis = root.asDiagonal() * equality_columns(*problem.x, problem.intercept, free_);
  const Eigen::CompleteOrthogonalDecomposition<Mat> least(basis);
  Vec column(problem.x->rows());
  for (std::size_t j = 0; j < out.size(); ++j) {
    problem.x->column(static_cast<Index>(j), column.data());
    column = root.cwiseProduct(column);
    if ((column - basis * least.solve(column)).norm() <= kDependent * column.norm()) out[j] = 1;
  }
  return out;
}

// The squared loss is not divided by its noise; instead its ridges are multiplied by it.
void Relevance::write(Surrogate& s) const {
  const double factor = squared_ ? noise_ : 1.0;
  s.scale.setZero();
  for (Index j : free_) s.scale[j] = kInf;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    s.scale[columns_[c]] = std::exp(-0.5 * log_beta_[c]) / std::sqrt(factor);
}

// With Z = sqrt(R) X B^-1/2, where R is the curvature of the loss and X is orthogonal to the unpenalised columns,
// gamma is the diagonal of Z'Z (I + Z'Z)^-1 = Z'(I + ZZ')^-1 Z; the smaller matrix is factored.
Relevance::Posterior Relevance::posterior(const Problem& problem, const Solution& solution) const {
  const Index n = problem.x->rows(), m = static_cast<Index>(columns_.size());
  const Vec f = decision_values(*problem.x, solution.w, problem.intercept ? solution.b : Vec()).col(0);
  Vec root(n);
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    root[i] = std::sqrt(problem.cost[i] * loss_curvature(problem.loss, problem.y(i, 0), f[i]) / noise_);
    squares += problem.cost[i] * std::pow(problem.y(i, 0) - f[i], 2);
  }
  Mat z(n, m);
  for (Index c = 0; c < m; ++c) {
    problem.x->column(columns_[c], z.col(c).data());
    z.col(c) = std::exp(-0.5 * log_beta_[c]) * root.cwiseProduct(z.col(c));
  }
  const Mat free = root.asDiagonal() * equality_columns(*problem.x, problem.intercept, free_);
  Posterior at;
  Index spent = 0;
  if (free.cols() > 0) {
    const Eigen::ColPivHouseholderQR<Mat> qr(free);
    spent = qr.rank();
    const Mat basis = qr.householderQ() * Mat::Identity(n, spent);
    for (int round = 0; round < 2; ++round) z -= basis * (basis.transpose() * z);
    for (Index e = 0; e < spent; ++e) at.log_det += 2 * std::log(std::abs(qr.matrixQR()(e, e)));
  }
  if (m <= n) {
    Mat h = Mat::Identity(m, m);
    h.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
    const Eigen::LLT<Mat> factor(h);
    const Mat inverse = factor.matrixL().solve(Mat::Identity(m, m));
    at.rest = inverse.colwise().squaredNorm();
    at.gamma = (1 - at.rest.array()).max(1e-300);
    at.log_det += 2 * factor.matrixLLT().diagonal().array().log().sum();
  } else {
    Mat h = Mat::Identity(n, n);
    h.selfadjointView<Eigen::Lower>().rankUpdate(z);
    const Eigen::LLT<Mat> factor(h);
    factor.matrixL().solveInPlace(z);
    at.gamma = z.colwise().squaredNorm().cwiseMax(1e-300).cwiseMin(1.0);
    at.rest = (1 - at.gamma.array()).max(1e-16);
    at.log_det += 2 * factor.matrixLLT().diagonal().array().log().sum();
  }
  if (squared_) {
    const double total = problem.cost.sum();
    const double freedom = std::max(total - at.gamma.sum() - double(spent), kMinFreedom * total);
    at.noise = std::max(least_noise_, squares / freedom);
  }
  return at;
}

// Returns the logarithms to which the fixed-point equation leads.
Vec Relevance::wanted(const Posterior& at, const Vec& w) const {
  const Index m = at.gamma.size();
  Vec to(m + (squared_ ? 1 : 0));
  for (Index c = 0; c < m; ++c) {
    const double square = std::max(w[columns_[c]] * w[columns_[c]], 1e-300);
    to[c] = std::log(at.gamma[c] / square);
  }
  if (squared_) to[m] = holds_noise_ ? log_beta_[m] : std::log(at.noise);
  return to;
}

// Anderson's method: the combination of the last iterations whose steps cancel best. An iteration that made steps
// longer clears the memory. If the extrapolation fails, steps grow as long as the evidence does.
Vec Relevance::extrapolate(const Vec& step, double value) {
  const double size = step.cwiseAbs().maxCoeff();
  if (size > 2 * last_step_) {
    points_.clear();
    steps_.clear();
  }
  last_step_ = size;
  points_.push_back(log_beta_);
  steps_.push_back(step);
  if (points_.size() > kAndersonMemory) {
    points_.pop_front();
    steps_.pop_front();
  }
  stretch_ = value < last_value_ ? kStepGrowth * stretch_ : 1.0;
  last_value_ = value;
  const Vec longer = std::min(stretch_, std::max(1.0, kLogLeap / size)) * step;
  const Index k = static_cast<Index>(steps_.size()) - 1;
  if (k < 1 || size > 0.5) return longer;
  Mat changes(step.size(), k), moves(step.size(), k);
  for (Index e = 0; e < k; ++e) {
    changes.col(e) = steps_[e + 1] - steps_[e];
    moves.col(e) = points_[e + 1] - points_[e];
  }
  const Vec mix = changes.colPivHouseholderQr().solve(step);
  const Vec far = step - (moves + changes) * mix;
  const bool onward = far.allFinite() && far.dot(step) > 0;
  return onward && far.cwiseAbs().maxCoeff() <= kMaxExtrapolation ? far : longer;
}

// Drops columns whose precision has become infinite; returns whether there were any.
bool Relevance::drop() {
  const Index m = static_cast<Index>(columns_.size());
  IndexList left;
  Vec precision(log_beta_.size());
  for (Index c = 0; c < m; ++c) {
    const Index j = columns_[c];
    const double most = std::log(kMaxPrecision * unit_[j]);
    if (log_beta_[c] > most && !kept(j)) continue;
    precision[static_cast<Index>(left.size())] = std::min(log_beta_[c], most);
    left.push_back(j);
  }
  if (static_cast<Index>(left.size()) == m) {
    log_beta_.head(m) = precision.head(m);
    return false;
  }
  const Index size = static_cast<Index>(left.size());
  Vec now(size + log_beta_.size() - m);
  now << precision.head(size), log_beta_.tail(log_beta_.size() - m);
  log_beta_ = now;
  columns_ = std::move(left);
  points_.clear();
  steps_.clear();
  last_step_ = kInf;
  return true;
}

bool Relevance::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  if (trace.rounds.empty()) {
    begin(problem, surrogate);
    if (squared_) {
      log_beta_.conservativeResize(log_beta_.size() + 1);
      log_beta_[log_beta_.size() - 1] = std::log(noise_);
    }
    write(surrogate);
    return true;
  }
  const Vec w = trace.solution.w.col(0);
  const Index m = static_cast<Index>(columns_.size());
  const Vec to = wanted(now_, w);
  Vec step = to - log_beta_;
  double worst = 0;
  residual_ = 0;
  for (Index c = 0; c < m; ++c) {
    const bool held =
        kept(columns_[c]) && log_beta_[c] >= std::log(kMaxPrecision * unit_[columns_[c]]) && step[c] > 0;
    if (held) {
      step[c] = 0;
      continue;
    }
    const double square = w[columns_[c]] * w[columns_[c]];
    residual_ = std::max(residual_, std::abs(std::exp(log_beta_[c]) * square - now_.gamma[c]));
    worst = std::max(worst, std::abs(step[c]));
  }
  if (squared_) worst = std::max(worst, std::abs(step[m]));
  if (worst <= kSettledChange && !holds_noise_) return false;
  // A precision diverges if s >= q^2, where s and q are the sparsity and quality factors of its column.
  std::vector<char> leaving(m, 0);
  for (Index c = 0; c < m; ++c) {
    const double s = now_.gamma[c] / now_.rest[c],
                 q = w[columns_[c]] * std::exp(0.5 * log_beta_[c]) / now_.rest[c];
    leaving[c] = step[c] > 0 && q * q <= s;
  }
  Vec calm = step;
  for (Index c = 0; c < m; ++c)
    if (leaving[c]) calm[c] = 0;
  if (holds_noise_ && worst <= kNoiseChange) holds_noise_ = false;
  Vec move = extrapolate(calm, trace.rounds.back().objective);
  const bool alone = calm.cwiseAbs().maxCoeff() <= kOthersSettled;
  for (Index c = 0; c < m; ++c)
    if (leaving[c])
      move[c] =
          std::max(alone ? kLogLeap : 0.0, now_.gamma[c] < 0.01 ? kDivergenceGrowth * step[c] : step[c]);
  log_beta_ += move;
  drop();
  if (squared_) {
    double& last = log_beta_[log_beta_.size() - 1];
    last = std::max(last, std::log(least_noise_));
    noise_ = std::exp(last);
  }
  write(surrogate);
  return true;
}

double Relevance::objective(const Problem& problem, const Surrogate&, const Solution& solution) const {
  now_ = posterior(problem, solution);
  double value = solution.certificate.primal / noise_ + 0.5 * now_.log_det;
  if (squared_) value += 0.5 * problem.cost.sum() * std::log(noise_);
  return value;
}

}  // namespace zeronorm

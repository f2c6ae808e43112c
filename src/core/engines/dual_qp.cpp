// The duals of l2 SVMs on rescaled columns (l2-AROM, RFE) or on a kernel expansion (arbitrary-norm SVM):
//   max over a:  m'a - 1/2 (y a)'K(y a) - [squared hinge] sum a_i^2 / (2 c_i),   0 <= a <= c,   F'(y a) = 0,
// where K is the Gram matrix of the rows on the present scales and F holds the intercept and the unpenalised columns.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/scaled_gram.h"
#include "engines/parts/svm_dual.h"
#include "engines/sizes.h"
#include "grade/certificate.h"
#include "problem/free_columns.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

// The Gram matrix of an expansion over the columns of a kernel matrix with the regulariser 1/2 w'Kw + 1/2 sum
// (w_j/z_j)^2. The dual uses B'B with B = L^-1 S K on the points with z_j > 0, where LL' = S K S + (S/Z)^2 and S =
// min(z, 1), and w = S L^-T B v. If all z are infinite, it uses K itself. The rows of the problem may be any of the
// points.
class ExpansionGram {
 public:
  void setup(std::shared_ptr<const Design> x) {
    kernel_ = x->gram(Vec::Ones(x->cols()));
    points_ = x->points();
    x_ = std::move(x);
    z_.resize(0);
  }

  // Returns the Gram matrix for these scales. O(n^2 m + m^3) for m columns; nothing is computed if no scale changed.
  const Mat& gram(const Vec& scale) {
    const bool same = z_.size() == scale.size() && z_ == scale;
    if (same) return plain_ && points_.empty() ? kernel_ : k_;
    z_ = scale;
    plain_ = scale.minCoeff() == kInf;
    if (plain_) {
      if (points_.empty()) return kernel_;
      k_.resize(points_.size(), points_.size());
      for (Index i = 0; i < k_.cols(); ++i) k_.col(i) = at_rows(*x_, kernel_.col(points_[i]));
      return k_;
    }
    active_.clear();
    const double cut = 1e-12 * scale.cwiseMin(1.0).maxCoeff();
    for (Index j = 0; j < scale.size(); ++j)
      if (scale[j] > cut) active_.push_back(j);
    const Index m = static_cast<Index>(active_.size());
    s_.resize(m);
    for (Index c = 0; c < m; ++c) s_[c] = std::min(1.0, scale[active_[c]]);
    const Index rows = points_.empty() ? kernel_.cols() : static_cast<Index>(points_.size());
    if (m == 0) return k_ = Mat::Zero(rows, rows);
    b_.resize(m, rows);
    for (Index c = 0; c < m; ++c) b_.row(c) = s_[c] * at_rows(*x_, kernel_.col(active_[c])).transpose();
    Mat a(m, m);
    for (Index c = 0; c < m; ++c)
      for (Index e = 0; e < m; ++e) a(e, c) = s_[e] * s_[c] * kernel_(active_[e], active_[c]);
    const double tiny = 1e-14 * a.trace() / m;
    for (Index c = 0; c < m; ++c) {
      const double inverse = s_[c] / scale[active_[c]];
      a(c, c) += scale[active_[c]] < kInf ? inverse * inverse : tiny;
    }
    factor_.compute(a);
    factor_.matrixL().solveInPlace(b_);
    k_ = Mat::Zero(rows, rows);
    k_.selfadjointView<Eigen::Lower>().rankUpdate(b_.transpose());
    k_.triangularView<Eigen::StrictlyUpper>() = k_.transpose();
    return k_;
  }

  Vec coefficients(const Vec& v) const {
    if (plain_ && points_.empty()) return v;
    if (plain_) {
      Vec w = Vec::Zero(kernel_.cols());
      for (std::size_t i = 0; i < points_.size(); ++i) w[points_[i]] += v[i];
      return w;
    }
    if (active_.empty()) return Vec::Zero(z_.size());
    Vec u = b_ * v;
    factor_.matrixU().solveInPlace(u);
    Vec w = Vec::Zero(z_.size());
    for (std::size_t c = 0; c < active_.size(); ++c) w[active_[c]] = s_[c] * u[c];
    return w;
  }

  // Returns false if the kernel matrix is not positive semidefinite on these columns.
  bool definite() const { return plain_ || active_.empty() || factor_.info() == Eigen::Success; }

 private:
  std::shared_ptr<const Design> x_;
  // The point of each row; empty if the rows are the points in their order.
  IndexList points_;
  Mat kernel_, k_, b_;
  Vec z_, s_;
  IndexList active_;
  Eigen::LLT<Mat> factor_;
  bool plain_ = true;
};

class DualEngine final : public BareEngine {
 public:
  DualEngine() : BareEngine(kDualEngine) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (!has_slacks(p.loss)) return "The dual engine takes the hinge and the squared hinge loss.";
    if (p.loss == Loss::weston_watkins || p.y.cols() != 1) return "The dual engine takes one output.";
    if (!s.groups.empty()) return "The dual engine takes no groups of columns.";
    if (s.l1.size() > 0 && s.has_l1()) return "The dual engine takes no l1 or linear term.";
    if (p.x->rows() > kMostRowsOfDual)
      return "The dual engine keeps a number for each pair of rows, which " + std::to_string(p.x->rows()) +
             " rows make too many.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    qp_ = BoxQp();
    qp_.setup(problem.y.col(0), problem.margins(), problem.cost, problem.loss);
    if (kernel())
      expansion_.setup(problem.x);
    else
      scaled_.setup(problem.x);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    Solution out;
    out.engine = name();
    out.w = Mat::Zero(problem_->x->cols(), 1);
    out.b = Vec::Zero(1);
    out.dual = Mat::Zero(problem_->x->rows(), 1);
    out.note = refusal(*problem_, surrogate);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    qp_.release();
    const Mat& k = kernel() ? expansion_.gram(surrogate.scale) : scaled_.gram(surrogate.scale, limits);
    if (limits.stop_now()) {
      scaled_.forget();
      out.status = Status::interrupted;
      return out;
    }
    if (kernel() && !expansion_.definite()) {
      out.note = "The kernel matrix is not positive semidefinite.";
      return out;
    }
    const FreeColumns free = equalities(surrogate);
    const BoxQp::Outcome outcome = qp_.solve(k, free.basis(), limits);
    out.iterations = qp_.steps;
    if (outcome == BoxQp::Outcome::ray) return not_separable(surrogate, k, out);
    if (outcome == BoxQp::Outcome::interrupted) {
      out.status = Status::interrupted;
      return out;
    }
    const double gap = recover(surrogate, free, out);
    if (gap <= limits.tol)
      out.status = Status::optimal;
    else if (outcome == BoxQp::Outcome::limit)
      out.status = Status::limit;
    else
      out.note = "Rounding kept the dual engine from the tolerance.";
    return out;
  }

 private:
  const Problem* problem_ = nullptr;
  BoxQp qp_;
  ScaledGram scaled_;
  ExpansionGram expansion_;

  bool kernel() const { return problem_->quadratic == Quadratic::kernel; }

  // Returns a basis of F = [1, unpenalised columns] on the rows whose multipliers may move.
  FreeColumns equalities(const Surrogate& s) const {
    const Vec moves = (problem_->cost.array() > 0).cast<double>();
    return FreeColumns(*problem_->x, problem_->intercept, kernel() ? IndexList() : free_columns(s), moves);
  }

  // The dual is unbounded along the ray: a = y v is nonnegative, X'v = 0 and F'v = 0. O(nd).
  Solution not_separable(const Surrogate& s, const Mat& k, Solution out) {
    for (int round = 0; round < 2; ++round) qp_.refine_ray(problem_->x->times(coefficients(s, qp_.ray)));
    out.dual.col(0) = qp_.ray.cwiseProduct(problem_->y.col(0)).cwiseMax(0.0);
    out.dual /= out.dual.sum();
    qp_.beta.setZero();
    const Vec v = out.dual.col(0).cwiseProduct(problem_->y.col(0));
    const double left = v.dot(problem_->x->times(coefficients(s, v)));
    const bool proof = left <= 1e-12 * k.diagonal().maxCoeff();
    out.status = proof ? Status::infeasible : Status::numerical;
    out.note = proof ? "No weights of these columns meet all margins."
                     : "Rounding hides whether the margins can be met.";
    return out;
  }

  Vec coefficients(const Surrogate& s, const Vec& v) const {
    return kernel() ? expansion_.coefficients(v) : scaled_.coefficients(v, s.scale);
  }

  // Computes w by its formula, the unpenalised columns and b from the equality multipliers, and moves b to the
  // midpoint of its optimal interval. Returns the relative gap. One pass over X; six if K has lost digits to
  // cancellation.
  double recover(const Surrogate& s, const FreeColumns& free, Solution& out) {
    Vec w = coefficients(s, qp_.beta);
    Vec fit = qp_.values();
    if (qp_.noise() > 1e-12) {
      for (int round = 0; round < 2; ++round) w += coefficients(s, qp_.refine(problem_->x->times(w)));
      fit = problem_->x->times(w);
      qp_.set_values(fit);
    }
    out.w.col(0) = w;
    fit += free.put(qp_.coefficients(), out);
    const Vec y = problem_->y.col(0);
    if (problem_->intercept)
      out.b[0] = best_intercept(fit, y, problem_->cost, problem_->loss, problem_->margin);
    stretch(fit, y, out);
    out.dual.col(0) = qp_.beta.cwiseProduct(y).cwiseMax(0.0);
    const double gap = relative_gap(fit.array() + out.b[0], out.dual.col(0));
    out = free.leave(std::move(out));
    return gap;
  }

  // Scales the solution up to meet the margins exactly if only rounding violates them: a large cost would magnify
  // even these violations. O(n).
  void stretch(Vec& fit, const Vec& y, Solution& out) const {
    if (problem_->loss != Loss::hinge || problem_->margin.size()) return;
    double worst = 0;
    for (Index i = 0; i < y.size(); ++i)
      if (problem_->cost[i] > 0) worst = std::max(worst, 1.0 - y[i] * (fit[i] + out.b[0]));
    if (worst <= 0 || worst > 1e-10) return;
    out.w *= 1 + 2 * worst;
    out.b *= 1 + 2 * worst;
    fit *= 1 + 2 * worst;
  }

  // Returns the relative gap by complementarity of multipliers and decision values, plus the violation of hard
  // margins. O(n).
  double relative_gap(const Vec& f, const Vec& a) const {
    const Vec& cost = problem_->cost;
    double sum = 0, worst = 0;
    for (Index i = 0; i < f.size(); ++i) {
      const double slack = problem_->margin_of(i) - problem_->y(i, 0) * f[i], excess = std::max(0.0, slack);
      if (cost[i] == kInf) {
        worst = std::max(worst, excess);
        sum += a[i] * std::max(0.0, -slack);
      } else if (cost[i] > 0 && problem_->loss == Loss::squared_hinge) {
        sum += 0.5 * cost[i] * excess * excess - a[i] * slack + 0.5 * a[i] * a[i] / cost[i];
      } else if (cost[i] > 0) {
        sum += cost[i] * excess - a[i] * slack;
      }
    }
    const double floor = problem_->hard() ? 1e-300 : 1e-6 * cost.sum();
    return 2 * worst + (sum > 0 ? sum / std::max({std::abs(qp_.dual_value()), floor, 1e-300}) : 0.0);
  }
};

}  // namespace

std::unique_ptr<Engine> make_dual_qp() { return std::make_unique<DualEngine>(); }

const EngineKind kDualEngine{"dual", DualEngine::refusal, [](const HighsSettings&) { return make_dual_qp(); },
                             true};

}  // namespace zeronorm

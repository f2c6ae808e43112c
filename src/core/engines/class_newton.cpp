// The l2-regularised Weston-Watkins SVM on rescaled columns with soft margins, for many rows: nothing of size n x n.
//
// In u = w / z and the coefficients theta of an orthogonal basis F of the unpenalised columns it is
//   1/2 |u|^2 + sum_i sum_{l other} env_il(r_il),   r_il = 2 - f_i,own + f_il,   f = X Z u + F theta,
//   a_il = clip(base_il + stiff r_il, 0, c_i):
// a proximal method of multipliers, in which base follows the multipliers and stiff grows until the gap closes. The
// start are sweeps over the rows (class_sweeps.h). A Newton step solves
//   (I + stiff Z X'S X Z) du + ... = -gradient,   S_i = sum over l between the bounds of (e_own - e_l)(e_own - e_l)',
// by Cholesky where unknowns are few, else by conjugate gradients, each a pass over the rows between the bounds. The
// equations of theta are eliminated.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "base/line_search.h"
#include "engines/engine.h"
#include "engines/parts/class_sweeps.h"
#include "grade/certificate.h"
#include "problem/free_columns.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Steps are solved by Cholesky up to this many unknowns; with more, sweeps come first.
constexpr Index kMostDirect = 600;
// Largest numbers of outer iterations and of Newton steps.
constexpr int kMaxIterations = 60, kMaxSteps = 600;
// Factor on the stiffness from one outer iteration to the next.
constexpr double kStiffer = 4;
// Factor on the first stiffness after a start that sweeps or the last call have found.
constexpr double kWarmStiffness = 10;
// An outer iteration ends where the gradient is this small beside the change of the multipliers.
constexpr double kInnerAccuracy = 1e-2;
// Share of the slope at which line searches end.
constexpr double kLineAccuracy = 0.01;
// The engine aims at this share of the gap that is asked for, because the certificate's rounding is not its own.
constexpr double kReserve = 0.5;
// Multipliers are brought into balance, at the cost of a pass, where the gap is below this multiple of the aim.
constexpr double kNearAim = 20;
constexpr int kMaxConjugateSteps = 1000;

class ClassNewton final : public BareEngine {
 public:
  ClassNewton() : BareEngine(kClassNewtonEngine) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (p.loss != Loss::weston_watkins) return "The class_newton engine takes the Weston-Watkins loss only.";
    if (p.quadratic != Quadratic::none) return "The class_newton engine takes no kernel.";
    if (!s.groups.empty()) return "The class_newton engine takes no groups of columns.";
    if (s.l1.size() > 0 && s.has_l1()) return "The class_newton engine takes no l1 or linear term.";
    if (!(p.cost.maxCoeff() < kInf)) return "The class_newton engine takes finite costs.";
    if (!s.has_ridge()) return "The class_newton engine needs columns with a ridge.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    rows_.reset();
    a_.resize(0, 0);
    own_.resize(static_cast<std::size_t>(n()));
    for (Index i = 0; i < n(); ++i) problem.y.row(i).maxCoeff(&own_[static_cast<std::size_t>(i)]);
    counted_ = nonzero_entries(problem.cost);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    take(surrogate);
    start(limits);
    const Outcome outcome = run(limits);
    return finish(surrogate, outcome);
  }

 private:
  enum class Outcome { optimal, limit, interrupted };

  const Problem* problem_ = nullptr;
  IndexList own_, counted_, columns_;
  Vec z_;
  std::unique_ptr<ClassRows> rows_;
  FreeColumns free_;
  // The solution: u (p x k), theta (f x k), decision values and residuals.
  RowMat u_, theta_, f_, r_;
  // Multipliers of the margins, those that the proximal term is about, and the signed ones.
  RowMat a_, base_, m_;
  double stiff_ = 1, curvature_ = 1, aim_ = 0, gap_ = kInf;
  // Gradients, and Z X'm.
  RowMat slope_u_, slope_theta_, pulled_;
  RowMat best_a_;
  long steps_ = 0;
  bool near_start_ = false;
  // The margins between their bounds: rows, and for each where its classes begin in `between_class_`.
  IndexList between_;
  std::vector<std::size_t> begin_;
  std::vector<Index> between_class_;
  // The inverse of the equations of theta, f k x f k.
  Mat theta_inverse_;

  Index n() const { return problem_->x->rows(); }
  Index classes() const { return problem_->y.cols(); }
  Index unknowns() const { return z_.size() * classes(); }
  double cost(Index i) const { return problem_->cost[i]; }
  Index own(Index i) const { return own_[static_cast<std::size_t>(i)]; }

  void take(const Surrogate& s) {
    IndexList columns;
    for (Index j = 0; j < s.scale.size(); ++j)
      if (s.scale[j] > 0 && s.scale[j] < kInf) columns.push_back(j);
    if (!rows_ || columns != columns_) rows_ = std::make_unique<ClassRows>(*problem_->x, columns);
    columns_ = columns;
    z_.resize(static_cast<Index>(columns_.size()));
    for (Index c = 0; c < z_.size(); ++c) z_[c] = s.scale[columns_[static_cast<std::size_t>(c)]];
    const Vec counts = (problem_->cost.array() > 0).cast<double>();
    free_ = FreeColumns(*problem_->x, problem_->intercept, free_columns(s), counts);
  }

  RowMat times(const IndexList& rows, const RowMat& u) const {
    return rows_->times(rows, RowMat(z_.asDiagonal() * u));
  }
  RowMat transposed_times(const IndexList& rows, const RowMat& m) const {
    return z_.asDiagonal() * rows_->transposed_times(rows, m);
  }

  static RowMat rows_of(const RowMat& all, const IndexList& rows) {
    RowMat part(static_cast<Index>(rows.size()), all.cols());
    for (std::size_t r = 0; r < rows.size(); ++r) part.row(static_cast<Index>(r)) = all.row(rows[r]);
    return part;
  }

  // Begins at the last multipliers, or at those of sweeps.
  void start(const Limits& limits) {
    const Index k = classes();
    const bool warm = a_.rows() == n() && a_.cols() == k;
    aim_ = kReserve * limits.tol;
    if (!warm) a_ = RowMat::Zero(n(), k);
    if (!warm || theta_.rows() != free_.basis().cols()) theta_ = RowMat::Zero(free_.basis().cols(), k);
    curvature_ = rows_->squares(z_.cwiseAbs2()).mean();
    near_start_ = warm;
    sign_multipliers();
    if (unknowns() > kMostDirect) {
      const Vec squares = z_.cwiseAbs2();
      const ClassDual dual{*rows_, squares, own_, problem_->cost, free_.basis()};
      ClassMultipliers found{m_, theta_, kInf};
      sweep_classes(dual, aim_, limits, found);
      m_ = found.m;
      theta_ = found.theta;
      a_ = (-m_).cwiseMax(0.0);
      near_start_ = true;
    }
    pulled_ = transposed_times(counted_, rows_of(m_, counted_));
    u_ = pulled_;
    base_ = a_;
    stiff_ = (near_start_ ? kWarmStiffness : 1) / std::max(curvature_, 1e-300);
  }

  // m_ from a_. O(n k).
  void sign_multipliers() {
    m_ = -a_;
    for (Index i = 0; i < n(); ++i) {
      m_(i, own(i)) = 0;
      m_(i, own(i)) = -m_.row(i).sum();
    }
  }

  void evaluate() {
    f_ = RowMat::Zero(n(), classes());
    const RowMat part = times(counted_, u_);
    for (std::size_t r = 0; r < counted_.size(); ++r) f_.row(counted_[r]) = part.row(static_cast<Index>(r));
    f_ += free_.basis() * theta_;
    residuals();
  }

  void residuals() {
    r_ = f_;
    for (Index i = 0; i < n(); ++i) {
      r_.row(i).array() += 2 - f_(i, own(i));
      r_(i, own(i)) = 0;
    }
  }

  // Multipliers at the present residuals, those between their bounds, and the gradients. O(entries k).
  void multiply() {
    between_.clear();
    begin_.assign(1, 0);
    between_class_.clear();
    for (Index i : counted_) {
      const double most = cost(i);
      for (Index l = 0; l < classes(); ++l) {
        if (l == own(i)) continue;
        const double value = base_(i, l) + stiff_ * r_(i, l);
        a_(i, l) = std::min(most, std::max(0.0, value));
        if (value > 0 && value < most) between_class_.push_back(l);
      }
      if (between_class_.size() == begin_.back()) continue;
      between_.push_back(i);
      begin_.push_back(between_class_.size());
    }
    sign_multipliers();
    pulled_ = transposed_times(counted_, rows_of(m_, counted_));
    slope_u_ = u_ - pulled_;
    slope_theta_ = -(free_.basis().transpose() * m_);
  }

  double primal() const {
    double loss = 0;
    for (Index i : counted_) loss += cost(i) * r_.row(i).cwiseMax(0.0).sum();
    return 0.5 * u_.squaredNorm() + loss;
  }

  double relative(double gap, double value) const {
    return gap / std::max(std::abs(value), 1e-4 * problem_->cost.sum());
  }

  // The gap of the present point and multipliers, with those in balance where it may be small enough.
  double gap() {
    const double value = primal();
    const double proven = 2 * a_.sum() - 0.5 * pulled_.squaredNorm();
    const double imbalance =
        slope_theta_.size() ? slope_theta_.cwiseAbs().cwiseProduct(theta_.cwiseAbs()).sum() : 0.0;
    double now = relative(value - proven + imbalance, value);
    if (relative(value - proven - imbalance, value) > kNearAim * aim_) return now;
    const RowMat balanced = balance(a_);
    if (balanced.size() == 0) return now;
    const RowMat kept_a = a_, kept_m = m_;
    a_ = balanced;
    sign_multipliers();
    const RowMat pulled = transposed_times(counted_, rows_of(m_, counted_));
    const double exact = relative(value - (2 * a_.sum() - 0.5 * pulled.squaredNorm()), value);
    if (exact < gap_) {
      gap_ = exact;
      best_a_ = a_;
    }
    a_ = kept_a;
    m_ = kept_m;
    return exact;
  }

  // Multipliers between their bounds move until F'm is zero. Empty where they cannot.
  RowMat balance(RowMat a) const {
    const Mat& basis = free_.basis();
    const Index f = basis.cols(), k = classes();
    if (f == 0) return a;
    for (int round = 0; round < 4; ++round) {
      RowMat m = -a;
      for (Index i = 0; i < n(); ++i) {
        m(i, own(i)) = 0;
        m(i, own(i)) = -m.row(i).sum();
      }
      const RowMat left = basis.transpose() * m;
      if (left.cwiseAbs().maxCoeff() <= 1e-13 * a.sum()) return a;
      Mat system = Mat::Zero(f * k, f * k);
      std::vector<std::pair<Index, Index>> inside;
      for (Index i : counted_)
        for (Index l = 0; l < k; ++l)
          if (l != own(i) && a(i, l) > 0 && a(i, l) < cost(i)) {
            inside.emplace_back(i, l);
            couple(basis.row(i).transpose(), own(i), l, 1, system);
          }
      const Vec turn = solve_singular(system, Eigen::Map<const Vec>(left.data(), left.size()));
      for (const auto& [i, l] : inside) {
        double step = 0;
        for (Index c = 0; c < f; ++c) step += basis(i, c) * (turn[c * k + own(i)] - turn[c * k + l]);
        a(i, l) = std::min(cost(i), std::max(0.0, a(i, l) - step));
      }
    }
    return RowMat();
  }

  // Adds weight (b b') x (e_own - e_l)(e_own - e_l)'; unknowns are ordered by rows of theta.
  void couple(const Vec& b, Index own, Index l, double weight, Mat& system) const {
    const Index k = classes();
    for (Index c = 0; c < b.size(); ++c)
      for (Index e = 0; e < b.size(); ++e) {
        const double value = weight * b[c] * b[e];
        system(c * k + own, e * k + own) += value;
        system(c * k + l, e * k + l) += value;
        system(c * k + own, e * k + l) -= value;
        system(c * k + l, e * k + own) -= value;
      }
  }

  // The shortest solution of a positive semidefinite system.
  static Mat inverse_of(const Mat& system) {
    const Eigen::SelfAdjointEigenSolver<Mat> eigen(system);
    const double most = std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 1e-300);
    const Vec inverse =
        eigen.eigenvalues().unaryExpr([=](double v) { return v > 1e-12 * most ? 1 / v : 0.0; });
    return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  }
  static Vec solve_singular(const Mat& system, const Vec& right) { return inverse_of(system) * right; }

  // S times values (rows in the order of between_). O(values).
  RowMat spread(const RowMat& values) const {
    RowMat out = RowMat::Zero(values.rows(), values.cols());
    for (Index r = 0; r < values.rows(); ++r) {
      const Index mine = own(between_[static_cast<std::size_t>(r)]);
      for (std::size_t e = begin_[static_cast<std::size_t>(r)]; e < begin_[static_cast<std::size_t>(r) + 1];
           ++e) {
        const double part = values(r, mine) - values(r, between_class_[e]);
        out(r, mine) += part;
        out(r, between_class_[e]) -= part;
      }
    }
    return out;
  }

  // The equations of theta, with a term that keeps a step from running away where nothing holds it.
  void factor_theta(const RowMat& basis) {
    const Index f = basis.cols(), k = classes();
    Mat system = Mat::Zero(f * k, f * k);
    for (std::size_t r = 0; r < between_.size(); ++r)
      for (std::size_t e = begin_[r]; e < begin_[r + 1]; ++e)
        couple(basis.row(static_cast<Index>(r)).transpose(), own(between_[r]), between_class_[e], stiff_,
               system);
    const double held = slope_theta_.cwiseAbs().maxCoeff() / (1 + theta_.cwiseAbs().maxCoeff());
    system.diagonal().array() += 1e-9 * system.diagonal().maxCoeff() + 1e-3 * held;
    theta_inverse_ = inverse_of(system);
  }

  RowMat theta_of(const RowMat& right) const {
    const Vec out = theta_inverse_ * Eigen::Map<const Vec>(right.data(), right.size());
    return Eigen::Map<const RowMat>(out.data(), right.rows(), right.cols());
  }

  struct Step {
    RowMat u, theta;
  };

  Step newton_step(double accuracy, const Limits& limits) {
    const RowMat basis = rows_of(free_.basis(), between_);
    const bool has_free = basis.cols() > 0;
    if (has_free) factor_theta(basis);
    RowMat right = -slope_u_;
    if (has_free) {
      const RowMat turn = theta_of(slope_theta_);
      right += stiff_ * transposed_times(between_, spread(basis * turn));
    }
    Step step;
    step.u = unknowns() <= kMostDirect ? direct(basis, right) : conjugate(basis, right, accuracy, limits);
    step.theta = RowMat::Zero(basis.cols(), classes());
    if (has_free)
      step.theta = theta_of(-slope_theta_ - stiff_ * (basis.transpose() * spread(times(between_, step.u))));
    return step;
  }

  // By Cholesky. O(rows p^2 k^2 + (p k)^3).
  RowMat direct(const RowMat& basis, const RowMat& right) const {
    const Index p = z_.size(), k = classes(), f = basis.cols();
    const Mat x = rows_->dense(between_) * z_.asDiagonal();
    Mat h = Mat::Identity(p * k, p * k), c = Mat::Zero(p * k, f * k);
    for (Index l = 0; l < k; ++l)
      for (Index e = l; e < k; ++e) {
        const Vec weight = block_weights(l, e);
        const IndexList rows = nonzero_entries(weight);
        if (rows.empty()) continue;
        Mat part(static_cast<Index>(rows.size()), p), scaled(part.rows(), p), other(part.rows(), f);
        for (Index r = 0; r < part.rows(); ++r) {
          const Index row = rows[static_cast<std::size_t>(r)];
          part.row(r) = x.row(row);
          scaled.row(r) = stiff_ * weight[row] * x.row(row);
          other.row(r) = basis.row(row);
        }
        const Mat square = part.transpose() * scaled;
        h.block(l * p, e * p, p, p) += square;
        if (e != l) h.block(e * p, l * p, p, p) += square.transpose();
        const Mat across = scaled.transpose() * other;
        for (Index j = 0; j < f; ++j) {
          c.col(j * k + e).segment(l * p, p) += across.col(j);
          if (e != l) c.col(j * k + l).segment(e * p, p) += across.col(j);
        }
      }
    if (f > 0) h -= c * theta_inverse_ * c.transpose();
    const Mat by_class = right;
    const Vec out = h.selfadjointView<Eigen::Lower>().llt().solve(
        Eigen::Map<const Vec>(by_class.data(), by_class.size()));
    return Eigen::Map<const Mat>(out.data(), p, k);
  }

  // Entry (l, e) of S for each row of between_.
  Vec block_weights(Index l, Index e) const {
    Vec weight = Vec::Zero(static_cast<Index>(between_.size()));
    for (std::size_t r = 0; r < between_.size(); ++r) {
      const Index mine = own(between_[r]);
      const auto first = between_class_.begin() + static_cast<std::ptrdiff_t>(begin_[r]),
                 last = between_class_.begin() + static_cast<std::ptrdiff_t>(begin_[r + 1]);
      const auto has = [&](Index other) { return std::find(first, last, other) != last; };
      double value = 0;
      if (l == e)
        value = l == mine ? double(last - first) : double(has(l));
      else if (l == mine)
        value = -double(has(e));
      else if (e == mine)
        value = -double(has(l));
      weight[static_cast<Index>(r)] = value;
    }
    return weight;
  }

  RowMat image(const RowMat& basis, const RowMat& d) const {
    RowMat values = times(between_, d);
    if (basis.cols() > 0) {
      const RowMat turn = theta_of(stiff_ * (basis.transpose() * spread(values)));
      values -= basis * turn;
    }
    return d + stiff_ * transposed_times(between_, spread(values));
  }

  // The diagonal of the system of u without theta. O(entries k).
  RowMat diagonal() const {
    RowMat sums = RowMat::Zero(z_.size(), classes());
    Vec weights(classes());
    for (std::size_t r = 0; r < between_.size(); ++r) {
      weights.setZero();
      for (std::size_t e = begin_[r]; e < begin_[r + 1]; ++e) weights[between_class_[e]] = stiff_;
      weights[own(between_[r])] = stiff_ * double(begin_[r + 1] - begin_[r]);
      rows_->each(between_[r], [&](Index j, double x) { sums.row(j) += x * x * weights.transpose(); });
    }
    return ((z_.cwiseAbs2().asDiagonal() * sums).array() + 1).matrix();
  }

  // By conjugate gradients. O(entries of the rows between k) a step.
  RowMat conjugate(const RowMat& basis, const RowMat& right, double accuracy, const Limits& limits) const {
    const RowMat weight = diagonal().cwiseInverse();
    RowMat x = RowMat::Zero(right.rows(), right.cols()), r = right, y = weight.cwiseProduct(r), d = y;
    double product = r.cwiseProduct(y).sum();
    const double enough = accuracy * accuracy * product;
    for (int step = 0; step < kMaxConjugateSteps && product > enough && !limits.stop_now(); ++step) {
      const RowMat h = image(basis, d);
      const double t = product / d.cwiseProduct(h).sum();
      if (!(t > 0)) break;
      x += t * d;
      r -= t * h;
      y = weight.cwiseProduct(r);
      const double next = r.cwiseProduct(y).sum();
      d = y + next / product * d;
      product = next;
    }
    return x;
  }

  // Moves along the step to the lowest point of the rounded objective. O(n k) for each slope.
  bool advance(const Step& step) {
    RowMat df = RowMat::Zero(n(), classes());
    const RowMat part = times(counted_, step.u);
    for (std::size_t r = 0; r < counted_.size(); ++r) df.row(counted_[r]) = part.row(static_cast<Index>(r));
    df += free_.basis() * step.theta;
    RowMat dr = df;
    for (Index i = 0; i < n(); ++i) {
      dr.row(i).array() -= df(i, own(i));
      dr(i, own(i)) = 0;
    }
    const double linear = u_.cwiseProduct(step.u).sum(), bend = step.u.squaredNorm();
    const auto slope = [&](double t) {
      double sum = linear + t * bend;
      for (Index i : counted_)
        for (Index l = 0; l < classes(); ++l)
          sum +=
              std::min(cost(i), std::max(0.0, base_(i, l) + stiff_ * (r_(i, l) + t * dr(i, l)))) * dr(i, l);
      return sum;
    };
    const double at_zero = slope(0), at_one = slope(1);
    if (!(at_zero < 0)) return false;
    const double enough = kLineAccuracy * std::abs(at_zero);
    const double t = at_one > enough ? flat_point(slope, 0, at_zero, 1, at_one, enough) : 1;
    u_ += t * step.u;
    theta_ += t * step.theta;
    f_ += t * df;
    residuals();
    return true;
  }

  Outcome run(const Limits& limits) {
    steps_ = 0;
    gap_ = kInf;
    best_a_ = a_;
    evaluate();
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      for (int step = 0;; ++step) {
        multiply();
        const double now = gap();
        if (std::min(now, gap_) <= aim_) return Outcome::optimal;
        if (limits.stop_now()) return Outcome::interrupted;
        if (steps_ >= kMaxSteps) return Outcome::limit;
        const double change = (a_ - base_).norm(), slope = slope_u_.norm() + slope_theta_.norm();
        if (step > 0 && slope <= kInnerAccuracy * change * std::sqrt(curvature_)) break;
        ++steps_;
        if (!advance(newton_step(std::min(0.1, std::max(1e-8, 0.1 * std::abs(now))), limits))) break;
      }
      base_ = a_;
      stiff_ *= kStiffer;
    }
    return Outcome::limit;
  }

  // Weights of all columns, intercepts in the middle of their optimal interval, multipliers. O(entries k).
  Solution finish(const Surrogate& surrogate, Outcome outcome) {
    Solution out;
    out.engine = name();
    out.iterations = steps_;
    out.w = Mat::Zero(surrogate.scale.size(), classes());
    out.b = Vec::Zero(classes());
    out.dual = gap_ < kInf ? best_a_ : balance(a_).size() ? balance(a_) : a_;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      out.w.row(columns_[c]) = z_[static_cast<Index>(c)] * u_.row(static_cast<Index>(c));
    a_ = out.dual;
    if (outcome == Outcome::interrupted) {
      out.status = Status::interrupted;
      return out;
    }
    // A part common to all classes changes no class.
    const Mat theta = theta_.colwise() - theta_.rowwise().mean();
    Mat fit = f_ - free_.basis() * theta_;
    fit += free_.put(theta, out);
    if (problem_->intercept)
      out.b = best_intercepts(*problem_, fit, out.dual, (theta.row(0) * free_.basis()(0, 0)).transpose());
    out = free_.leave(std::move(out));
    out.status = outcome == Outcome::optimal ? Status::optimal : Status::limit;
    if (outcome != Outcome::optimal)
      out.note = "The class_newton engine stopped before the tolerance was reached.";
    return out;
  }
};

}  // namespace

std::unique_ptr<Engine> make_class_newton() { return std::make_unique<ClassNewton>(); }

const EngineKind kClassNewtonEngine{"class_newton", ClassNewton::refusal,
                                    [](const HighsSettings&) { return make_class_newton(); }};

}  // namespace zeronorm

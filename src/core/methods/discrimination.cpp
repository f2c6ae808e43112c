#include "methods/discrimination.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/line_search.h"
#include "data/design.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

// A line search ends when the slope is below this fraction of the first slope.
constexpr double kFinalSlope = 0.1;
// Relative gap that is the target.
constexpr double kTargetGap = 1e-12;
// Violation of the optimality conditions that is the target; see kMaxExtraSteps.
constexpr double kTargetKkt = 1e-10;
// Newton steps that are taken beyond the target gap to reach kTargetKkt.
constexpr int kMaxExtraSteps = 4;
// Relative diagonal added for columns without a regulariser.
constexpr double kJitter = 1e-14;
// Largest multiple of a Newton step that the line search tries.
constexpr double kMaxStepFactor = 1e10;
// Newton steps in a row without progress before the solver gives up.
constexpr int kMaxStalls = 5;
// Newton steps for each outer iteration that the limits allow, because steps are cheap.
constexpr int kStepsPerRound = 10;

// The function psi of one feature: a convex cumulant generating function with slope posterior(W) W.
struct Prior {
  double p;

  double value(double W) const {
    const double h = 0.5 * W * W;
    return h < 30 ? std::log1p(p * std::expm1(h)) : h + std::log(p + (1 - p) * std::exp(-h));
  }
  double posterior(double W) const { return p / (p + (1 - p) * std::exp(-0.5 * W * W)); }
  double slope(double W) const { return posterior(W) * W; }
  double curvature(double W) const {
    const double q = posterior(W);
    return q + q * (1 - q) * W * W;
  }
  // Returns the W whose slope is w, by Newton's method within a bracket: beyond the W of posterior 1/2, W is at most
  // 2 w.
  double inverse(double w, double guess) const {
    const double sign = w < 0 ? -1 : 1, goal = std::abs(w);
    if (goal == 0 || p == 1) return w;
    const double low = goal,
                 high = std::min(goal / p,
                                 std::max(2 * goal, std::sqrt(2 * std::log(std::max(1.0, 1 / p - 1)))));
    const auto step = [&](double W) { return (goal - slope(W)) / curvature(W); };
    return sign * newton_in_bracket(step, low, high, std::min(std::max(std::abs(guess), low), high));
  }
};

class DiscriminationSolver {
 public:
  DiscriminationSolver(const Problem& p, const Vec& prior, const IndexList& free, double C, const Stop& stop)
      : p_(p), y_(p.y.col(0)), C_(C), stop_(stop), d_(p.x->cols()),
        out_(equality_columns(*p.x, p.intercept, free)), free_(free), prior_(prior) {
    for (Index j : free) prior_[j] = 0;
    tall_ = (prior_.array() > 0).count() <= y_.size();
    if (tall_) dense_ = matrix(*p.x);
    w_ = W_ = Vec::Zero(d_);
    u_ = Vec::Zero(out_.cols());
    floor_ = 1e-4 * p.cost.sum() * (C - 1 - std::log(C));
  }

  Discrimination run() {
    double best = kInf;
    int stalls = 0, extra = 0;
    while (true) {
      evaluate();
      const Step step = newton();
      grade(step.push);
      const double gap = found_.solution.certificate.gap;
      found_.rounds.push_back({primal_, d_, gap, "discrimination"});
      if (!(gap < kInf)) return end(StopReason::failed, Status::numerical);
      if (stop_.limits.stop_now()) return end(StopReason::interrupted, Status::interrupted);
      stalls = gap < 0.5 * best ? 0 : stalls + 1;
      best = std::min(best, gap);
      const bool close =
          gap <= kTargetGap && (found_.solution.certificate.kkt <= kTargetKkt || ++extra > kMaxExtraSteps);
      if (close || (stalls > kMaxStalls && gap <= stop_.limits.tol))
        return end(StopReason::converged, Status::optimal);
      if (static_cast<int>(found_.rounds.size()) >= kStepsPerRound * stop_.rounds)
        return end(StopReason::rounds, gap <= kProof ? Status::optimal : Status::limit);
      if (!move(step)) return end(StopReason::converged, gap <= kProof ? Status::optimal : Status::numerical);
    }
  }

 private:
  // Newton's step, the change of the decision values, and the forces that follow from it.
  struct Step {
    Vec w, u, f, push;
  };

  const Problem& p_;
  Vec y_;
  double C_;
  const Stop& stop_;
  Index d_;
  // The columns without a regulariser; that of the intercept comes first.
  Mat out_;
  IndexList free_;
  Vec prior_;
  bool tall_;
  Mat dense_;
  // The weights w, the dual variables W that belong to them, and the coefficients of the columns without a
  // regulariser.
  Vec w_, W_, u_;
  // The decision values.
  Vec f_;
  // The forces cost lambda y, and minus their derivative in f.
  Vec push_, change_;
  // The residual W - X'push.
  Vec miss_;
  double primal_ = kInf, floor_;
  Discrimination found_;

  double unit(Index i, double f) const { return C_ * (1 - y_[i] * f); }
  Prior psi(Index j) const { return {prior_[j]}; }

  // Evaluates objective, forces and residual. O(nd).
  void evaluate() {
    f_ = p_.x->times(w_) + out_ * u_;
    push_ = change_ = Vec::Zero(y_.size());
    primal_ = 0;
    for (Index i = 0; i < y_.size(); ++i) {
      const double v = unit(i, f_[i]);
      if (v <= 1) continue;
      primal_ += p_.cost[i] * (v - 1 - std::log(v));
      push_[i] = p_.cost[i] * (C_ - C_ / v) * y_[i];
      change_[i] = p_.cost[i] * C_ * C_ / (v * v);
    }
    miss_ = W_ - p_.x->transposed_times(push_);
    for (Index j = 0; j < d_; ++j) {
      if (prior_[j] == 0)
        miss_[j] = 0;
      else
        primal_ += w_[j] * W_[j] - psi(j).value(W_[j]);
    }
  }

  // Computes the certificate. The dual point is that of Newton's step, because the forces at the decision values lose
  // the digits that a large C cancels. O(nd).
  void grade(const Vec& push) {
    double dual = 0, slack = 0;
    Vec feasible = Vec::Zero(y_.size());
    for (Index i = 0; i < y_.size(); ++i) {
      if (p_.cost[i] == 0) continue;
      const double lambda = std::min(std::max(push[i] * y_[i] / p_.cost[i], 0.0), C_ * (1 - 1e-15));
      dual += p_.cost[i] * (lambda + std::log1p(-lambda / C_));
      feasible[i] = p_.cost[i] * lambda * y_[i];
    }
    const Vec W = p_.x->transposed_times(feasible), balance = out_.transpose() * feasible;
    Certificate& c = found_.solution.certificate;
    c.kkt = 0;
    const double size = std::max(W.size() ? W.cwiseAbs().maxCoeff() : 0.0, 1e-300);
    for (Index j = 0; j < d_; ++j) {
      if (prior_[j] == 0) continue;
      dual -= psi(j).value(W[j]);
      c.kkt = std::max(c.kkt, std::abs(W_[j] - W[j]) / size);
    }
    for (Index k = 0; k < balance.size(); ++k) {
      slack += std::abs(balance[k]) * kReach * std::max(1.0, std::abs(u_[k]));
      c.kkt = std::max(c.kkt, std::abs(balance[k]) / std::max(feasible.cwiseAbs().sum(), 1e-300));
    }
    c.primal = primal_;
    c.dual = dual - slack;
    c.gap = relative_gap(c.primal, c.dual, floor_);
    found_.solution.dual = feasible.cwiseAbs();
  }

  Step newton() const {
    Vec curve = Vec::Zero(d_);
    for (Index j = 0; j < d_; ++j)
      if (prior_[j] > 0) curve[j] = psi(j).curvature(W_[j]);
    Step step = tall_ ? by_columns(curve) : by_rows(curve);
    step.f = p_.x->times(step.w) + out_ * step.u;
    return step;
  }

  // Solves by columns: (1/curve + X'SX) dw + X'SU du = -miss with the equations of U. O(n d^2 + d^3).
  Step by_columns(const Vec& curve) const {
    IndexList used;
    for (Index j = 0; j < d_; ++j)
      if (curve[j] > 0) used.push_back(j);
    const Index p = static_cast<Index>(used.size()), q = out_.cols();
    // These units make the regulariser one.
    Mat x(y_.size(), p + q);
    Vec r(p + q), unit(p);
    for (Index c = 0; c < p; ++c) {
      unit[c] = std::sqrt(curve[used[c]]);
      x.col(c) = unit[c] * dense_.col(used[c]);
      r[c] = -unit[c] * miss_[used[c]];
    }
    x.rightCols(q) = out_;
    r.tail(q) = out_.transpose() * push_;
    Mat h = x.transpose() * change_.asDiagonal() * x;
    h.diagonal().head(p).array() += 1;
    h.diagonal().tail(q).array() += kJitter * (1 + h.diagonal().tail(q).array());
    const Vec found = h.ldlt().solve(r);
    Step step{Vec::Zero(d_), found.tail(q), Vec(), push_ - change_.cwiseProduct(x * found)};
    for (Index c = 0; c < p; ++c) step.w[used[c]] = unit[c] * found[c];
    return step;
  }

  // Solves by rows: S df = N (U du - X curve miss), N = S^1/2 (1 + S^1/2 B S^1/2)^-1 S^1/2, B = X curve X'. O(n^2 d +
  // n^3).
  Step by_rows(const Vec& curve) const {
    const Vec root = change_.cwiseSqrt();
    Mat b = p_.x->gram(curve.cwiseSqrt(), stop_.limits);
    b = root.asDiagonal() * b * root.asDiagonal();
    b.diagonal().array() += 1;
    const Eigen::LLT<Mat> llt(b);
    const auto apply = [&](const Mat& v) -> Mat {
      return root.asDiagonal() * llt.solve(Mat(root.asDiagonal() * v));
    };
    const Vec pull = curve.cwiseProduct(miss_);
    Vec sdf = -apply(p_.x->times(pull));
    Step step;
    step.u = Vec::Zero(out_.cols());
    if (out_.cols() > 0) {
      const Mat nu = apply(out_);
      Mat h = out_.transpose() * nu;
      h.diagonal().array() += kJitter * (1 + h.diagonal().array());
      step.u = h.ldlt().solve(Vec(out_.transpose() * (push_ - sdf)));
      sdf += nu * step.u;
    }
    step.w = -pull - curve.cwiseProduct(p_.x->transposed_times(sdf));
    step.push = push_ - sdf;
    return step;
  }

  // Returns the slope of the primal objective at t along a step, and W there. O(n + d).
  double slope(const Step& step, double t, Vec& W) const {
    double at = 0;
    for (Index j = 0; j < d_; ++j) {
      if (step.w[j] == 0) continue;
      W[j] = psi(j).inverse(w_[j] + t * step.w[j], W[j]);
      at += step.w[j] * W[j];
    }
    for (Index i = 0; i < y_.size(); ++i) {
      const double v = unit(i, f_[i] + t * step.f[i]);
      if (v > 1) at -= p_.cost[i] * (C_ - C_ / v) * y_[i] * step.f[i];
    }
    return at;
  }

  // Moves to the minimum along the step; returns false if nothing is gained.
  bool move(const Step& step) {
    if (!step.w.allFinite() || !step.u.allFinite()) return false;
    Vec W = W_;
    const double first = slope(step, 0, W);
    if (!(first < 0)) return false;
    const double enough = -kFinalSlope * first;
    double low = 0, at_low = first, t = 1, at = slope(step, t, W);
    while (at < -enough && t < kMaxStepFactor) low = t, at_low = at, t *= 4, at = slope(step, t, W);
    if (std::abs(at) > enough) {
      t = flat_point([&](double s) { return slope(step, s, W); }, low, at_low, t, at, enough);
      slope(step, t, W);
    }
    w_ += t * step.w;
    u_ += t * step.u;
    W_ = W;
    return true;
  }

  Discrimination end(StopReason reason, Status status) {
    found_.stop = reason;
    Solution& s = found_.solution;
    s.status = status;
    s.engine = "discrimination";
    s.w = w_;
    s.b = Vec::Zero(1);
    if (p_.intercept) s.b[0] = u_[0];
    for (std::size_t k = 0; k < free_.size(); ++k) s.w(free_[k], 0) = u_[p_.intercept + k];
    s.importance = Vec::Zero(d_);
    for (Index j = 0; j < d_; ++j) {
      if (prior_[j] > 0) s.importance[j] = psi(j).posterior(W_[j]);
    }
    for (Index j : free_) s.importance[j] = 1;
    found_.force = W_.cwiseAbs();
    return std::move(found_);
  }
};

}  // namespace

Discrimination discriminate(const Problem& problem, const Vec& prior, const IndexList& free, double C,
                            const Stop& stop) {
  return DiscriminationSolver(problem, prior, free, C, stop).run();
}

}  // namespace zeronorm

// SVMs with a quadratic term and the maximum norm, by a primal-dual interior-point method:
//   min 1/2 w'Q w + v t + sum_i c_i xi_i,   -t <= w_j <= t,   y_i f_i + xi_i >= m_i,   xi >= 0,
// where v is the cost of the maximum norm and Q the kernel matrix, a diagonal of ridges, or both.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "base/indices.h"
#include "data/design.h"
#include "engines/engine.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

// Largest number of Newton steps.
constexpr int kMaxSteps = 200;
// Diagonal added to the Newton matrix, relative to its mean diagonal: the first value tried and the limit, by factors
// of 10.
constexpr double kJitter = 1e-15, kMaxJitter = 1e-9;
// Fraction of the step to the nearest bound that is taken.
constexpr double kBoundaryFraction = 0.995;

// Returns the largest step length at which v stays positive, times kBoundaryFraction.
double room(const Vec& v, const Vec& dv) {
  double t = 1 / kBoundaryFraction;
  for (Index i = 0; i < v.size(); ++i)
    if (dv[i] < 0) t = std::min(t, -v[i] / dv[i]);
  return t * kBoundaryFraction;
}

// The programme on the columns with positive scale and the rows with positive cost.
class MaxNormQp {
 public:
  MaxNormQp(Mat x, Mat q, Vec y, Vec margin, Vec cost, double price, bool intercept)
      : x_(std::move(x)), q_(std::move(q)), y_(std::move(y)), margin_(std::move(margin)),
        cost_(std::move(cost)), price_(price), intercept_(intercept) {
    const Index n = x_.rows(), m = x_.cols();
    w = Vec::Zero(m);
    dual = 0.5 * cost_;
    rest_ = 0.5 * cost_;
    slack_ = xi_ = Vec::Ones(n);
    up_ = down_ = Vec::Constant(m, price_ / (2 * double(m)));
    above_ = below_ = Vec::Ones(m);
  }

  // Runs the interior-point iterations; each costs O(n m^2 + m^3).
  Status solve(const Limits& limits) {
    for (steps = 0; steps < kMaxSteps; ++steps) {
      if (limits.stop_now()) return Status::interrupted;
      residuals();
      remember();
      if (doubt() <= 0.1 * limits.tol * size() || products() <= 1e-4 * limits.tol * size() || !factorise()) {
        recall();
        return Status::optimal;
      }
      predict_and_correct();
    }
    return Status::limit;
  }

  // Makes y'dual = 0, which rounding violates slightly, by changing the multiplier farthest from its bounds. O(n).
  void balance() {
    if (!intercept_) return;
    const Vec either = dual.cwiseMin(cost_ - dual);
    Index at;
    either.maxCoeff(&at);
    dual[at] = std::min(cost_[at], std::max(0.0, dual[at] - y_[at] * y_.dot(dual)));
  }

  Vec w, dual;
  double b = 0;
  long steps = 0;

 private:
  Mat x_, q_;
  Vec y_, margin_, cost_;
  double price_, t_ = 1;
  bool intercept_;
  // The complement c - dual, and the slack variables of the margins and of xi >= 0.
  Vec rest_, slack_, xi_;
  // The multipliers of w <= t and -w <= t, and the slack variables t - w and t + w.
  Vec up_, down_, above_, below_;
  // Residuals of the equations.
  Vec r_w_, r_margin_, r_cost_, r_above_, r_below_;
  struct Point {
    Vec w, dual;
    double b = 0;
  };
  Point best_;
  double least_doubt_ = kInf;
  double r_b_ = 0, r_t_ = 0, mu_ = 0, primal_ = 0, dual_value_ = 0;
  // The factor of Newton's matrix in w; b and t form its border.
  Eigen::LLT<Mat> factor_;
  Vec d_, bend_;
  Mat border_, inverse_border_;
  Eigen::Matrix2d corner_;
  struct Step {
    Vec w, dual, rest, slack, xi, up, down, above, below;
    double b = 0, t = 0;
  };

  Index pairs() const { return 2 * (slack_.size() + w.size()); }

  void residuals() {
    const Vec qw = q_ * w, f = (x_ * w).array() + b, ya = y_.cwiseProduct(dual);
    r_w_ = qw - x_.transpose() * ya + up_ - down_;
    r_margin_ = y_.cwiseProduct(f) + xi_ - margin_ - slack_;
    r_cost_ = dual + rest_ - cost_;
    r_above_ = (t_ - w.array()).matrix() - above_;
    r_below_ = (t_ + w.array()).matrix() - below_;
    r_b_ = intercept_ ? -ya.sum() : 0.0;
    r_t_ = price_ - up_.sum() - down_.sum();
    mu_ = (slack_.dot(dual) + xi_.dot(rest_) + above_.dot(up_) + below_.dot(down_)) / double(pairs());
    const double energy = 0.5 * w.dot(qw);
    primal_ = energy + price_ * t_ + cost_.dot(xi_);
    dual_value_ = margin_.dot(dual) - energy;
  }

  double size() const { return std::max({std::abs(primal_), std::abs(dual_value_), 1e-4 * cost_.sum()}); }
  double products() const { return mu_ * double(pairs()); }

  // Returns a bound on how much the complementarity products and the residuals can change the value.
  double doubt() const {
    return products() + std::abs(r_t_) * t_ + r_w_.cwiseAbs().sum() * t_ + std::abs(r_b_ * b) +
           r_margin_.cwiseAbs().dot(cost_) + r_above_.cwiseAbs().dot(up_) + r_below_.cwiseAbs().dot(down_);
  }

  void remember() {
    if (!(doubt() < least_doubt_)) return;
    least_doubt_ = doubt();
    best_ = {w, dual, b};
  }

  // Returns to the point with the smallest bound on its error, because rounding near the end increases the residuals
  // again.
  void recall() {
    w = best_.w;
    dual = best_.dual;
    b = best_.b;
  }

  bool factorise() {
    const Index m = w.size();
    d_ = (xi_.cwiseQuotient(rest_) + slack_.cwiseQuotient(dual)).cwiseInverse();
    const Vec upper = up_.cwiseQuotient(above_), lower = down_.cwiseQuotient(below_);
    bend_ = upper + lower;
    Mat scaled = d_.cwiseSqrt().asDiagonal() * x_;
    Mat h = q_;
    h.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    // A kernel matrix is singular to rounding, and far from the bounds nothing else adds curvature.
    const double mean = h.diagonal().mean();
    h.diagonal() += bend_;
    for (double jitter = kJitter; jitter < kMaxJitter; jitter *= 10) {
      h.diagonal().array() += jitter * mean;
      factor_.compute(h);
      if (factor_.info() == Eigen::Success) break;
    }
    if (factor_.info() != Eigen::Success) return false;
    border_.resize(m, 2);
    border_.col(0) = intercept_ ? Vec(x_.transpose() * d_) : Vec(Vec::Zero(m));
    border_.col(1) = lower - upper;
    inverse_border_.resize(m, 2);
    for (Index e = 0; e < 2; ++e) inverse_border_.col(e) = solved(border_.col(e));
    corner_ << (intercept_ ? d_.sum() : 1.0), 0, 0, bend_.sum();
    corner_ -= border_.transpose() * inverse_border_;
    return true;
  }

  // Solves with the Newton matrix and refines twice, which removes the effect of the added diagonal. O(n m + m^2).
  Vec solved(const Vec& rhs) const {
    Vec v = factor_.solve(rhs);
    for (int round = 0; round < 2; ++round) {
      const Vec pushed = d_.cwiseProduct(x_ * v);
      v += factor_.solve(rhs - q_ * v - x_.transpose() * pushed - bend_.cwiseProduct(v));
    }
    return v;
  }

  // Returns Newton's step towards the products  s * dual = r1, xi * rest = r2, above * up = r3, below * down = r4.
  Step step(const Vec& r1, const Vec& r2, const Vec& r3, const Vec& r4) const {
    const Vec h = d_.cwiseProduct((r2 - xi_.cwiseProduct(r_cost_)).cwiseQuotient(rest_) - r_margin_ -
                                  r1.cwiseQuotient(dual));
    const Vec push = y_.cwiseProduct(h);
    const Vec from_above = (r3 + up_.cwiseProduct(r_above_)).cwiseQuotient(above_);
    const Vec from_below = (r4 + down_.cwiseProduct(r_below_)).cwiseQuotient(below_);
    const Vec rhs = -r_w_ + x_.transpose() * push + from_above - from_below;
    Eigen::Vector2d ends(intercept_ ? push.sum() - r_b_ : 0.0, -r_t_ - from_above.sum() - from_below.sum());
    const Vec base = solved(rhs);
    const Eigen::Vector2d bt = corner_.inverse() * (ends - border_.transpose() * base);
    Step s;
    s.w = base - inverse_border_ * bt;
    s.b = bt[0];
    s.t = bt[1];
    const Vec df = (x_ * s.w).array() + s.b;
    s.dual = h - d_.cwiseProduct(y_).cwiseProduct(df);
    s.rest = -r_cost_ - s.dual;
    s.slack = (-r1 - slack_.cwiseProduct(s.dual)).cwiseQuotient(dual);
    s.xi = (-r2 - xi_.cwiseProduct(s.rest)).cwiseQuotient(rest_);
    s.above = (s.t - s.w.array()).matrix() + r_above_;
    s.below = (s.t + s.w.array()).matrix() + r_below_;
    s.up = (-r3 - up_.cwiseProduct(s.above)).cwiseQuotient(above_);
    s.down = (-r4 - down_.cwiseProduct(s.below)).cwiseQuotient(below_);
    return s;
  }

  double primal_room(const Step& s) const {
    return std::min(
        {1.0, room(slack_, s.slack), room(xi_, s.xi), room(above_, s.above), room(below_, s.below)});
  }
  double dual_room(const Step& s) const {
    return std::min({1.0, room(dual, s.dual), room(rest_, s.rest), room(up_, s.up), room(down_, s.down)});
  }

  // Mehrotra's predictor-corrector: the length of the plain step determines the centring of the next one.
  void predict_and_correct() {
    const Vec p1 = slack_.cwiseProduct(dual), p2 = xi_.cwiseProduct(rest_), p3 = above_.cwiseProduct(up_),
              p4 = below_.cwiseProduct(down_);
    const Step plain = step(p1, p2, p3, p4);
    // The primal and the dual step have one length, because the quadratic term couples both sides.
    const double far = std::min(primal_room(plain), dual_room(plain));
    const double reached = (slack_ + far * plain.slack).dot(dual + far * plain.dual) +
                           (xi_ + far * plain.xi).dot(rest_ + far * plain.rest) +
                           (above_ + far * plain.above).dot(up_ + far * plain.up) +
                           (below_ + far * plain.below).dot(down_ + far * plain.down);
    const double target = mu_ * std::pow(reached / double(pairs()) / mu_, 3);
    const auto corrected = [&](const Vec& product, const Vec& a, const Vec& b) {
      return Vec((product + a.cwiseProduct(b)).array() - target);
    };
    const Step s = step(corrected(p1, plain.slack, plain.dual), corrected(p2, plain.xi, plain.rest),
                        corrected(p3, plain.above, plain.up), corrected(p4, plain.below, plain.down));
    const double length = std::min(primal_room(s), dual_room(s));
    w += length * s.w;
    b += length * s.b;
    t_ += length * s.t;
    slack_ += length * s.slack;
    xi_ += length * s.xi;
    above_ += length * s.above;
    below_ += length * s.below;
    dual += length * s.dual;
    rest_ += length * s.rest;
    up_ += length * s.up;
    down_ += length * s.down;
  }
};

class Interior final : public BareEngine {
 public:
  Interior() : BareEngine(kInteriorEngine) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (p.loss != Loss::hinge || p.y.cols() != 1)
      return "The interior engine takes the hinge loss of one output.";
    if (p.hard()) return "The interior engine takes finite costs.";
    if (s.linear.size()) return "The interior engine takes no linear term.";
    bool shared = s.l1.size() == 1 && s.l1[0] > 0 && !s.groups.empty();
    for (const IndexList& group : s.groups) shared = shared && group.size() == 1;
    return shared ? "" : "The interior engine takes one l1 cost that all columns share.";
  }

  void setup(const Problem& problem) override { problem_ = &problem; }

  Solution solve(const Surrogate& s, const Limits& limits) override {
    const Problem& p = *problem_;
    Solution out;
    out.engine = name();
    out.w = Mat::Zero(p.x->cols(), 1);
    out.b = Vec::Zero(1);
    out.dual = Mat::Zero(p.x->rows(), 1);
    out.note = refusal(p, s);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    const IndexList columns = nonzero_entries(s.scale), rows = nonzero_entries(p.cost);
    if (rows.empty()) {
      out.status = Status::optimal;
      return out;
    }
    if (columns.empty()) return intercept_alone(limits);
    MaxNormQp qp = programme(s, rows, columns);
    out.status = qp.solve(limits);
    out.iterations = qp.steps;
    if (out.status != Status::optimal) return out;
    qp.balance();
    for (std::size_t c = 0; c < columns.size(); ++c) out.w(columns[c], 0) = qp.w[Index(c)];
    for (std::size_t i = 0; i < rows.size(); ++i) out.dual(rows[i], 0) = qp.dual[Index(i)];
    if (p.intercept)
      out.b[0] = best_intercept(p.x->times(out.w.col(0)), p.y.col(0), p.cost, p.loss, p.margin);
    return out;
  }

 private:
  const Problem* problem_ = nullptr;

  // Without columns the problem is a linear programme in the intercept.
  Solution intercept_alone(const Limits& limits) const {
    const Vec zeros = Vec::Zero(problem_->x->cols());
    const auto simplex = make_simplex();
    simplex->setup(*problem_);
    Solution out = simplex->solve({zeros, zeros, Vec(), {}}, limits);
    out.engine = name();
    return out;
  }

  MaxNormQp programme(const Surrogate& s, const IndexList& rows, const IndexList& columns) const {
    const Problem& p = *problem_;
    const Index n = Index(rows.size()), m = Index(columns.size());
    Mat x(n, m), q = Mat::Zero(m, m), k;
    if (p.quadratic == Quadratic::kernel) k = p.x->gram(Vec::Ones(p.x->cols()));
    Vec column(p.x->rows()), y(n), margin(n), cost(n);
    for (Index c = 0; c < m; ++c) {
      const Index j = columns[std::size_t(c)];
      p.x->column(j, column.data());
      for (Index i = 0; i < n; ++i) x(i, c) = column[rows[std::size_t(i)]];
      for (Index e = 0; e < m && k.size(); ++e) q(e, c) = k(columns[std::size_t(e)], j);
      if (s.scale[j] < kInf) q(c, c) += 1 / (s.scale[j] * s.scale[j]);
    }
    for (Index i = 0; i < n; ++i) {
      const Index r = rows[std::size_t(i)];
      y[i] = p.y(r, 0);
      margin[i] = p.margin_of(r);
      cost[i] = p.cost[r];
    }
    return MaxNormQp(std::move(x), std::move(q), y, margin, cost, s.l1[0], p.intercept);
  }
};

}  // namespace

std::unique_ptr<Engine> make_interior() { return std::make_unique<Interior>(); }

const EngineKind kInteriorEngine{"interior", Interior::refusal,
                                 [](const HighsSettings&) { return make_interior(); }};

}  // namespace zeronorm

// Certifies solutions from the definition of the problem in long double, independently of certify(): the primal
// value, the violation of hard margins, and a dual bound from the multipliers.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/types.h"

namespace zeronorm {

using Real = long double;
using RealVec = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMat = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

struct Grade {
  // The primal value; violations of hard margins are charged by the multipliers.
  Real primal = 0;
  Real dual = 0;
  // The largest violation of hard margins, relative to the size of margins.
  Real slack = 0;
  // The value to which differences are relative if the optimum is near zero.
  Real floor = 0;
  // The changes of slack and of the values above that rounding of decision values in double precision can cause.
  Real slack_noise = 0, noise = 0;
  Real gap() const { return (primal - dual) / size(); }
  Real size() const { return std::max({std::abs(primal), std::abs(dual), floor, Real(1e-100)}); }
};

// x is the matrix that the design of the problem represents; with a kernel it is K itself. There is no linear term
// beside groups, and each column is in one group.
class Grader {
 public:
  Grader(const RealMat& x, const Problem& problem, const Surrogate& surrogate)
      : x_(x), p_(problem), s_(surrogate), n_(x.rows()), d_(x.cols()), outputs_(problem.y.cols()) {
    measure();
  }

  // reach: weights and intercepts that nothing bounds are assumed to be at most this multiple of those found.
  Grade grade(const Solution& solution, Real reach = 10) const {
    const RealMat w = solution.w.cast<Real>(), a = multipliers(solution.dual);
    RealVec b = RealVec::Zero(outputs_);
    if (p_.intercept) b = solution.b.cast<Real>();
    Grade g;
    g.primal = regulariser(w) + loss(w, b, a, g.slack);
    g.floor = floor(w, a);
    add_noise(w, b, a, g);
    const RealVec most = reaches(w, g.primal, reach);
    const Real most_b = reach * std::max(unit_, b.cwiseAbs().maxCoeff());
    const RealMat push = signed_multipliers(a);
    g.dual = std::max(dual(a, push, most, most_b, 1), dual(a, push, most, most_b, shrink(push)));
    return g;
  }

  // Returns whether there may be no minimum: a linear term exceeds the cost of a weight without ridge, or something
  // without any cost may separate the classes.
  bool unbounded() const {
    const bool endless = p_.loss == Loss::logistic || p_.loss == Loss::probit;
    if (endless && p_.intercept) return true;
    for (Index j = 0; j < d_ && endless; ++j)
      if (s_.scale[j] == kInf && s_.l1[j] == 0) return true;
    for (Index j = 0; j < d_; ++j)
      if (s_.groups.empty() && s_.scale[j] == kInf && (s_.cost_up(j) < 0 || s_.cost_down(j) < 0)) return true;
    return false;
  }

  // Returns how far the multipliers are from proving that hard margins cannot be met, in columns scaled to their own
  // size.
  Real ray_error(const Mat& dual) const {
    Real least = kInf;
    const bool joint = p_.loss == Loss::weston_watkins;
    for (Index k = 0; k < (joint ? 1 : outputs_); ++k) {
      RealMat a = dual.cast<Real>();
      for (Index l = 0; l < outputs_; ++l)
        if (!joint && l != k) a.col(l).setZero();
      Real beyond = 0;
      for (Index i = 0; i < n_; ++i)
        for (Index l = 0; l < outputs_; ++l)
          if (!joint || p_.y(i, l) < 0)
            beyond += a(i, l) * (joint ? 2 : Real(p_.margin_of(i)) - shift_ * p_.y(i, l));
      if (!(beyond > 0) || a.minCoeff() < 0) continue;
      const RealMat push = signed_multipliers(a);
      Real worst = p_.intercept ? push.colwise().sum().cwiseAbs().maxCoeff() : 0;
      for (Index j = 0; j < d_; ++j)
        if (s_.scale[j] > 0 && x_.col(j).squaredNorm() > 0)
          worst = std::max(worst, (x_.col(j).transpose() * push).cwiseAbs().maxCoeff() / x_.col(j).norm());
      least = std::min(least, worst / beyond * unit_);
    }
    return least;
  }

 private:
  bool kernel() const { return p_.quadratic == Quadratic::kernel; }

  // Margins bound f at y m: computes the middle, if an intercept makes it free, and half the range of these values.
  void measure() {
    Real low = p_.intercept ? kInf : 0.0, high = p_.intercept ? -kInf : 0.0;
    for (Index i = 0; i < n_; ++i) {
      if (p_.cost[i] == 0) continue;
      const Real at = p_.loss == Loss::squared ? p_.y(i, 0) : p_.y(i, 0) * p_.margin_of(i);
      low = std::min(low, at);
      high = std::max(high, at);
    }
    const bool free = p_.margin.size() || p_.loss == Loss::squared;
    if (!free || !(low <= high)) return;
    shift_ = p_.intercept ? (low + high) / 2 : 0;
    unit_ = p_.intercept ? (high - low) / 2 : std::max(high, -low);
    if (unit_ == 0) unit_ = 1;
  }

  // Returns multipliers within their bounds, balanced if an intercept of one output requires it.
  RealMat multipliers(const Mat& dual) const {
    RealMat a = dual.cast<Real>();
    for (Index i = 0; i < n_; ++i)
      for (Index k = 0; k < outputs_; ++k) {
        if (p_.loss == Loss::weston_watkins && p_.y(i, k) > 0) a(i, k) = 0;
        if (p_.cost[i] == 0) a(i, k) = 0;
        if (p_.loss == Loss::squared) continue;
        a(i, k) = std::max(a(i, k), Real(0));
        if (p_.loss != Loss::squared_hinge && p_.loss != Loss::probit)
          a(i, k) = std::min(a(i, k), Real(p_.cost[i]));
      }
    if (!p_.intercept || p_.loss == Loss::weston_watkins) return a;
    for (Index k = 0; k < outputs_; ++k) balance(a, k);
    return a;
  }

  void balance(RealMat& a, Index k) const {
    if (p_.loss == Loss::squared) {
      const Real cost = p_.cost.cast<Real>().sum();
      if (cost > 0) a.col(k) -= p_.cost.cast<Real>() * (a.col(k).sum() / cost);
      return;
    }
    Real up = 0, down = 0;
    for (Index i = 0; i < n_; ++i) (p_.y(i, k) > 0 ? up : down) += a(i, k);
    for (Index i = 0; i < n_; ++i) {
      if (p_.y(i, k) > 0 && up > down) a(i, k) *= down / up;
      if (p_.y(i, k) < 0 && down > up) a(i, k) *= up / down;
    }
  }

  // Returns the multipliers with their signs for each row and output.
  RealMat signed_multipliers(const RealMat& a) const {
    if (p_.loss == Loss::squared) return a;
    if (p_.loss != Loss::weston_watkins) return a.cwiseProduct(p_.y.cast<Real>());
    RealMat push = -a;
    for (Index i = 0; i < n_; ++i)
      for (Index k = 0; k < outputs_; ++k)
        if (p_.y(i, k) > 0) push(i, k) = a.row(i).sum() - a(i, k);
    return push;
  }

  void add_noise(const RealMat& w, const RealVec& b, const RealMat& a, Grade& g) const {
    // Relative rounding error of a decision value in double precision, with a margin.
    constexpr Real rounding = 16 * std::numeric_limits<double>::epsilon();
    const RealMat f = (x_.cwiseAbs() * w.cwiseAbs()).rowwise() + b.cwiseAbs().transpose();
    for (Index i = 0; i < n_; ++i) {
      const Real most = rounding * f.row(i).sum();
      if (p_.cost[i] > 0) g.slack_noise = std::max(g.slack_noise, most / unit_);
      g.noise += most * (p_.hard() ? a.row(i).sum() : Real(p_.cost[i]));
    }
  }

  Real regulariser(const RealMat& w) const {
    Real value = 0;
    if (kernel()) value += (w.transpose() * (x_ * w)).trace() / 2;
    for (Index j = 0; j < d_; ++j)
      for (Index k = 0; k < outputs_; ++k) {
        const Real v = w(j, k);
        if (s_.groups.empty()) value += v > 0 ? v * Real(s_.cost_up(j)) : -v * Real(s_.cost_down(j));
        if (v != 0 && s_.scale[j] < kInf) value += (v / s_.scale[j]) * (v / s_.scale[j]) / 2;
      }
    for (Index f = 0; f < s_.l1.size() && !s_.groups.empty(); ++f) {
      Real largest = 0;
      for (Index j = 0; j < d_; ++j)
        if (s_.groups[j][0] == f) largest = std::max(largest, w.row(j).cwiseAbs().maxCoeff());
      value += s_.l1[f] * largest;
    }
    return value;
  }

  Real loss(const RealMat& w, const RealVec& b, const RealMat& a, Real& worst) const {
    const RealMat f = (x_ * w).rowwise() + b.transpose();
    Real value = 0;
    for (Index i = 0; i < n_; ++i) {
      if (p_.cost[i] == 0) continue;
      for (Index k = 0; k < outputs_; ++k) {
        Real slack = Real(p_.margin_of(i)) - p_.y(i, k) * f(i, k);
        if (p_.loss == Loss::weston_watkins) {
          Index own;
          p_.y.row(i).maxCoeff(&own);
          if (own == k) continue;
          slack = 2 - f(i, own) + f(i, k);
        }
        if (p_.hard()) {
          worst = std::max(worst, slack / unit_);
          value += a(i, k) * std::max(slack, Real(0));
        } else {
          value += p_.cost[i] * row_loss(i, k, f(i, k), std::max(slack, Real(0)));
        }
      }
    }
    return value;
  }

  Real row_loss(Index i, Index k, Real f, Real slack) const {
    const Real y = p_.y(i, k), t = y * f;
    switch (p_.loss) {
      case Loss::squared: return (y - f) * (y - f) / 2;
      case Loss::logistic: return std::max(-t, Real(0)) + std::log1p(std::exp(-std::abs(t)));
      case Loss::probit: return minus_log_phi(t);
      case Loss::squared_hinge: return slack * slack / 2;
      default: return slack;
    }
  }

  static Real minus_log_phi(Real t) {
    const Real root = std::sqrt(Real(2)), pi = std::acos(Real(-1));
    if (t > 0) return -std::log1p(-std::erfc(t / root) / 2);
    if (t > -100) return -std::log(std::erfc(-t / root) / 2);
    return t * t / 2 + std::log(-t * std::sqrt(2 * pi)) + 1 / (t * t);
  }
  static Real force(Real t) {
    const Real root = std::sqrt(Real(2)), pi = std::acos(Real(-1));
    if (t < -100) return -t - 1 / t;
    return std::exp(-t * t / 2) / std::sqrt(2 * pi) / (std::erfc(-t / root) / 2);
  }

  // Returns the contribution of a row to the bound: min over f of its loss plus the multiplier times f.
  Real row_dual(Index i, Index k, Real a) const {
    const Real c = p_.cost[i], y = p_.y(i, k);
    if (c == 0 || a == 0) return 0;
    if (p_.hard()) return a * (p_.loss == Loss::weston_watkins ? 2 : Real(p_.margin_of(i)));
    switch (p_.loss) {
      case Loss::squared: return y * a - a * a / c / 2;
      case Loss::squared_hinge: return p_.margin_of(i) * a - a * a / c / 2;
      case Loss::hinge: return p_.margin_of(i) * a;
      case Loss::weston_watkins: return 2 * a;
      case Loss::logistic: {
        const Real r = a / c;
        return r >= 1 ? 0 : c * (-r * std::log(r) - (1 - r) * std::log1p(-r));
      }
      case Loss::probit: {
        const Real r = a / c;
        Real low = -r - 1, high = 200;  // The force decreases from above -t to zero.
        for (int step = 0; step < 200; ++step) {
          const Real t = (low + high) / 2;
          (force(t) > r ? low : high) = t;
        }
        return c * (minus_log_phi(low) + r * low);
      }
    }
    return 0;
  }

  // Returns the dual value at t a; the excess of a price over its cost is multiplied by the assumed bound of the
  // weight.
  Real dual(const RealMat& a, const RealMat& push, const RealVec& most, Real most_b, Real t) const {
    Real value = 0;
    for (Index i = 0; i < n_; ++i)
      for (Index k = 0; k < outputs_; ++k) value += row_dual(i, k, t * a(i, k));
    if (p_.intercept) value -= (t * push).colwise().sum().cwiseAbs().sum() * most_b;
    const RealMat g = t * (x_.transpose() * push);
    if (kernel()) return value - (t * push.cwiseProduct(g)).sum() / 2;
    if (!s_.groups.empty()) return value - group_conjugate(g.col(0), most);
    for (Index j = 0; j < d_; ++j)
      for (Index k = 0; k < outputs_; ++k) {
        if (s_.scale[j] == 0) continue;
        const Real e = std::max({Real(0), g(j, k) - Real(s_.cost_up(j)), -g(j, k) - Real(s_.cost_down(j))});
        if (e > 0) value -= s_.scale[j] < kInf ? s_.scale[j] * e * (s_.scale[j] * e) / 2 : e * most[j];
      }
    return value;
  }

  // The shared cost takes its part of |g|; of columns with a ridge it takes no more than leaves every z^2 (|g| -
  // part) at one level or below. The ridges take the rest.
  Real group_conjugate(const RealVec& g, const RealVec& most) const {
    Real value = 0;
    for (Index f = 0; f < s_.l1.size(); ++f) {
      Real room = s_.l1[f], high = 0;
      Real largest = 0;
      for (Index j = 0; j < d_; ++j) {
        if (s_.groups[j][0] != f || s_.scale[j] == 0) continue;
        if (s_.scale[j] == kInf)
          room -= std::abs(g[j]), largest = std::max(largest, most[j]);
        else
          high = std::max(high, s_.scale[j] * s_.scale[j] * std::abs(g[j]));
      }
      if (room < 0) value -= room * largest, room = 0;
      Real low = 0;
      for (int step = 0; step < 200; ++step) {
        const Real level = (low + high) / 2;
        Real shares = 0;
        for (Index j = 0; j < d_; ++j)
          if (s_.groups[j][0] == f && s_.scale[j] > 0 && s_.scale[j] < kInf)
            shares += std::max(Real(0), std::abs(g[j]) - level / s_.scale[j] / s_.scale[j]);
        (shares > room ? low : high) = level;
      }
      for (Index j = 0; j < d_; ++j) {
        const Real z = s_.scale[j];
        if (s_.groups[j][0] != f || z == 0 || s_.scale[j] == kInf) continue;
        const Real rest = std::min(std::abs(g[j]), high / z / z);
        value += z * rest * (z * rest) / 2;
      }
    }
    return value;
  }

  // Returns the factor by which the multipliers have to shrink so that prices do not exceed positive costs.
  Real shrink(const RealMat& push) const {
    const RealMat g = x_.transpose() * push;
    Real t = 1;
    for (Index j = 0; j < d_ && s_.groups.empty(); ++j)
      for (Index k = 0; k < outputs_; ++k) {
        const Real cost = g(j, k) > 0 ? s_.cost_up(j) : s_.cost_down(j);
        if (s_.scale[j] == kInf && cost > 0 && std::abs(g(j, k)) > cost)
          t = std::min(t, cost / std::abs(g(j, k)));
      }
    return t < 1 ? t * (1 - Real(1e-18)) : t;
  }

  RealVec reaches(const RealMat& w, Real primal, Real reach) const {
    const Real largest = w.size() ? w.cwiseAbs().maxCoeff() : 0;
    bool paid = !kernel();  // Whether every term is positive.
    for (Index j = 0; j < d_ && paid && s_.groups.empty(); ++j)
      paid = s_.scale[j] < kInf ? s_.linear.size() == 0 : s_.cost_up(j) >= 0 && s_.cost_down(j) >= 0;
    RealVec most(d_);
    for (Index j = 0; j < d_; ++j) {
      const Real found = w.row(j).cwiseAbs().maxCoeff(), norm = x_.col(j).norm();
      const Real moves = norm > 0 ? unit_ * std::sqrt(Real(n_)) / norm : 0;
      most[j] = reach * std::max(found > 0 ? found : largest, moves);
      const Real price =
          s_.groups.empty() ? std::min(s_.cost_up(j), s_.cost_down(j)) : s_.l1[s_.groups[j][0]];
      const Real cost = paid ? price : 0;
      if (cost > 0) most[j] = std::min(most[j], primal / cost);
    }
    return most;
  }

  // Returns a share of the loss without a classifier, or of the cost of the most expensive weight.
  Real floor(const RealMat& w, const RealMat& a) const {
    if (!p_.hard()) {
      const RealVec c = p_.cost.cast<Real>(), y = p_.y.col(0).cast<Real>();
      Real all = c.sum() * (p_.loss == Loss::squared_hinge ? unit_ * unit_ : unit_);
      if (p_.loss == Loss::squared) {
        const Real mean = p_.intercept && all > 0 ? c.dot(y) / c.sum() : 0;
        all = c.dot((y.array() - mean).square().matrix()) / 2;
      }
      return Real(1e-4) * all;
    }
    const Real dearest = s_.l1.size() ? s_.l1.maxCoeff() * w.cwiseAbs().maxCoeff() : Real(0);
    if (p_.margin.size() == 0) return 1e-9 * dearest;
    return std::max(1e-6 * dearest, 1e-4 * std::max(unit_ * a.sum(), price_of_margins()));
  }

  // Returns the approximate cost of changing decision values by the size of margins, by any term with a cost.
  Real price_of_margins() const {
    Real cheapest = kInf, bend = kernel() ? x_.norm() : Real(0);
    for (Index j = 0; j < x_.cols(); ++j) {
      const Real square = x_.col(j).squaredNorm(), z = s_.scale[j];
      if (s_.scale[j] < kInf)
        bend += z * z * square;
      else if (s_.groups.empty() && s_.l1[j] > 0 && square > 0)
        cheapest = std::min(cheapest, s_.l1[j] * unit_ * std::sqrt(n_ / square));
    }
    if (bend > 0) cheapest = std::min(cheapest, unit_ * unit_ * n_ / bend / 2);
    return cheapest < kInf ? cheapest : Real(0);
  }

  const RealMat& x_;
  const Problem& p_;
  const Surrogate& s_;
  Index n_, d_, outputs_;
  Real unit_ = 1, shift_ = 0;
};

}  // namespace zeronorm

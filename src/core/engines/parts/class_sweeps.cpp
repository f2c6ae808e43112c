#include "engines/parts/class_sweeps.h"

#include <algorithm>
#include <cmath>

#include "base/indices.h"

namespace zeronorm {
namespace {

// Largest number of sweeps.
constexpr int kMaxSweeps = 600;
// Over-relaxation factor of a step.
constexpr double kRelaxation = 1.4;
// Weight of the equations of the unpenalised columns, relative to the curvature of a row.
constexpr double kBalanceWeight = 0.03;
// The gap is computed once in this many sweeps; the first of them visits all rows.
constexpr int kPeriod = 5;
// Progress is tested once in this many sweeps, which give up where more than kMaxRemaining of the gap is left.
constexpr int kTestPeriod = 20;
constexpr double kMaxRemaining = 0.7;

class Ascent {
 public:
  Ascent(const ClassDual& dual, ClassMultipliers& found)
      : d_(dual), m_(found.m), theta_(found.theta), k_(found.m.cols()), value_(k_), q_(k_) {
    bend_ = d_.rows.squares(d_.squares);
    rows_ = nonzero_entries(d_.cost);
    v_ = RowMat::Zero(d_.rows.cols(), k_);
    for (Index i : rows_) d_.rows.add(i, m_.row(i).data(), v_);
    v_.array().colwise() *= d_.squares.array();
    const double total = bend_.sum();
    weight_ = Vec::Zero(d_.f.cols());
    for (Index l = 0; l < weight_.size(); ++l) {
      weight_[l] = kBalanceWeight * total / std::max(d_.f.col(l).squaredNorm(), 1e-300);
      bend_ += weight_[l] * d_.f.col(l).cwiseAbs2();
    }
    balance_ = d_.f.transpose() * m_;
    resting_.assign(static_cast<std::size_t>(m_.rows()), 0);
  }

  // Visits the rows in an order that depends on the number of the sweep alone. O(entries) for each class.
  void sweep(int number, double over, bool whole) {
    IndexList order;
    for (Index i : rows_)
      if (whole || !resting_[static_cast<std::size_t>(i)]) order.push_back(i);
    shuffle(order, number);
    for (Index i : order) visit(i, over);
  }

  void move_theta() { theta_ += weight_.asDiagonal() * balance_; }

  // The relative gap of the present weights and multipliers. O(entries) for each class.
  double gap() {
    double loss = 0, linear = 0, square = 0;
    for (Index j = 0; j < v_.rows(); ++j)
      if (d_.squares[j] > 0) square += v_.row(j).squaredNorm() / d_.squares[j];
    for (Index i : rows_) {
      values(i, false);
      const Index own = d_.own[static_cast<std::size_t>(i)];
      for (Index l = 0; l < k_; ++l)
        if (l != own) loss += d_.cost[i] * std::max(0.0, 2 - value_[own] + value_[l]);
      linear += 2 * m_(i, own);
    }
    const double primal = 0.5 * square + loss,
                 imbalance = balance_.cwiseAbs().cwiseProduct(theta_.cwiseAbs()).sum();
    return (primal - (linear - 0.5 * square) + imbalance) / primal;
  }

 private:
  const ClassDual& d_;
  RowMat& m_;
  RowMat& theta_;
  Index k_;
  Vec value_, q_;
  Vec bend_, weight_;
  IndexList rows_;
  // Z^2 X'm and F'm.
  RowMat v_, balance_;
  std::vector<char> resting_;

  // The decision values of a row, with the terms of the augmented Lagrangian or without.
  void values(Index i, bool augmented) {
    d_.rows.product(i, v_, value_.data());
    for (Index c = 0; c < weight_.size(); ++c) {
      const double entry = d_.f(i, c);
      value_ += entry * theta_.row(c).transpose();
      if (augmented) value_ += entry * weight_[c] * balance_.row(c).transpose();
    }
  }

  void visit(Index i, double over) {
    const Index own = d_.own[static_cast<std::size_t>(i)];
    if (!(bend_[i] > 0)) return;
    values(i, true);
    bool moved = false;
    for (Index l = 0; l < k_; ++l) q_[l] = m_(i, l) + over * ((l == own ? 2.0 : 0.0) - value_[l]) / bend_[i];
    project_on_multipliers(q_.data(), k_, own, d_.cost[i]);
    for (Index l = 0; l < k_; ++l) {
      const double to = q_[l];
      q_[l] -= m_(i, l);
      m_(i, l) = to;
      moved = moved || q_[l] != 0;
    }
    resting_[static_cast<std::size_t>(i)] = !moved;
    if (!moved) return;
    d_.rows.each(i, [&](Index j, double x) {
      const double factor = d_.squares[j] * x;
      double* to = v_.data() + j * k_;
      for (Index l = 0; l < k_; ++l) to[l] += factor * q_[l];
    });
    for (Index c = 0; c < weight_.size(); ++c) balance_.row(c) += d_.f(i, c) * q_.transpose();
  }
};

}  // namespace

bool sweep_classes(const ClassDual& dual, double aim, const Limits& limits, ClassMultipliers& found) {
  Ascent ascent(dual, found);
  double last = kInf;
  for (int k = 0; k < kMaxSweeps && !limits.stop_now(); ++k) {
    ascent.sweep(k, kRelaxation, k % kPeriod == 0);
    ascent.move_theta();
    if (k % kPeriod != kPeriod - 1) continue;
    found.gap = ascent.gap();
    if (found.gap <= aim) return true;
    if (k % kTestPeriod != kTestPeriod - 1) continue;
    if (!(found.gap <= kMaxRemaining * last)) return false;
    last = found.gap;
  }
  return false;
}

}  // namespace zeronorm

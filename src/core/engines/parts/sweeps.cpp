#include "engines/parts/sweeps.h"

#include <algorithm>
#include <cmath>

#include "base/indices.h"

namespace zeronorm {
namespace {

// Largest number of sweeps.
constexpr int kMaxSweeps = 150;
// After this many sweeps the gap is compared with kMaxGapAtTest.
constexpr int kGapTestSweep = 48;
// Sweeps give up if the relative gap is larger than this after kGapTestSweep of them.
constexpr double kMaxGapAtTest = 0.5;
// One sweep in this many includes the rows that rested.
constexpr int kFullSweepPeriod = 4;
// Over-relaxation factor of a step.
constexpr double kRelaxation = 1.4;
// Over-relaxed sweeps end at this multiple of the target gap; a last sweep without relaxation reaches the target.
constexpr double kFinalGapFactor = 2.5;
// Weight of the equations of the unpenalised columns, relative to the curvature of a row.
constexpr double kBalanceWeight = 0.03;
// Number of sweeps before slow progress ends them.
constexpr int kMinSweeps = 12;
// Sweeps end if kFullSweepPeriod of them leave more than this share of the sum over rows of the gap.
constexpr double kMaxRemaining = 0.9;

class Ascent {
 public:
  Ascent(const RidgeDual& dual, Multipliers& found);
  bool empty() const { return rows_.empty(); }
  void sweep(int number, double over, bool whole);
  void lengthen();
  // Updates the multipliers of the equations for the next sweep.
  void move_theta() { theta_ += weight_.cwiseProduct(balance_); }
  // Returns the sum of the contributions of the rows to the gap, each from its last visit; gap() is relative to the
  // value.
  double missing() const { return missing_.sum(); }
  double gap() const;

 private:
  double change(Index i, double product, double over);
  double squared_norm() const;

  const RidgeDual& m_;
  Vec& a_;
  Vec& theta_;
  IndexList rows_;
  // The weights of the equations of the unpenalised columns.
  Vec weight_;
  // The second derivatives in a multiplier: of its own term, and of everything else.
  Vec own_, bend_;
  // The products Z^2 X'(y a) and F'(y a).
  Vec v_, balance_;
  // The contribution of each row to the gap and its loss, at its last visit.
  Vec missing_, loss_;
  // Whether the multiplier of a row did not change at its last visit.
  std::vector<char> rests_;
};

Ascent::Ascent(const RidgeDual& dual, Multipliers& found)
    : m_(dual), a_(found.a), theta_(found.theta), bend_(dual.rows.squares(dual.squares)) {
  const Index n = m_.y.size(), f = m_.f.cols();
  rows_ = nonzero_entries(m_.cap);
  const Vec ya = m_.y.cwiseProduct(a_);
  v_ = m_.squares.cwiseProduct(m_.rows.weighted_sum(nonzero_entries(ya), ya));
  weight_ = balance_ = Vec::Zero(f);
  const double total = bend_.sum();
  for (Index l = 0; l < f; ++l) {
    weight_[l] = kBalanceWeight * total / std::max(m_.f.col(l).squaredNorm(), 1e-300);
    balance_[l] = m_.f.col(l).dot(ya);
    bend_ += weight_[l] * m_.f.col(l).cwiseAbs2();
  }
  own_ = missing_ = loss_ = Vec::Zero(n);
  for (Index i : rows_)
    if (m_.squared) own_[i] = 1 / m_.cost[i];
  rests_.assign(std::size_t(n), 0);
}

// Visits all rows, or those that do not rest. O(nonzeros of the rows).
void Ascent::sweep(int number, double over, bool whole) {
  IndexList rows;
  for (Index i : rows_)
    if (whole || !rests_[std::size_t(i)]) rows.push_back(i);
  shuffle(rows, number);
  m_.rows.sweep(rows, m_.squares, v_, [&](Index i, double product) { return change(i, product, over); });
}

double Ascent::change(Index i, double product, double over) {
  const double y = m_.y[i];
  double f = product;
  for (Index l = 0; l < balance_.size(); ++l) f += m_.f(i, l) * (theta_[l] + weight_[l] * balance_[l]);
  const double r = m_.margin[i] - y * f, slack = std::max(0.0, r), slope = r - own_[i] * a_[i],
               bend = own_[i] + bend_[i];
  loss_[i] = m_.cost[i] * (m_.squared ? 0.5 * slack * slack : slack);
  missing_[i] = loss_[i] + 0.5 * own_[i] * a_[i] * a_[i] - a_[i] * r;
  const double best = bend > 0 ? a_[i] + over * slope / bend : slope > 0 ? m_.cap[i] : 0;
  const double to = std::min(m_.cap[i], std::max(0.0, best)), step = to - a_[i];
  rests_[std::size_t(i)] = step == 0;
  a_[i] = to;
  for (Index l = 0; l < balance_.size(); ++l) balance_[l] += m_.f(i, l) * y * step;
  return y * step;
}

double Ascent::squared_norm() const {
  double sum = 0;
  for (Index j = 0; j < v_.size(); ++j)
    if (m_.squares[j] > 0) sum += v_[j] * v_[j] / m_.squares[j];
  return sum;
}

// Scales all multipliers by their best common factor, because single steps from zero grow slowly. O(n + d).
void Ascent::lengthen() {
  double longest = kInf;
  for (Index i : rows_)
    if (a_[i] > 0) longest = std::min(longest, m_.cap[i] / a_[i]);
  const double slope = m_.margin.dot(a_) - theta_.dot(balance_);
  const double bend = squared_norm() + own_.dot(a_.cwiseAbs2()) + weight_.dot(balance_.cwiseAbs2());
  const double multiple = std::min(longest, slope / bend);
  if (!(multiple > 0 && multiple < kInf)) return;
  a_ *= multiple;
  v_ *= multiple;
  balance_ *= multiple;
}

double Ascent::gap() const {
  return (missing() + balance_.cwiseAbs().dot(theta_.cwiseAbs())) / (0.5 * squared_norm() + loss_.sum());
}

}  // namespace

bool sweep(const RidgeDual& dual, double aim, const Limits& limits, Multipliers& found) {
  Ascent ascent(dual, found);
  if (ascent.empty()) return false;
  bool reached = false;
  double last = kInf;
  for (int k = 0; k < kMaxSweeps && !reached && !limits.stop_now(); ++k) {
    ascent.sweep(k, kRelaxation, k % kFullSweepPeriod == 0);
    found.gap = ascent.gap();
    ascent.lengthen();
    ascent.move_theta();
    reached = found.gap <= kFinalGapFactor * aim;
    if (k == kGapTestSweep && !(found.gap <= kMaxGapAtTest)) return false;
    if (k % kFullSweepPeriod != kFullSweepPeriod - 1) continue;
    if (k >= kMinSweeps && !(ascent.missing() <= kMaxRemaining * last)) break;
    last = ascent.missing();
  }
  ascent.sweep(kMaxSweeps, 1, true);
  found.gap = ascent.gap();
  return reached;
}

}  // namespace zeronorm

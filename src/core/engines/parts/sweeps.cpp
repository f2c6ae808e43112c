#include "engines/parts/sweeps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/indices.h"

namespace zeronorm {
namespace {

constexpr int kSweeps = 150;    // at most, and
constexpr int kHopeful = 48;    // to a gap of
constexpr double kHope = 0.5;   // this, or there is no hope
constexpr int kWhole = 4;       // each such sweep takes the rows as well that rested
constexpr double kOver = 1.4;   // relaxation, which
constexpr double kRough = 2.5;  // times the gap asked for is reached by: a last sweep without does the rest
constexpr double kBalance = 0.03;  // what balance weighs beside a row
constexpr int kEarly = 12;         // sweeps before any is said to gain little:
constexpr double kIdle = 0.9;      // kWhole of them leave this share of what is missing

// The same permutation for the same sweep: in any fixed order sweeps gain far less. O(rows).
void shuffle(IndexList& rows, int sweep) {
  std::uint64_t state = static_cast<std::uint64_t>(sweep) * 0x9E3779B97F4A7C15u + 1;
  for (std::size_t k = rows.size(); k > 1; --k) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's generator
    std::swap(rows[k - 1], rows[(state >> 33) % k]);
  }
}

class Ascent {
 public:
  Ascent(const DualMachine& machine, Multipliers& found);
  bool empty() const { return rows_.empty(); }
  void sweep(int number, double over, bool whole);
  void lengthen();
  // The multipliers of balance, for the next sweep.
  void move_theta() { theta_ += weight_.cwiseProduct(balance_); }
  // What the rows missed when they were last seen, and that over the value.
  double missing() const { return missing_.sum(); }
  double gap() const;

 private:
  double change(Index i, double product, double over);
  double squared_norm() const;

  const DualMachine& m_;
  Vec& a_;
  Vec& theta_;
  IndexList rows_;
  Vec weight_;               // of balance
  Vec own_, bend_;           // second derivatives in a multiplier: of its own term, and of all else
  Vec v_, balance_;          // Z^2 X'(y a), F'(y a)
  Vec missing_, loss_;       // of each row when it was last seen, and
  std::vector<char> rests_;  // whether it stayed where it was
};

Ascent::Ascent(const DualMachine& machine, Multipliers& found)
    : m_(machine), a_(found.a), theta_(found.theta), bend_(machine.rows.squares(machine.squares)) {
  const Index n = m_.y.size(), f = m_.f.cols();
  rows_ = nonzero_entries(m_.cap);
  const Vec ya = m_.y.cwiseProduct(a_);
  v_ = m_.squares.cwiseProduct(m_.rows.weighted_sum(nonzero_entries(ya), ya));
  weight_ = balance_ = Vec::Zero(f);
  const double total = bend_.sum();
  for (Index l = 0; l < f; ++l) {
    weight_[l] = kBalance * total / std::max(m_.f.col(l).squaredNorm(), 1e-300);
    balance_[l] = m_.f.col(l).dot(ya);
    bend_ += weight_[l] * m_.f.col(l).cwiseAbs2();
  }
  own_ = missing_ = loss_ = Vec::Zero(n);
  for (Index i : rows_)
    if (m_.squared) own_[i] = 1 / m_.cost[i];
  rests_.assign(std::size_t(n), 0);
}

// O(entries of the rows).
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

// To the best multiple of all multipliers: from zero they grow slowly. O(n + d).
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

bool sweep(const DualMachine& machine, double aim, const Limits& limits, Multipliers& found) {
  Ascent ascent(machine, found);
  if (ascent.empty()) return false;
  bool reached = false;
  double last = kInf;
  for (int k = 0; k < kSweeps && !reached && !limits.stop_now(); ++k) {
    ascent.sweep(k, kOver, k % kWhole == 0);
    found.gap = ascent.gap();
    ascent.lengthen();
    ascent.move_theta();
    reached = found.gap <= kRough * aim;
    if (k == kHopeful && !(found.gap <= kHope)) return false;
    if (k % kWhole != kWhole - 1) continue;
    if (k >= kEarly && !(ascent.missing() <= kIdle * last)) break;
    last = ascent.missing();
  }
  ascent.sweep(kSweeps, 1, true);
  found.gap = ascent.gap();
  return reached;
}

}  // namespace zeronorm

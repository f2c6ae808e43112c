// The inequalities f_plus - f_minus >= rhs - violation of a loss: one per sample for two classes (rhs is its margin),
// one per sample and other class for Weston-Watkins (rhs 2). Their multipliers are the dual variables of every
// engine.
#pragma once

#include "data/design.h"
#include "problem/loss.h"

namespace zeronorm {

struct MarginRow {
  // The outputs with sign + and -; -1 means none.
  Index sample, plus, minus;
  double sign(Index output) const { return double(plus == output) - double(minus == output); }
};

struct Margins {
  std::vector<MarginRow> rows;
  Index samples = 0;
  Index outputs = 1;
  Vec rhs;

  Margins() = default;

  // Takes O(n k).
  explicit Margins(const Problem& problem) : samples(problem.y.rows()), outputs(problem.y.cols()) {
    if (problem.loss != Loss::weston_watkins) {
      for (Index i = 0; i < samples; ++i)
        rows.push_back(problem.y(i, 0) > 0 ? MarginRow{i, 0, -1} : MarginRow{i, -1, 0});
      rhs = problem.margins();
      return;
    }
    for (Index i = 0; i < samples; ++i) {
      Index own;
      problem.y.row(i).maxCoeff(&own);
      for (Index k = 0; k < outputs; ++k)
        if (k != own) rows.push_back({i, own, k});
    }
    rhs = Vec::Constant(size(), 2.0);
  }

  Index size() const { return Index(rows.size()); }

  // Returns the column of Solution::dual with the multiplier of this row.
  Index dual_column(const MarginRow& row) const { return outputs > 1 ? row.minus : 0; }

  // Convert multipliers to Solution::dual and back. O(n k).
  Mat scatter(const Vec& a) const {
    Mat dual = Mat::Zero(samples, outputs);
    for (Index r = 0; r < size(); ++r) dual(rows[r].sample, dual_column(rows[r])) = a[r];
    return dual;
  }
  Vec gather(const Mat& dual) const {
    Vec a(size());
    for (Index r = 0; r < size(); ++r) a[r] = dual(rows[r].sample, dual_column(rows[r]));
    return a;
  }

  // Returns the multipliers with their signs for each sample and output; the regulariser balances X' times this. O(n
  // k).
  Mat signed_multipliers(const Vec& a) const {
    Mat m = Mat::Zero(samples, outputs);
    for (Index r = 0; r < size(); ++r) {
      if (rows[r].plus >= 0) m(rows[r].sample, rows[r].plus) += a[r];
      if (rows[r].minus >= 0) m(rows[r].sample, rows[r].minus) -= a[r];
    }
    return m;
  }

  // Returns f_plus - f_minus for decision values f (n x k). O(n k).
  Vec margins(const Mat& f) const {
    Vec value = Vec::Zero(size());
    for (Index r = 0; r < size(); ++r) {
      if (rows[r].plus >= 0) value[r] += f(rows[r].sample, rows[r].plus);
      if (rows[r].minus >= 0) value[r] -= f(rows[r].sample, rows[r].minus);
    }
    return value;
  }

  // Returns the cost of a unit of violation for each row.
  Vec costs(const Problem& problem) const {
    Vec cost(size());
    for (Index r = 0; r < size(); ++r) cost[r] = problem.cost[rows[r].sample];
    return cost;
  }

  // Returns multipliers with equal sums for all classes, zero on rows that w = 0 satisfies. O(n k).
  Vec balanced() const {
    Vec count = Vec::Zero(outputs + 1), a = Vec::Zero(size());
    for (Index r = 0; r < size(); ++r) count[rows[r].plus + 1] += rhs[r] > 0;
    for (Index r = 0; r < size(); ++r)
      if (rhs[r] > 0) a[r] = 1 / count[rows[r].plus + 1];
    return a;
  }
};

// Returns Solution::dual with the signs of each sample and output. O(n k).
inline Mat signed_multipliers(const Problem& problem, const Mat& dual) {
  if (problem.loss != Loss::weston_watkins) return forces(problem, dual);
  const Margins margins(problem);
  return margins.signed_multipliers(margins.gather(dual));
}

// Returns X' m, one output at a time. O(n d k).
inline Mat transposed_times(const Design& x, const Mat& m) {
  Mat g(x.cols(), m.cols());
  for (Index k = 0; k < m.cols(); ++k) g.col(k) = x.transposed_times(m.col(k));
  return g;
}

// Returns X w + 1 b', one output at a time. O(n d k).
inline Mat decision_values(const Design& x, const Mat& w, const Vec& b) {
  Mat f(x.rows(), w.cols());
  for (Index k = 0; k < w.cols(); ++k) f.col(k) = x.times(w.col(k)).array() + (b.size() ? b[k] : 0.0);
  return f;
}

}  // namespace zeronorm

// A guess at the optimal vertex of
//   sum_k (up_k w_k^+ + down_k w_k^- + ridge_k w_k^2 / 2) + sum_i c_i (m_i - a_i w)_+ .
// The hinge is rounded by a proximal term on the multipliers z:  a_i = c_i clamp(z_i / c_i + r_i / delta, 0, 1),
// Newton's method finds the lowest point on the working columns, z follows.  Columns are kept by the entries
// that are not zero.
#pragma once

#include <cstdint>
#include <functional>

#include "base/types.h"
#include "engines/parts/pricing.h"

namespace zeronorm {

class Smoothed {
 public:
  Smoothed(const Vec& margin, const Vec& cost);

  Index size() const { return static_cast<Index>(up_.size()); }
  // x: the column times y, of unit norm.
  void add_column(const Vec& x, double up, double down, double ridge = 0);
  // One round: to near the lowest point for these multipliers, which then follow.  False where rounding or an
  // interrupt ends it.
  bool round(const Limits& limits);
  // The largest change of a residual or a multiplier (relative to its cost) in the last round.
  double changed() const { return changed_; }

  const Vec& multipliers() const { return a_; }
  double coefficient(Index k) const { return w_[k]; }
  const Vec& residuals() const { return r_; }
  // Rows strictly between their bounds.
  IndexList band() const;

 private:
  struct Move {
    Vec w, f;  // of the coefficients, and A w of it
  };

  double shifted(Index i) const { return r_[i] + delta_ * z_[i] / cost_[i]; }
  // Columns without zeros need no look at their rows.
  bool full(Index k) const { return start_[k + 1] - start_[k] == static_cast<std::size_t>(r_.size()); }
  double dot(Index k, const Vec& v) const;
  void axpy(double c, Index k, Vec& v) const;
  double residual(Index k) const;
  bool held(Index k) const { return w_[k] != 0 || up_[k] + down_[k] == 0; }
  void evaluate();
  double violation() const;
  double value(const Vec& w, const Vec& r) const;
  Move descend() const;
  double least_curvature() const {
    return 1e-6 * cost_.maxCoeff() / delta_;
  }  // of a column that misses the band
  Mat curvature(const IndexList& columns) const;
  Move newton() const;
  double advance(const Move& move);
  bool settle(double aim, const Limits& limits);

  Vec margin_, cost_;
  std::vector<std::size_t> start_ = {0};
  std::vector<std::int32_t> row_;
  std::vector<double> entry_;
  std::vector<double> up_, down_, ridge_;
  Vec w_, g_;             // coefficients, and A'a less the slopes of their ridges
  Vec r_, z_, a_, bend_;  // residuals, multipliers of the last round and now, curvature
  double delta_ = 1, changed_ = kInf;
};

// Columns that are not there yet.
struct Newcomers {
  std::function<Violators&(const Vec& multipliers)> violators;
  std::function<void(Index)> join;
  Index batch, most;  // how many join at a time, at least, and in all
};

// Rounds between which the columns that violate most join, until few are left and little changes. False where too many
// want in, or a round fails.
bool approach(Smoothed& smooth, Vec multipliers, const Newcomers& newcomers, const Limits& limits);

}  // namespace zeronorm

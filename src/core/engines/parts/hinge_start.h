// An approximation of the optimal vertex of
//   sum_k (up_k w_k^+ + down_k w_k^- + ridge_k w_k^2 / 2) + sum_i c_i (m_i - a_i w)_+ .
// A proximal term on the multipliers z rounds the hinge, a_i = c_i clamp(z_i / c_i + r_i / delta, 0, 1). Newton's
// method finds the minimum on the working columns, and z follows. Columns are stored by their nonzero entries.
#pragma once

#include <cstdint>
#include <functional>

#include "base/types.h"
#include "engines/parts/pricing.h"

namespace zeronorm {

class HingeStart {
 public:
  HingeStart(const Vec& margin, const Vec& cost);

  Index size() const { return static_cast<Index>(up_.size()); }
  // Adds a column times the labels, scaled to unit norm.
  void add_column(const Vec& x, double up, double down, double ridge = 0);
  // Runs one iteration: moves close to the minimum for the present multipliers and updates them. Returns false if
  // rounding or an interrupt ends it.
  bool round(const Limits& limits);
  // Returns the largest change of a multiplier in the last iteration, relative to its cost.
  double changed() const { return changed_; }

  const Vec& multipliers() const { return a_; }
  double coefficient(Index k) const { return w_[k]; }
  const Vec& residuals() const { return r_; }
  // Returns the rows whose multipliers lie strictly between their bounds.
  IndexList band() const;

 private:
  struct Move {
    Vec w, f;  // Changes of the coefficients and of the decision values A w.
  };

  double shifted(Index i) const { return r_[i] + delta_ * z_[i] / cost_[i]; }
  // Returns whether column k has no zeros, so that its row numbers need not be read.
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
  }  // Used for columns that are zero on the band.
  Mat curvature(const IndexList& columns) const;
  Move newton() const;
  double advance(const Move& move);
  bool settle(double aim, const Limits& limits);

  Vec margin_, cost_;
  std::vector<std::size_t> start_ = {0};
  std::vector<std::int32_t> row_;
  std::vector<double> entry_;
  std::vector<double> up_, down_, ridge_;
  // The coefficients, and A'a minus the gradient of their ridges.
  Vec w_, g_;
  // The residuals, the multipliers of the last iteration and of this one, and the curvature of the rows.
  Vec r_, z_, a_, bend_;
  double delta_ = 1, changed_ = kInf;
};

// How columns outside the working set enter.
struct Newcomers {
  std::function<Violators&(const Vec& multipliers)> violators;
  std::function<void(Index)> join;
  // The smallest number of columns that join at a time, and the largest number in all.
  Index batch, most;
};

// Alternates iterations with pricing, after which the columns with the largest violations join, until few violate
// their cost and little changes. Returns false if too many columns join or an iteration fails.
bool approach(HingeStart& smooth, Vec multipliers, const Newcomers& newcomers, const Limits& limits);

}  // namespace zeronorm
